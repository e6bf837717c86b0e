//! testcases/ is documentation that must hold: every tool has a sample there, which passes, and does not where the tool does
//! nothing. Samples that need Python say so (`requires`) and are skipped by the program where it is missing; here it must be
//! there. What must fail stands in tests/counter, with the kind of error that it must fail with.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uixt::driver::android::uia2;
use uixt::driver::{Registry, android};
use uixt::functions::Functions;
use uixt::mcp::client::{Config, Owner, Servers};
use uixt::phone::apps::live::{Effect, LivePage};
use uixt::phone::apps::{self, AppDefinition};
use uixt::phone::system::System;
use uixt::result::{Entry, Event, Outcome};
use uixt::runner::journal::Journal;
use uixt::runner::{self, Deviceless, Options, Plan, Planned, Screenshots, Sink, Worker};
use uixt::testcase::{Overrides, TestCase, Vocabulary};
use uixt::tools::{self, Audience, DataFile, Local, OtherServers, Session};
use uixt::{adb, phone};
use uixt_call::{Boxed, Call, CallToolRequest, CallToolResult, Caller, Content, Exposure, ToolDefinition};

use super::support::Test;

/// Phones at a time; a case waits most of its time, so that more of them than cores are no loss.
const PHONES: usize = 12;

/// Longest time that a case may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(6);

/// Tools that go to one place of the internet, which samples do without: see `by_ref.rs`.
const FAR: &[&str] = &["browser_search_google"];

/// Tools that ask a model: see `models.rs`.
const MODELS: &[&str] = &[
    "start_to_goal",
    "ai_action",
    "ai_query",
    "ai_assert",
    "locate",
    "browser_use_execute_task",
    "browser_extract_content",
];

/// Kinds that say something of the screen or of the testcase, and nothing of a phone that is out of order.
pub(crate) const HONEST: &[&str] = &["Assertion", "NotFound", "WaitTimeout", "BadArgument"];

pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

pub(crate) fn load(name: &str) -> Vec<TestCase> {
    let vocabulary = Vocabulary { drives: &|_| true, ..uixt::cli::vocabulary() };
    uixt::testcase::load(&[folder(name)], &vocabulary, &Overrides::default())
        .unwrap_or_else(|errors| panic!("{}", errors.iter().map(|error| error.render(false)).collect::<String>()))
}

pub(crate) fn stem(case: &TestCase) -> String {
    case.path.file_stem().expect("a file has a name").to_string_lossy().into_owned()
}

/// Answers for one tool that all went well, and does nothing; other calls go through. What comes after it waits no longer than it
/// takes to see that nothing was done.
struct Idle {
    tool: String,
    was_called: AtomicBool,
    inner: Local,
}

/// Seconds for which targets are waited for that will never come.
const SOON: f64 = 2.5;

impl Caller for Idle {
    fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
        self.inner.list()
    }

    fn call(&self, mut request: CallToolRequest, call: Call) -> Boxed<'_, CallToolResult> {
        if request.name != self.tool {
            let waits = tools::find(&request.name)
                .is_some_and(|tool| tool.needs_device && tool.schema().properties().any(|(name, _)| name == "timeout"));
            if waits && self.was_called.load(Ordering::Relaxed) {
                request.arguments.get_or_insert_default().entry("timeout").or_insert(SOON.into());
            }
            return self.inner.call(request, call);
        }
        self.was_called.store(true, Ordering::Relaxed);
        let answer = json!({"action": self.tool, "success": true, "message": ""});
        let mut result = CallToolResult::success(vec![Content::text(answer.to_string())]);
        result.structured_content = Some(answer);
        Box::pin(async { result })
    }
}

/// Holds every answer to the schema that its tool publishes.
struct Fits(Local);

impl Caller for Fits {
    fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
        self.0.list()
    }

    fn call(&self, request: CallToolRequest, call: Call) -> Boxed<'_, CallToolResult> {
        Box::pin(async move {
            let name = request.name.clone();
            let result = self.0.call(request, call).await;
            let tool = uixt::tools::find(&name).filter(|tool| tool.exposure == Exposure::Everyone);
            if let Some(tool) = tool {
                let schema = serde_json::Value::Object((*uixt::tools::output::schema(tool)).clone());
                let answer = result.structured_content.as_ref().expect("an answer");
                let validator = uixt_schema::Validator::new(&schema, uixt_schema::Draft::V7).expect("a schema");
                let wrong = validator.violations(answer);
                assert!(
                    wrong.is_empty(),
                    "{name}: its answer has other fields than the ANSWER of its row says: {wrong:?}: {answer}"
                );
            }
            result
        })
    }

    fn end(&self) {
        self.0.end();
    }
}

/// What came of a case.
pub(crate) struct Story {
    pub(crate) stem: String,
    pub(crate) outcome: Outcome,
    entries: Vec<Entry>,
}

/// One finished action.
pub(crate) struct Act {
    pub(crate) step: String,
    pub(crate) outcome: Outcome,
    /// Kind and message of its error.
    pub(crate) error: Option<(String, String)>,
}

impl Story {
    pub(crate) fn acts(&self) -> Vec<Act> {
        let mut names = BTreeMap::new();
        let mut acts = Vec::new();
        for entry in &self.entries {
            match &entry.event {
                Event::StepStarted { step, name, .. } => {
                    names.insert(*step, name.clone());
                }
                Event::ActionFinished { step, outcome, error, .. } => acts.push(Act {
                    step: names[step].clone(),
                    outcome: *outcome,
                    error: error.as_ref().map(|error| (error.kind.clone(), error.message.clone())),
                }),
                _ => {}
            }
        }
        acts
    }

    /// Tells how it ended, in a line.
    pub(crate) fn summary(&self) -> String {
        let failed = self.acts().into_iter().find_map(|act| act.error.map(|error| (act.step, error)));
        let why = failed.map(|(step, (kind, message))| format!(" at `{step}`: {kind}: {message}"));
        format!("{} {:?}{}", self.stem, self.outcome, why.unwrap_or_default())
    }
}

/// Runs a case on a phone of its own, with `idle` doing nothing.
async fn run(case: TestCase, idle: Option<String>, options: Options) -> Story {
    let phone = phone::Phone::start(phone::system::Options::default(), 0).await.expect("a phone starts");
    run_on(&phone, case, idle, options).await
}

pub(crate) async fn run_on(phone: &phone::Phone, case: TestCase, idle: Option<String>, options: Options) -> Story {
    let platform = android::Platform::new(adb::Server::new(phone.address().to_string()), None);
    run_by(platform, case, idle, options).await
}

/// Runs a case on a phone of its own that is looked at and touched by the UiAutomator2 server.
async fn run_by_server(case: TestCase) -> Story {
    let phone = phone::Phone::start(phone::system::Options::default(), 0).await.expect("a phone starts");
    let apks = uia2::Apks::in_folder(&folder("tests/uia2/apks")).expect("the server's packages");
    let server = uia2::Options { apks: Some(apks), ..uia2::Options::default() };
    let platform = android::Platform::new(adb::Server::new(phone.address().to_string()), None).by_server(Some(server));
    run_by(platform, case, None, options()).await
}

/// Returns the MCP servers that a case names.
fn servers_of(case: &TestCase) -> Option<Arc<Servers>> {
    let named = case.config.mcp_config_path.as_ref()?;
    let config = Config::read(&case.project.root.join(&named.path), Owner::Project).expect("a good file of servers");
    Some(Arc::new(Servers::new(config)))
}

async fn run_by(platform: android::Platform, case: TestCase, idle: Option<String>, options: Options) -> Story {
    let registry = Arc::new(Registry::new(vec![Box::new(platform)]));
    let driver = registry.open(Some("android"), None).await.expect("the phone is there");
    run_with(registry, Session::on(driver), case, idle, options).await
}

/// Runs a case in a session that has its device.
pub(crate) async fn run_with(
    registry: Arc<Registry>,
    session: Session,
    case: TestCase,
    idle: Option<String>,
    options: Options,
) -> Story {
    let reports = tempfile::tempdir().expect("a temporary folder");
    let root = &case.project.root;
    let session = session.in_folder(root).with_functions(Functions::of_project(root));
    let servers = servers_of(&case);
    let session = session.with(DataFile(Some(reports.path().join("uixt.db"))));
    let session = session.with_reports(reports.path()).with(OtherServers(servers.clone().map(|servers| servers as _)));
    let local = Local::new(registry, Arc::new(session), Audience::Testcase);
    let caller: Arc<dyn Caller> = match idle {
        Some(tool) => Arc::new(Idle { tool, was_called: AtomicBool::new(false), inner: local }),
        None => Arc::new(Fits(local)),
    };
    let stem = stem(&case);
    let planned = Planned {
        id: stem.clone(),
        case,
        refusal: None,
        lane: String::new(),
        own_locks: Vec::new(),
        locks: Vec::new(),
        warnings: Vec::new(),
        secrets: Vec::new(),
    };
    let workers: Vec<Arc<dyn Worker>> = vec![Arc::new(Deviceless(Arc::new(move |_| Arc::clone(&caller))))];
    let plan = Plan { cases: vec![planned], workers, ..Plan::default() };
    let seen = Arc::new(Mutex::new(Vec::new()));
    let watched = Arc::clone(&seen);
    let observer: runner::Observer = Box::new(move |entry| watched.lock().expect("no panic").push(entry.clone()));
    let sink = Sink::new(Journal::create(reports.path()).expect("a journal"), vec![observer]);
    let ended = runner::run(plan, options, sink, CancellationToken::new()).await.expect("the journal is written");
    if let Some(servers) = servers {
        servers.close().await;
    }
    let entries = std::mem::take(&mut *seen.lock().expect("no panic"));
    Story { stem, outcome: ended.outcome, entries }
}

/// Runs cases, several at a time; `idle` names the tool that does nothing in each.
async fn run_all(cases: Vec<TestCase>, idle: fn(&TestCase) -> Option<String>, options: Options) -> Vec<Story> {
    several(cases, |case| {
        let idle = idle(&case);
        run(case, idle, options.clone())
    })
    .await
}

async fn several<F>(cases: Vec<TestCase>, run: impl Fn(TestCase) -> F) -> Vec<Story>
where
    F: Future<Output = Story> + Send + 'static,
{
    let mut waiting = cases.into_iter();
    let mut running = JoinSet::new();
    let mut stories = Vec::new();
    loop {
        while running.len() < PHONES
            && let Some(case) = waiting.next()
        {
            running.spawn(tokio::time::timeout(PATIENCE, run(case)));
        }
        match running.join_next().await {
            Some(story) => stories.push(story.expect("no panic").expect("an end")),
            None => return stories,
        }
    }
}

pub(crate) fn options() -> Options {
    Options { screenshots: Screenshots::Never, ..Options::new(tools::table()) }
}

pub(crate) fn nobody(_: &TestCase) -> Option<String> {
    None
}

#[expect(clippy::unnecessary_wraps, reason = "it stands beside `nobody`")]
pub(crate) fn namesake(case: &TestCase) -> Option<String> {
    Some(stem(case))
}

#[track_caller]
pub(crate) fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

pub(crate) fn is_assertion(tool: &str) -> bool {
    tool.starts_with("assert_")
}

#[test]
fn every_tool_has_a_sample_and_every_assertion_a_counter_sample() {
    let stems = |name: &str| load(name).iter().map(stem).collect::<BTreeSet<_>>();
    // Those of pages run in a browser: see web_samples.rs.
    let both = |phone: &str, page: &str| -> BTreeSet<String> { stems(phone).union(&stems(page)).cloned().collect() };
    let samples = both("testcases/tools", "testcases/web/tools");
    let counters = both("tests/counter", "tests/counter_web");
    let tools: BTreeSet<String> = tools::all().map(|tool| tool.name.to_owned()).collect();
    let sampled: BTreeSet<String> =
        tools.iter().filter(|tool| ![FAR, MODELS].concat().contains(&tool.as_str())).cloned().collect();
    let (missing, vain): (Vec<_>, Vec<_>) =
        (sampled.difference(&samples).collect(), samples.difference(&sampled).collect());
    assert!(missing.is_empty() && vain.is_empty(), "no sample in testcases/tools: {missing:?}; of no tool: {vain:?}");
    let without: Vec<_> = tools.iter().filter(|tool| is_assertion(tool) && !counters.contains(*tool)).collect();
    assert!(without.is_empty(), "no counter-sample in tests/counter: {without:?}");
    assert!(counters.is_subset(&tools), "{counters:?}");
}

#[test]
fn every_sample_uses_its_tool() {
    for case in load("testcases/tools").into_iter().chain(load("testcases/web/tools")) {
        let mut used = BTreeSet::new();
        case.each_action(&mut |action| used.extend(tools::find(&action.method).map(|tool| tool.name)));
        assert!(used.contains(stem(&case).as_str()), "{}", case.file);
        assert!(case.steps.len() <= 14, "{} is no short sample", case.file);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn samples_pass_in_any_order() {
    let of_phone = |case: &TestCase| case.project.device.as_deref() != Some("browser");
    let cases = load("testcases").into_iter().filter(of_phone).collect();
    let stories = run_all(cases, nobody, options()).await;
    let wrong = stories.iter().filter(|story| story.outcome != Outcome::Passed).map(Story::summary);
    assert_none(&wrong.collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_do_the_same_by_the_server() {
    let stories = several(load("testcases/tools"), run_by_server).await;
    let wrong = stories.iter().filter(|story| story.outcome != Outcome::Passed).map(Story::summary);
    assert_none(&wrong.collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sample_does_not_pass_where_its_tool_does_nothing() {
    let cases = load("testcases/tools").into_iter().filter(|case| !is_assertion(&stem(case)));
    let stories = run_all(cases.collect(), namesake, options()).await;
    // It must be the screen or the missing result that tells, not an accident.
    let honest = |story: &Story| {
        let mut errors = story.acts().into_iter().filter_map(|act| act.error);
        errors.next().is_some_and(|(kind, _)| HONEST.contains(&kind.as_str()))
    };
    let wrong = stories.iter().filter(|story| story.outcome < Outcome::Failed || !honest(story)).map(Story::summary);
    assert_none(&wrong.collect::<Vec<_>>());
}

/// Runs a case on a phone whose app Trouble takes no touch.
async fn run_on_a_deaf_app(case: TestCase) -> Story {
    let app = apps::all().into_iter().find(|app| app.package == apps::trouble::PACKAGE).expect("Trouble");
    let pages: Vec<LivePage> =
        app.live.iter().map(|page| LivePage { touch: |_, _, _| Effect::None, ..*page }).collect();
    let app = AppDefinition { live: Box::leak(pages.into_boxed_slice()), ..app };
    let phone = phone::Phone::start(phone::system::Options::default(), 0).await.expect("a phone starts");
    let deaf = System::with_apps(phone::system::Options::default(), &[app]).await.expect("an app");
    *phone.system().lock().await = deaf;
    run_on(&phone, case, None, options()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn troubles_are_found_where_the_app_takes_no_touch() {
    let mut running: JoinSet<Story> = load("testcases/trouble").into_iter().map(run_on_a_deaf_app).collect();
    let mut wrong = Vec::new();
    while let Some(story) = running.join_next().await {
        let story = story.expect("no panic");
        if story.outcome != Outcome::Failed {
            wrong.push(story.summary());
        }
    }
    assert_none(&wrong);
}

#[tokio::test(flavor = "multi_thread")]
async fn counter_samples_fail_at_every_step_and_with_the_right_error() {
    let going_on = Options { continue_on_failure: true, ..options() };
    let stories = run_all(load("tests/counter"), nobody, going_on).await;
    let mut wrong = Vec::new();
    for story in &stories {
        if story.outcome != Outcome::Failed {
            wrong.push(story.summary());
        }
        for act in story.acts() {
            let expected = act.step.split_once(": ").map(|(kind, _)| kind);
            let actual = act.error.as_ref().map(|(kind, _)| kind.as_str());
            if expected != actual || (expected.is_some() && act.outcome != Outcome::Failed) {
                wrong.push(format!("{} at `{}`: {:?}", story.stem, act.step, act.error));
            }
        }
    }
    assert_none(&wrong);
}

#[tokio::test(flavor = "multi_thread")]
async fn counter_samples_fail_because_of_their_tool() {
    let stories = run_all(load("tests/counter"), namesake, options()).await;
    let wrong = stories.iter().filter(|story| story.outcome != Outcome::Passed).map(Story::summary);
    assert_none(&wrong.collect::<Vec<_>>());
}

#[test]
fn the_program_agrees() {
    // Side by side, since most of them wait.
    let files: BTreeSet<PathBuf> = load("testcases").iter().map(|case| folder("testcases").join(&case.path)).collect();
    let mut parts = BTreeMap::<&str, Vec<PathBuf>>::new();
    for file in files {
        let large =
            ["tools", "trouble", "web"].into_iter().find(|name| file.starts_with(folder("testcases").join(name)));
        parts.entry(large.unwrap_or_default()).or_default().push(file);
    }
    assert!(parts.len() > 3, "{parts:?}");
    std::thread::scope(|scope| {
        for part in parts.into_values() {
            scope.spawn(move || {
                let paths: Vec<String> = part.iter().map(|path| path.display().to_string()).collect();
                let arguments: Vec<&str> = ["run"].into_iter().chain(paths.iter().map(String::as_str)).collect();
                Test::new(&arguments).run().code(0);
            });
        }
    });
}

#[test]
fn the_program_exits_with_1_for_each_counter_sample() {
    std::thread::scope(|scope| {
        for case in load("tests/counter") {
            scope.spawn(move || {
                Test::new(&["run", &case.path.display().to_string(), "--screenshots", "never"]).run().code(1);
            });
        }
    });
}
