//! `uixt run`: load, plan, run, report.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use uixt_core::ai::Destructive;

use super::failed::{self, Failed};
use super::model_limits::{budget, consent, policy};
use super::outcomes::Outcomes;
use super::plan::RunSettings;
use super::pool::PoolArgs;
use super::queue::QueueArgs;
use super::replaced;
use super::run_hooks::RunHooks;
use super::selection::Selection;
use super::shard::{self, Shard};
use super::shared_queue::SharedQueue;
use super::watch;
use crate::cli::device::uia2::Uia2Args;
use crate::cli::exit::{Done, Exit, Failure, runtime};
use crate::cli::logging;
use crate::cli::packages::PackagesArgs;
use crate::cli::report;
use crate::cli::signals::Asked;
use crate::cli::testcases::goals::AiCache;
use crate::cli::testcases::{loading, messages};
use crate::cli::ui::dashboard::Dashboard;
use crate::driver::{self, tidy};
use crate::report::Terminal;
use crate::result::{Outcome, RunResult};
use crate::runner::journal::Journal;
use crate::runner::{self, Ended, Keep, Options, Plan, Screenshots, Sink, Worker};
use crate::testcase::{Overrides, TestCase};
use uixt_tools_ai::{Budget, Most};
use uixt_tools_device::screens::baseline::Snapshots;

// What the options of `uixt run` are about, as its help groups them.
const DEVICES: &str = "Devices";
const WHICH: &str = "Which cases, with what";
const HOW: &str = "How they run";
const MACHINES: &str = "Several machines";
const REPORT: &str = "Reports";
const MODELS: &str = "Models and sandbox";

#[derive(Args)]
pub(in crate::cli) struct Run {
    /// Testcase files and folders; without any, the project's `testcases/`, or the whole project where it has no such folder.
    pub(in crate::cli) paths: Vec<PathBuf>,
    #[command(flatten, next_help_heading = DEVICES)]
    pub(super) pool: PoolArgs,
    #[command(flatten, next_help_heading = DEVICES)]
    uia2: Uia2Args,
    #[command(flatten, next_help_heading = WHICH)]
    pub(super) selection: Selection,
    /// Goes on inside a case after a failed step.
    #[arg(short, long, help_heading = HOW)]
    continue_on_failure: bool,
    /// Ends the run at the first case that does not pass.
    #[arg(long, help_heading = HOW)]
    fail_fast: bool,
    /// Longest time that a case may take, in seconds, where its config does not say.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = HOW)]
    case_timeout: Option<Duration>,
    /// Runs a case that did not pass again from its start, up to N times; what passes then is flaky, and reported as that.
    #[arg(long, alias = "retries", value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=100), help_heading = HOW)]
    retry: u32,
    /// Exits 1 where a case passed on a retry only; with `--failed`, such cases of the earlier run are run as well.
    #[arg(long, help_heading = HOW)]
    fail_on_flaky: bool,
    /// Runs only what did not pass in the newest run of `results/`, or in the run whose folder is named as a path.
    #[arg(long, help_heading = WHICH)]
    failed: bool,
    /// Runs only the K-th of N parts of the cases, such as 1/4; `auto` takes both from the environment of GitLab, `CircleCI`, Buildkite,
    /// an Indexed Job of Kubernetes, or from `UIXT_SHARD_INDEX` and `UIXT_SHARD_TOTAL`.
    #[arg(long, value_name = "K/N", conflicts_with = "failed", help_heading = MACHINES)]
    shard: Option<Shard>,
    /// Report folder of an earlier run, by which the parts are made to take the same time; all parts must be given the same.
    #[arg(long, value_name = "DIR", requires = "shard", help_heading = MACHINES)]
    shard_durations: Option<PathBuf>,
    #[command(flatten, next_help_heading = MACHINES)]
    queue: QueueArgs,
    /// Keeps nothing of this run in the history of the project.
    #[arg(long, help_heading = REPORT)]
    no_history: bool,
    /// When to take pictures.
    #[arg(long, value_enum, default_value = "failure", help_heading = REPORT)]
    screenshots: Pictures,
    /// Of which steps to keep the element tree, the log and the screen before.
    #[arg(long, value_enum, default_value = "failed", value_name = "WHICH", help_heading = REPORT)]
    evidence: Kept,
    /// Of which cases to keep a video.
    #[arg(long, value_enum, default_value = "none", value_name = "WHICH", help_heading = REPORT)]
    video: Kept,
    /// Keeps the screen of every `assert_screenshot` as what it is compared with from now on.
    #[arg(long, help_heading = HOW)]
    update_snapshots: bool,
    /// Stays, and runs a case again when it or a file that it uses is saved: from the step that did not pass, on the device as it is.
    #[arg(long, conflicts_with_all = ["jobs", "each_device", "queue", "shard", "failed", "repeat", "retry", "dashboard", "report_dir"], help_heading = HOW)]
    watch: bool,
    /// Folder for the reports, where those of an earlier run are replaced; `results/<date and time>` by default.
    #[arg(long, value_name = "DIR", help_heading = REPORT)]
    report_dir: Option<PathBuf>,
    /// What becomes of goals that were reached, which are stored beside their testcases; `write` by default, `read` where CI is set.
    #[arg(long, value_enum, value_name = "WHAT", help_heading = MODELS)]
    ai_cache: Option<AiCache>,
    /// What a model may do that is hard to undo, such as pay, delete, uninstall and send, whatever the testcases' `ai_options` say
    #[arg(long, value_name = "allow|deny|ask", value_parser = policy, help_heading = MODELS)]
    ai_policy: Option<Destructive>,
    /// The most that the run may spend on models: tokens, or what they cost, `cost:2.50`, by the price in
    /// `OPENAI_PRICE` or `<SERVICE>_PRICE`
    #[arg(long, value_name = "TOKENS|cost:AMOUNT", value_parser = budget, help_heading = MODELS)]
    ai_budget: Option<Most>,
    #[command(flatten, next_help_heading = MODELS)]
    packages: PackagesArgs,
    #[command(flatten, next_help_heading = REPORT)]
    reports: report::Reports,
    /// Shows the run while it goes on as a UI instance of this id, at an address that is printed
    #[arg(long, value_name = "ID", num_args = 0..=1, require_equals = true, default_missing_value = "run", help_heading = REPORT)]
    dashboard: Option<String>,
    /// Accepted for HttpRunner's sake: requests to devices are never logged.
    #[arg(long, help_heading = REPORT)]
    log_requests_off: bool,
    /// Counts a case whose requirements are missing as an error rather than as skipped.
    #[arg(long, help_heading = WHICH)]
    no_skip: bool,
    /// Tells each case that is skipped on a line of its own, rather than each reason.
    #[arg(short, long, help_heading = REPORT)]
    verbose: bool,
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

impl From<Kept> for Keep {
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

impl Run {
    pub(in crate::cli) fn run(mut self) -> Done {
        if self.paths.is_empty() && !self.failed {
            self.paths = loading::of_project()?;
        }
        if self.watch {
            return watch::run(&self);
        }
        let done = self.begin();
        if let (Err(failure), Some(folder), false) = (&done, &self.report_dir, self.failed)
            && failure.exit == Exit::Usage
        {
            replaced::outdate(folder);
        }
        done
    }

    fn begin(&self) -> Done {
        let failed = self.failed.then(|| Failed::of(&self.paths, self.fail_on_flaky)).transpose()?;
        // The same rows as those that failed.
        let seed = self.selection.seed.or(failed.as_ref().and_then(|failed| failed.seed));
        let mut overrides = Overrides { seed, ..self.selection.variables.overrides()? };
        let paths = failed.as_ref().map_or_else(|| self.paths.clone(), |failed| failed.paths.clone());
        let (mut cases, hooks) = self.selection.load(&paths, &overrides)?;
        let only = failed.map(|failed| failed.only);
        if let Some(only) = &only {
            cases.retain(|case| only.may_select(&case.file));
            if cases.is_empty() {
                return Err(Failure::usage("--failed: what did not pass is not among these testcases any more"));
            }
        }
        if overrides.seed.is_none() {
            // All machines that share the cases pick the same rows.
            let shared = self.shard.is_some() || self.queue.queue.is_some();
            overrides.seed = Some(if shared { shard::seed(cases.iter()) } else { fastrand::u32(..).into() });
        }
        let shard = self.shard.map(|shard| shard.sharding(&cases, self.shard_durations.as_deref())).transpose()?;
        Selection::check_environment(&cases, &overrides)?;
        let options = Options { only, shard, ..self.options(overrides) };
        let runtime = runtime()?;
        let ended = runtime.block_on(self.run_cases(&paths, (cases, hooks), options));
        // A look that hangs on a device must not keep the process.
        runtime.shutdown_timeout(Duration::from_millis(200));
        ended
    }

    /// Says how to run, all cases on this machine.
    pub(super) fn options(&self, overrides: Overrides) -> Options {
        Options {
            continue_on_failure: self.continue_on_failure,
            fail_fast: self.fail_fast,
            screenshots: self.screenshots.into(),
            evidence: self.evidence.into(),
            video: self.video.into(),
            case_timeout: self.case_timeout,
            retries: self.retry,
            on_each: self.pool.each_device,
            device_is_named: !self.pool.device.is_empty(),
            ..self.selection.options(overrides)
        }
    }

    /// Returns what holds for all cases of a run into a folder.
    pub(super) fn settings(&self, overrides: &Overrides, folder: &Path) -> RunSettings {
        RunSettings {
            uia2: self.uia2.clone(),
            overrides: overrides.clone(),
            no_skip: self.no_skip,
            servers: (self.selection.servers.clone(), Arc::default()),
            sites: Arc::default(),
            reports: folder.to_path_buf(),
            snapshots: self.snapshots(),
            ai_cache: self.ai_cache(),
            ai_policy: self.ai_policy,
            consent: consent(),
            budget: Arc::new(Budget::of(self.ai_budget)),
            packages: self.packages,
            goes_on: false,
        }
    }

    async fn run_cases(&self, paths: &[PathBuf], (cases, hooks): (Vec<TestCase>, RunHooks), options: Options) -> Done {
        let stop = stop_when_asked()?;
        let folder = self.folder()?;
        let _reserved = self.report_dir.is_none().then(|| Reserved(folder.clone()));
        let outcomes = self.outcomes(&cases);
        let is_many = self.pool.device.len() > 1 || self.pool.jobs.is_some() || self.queue.queue.is_some();
        let durations = outcomes.as_ref().filter(|_| is_many).map(|outcomes| outcomes.durations(&cases));
        let settings = Arc::new(self.settings(&options.overrides, &folder));
        let (cases, hooks, slots) = tokio::select! {
            biased;
            () = stop.cancelled() => {
                tidy::finish().await;
                return Err(Failure::rendered(Exit::Interrupted, "interrupted while devices were opened; nothing was run".to_owned()));
            }
            planned = self.pool.plan(&settings, cases, hooks) => planned?,
        };
        messages::warn(cases.iter().flat_map(|planned| &planned.warnings));
        let shared = match &self.queue.queue {
            Some(address) => {
                let digest = shard::digest(cases.iter().map(|planned| &planned.case));
                Some(Arc::new(SharedQueue::new(self.queue.open(address).await?, digest, folder.clone(), self.no_skip)))
            }
            None => None,
        };
        let seen_cases = shared.as_ref().map(|shared| shared.observer());
        let shown = paths.iter().map(|path| path.display().to_string()).collect();
        let workers = slots.iter().map(|slot| Arc::clone(slot) as Arc<dyn Worker>).collect();
        let shared = shared.map(|shared| shared as Arc<dyn runner::SharedQueue>);
        let plan =
            Plan { paths: shown, cases, shared, around: hooks, workers, durations: durations.unwrap_or_default() };
        let dashboard = self.dashboard.as_deref().map(|id| Dashboard::open(id, paths, &folder)).transpose()?;
        let seen = dashboard.as_ref().map(Dashboard::observer).into_iter().chain(seen_cases).collect();
        let ended = self.report(plan, options, &folder, (seen, outcomes), stop).await;
        dashboard.iter().for_each(Dashboard::end);
        settings.servers.1.lock().await.close().await;
        for slot in &slots {
            slot.close().await;
        }
        tidy::finish().await;
        dashboard.into_iter().for_each(Dashboard::close);
        Ok(self.exit(ended?))
    }

    /// Runs a plan, shows it at the terminal, and writes its reports.
    pub(super) async fn report(
        &self,
        plan: Plan,
        options: Options,
        folder: &Path,
        (seen, outcomes): (Vec<runner::Observer>, Option<Outcomes>),
        stop: CancellationToken,
    ) -> Result<Ended, Failure> {
        let terminal = Terminal::detect().in_folder(folder).telling_each_skip(self.verbose);
        let terminal = Arc::new(Mutex::new(Some(terminal)));
        // The reports are made of the journal alone: a long case need not stand in memory twice.
        let ended = observe(plan, options, folder, &terminal, seen, stop).await;
        // Even a run whose journal could not be kept up has reports of what is in it.
        let trend = outcomes.as_ref().filter(|_| !self.is_partial()).map(|outcomes| outcomes.trend(folder));
        let options = crate::report::Options { trend: trend.unwrap_or_default(), ..self.reports.options() };
        let run = report::rebuild(folder, &options);
        if let (Some(outcomes), Ok(run)) = (&outcomes, &run) {
            outcomes.keep(folder, run, self.is_partial());
        }
        let terminal = terminal.lock().take();
        if let (Some(terminal), Ok(run)) = (terminal, &run) {
            terminal.finish(run, &report::paths(folder, &options), &self.next_commands(run, folder));
        }
        if self.fail_on_flaky && run.as_ref().is_ok_and(|run| run.totals.flaky > 0) {
            failed::tell_flaky(folder);
        }
        let ended = ended.map_err(|error| unwritten(&error, folder))?;
        run?;
        Ok(ended)
    }

    /// Returns what may well be typed next, each with what it does; nothing where all passed.
    fn next_commands(&self, run: &RunResult, folder: &Path) -> Vec<(String, &'static str)> {
        if self.watch || run.outcome < Outcome::Failed {
            return Vec::new();
        }
        let folder = driver::quote(&folder.to_string_lossy());
        let mut next: Vec<_> =
            self.again(&folder).map(|again| (again, "runs what did not pass again")).into_iter().collect();
        next.push((format!("studio {folder}"), "shows what each step saw"));
        if run.totals.errored > 0 {
            next.push(("doctor".to_owned(), "tells what is here and what is missing"));
        }
        // A package's launcher says how it is called itself: `npx uixt`.
        let called = std::env::var("UIXT_CALLED_AS").unwrap_or_else(|_| "uixt".to_owned());
        next.into_iter().map(|(words, what)| (format!("{called} {words}"), what)).collect()
    }

    /// Returns the words of this run's command line for what did not pass in it; nothing where that is no one machine's, or not plain.
    fn again(&self, folder: &str) -> Option<String> {
        let is_plain =
            self.shard.is_none() && self.queue.queue.is_none() && !(self.failed && self.report_dir.is_some());
        let mut words: Vec<String> = std::env::args().skip(1).map(|word| driver::quote(&word)).collect();
        if !is_plain || words.iter().any(|word| word == "--") {
            return None;
        }
        if !self.failed {
            words.push("--failed".to_owned());
            words.extend(self.report_dir.is_some().then(|| folder.to_owned()));
        }
        Some(words.join(" "))
    }

    /// Finds the history that the run is kept in, unless none is wished.
    pub(super) fn outcomes(&self, cases: &[TestCase]) -> Option<Outcomes> {
        if self.no_history { None } else { Outcomes::of(cases) }
    }

    /// Tells whether fewer cases than the paths hold were asked for.
    fn is_partial(&self) -> bool {
        self.failed || self.selection.filter.is_some() || self.selection.tags.is_some() || self.shard.is_some()
    }

    pub(super) fn exit(&self, ended: Ended) -> Exit {
        match ended {
            Ended { interrupted: true, .. } => Exit::Interrupted,
            Ended { outcome: Outcome::Flaky, .. } if self.fail_on_flaky => Exit::Failed,
            Ended { outcome, .. } => Exit::of(outcome),
        }
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

    /// Makes the folder's name; what is there already is never overwritten, but for what an earlier run wrote.
    pub(super) fn folder(&self) -> Result<PathBuf, Failure> {
        if let Some(folder) = &self.report_dir {
            if folder.exists() && !folder.is_dir() {
                return Err(Failure::usage(format!("{} is a file: name a folder", folder.display())));
            }
            replaced::check(folder)?;
            return Ok(folder.clone());
        }
        results_folder()
    }
}

/// Makes a folder for the report of a run that begins now.
pub(in crate::cli) fn results_folder() -> Result<PathBuf, Failure> {
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

/// Says that a run ended since its journal could not be kept up.
fn unwritten(error: &std::io::Error, folder: &Path) -> Failure {
    let folder = folder.display();
    let help = match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            format!("; once there is room, `uixt report {folder}` makes the reports of what was finished")
        }
        _ => String::new(),
    };
    Failure::errored(format!("cannot write {folder}: {error}\n  = the run ended here{help}"))
}

/// Tells whether nobody looks on.
fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}

/// A report folder that goes with a run that wrote nothing into it.
pub(super) struct Reserved(pub(super) PathBuf);

impl Drop for Reserved {
    fn drop(&mut self) {
        // One that holds anything stays.
        let _ = std::fs::remove_dir(&self.0);
        let _ = self.0.parent().map(std::fs::remove_dir);
    }
}

/// How long after a wish to end another is the same: who ends a group of processes reaches this one, and the launcher that hands it on.
const SAME: Duration = Duration::from_millis(500);

/// Cancels when Ctrl-C is pressed or the process is asked to end; asked again, it ends at once.
fn stop_when_asked() -> Result<CancellationToken, Failure> {
    let mut asked = Asked::listen()?;
    let stop = CancellationToken::new();
    let token = stop.clone();
    tokio::spawn(async move {
        asked.wait().await;
        token.cancel();
        let _ = tokio::time::timeout(SAME, async {
            loop {
                asked.wait().await;
            }
        })
        .await;
        asked.wait().await;
        std::process::exit(Exit::Interrupted as i32);
    });
    Ok(stop)
}

async fn observe(
    plan: Plan,
    options: Options,
    folder: &Path,
    terminal: &Arc<Mutex<Option<Terminal>>>,
    others: Vec<runner::Observer>,
    stop: CancellationToken,
) -> std::io::Result<Ended> {
    replaced::remove(folder)?;
    let journal = Journal::create(folder)?;
    logging::to_file(&folder.join("uixt.log"))?;
    let watching = Arc::clone(terminal);
    let observer: runner::Observer = Box::new(move |entry| {
        if let Some(terminal) = watching.lock().as_mut() {
            terminal.event(entry);
        }
    });
    runner::run(plan, options, Sink::new(journal, [observer].into_iter().chain(others).collect()), stop).await
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
