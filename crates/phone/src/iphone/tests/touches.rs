//! Gestures, alerts, and what a session's app does to its commands.

use serde_json::{Value, json};

use super::Test;

fn finger(id: &str, items: &Value) -> Value {
    json!({"type": "pointer", "id": id, "parameters": {"pointerType": "touch"}, "actions": items})
}

fn tap(x: i32, y: i32) -> Value {
    json!([{"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown"}, {"type": "pause", "duration": 60}, {"type": "pointerUp"}])
}

/// What the pad of Touch Lab says.
async fn gesture(test: &Test) -> String {
    let id = test.find("predicate string", "name == 'gesture' AND visible == 1").await.unwrap();
    test.value(&format!("/S/element/{id}/text")).await.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn every_gesture_is_what_it_says() {
    let test = Test::opened("com.uixt.touchlab").await;
    test.on("label == 'Gesture pad'", "click", json!({})).await;
    let actions = async |fingers: Value| test.post("/S/actions", json!({"actions": fingers})).await;
    assert_eq!(actions(json!([finger("f1", &tap(195, 400))])).await["value"], Value::Null);
    assert_eq!(gesture(&test).await, "Tap");
    for (route, body, name) in [
        ("wda/doubleTap", json!({"x": 195, "y": 400}), "Double tap"),
        ("wda/touchAndHold", json!({"x": 195, "y": 400, "duration": 1}), "Long press"),
        ("wda/swipe", json!({"direction": "left"}), "Swipe left"),
        (
            "wda/dragfromtoforduration",
            json!({"fromX": 100, "fromY": 300, "toX": 250, "toY": 300, "duration": 1}),
            "Drag",
        ),
        (
            "wda/pressAndDragWithVelocity",
            json!({"fromX": 250, "fromY": 300, "toX": 250, "toY": 500, "pressDuration": 0, "holdDuration": 0, "velocity": 800}),
            "Swipe down",
        ),
        ("wda/tap", json!({"x": 195, "y": 400}), "Tap"),
    ] {
        assert_eq!(test.refused("POST", &format!("/S/{route}"), body).await.0, 200, "{route}");
        assert_eq!(gesture(&test).await, name, "{route}");
    }
    let before = test.acts("touches").await;
    let two = json!([finger("a", &tap(150, 400)), finger("b", &tap(250, 400))]);
    assert_eq!(actions(two).await["value"], Value::Null);
    assert_eq!(gesture(&test).await, "Two-finger tap");
    for (scale, name) in [(0.5, "Pinch in"), (2.0, "Pinch out")] {
        test.post("/S/wda/pinch", json!({"scale": scale, "velocity": 1})).await;
        assert_eq!(gesture(&test).await, name);
    }
    test.post("/S/wda/rotate", json!({"rotation": 1.5, "velocity": 1})).await;
    assert_eq!(gesture(&test).await, "Rotate");
    assert_eq!(test.acts("touches").await, before + 8);
    for bad in [
        json!([{"type": "pointer", "id": "m", "actions": tap(1, 1)}]),
        json!([finger("a", &tap(1, 1)), finger("a", &tap(2, 2))]),
        json!([finger("a", &json!([{"type": "pointerDown"}]))]),
    ] {
        let refused = test.refused("POST", "/S/actions", json!({"actions": bad})).await;
        assert_eq!(refused, (500, "unknown error".to_owned()), "{bad}");
    }
    assert_eq!(test.acts("touches").await, before + 8);
}

#[tokio::test]
async fn the_systems_questions_are_the_home_screens() {
    let test = Test::opened("com.uixt.trouble").await;
    test.post("/S/url", json!({"url": "uixt-trouble://permission"})).await;
    assert_eq!(test.refused("GET", "/S/alert/text", json!({})).await, (404, "no such alert".to_owned()));
    test.on("type == 'XCUIElementTypeButton' AND name != 'Back'", "click", json!({})).await;
    assert!(test.find("class name", "XCUIElementTypeAlert").await.is_none(), "the app's tree knows nothing of it");
    let buttons = test.value("/S/wda/alert/buttons").await;
    assert_eq!(buttons.as_array().map(Vec::len), Some(2), "{buttons}");
    test.post("/S/appium/settings", json!({"settings": {"respectSystemAlerts": true}})).await;
    assert!(test.find("class name", "XCUIElementTypeAlert").await.is_some());
    assert_eq!(test.post("/alert/accept", json!({})).await["value"], Value::Null);
    assert_eq!(test.refused("GET", "/alert/text", json!({})).await.0, 404);
    assert!(test.find("predicate string", "label CONTAINS[c] 'may be used'").await.is_some());
}

#[tokio::test]
async fn an_app_that_crashed_is_told() {
    let test = Test::opened("com.uixt.trouble").await;
    test.post("/S/url", json!({"url": "uixt-trouble://crash"})).await;
    test.on("type == 'XCUIElementTypeButton' AND label == 'Crash'", "click", json!({})).await;
    let refused = test.ask("GET", "/S/source", "").await.unwrap();
    assert_eq!((refused.0, refused.1["value"]["error"].as_str()), (400, Some("invalid element state")));
    assert!(refused.1["value"]["message"].as_str().unwrap().contains("is not running, possibly crashed"));
    test.post("/S/wda/apps/launch", json!({"bundleId": "com.uixt.settings"})).await;
    assert_eq!(test.ask("GET", "/S/source", "").await.unwrap().0, 400, "another app is not the session's");
    test.post("/S/wda/apps/launch", json!({"bundleId": "com.uixt.trouble"})).await;
    assert_eq!(test.ask("GET", "/S/source", "").await.unwrap().0, 200);
    test.post("/S/wda/apps/terminate", json!({"bundleId": "com.uixt.trouble"})).await;
    assert_eq!(test.ask("GET", "/S/source", "").await.unwrap().0, 200, "it was ended on purpose");
}

#[tokio::test]
async fn a_running_app_is_only_brought_forward() {
    let test = Test::opened("com.uixt.shop").await;
    let launch = json!({"bundleId": "com.uixt.settings", "arguments": ["-a"], "environment": {"B": "c"}});
    test.post("/S/wda/apps/launch", launch).await;
    let told = test.value("/wda/activeAppInfo").await;
    assert_eq!(told["processArguments"], json!({"args": ["-a"], "env": {"B": "c"}}));
    let again = json!({"bundleId": "com.uixt.settings", "arguments": ["-z"]});
    test.post("/S/wda/apps/launch", again).await;
    assert_eq!(test.value("/wda/activeAppInfo").await["processArguments"]["args"], json!(["-a"]));
    let state = async |bundle: &str| test.post("/S/wda/apps/state", json!({"bundleId": bundle})).await["value"].clone();
    assert_eq!((state("com.uixt.shop").await, state("com.apple.Preferences").await), (json!(3), json!(4)));
    assert_eq!((state("com.uixt.gallery").await, state("com.example.none").await), (json!(1), json!(0)));
    let ended = test.post("/S/wda/apps/terminate", json!({"bundleId": "com.uixt.settings"})).await;
    assert_eq!(ended["value"], true);
    assert_eq!(test.acts("launches").await, 2);
}

#[tokio::test]
async fn requests_of_a_session_wait_for_their_turn() {
    let test = Test::opened("com.uixt.shop").await;
    test.iphone.set_fault("slow_act_ms", json!(1500)).await.unwrap();
    let order = parking_lot::Mutex::new(Vec::new());
    let asks = async |name: &'static str, method: &str, path: &str, body: &str| {
        let answer = test.ask(method, path, body).await.unwrap();
        order.lock().push(name);
        answer
    };
    // The tap has its turn first; the session's own request came before it.
    let tapped = async || {
        while test.acts("requests").await < 2 {
            tokio::task::yield_now().await;
        }
    };
    let path = format!("/session/{}", test.session);
    let (tap, source, (), ended) = tokio::join!(
        asks("tap", "POST", "/S/wda/tap", "{\"x\": 5, \"y\": 400}"),
        async {
            tapped().await;
            asks("source", "GET", "/S/source", "").await
        },
        async {
            tapped().await;
            asks("status", "GET", "/status", "").await;
            asks("screenshot", "GET", "/screenshot", "").await;
        },
        async {
            while order.lock().len() < 2 {
                tokio::task::yield_now().await;
            }
            asks("delete", "DELETE", &path, "").await
        },
    );
    assert_eq!(order.lock()[..3], ["status", "screenshot", "delete"]);
    assert_eq!((tap.0, ended.0), (200, 200));
    assert_eq!((source.0, source.1["value"]["error"].as_str()), (404, Some("invalid session id")));
    assert_eq!(test.acts("touches").await, 1);
}
