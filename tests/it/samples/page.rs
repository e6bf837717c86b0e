//! testcases/web/ is documentation that must hold: every tool for pages has a sample there, which passes in Chromium, and does not
//! where the tool does nothing. What must fail stands in `tests/counter_web`.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::join_all;
use uixt::driver::Registry;
use uixt::driver::browser::{Engine, Launch, Platform, Settings};
use uixt::result::Outcome;
use uixt::runner::Options;
use uixt::site::Site;
use uixt::testcase::TestCase;
use uixt_toolkit::Session;

use crate::support::counterparts::program;
use crate::support::sample_runs::{
    HONEST, Story, assert_none, folder, is_assertion, load, namesake, nobody, options, run_with, stem,
};
use crate::support::{Test, shell};

/// What a step says that comes upon a dialog which its tool should have answered.
const IN_THE_WAY: &str = "a dialog of the page is open";

/// How many browsers run cases at once: most of their time they wait.
const BROWSERS: usize = 4;

/// Runs cases in a few browsers, each with a profile of its own; `idle` names the tool that does nothing in each.
async fn run_all(cases: Vec<TestCase>, idle: fn(&TestCase) -> Option<String>, options: Options) -> Vec<Story> {
    run_by(&Settings::default(), cases, idle, options).await
}

/// Does the same in a browser that is started and driven as settings ask.
async fn run_by(
    settings: &Settings,
    cases: Vec<TestCase>,
    idle: fn(&TestCase) -> Option<String>,
    options: Options,
) -> Vec<Story> {
    program("chromium");
    let site = Site::start(&folder("tests/site")).await.expect("a site");
    let mut hands: Vec<Vec<TestCase>> = vec![Vec::new(); BROWSERS];
    cases.into_iter().enumerate().for_each(|(at, case)| hands[at % BROWSERS].push(case));
    let runs = hands.into_iter().map(|cases| run_in_one(settings, site.address(), cases, idle, &options));
    join_all(runs).await.into_iter().flatten().collect()
}

/// Parts of the names of samples that need a fresh profile, or leave one behind that others would meet.
const OWN_PROFILE: [&str; 8] = ["tab", "cookie", "storage", "session", "page_info", "forward", "back", "login"];

fn needs_own_profile(case: &TestCase) -> bool {
    OWN_PROFILE.iter().any(|part| stem(case).contains(part))
}

/// Runs cases one after the other in a browser of their own. Where none of their tools is idle, those that can share a profile.
async fn run_in_one(
    settings: &Settings,
    site: &str,
    cases: Vec<TestCase>,
    idle: fn(&TestCase) -> Option<String>,
    options: &Options,
) -> Vec<Story> {
    let platform = Platform::default();
    let registry = Arc::new(Registry::new(vec![Box::new(platform.clone())]));
    let mut stories = Vec::new();
    let (own, shared): (Vec<_>, Vec<_>) =
        cases.into_iter().partition(|case| idle(case).is_some() || needs_own_profile(case));
    let first_of_shared = shared.first().map(stem);
    for case in shared.into_iter().chain(own) {
        if first_of_shared.as_ref() == Some(&stem(&case)) || idle(&case).is_some() || needs_own_profile(&case) {
            platform.begin(settings.clone());
        }
        let session = Session::on(platform.browser(Engine::Chrome)).with_site(Some(site.to_owned()));
        let idle = idle(&case);
        stories.push(run_with(Arc::clone(&registry), session, case, idle, options.clone()).await);
    }
    platform.browser(Engine::Chrome).close().await;
    stories
}

#[tokio::test(flavor = "multi_thread")]
async fn samples_of_pages_pass() {
    // The browser that has windows; other tests use its headless shell, where that is installed.
    let launch = Launch { binary: Some(program("chromium")), ..Launch::default() };
    let settings = Settings { launch, ..Settings::default() };
    let stories = run_by(&settings, load("testcases/web/tools"), nobody, options()).await;
    let wrong = stories.iter().filter(|story| story.outcome != Outcome::Passed).map(Story::summary);
    assert_none(&wrong.collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn samples_of_pages_pass_by_webdriver() {
    let driver = Some(program("chromedriver"));
    for plain_webdriver in [true, false] {
        // The shell starts in a third of the time; Chromium itself is driven so by tests of the browser and of its operations.
        let binary = shell().map(PathBuf::from);
        let launch = Launch { driver: driver.clone(), plain_webdriver, binary, ..Launch::default() };
        let settings = Settings { launch, ..Settings::default() };
        // WebDriver tells no local storage of a profile.
        let is_told = |case: &TestCase| !plain_webdriver || stem(case) != "save_storage_state";
        let cases = load("testcases/web/tools").into_iter().filter(is_told).collect();
        let stories = run_by(&settings, cases, nobody, options()).await;
        let wrong = stories.iter().filter(|story| story.outcome != Outcome::Passed).map(Story::summary);
        assert_none(&wrong.collect::<Vec<_>>());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sample_of_pages_does_not_pass_where_its_tool_does_nothing() {
    let cases = load("testcases/web/tools").into_iter().filter(|case| !is_assertion(&stem(case)));
    let stories = run_all(cases.collect(), namesake, options()).await;
    let honest = |story: &Story| {
        let first = story.acts().into_iter().find_map(|act| act.error);
        first.is_some_and(|(kind, message)| HONEST.contains(&kind.as_str()) || message.contains(IN_THE_WAY))
    };
    let wrong = stories.iter().filter(|story| story.outcome < Outcome::Failed || !honest(story)).map(Story::summary);
    assert_none(&wrong.collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn counter_samples_of_pages_fail_at_every_step_and_with_the_right_error() {
    let going_on = Options { continue_on_failure: true, ..options() };
    let stories = run_all(load("tests/counter_web"), nobody, going_on).await;
    let mut wrong = Vec::new();
    for act in stories.iter().flat_map(Story::acts) {
        let expected = act.step.split_once(": ").map(|(kind, _)| kind);
        let actual = act.error.as_ref().map(|(kind, _)| kind.as_str());
        if expected != actual || (expected.is_some() && act.outcome != Outcome::Failed) {
            wrong.push(format!("`{}`: {:?}", act.step, act.error));
        }
    }
    assert_none(&wrong);
    assert!(stories.len() > 2, "{} counter-samples", stories.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn counter_samples_of_pages_fail_because_of_their_tool() {
    let stories = run_all(load("tests/counter_web"), namesake, options()).await;
    let wrong = stories.iter().filter(|story| story.outcome != Outcome::Passed).map(Story::summary);
    assert_none(&wrong.collect::<Vec<_>>());
}

#[test]
fn the_program_serves_the_site_and_runs_what_pages_do() {
    program("chromium");
    // Those of one tool each run by `samples_of_pages_pass`, too; here some of them stand for all.
    let is_whole = |case: &TestCase| !case.file.contains("/tools/") || stem(case).starts_with("open");
    let cases = load("testcases/web").into_iter().filter(is_whole);
    let paths: Vec<String> = cases.map(|case| case.path.display().to_string()).collect();
    assert!(paths.len() > 5, "{paths:?}");
    let paths = paths.iter().map(String::as_str);
    let arguments: Vec<&str> = ["run", "--no-skip", "--report-dir", "r"].into_iter().chain(paths).collect();
    let test = Test::new(&arguments);
    let output = test.command().env_remove("UIXT_BROWSER").output().expect("the program starts");
    test.ran(&output).code(0);
}

#[test]
fn without_a_browser_pages_are_skipped_or_refused() {
    let case = folder("testcases/web/tools/forward.yaml").display().to_string();
    let without = |more: &[&str]| {
        let arguments = [&["run", &case, "--report-dir", "r"], more].concat();
        let test = Test::new(&arguments);
        let output = test.command().env("PATH", test.path("")).env("UIXT_BROWSER", "none").output();
        test.ran(&output.expect("the program starts"))
    };
    without(&[]).code(0).says("requires browser");
    without(&["--no-skip"]).code(3).says("requires browser");
}

#[test]
fn what_is_for_pages_says_so_on_a_phone() {
    for (step, said) in [
        ("forward:", "history"),
        ("list_tabs:", "no tabs"),
        ("hover: Shop", "no mouse"),
        ("secondary_click: [0.5, 0.5]", "no mouse"),
        ("select_option: [A, B]", "<select>"),
        ("accept_dialog:", "dialogs of pages"),
        ("evaluate: 1", "no scripts in pages"),
        ("get_cookies:", "cookies"),
        ("get_attribute: [Shop, href]", "attributes"),
        ("assert_url: /a", "address"),
        ("wait_for: {idle: true}", "requests"),
        ("screenshot: {full_page: true}", "more than its screen"),
        ("open_url: /a", "serve: FOLDER"),
    ] {
        let case = format!("config: {{name: c}}\nteststeps:\n- {step}\n");
        let ran = Test::new(&["run", "a.yaml", "--device", "phone", "--report-dir", "r"]).file("a.yaml", case).run();
        let told = format!("{}{}", ran.stdout, ran.stderr);
        assert!(told.contains(said), "{step}: {told}");
        assert!(ran.code == Some(3) || ran.code == Some(2), "{step}: {:?}", ran.code);
    }
}

#[test]
fn the_recipes_for_pages_pass() {
    let recipes = folder("testcases/cookbook/web").display().to_string();
    let test = Test::new(&["run", &recipes, "-j", "2", "--report-dir", "out"]);
    let output = test.web_command().output().expect("it starts");
    let ran = test.ran(&output).code(0);
    let totals = ran.json("out/summary.json")["totals"].clone();
    assert_eq!(totals["skipped"], 0, "{totals}");
}
