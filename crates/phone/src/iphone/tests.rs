//! Tries the iPhone from outside, over real sockets: what WDA's clients send and what they must read.

mod faults;
mod muxed;
mod touches;
mod trees;

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{Iphone, IphoneOptions, Manners};

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_mins(1);

/// A phone with a client's connection to it.
struct Test {
    iphone: Iphone,
    session: String,
}

impl Test {
    async fn new() -> Self {
        Self::with(IphoneOptions::default()).await
    }

    async fn with(options: IphoneOptions) -> Self {
        Self { iphone: Iphone::start(options).await.unwrap(), session: String::new() }
    }

    /// Begins a session of an app.
    async fn opened(bundle: &str) -> Self {
        let mut test = Self::new().await;
        test.begin(json!({"bundleId": bundle})).await;
        test
    }

    async fn begin(&mut self, capabilities: Value) {
        let begun = self.post("/session", json!({"capabilities": {"alwaysMatch": capabilities}})).await;
        self.session = begun["value"]["sessionId"].as_str().unwrap().to_owned();
    }

    async fn raw(&self, request: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(self.iphone.address()).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let mut bytes = vec![0; 64 << 10];
        let (head, length) = loop {
            if let Some(end) = answer.windows(4).position(|window| window == b"\r\n\r\n") {
                let head = String::from_utf8(answer[..end].to_vec()).unwrap();
                let length = head.split("Content-Length: ").nth(1)?.lines().next()?.parse::<usize>().unwrap();
                break (head, end + 4 + length);
            }
            let count = timeout(PATIENCE, stream.read(&mut bytes)).await.unwrap().unwrap_or(0);
            if count == 0 {
                return None;
            }
            answer.extend_from_slice(&bytes[..count]);
        };
        while answer.len() < length {
            let count = timeout(PATIENCE, stream.read(&mut bytes)).await.unwrap().unwrap_or(0);
            if count == 0 {
                return None;
            }
            answer.extend_from_slice(&bytes[..count]);
        }
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some((status, String::from_utf8(answer[head.len() + 4..length].to_vec()).unwrap()))
    }

    /// Returns status and answer; nothing where the connection broke.
    async fn ask(&self, method: &str, path: &str, body: &str) -> Option<(u16, Value)> {
        let path = path.replace("/S/", &format!("/session/{}/", self.session));
        let request = format!("{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        let (status, text) = self.raw(&request).await?;
        Some((status, serde_json::from_str(&text).unwrap_or_default()))
    }

    async fn get(&self, path: &str) -> Value {
        self.ask("GET", path, "").await.unwrap().1
    }

    async fn value(&self, path: &str) -> Value {
        self.get(path).await["value"].clone()
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        self.ask("POST", path, &body.to_string()).await.unwrap().1
    }

    /// Returns the status and the error of a request.
    async fn refused(&self, method: &str, path: &str, body: Value) -> (u16, String) {
        let body = if method == "GET" { String::new() } else { body.to_string() };
        let (status, answer) = self.ask(method, path, &body).await.unwrap();
        (status, answer["value"]["error"].as_str().unwrap_or_default().to_owned())
    }

    async fn find(&self, using: &str, value: &str) -> Option<String> {
        let found = self.post("/S/element", json!({"using": using, "value": value})).await;
        found["value"]["ELEMENT"].as_str().map(str::to_owned)
    }

    /// Finds what is on the screen, and does something with it.
    async fn on(&self, predicate: &str, act: &str, body: Value) {
        let found = self.find("predicate string", &format!("visible == 1 AND {predicate}")).await;
        let id = found.unwrap_or_else(|| panic!("no {predicate}"));
        let done = self.ask("POST", &format!("/S/element/{id}/{act}"), &body.to_string()).await.unwrap();
        assert_eq!(done.0, 200, "{predicate}: {}", done.1);
    }

    async fn acts(&self, name: &str) -> u64 {
        self.get("/uixt/acts").await[name].as_u64().unwrap()
    }
}

#[tokio::test]
async fn one_session_lives() {
    let mut test = Test::new().await;
    assert_eq!(test.get("/status").await["sessionId"], Value::Null);
    test.begin(json!({"appium:bundleId": "com.uixt.shop"})).await;
    assert_eq!(test.value("/wda/activeAppInfo").await["bundleId"], "com.uixt.shop");
    let former = test.session.clone();
    let begun = test.post("/session", json!({"capabilities": {}, "desiredCapabilities": {}})).await;
    test.session = begun["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(test.get("/status").await["sessionId"], json!(test.session));
    let gone = test.refused("GET", &format!("/session/{former}/source"), json!({})).await;
    assert_eq!(gone, (404, "invalid session id".to_owned()));
    let state = test.post("/S/wda/apps/state", json!({"bundleId": "com.uixt.shop"})).await;
    assert_eq!(state["value"], 1, "the former session's app ended with it");
    assert_eq!(test.ask("DELETE", &format!("/session/{}", test.session), "").await.unwrap().0, 200);
    assert_eq!(test.refused("GET", "/S/source", json!({})).await.0, 404);
    assert_eq!(test.refused("POST", "/session", json!({})).await, (500, "session not created".to_owned()));
    assert_eq!(test.acts("sessions").await, 2);
}

#[tokio::test]
async fn a_person_logs_in() {
    let test = Test::opened("com.uixt.shop").await;
    test.on("name == 'user'", "value", json!({"text": "alice"})).await;
    test.on("type == 'XCUIElementTypeSecureTextField'", "value", json!({"value": ["sec", "ret123"]})).await;
    let active = test.value("/S/element/active").await["ELEMENT"].as_str().unwrap().to_owned();
    assert_eq!(test.value(&format!("/S/element/{active}/attribute/value")).await, "•".repeat(9));
    assert_eq!(test.value(&format!("/S/element/{active}/name")).await, "XCUIElementTypeSecureTextField");
    assert!(test.find("class name", "XCUIElementTypeKeyboard").await.is_some());
    test.on("label == 'Sign in' AND type == 'XCUIElementTypeButton'", "click", json!({})).await;
    let welcome = "**/XCUIElementTypeStaticText[`visible == 1 AND label == 'Welcome, alice'`]";
    assert!(test.find("class chain", welcome).await.is_some());
    assert_eq!((test.acts("keys").await, test.acts("launches").await), (14, 1));
    let former = test.find("predicate string", "visible == 0 AND name == 'password'").await;
    assert!(former.is_some(), "the page below stays in the tree");
}

#[tokio::test]
async fn pages_are_left_by_their_bar_and_by_the_edge() {
    let test = Test::opened("com.apple.Preferences").await;
    let title = async || {
        let bars = test.value("/S/source?format=description").await;
        bars.as_str().unwrap().lines().rfind(|line| line.contains("NavigationBar")).unwrap().to_owned()
    };
    let first = title().await;
    for step in ["bar", "edge"] {
        test.on("label == 'Display'", "click", json!({})).await;
        assert_ne!(title().await, first);
        if step == "bar" {
            test.on("name == 'Back'", "click", json!({})).await;
        } else {
            let drag = json!({"fromX": 2, "fromY": 400, "toX": 300, "toY": 410, "duration": 0});
            test.post("/S/wda/dragfromtoforduration", drag).await;
        }
        assert_eq!(title().await, first, "{step}");
    }
    let up = json!({"fromX": 195, "fromY": 840, "toX": 195, "toY": 500, "duration": 0});
    test.post("/S/wda/dragfromtoforduration", up).await;
    assert_eq!(test.value("/wda/activeAppInfo").await["bundleId"], "com.apple.springboard");
    let icon = test.post("/wda/apps/launchUnattached", json!({"bundleId": "com.uixt.shop"})).await;
    assert_eq!(icon["value"], Value::Null);
}

#[tokio::test]
async fn sources_tell_the_same_in_every_form() {
    let test = Test::opened("com.uixt.shop").await;
    let xml = test.value("/source?scope=AppiumAUT&excluded_attributes=visible,accessible").await;
    let xml = xml.as_str().unwrap();
    let document = roxmltree::Document::parse(xml).unwrap();
    assert_eq!(document.root_element().tag_name().name(), "AppiumAUT");
    let field = document.descendants().find(|node| node.attribute("name") == Some("user")).unwrap();
    let names: Vec<&str> = field.attributes().map(|one| one.name()).collect();
    let expected = "type value name label enabled x y width height index placeholderValue traits";
    assert_eq!(names.join(" "), expected);
    assert_eq!((field.attribute("value"), field.attribute("label")), (Some("User name"), Some("")));
    let json = test.value("/S/source?format=json&excluded_attributes=frame,nativeFrame").await;
    assert_eq!((json["type"].as_str(), json["rect"]["width"].as_u64()), (Some("Application"), Some(390)));
    assert!(json["frame"].is_null() && json["isVisible"] == "1" && json["rawIdentifier"].is_null());
    assert_eq!(test.refused("GET", "/source?format=yaml", json!({})).await.0, 400);
    test.post("/S/appium/settings", json!({"settings": {"snapshotMaxDepth": 2}})).await;
    let shallow = test.value("/S/source").await;
    assert!(!shallow.as_str().unwrap().contains("StaticText"));
    test.post("/S/appium/settings", json!({"settings": {"snapshotMaxDepth": 63}})).await;
    assert_eq!(test.refused("GET", "/S/source", json!({})).await, (404, "stale element reference".to_owned()));
}

#[tokio::test]
async fn strict_and_old_manners_differ() {
    let strict = Test::opened("com.uixt.shop").await;
    let mut old = Test::with(IphoneOptions { manners: Manners::Old, ..IphoneOptions::default() }).await;
    old.begin(json!({"bundleId": "com.uixt.shop"})).await;
    let tap = || json!({"x": 5, "y": 400});
    assert_eq!(strict.refused("GET", "/status/", json!({})).await, (404, "unknown command".to_owned()));
    assert_eq!(strict.refused("POST", "/S/wda/tap/0", tap()).await.0, 404);
    assert_eq!(strict.refused("POST", "/S/wda/tap", tap()).await.0, 200);
    assert_eq!(old.refused("GET", "/status/", json!({})).await.0, 200);
    assert_eq!(old.refused("POST", "/S/wda/tap/0", tap()).await.0, 200);
    assert_eq!(old.refused("POST", "/S/wda/tap", tap()).await.0, 404);
    assert_eq!(old.refused("GET", "/S/window/rect", json!({})).await.0, 404);
    let chunked = "POST /session HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
    assert_eq!(strict.raw(chunked).await.unwrap().0, 400);
    let large = format!("GET /status HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(17 << 10));
    assert_eq!(strict.raw(&large).await.unwrap().0, 400);
    assert_eq!(strict.refused("POST", "/status", json!({})).await.0, 404);
    assert_eq!(strict.refused("DELETE", "/S/actions", json!({})).await, (404, "unknown command".to_owned()));
}

#[tokio::test]
async fn the_device_tells_of_itself() {
    let test = Test::opened("com.uixt.shop").await;
    assert_eq!(test.value("/window/size").await, json!({"width": 390, "height": 844}));
    let screen = test.value("/wda/screen").await;
    assert_eq!((screen["scale"].as_u64(), screen["statusBarSize"]["height"].as_u64()), (Some(3), Some(47)));
    test.post("/S/orientation", json!({"orientation": "LANDSCAPE"})).await;
    assert_eq!(test.value("/S/window/rect").await, json!({"x": 0, "y": 0, "width": 844, "height": 390}));
    assert_eq!(test.value("/orientation").await, "LANDSCAPE");
    let upside_down = json!({"orientation": "UIA_DEVICE_ORIENTATION_PORTRAIT_UPSIDEDOWN"});
    assert_eq!(test.refused("POST", "/S/orientation", upside_down).await.0, 500);
    test.post("/wda/lock", json!({})).await;
    assert_eq!(test.value("/S/wda/locked").await, true);
    test.post("/wda/unlock", json!({})).await;
    assert_eq!(test.value("/wda/locked").await, false);
    test.post("/S/wda/setPasteboard", json!({"contentType": "plaintext", "content": "5bCP5piO"})).await;
    assert_eq!(test.post("/wda/getPasteboard", json!({})).await["value"], "5bCP5piO");
    assert_eq!(test.refused("POST", "/S/wda/pressButton", json!({"name": "power"})).await.0, 500);
}

#[tokio::test]
async fn wda_ends_when_it_is_asked_to() {
    let test = Test::opened("com.uixt.shop").await;
    assert_eq!(test.refused("POST", "/S/wda/touch_id", json!({"match": 1})).await.0, 404, "it is no simulator");
    test.post("/S/wda/siri/activate", json!({"text": "Open Settings"})).await;
    assert_eq!(test.value("/wda/activeAppInfo").await["bundleId"], "com.uixt.settings");
    assert_eq!(test.value("/wda/shutdown").await, "Shutting down");
    while TcpStream::connect(test.iphone.address()).await.is_ok() {
        tokio::task::yield_now().await;
    }
    assert!(test.iphone.system().lock().await.is_screen_on(), "the phone goes on");
}

#[tokio::test]
async fn an_iphones_keyboard_has_no_key_that_hides_it() {
    let test = Test::opened("com.uixt.shop").await;
    assert_eq!(test.refused("POST", "/S/wda/keyboard/dismiss", json!({})).await.0, 200);
    test.on("name == 'password'", "click", json!({})).await;
    let refused = test.refused("POST", "/S/wda/keyboard/dismiss", json!({"keyNames": ["Done"]})).await;
    assert_eq!(refused, (400, "invalid element state".to_owned()));
    assert!(test.find("class name", "XCUIElementTypeKeyboard").await.is_some());
    assert_eq!(test.refused("POST", "/S/wda/keyboard/dismiss", json!({"keyNames": ["Return"]})).await.0, 200);
}
