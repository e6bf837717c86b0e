//! What operations are tried on: a device with a page, or a screen, of the same words; and another way to see what came of them.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use uixt::adb::{Device, Server};
use uixt::driver::android::Android;
use uixt::driver::browser::{Engine, Launch, Platform, Settings};
use uixt::driver::{Driver, Element, Error, Point, Rect, Registry};
use uixt::driver::{harmony, ios};
use uixt::phone::system::Options;
use uixt::phone::{HarmonyOptions, HarmonyPhone, Iphone, IphoneOptions, Phone};
use uixt::site::Site;
use uixt_hdc as hdc;

use crate::support::http;
use crate::support::sample_runs::folder;

pub(super) type Checked<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'a>>;
pub(super) type Check = for<'a> fn(&'a Ground) -> Checked<'a>;

pub(super) const WAYS: [&str; 6] = [
    "a phone",
    "an iPhone",
    "a HarmonyOS phone",
    "Chromium",
    "Chromium by chromedriver",
    "Chromium by WebDriver alone",
];

/// The app that has the pad, and the browser.
const APPS: [&str; 2] = ["com.uixt.touchlab", "chrome"];

const PATIENCE: Duration = Duration::from_secs(10);

/// Tells all that can be seen of a page, and what a person could know of it.
const SEE: &str = "() => [...document.querySelectorAll('input')].map((one) => one.id + '=' + one.value).concat([location.href, \
                   document.title, 'focus=' + document.activeElement.id, 'scrolled=' + (scrollY > 100), document.cookie, \
                   innerWidth + 'x' + innerHeight, document.body.innerText]).join('\\n')";

/// A device that a test has for itself.
pub(super) struct Ground {
    pub(super) way: &'static str,
    pub(super) driver: Arc<dyn Driver>,
    pub(super) app: &'static str,
    /// The phone by adb itself; none on a page.
    device: Option<Device>,
    _phone: Option<Phone>,
    iphone: Option<Iphone>,
    harmony: Option<HarmonyPhone>,
    site: Site,
    folder: TempDir,
}

impl Ground {
    pub(super) async fn start(way: &'static str) -> Self {
        let site = Site::start(&folder("tests/site")).await.expect("a site");
        let folder = tempfile::tempdir().expect("a folder");
        if way == WAYS[0] {
            let phone = Phone::start(Options::default(), 0).await.expect("a phone starts");
            let server = Server::new(phone.address().to_string());
            let device = server.device("uixt-phone");
            let driver = Arc::new(Android::open(server, "uixt-phone", None).await.expect("the phone is there"));
            let (app, device) = (APPS[0], Some(device));
            let phone = Some(phone);
            return Self { way, driver, app, device, _phone: phone, iphone: None, harmony: None, site, folder };
        }
        if way == WAYS[1] {
            let iphone = Iphone::start(IphoneOptions { mjpeg_port: Some(0), ..IphoneOptions::default() });
            let iphone = iphone.await.expect("an iPhone starts");
            let registry = Registry::new(vec![Box::new(ios::Platform::new(ios::Options::default()))]);
            let address = format!("http://{}", iphone.address());
            let driver = registry.open(Some("ios"), Some(&address)).await.expect("the iPhone is there");
            let (app, iphone) = (APPS[0], Some(iphone));
            return Self { way, driver, app, device: None, _phone: None, iphone, harmony: None, site, folder };
        }
        if way == WAYS[2] {
            let phone = HarmonyPhone::start(vec![HarmonyOptions::default()]).await.expect("a phone starts");
            let server = Some(phone.address().to_string());
            let platform = harmony::Platform::new(&harmony::Options { server, ..harmony::Options::default() });
            let registry = Registry::new(vec![Box::new(platform)]);
            let driver = registry.open(Some("harmony"), None).await.expect("the phone is there");
            let (app, harmony) = (APPS[0], Some(phone));
            return Self { way, driver, app, device: None, _phone: None, iphone: None, harmony, site, folder };
        }
        let driver = (way != WAYS[3]).then(|| "chromedriver".into());
        let launch = Launch { driver, plain_webdriver: way == WAYS[5], ..Launch::default() };
        let platform = Platform::default();
        platform.begin(Settings { launch, ..Settings::default() });
        let driver = platform.browser(Engine::Chrome);
        Self { way, driver, app: APPS[1], device: None, _phone: None, iphone: None, harmony: None, site, folder }
    }

    pub(super) async fn close(&self) {
        self.driver.close().await;
    }

    /// Returns the address of a page, and that of the pad.
    pub(super) fn url(&self, page: &str) -> String {
        format!("{}/{page}", self.site.address())
    }

    pub(super) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Has the phone's own shell do something: what only phones can is proved by nothing else.
    #[track_caller]
    pub(super) fn shell(&self, command: &str) -> impl Future<Output = String> + Send {
        let server = self.harmony.as_ref().map(|phone| hdc::Server::new(phone.address().to_string()));
        let device = self.device.clone();
        assert!(device.is_some() || server.is_some(), "a phone: nothing else can prove this");
        let command = command.to_owned();
        async move {
            if let Some(server) = server {
                let output = server.shell("uixt-harmony", "a command", &command, PATIENCE * 2).await;
                let bytes = output.unwrap_or_else(|error| panic!("{command}: {error}"));
                return String::from_utf8_lossy(&bytes).into_owned();
            }
            let device = device.expect("a phone");
            let output = device.shell(&command).await.unwrap_or_else(|error| panic!("{command}: {error}"));
            String::from_utf8_lossy(&output.stdout).into_owned()
        }
    }

    pub(super) fn is_phone(&self) -> bool {
        self.device.is_some()
    }

    pub(super) fn is_iphone(&self) -> bool {
        self.iphone.is_some()
    }

    pub(super) fn is_harmony(&self) -> bool {
        self.harmony.is_some()
    }

    /// Returns the command of a phone's shell that lists what is installed.
    pub(super) fn list(&self) -> &'static str {
        if self.is_harmony() { "bm dump -a" } else { "pm list packages" }
    }

    pub(super) fn is_page(&self) -> bool {
        !self.is_phone() && !self.is_iphone() && !self.is_harmony()
    }

    /// Asks the iPhone's `WebDriverAgent` by hand; `S` in the path stands for the session that lives.
    #[track_caller]
    pub(super) fn wda(&self, method: &str, path: &str, body: &Value) -> Value {
        let address = self.iphone.as_ref().expect("an iPhone: nothing else can prove this").address().to_string();
        let ask = |method: &str, path: &str, body: &Value| {
            let lines = [("Content-Type", "application/json")];
            let body = if body.is_null() { String::new() } else { body.to_string() };
            // The iPhone is answered by the same threads.
            let answer = tokio::task::block_in_place(|| http::ask(&address, method, path, &lines, &body));
            assert!(answer.status == 200, "{method} {path}: {}", answer.body());
            serde_json::from_str::<Value>(&answer.body()).expect("JSON")
        };
        let Some(rest) = path.strip_prefix("S/") else { return ask(method, path, body)["value"].clone() };
        let live = || ask("GET", "/status", &Value::Null)["sessionId"].as_str().map(str::to_owned);
        let begun = || ask("POST", "/session", &json!({"capabilities": {}}))["sessionId"].as_str().map(str::to_owned);
        let session = live().or_else(begun).expect("a session");
        ask(method, &format!("/session/{session}/{rest}"), body)["value"].clone()
    }

    /// Asks the page itself.
    pub(super) async fn page(&self, function: &str) -> Value {
        let answer = self.driver.evaluate(function, &[], PATIENCE).await;
        answer.unwrap_or_else(|error| panic!("{function}: {error}"))
    }

    /// Returns all that can be seen, by another way than the driver's own look.
    pub(super) async fn sight(&self) -> String {
        match () {
            () if self.is_phone() => {
                self.shell("uiautomator dump /sdcard/seen.xml >/dev/null; cat /sdcard/seen.xml").await
            }
            () if self.is_iphone() => {
                self.wda("GET", "/source?format=xml", &Value::Null).as_str().expect("XML").to_owned()
            }
            () if self.is_harmony() => {
                let said =
                    self.shell("uitest dumpLayout -p /data/local/tmp/seen.json; cat /data/local/tmp/seen.json").await;
                said.split_once('\n').expect("a dump").1.to_owned()
            }
            () => self.page(SEE).await.as_str().expect("a text").to_owned(),
        }
    }

    /// Waits until something can be seen.
    pub(super) async fn sees(&self, text: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            let sight = self.sight().await;
            if sight.contains(text) {
                return;
            }
            assert!(Instant::now() < end, "{}: no {text} in {sight}", self.way);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Puts a fresh pad in front, without the operations that are tried on it.
    pub(super) async fn pad(&self) {
        if self.is_phone() {
            self.shell("am force-stop com.uixt.touchlab; am start -W -n com.uixt.touchlab/.MainActivity").await;
            self.touch_raw("Gesture pad").await;
            self.sees("Touch here").await;
        } else if self.is_iphone() {
            self.wda("POST", "S/wda/apps/terminate", &json!({"bundleId": APPS[0]}));
            self.wda("POST", "S/wda/apps/launch", &json!({"bundleId": APPS[0]}));
            self.touch_raw("Gesture pad").await;
            self.sees("Touch here").await;
        } else if self.is_harmony() {
            self.shell("aa force-stop com.uixt.touchlab; aa start -a EntryAbility -b com.uixt.touchlab").await;
            self.touch_raw("Gesture pad").await;
            self.sees("Touch here").await;
        } else {
            self.driver.open_url(&self.url("pad.html"), None).await.expect("the page opens");
        }
    }

    /// Touches what has a text, by the phone's own shell or by hand.
    pub(super) async fn touch_raw(&self, text: &str) {
        self.sees(if self.is_phone() { text } else { text.trim_start_matches('/') }).await;
        let sight = self.sight().await;
        if self.is_harmony() {
            let dump: Value = serde_json::from_str(&sight).expect("JSON");
            let at = middle(&dump, text).unwrap_or_else(|| panic!("no {text} in {sight}"));
            self.shell(&format!("uitest uiInput click {} {}", at.0, at.1)).await;
            return;
        }
        let document = roxmltree::Document::parse(&sight).expect("XML");
        let is_it = |node: &roxmltree::Node<'_, '_>| {
            let names = ["text", "label", "name"].into_iter().filter_map(|name| node.attribute(name));
            names.clone().any(|name| name == text || text.strip_prefix('/') == Some(name))
                || node.attribute("resource-id").is_some_and(|id| id.ends_with(text))
        };
        let node = document.descendants().find(is_it).unwrap_or_else(|| panic!("no {text} in {sight}"));
        if self.is_iphone() {
            let number = |name: &str| node.attribute(name).and_then(|text| text.parse::<i32>().ok()).expect("a number");
            let at = (number("x") + number("width") / 2, number("y") + number("height") / 2);
            self.wda("POST", "S/wda/tap", &json!({"x": at.0, "y": at.1}));
            return;
        }
        let bounds = node.attribute("bounds").expect("bounds");
        let numbers: Vec<i32> = bounds.split(['[', ']', ',']).filter_map(|part| part.parse().ok()).collect();
        let at = (i32::midpoint(numbers[0], numbers[2]), i32::midpoint(numbers[1], numbers[3]));
        self.shell(&format!("input tap {} {}", at.0, at.1)).await;
    }

    /// Puts the cursor into the field of a fresh pad, which holds a text.
    pub(super) async fn cursor(&self, text: &str) {
        self.pad().await;
        if self.is_phone() {
            self.touch_raw("/note").await;
            self.shell(&format!("input text {text}")).await;
        } else if self.is_iphone() {
            self.touch_raw("/note").await;
            let letters: Vec<String> = text.chars().map(String::from).collect();
            self.wda("POST", "S/wda/keys", &json!({"value": letters}));
        } else if self.is_harmony() {
            self.touch_raw("/note").await;
            if !text.is_empty() {
                self.shell(&format!("uitest uiInput text '{text}'")).await;
            }
        } else {
            let put = format!(
                "() => {{ const note = document.getElementById('note'); note.focus(); note.value = {}; note.setSelectionRange(99, 99); }}",
                json!(text)
            );
            self.page(&put).await;
        }
    }

    /// Returns where an element lies, by its id.
    pub(super) async fn element(&self, id: &str) -> Element {
        let screen = self.driver.screen().await.expect("a screen");
        let mut found = None;
        for root in &screen.roots {
            root.walk(&mut |element| {
                found = found.take().or_else(|| (element.short_id() == id).then(|| element.clone()));
            });
        }
        found.unwrap_or_else(|| panic!("{}: nothing is called {id}", self.way))
    }

    /// Returns a place on a fresh pad, in parts of its width and height.
    pub(super) async fn place(&self, x: f64, y: f64) -> Point {
        let Rect { left, top, right, bottom } = self.element("pad").await.rect;
        Point { x: f64::from(left) + f64::from(right - left) * x, y: f64::from(top) + f64::from(bottom - top) * y }
    }
}

/// Returns the middle of what has a text, or behind a `/` an id, in a dump of `uitest`.
fn middle(node: &Value, text: &str) -> Option<(i32, i32)> {
    let attributes = &node["attributes"];
    let is_it = attributes["text"] == text || text.strip_prefix('/').is_some_and(|id| attributes["id"] == id);
    let bounds = attributes["bounds"].as_str().filter(|_| is_it).map(|bounds| {
        let numbers: Vec<i32> = bounds.split(['[', ']', ',']).filter_map(|part| part.parse().ok()).collect();
        (i32::midpoint(numbers[0], numbers[2]), i32::midpoint(numbers[1], numbers[3]))
    });
    bounds.or_else(|| node["children"].as_array()?.iter().find_map(|child| middle(child, text)))
}
