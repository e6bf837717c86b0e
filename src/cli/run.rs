//! `uixt run`: load, choose devices, run, report.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::{Args, ValueEnum};
use tokio_util::sync::CancellationToken;

use super::device::{DeviceArgs, Fleet, Spec};
use super::exit::{Done, Exit, Failure, runtime};
use super::signals::Asked;
use super::{loading, logging, report, requires};
use crate::caller::{Audience, Local};
use crate::driver::{self, Driver, Registry};
use crate::report::Terminal;
use crate::result;
use crate::runner::journal::Journal;
use crate::runner::{self, Ended, Means, Options, Plan, Planned, Screenshots, Sink};
use crate::testcase::TestCase;
use crate::tools::{self, Kind, Session};

#[derive(Args)]
pub(super) struct Run {
    /// Testcase files and folders.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    devices: DeviceArgs,
    /// Runs only cases whose file or name this regular expression is found in.
    #[arg(long, value_name = "RE")]
    filter: Option<regex::Regex>,
    #[command(flatten)]
    variables: loading::Variables,
    /// Goes on inside a case after a failed step.
    #[arg(short, long)]
    continue_on_failure: bool,
    /// Ends the run at the first case that does not pass.
    #[arg(long)]
    fail_fast: bool,
    /// Longest time that a case may take, in seconds, where its config does not say.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    case_timeout: Option<Duration>,
    /// When to take pictures.
    #[arg(long, value_enum, default_value = "failure")]
    screenshots: Pictures,
    /// Folder for the reports; `results/<date and time>` by default.
    #[arg(long, value_name = "DIR")]
    report_dir: Option<PathBuf>,
    /// Puts pictures inside report.html, so that it is one file.
    #[arg(long)]
    self_contained: bool,
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

/// Parses a time in seconds above 0.
fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e6 => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("must be a number of seconds above 0 and at most 1,000,000".to_owned()),
    }
}

impl Run {
    pub(super) fn run(self) -> Done {
        let overrides = self.variables.overrides()?;
        let mut cases = loading::load(&self.paths, &overrides).map_err(|errors| loading::failure(&errors))?;
        if let Some(filter) = &self.filter {
            cases.retain(|case| filter.is_match(&case.file) || filter.is_match(&case.config.name));
        }
        if cases.is_empty() {
            return Err(Failure::usage("no testcase is selected"));
        }
        let options = Options {
            continue_on_failure: self.continue_on_failure,
            fail_fast: self.fail_fast,
            screenshots: self.screenshots.into(),
            case_timeout: self.case_timeout,
            overrides,
        };
        let runtime = runtime()?;
        let ended = runtime.block_on(self.run_cases(cases, &options));
        // A look that hangs on a device must not keep the process.
        runtime.shutdown_timeout(Duration::from_millis(200));
        ended
    }

    async fn run_cases(&self, cases: Vec<TestCase>, options: &Options) -> Done {
        let stop = stop_when_asked()?;
        let mut fleet = Fleet::default();
        let plan = tokio::select! {
            biased;
            () = stop.cancelled() => {
                return Err(Failure::rendered(Exit::Interrupted, "interrupted while devices were opened; nothing was run".to_owned()));
            }
            plan = self.plan(cases, &mut fleet) => plan?,
        };
        let folder = self.folder()?;
        let terminal = Arc::new(Mutex::new(Some(Terminal::detect().in_folder(&folder))));
        let ended = observe(&plan, options, &folder, &terminal, &stop).await;
        // The reports are made of the journal alone: a long case need not stand in memory twice.
        drop(plan);
        // Even a run whose journal could not be kept up has reports of what is in it.
        let run = report::rebuild(&folder, self.self_contained);
        let terminal = terminal.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(terminal), Ok(run)) = (terminal, &run) {
            terminal.finish(run, &report::paths(&folder));
        }
        let ended = ended.map_err(|error| Failure::errored(format!("cannot write {}: {error}", folder.display())))?;
        run?;
        Ok(exit(ended))
    }

    /// Decides what each case runs on; an absent device is that case's error, no choice at all the user's.
    async fn plan(&self, cases: Vec<TestCase>, fleet: &mut Fleet) -> Result<Plan, Failure> {
        let mut planned = Vec::with_capacity(cases.len());
        let mut ids = std::collections::HashMap::new();
        for case in cases {
            let number = ids.entry(case.file.clone()).or_insert(0u32);
            let id = format!("{}#{number}", case.file);
            *number += 1;
            let (device, means) = self.means(&case, fleet).await?;
            planned.push(Planned { id, case, device, means });
        }
        let paths = self.paths.iter().map(|path| path.display().to_string()).collect();
        Ok(Plan { paths, cases: planned })
    }

    async fn means(&self, case: &TestCase, fleet: &mut Fleet) -> Result<(Option<result::Device>, Means), Failure> {
        let required = case.project.requires.iter().chain(&case.config.requires);
        if let Some(reason) = required.map(String::as_str).find_map(requires::unmet) {
            let missing = failure(Kind::Unsupported, reason.clone());
            return Ok((None, if self.no_skip { Means::Missing(missing) } else { Means::Skip(reason) }));
        }
        if !uses_devices(case) {
            let caller = Local::new(Arc::default(), Arc::default(), Audience::Testcase);
            return Ok((None, Means::Caller(Arc::new(caller))));
        }
        let (spec, adb_server) = self.choice(case)?;
        let (registry, opened) = match &spec {
            Some(spec) => fleet.open(spec, &adb_server).await?,
            None => self.only_device(fleet, &adb_server).await?,
        };
        Ok(match opened {
            Ok(driver) => (Some(describe(driver.as_ref())), on(registry, driver)),
            Err(error @ driver::Error::Ambiguous { .. }) => return Err(unnamed(&error)),
            Err(error) => (None, Means::Missing(failure(tools::Error::from(error.clone()).kind, error.to_string()))),
        })
    }

    /// Returns what the command line, the testcase's config or the project names, in this order.
    fn choice(&self, case: &TestCase) -> Result<(Option<Spec>, String), Failure> {
        let server = self.devices.adb_server.clone();
        if let Some(spec) = &self.devices.device {
            return Ok((Some(spec.clone()), server));
        }
        if let Some(entry) = case.config.devices.first() {
            return config_device(case, entry, server, &self.variables.overrides()?);
        }
        match &case.project.device {
            Some(text) => {
                let at = case.project.file.as_deref().unwrap_or("uixt.yaml");
                let spec = text.parse().map_err(|error| Failure::usage(format!("{at}: {error}")))?;
                Ok((Some(spec), server))
            }
            None => Ok((None, server)),
        }
    }

    async fn only_device(&self, fleet: &mut Fleet, adb_server: &str) -> Result<Opened, Failure> {
        let registry = fleet.adb(adb_server);
        let driver = registry.open(None, None).await.map_err(|error| unnamed(&error))?;
        Ok((registry, Ok(driver)))
    }

    /// Makes the folder's name; what is there already is never overwritten.
    fn folder(&self) -> Result<PathBuf, Failure> {
        if let Some(folder) = &self.report_dir {
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
        let mut folders = candidates.map(|name| Path::new("results").join(name));
        folders
            .find(|folder| !folder.exists())
            .ok_or_else(|| Failure::errored("cannot find a free name under results/"))
    }
}

/// A device that was opened, or why it was not, and the way to its like.
type Opened = (Arc<Registry>, Result<Arc<dyn Driver>, driver::Error>);

/// Says that a device must be named, and how.
fn unnamed(error: &driver::Error) -> Failure {
    Failure::usage(format!(
        "{error}\n  = name a device: --device android:SERIAL, or --device phone for the virtual phone"
    ))
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
    runner::run(plan, options, &Sink::new(journal, vec![observer]), stop).await
}

fn exit(ended: Ended) -> Exit {
    if ended.interrupted { Exit::Interrupted } else { Exit::of(ended.outcome) }
}

fn failure(kind: Kind, message: String) -> result::Failure {
    result::Failure { kind: kind.name().to_owned(), message, details: None }
}

fn describe(driver: &dyn Driver) -> result::Device {
    let info = driver.info();
    result::Device { platform: info.platform.to_owned(), serial: info.serial.clone(), name: info.name.clone() }
}

fn on(registry: Arc<Registry>, driver: Arc<dyn Driver>) -> Means {
    Means::Caller(Arc::new(Local::new(registry, Arc::new(Session::on(driver)), Audience::Testcase)))
}

/// Tells whether any of a case's calls has to do with devices.
fn uses_devices(case: &TestCase) -> bool {
    let actions = |step: &crate::testcase::Step| {
        let checks = step.validate.iter().map(|check| check.action.method.clone());
        step.actions.iter().map(|action| action.method.clone()).chain(checks).collect::<Vec<_>>()
    };
    case.steps.iter().flat_map(actions).any(|method| tools::find(&method).is_none_or(|tool| tool.uses_devices))
}

/// Reads the device that a testcase's config names.
fn config_device(
    case: &TestCase,
    entry: &crate::testcase::DeviceEntry,
    server: String,
    overrides: &crate::testcase::Overrides,
) -> Result<(Option<Spec>, String), Failure> {
    if entry.platform != "android" {
        let place = format!("{}:{}:{}", case.file, entry.place.line, entry.place.column);
        return Err(Failure::usage(format!("{place}: `{}` devices are not supported yet", entry.platform)));
    }
    let scope = case.scope(overrides);
    let option = |key: &str| -> Result<Option<String>, Failure> {
        let Some(option) = entry.options.iter().find(|option| option.key == key) else { return Ok(None) };
        let place = format!("{}:{}:{}", case.file, option.place.line, option.place.column);
        let value = scope.evaluate(&option.value).map_err(|error| Failure::usage(format!("{place}: {error}")))?;
        Ok(Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned)).filter(|text| !text.is_empty()))
    };
    let (host, port) = (option("adb_server_host")?, option("adb_server_port")?);
    let server = match (host, port) {
        (None, None) => server,
        (host, port) => {
            format!("{}:{}", host.as_deref().unwrap_or("127.0.0.1"), port.as_deref().unwrap_or("5037"))
        }
    };
    Ok((Some(Spec::Android(option("serial")?)), server))
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
