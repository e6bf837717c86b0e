//! The driver against servers that a test makes up: sessions that are taken, connections that break, and what is asked how often.

mod operations;
mod reached;

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::driver::{Driver as _, Error, Gesture, Key, Point};
use crate::testing::{Answer, at, phone, tree};

const TAP: Gesture = Gesture::Tap { at: Point { x: 585.0, y: 2100.0 }, hold: Duration::ZERO };

#[tokio::test]
async fn one_connection_and_one_session_serve_for_all() {
    let (phone, log) = phone(|_, _| Answer::Usual).await;
    for _ in 0..3 {
        let screen = phone.screen().await.unwrap();
        assert_eq!((screen.package.as_str(), screen.size.width, screen.lit), ("com.uixt.shop", 1170, true));
        assert_eq!(screen.roots[0].children[0].text, "Pay");
        phone.perform(TAP).await.unwrap();
    }
    assert_eq!((log.count("POST /session"), log.count("POST S/appium/settings")), (1, 1));
    assert_eq!(log.count("connect"), 2, "and one for pictures");
    assert_eq!((log.count("GET /screenshot"), log.count("GET S/wda/activeAppInfo")), (1, 1));
    let settings = &log.bodies("POST S/appium/settings")[0]["settings"];
    assert_eq!((&settings["waitForIdleTimeout"], &settings["snapshotMaxDepth"]), (&json!(0), &json!(50)));
    let wanted = &log.bodies("POST /session")[0]["capabilities"]["alwaysMatch"];
    assert_eq!((&wanted["shouldTerminateApp"], &wanted["bundleId"]), (&json!(false), &Value::Null));
    let actions = &log.bodies("POST S/actions")[0]["actions"][0];
    assert_eq!((&actions["actions"][0]["x"], &actions["actions"][0]["y"]), (&json!(195.0), &json!(700.0)));
    assert_eq!(actions["parameters"]["pointerType"], "touch");
    phone.close().await;
    assert_eq!(log.count("DELETE S"), 1);
}

#[tokio::test]
async fn a_session_that_was_taken_is_begun_anew_and_the_touch_done_once() {
    let (phone, log) = phone(|_, _| Answer::Usual).await;
    phone.screen().await.unwrap();
    log.end_session();
    phone.perform(TAP).await.unwrap();
    assert_eq!((log.count("lost"), log.count("POST S/actions"), log.count("POST /session")), (1, 1, 2));
    assert_eq!(log.count("POST S/appium/settings"), 2);
}

#[tokio::test]
async fn a_look_is_asked_again_where_the_connection_breaks_and_a_touch_is_not() {
    let (phone, log) = phone(|line, before| match line {
        "GET S/source" if before == 1 => Answer::Close,
        "POST S/actions" => Answer::Close,
        _ => Answer::Usual,
    })
    .await;
    phone.screen().await.unwrap();
    phone.screen().await.unwrap();
    assert_eq!(log.count("GET S/source"), 3);
    let error = phone.perform(TAP).await.unwrap_err();
    assert!(matches!(error, Error::Disconnected { .. }), "{error:?}");
    assert!(error.to_string().contains("may have been done, and may not: it is not sent again"), "{error}");
    assert_eq!(log.count("POST S/actions"), 1);
}

#[tokio::test]
async fn nothing_that_acts_is_sent_twice() {
    let (phone, log) = phone(|line, _| match line {
        "POST S/wda/keys" | "POST S/wda/apps/launch" | "POST /wda/homescreen" => Answer::Close,
        _ => Answer::Usual,
    })
    .await;
    assert!(phone.type_text("a").await.is_err());
    assert!(phone.launch("com.a").await.is_err());
    assert!(phone.press(Key::Home).await.is_err());
    for line in ["POST S/wda/keys", "POST S/wda/apps/launch", "POST /wda/homescreen"] {
        assert_eq!(log.count(line), 1, "{line}");
    }
}

#[tokio::test]
async fn a_connection_that_the_server_closed_meanwhile_costs_nothing() {
    // What a first look asks for last.
    let (phone, log) = phone(|line, _| match line {
        "GET S/alert/text" => Answer::Last(Value::Null),
        _ => Answer::Usual,
    })
    .await;
    phone.screen().await.unwrap();
    let closed = async {
        while phone.wda().main().has_connection() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), closed).await.unwrap();
    phone.perform(TAP).await.unwrap();
    assert_eq!(log.count("POST S/actions"), 1);
}

#[tokio::test]
async fn what_is_dead_or_another_server_is_said_in_words() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let error = at(port).screen().await.unwrap_err().to_string();
    assert!(error.contains(&format!("no WebDriverAgent answers on 127.0.0.1:{port}")), "{error}");
    let (dead, _) = phone(|_, _| Answer::Close).await;
    let error = dead.screen().await.unwrap_err().to_string();
    assert!(error.contains("does not answer at all any more"), "{error}");
    let (other, _) = phone(|_, _| Answer::Raw("SSH-2.0-OpenSSH_9\r\n\r\n".to_owned())).await;
    let error = other.screen().await.unwrap_err().to_string();
    assert!(error.contains("is no WebDriverAgent"), "{error}");
}

#[tokio::test]
async fn an_answer_has_its_bounds_in_size() {
    let (phone, _) = phone(|line, _| match line {
        "GET S/source" => Answer::Raw("HTTP/1.1 200 X\r\ncontent-length: 99999999\r\n\r\n".to_owned()),
        _ => Answer::Usual,
    })
    .await;
    let error = phone.screen().await.unwrap_err().to_string();
    assert!(error.contains("more than 20 MB"), "{error}");
}

#[tokio::test]
async fn a_call_that_is_given_up_leaves_no_half_answer_behind() {
    let (phone, log) = phone(|line, before| match line {
        "GET S/source" if before == 1 => Answer::Silence,
        _ => Answer::Usual,
    })
    .await;
    phone.screen().await.unwrap();
    let given_up = tokio::time::timeout(Duration::from_millis(200), phone.screen()).await;
    assert!(given_up.is_err());
    let began = Instant::now();
    assert_eq!(phone.foreground().await.unwrap().package, "com.uixt.shop");
    assert!(began.elapsed() < Duration::from_secs(10) && log.count("connect") == 3);
}

#[tokio::test]
async fn a_tree_that_is_too_deep_is_told_less_deep_and_counts_as_cut() {
    let deep = |levels: usize| {
        let mut node =
            json!({"type": "StaticText", "label": "deep", "rect": {"x": 1, "y": 1, "width": 9, "height": 9}});
        for _ in 0..levels {
            node = json!({"type": "Other", "rect": {"x": 0, "y": 0, "width": 390, "height": 844}, "children": [node]});
        }
        json!({"type": "Application", "label": "Shop", "rect": {"x": 0, "y": 0, "width": 390, "height": 844}, "children": [node]})
    };
    let (phone, log) = phone(move |line, before| match line {
        "GET S/source" if before < 2 => {
            Answer::Error(404, "stale element reference", "Error kAXErrorIllegalArgument getting snapshot")
        }
        "GET S/source" => Answer::Value(deep(28)),
        _ => Answer::Usual,
    })
    .await;
    let screen = phone.screen().await.unwrap();
    assert!(screen.cut);
    let depths: Vec<Value> =
        log.bodies("POST S/appium/settings").iter().map(|body| body["settings"]["snapshotMaxDepth"].clone()).collect();
    assert_eq!(depths, [50, 40, 30]);
    assert!(phone.untold(&screen).await.unwrap().contains("deeper"));
    log.end_session();
    phone.screen().await.unwrap();
    let last = log.bodies("POST S/appium/settings").pop().unwrap();
    assert_eq!(last["settings"]["snapshotMaxDepth"], 30, "it is kept in the next session");
}

#[tokio::test]
async fn what_only_some_servers_know_is_asked_of_others_in_their_way() {
    let (phone, log) = phone(|line, _| match line {
        "GET /source" => Answer::Value(tree()),
        "GET S/wda/apps/list" => Answer::Value(json!([{"pid": 1, "bundleId": "com.front"}])),
        "GET S/source" | "GET S/wda/activeAppInfo" | "POST /wda/homescreen" => {
            Answer::Error(404, "unknown command", "Unhandled endpoint")
        }
        _ => Answer::Usual,
    })
    .await;
    for _ in 0..2 {
        assert_eq!(phone.screen().await.unwrap().package, "com.front");
    }
    assert_eq!((log.count("GET S/source"), log.count("GET /source")), (1, 2));
    phone.press(Key::Home).await.unwrap();
    assert_eq!(log.bodies("POST S/wda/pressButton"), [json!({"name": "home"})]);
}

#[tokio::test]
async fn a_server_without_json_is_asked_for_xml_from_then_on() {
    let (phone, log) = phone(|line, before| match line {
        "GET S/source" if before == 0 => Answer::Error(501, "unsupported operation", "no json"),
        "GET /source" => Answer::Error(404, "unknown command", "Unhandled endpoint"),
        "GET S/source" => Answer::Value(json!(
            "<?xml version=\"1.0\"?><XCUIElementTypeApplication name=\"Shop\" label=\"Shop\" x=\"0\" y=\"0\" width=\"390\" height=\"844\" bundleId=\"com.b\">\
             <XCUIElementTypeButton name=\"Pay\" label=\"Pay\" enabled=\"true\" x=\"20\" y=\"700\" width=\"350\" height=\"50\"/></XCUIElementTypeApplication>"
        )),
        _ => Answer::Usual,
    })
    .await;
    for _ in 0..2 {
        let screen = phone.screen().await.unwrap();
        assert_eq!((screen.package.as_str(), screen.roots[0].children[0].text.as_str()), ("com.b", "Pay"));
    }
    assert_eq!((log.count("GET S/source"), log.count("GET S/wda/activeAppInfo")), (3, 0));
}

#[tokio::test]
async fn a_server_that_knows_little_is_looked_at_all_the_same() {
    let xml = "<AppiumAUT><XCUIElementTypeApplication name=\"Home\" label=\"Home\" bundleId=\"com.apple.springboard\">\
               <XCUIElementTypeButton name=\"Pay\" label=\"Pay\" x=\"20\" y=\"700\" width=\"350\" height=\"50\"/>\
               </XCUIElementTypeApplication></AppiumAUT>";
    let json = json!({"type": "Application", "children": [{"type": "XCUIElementTypeButton", "label": "Pay",
        "rect": {"x": "20", "y": "700", "width": "350", "height": "50"}}]});
    for (told, scale) in [(json!(xml), Some(2)), (json!(json.to_string()), None)] {
        let (phone, _) = phone(move |line, _| match line {
            "POST /session" | "lost" => Answer::Usual,
            "GET /source" => Answer::Value(told.clone()),
            "GET S/wda/screen" => Answer::Value(json!({"screenSize": {"width": 390, "height": 844}, "scale": scale})),
            _ => Answer::Error(404, "unknown command", "Unhandled endpoint"),
        })
        .await;
        let screen = phone.screen().await.unwrap();
        let ratio = scale.unwrap_or(1);
        assert_eq!((screen.size.width, screen.size.height), (390 * ratio, 844 * ratio));
        assert_eq!(screen.roots[0].children[0].rect.bottom, 750 * i32::try_from(ratio).unwrap());
    }
}
