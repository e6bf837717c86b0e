//! What a phone's tree tells and nobody sees: the right page passes, the same page with it unseen fails, and the message says why.

use serde_json::Value;
use uixt::adb;
use uixt::phone::Phone;
use uixt::phone::apps::AppDefinition;
use uixt::phone::apps::live::{Effect, Ink, LivePage, Moment, Part, Thing, nothing_due};
use uixt::phone::system::{Options, System};

use crate::support::{Test, items, text};

const TOTAL: &str = "Total: 8.25";

/// Makes an app of one page.
fn app(package: &'static str, show: fn(&Moment) -> Vec<Part>) -> AppDefinition {
    let page =
        LivePage { id: "only", title: "Receipt", hint: "Paid", show, touch: |_, _, _| Effect::None, due: nothing_due };
    AppDefinition { live: vec![page].leak(), first_instance: "only", ..empty(package) }
}

fn empty(package: &'static str) -> AppDefinition {
    AppDefinition {
        package,
        activity: ".MainActivity",
        label: "Receipt",
        third_party: true,
        permissions: &[],
        first_instance: "",
        instances: Vec::new(),
        live: &[],
        late: None,
        backend: None,
    }
}

/// Makes an app of one page with a field and lines below it; its manifest's word for what the keyboard does to it.
fn form(package: &'static str, mode: &str) -> AppDefinition {
    let lines: Vec<String> =
        (0..17).map(|n| format!(r#"{{"key": "l{n}", "label": "", "type": "html", "value": "Line {n}"}}"#)).collect();
    let page = format!(
        r#"{{"instance_id": "form", "title": "Form", "state": {{"params": {{"name": ""}}, "runtime": {{"windowSoftInputMode": "{mode}"}}}},
        "blocks": [{{"id": "page", "type": "form", "bind": "state.params", "props": {{"fields": [
        {{"key": "name", "label": "Name", "type": "text"}}, {}]}}}}], "actions": [{{"id": "send", "label": "Send", "style": "primary",
        "handler_type": "set", "patches": {{}}}}]}}"#,
        lines.join(",")
    );
    AppDefinition { instances: vec![page.leak()], first_instance: "form", ..empty(package) }
}

/// A text on a ground, and what lies there beside it.
fn on_ground(at: (f32, f32, f32, f32), above: Option<(f32, f32, f32, f32)>) -> Vec<Part> {
    let thing = |id, text: &str, at, strong| Thing { id, text: text.to_owned(), at, is_button: false, strong };
    let above = above.map(|at| thing("above", "", at, true));
    vec![Part::Ground(220.0, [thing("total", TOTAL, at, false)].into_iter().chain(above).collect())]
}

fn words(id: &'static str, text: &str) -> Part {
    Part::Words(id, text.to_owned())
}

fn apps() -> Vec<AppDefinition> {
    vec![
        app("com.look.right", |_| vec![words("total", TOTAL), words("more", "Thanks"), words("thanks", "Thanks")]),
        app("com.look.clear", |_| {
            let thanks = |id| Part::Unseen(id, "Thanks".to_owned(), Ink::Clear);
            vec![Part::Unseen("total", TOTAL.to_owned(), Ink::Clear), thanks("more"), words("thanks", "Thanks")]
        }),
        app("com.look.ground", |_| {
            vec![Part::Unseen("total", TOTAL.to_owned(), Ink::OfGround), words("more", "Thanks")]
        }),
        app("com.look.late", |now| match now.ms {
            ..3000 => vec![Part::Unseen("total", TOTAL.to_owned(), Ink::Clear)],
            _ => vec![words("total", TOTAL)],
        }),
        app("com.look.beside", |_| on_ground((20.0, 40.0, 200.0, 40.0), Some((0.0, 120.0, 300.0, 100.0)))),
        app("com.look.behind", |_| on_ground((20.0, 40.0, 200.0, 40.0), Some((0.0, 0.0, 300.0, 220.0)))),
        app("com.look.sliver", |_| on_ground((20.0, 219.4, 200.0, 40.0), None)),
        app("com.look.zero", |_| on_ground((20.0, 40.0, 200.0, 0.0), None)),
        app("com.look.off", |_| on_ground((20.0, 400.0, 200.0, 40.0), None)),
        form("com.look.resized", "adjustResize"),
        form("com.look.covered", "adjustNothing"),
    ]
}

/// Runs each of these cases (an app, steps on it) by the program on a phone that has these apps; returns what each came to: nothing,
/// or its message.
async fn outcomes(cases: &[(&'static str, &'static str)]) -> Vec<String> {
    outcomes_after("true", cases).await
}

/// The same after a command of the phone's shell.
async fn outcomes_after(command: &str, cases: &[(&'static str, &'static str)]) -> Vec<String> {
    let phone = Phone::start(Options::default(), 0).await.expect("a phone starts");
    *phone.system().lock().await = System::with_apps(Options::default(), &apps()).await.expect("apps that can be read");
    let address = phone.address().to_string();
    let done = adb::Server::new(address.clone()).device("uixt-phone").shell(command).await.expect("an answer");
    assert_eq!(done.exit, 0, "{command}: {}", String::from_utf8_lossy(&done.stderr));
    let arguments = [
        "run",
        "cases",
        "--device",
        "android:uixt-phone",
        "--adb-server",
        &address,
        "--report-dir",
        "r",
        "--screenshots",
        "never",
    ];
    let mut test = Test::new(&arguments);
    for (number, (package, steps)) in cases.iter().enumerate() {
        let case = format!("teststeps:\n- app_terminate: {package}\n- app_launch: {package}\n{steps}");
        test = test.file(&format!("cases/{number:02}.yaml"), case);
    }
    let ran = tokio::task::spawn_blocking(|| test.run()).await.expect("no panic");
    let summary = ran.read("r/summary.json");
    let summary: Value = serde_json::from_str(&summary).expect("JSON");
    let messages = items(&summary["cases"]).iter().map(|case| {
        let mut errors = Vec::new();
        messages(case, &mut errors);
        match text(&case["outcome"]) {
            "passed" => String::new(),
            outcome => format!("{outcome}: {}", errors.first().cloned().unwrap_or_default()),
        }
    });
    messages.collect()
}

fn messages(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            if let Some(message) = object.get("error").and_then(|error| error["message"].as_str()) {
                into.push(message.to_owned());
            }
            object.values().for_each(|value| messages(value, into));
        }
        Value::Array(items) => items.iter().for_each(|value| messages(value, into)),
        _ => {}
    }
}

/// Runs pairs: an app on which the steps pass, one on which they fail, and what the message says then.
async fn pairs(pairs: &[(&'static str, &'static str, &'static str, &[&str])]) {
    let cases: Vec<_> =
        pairs.iter().flat_map(|(steps, right, broken, _)| [(*right, *steps), (*broken, *steps)]).collect();
    let said = outcomes(&cases).await;
    assert_eq!(said.len(), cases.len(), "{said:?}");
    for ((steps, right, broken, cause), said) in pairs.iter().zip(said.chunks(2)) {
        println!("{broken}: {}", said[1]);
        assert_eq!(said[0], "", "{right}: {steps}");
        assert!(said[1].starts_with("failed: "), "{broken}: {steps}: `{}`", said[1]);
        for word in *cause {
            assert!(said[1].contains(word), "{broken}: {steps}: `{word}` is not in `{}`", said[1]);
        }
    }
}

const BLANK: &str = "is there, but nothing is drawn where it stands (its rectangle is blank on the screen)";

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_is_told_and_not_drawn_is_not_visible() {
    let visible = "- assert_visible: {text: 'Total: 8.25', timeout: 0.3}\n";
    pairs(&[
        (visible, "com.look.right", "com.look.clear", &[BLANK, "text \"Total: 8.25\" #total", "not seen within 0.3 s"]),
        (visible, "com.look.right", "com.look.ground", &[BLANK]),
        (visible, "com.look.beside", "com.look.behind", &[BLANK]),
        ("- wait_for: {id: total, timeout: 1}\n", "com.look.right", "com.look.clear", &[BLANK]),
        (
            "- assert_text: {id: total, contains: '8.25', timeout: 1}\n",
            "com.look.right",
            "com.look.ground",
            &[BLANK, "it should contain \"8.25\""],
        ),
        (
            "- assert_count: {text: Thanks, equals: 2, timeout: 5}\n",
            "com.look.right",
            "com.look.clear",
            &[BLANK, "text \"Thanks\" #more"],
        ),
        (
            "- assert_visible: {regex: true, text: '^Tot', timeout: 0}\n",
            "com.look.right",
            "com.look.clear",
            &[BLANK, "within 0 s"],
        ),
        // What an earlier assertion saw does not count for another screen, nor for one that something was done on.
        (
            "- assert_visible: {text: Paid, timeout: 0.3}\n- assert_visible: {text: 'Total: 8.25', timeout: 0.3}\n",
            "com.look.right",
            "com.look.clear",
            &[BLANK],
        ),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_in_time_or_is_there_once_more_is_visible() {
    let said = outcomes(&[
        ("com.look.late", "- assert_visible: {text: 'Total: 8.25', timeout: 9}\n"),
        ("com.look.late", "- assert_visible: {text: 'Total: 8.25', timeout: 0.1}\n"),
        ("com.look.clear", "- assert_visible: {text: Thanks, timeout: 0.3}\n"),
        ("com.look.clear", "- assert_visible: {text: Thanks, index: 0, timeout: 0.3}\n"),
        // What a tree tells cannot be said to be gone because nothing of it is drawn.
        ("com.look.clear", "- assert_not_visible: {text: 'Total: 8.25', timeout: 0.3}\n"),
    ])
    .await;
    assert_eq!((said[0].as_str(), said[2].as_str()), ("", ""), "{said:?}");
    assert!(said[1].contains(BLANK) && said[3].contains(BLANK), "{said:?}");
    assert!(said[4].contains("still there"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_no_place_on_the_screen_is_not_visible() {
    let visible = "- assert_visible: {text: 'Total: 8.25', timeout: 0.3}\n";
    pairs(&[
        (
            visible,
            "com.look.beside",
            "com.look.sliver",
            &["is there, but only", "pixels of it are on the screen", "`scroll_to`"],
        ),
        (visible, "com.look.beside", "com.look.zero", &["not there within 0.3 s"]),
        (visible, "com.look.beside", "com.look.off", &["not there within 0.3 s"]),
        (
            "- tap_element: {text: 'Total: 8.25', timeout: 0.3}\n",
            "com.look.beside",
            "com.look.sliver",
            &["is there, but only"],
        ),
        (
            "- assert_text: {id: total, contains: '8', timeout: 0.3}\n",
            "com.look.beside",
            "com.look.sliver",
            &["is there, but only"],
        ),
        (
            "- assert_count: {text: 'Total: 8.25', equals: 1, timeout: 5}\n",
            "com.look.beside",
            "com.look.sliver",
            &["0 there"],
        ),
        (
            "- assert_not_visible: {text: 'Total: 8.25', timeout: 0.3}\n",
            "com.look.sliver",
            "com.look.beside",
            &["still there"],
        ),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lies_under_the_keyboard_is_neither_seen_nor_gone() {
    let typed = "- input: {text: Ann, into: Name}\n";
    let under = "it lies under the keyboard: `back` closes that";
    let steps = [
        "- assert_visible: {text: Line 15, timeout: 0.3}\n",
        "- tap_element: {text: Line 15, timeout: 0.3}\n",
        "- assert_not_visible: {text: Line 15, timeout: 0.3}\n",
        "- assert_count: {text: Line 15, equals: 0, timeout: 5}\n",
        "- assert_visible: {text: Line 0, timeout: 0.3}\n- assert_visible: Form\n",
        "- back:\n- assert_visible: {text: Line 15, timeout: 3}\n",
    ];
    let cases: Vec<(&str, &str)> = ["com.look.covered", "com.look.resized"]
        .into_iter()
        .flat_map(|package| steps.map(|step| (package, &*format!("{typed}{step}").leak())))
        .collect();
    let said = outcomes(&cases).await;
    println!("{said:#?}");
    let [seen, tapped, gone, counted, above, closed] = &said[..6] else { panic!("{said:?}") };
    assert!(seen.contains("\"Line 15\": is there, but") && seen.contains(under), "{seen}");
    assert!(tapped.contains(under), "{tapped}");
    assert!(gone.contains("still there") && gone.contains(under), "{gone}");
    assert!(counted.contains("0 there") && counted.contains("1 more") && counted.contains(under), "{counted}");
    assert_eq!((above.as_str(), closed.as_str()), ("", ""));
    // Where the page makes room for the keyboard, nothing lies under it.
    assert!(said[6].contains("not there within 0.3 s"), "{}", said[6]);
    assert_eq!((said[8].as_str(), said[9].as_str(), said[11].as_str()), ("", "", ""), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_takes_no_pictures_is_not_held_to_them() {
    let none = "mkdir -p /data/local/tmp/uixt-faults && echo 'exit 1' > /data/local/tmp/uixt-faults/screencap";
    let steps =
        "- assert_visible: {text: 'Total: 8.25', timeout: 0.3}\n- assert_not_visible: {text: Total, timeout: 0.3}\n";
    assert_eq!(outcomes_after(none, &[("com.look.clear", steps), ("com.look.right", steps)]).await, ["", ""]);
}
