//! A goal, its testcase, and the phones on which it is reached.

use tokio::task::spawn_blocking;
use uixt::phone::Phone;
use uixt::phone::apps::{self, AppDefinition};
use uixt::phone::system::{Options, System};

use crate::support::model::{Model, purchase};
use crate::support::{Ran, Test};

pub(crate) const GOAL: &str = "config: {name: Goal, variables: {user: alice, password: secret123}}
teststeps:
- start_to_goal: Log in as $user ($password) and put green tea into the cart
";

pub(crate) type Variables = [(&'static str, String)];

/// Runs the testcase of a folder: without a model where no variables lead to one.
pub(crate) async fn run(test: Test, variables: &Variables) -> Ran {
    let mut command = test.command();
    if command.get_args().any(|argument| argument == "browser") {
        command.env_remove("UIXT_BROWSER");
    }
    command.env_remove("CI").envs(variables.iter().map(|(name, value)| (*name, value)));
    let output = spawn_blocking(move || command.output().expect("it starts")).await.expect("an end");
    test.ran(&output)
}

/// A phone with apps of its own.
pub(crate) async fn phone(apps: &[AppDefinition]) -> Phone {
    let phone = Phone::start(Options::default(), 0).await.expect("a phone starts");
    *phone.system().lock().await = System::with_apps(Options::default(), apps).await.expect("apps that can be read");
    phone
}

/// The arguments that run the goal on a phone.
pub(crate) fn on(phone: &Phone, more: &[&str]) -> Vec<String> {
    let (server, report) = (phone.address().to_string(), format!("r{}", uuid()));
    let arguments =
        ["run", "goal.yaml", "--device", "android:uixt-phone", "--adb-server", &server, "--report-dir", &report];
    arguments.iter().chain(more).map(|argument| (*argument).to_owned()).collect()
}

fn uuid() -> usize {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

pub(crate) fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

pub(crate) fn report(arguments: &[String]) -> &str {
    let at = arguments.iter().position(|argument| argument == "--report-dir").expect("a folder");
    &arguments[at + 1]
}

/// Returns the phone's apps with a text of one of their pages changed.
pub(crate) fn with_text(page: &str, from: &str, to: &str) -> Vec<AppDefinition> {
    with_texts(&[[page, from, to]])
}

/// Returns the phone's apps with texts of their pages changed: of each the page, and what stands there and is to stand there.
pub(crate) fn with_texts(changes: &[[&str; 3]]) -> Vec<AppDefinition> {
    let mut apps = apps::all();
    for [page, from, to] in changes {
        let id = format!("\"instance_id\": \"{page}\"");
        let mut changed = 0;
        for text in apps.iter_mut().flat_map(|app| app.instances.iter_mut()).filter(|text| text.contains(&id)) {
            assert!(text.contains(from), "{page} has no {from}");
            *text = text.replace(from, to).leak();
            changed += 1;
        }
        assert_eq!(changed, 1, "{page}");
    }
    apps
}

/// Reaches the goal once with the model, so that it is stored.
pub(crate) async fn stored() -> Ran {
    let phone = phone(&apps::all()).await;
    let (model, variables) = Model::start(purchase()).await;
    let arguments = on(&phone, &[]);
    let ran = run(Test::new(&words(&arguments)).file("goal.yaml", GOAL), &variables).await.code(0);
    assert!(model.plays().script.is_empty(), "all was played");
    ran
}
