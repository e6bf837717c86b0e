//! Testcases run one by one in this process, each on a phone of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uixt::driver::android::uia2;
use uixt::driver::{Registry, android, harmony, ios};
use uixt::functions::Functions;
use uixt::mcp::client::{Config, Owner, Servers};
use uixt::result::{Entry, Event, Outcome};
use uixt::runner::journal::Journal;
use uixt::runner::{self, Deviceless, Options, Plan, Planned, Screenshots, Sink, Worker};
use uixt::testcase::{Overrides, TestCase};
use uixt::tools::{self, Audience, Local};
use uixt::{adb, phone};
use uixt_call::{Boxed, Call, CallToolRequest, CallToolResult, Caller, Content, Exposure, ToolDefinition};
use uixt_toolkit::{OtherServers, Session};
use uixt_tools_ui::DataFile;

/// Phones at a time; a case waits most of its time, so that more of them than cores are no loss.
const PHONES: usize = 12;

/// Longest time that a case may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(6);

/// Tools that go to the internet, which samples do without: see `screen/refs_and_indexes.rs` and `sandbox/packages.rs`.
pub(crate) const FAR: &[&str] = &["browser_search_google", "microsandbox_install_package"];

/// Tools that ask a model: see `ai/steps_in_words.rs`.
pub(crate) const MODELS: &[&str] = &[
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
    let vocabulary = uixt::cli::vocabulary();
    uixt::testcase::load(&[folder(name)], &vocabulary, &Overrides::default())
        .unwrap_or_else(|errors| panic!("{}", errors.iter().map(|error| error.render(false)).collect::<String>()))
}

pub(crate) fn stem(case: &TestCase) -> String {
    case.path.file_stem().expect("a file has a name").to_string_lossy().into_owned()
}

/// Answers for one tool that all went well, and does nothing; other calls go through. What comes after it waits no longer than it
/// takes to see that nothing was done.
pub(crate) struct Idle {
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
pub(crate) struct Fits(Local);

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

/// Runs a case on an iPhone.
pub(crate) async fn run_on_iphone(iphone: &phone::Iphone, case: TestCase) -> Story {
    let registry = Arc::new(Registry::new(vec![Box::new(ios::Platform::new(ios::Options::default()))]));
    let address = format!("http://{}", iphone.address());
    let driver = registry.open(Some("ios"), Some(&address)).await.expect("the iPhone is there");
    run_with(registry, Session::on(driver), case, None, options()).await
}

/// Runs a case on a HarmonyOS phone.
pub(crate) async fn run_on_harmony(phone: &phone::HarmonyPhone, case: TestCase) -> Story {
    let server = Some(phone.address().to_string());
    let platform = harmony::Platform::new(&harmony::Options { server, ..harmony::Options::default() });
    let registry = Arc::new(Registry::new(vec![Box::new(platform)]));
    let driver = registry.open(Some("harmony"), None).await.expect("the phone is there");
    run_with(registry, Session::on(driver), case, None, options()).await
}

/// Runs a case on a phone of its own that is looked at and touched by the UiAutomator2 server.
pub(crate) async fn run_by_server(case: TestCase) -> Story {
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
    // This is a test, which puts up no walls.
    uixt_sandbox::set_program(env!("CARGO_BIN_EXE_uixt").into());
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
pub(crate) async fn run_all(
    cases: Vec<TestCase>,
    idle: fn(&TestCase) -> Option<String>,
    options: Options,
) -> Vec<Story> {
    several(cases, |case| {
        let idle = idle(&case);
        run(case, idle, options.clone())
    })
    .await
}

pub(crate) async fn several<F>(cases: Vec<TestCase>, run: impl Fn(TestCase) -> F) -> Vec<Story>
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
