//! testcases/ is documentation that must hold: every tool has a sample there, which passes, and does not where the tool does
//! nothing. Samples that need Python say so (`requires`) and are skipped by the program where it is missing; here it must be
//! there. What must fail stands in tests/counter, with the kind of error that it must fail with.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use tokio::task::JoinSet;
use uixt::phone;
use uixt::phone::apps::live::{Effect, LivePage};
use uixt::phone::apps::{self, AppDefinition};
use uixt::phone::system::System;
use uixt::result::Outcome;
use uixt::runner::Options;
use uixt::testcase::TestCase;
use uixt::tools::{self};

use crate::support::Test;
use crate::support::sample_runs::{
    FAR, HONEST, MODELS, Story, assert_none, folder, is_assertion, load, namesake, nobody, options, run_all,
    run_by_server, run_on, several, stem,
};

#[test]
fn every_tool_has_a_sample_and_every_assertion_a_counter_sample() {
    let stems = |name: &str| load(name).iter().map(stem).collect::<BTreeSet<_>>();
    // Those of pages run in a browser: see page.rs.
    let both = |phone: &str, page: &str| -> BTreeSet<String> { stems(phone).union(&stems(page)).cloned().collect() };
    // Those of iPhones alone are run by `the_program_agrees`.
    let samples = &both("testcases/tools", "testcases/web/tools") | &stems("testcases/ios/tools");
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
    // Those of Trouble, which use no other tools, are run by `the_program_agrees`.
    let of_phone = |case: &TestCase| {
        !matches!(case.project.device.as_deref(), Some("browser" | "iphone"))
            && !case.path.components().any(|part| part.as_os_str() == "trouble")
    };
    let cases: Vec<TestCase> = load("testcases").into_iter().filter(of_phone).collect();
    assert!(cases.len() > load("testcases/tools").len(), "{} samples", cases.len());
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
        let large = ["cookbook", "tools", "trouble", "web"]
            .into_iter()
            .find(|name| file.starts_with(folder("testcases").join(name)));
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
