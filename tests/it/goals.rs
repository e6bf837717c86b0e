//! Goals that were reached are stored beside their testcase and replayed without a model; what no longer fits is mended by one, and
//! said to be.

use std::time::Instant;

use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use uixt::phone::Phone;
use uixt::phone::apps::{self, AppDefinition};
use uixt::phone::system::{Options, System};

use crate::models::{Does, Model, purchase};
use crate::support::{Ran, Test, items};

pub(crate) const GOAL: &str = "config: {name: Goal, variables: {user: alice, password: secret123}}
teststeps:
- start_to_goal: Log in as $user ($password) and put green tea into the cart
";

type Variables = [(&'static str, String)];

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

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

fn report(arguments: &[String]) -> &str {
    let at = arguments.iter().position(|argument| argument == "--report-dir").expect("a folder");
    &arguments[at + 1]
}

/// Returns the Shop with a text of one of its pages changed.
pub(crate) fn with_text(page: &str, from: &str, to: &str) -> Vec<AppDefinition> {
    let mut apps = apps::all();
    let id = format!("\"instance_id\": \"{page}\"");
    let mut changed = 0;
    for text in apps.iter_mut().flat_map(|app| app.instances.iter_mut()).filter(|text| text.contains(&id)) {
        assert!(text.contains(from), "{page} has no {from}");
        *text = text.replace(from, to).leak();
        changed += 1;
    }
    assert_eq!(changed, 1, "{page}");
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

/// Returns the one action of a run.
fn action(ran: &Ran, arguments: &[String]) -> Value {
    let journal = ran.read(&format!("{}/journal.jsonl", report(arguments)));
    let line = journal.lines().find(|line| line.contains("\"start_to_goal\"") && line.contains("action_finished"));
    serde_json::from_str(line.expect("an action")).expect("JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_goal_is_replayed_without_a_model() {
    let ran = stored().await;
    let file = ran.read("goal.goals.yaml");
    println!("{file}");
    assert!(file.contains("goal: Log in as $user ($password) and put green tea into the cart"), "{file}");
    assert!(file.contains("text: $password") && !file.contains("secret123"), "{file}");

    // Another user of the same name: what the variables hold is no matter.
    let phone = phone(&apps::all()).await;
    let arguments = on(&phone, &["--ai-cache", "only"]);
    let began = Instant::now();
    let ran = run(ran.test(&words(&arguments)), &[]).await.code(0);
    println!("replayed in {:?}", began.elapsed());
    let action = action(&ran, &arguments);
    assert!(action["message"].as_str().expect("a text").starts_with("Replayed in 6 steps"), "{action}");
    assert_eq!(action["usage"], Value::Null, "no model was asked");
    assert_eq!(ran.read("goal.goals.yaml"), file, "what is stored stays");

    let arguments = on(&phone, &["--ai-cache", "off"]);
    let ran = run(ran.test(&words(&arguments)), &[]).await.code(3).says("set OPENAI_BASE_URL");
    // A goal that is not stored cannot be replayed.
    let other = GOAL.replace("green tea", "black tea");
    let arguments = on(&phone, &["--ai-cache", "only"]);
    let test = ran.test(&words(&arguments)).file("goal.yaml", other);
    run(test, &[]).await.code(3).says("the goal is not stored");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_changed_is_mended_by_one_call_and_said() {
    let finished = || Does::Calls("finished", json!({"content": "Green tea is in the cart"}));
    let id = (
        "\"id\": \"add_to_cart\", \"label\": \"Add to cart\"",
        "\"id\": \"put_into_cart\", \"label\": \"Put into cart\"",
    );
    for (page, from, to, does, step, was, now) in [
        // The element is there by its id; only what the screens show is judged, at the end.
        ("shop_login", "\"label\": \"Sign in\"", "\"label\": \"Log in\"", finished(), 7, None, None),
        ("shop_product", id.0, id.1, Does::Taps("Put into cart"), 6, Some("add"), Some("put")),
    ] {
        let ran = stored().await;
        let file = ran.read("goal.goals.yaml");
        let apps = with_text(page, from, to);

        let changed = phone(&apps).await;
        let arguments = on(&changed, &["--ai-cache", "only"]);
        let ran = run(ran.test(&words(&arguments)), &[]).await.code(1);
        let ran = ran.says("the stored goal does not fit any more").says("--ai-cache only");

        let changed = phone(&apps).await;
        let (model, variables) = Model::start([does]).await;
        let arguments = on(&changed, &[]);
        let ran = run(ran.test(&words(&arguments)), &variables).await.code(0).says("1 healed");
        let shown = model.shown();
        assert_eq!(shown.len(), 1, "one call");
        let told = if was.is_none() { "\"Sign in\" is gone, \"Log in\" is new" } else { "\"Put into cart\"" };
        assert!(shown[0].contains(told), "{}", shown[0]);
        let action = action(&ran, &arguments);
        assert_eq!((&action["outcome"], &action["usage"]["calls"]), (&json!("healed"), &json!(1)), "{action}");
        let mended = &action["mended"];
        assert_eq!((items(mended).len(), &mended[0]["step"]), (1, &json!(step)), "{mended}");
        for (key, wanted) in [("was", was), ("now", now)] {
            let said = mended[0][key].as_array().map_or_else(String::new, |steps| format!("{steps:?}"));
            assert!(wanted.map_or(said == "[]", |wanted| said.contains(wanted)), "{key}: {said}");
        }
        assert_eq!(ran.read("goal.goals.yaml"), file, "what is stored stays");
        let proposal = ran.read(&format!("{}/goals/goal.goals.yaml", report(&arguments)));
        assert!(proposal.contains("Log in") || proposal.contains("Put into cart"), "{proposal}");

        // The proposal taken, it is replayed.
        std::fs::write(ran.path("goal.goals.yaml"), &proposal).expect("written");
        let changed = phone(&apps).await;
        let arguments = on(&changed, &["--ai-cache", "only"]);
        run(ran.test(&words(&arguments)), &[]).await.code(0).says("1 passed");
    }
}
