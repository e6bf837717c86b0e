//! What the studio has done here: testcases are read, and run on the device that is on show.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use uixt_call::{Boxed, Call, CallToolRequest, Caller};
use uixt_studio::{Decision, Goal, Observer, Wish, Workshop};
use uixt_toolkit::Session;
use uixt_tools_ai::{Guard, StoredGoals};
use uixt_tools_ui::DataFile;

use super::goals::Heard;
use super::{history, review};
use crate::cli::data;
use crate::cli::device::devices::Devices;
use crate::cli::device::spec::{DeviceArgs, Spec};
use crate::cli::device::uia2::Uia2Args;
use crate::cli::exit::{Exit, Failure};
use crate::cli::mcp::servers::{CalledArgs, Known};
use crate::cli::report;
use crate::cli::run::named_devices::NamedDevices;
use crate::cli::run::outcomes::Outcomes;
use crate::cli::run::plan::{self, RunSettings};
use crate::cli::run::pool::{self, PoolArgs, Slot};
use crate::cli::run::sites::Sites;
use crate::cli::run::{results_folder, run_hooks};
use crate::cli::testcases::{lints, loading, messages};
use crate::cli::vocabulary;
use crate::driver::{Driver, Registry};
use crate::functions::Functions;
use crate::result::{Event, Outcome};
use crate::runner::journal::Journal;
use crate::runner::{self, Keep, Options, Plan, Planned, Screenshots, Sink, Stepwise, Worker};
use crate::testcase::{self, Error, Overrides, Project, Scope, TestCase};
use crate::tools::{self, Audience, Local};

/// Where texts are read, and what stands in a testcase that has nothing of its own.
const BLANK: &str = "teststeps:\n- log: x\n";

/// A device that is open.
pub(super) struct Bench {
    pub(super) registry: Arc<Registry>,
    pub(super) driver: Arc<dyn Driver>,
    /// Makes calls on the device as it is.
    pub(super) caller: Arc<dyn Caller>,
    devices: DeviceArgs,
    open_devices: Arc<Mutex<Devices>>,
    /// The variables of a testcase whose steps were run one by one.
    scopes: Mutex<HashMap<PathBuf, Scope>>,
}

/// Devices that are open, and how testcases run on them.
pub(super) struct Benches {
    pub(super) opened: Vec<Bench>,
    pub(super) project: Arc<Project>,
    servers: CalledArgs,
    overrides: Overrides,
    uia2: Uia2Args,
    /// What the project serves, for as long as the studio is open.
    sites: Arc<Mutex<Sites>>,
    /// The servers that steps have called one by one.
    called: Arc<Mutex<Known>>,
}

impl Benches {
    /// Begins without a device, for a project.
    pub(super) fn new(project: Arc<Project>, uia2: &Uia2Args, (servers, overrides): (CalledArgs, Overrides)) -> Self {
        let (opened, sites, called) = Default::default();
        Self { opened, project, servers, overrides, uia2: uia2.clone(), sites, called }
    }

    /// Opens a device; `number` tells it from others of its kind, from 0.
    pub(super) async fn open(&mut self, devices: DeviceArgs, number: usize) -> Result<(), Failure> {
        let mut open_devices = Devices::numbered(number);
        let (registry, session) = open_devices.session(&devices, &self.uia2).await?;
        let driver = if let Some(driver) = session.selected() {
            driver
        } else {
            let spec = devices.device.as_ref();
            registry.open(spec.map(Spec::platform), None).await.map_err(|error| {
                let help = "name a device: --device phone, --device browser, --device android:SERIAL";
                Failure::usage(format!("{error}\n  = {help}"))
            })?
        };
        session.select(Arc::clone(&driver));
        let session = self.furnished(session).await?;
        let caller = Arc::new(Local::new(Arc::clone(&registry), Arc::new(session), Audience::Testcase));
        let open_devices = Arc::new(Mutex::new(open_devices));
        self.opened.push(Bench { registry, driver, caller, devices, open_devices, scopes: Mutex::default() });
        Ok(())
    }

    /// Gives a session what the project has.
    async fn furnished(&self, session: Session) -> Result<Session, Failure> {
        let root = &self.project.root;
        let path = root.join("step");
        let blank =
            blank((root, &path), &self.project, &self.overrides).map_err(|errors| messages::failure(&errors))?;
        Ok(session
            .with_site(self.sites.lock().await.of(&self.project).await?)
            .in_folder(root)
            .with_functions(Functions::of_project(root))
            .with(DataFile(data::file(root)))
            .with(Guard::default())
            .with(plan::models(&blank, &self.overrides)))
    }

    /// Has a model reach a goal.
    async fn goal(&self, goal: Goal, stop: CancellationToken) -> Result<String, Failure> {
        let bench = self.bench(goal.device)?;
        let session = self.furnished(Session::on(Arc::clone(&bench.driver))).await?;
        let session = session.with(StoredGoals(Some(Arc::new(Heard(goal.hears)))));
        let caller = Local::new(Arc::clone(&bench.registry), Arc::new(session), Audience::Testcase);
        let arguments = Map::from_iter([("goal".to_owned(), goal.words.into())]);
        let mut request = CallToolRequest::new("start_to_goal").with_arguments(arguments);
        request.options.testcase = Some(PathBuf::from("studio.yaml"));
        let result = caller.call(request, Call::until(stop)).await;
        let told = result.structured_content.as_ref().and_then(|told| told.get("message")?.as_str());
        let message = told.unwrap_or_default().to_owned();
        if result.is_failure() { Err(Failure::rendered(Exit::Errored, message)) } else { Ok(message) }
    }

    /// Ends what runs on the devices.
    pub(super) async fn close(&self) {
        for bench in &self.opened {
            bench.open_devices.lock().await.close().await;
        }
        self.called.lock().await.close().await;
    }

    fn bench(&self, device: usize) -> Result<&Bench, Failure> {
        let none = || Failure::usage("there is no device to run on: start the studio with one, such as --device phone");
        self.opened.get(device).ok_or_else(none)
    }

    /// Reads testcases that can run here.
    fn load(&self, wish: &Wish, overrides: &Overrides) -> Result<Vec<TestCase>, Failure> {
        let cases =
            loading::load(&wish.paths, overrides, &self.servers).map_err(|errors| messages::failure(&errors))?;
        let unset = loading::unset(&cases, overrides);
        if unset.is_empty() { Ok(cases) } else { Err(messages::failure(&unset)) }
    }

    fn options(overrides: Overrides) -> Options {
        Options {
            screenshots: Screenshots::Step,
            evidence: Keep::All,
            overrides,
            device_is_named: true,
            ..Options::new(tools::table())
        }
    }

    /// Runs testcases as `uixt run` does, on the device made ready for each.
    async fn whole(&self, wish: Wish, observer: Observer, stop: CancellationToken) -> Result<Outcome, Failure> {
        let bench = self.bench(wish.device)?;
        let overrides = self.overrides_with(&wish);
        let mut cases = self.load(&wish, &overrides)?;
        let hooks = run_hooks::load(&mut cases, &overrides, &self.servers)?;
        bench.scopes.lock().await.retain(|path, _| !wish.paths.iter().any(|wished| path.ends_with(wished)));
        let outcomes = Outcomes::of(&cases);
        let folder = &wish.folder;
        let servers = self.servers.clone();
        let settings = RunSettings::usual(self.uia2.clone(), servers, overrides.clone(), folder.clone());
        let settings = Arc::new(RunSettings { sites: Arc::clone(&self.sites), ..settings });
        let slot = Slot::on(&settings, bench.devices.clone(), Arc::clone(&bench.open_devices));
        let (cases, hooks, slots) = PoolArgs::plan_on(vec![Arc::new(slot)], cases, hooks).await?;
        let workers = slots.iter().map(|slot| Arc::clone(slot) as Arc<dyn Worker>).collect();
        let paths = wish.paths.iter().map(|path| testcase::shown_path(path)).collect();
        let plan = Plan { paths, cases, around: hooks, workers, ..Plan::default() };
        let journal = Journal::create(folder).map_err(Failure::errored)?;
        let sink = Sink::new(journal, vec![observer]);
        let ended = runner::run(plan, Self::options(overrides), sink, stop).await;
        let trend = outcomes.as_ref().map(|outcomes| outcomes.trend(folder)).unwrap_or_default();
        let run = report::rebuild(folder, &crate::report::Options { trend, ..Default::default() });
        if let (Some(outcomes), Ok(run)) = (&outcomes, &run) {
            outcomes.keep(folder, run, false);
        }
        settings.servers.1.lock().await.close().await;
        run?;
        Ok(ended.map_err(Failure::errored)?.outcome)
    }

    /// Runs some steps of a testcase on the device as it is, with the variables as the last such run left them.
    async fn some(&self, wish: Wish, observer: Observer, stop: CancellationToken) -> Result<Outcome, Failure> {
        let bench = self.bench(wish.device)?;
        let overrides = self.overrides_with(&wish);
        let none = || Failure::usage("no step stands there");
        let loaded = self.load(&wish, &overrides)?.into_iter().next();
        let case = loaded.and_then(|case| some_of(case, wish.lines.unwrap_or((1, u32::MAX)))).ok_or_else(none)?;
        let path = case.path.clone();
        let scope = bench.scopes.lock().await.remove(&path).unwrap_or_else(|| case.scope(&overrides));
        let sink = Sink::new(Journal::create(&wish.folder).map_err(Failure::errored)?, vec![observer]);
        let mut planned = pool::named(std::iter::once(case)).pop().ok_or_else(none)?;
        planned.id = format!("{}#0", planned.id);
        let settings =
            RunSettings::usual(self.uia2.clone(), self.servers.clone(), overrides.clone(), wish.folder.clone());
        let servers = (self.servers.clone(), Arc::clone(&self.called));
        let settings = RunSettings { sites: Arc::clone(&self.sites), servers, ..settings };
        let registry = Arc::clone(&bench.registry);
        let caller = plan::calls_on(&settings, &planned.case, registry, bench.caller.as_ref()).await?;
        let own = plan::describe(bench.driver.as_ref());
        let NamedDevices { devices, browsers } = NamedDevices::of(&planned.case, &own, &overrides, &bench.devices)?;
        let browser = bench.open_devices.lock().await.browser();
        // Those that steps went to before are left as they are.
        for (name, settings) in browsers.into_iter().filter(|(name, is)| !browser.has_named(name, is.launch.engine)) {
            browser.begin_named(&name, settings);
        }
        let mut steps = Stepwise::new(scope, caller, Self::options(overrides), sink).with_devices(devices);
        let told = |steps: &Stepwise, event: Event| steps.emit(event).map_err(Failure::errored);
        for event in beginning(&planned, bench.driver.as_ref()) {
            told(&steps, event)?;
        }
        let (began, interrupted) = (std::time::Instant::now(), stop.clone());
        let outcome = steps.run(&planned, stop).await.map_err(Failure::errored)?;
        let elapsed_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (exports, usage, error) = Default::default();
        told(&steps, Event::CaseFinished { case: planned.id, outcome, elapsed_ms, error, exports, usage })?;
        told(&steps, Event::RunFinished { outcome, elapsed_ms, interrupted: interrupted.is_cancelled() })?;
        bench.scopes.lock().await.insert(path, steps.scope().as_it_stands());
        report::rebuild(&wish.folder, &crate::report::Options::default())?;
        Ok(outcome)
    }

    /// Returns what the command line says, and what was typed secretly while it was recorded.
    fn overrides_with(&self, wish: &Wish) -> Overrides {
        let mut overrides = self.overrides.clone();
        for (name, value) in &wish.secrets {
            overrides.environs.entry(name.clone()).or_insert_with(|| value.clone());
        }
        overrides.seed = overrides.seed.or_else(|| Some(fastrand::u32(..).into()));
        overrides
    }
}

impl Workshop for Benches {
    fn read(&self, path: &Path, text: &str) -> Result<TestCase, Vec<Error>> {
        let vocabulary = vocabulary();
        let project = testcase::project(path.parent().unwrap_or(&self.project.root))?;
        let case = blank((&self.project.root, path), &project, &self.overrides)?;
        let case = testcase::parse_in_place_of(&case, text, &vocabulary, &self.overrides)?;
        let errors = self.servers.check(std::slice::from_ref(&case), &self.overrides);
        if errors.is_empty() { Ok(case) } else { Err(errors) }
    }

    fn warnings(&self, case: &TestCase) -> Vec<String> {
        lints::warnings(case, true)
    }

    fn folder(&self) -> Result<PathBuf, String> {
        results_folder().map_err(|failure| failure.to_string())
    }

    fn run(&self, wish: Wish, observer: Observer, stop: CancellationToken) -> Boxed<'_, Result<Outcome, String>> {
        Box::pin(async move {
            let ended = match wish.lines {
                None => self.whole(wish, observer, stop).await,
                Some(_) => self.some(wish, observer, stop).await,
            };
            ended.map_err(|failure| failure.to_string())
        })
    }

    fn reach(&self, goal: Goal, stop: CancellationToken) -> Boxed<'_, Result<String, String>> {
        Box::pin(async move { self.goal(goal, stop).await.map_err(|failure| failure.to_string()) })
    }

    fn mask(&self, text: &str, line: u32, rect: [f64; 4]) -> Result<String, String> {
        review::masked(text, line, rect)
    }

    fn decide(&self, folder: PathBuf, decision: Decision) -> Boxed<'_, Result<Value, String>> {
        Box::pin(async move {
            let decided = tokio::task::spawn_blocking(move || review::decided(&folder, decision)).await;
            decided.unwrap_or_else(|error| Err(error.to_string()))
        })
    }

    fn cases(&self) -> Boxed<'_, Vec<Value>> {
        let root = self.project.root.clone();
        Box::pin(async move { tokio::task::spawn_blocking(move || history::cases(&root)).await.unwrap_or_default() })
    }
}

/// Returns a testcase of a project that has nothing of its own; it is named from a root.
fn blank((root, path): (&Path, &Path), project: &Arc<Project>, overrides: &Overrides) -> Result<TestCase, Vec<Error>> {
    let shown = testcase::shown_path(path.strip_prefix(root).unwrap_or(path));
    let blank = testcase::parse(&shown, BLANK, &vocabulary(), overrides)?;
    Ok(TestCase { path: path.to_path_buf(), project: Arc::clone(project), ..blank })
}

/// Returns a testcase with those of its steps alone that stand in some lines; none where none does.
fn some_of(mut case: TestCase, (from, to): (u32, u32)) -> Option<TestCase> {
    let next: Vec<u32> = case.steps.iter().skip(1).map(|step| step.place.line).collect();
    let mut ends = next.into_iter().map(|line| line.saturating_sub(1)).chain(std::iter::repeat(u32::MAX));
    case.steps.retain(|step| {
        let last = ends.next().unwrap_or(u32::MAX);
        step.place.line <= to && last >= from
    });
    (!case.steps.is_empty()).then_some(case)
}

/// Returns what is told before the steps of a run of one testcase.
fn beginning(planned: &Planned, driver: &dyn Driver) -> [Event; 2] {
    let case = &planned.case;
    let run = Event::RunStarted {
        uixt: env!("CARGO_PKG_VERSION").to_owned(),
        paths: vec![case.file.clone()],
        cases: 1,
        shard: None,
        seed: None,
    };
    let begun = Event::CaseStarted {
        case: planned.id.clone(),
        name: case.config.name.clone(),
        file: case.file.clone(),
        device: Some(plan::describe(driver)),
        tags: Vec::new(),
        steps: u32::try_from(case.steps.len()).unwrap_or(u32::MAX),
    };
    [run, begun]
}
