//! Testcases → what each of them runs on: a device that the command line, the case or its project names, or none.
//!
//! An absent device is its case's error; no choice at all is the user's. Knows nothing of folders, reports or signals.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::sync::Mutex;

use super::named_devices::NamedDevices;
use super::sites::Sites;
use crate::cli::device::browser;
use crate::cli::device::config::{DeviceConfig, device_of};
use crate::cli::device::devices::{Devices, Manner, Opened};
use crate::cli::device::spec::{DeviceArgs, Spec, Ways};
use crate::cli::device::uia2;
use crate::cli::device::uia2::{Uia2Args, Written};
use crate::cli::exit::Failure;
use crate::cli::mcp::servers::{self, CalledArgs};
use crate::cli::testcases::goals::{AiCache, GoalFiles};
use crate::cli::testcases::lints;
use crate::cli::testcases::requires;
use crate::tools::{self, Audience, Local};
use uixt_call::{Caller, Carried};
use uixt_core::ai::Destructive;
use uixt_locate::{Error, Kind};
use uixt_toolkit::{OtherServers, Session, SessionState};
use uixt_tools_ui::DataFile;

use crate::action::MobileAction;
use crate::cli::packages::PackagesArgs;
use crate::cli::surroundings;
use crate::driver::browser::Settings;
use crate::driver::{self, Driver, Registry, harmony, ios};
use crate::mcp::client::Servers;
use crate::result;
use crate::runner::{CallerFactory, CaseRuntime, Planned, Refusal};
use crate::testcase::{DeviceEntry, Overrides, Reset, TestCase};
use uixt_tools_ai::{Budget, Consent, Goals, Guard, Models, StoredGoals};
use uixt_tools_device::screens::baseline::Snapshots;

/// What holds for every case of a run.
#[derive(Clone)]
pub(in crate::cli) struct RunSettings {
    pub uia2: Uia2Args,
    pub overrides: Overrides,
    /// Whether a missing requirement is an error.
    pub no_skip: bool,
    /// The files of MCP servers, and the servers that cases share.
    pub servers: (CalledArgs, Arc<Mutex<servers::Known>>),
    /// What projects serve.
    pub sites: Arc<Mutex<Sites>>,
    /// The report's folder, which need not be there yet.
    pub reports: PathBuf,
    /// What becomes of pictures of screens.
    pub snapshots: Snapshots,
    /// What becomes of goals that were reached.
    pub ai_cache: AiCache,
    /// What all cases may spend on models.
    pub budget: Arc<Budget>,
    /// What the command line says of acts that are hard to undo.
    pub ai_policy: Option<Destructive>,
    /// Who is asked about them; none where nobody is there.
    pub consent: Option<Arc<Consent>>,
    /// Whether packages may be installed for codes in the sandbox.
    pub packages: PackagesArgs,
    /// Whether the first case goes on where one stood: its browser keeps its pages.
    pub goes_on: bool,
}

impl RunSettings {
    /// Returns what holds where nothing but this is said.
    pub(in crate::cli) fn usual(uia2: Uia2Args, servers: CalledArgs, overrides: Overrides, reports: PathBuf) -> Self {
        Self {
            uia2,
            overrides,
            no_skip: false,
            servers: (servers, Arc::default()),
            sites: Arc::default(),
            reports,
            snapshots: Snapshots::Missing,
            ai_cache: AiCache::Write,
            ai_policy: None,
            consent: None,
            budget: Arc::new(Budget::of(None)),
            packages: PackagesArgs::default(),
            goes_on: false,
        }
    }
}

/// What a choice is made from.
pub(super) struct Planner<'a> {
    pub settings: &'a RunSettings,
    pub devices: &'a DeviceArgs,
    pub open_devices: &'a mut Devices,
}

/// What a case runs with, and the device that was opened for it.
pub(super) struct CaseDevice {
    pub seat: CaseRuntime,
    pub driver: Option<Arc<dyn Driver>>,
}

impl Planner<'_> {
    /// Says what is to be known of a case before it runs.
    pub(super) async fn look_over(&self, case: TestCase, id: String) -> Result<Planned, Failure> {
        let mut warnings = lints::warnings(&case, self.devices.device.is_some());
        warnings.extend(uia2::warnings(&case));
        let servers = self.servers(&case).await?;
        warnings.extend(servers::warnings(&case, servers.as_deref()));
        let secrets = servers.map(|servers| servers.secrets()).unwrap_or_default();
        let refusal = self.unmet(&case)?.map(|reason| match self.settings.no_skip {
            true => Refusal::Missing(failure(Kind::Unsupported, reason)),
            false => Refusal::Skip(reason),
        });
        let (lane, own_locks, locks) = Default::default();
        Ok(Planned { id, case, refusal, lane, own_locks, locks, warnings, secrets })
    }

    /// Opens the device of a case. That it is not there is the case's error; that none was chosen is the user's.
    pub(super) async fn case_device(
        &mut self,
        case: &TestCase,
    ) -> Result<Result<CaseDevice, result::Failure>, Failure> {
        if !uses_devices(case) {
            // Its requests may be for what the project serves.
            let site = match sends_requests(case) {
                true => self.settings.sites.lock().await.of(&case.project).await?,
                false => None,
            };
            let sessions = self.sessions(case, site).await?;
            let session = move |earlier| going_on(sessions(), earlier);
            let calls = move |earlier| Local::new(Arc::default(), Arc::new(session(earlier)), Audience::Testcase);
            let seat = CaseRuntime::deviceless(Arc::new(move |earlier| Arc::new(calls(earlier))));
            return Ok(Ok(CaseDevice { seat, driver: None }));
        }
        let (registry, opened) = self.open(case).await?;
        let site = self.settings.sites.lock().await.of(&case.project).await?;
        let sessions = self.sessions(case, site).await?;
        match opened {
            Ok(driver) => {
                let (browser, mut settings) = (self.open_devices.browser(), self.browser_settings(case)?);
                if settings.keeps_downloads() {
                    settings.downloads = settings.downloads.or_else(|| Some(self.downloads(case)));
                }
                let device = describe(driver.as_ref());
                let NamedDevices { devices, mut browsers } =
                    NamedDevices::of(case, &device, &self.settings.overrides, self.devices)?;
                for (_, further) in &mut browsers {
                    further.downloads = further.downloads.take().or_else(|| settings.downloads.clone());
                }
                let begin = move || {
                    browser.begin(settings.clone());
                    browsers.iter().for_each(|(name, further)| browser.begin_named(name, further.clone()));
                };
                let ready = self.open_devices.ready(&driver, Self::reset(case));
                let calls = on(sessions, registry, Arc::clone(&driver), begin);
                let seat = CaseRuntime { device: Some(device), devices: Arc::new(devices), calls, ready };
                Ok(Ok(CaseDevice { seat, driver: Some(driver) }))
            }
            Err(error @ driver::Error::Ambiguous { .. }) => Err(unnamed(&error)),
            Err(error) => Ok(Err(failure(Error::from(error.clone()).kind, error.to_string()))),
        }
    }

    /// Returns what is done to a phone before a case, where that is said; nothing where the project prepares its devices itself.
    fn reset(case: &TestCase) -> Option<Reset> {
        let around = &case.project.around;
        let is_prepared = !(around.before_run.is_empty() && around.before_device.is_empty());
        case.config.reset.or(case.project.reset).or(is_prepared.then_some(Reset::None))
    }

    async fn servers(&self, case: &TestCase) -> Result<Option<Arc<Servers>>, Failure> {
        let (args, known) = &self.settings.servers;
        known.lock().await.of(args, case, &self.settings.overrides)
    }

    /// Returns what starts a session in a case's project folder; all of them share the project's functions.
    async fn sessions(
        &self,
        case: &TestCase,
        site: Option<String>,
    ) -> Result<impl Fn() -> Session + Send + Sync + use<> + 'static, Failure> {
        let (servers, settings) = (self.servers(case).await?, self.settings);
        let (root, reports, snapshots) = (case.project.root.clone(), settings.reports.clone(), settings.snapshots);
        let data = crate::cli::data::file(&root);
        let models = models(case, &settings.overrides).within(Arc::clone(&settings.budget));
        let reports_folder = std::path::absolute(&reports).unwrap_or_else(|_| reports.clone());
        let environs = settings.overrides.environs.iter().chain(&case.project.environs);
        let secrets: Vec<_> = environs.map(|(name, value)| (name.clone(), value.clone())).collect();
        let cache = settings.ai_cache;
        // Each session has its own: what it keeps waits for its case.
        let goals = move || -> Arc<dyn Goals> {
            let (reports, secrets) = (reports_folder.clone(), secrets.clone());
            Arc::new(GoalFiles { cache, reports, secrets, pending: parking_lot::Mutex::default() })
        };
        let mut policy = case.config.ai_options.policy.clone();
        policy.destructive = settings.ai_policy.unwrap_or(policy.destructive);
        let guard = Guard { policy, consent: settings.consent.clone() };
        let functions = case.functions.as_ref().map(|python| python.functions.clone());
        let own = functions.iter().map(|python| python.path().to_path_buf());
        let mut known: HashSet<_> = own.collect();
        let mut referred =
            case.cases().iter().filter_map(|case| Some(case.functions.as_ref()?.functions.clone())).collect::<Vec<_>>();
        referred.retain(|functions| known.insert(functions.path().to_path_buf()));
        let packages = settings.packages;
        let around = surroundings::of_project(&case.project, &case.project.root, None);
        let session = move || {
            around
                .tell(Session::default())
                .in_folder(&root)
                .with(DataFile(data.clone()))
                .with(models.clone())
                .with(guard.clone())
                .with(packages.setting())
                .with(StoredGoals(Some(goals())))
                .with_functions(functions.clone())
                .with_site(site.clone())
        };
        let servers = servers.map(|servers| servers as Arc<dyn uixt_call::Servers>);
        Ok(move || {
            let session = session().with_referred(referred.clone()).with(snapshots);
            session.with_reports(&reports).with(OtherServers(servers.clone()))
        })
    }

    async fn open(&mut self, case: &TestCase) -> Result<Opened, Failure> {
        let (spec, adb_server) = self.choice(case)?;
        if self.devices.device.is_none() {
            self.check_referred(case, spec.as_ref(), &adb_server)?;
        }
        let manner = self.manner(case, adb_server)?;
        if let Some(Spec::Browser(_)) = spec {
            let settings = self.browser_settings(case)?;
            let (missing, named) = (settings.missing(), Spec::Browser(Some(settings.launch.engine)));
            if !self.settings.goes_on {
                self.open_devices.browser().begin(settings);
            }
            let (registry, driver) = self.open_devices.open(&named, manner, &case.project.root).await?;
            return Ok((registry, missing.map_or(driver, Err)));
        }
        if let Some(spec) = spec {
            return self.open_devices.open(&spec, manner, &case.project.root).await;
        }
        let registry = self.open_devices.ways(manner);
        let driver = registry.open(None, None).await.map_err(|error| unnamed(&error))?;
        Ok((registry, Ok(driver)))
    }

    /// Reads how devices are driven, as the command line, the config and the project say.
    fn manner(&self, case: &TestCase, adb_server: String) -> Result<Manner, Failure> {
        let usual = Manner::by(&self.devices.ways);
        let ios = ios::Options { start: case.project.wda_start.clone(), ..ios::Options::default() };
        let config = self.config(case);
        let written = config.map_or_else(|| Ok(Written::default()), DeviceConfig::uia2)?;
        let agent = config.map_or(Ok(None), DeviceConfig::agent)?;
        Ok(Manner {
            adb_server,
            uia2: self.settings.uia2.decide(written, browser::folder_of(case))?,
            ios: match config {
                Some(config) => config.ios(ios)?,
                None => ios,
            },
            harmony: harmony::Options { agent, ..usual.harmony },
        })
    }

    /// Returns what the command line, the testcase's config or the project names, in this order, and the adb server.
    pub(super) fn choice(&self, case: &TestCase) -> Result<(Option<Spec>, String), Failure> {
        let server = self.devices.ways.adb_server.clone();
        if let Some(spec) = &self.devices.device {
            return Ok((Some(spec.clone()), server));
        }
        let named = case.config.device.as_ref().and_then(|named| named.value.as_str());
        if let Some(named) = named {
            let spec = named.parse().map_err(|error| Failure::usage(format!("{}: {error}", case.file)))?;
            return Ok((Some(spec), server));
        }
        if let Some(config) = self.config(case) {
            let (spec, own_server) = config.spec()?;
            return Ok((Some(spec), own_server.unwrap_or(server)));
        }
        let at = case.project.file.as_deref().unwrap_or("uixt.yaml");
        let of_project = case.project.device.as_deref().map(str::parse::<Spec>).transpose();
        let of_project = of_project.map_err(|error| Failure::usage(format!("{at}: {error}")))?;
        // A case that requires another kind of device than the project's goes to one of those.
        let required = required_device(case)
            .filter(|required| of_project.as_ref().is_none_or(|spec| spec.platform() != required.platform()));
        Ok((required.or(of_project), server))
    }

    /// Refuses testcases that steps refer to whose devices are at another adb server: a case runs with one.
    fn check_referred(&self, case: &TestCase, spec: Option<&Spec>, adb_server: &str) -> Result<(), Failure> {
        for referred in case.cases().into_iter().skip(1) {
            let names_server = |entry: &&DeviceEntry| {
                entry.platform == "android" && entry.options.iter().any(|option| option.key.starts_with("adb_server_"))
            };
            let Some(entry) = device_of(referred).filter(names_server) else { continue };
            let server = DeviceConfig::new(referred, entry, &self.settings.overrides).spec()?.1;
            let Some(server) = server.filter(|server| server != adb_server || spec == Some(&Spec::Phone)) else {
                continue;
            };
            let here = if spec == Some(&Spec::Phone) { "the virtual phone" } else { adb_server };
            return Err(Failure::usage(format!(
                "{}:{}:{}: this testcase's device is at the adb server {server}, and {}, which refers to it, runs at {here}\n  = give both the same `adb_server_host` and `adb_server_port`, or name a device for all: --device android:SERIAL",
                referred.file, entry.place.line, entry.place.column, case.file
            )));
        }
        Ok(())
    }

    /// Returns what a testcase's config says of the device that it names.
    fn config<'a>(&'a self, case: &'a TestCase) -> Option<DeviceConfig<'a>> {
        device_of(case).map(|entry| DeviceConfig::new(case, entry, &self.settings.overrides))
    }

    /// Reads what the config says of its browser, which holds also where the command line or a step names the browser.
    fn browser_settings(&self, case: &TestCase) -> Result<Settings, Failure> {
        browser::of_case(case, &self.settings.overrides, &browser::Given::of(self.devices))
    }

    /// Returns a folder in the report for what a case downloads, made once there is something.
    fn downloads(&self, case: &TestCase) -> PathBuf {
        static CASES: AtomicU32 = AtomicU32::new(1);
        let name = case.path.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("{}-{name}", CASES.fetch_add(1, Ordering::Relaxed));
        let folder = self.settings.reports.join("files/downloads").join(name);
        std::path::absolute(&folder).unwrap_or(folder)
    }

    /// Returns what a case requires that is not there: of browsers the one that it would run in.
    fn unmet(&self, case: &TestCase) -> Result<Option<String>, Failure> {
        for requirement in case.required().into_iter().filter(|word| !case.project.devices.contains_key(*word)) {
            let unmet = match requirement {
                "browser" => match (self.browser_settings(case)?.missing(), Settings::is_named_by_variable()) {
                    // Whoever names one wants that one, and nothing skipped.
                    (Some(error), true) => return Err(Failure::usage(error)),
                    (missing, _) => missing.map(|error| requires::without_browser(&error)),
                },
                other => requires::unmet(other),
            };
            if unmet.is_some() {
                return Ok(unmet);
            }
        }
        Ok(None)
    }
}

/// Returns the kind of device that a case itself requires.
pub(super) fn required_device(case: &TestCase) -> Option<Spec> {
    case.config.requires.iter().find_map(|word| Spec::of_kind(word))
}

/// Returns the kind of device that a case cannot do without: its own word counts before its project's.
pub(super) fn needed_device(case: &TestCase) -> Option<Spec> {
    required_device(case).or_else(|| case.project.requires.iter().find_map(|word| Spec::of_kind(word)))
}

/// Says that a device must be named, and how.
fn unnamed(error: &driver::Error) -> Failure {
    Failure::usage(format!(
        "{error}\n  = name a device: --device android:SERIAL, ios:UDID or harmony:KEY, or --device phone for the virtual phone"
    ))
}

pub(super) fn failure(kind: Kind, message: String) -> result::Failure {
    result::Failure { kind: kind.name().to_owned(), message, details: None }
}

fn sends_requests(case: &TestCase) -> bool {
    let mut sends = false;
    let is_request = |action: &MobileAction| tools::find(&action.method).is_some_and(|tool| tool.name == "request");
    case.each_step(&mut |step| sends |= step.actions().iter().any(is_request));
    sends
}

pub(in crate::cli) fn describe(driver: &dyn Driver) -> result::Device {
    let info = driver.info();
    result::Device { platform: info.platform.to_owned(), serial: info.serial.clone(), name: info.name.clone() }
}

fn on(
    sessions: impl Fn() -> Session + Send + Sync + 'static,
    registry: Arc<Registry>,
    driver: Arc<dyn Driver>,
    begin: impl Fn() + Send + Sync + 'static,
) -> CallerFactory {
    Arc::new(move |earlier| {
        let goes_on = earlier.is_some();
        let session = going_on(sessions(), earlier);
        if !goes_on {
            begin();
            session.select(Arc::clone(&driver));
        }
        Arc::new(Local::new(Arc::clone(&registry), Arc::new(session), Audience::Testcase))
    })
}

/// Returns what makes a case's calls on a device as it is, where an earlier caller stood.
pub(in crate::cli) async fn calls_on(
    settings: &RunSettings,
    case: &TestCase,
    registry: Arc<Registry>,
    earlier: &dyn Caller,
) -> Result<Arc<dyn Caller>, Failure> {
    let (devices, mut none) = (DeviceArgs { device: None, ways: Ways::default() }, Devices::default());
    let planner = Planner { settings, devices: &devices, open_devices: &mut none };
    let site = settings.sites.lock().await.of(&case.project).await?;
    let sessions = planner.sessions(case, site).await?;
    let session = going_on(sessions(), earlier.state());
    Ok(Arc::new(Local::new(registry, Arc::new(session), Audience::Testcase)))
}

/// Returns a session, which goes on where an earlier one was if there is one.
fn going_on(session: Session, earlier: Option<Arc<Carried>>) -> Session {
    match earlier.and_then(|earlier| earlier.downcast::<SessionState>().ok()) {
        Some(earlier) => session.going_on(earlier),
        None => session,
    }
}

/// Tells whether any of a case's calls has to do with devices.
pub(super) fn uses_devices(case: &TestCase) -> bool {
    let mut found = false;
    case.each_step(&mut |step| found |= step.screenshot || step.closes_popups);
    case.each_action(&mut |action| {
        found |= tools::find(&action.method).is_none_or(|tool| tool.uses_devices);
    });
    found
}

/// Returns the models that a case names, at the addresses that `--env-file`, the project's `.env` or the environment say.
pub(in crate::cli) fn models(case: &TestCase, overrides: &Overrides) -> Models {
    let own = overrides.environs.clone();
    let of_project = case.project.environs.clone();
    Models::new(case.config.ai_options.clone(), move |name| {
        own.get(name).or_else(|| of_project.get(name)).cloned().or_else(|| std::env::var(name).ok())
    })
}
