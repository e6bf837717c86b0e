//! Other browsers than Chromium, and remote ends of WebDriver that hang, lie, or cannot do what they are asked: what works does, and
//! the rest is an error in time that says so.
//!
//! Tests of Firefox and `WebKit` are passed over, with a word on why, where their programs are not.

use std::io::Read as _;
use std::net::TcpStream;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Ran, Test, raw_server};

/// What a remote end was asked, in order.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Vec<Request>>>);

struct Request {
    line: String,
    authorization: String,
    body: Value,
}

impl Asked {
    fn lines(&self) -> Vec<String> {
        self.0.lock().expect("a list").iter().map(|request| request.line.clone()).collect()
    }

    /// Returns what the session was asked to be, and by whom.
    fn session(&self) -> (Value, String) {
        let requests = self.0.lock().expect("a list");
        let begun =
            requests.iter().find(|request| request.line.ends_with("/session")).expect("a session was asked for");
        (begun.body["capabilities"]["alwaysMatch"].clone(), begun.authorization.clone())
    }
}

/// Starts a server whose paths' first part says how it lies; returns where, and what it is asked.
fn liar() -> (String, Asked) {
    let asked = Asked::default();
    let told = asked.clone();
    (raw_server::serve(move |request, stream| _ = lie(&request, stream, &told)), asked)
}

fn lie(request: &raw_server::Asked, mut stream: TcpStream, asked: &Asked) -> Option<()> {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let line = request.line.rsplit_once(' ').map_or(request.line.as_str(), |(line, _)| line).to_owned();
    let (kind, path) = line.split_once(" /")?.1.split_once('/')?;
    let answer = answer(kind, path, &body);
    let authorization = request.header("authorization").to_owned();
    asked.0.lock().expect("a list").push(Request { line: line.clone(), authorization, body });
    match answer {
        Some((status, text)) => raw_server::reply(stream, status, &[], text.as_bytes()),
        // It takes the request and says nothing, until the other end goes.
        None => _ = stream.read(&mut [0]),
    }
    Some(())
}

fn answer(kind: &str, path: &str, body: &Value) -> Option<(&'static str, String)> {
    let good = |value: Value| Some(("200 OK", json!({"value": value}).to_string()));
    let bad = |error: &str| Some(("404 Not Found", json!({"value": {"error": error, "message": "no"}}).to_string()));
    match (kind, path) {
        ("hangs", _) => None,
        ("html", _) => Some(("200 OK", "<h1>Hello</h1>".to_owned())),
        ("private", _) => Some(("401 Unauthorized", "who?".to_owned())),
        ("nowhere", _) => Some(("404 Not Found", "not here".to_owned())),
        ("empty", "session") => Some(("200 OK", "{}".to_owned())),
        ("nameless", "session") => good(json!({"capabilities": {}})),
        ("other", "session") => good(json!({"sessionId": "s", "capabilities": {"browserName": "firefox"}})),
        ("bare", "session") => good(json!({"sessionId": "s", "capabilities": {}})),
        (_, "session") => good(json!({"sessionId": "s", "capabilities": {"browserName": "chrome"}})),
        ("small", "session/s/execute/sync") => good(json!([500, 400, 500, 400])),
        (_, "session/s/execute/sync") if body["script"].as_str().is_some_and(|it| it.contains("innerWidth")) => {
            good(json!([1280, 800, 1280, 800]))
        }
        ("odd", "session/s/execute/sync") => good(json!("what?")),
        ("poor", path) if path.starts_with("session/s/") => bad("unknown command"),
        ("dead", path) if path.starts_with("session/s/") => bad("invalid session id"),
        _ => good(Value::Null),
    }
}

/// Runs a step by a remote end; `more` are other settings.
fn ran(url: &str, more: &str, step: &str) -> Ran {
    let case = format!("config: {{browser: {{webdriver_url: '{url}'{more}}}}}\nteststeps:\n- {step}\n");
    let ran = Test::new(&["run", "case.yaml", "--report-dir", "r"]).file("case.yaml", case);
    let output = ran.command().env_remove("UIXT_BROWSER").output().expect("the program starts");
    ran.ran(&output)
}

#[test]
fn what_is_no_remote_end_or_lies_is_told_in_time() {
    let (address, asked) = liar();
    for (kind, step, said) in [
        ("hangs", "open_url: about:blank", "did not answer in time"),
        ("html", "open_url: about:blank", "no WebDriver's answer"),
        ("private", "open_url: about:blank", "wants a name and a password"),
        ("nowhere", "open_url: about:blank", "is the path right?"),
        ("empty", "open_url: about:blank", "no WebDriver's answer"),
        ("nameless", "open_url: about:blank", "without an id"),
        ("other", "open_url: about:blank", "asked for chrome, and gives firefox"),
        ("small", "open_url: about:blank", "cannot be made 1280×800"),
        ("dead", "open_url: about:blank", "session is over"),
        ("odd", "assert_visible: Hello", "page"),
        ("well", "screenshot:", "no picture"),
    ] {
        let began = Instant::now();
        let ran = ran(&format!("http://{address}/{kind}"), "", step).code(3);
        assert!(ran.stderr.contains(said), "{kind}: {}", ran.stderr);
        assert!(began.elapsed() < Duration::from_secs(30), "{kind}: {:?}", began.elapsed());
    }
    let ended = |kind: &str| asked.lines().contains(&format!("DELETE /{kind}/session/s"));
    assert!(["other", "small", "well"].into_iter().all(ended), "{:?}", asked.lines());
}

#[test]
fn what_a_remote_end_cannot_do_is_unsupported() {
    let (address, _) = liar();
    for (kind, step, said) in [
        ("poor", "open_url: about:blank", "cannot do `url` in a session of this WebDriver"),
        ("poor", "back:", "cannot do `execute/sync`"),
        ("poor", "list_tabs:", "cannot do `window"),
        ("well", "wait_for: {request: /a, timeout: 1}", "tell a page's requests by WebDriver"),
        ("well", "save_storage_state: state.json", "tell a profile's state by WebDriver"),
    ] {
        let ran = ran(&format!("http://{address}/{kind}"), "", step).code(3);
        let told = ran.read("r/summary.json");
        assert!(told.contains("Unsupported") && ran.stderr.contains(said), "{step}: {}", ran.stderr);
    }
    for (more, said) in [
        (", timezone: Asia/Shanghai", "timezone"),
        (", engine: firefox, mobile: true", "mobile"),
        (", engine: firefox, downloads: here", "downloads"),
        (", engine: webkit, locale: de", "locale"),
    ] {
        let url = if more.contains("engine") { "bare" } else { "well" };
        let ran = ran(&format!("http://{address}/{url}"), more, "open_url: about:blank").code(3);
        assert!(ran.stderr.contains(said), "{more}: {}", ran.stderr);
    }
}

#[test]
fn what_the_user_says_reaches_the_remote_end() {
    let (address, asked) = liar();
    let more = ", proxy: 'socks5://127.0.0.1:9', scale: 1, capabilities: {'se:name': mine, 'goog:chromeOptions': {args: [--mute-audio]}}";
    let url = format!("http://ann:hush-4711@{address}/well/");
    let case = format!("config: {{browser: {{width: 1280{more}}}}}\nteststeps:\n- open_url: about:blank\n");
    let test = Test::new(&["run", "case.yaml", "--device", "browser", "--webdriver-url", &url, "--report-dir", "r"]);
    let ran = test.file("case.yaml", case).run().code(0);
    let shown = format!("{}{}{}", ran.stdout, ran.stderr, ran.read("r/summary.json"));
    assert!(!shown.contains("hush-4711"), "{shown}");
    let (wanted, by) = asked.session();
    assert_eq!(by, "Basic YW5uOmh1c2gtNDcxMQ==");
    assert_eq!((&wanted["se:name"], &wanted["proxy"]["socksVersion"]), (&json!("mine"), &json!(5)));
    assert_eq!(wanted["proxy"]["socksProxy"], "127.0.0.1:9");
    assert_eq!(wanted["goog:chromeOptions"]["args"], json!(["--headless=new", "--mute-audio"]));
}

#[test]
fn a_missing_browser_says_how_to_get_it() {
    for (browser, how) in [("firefox", "apt-get install firefox-esr"), ("webkit", "apt-get install webkit2gtk-driver")]
    {
        let case = format!("config: {{browser: {browser}}}\nteststeps:\n- open_url: about:blank\n");
        let test = Test::new(&["run", "case.yaml", "--report-dir", "r"]).file("case.yaml", case);
        let path = test.path("").into_os_string();
        let output = test.command().env_remove("UIXT_BROWSER").env("PATH", path).output().expect("the program starts");
        let ran = test.ran(&output).code(3);
        let is_elsewhere = Path::new("/usr/lib/firefox-esr/firefox-esr").is_file() && browser == "firefox";
        let how = if is_elsewhere { "cargo install geckodriver" } else { how };
        assert!(ran.stderr.contains(how), "{}", ran.stderr);
    }
    let case = "config: {browser: lynx}\nteststeps:\n- open_url: about:blank\n";
    Test::new(&["run", "case.yaml"]).file("case.yaml", case).run().code(2).says("chrome, firefox or webkit, not lynx");
}

/// Tells whether a program is there; says so where it is not.
fn is_there(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    if !found {
        println!("skipped: there is no {name} on the PATH");
    }
    found
}

/// Returns the processes that have a folder in their environment or command line.
fn processes(folder: &Path) -> Vec<String> {
    let named = folder.to_string_lossy().into_owned();
    let entries = std::fs::read_dir("/proc").expect("a list of processes").flatten();
    let of = |entry: std::fs::DirEntry| {
        let read =
            |name: &str| String::from_utf8_lossy(&std::fs::read(entry.path().join(name)).ok()?).into_owned().into();
        let (line, environment): (Option<String>, Option<String>) = (read("cmdline"), read("environ"));
        let line = line.filter(|line| !line.is_empty())?;
        (line.contains(&named) || environment.is_some_and(|it| it.contains(&named))).then(|| line.replace('\0', " "))
    };
    entries.filter_map(of).collect()
}

/// Fills a form in another browser, and looks for what is left of it.
fn fill_a_form_in(browser: &str) {
    let page = include_str!("browser/form.html");
    let test = Test::new(&["run", "case.yaml", "--report-dir", "r"]).file("tmp/here", "").file("site/form.html", page);
    let case = format!(
        "config: {{browser: {{engine: {browser}, width: 1000, height: 700}}}}\nteststeps:\n- open_url: /form.html\n\
         - assert_visible: Sign in here\n- input: {{text: '张三 😀', into: {{id: user}}}}\n- tap_element: Send\n\
         - assert_visible: 'Welcome, 张三 😀'\n- evaluate: '() => [innerWidth, innerHeight]'\n  save: {{size: result}}\n\
         - assert_value: {{value: $size, equals: [1000, 700]}}\n- wait_for: {{request: /a}}\n  optional: true\n"
    );
    let test = test.file("case.yaml", case).file("uixt.yaml", "serve: site\n");
    let output = test.command().env_remove("UIXT_BROWSER").env("TMPDIR", test.path("tmp")).output().expect("it starts");
    let left = processes(&test.path("tmp"));
    let ran = test.ran(&output).code(3);
    assert!(left.is_empty(), "left behind: {left:?}");
    let steps = ran.json("r/summary.json")["cases"][0]["steps"].clone();
    let outcomes: Vec<&Value> = crate::support::items(&steps).iter().map(|step| &step["outcome"]).collect();
    assert!(outcomes.iter().rev().skip(1).all(|outcome| **outcome == "passed"), "{outcomes:?} {}", ran.stderr);
    assert_eq!(outcomes.last().map(|outcome| outcome.as_str()), Some(Some("errored")), "{}", ran.stderr);
    assert!(ran.stderr.contains("tell a page's requests by WebDriver"), "{}", ran.stderr);
}

#[test]
fn a_form_is_filled_in_firefox() {
    if is_there("geckodriver") && (is_there("firefox") || is_there("firefox-esr")) {
        fill_a_form_in("firefox");
    }
}

#[test]
fn a_form_is_filled_in_webkit() {
    if is_there("WebKitWebDriver") && is_there("Xvfb") {
        fill_a_form_in("webkit");
    }
}
