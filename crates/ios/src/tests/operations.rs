//! What the driver asks for each operation, and what it makes of the answers.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::driver::{Driver as _, Error, Gesture, Key, Keystrokes, LogQuery, Orientation, Point, Reset, Stop};
use crate::testing::{Answer, Log, phone, tree};

fn tap(x: f64, y: f64) -> Gesture {
    Gesture::Tap { at: Point { x, y }, hold: Duration::ZERO }
}

/// A page with a field, of which nothing tells that it has the focus.
fn field(value: &str) -> Value {
    let rect = json!({"x": 20, "y": 100, "width": 350, "height": 44});
    let field = json!({"type": "TextField", "rawIdentifier": "user", "label": "", "value": value, "placeholderValue": "Name", "rect": rect, "isEnabled": "1"});
    let mut tree = tree();
    tree["children"][0]["children"] = json!([field]);
    tree
}

#[tokio::test]
async fn an_alert_of_the_system_lies_over_the_app_and_is_pressed_by_its_buttons() {
    let is_open = Arc::new(Mutex::new(false));
    let open = Arc::clone(&is_open);
    let (phone, log) = phone(move |line, _| match line {
        "POST S/actions" => {
            *open.lock() = true;
            Answer::Usual
        }
        "GET S/alert/text" if *open.lock() => {
            Answer::Value(json!("Allow “Shop” to use your location?\nTo find shops."))
        }
        "GET S/wda/alert/buttons" => Answer::Value(json!(["Allow Once", "Don’t Allow"])),
        "POST S/alert/accept" => {
            *open.lock() = false;
            Answer::Usual
        }
        _ => Answer::Usual,
    })
    .await;
    phone.eyes().alerts.lock().often = Duration::from_mins(10);
    let screen = phone.screen().await.unwrap();
    assert_eq!((screen.roots.len(), log.count("GET S/alert/text")), (1, 1));
    phone.screen().await.unwrap();
    assert_eq!(log.count("GET S/alert/text"), 1, "no look asks by itself");
    phone.perform(tap(585.0, 2100.0)).await.unwrap();
    let screen = phone.screen().await.unwrap();
    let [alert] = &screen.roots[..] else { panic!("what is behind it takes no touches: {screen:?}") };
    assert!(phone.untold(&screen).await.unwrap().contains("`close_popups` closes it"));
    assert_eq!((alert.role, alert.package.as_str()), ("alert", "com.apple.springboard"));
    let names: Vec<&str> = alert.children.iter().map(|child| child.text.as_str()).collect();
    assert_eq!(names, ["Allow “Shop” to use your location?", "To find shops.", "Allow Once", "Don’t Allow"]);
    let button = alert.children.last().unwrap().rect.center();
    phone.perform(tap(button.x, button.y)).await.unwrap();
    assert_eq!(log.bodies("POST S/alert/accept"), [json!({"name": "Don’t Allow"})]);
    assert_eq!((log.count("POST S/actions"), phone.screen().await.unwrap().roots[0].role), (1, "group"));
    *is_open.lock() = true;
    let before = phone.screen().await.unwrap();
    assert_eq!(before.roots[0].role, "group", "it has just been asked");
    assert!(phone.untold(&before).await.unwrap().contains("alert of the system"));
    assert_eq!(phone.screen().await.unwrap().roots[0].role, "alert");
    *is_open.lock() = true;
    let told = phone.renew(Reset::None).await.unwrap();
    assert!(told[0].contains("is still open"), "{told:?}");
}

#[tokio::test]
async fn the_field_that_has_the_focus_is_asked_for_and_read_after_typing() {
    let typed = Arc::new(Mutex::new(String::new()));
    let held = Arc::clone(&typed);
    let (phone, log) = phone(move |line, before| {
        let now = held.lock().clone();
        match line {
            "GET S/source" => Answer::Value(field(if now.is_empty() { "Name" } else { &now })),
            "GET S/element/active" if before == 0 => Answer::Error(404, "no such element", "none"),
            "GET S/element/active" => Answer::Value(json!({"ELEMENT": "E-1"})),
            "GET S/element/E-1/rect" => Answer::Value(json!({"x": 20, "y": 100, "width": 350, "height": 44})),
            "GET S/element/E-1/attribute/value" => Answer::Value(json!(if now.is_empty() { "Name" } else { &now })),
            "POST S/wda/keys" => {
                let mut held = held.lock();
                held.push_str(if before == 0 { "ann" } else { "x" });
                Answer::Usual
            }
            _ => Answer::Usual,
        }
    })
    .await;
    assert!(!phone.screen().await.unwrap().roots[0].children[0].focused);
    let asked = log.count("GET S/element/active");
    phone.screen().await.unwrap();
    assert_eq!(log.count("GET S/element/active"), asked, "nothing was touched");
    phone.perform(tap(100.0, 350.0)).await.unwrap();
    let screen = phone.screen().await.unwrap();
    let screen = if screen.roots[0].children[0].focused { screen } else { phone.screen().await.unwrap() };
    let field = &screen.roots[0].children[0];
    assert_eq!((field.focused, field.text.as_str(), field.hint.as_str()), (true, "", "Name"));
    phone.type_text("ann").await.unwrap();
    assert_eq!(log.bodies("POST S/wda/keys"), [json!({"value": ["a", "n", "n"]})]);
    assert_eq!(phone.screen().await.unwrap().roots[0].children[0].text, "ann");
    let error = phone.type_text("lee").await.unwrap_err();
    assert!(matches!(&error, Error::Rejected { code, .. } if code == "invalid element state"), "{error:?}");
    assert!(!error.to_string().contains("lee"), "what is typed may be a secret: {error}");
}

#[tokio::test]
async fn keys_are_typed_together_and_what_is_emptied_is_emptied_as_a_whole() {
    let (phone, log) = phone(|line, _| match line {
        "GET S/element/active" => Answer::Value(json!({"element-6066-11e4-a52e-4f735466cecf": "E-2"})),
        "GET S/element/E-2/attribute/value" => Answer::Value(json!("")),
        _ => Answer::Usual,
    })
    .await;
    phone.press_all(&[Key::Delete, Key::Delete, Key::Enter]).await.unwrap();
    assert_eq!(log.bodies("POST S/wda/keys"), [json!({"value": ["\u{8}", "\u{8}", "\n"]})]);
    phone.press_all(&[Key::Delete, Key::Delete, Key::ForwardDelete, Key::ForwardDelete]).await.unwrap();
    assert_eq!((log.count("POST S/wda/keys"), log.count("POST S/element/E-2/clear")), (1, 1));
    assert!(phone.press_where_lit(Key::Home).await.unwrap());
    phone.press(Key::VolumeUp).await.unwrap();
    phone.press(Key::Power).await.unwrap();
    phone.press(Key::Left).await.unwrap();
    assert_eq!(log.count("POST /wda/homescreen"), 1);
    assert_eq!(log.bodies("POST S/wda/pressButton"), [json!({"name": "volumeUp"})]);
    assert_eq!(log.bodies("POST S/wda/performIoHidEvent")[0]["usage"], 48);
    assert_eq!(log.bodies("POST S/wda/element/0/keyboardInput")[0]["keys"][0]["key"], "XCUIKeyboardKeyLeftArrow");
    let before = log.lines.lock().len();
    for key in [Key::Menu, Key::AppSwitch] {
        assert!(matches!(phone.press_where_lit(key).await, Err(Error::Unsupported { .. })));
    }
    assert_eq!(log.lines.lock().len(), before, "what is not there is not asked for");
}

#[tokio::test]
async fn pieces_are_typed_with_their_pauses() {
    let (phone, log) = phone(|_, _| Answer::Usual).await;
    let piece = |text: &str, ms| Keystrokes { text: text.to_owned(), pause: Duration::from_millis(ms) };
    let began = std::time::Instant::now();
    phone.type_in_turn(&[piece("登", 60), piece("录👨‍👩‍👧", 0)]).await.unwrap();
    assert!(began.elapsed() >= Duration::from_millis(60));
    let typed = log.bodies("POST S/wda/keys");
    assert_eq!(typed, [json!({"value": ["登"]}), json!({"value": ["录", "👨‍👩‍👧"]})]);
    let stop = |x, rest| Stop { at: Point { x, y: 300.0 }, rest: Duration::from_millis(rest) };
    phone.perform(Gesture::Path(vec![stop(30.0, 20), stop(60.0, 0)])).await.unwrap();
    assert_eq!(log.count("POST S/actions"), 1);
}

#[tokio::test]
async fn apps_are_started_and_ended_and_one_that_is_not_there_is_not_found() {
    let (phone, log) = phone(|line, before| match line {
        "POST S/wda/apps/launch" if before == 1 => Answer::Error(
            500,
            "unknown error",
            "Failed to launch com.none: Application info provider (FBSApplicationLibrary) returned nil for \"com.none\"",
        ),
        "POST S/wda/apps/launch" if before == 2 => {
            Answer::Error(500, "unknown error", "Unable to launch com.a because the device was not, or could not be, unlocked.")
        }
        "POST S/wda/apps/terminate" => Answer::Value(json!(before == 0)),
        "POST S/wda/apps/state" => Answer::Value(json!(if before == 0 { 4 } else { 1 })),
        "GET S/source" if before == 2 => Answer::Error(
            400,
            "invalid element state",
            "The application under test with bundle id 'com.a' is not running, possibly crashed",
        ),
        _ => Answer::Usual,
    })
    .await;
    phone.launch("com.a").await.unwrap();
    assert_eq!(log.bodies("POST S/wda/apps/launch")[0]["bundleId"], "com.a");
    assert_eq!(phone.launch("com.none").await, Err(Error::NotFound { what: "app `com.none`".to_owned() }));
    assert!(phone.launch("com.a").await.unwrap_err().to_string().contains("call `unlock`"));
    assert!(phone.is_running("com.a").await.unwrap() && !phone.is_running("com.a").await.unwrap());
    assert!(phone.terminate("com.a").await.unwrap() && !phone.terminate("com.a").await.unwrap());
    assert_eq!(phone.open_url("https://a.b", Some("com.c")).await.unwrap().as_deref(), Some("com.c"));
    assert_eq!(log.bodies("POST S/url"), [json!({"url": "https://a.b", "bundleId": "com.c"})]);
    phone.screen().await.unwrap();
    phone.screen().await.unwrap();
    let error = phone.screen().await.unwrap_err().to_string();
    assert!(error.contains("com.a is not running any more"), "{error}");
}

#[tokio::test]
async fn an_app_that_crashed_is_told_of_where_something_is_missed() {
    let (phone, log) = phone(|line, _| match line {
        "GET S/wda/activeAppInfo" => Answer::Value(json!({"bundleId": "com.apple.springboard"})),
        "POST S/wda/apps/state" => Answer::Value(json!(1)),
        _ => Answer::Usual,
    })
    .await;
    let screen = phone.screen().await.unwrap();
    assert_eq!((phone.untold(&screen).await.unwrap(), log.count("POST S/wda/apps/state")), ("", 0));
    phone.launch("com.a").await.unwrap();
    assert!(phone.untold(&screen).await.unwrap().contains("it crashed"));
    phone.press(Key::Home).await.unwrap();
    assert_eq!(phone.untold(&screen).await.unwrap(), "", "it was left");
}

#[tokio::test]
async fn a_link_is_opened_by_whichever_app_comes_to_the_front_also_behind_a_question() {
    let (phone, _) = phone(|line, before| match line {
        "GET S/wda/activeAppInfo" if before > 2 => {
            Answer::Value(json!({"bundleId": "com.apple.springboard", "name": ""}))
        }
        "GET S/alert/text" => Answer::Value(json!("“Maps” would like to use your location")),
        "GET S/wda/apps/list" => Answer::Value(
            json!([{"pid": 1, "bundleId": "com.apple.springboard"}, {"pid": 2, "bundleId": "com.apple.Maps"}]),
        ),
        _ => Answer::Usual,
    })
    .await;
    assert_eq!(phone.open_url("maps://x", None).await.unwrap().as_deref(), Some("com.apple.Maps"));
    assert_eq!(phone.foreground().await.unwrap().package, "com.apple.Maps");
}

#[tokio::test]
async fn the_phone_itself_is_locked_turned_and_asked() {
    let is_locked = Arc::new(Mutex::new(false));
    let lock = Arc::clone(&is_locked);
    let (phone, log) = phone(move |line, before| match line {
        "GET S/wda/locked" => Answer::Value(json!(*lock.lock())),
        "POST S/wda/lock" => {
            *lock.lock() = true;
            Answer::Usual
        }
        "POST S/wda/unlock" if before == 0 => {
            Answer::Error(500, "unknown error", "Timed out while waiting until the screen gets unlocked")
        }
        "POST S/wda/unlock" => {
            *lock.lock() = false;
            Answer::Usual
        }
        "GET S/wda/activeAppInfo" if *lock.lock() => Answer::Value(json!({"bundleId": "com.apple.springboard"})),
        "GET S/rotation" => Answer::Value(json!({"x": 0, "y": 0, "z": if before == 0 { 0 } else { 270 }})),
        "POST S/orientation" if before == 1 => Answer::Error(500, "unknown error", "Unable To Rotate Device"),
        "GET S/wda/device/info" => Answer::Value(json!({"name": "Ann", "model": "iPhone"})),
        "GET S/wda/batteryInfo" => Answer::Value(json!({"level": 0.76, "state": 2})),
        "POST S/wda/getPasteboard" if before == 0 => Answer::Value(json!(STANDARD.encode("copied ü"))),
        "POST S/wda/getPasteboard" => Answer::Error(500, "unknown error", "no pasteboard"),
        _ => Answer::Usual,
    })
    .await;
    assert!(phone.lock().await.unwrap().locked);
    let screen = phone.screen().await.unwrap();
    assert!(!screen.lit && screen.roots.is_empty() && !phone.display().await.unwrap().lit);
    assert!(!phone.press_where_lit(Key::Home).await.unwrap());
    assert!(phone.unlock().await.unwrap_err().to_string().contains("passcode"));
    assert!(!phone.unlock().await.unwrap().locked);
    assert_eq!(phone.orientation().await.unwrap().orientation, Orientation::Portrait);
    assert_eq!(phone.orientation().await.unwrap().orientation, Orientation::Landscape);
    phone.set_orientation(Some(Orientation::ReverseLandscape)).await.unwrap();
    assert_eq!(log.bodies("POST S/orientation")[0]["orientation"], "UIA_DEVICE_ORIENTATION_LANDSCAPERIGHT");
    let error = phone.set_orientation(Some(Orientation::Landscape)).await.unwrap_err().to_string();
    assert!(error.contains("the app in front may allow no other way up"), "{error}");
    let details = phone.details().await.unwrap();
    assert_eq!((details.model.as_str(), details.version.as_str()), ("iPhone", "18.5"));
    assert_eq!((details.battery, details.powered, details.screen.height), (Some(76), Some(true), 2532));
    assert_eq!(phone.clipboard().await.unwrap(), "copied ü");
    assert!(phone.clipboard().await.unwrap_err().to_string().contains("WebDriverAgent must be in front"));
    phone.set_clipboard("a b").await.unwrap();
    assert_eq!(log.bodies("POST S/wda/setPasteboard")[0]["content"], STANDARD.encode("a b"));
    for error in [
        phone.packages().await.unwrap_err(),
        phone.log(&LogQuery::default()).await.unwrap_err(),
        phone.clear_app("com.a").await.unwrap_err(),
        phone.set_orientation(None).await.unwrap_err(),
    ] {
        assert!(matches!(error, Error::Unsupported { driver: "ios", .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_phone_is_before_each_case_as_the_run_found_it() {
    fn ended(log: &Log) -> Vec<Value> {
        log.bodies("POST S/wda/apps/terminate")
    }
    let (phone, log) = phone(|line, before| match line {
        "GET S/rotation" => Answer::Value(json!({"x": 0, "y": 0, "z": if before == 1 { 90 } else { 0 }})),
        "POST S/wda/apps/terminate" => Answer::Value(json!(true)),
        _ => Answer::Usual,
    })
    .await;
    assert!(phone.renew(Reset::App).await.unwrap().is_empty());
    phone.launch("com.a").await.unwrap();
    let told = phone.renew(Reset::App).await.unwrap();
    assert_eq!((told.len(), ended(&log)), (1, vec![json!({"bundleId": "com.a"})]));
    assert_eq!(log.bodies("POST S/orientation"), [json!({"orientation": "PORTRAIT"})]);
    phone.renew(Reset::App).await.unwrap();
    assert_eq!(ended(&log).len(), 1);
}
