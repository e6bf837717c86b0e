//! `uixt run`: load, plan, run, report.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::{Args, ValueEnum};
use tokio_util::sync::CancellationToken;
use uixt_core::ai::Destructive;

use super::dashboard::Dashboard;
use super::device::{DeviceArgs, Fleet};
use super::exit::{Done, Exit, Failure, runtime};
use super::goals::AiCache;
use super::plan::Planner;
use super::servers::{self, CalledArgs};
use super::signals::Asked;
use super::sites::Sites;
use super::uia2::Uia2Args;
use super::{loading, logging, report};
use crate::driver::tidy;
use crate::report::Terminal;
use crate::runner::journal::Journal;
use crate::runner::{self, Ended, Evidence, Options, Plan, Screenshots, Sink};
use crate::testcase::{Overrides, TagExpression, TestCase};
use crate::tools::ai::{Budget, Consent, Most};
use crate::tools::baseline::Snapshots;

#[derive(Args)]
pub(super) struct Run {
    /// Testcase files and folders.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    devices: DeviceArgs,
    #[command(flatten)]
    uia2: Uia2Args,
    /// Runs only cases whose file or name, also that of a row, this regular expression is found in.
    #[arg(long, value_name = "RE")]
    filter: Option<regex::Regex>,
    /// Runs only cases whose tags satisfy this, such as 'smoke and not slow'; of their steps, those without tags and those
    /// whose tags and the case's together satisfy it.
    #[arg(long, value_name = "EXPR", value_parser = tags)]
    tags: Option<TagExpression>,
    #[command(flatten)]
    variables: loading::Variables,
    #[command(flatten)]
    servers: CalledArgs,
    /// Goes on inside a case after a failed step.
    #[arg(short, long)]
    continue_on_failure: bool,
    /// Ends the run at the first case that does not pass.
    #[arg(long)]
    fail_fast: bool,
    /// Longest time that a case may take, in seconds, where its config does not say.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    case_timeout: Option<Duration>,
    /// Runs a case that did not pass again from its start, up to N times; what passes then is flaky, and reported as that.
    #[arg(long, alias = "retries", value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=100))]
    retry: u32,
    /// When to take pictures.
    #[arg(long, value_enum, default_value = "failure")]
    screenshots: Pictures,
    /// Of which steps to keep the element tree, the log and the screen before.
    #[arg(long, value_enum, default_value = "failed", value_name = "WHICH")]
    evidence: Kept,
    /// Keeps the screen of every `assert_screenshot` as what it is compared with from now on.
    #[arg(long)]
    update_snapshots: bool,
    /// Folder for the reports; `results/<date and time>` by default.
    #[arg(long, value_name = "DIR")]
    report_dir: Option<PathBuf>,
    /// What becomes of goals that were reached, which are stored beside their testcases; `write` by default, `read` where CI is set.
    #[arg(long, value_enum, value_name = "WHAT")]
    ai_cache: Option<AiCache>,
    /// What a model may do that is hard to undo, such as pay, delete, uninstall and send, whatever the testcases' `ai_options` say
    #[arg(long, value_name = "allow|deny|ask", value_parser = policy)]
    ai_policy: Option<Destructive>,
    /// The most that the run may spend on models: tokens, or what they cost, `cost:2.50`, by the price in
    /// `OPENAI_PRICE` or `<SERVICE>_PRICE`
    #[arg(long, value_name = "TOKENS|cost:AMOUNT", value_parser = budget)]
    ai_budget: Option<Most>,
    #[command(flatten)]
    reports: report::Reports,
    /// Shows the run while it goes on as a UI instance of this id, at an address that is printed
    #[arg(long, value_name = "ID", num_args = 0..=1, require_equals = true, default_missing_value = "run")]
    dashboard: Option<String>,
    /// Accepted for HttpRunner's sake: requests to devices are never logged.
    #[arg(long)]
    log_requests_off: bool,
    /// Counts a case whose requirements are missing as an error rather than as skipped.
    #[arg(long)]
    no_skip: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Pictures {
    Never,
    Failure,
    Step,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kept {
    None,
    Failed,
    All,
}

impl From<Kept> for Evidence {
    fn from(kept: Kept) -> Self {
        match kept {
            Kept::None => Self::None,
            Kept::Failed => Self::Failed,
            Kept::All => Self::All,
        }
    }
}

/// Parses a time in seconds above 0.
fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e6 => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("must be a number of seconds above 0 and at most 1,000,000".to_owned()),
    }
}

/// Parses a policy.
pub(super) fn policy(text: &str) -> Result<Destructive, String> {
    Destructive::read(text).ok_or_else(|| "must be allow, deny or ask".to_owned())
}

/// Returns what asks whoever sits at the terminal, where somebody does.
pub(super) fn consent() -> Option<Arc<Consent>> {
    use std::io::{IsTerminal as _, Write as _};
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return None;
    }
    Some(Arc::new(|question: &str| {
        let _ = write!(std::io::stderr().lock(), "\n{question} [y/N] ");
        let mut answer = String::new();
        std::io::stdin().read_line(&mut answer).is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
    }))
}

/// Parses what may be spent on models.
fn budget(text: &str) -> Result<Most, String> {
    let most = match text.strip_prefix("cost:") {
        Some(cost) => cost.parse().ok().filter(|cost| (0.0..1e9).contains(cost)).map(Most::Cost),
        None => text.replace('_', "").parse().ok().map(Most::Tokens),
    };
    most.ok_or_else(|| "must be a number of tokens, 200000, or a cost, cost:2.50".to_owned())
}

/// Parses an expression of tags.
fn tags(text: &str) -> Result<TagExpression, String> {
    TagExpression::parse(text).map_err(|error| {
        let hint = error.hint.map(|hint| format!(", {hint}")).unwrap_or_default();
        format!("{}{hint}, at character {}; write for example 'smoke and not slow'", error.message, error.offset + 1)
    })
}

/// Says that nothing is selected, and by what it could have been.
fn nothing_selected(all: &BTreeSet<String>, by_tags: bool) -> Failure {
    let known = all.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    Failure::usage(match (by_tags, known.as_str()) {
        (false, _) => "no testcase is selected".to_owned(),
        (true, "") => "no testcase is selected: none has tags".to_owned(),
        (true, _) => format!("no testcase is selected; their tags are: {known}"),
    })
}

impl Run {
    /// Leaves the cases that the options select.
    fn select(&self, cases: &mut Vec<TestCase>, overrides: &Overrides) -> Result<(), Failure> {
        let all: BTreeSet<String> = cases.iter().flat_map(|case| case.config.tags.iter().cloned()).collect();
        if let Some(filter) = &self.filter {
            cases.retain(|case| runner::may_select(case, overrides, filter));
        }
        if let Some(tags) = &self.tags {
            cases.retain(|case| tags.holds(&case.config.tags));
        }
        if cases.is_empty() { Err(nothing_selected(&all, self.tags.is_some())) } else { Ok(()) }
    }

    pub(super) fn run(self) -> Done {
        let overrides = self.variables.overrides()?;
        let mut cases =
            loading::load(&self.paths, &overrides, &self.servers).map_err(|errors| loading::failure(&errors))?;
        self.select(&mut cases, &overrides)?;
        let unset = loading::unset(&cases, &overrides);
        if !unset.is_empty() {
            return Err(loading::failure(&unset));
        }
        let options = Options {
            continue_on_failure: self.continue_on_failure,
            fail_fast: self.fail_fast,
            screenshots: self.screenshots.into(),
            evidence: self.evidence.into(),
            case_timeout: self.case_timeout,
            retries: self.retry,
            overrides,
            device_is_named: self.devices.device.is_some(),
            tags: self.tags.clone(),
            filter: self.filter.clone(),
        };
        let runtime = runtime()?;
        let ended = runtime.block_on(self.run_cases(cases, &options));
        // A look that hangs on a device must not keep the process.
        runtime.shutdown_timeout(Duration::from_millis(200));
        ended
    }

    async fn run_cases(&self, cases: Vec<TestCase>, options: &Options) -> Done {
        let stop = stop_when_asked()?;
        let folder = self.folder()?;
        let _reserved = self.report_dir.is_none().then(|| Reserved(folder.clone()));
        let mut fleet = Fleet::default();
        let (mut known_servers, mut sites) = (servers::Known::default(), Sites::default());
        let planner = Planner {
            devices: &self.devices,
            uia2: &self.uia2,
            overrides: &options.overrides,
            no_skip: self.no_skip,
            fleet: &mut fleet,
            servers: (&self.servers, &mut known_servers),
            sites: &mut sites,
            reports: &folder,
            snapshots: self.snapshots(),
            ai_cache: self.ai_cache(),
            ai_policy: self.ai_policy,
            consent: consent(),
            budget: Arc::new(Budget::of(self.ai_budget)),
        };
        let cases = tokio::select! {
            biased;
            () = stop.cancelled() => {
                tidy::finish().await;
                return Err(Failure::rendered(Exit::Interrupted, "interrupted while devices were opened; nothing was run".to_owned()));
            }
            planned = planner.plan(cases) => planned?,
        };
        loading::warn(cases.iter().flat_map(|planned| &planned.warnings));
        let paths = self.paths.iter().map(|path| path.display().to_string()).collect();
        let plan = Plan { paths, cases };
        let terminal = Arc::new(Mutex::new(Some(Terminal::detect().in_folder(&folder))));
        let dashboard = self.dashboard.as_deref().map(|id| Dashboard::open(id, &self.paths, &folder)).transpose()?;
        let seen = dashboard.as_ref().map(Dashboard::observer);
        let ended = observe(&plan, options, &folder, &terminal, seen, &stop).await;
        dashboard.iter().for_each(Dashboard::end);
        // The reports are made of the journal alone: a long case need not stand in memory twice.
        drop(plan);
        // Even a run whose journal could not be kept up has reports of what is in it.
        let run = report::rebuild(&folder, self.reports.options());
        let terminal = terminal.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(terminal), Ok(run)) = (terminal, &run) {
            terminal.finish(run, &report::paths(&folder, self.reports.options()));
        }
        known_servers.close().await;
        fleet.close().await;
        tidy::finish().await;
        dashboard.into_iter().for_each(Dashboard::close);
        let ended = ended.map_err(|error| Failure::errored(format!("cannot write {}: {error}", folder.display())))?;
        run?;
        Ok(exit(ended))
    }

    /// Says what becomes of goals that were reached. Where CI is set, none is stored that nobody has looked at.
    fn ai_cache(&self) -> AiCache {
        self.ai_cache.unwrap_or(if is_ci() { AiCache::Read } else { AiCache::Write })
    }

    /// Says what becomes of pictures of screens. Where CI is set, none is kept that nobody has looked at.
    fn snapshots(&self) -> Snapshots {
        match (self.update_snapshots, is_ci()) {
            (true, _) => Snapshots::Update,
            (false, true) => Snapshots::Never,
            (false, false) => Snapshots::Missing,
        }
    }

    /// Makes the folder's name; what is there already is never overwritten.
    fn folder(&self) -> Result<PathBuf, Failure> {
        if let Some(folder) = &self.report_dir {
            if folder.exists() && !folder.is_dir() {
                return Err(Failure::usage(format!("{} is a file: name a folder", folder.display())));
            }
            if folder.join(runner::journal::FILE).exists() {
                return Err(Failure::usage(format!(
                    "{} holds another run's results; name another folder",
                    folder.display()
                )));
            }
            return Ok(folder.clone());
        }
        let name = chrono::Local::now().format("%Y%m%d%H%M%S").to_string();
        let candidates = std::iter::once(name.clone()).chain((2..100).map(|number| format!("{name}-{number}")));
        let wrong = |error: std::io::Error| Failure::errored(format!("cannot write results/: {error}"));
        std::fs::create_dir_all("results").map_err(wrong)?;
        for folder in candidates.map(|name| Path::new("results").join(name)) {
            // Of two runs that begin at the same time, one makes it.
            match std::fs::create_dir(&folder) {
                Ok(()) => return Ok(folder),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(wrong(error)),
            }
        }
        Err(Failure::errored("cannot find a free name under results/"))
    }
}

/// Tells whether nobody looks on.
fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}

/// A report folder that goes with a run that wrote nothing into it.
struct Reserved(PathBuf);

impl Drop for Reserved {
    fn drop(&mut self) {
        // One that holds anything stays.
        let _ = std::fs::remove_dir(&self.0);
        let _ = self.0.parent().map(std::fs::remove_dir);
    }
}

/// Cancels when Ctrl-C is pressed or the process is asked to end; asked again, it ends at once.
fn stop_when_asked() -> Result<CancellationToken, Failure> {
    let mut asked = Asked::listen()?;
    let stop = CancellationToken::new();
    let token = stop.clone();
    tokio::spawn(async move {
        asked.wait().await;
        token.cancel();
        asked.wait().await;
        std::process::exit(Exit::Interrupted as i32);
    });
    Ok(stop)
}

async fn observe(
    plan: &Plan,
    options: &Options,
    folder: &Path,
    terminal: &Arc<Mutex<Option<Terminal>>>,
    dashboard: Option<runner::Observer>,
    stop: &CancellationToken,
) -> std::io::Result<Ended> {
    let journal = Journal::create(folder)?;
    logging::to_file(&folder.join("uixt.log"))?;
    let watching = Arc::clone(terminal);
    let observer: runner::Observer = Box::new(move |entry| {
        if let Some(terminal) = watching.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            terminal.event(entry);
        }
    });
    runner::run(plan, options, &Sink::new(journal, [observer].into_iter().chain(dashboard).collect()), stop).await
}

fn exit(ended: Ended) -> Exit {
    if ended.interrupted { Exit::Interrupted } else { Exit::of(ended.outcome) }
}

impl From<Pictures> for Screenshots {
    fn from(pictures: Pictures) -> Self {
        match pictures {
            Pictures::Never => Self::Never,
            Pictures::Failure => Self::Failure,
            Pictures::Step => Self::Step,
        }
    }
}
