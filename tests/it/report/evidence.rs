//! What is told of a failure and kept of it: 50 faults of the phone's apps and of pages, each with its cause in a short text; the
//! files beside that; what MCP hands out of them.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::path::Path;

use serde_json::json;

use crate::support::counterparts::program;
use crate::support::mcp_stdio::Server;
use crate::support::site::listen;
use crate::support::{Ran, Test, text};

/// How many of the faults must have their cause named.
const LEAST: usize = 50;
/// The most tokens of a text.
const MOST_TOKENS: usize = 400;

/// A fault: the steps that meet it, and what the cause must say.
type Fault = (&'static str, &'static str, &'static [&'static str]);

const CRASHED: &[&str] = &[
    "Cause: com.uixt.trouble crashed: java.lang.IllegalStateException: the Crash button was touched (at com.uixt.trouble.",
];
const HUNG: &[&str] = &["Cause: com.uixt.trouble does not respond (ANR)"];

const ON_PHONE: [Fault; 22] = [
    ("crash, then a text", "@crash\n- tap_element: Crash\n- assert_text: {id: status, equals: x, timeout: 1}", CRASHED),
    ("crash, then a look", "@crash\n- tap_element: Crash\n- assert_visible: {text: Count, timeout: 1}", CRASHED),
    ("crash, then a touch", "@crash\n- tap_element: Crash\n- tap_element: {text: Count, timeout: 1}", CRASHED),
    ("crash, then a wait", "@crash\n- tap_element: Crash\n- wait_for: {id: status, timeout: 1}", CRASHED),
    (
        "crash, its dialog closed",
        "@crash\n- tap_element: Crash\n- close_popups:\n- assert_visible: {text: Count, timeout: 1}",
        CRASHED,
    ),
    (
        "crash after a touch that did its work",
        "@crash\n- tap_element: Count\n- tap_element: Crash\n- assert_text: {id: status, equals: x, timeout: 1}",
        CRASHED,
    ),
    (
        "hang, then a text",
        "@hang\n- tap_element: Hang for ever\n- assert_text: {id: status, equals: x, timeout: 2}",
        HUNG,
    ),
    ("hang, then a touch", "@hang\n- tap_element: Hang for ever\n- tap_element: {text: Count, timeout: 2}", HUNG),
    ("hang, then a look", "@hang\n- tap_element: Hang for ever\n- assert_visible: {text: Count, timeout: 2}", HUNG),
    (
        "hang, the app closed",
        "@hang\n- tap_element: Hang for ever\n- tap_element: Close app\n- assert_visible: {text: Count, timeout: 1}",
        HUNG,
    ),
    (
        "a pop-up lies over the app",
        "@popups\n- wait_for: Do you like Trouble?\n- tap_element: {text: Buy, timeout: 0.1}",
        &["a dialog lies over the app", "Do you like Trouble?"],
    ),
    (
        "the system asks for the camera",
        "- app_clear: com.uixt.trouble\n@permission\n- tap_element: Take a picture\n- assert_visible: {text: The camera may be used, timeout: 1}",
        &["a dialog of the system lies over the app: Allow Trouble to take pictures"],
    ),
    (
        "the system asks for the location",
        "- app_clear: com.uixt.trouble\n@permission\n- tap_element: Say where I am\n- assert_visible: {text: The location may be used, timeout: 1}",
        &["a dialog of the system lies over the app: ", "location"],
    ),
    ("a button stays disabled", "@enabling\n- tap_element: {text: Send, timeout: 0.5}", &["\"Send\"", "disabled"]),
    (
        "a result comes late",
        "@late\n- tap_element: Search\n- tap_element: {text: Open the result, timeout: 0.1}",
        &["\"Open the result\": not there within 0.1 s"],
    ),
    (
        "a wrong text",
        "@hang\n- assert_text: {id: status, equals: Hung once, timeout: 0.5}",
        &["\"Never hung\" does not equal \"Hung once\""],
    ),
    ("two of a name", "@duplicates\n- tap_element: {text: Remove, timeout: 0.5}", &["elements match"]),
    (
        "a misspelt button",
        "- app_clear: com.uixt.shop\n- app_launch: com.uixt.shop\n- tap_element: {text: Sing in, timeout: 0.5}",
        &["\"Sing in\": not there", "nearest text: \"Sign in\""],
    ),
    (
        "a touch that does nothing",
        "- app_clear: com.uixt.shop\n- app_launch: com.uixt.shop\n- tap_element: {id: help}\n- assert_visible: {text: Zzz, timeout: 0.5}",
        &["Cause: nothing has changed on the screen since ", "#help"],
    ),
    (
        "another role",
        "- app_clear: com.uixt.shop\n- app_launch: com.uixt.shop\n- tap_element: {role: slider, text: Sign in, timeout: 0.5}",
        &["there is button \"Sign in\""],
    ),
    (
        "a wrong default",
        "- app_clear: com.uixt.shop\n- app_launch: com.uixt.shop\n- assert_state: {text: Remember me, checked: true, timeout: 0.5}",
        &["\"Remember me\"", "not checked"],
    ),
    (
        "another app in front",
        "- app_launch: com.uixt.shop\n- assert_foreground_app: com.uixt.trouble",
        &["com.uixt.shop", "com.uixt.trouble"],
    ),
];

/// Faults of a page: the script of its button, what is looked for after it was clicked, and the cause.
const OF_PAGE: [Fault; 28] = [
    ("500 of GET", "fetch('/api/500/cart')", &["Cause: likely the page's request GET /api/500/cart answered 500"]),
    (
        "500 of POST",
        "fetch('/api/500/order', {method: 'POST'})",
        &["Cause: likely the page's request POST /api/500/order answered 500"],
    ),
    ("502", "fetch('/api/502/cart')", &["GET /api/502/cart answered 502"]),
    ("503 of DELETE", "fetch('/api/503/row', {method: 'DELETE'})", &["DELETE /api/503/row answered 503"]),
    ("404", "fetch('/api/404/none')", &["GET /api/404/none answered 404"]),
    ("403 of PUT", "fetch('/api/403/row', {method: 'PUT'})", &["PUT /api/403/row answered 403"]),
    ("401", "fetch('/api/401/me')", &["GET /api/401/me answered 401"]),
    (
        "500 by XMLHttpRequest",
        "const x = new XMLHttpRequest(); x.open('GET', '/api/500/x'); x.send()",
        &["GET /api/500/x answered 500"],
    ),
    (
        "a script that is not there",
        "const s = document.createElement('script'); s.src = '/api/404/a.js'; document.head.append(s)",
        &["GET /api/404/a.js answered 404"],
    ),
    ("500 beside a 404", "fetch('/api/404/b').then(() => fetch('/api/500/c'))", &["GET /api/500/c answered 500"]),
    (
        "500, then a script that throws",
        "fetch('/api/500/d').then((answer) => { throw new Error('no cart') })",
        &["GET /api/500/d answered 500"],
    ),
    ("a connection that breaks off", "fetch('/drop/a')", &["the page's request GET /drop/a failed (net::ERR_"]),
    (
        "a connection that breaks off a POST",
        "fetch('/drop/b', {method: 'POST'})",
        &["the page's request POST /drop/b failed (net::ERR_"],
    ),
    ("a server that is not there", "fetch('http://127.0.0.1:1/x')", &["the page's request GET /x failed ("]),
    ("TypeError", "null.total", &["Cause: likely script: ", "TypeError"]),
    ("ReferenceError", "noSuchThing()", &["Cause: likely script: ", "ReferenceError"]),
    ("SyntaxError", "JSON.parse('<html>')", &["Cause: likely script: ", "SyntaxError"]),
    ("RangeError", "new Array(-1)", &["Cause: likely script: ", "RangeError"]),
    (
        "an error of the app's own",
        "throw new Error('the cart is lost')",
        &["Cause: likely script: ", "the cart is lost"],
    ),
    ("a promise that nobody catches", "Promise.reject(new Error('no stock'))", &["no stock"]),
    ("console.error", "console.error('the total is wrong')", &["Cause: likely console: the total is wrong"]),
    ("console.assert", "console.assert(false, 'rows differ')", &["rows differ"]),
    ("a dead button", "0", &["Cause: nothing has changed on the screen since button \"Go\" was tapped"]),
    (
        "a button that is disabled",
        "document.body.innerHTML = '<button disabled>Zzz</button>'",
        &["\"Zzz\"", "disabled"],
    ),
    (
        "a covered button",
        "document.body.innerHTML = '<button>Zzz</button><div style=\"position:fixed;inset:0\" id=veil>Wait</div>'",
        &["\"Zzz\"", "veil"],
    ),
    (
        "a hidden button",
        "document.body.innerHTML = '<button style=\"visibility:hidden\">Zzz</button>'",
        &["\"Zzz\": is there, but"],
    ),
    (
        "a page that still loads",
        "document.body.innerHTML = '<main id=cart aria-busy=true>x</main>'",
        &["Cause: the page is still loading: #cart says that it is busy"],
    ),
    (
        "a misspelt button",
        "document.body.innerHTML = '<button>Zzzz</button><p>x</p>'; document.querySelector('button').textContent = 'Zzy'",
        &["nearest text: \"Zzy\""],
    ),
];

/// Serves a page with a button, statuses at `/api/STATUS/…`, and connections that break off.
fn serve() -> String {
    listen(answer)
}

fn answer(mut stream: TcpStream) {
    let (mut first, mut line) = (String::new(), String::new());
    let mut lines = BufReader::new(stream.try_clone().expect("a stream"));
    let _ = lines.read_line(&mut first);
    while lines.read_line(&mut line).is_ok_and(|read| read > 2) {
        line.clear();
    }
    let path = first.split(' ').nth(1).unwrap_or_default();
    if path.starts_with("/drop/") {
        return;
    }
    let status = path.strip_prefix("/api/").and_then(|rest| rest.split('/').next()).unwrap_or("200");
    let body = "<!doctype html><link rel=icon href=data:,><title>Cart</title><button>Go</button>";
    let length = body.len();
    let head = format!("HTTP/1.1 {status} Said\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n");
    let _ = stream.write_all((head + body).as_bytes());
    let _ = lines.read_line(&mut line);
}

fn case(name: &str, steps: &str) -> String {
    let steps: Vec<String> = steps
        .lines()
        .map(|line| match line.strip_prefix('@') {
            Some(page) => format!("- app_terminate: com.uixt.trouble\n- open_url: uixt-trouble://{page}"),
            None => line.to_owned(),
        })
        .collect();
    format!("config: {{name: {}}}\nteststeps:\n{}\n", json!(name), steps.join("\n"))
}

fn of_page(address: &str, name: &str, script: &str) -> String {
    let bind = format!("(() => {{ document.querySelector('button').onclick = () => {{ {script} }} }})()");
    case(
        name,
        &format!(
            "- open_url: {address}/page\n- evaluate: {}\n- tap_element: Go\n- tap_element: {{text: Zzz, timeout: 0.7}}",
            json!(bind)
        ),
    )
}

/// Runs faults, a file each; returns the text of each case's failure by the file's name.
fn texts(device: &str, cases: &[(String, String)]) -> (Ran, BTreeMap<String, String>) {
    let mut test = Test::new(&["run", "cases", "--device", device, "--report-dir", "r"]);
    for (file, text) in cases {
        test = test.file(&format!("cases/{file}.yaml"), text);
    }
    let output = test.web_command().output().expect("the program starts");
    let ran = test.ran(&output);
    let folders = fs::read_dir(ran.path("r/evidence")).expect("evidence").flatten();
    let texts = folders.filter_map(|folder| {
        let name = folder.file_name().into_string().ok()?;
        let file = cases.iter().map(|(file, _)| file).find(|file| name.contains(file.as_str()))?;
        Some((file.clone(), fs::read_to_string(folder.path().join("failure.md")).ok()?))
    });
    let texts = texts.collect();
    (ran, texts)
}

fn tokens(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii).count().div_ceil(4) + text.chars().filter(|c| !c.is_ascii()).count()
}

#[test]
fn the_cause_of_fifty_faults_is_named_in_a_short_text() {
    program("chromium");
    let address = serve();
    let named = |(number, text): (usize, String), kind: &str| (format!("{kind}{number:02}"), text);
    let phone = ON_PHONE.iter().map(|(name, steps, _)| case(name, steps)).enumerate();
    let phone: Vec<_> = phone.map(|numbered| named(numbered, "app")).collect();
    let page = OF_PAGE.iter().map(|(name, script, _)| of_page(&address, name, script)).enumerate();
    let page: Vec<_> = page.map(|numbered| named(numbered, "web")).collect();
    let (on_phone, of_page) = std::thread::scope(|scope| {
        let on_phone = scope.spawn(|| texts("phone", &phone).1);
        let of_page = texts("browser", &page).1;
        (on_phone.join().expect("the phone's faults"), of_page)
    });
    let faults = ON_PHONE.iter().zip(phone).chain(OF_PAGE.iter().zip(page));
    let (mut unnamed, mut all) = (Vec::new(), 0);
    for ((name, _, causes), (file, _)) in faults {
        all += 1;
        let text = on_phone.get(&file).or_else(|| of_page.get(&file)).map_or("", String::as_str);
        let cause = text.lines().find(|line| line.starts_with("Cause: ")).unwrap_or_default();
        assert!(tokens(text) <= MOST_TOKENS, "{name}: {} tokens\n{text}", tokens(text));
        if let Some(missing) = causes.iter().find(|word| !cause.contains(**word)) {
            unnamed.push(format!("{name}: `{missing}` is not in\n{text}"));
        }
    }
    assert!(all >= 50 && all - unnamed.len() >= LEAST, "{} of {all}\n{}", all - unnamed.len(), unnamed.join("\n"));
    println!("{} of {all} named\n{}", all - unnamed.len(), unnamed.join("\n"));
}

fn crashing(options: &[&str]) -> Ran {
    let steps = "@crash\n- tap_element: Crash\n- assert_text: {id: status, equals: x, timeout: 1}";
    let arguments = ["run", "crash.yaml", "--device", "phone", "--report-dir", "r"];
    Test::new(&[&arguments, options].concat()).file("crash.yaml", case("A crash", steps)).run().code(1)
}

#[test]
fn a_failed_step_leaves_its_elements_and_its_log() {
    let ran = crashing(&[]).says("com.uixt.trouble crashed: java.lang.IllegalStateException");
    let summary = ran.json("r/summary.json");
    let steps = summary["cases"][0]["steps"].as_array().expect("steps").clone();
    let failed = steps.iter().find(|step| step["outcome"] == "failed").expect("a failed step");
    let evidence = &failed["attempts"][0]["actions"][0]["error"]["details"]["evidence"];
    let read = |key: &str| ran.read(&format!("r/{}", text(&evidence[key])));
    assert!(read("log").contains(" E AndroidRuntime: FATAL EXCEPTION: main"), "{}", read("log"));
    assert!(read("tree").contains("Trouble has stopped") && read("tree").len() <= 256 * 1024);
    assert!(read("before").contains("\"Crash\""), "{}", read("before"));
    assert!(Path::new(&ran.path("r").join(text(&evidence["after"]))).is_file());
    let html = ran.read("r/report.html");
    assert!(html.contains("class=inspector") && html.contains("FATAL EXCEPTION"));
    assert!(!crashing(&["--evidence", "none"]).path("r/evidence").join("crash-yaml-0/step-4").exists());
    let all = crashing(&["--evidence", "all"]);
    assert!(all.path("r/evidence/crash-yaml-0/step-1/tree.json").is_file());
    assert!(all.read("r/journal.jsonl").contains("evidence of step 1: evidence/crash-yaml-0/step-1"));
}

#[test]
fn mcp_hands_out_the_text_of_a_report() {
    let ran = crashing(&[]);
    let written = ran.read("r/evidence/crash-yaml-0/failure.md");
    let mut server = Server::start_with(&["--allow-dir", ran.path("").to_str().expect("a path")]);
    server.initialize();
    let mut said = |arguments: serde_json::Value| {
        let answer = server.ask(2, "prompts/get", &json!({"name": "explain_failure", "arguments": arguments}));
        let told = answer["result"]["messages"][0]["content"]["text"].as_str();
        told.or(answer["error"]["message"].as_str()).expect("a text").to_owned()
    };
    assert_eq!(said(json!({"report": "r"})), written);
    assert_eq!(said(json!({"report": "r", "case": "crash.yaml#0"})), written);
    assert!(said(json!({"report": "r", "case": "other"})).contains("those that did: crash-yaml-0"));
    assert!(said(json!({"report": "../r"})).contains("there is no failure in a report"));
}

#[test]
fn a_crash_that_the_app_came_back_from_is_no_cause() {
    let steps = "@crash\n- tap_element: Crash\n- sleep_ms: 600\n- tap_element: Open app again\n- assert_visible: Late elements\n- assert_visible: {text: Zzz, timeout: 0.5}";
    let arguments = ["run", "a.yaml", "--device", "phone", "--report-dir", "r"];
    let ran = Test::new(&arguments).file("a.yaml", case("Back", steps)).run().code(1);
    assert!(!ran.stderr.contains("crashed"), "{}", ran.stderr);
}

/// Failures after a trouble that was dealt with: the steps, and how the message begins.
const DEALT_WITH: [(&str, &str); 5] = [
    (
        "@hang\n- tap_element: Hang for 1.3 s\n- wait_for: Wait\n- tap_element: Wait\n- assert_text: {id: status, equals: \"Hung 1 time, 0 taps\"}\n- assert_visible: {text: Zzz, timeout: 0.3}",
        "\"Zzz\": not there",
    ),
    (
        "@hang\n- tap_element: Hang for 1.3 s\n- wait_for: Wait\n- tap_element: Wait\n- assert_text: {id: status, equals: x, timeout: 4}",
        "id status: \"Hung 1 time, 0 taps\" does not equal \"x\"",
    ),
    (
        "@crash\n- tap_element: Crash\n- close_popups:\n- app_launch: com.uixt.shop\n- assert_visible: {text: Zzz, timeout: 0.3}",
        "\"Zzz\": not there",
    ),
    (
        "@crash\n- tap_element: Crash\n- tap_element: Open app again\n- assert_visible: Late elements\n- assert_visible: {text: Zzz, timeout: 0.3}",
        "\"Zzz\": not there",
    ),
    (
        "@crash\n- tap_element: Crash\n- tap_element: Close app\n- app_launch: com.uixt.shop\n- tap_element: {text: Sing in, timeout: 0.3}",
        "\"Sing in\": not there",
    ),
];

#[test]
fn what_was_dealt_with_is_no_cause() {
    let cases: Vec<_> =
        DEALT_WITH.iter().enumerate().map(|(n, (steps, _))| (format!("app{n}"), case("x", steps))).collect();
    let (_, texts) = texts("phone", &cases);
    for ((file, _), (steps, begins)) in cases.iter().zip(DEALT_WITH) {
        let text = &texts[file];
        assert!(text.contains(&format!("Cause: {begins}")), "{steps}\n{text}");
    }
}

/// Failures on a page with faults that do not explain them: the scripts of loading and of the button, the step, and the cause.
const OF_NO_MATTER: [(&str, &str, &str, &str); 7] = [
    (
        "console.error('old')",
        "document.querySelector('button').textContent = 'Paid'",
        "tap_element: {text: Zzz, timeout: 0.5}",
        "Cause: \"Zzz\": not there",
    ),
    (
        "0",
        "const i = new Image(); i.src = '/api/404/face'; document.body.append(i)",
        "tap_element: {text: Zzz, timeout: 0.5}",
        "Cause: \"Zzz\": not there",
    ),
    (
        "0",
        "console.error('noise'); document.body.innerHTML = '<button>Sign in</button>'",
        "tap_element: {text: Sing in, timeout: 0.5}",
        "Cause: \"Sing in\": not there within 0.5 s; nearest text: \"Sign in\"",
    ),
    (
        "0",
        "fetch('/api/500/save'); document.body.innerHTML = '<p id=s>Lost</p>'",
        "assert_text: {id: s, equals: Saved, timeout: 0.5}",
        "Cause: id s: \"Lost\" does not equal \"Saved\" within 0.5 s; meanwhile the page's request GET /api/500/save answered 500",
    ),
    (
        "0",
        "document.body.innerHTML = '<h1>Cart</h1><dialog id=d><p>Get news</p><button>No</button></dialog>'; d.showModal()",
        "tap_element: {text: Zzz, timeout: 0.5}",
        "Cause: the page shows the dialog \"Get news\"",
    ),
    (
        "0",
        "document.body.innerHTML = '<h1>Cart</h1><div role=dialog aria-modal=true aria-label=Cookies style=\"position:fixed;inset:0\"><button>Yes</button></div>'",
        "tap_element: {text: Zzz, timeout: 0.5}",
        "Cause: the page shows the dialog \"Cookies\"",
    ),
    (
        "0",
        "document.body.innerHTML = '<h1>Cart</h1><div role=dialog aria-label=Cookies>We use cookies</div>'",
        "tap_element: {text: Zzz, timeout: 0.5}",
        "Cause: \"Zzz\": not there",
    ),
];

#[test]
fn a_page_s_faults_of_no_matter_are_no_cause() {
    program("chromium");
    let address = serve();
    let cases = OF_NO_MATTER.iter().enumerate().map(|(n, (loads, script, step, _))| {
        let bind = format!("(() => {{ {loads}; document.querySelector('button').onclick = () => {{ {script} }} }})()");
        let steps = format!("- open_url: {address}/page\n- evaluate: {}\n- tap_element: Go\n- {step}", json!(bind));
        (format!("web{n}"), case("x", &steps))
    });
    let cases: Vec<_> = cases.collect();
    let (_, texts) = texts("browser", &cases);
    for ((file, _), (_, script, _, cause)) in cases.iter().zip(OF_NO_MATTER) {
        let text = &texts[file];
        assert!(text.contains(cause), "{script}\n{text}");
    }
}

/// Returns the evidence that the failure of a run's only case names.
fn named(ran: &Ran) -> serde_json::Value {
    let summary = ran.json("r/summary.json");
    let steps = summary["cases"][0]["steps"].as_array().expect("steps").clone();
    let failed = steps.iter().find(|step| step["outcome"] == "failed").expect("a failed step");
    failed["attempts"][0]["actions"][0]["error"]["details"]["evidence"].clone()
}

fn in_shop(end: &str, options: &[&str]) -> Ran {
    let steps = format!(
        "- app_clear: com.uixt.shop\n- app_launch: com.uixt.shop\n- input: {{text: ming, into: User name}}\n{end}"
    );
    let arguments = ["run", "a.yaml", "--device", "phone", "--report-dir", "r"];
    Test::new(&[&arguments, options].concat()).file("a.yaml", case("Shop", &steps)).run()
}

#[test]
fn the_screen_before_a_failure_is_the_last_picture_of_it() {
    let fails = "- assert_visible: {text: Nobody, timeout: 0.3}";
    let ran = in_shop(fails, &["--screenshots", "step"]).code(1);
    let evidence = named(&ran);
    assert_eq!(evidence["before_step"], 3, "{evidence}");
    assert!(ran.path("r").join(text(&evidence["before_picture"])).is_file(), "{evidence}");
    assert_ne!(evidence["before_picture"], evidence["after"]);
    assert!(ran.read("r/report.html").contains("<figcaption>before, at step 3</figcaption>"));
    // Nothing is taken before a step that passes, and where nothing was taken, nothing is named.
    assert_eq!(named(&in_shop(fails, &[]).code(1)).get("before_picture"), None);
    assert!(!in_shop("- assert_visible: Sign in", &[]).code(0).path("r/screenshots").exists());
}

#[test]
fn with_all_evidence_each_step_that_acts_has_its_screen_before() {
    let ran = in_shop("- tap_element: Sign in\n- assert_visible: {text: Nobody, timeout: 0.3}", &["--evidence", "all"])
        .code(1);
    for (step, at) in [(2, 2), (3, 3), (4, 4)] {
        let told = ran.json(&format!("r/evidence/a-yaml-0/step-{step}/pictures.json"));
        assert_eq!(told["before_step"], at, "{told}");
        assert!(ran.path("r").join(text(&told["before_picture"])).is_file(), "{told}");
    }
    let evidence = named(&ran);
    assert_eq!(
        (&evidence["before_step"], evidence["before_picture"] != evidence["after"]),
        (&json!(4), true),
        "{evidence}"
    );
    let pictures: Vec<Vec<u8>> = fs::read_dir(ran.path("r/screenshots"))
        .expect("pictures")
        .flatten()
        .map(|file| fs::read(file.path()).expect("a picture"))
        .collect();
    let distinct: std::collections::BTreeSet<&Vec<u8>> = pictures.iter().collect();
    assert_eq!(distinct.len(), pictures.len(), "each picture once");
}

#[test]
fn a_page_s_console_and_network_are_kept_whole_without_secrets() {
    program("chromium");
    let script = "console.log('the cart opens'); fetch('/api/200/rows?token=abcdef-0123456789').then(() => fetch('/api/500/cart'))";
    let arguments = ["run", "a.yaml", "--device", "browser", "--report-dir", "r"];
    let test = Test::new(&arguments).file("a.yaml", of_page(&serve(), "Cart", script));
    let output = test.web_command().output().expect("the program starts");
    let ran = test.ran(&output).code(1);
    let evidence = named(&ran);
    let console = ran.read(&format!("r/{}", text(&evidence["console"])));
    assert!(console.lines().any(|line| line.ends_with(" log the cart opens") && line.starts_with("20")), "{console}");
    let network = ran.json(&format!("r/{}", text(&evidence["network"])));
    let of = |part: &str| {
        network
            .as_array()
            .expect("a list")
            .iter()
            .find(|request| text(&request["url"]).contains(part))
            .expect(part)
            .clone()
    };
    let failed = of("/api/500/cart");
    assert_eq!(
        (&failed["status"], &failed["method"], &failed["mime"]),
        (&json!(500), &json!("GET"), &json!("text/html"))
    );
    assert!(failed["bytes"].as_f64().is_some_and(|bytes| bytes > 50.0) && failed["ms"].is_number(), "{failed}");
    let rows = of("/api/200/rows");
    assert_eq!(rows["status"], 200);
    assert!(!text(&rows["url"]).contains("abcdef-0123456789"), "{rows}");
    let html = ran.read("r/report.html");
    assert!(
        html.contains("<summary>console</summary>") && html.contains("500 GET http://127.0.0.1:"),
        "not in the report"
    );
    // The trace has them in its own tabs.
    let ran = ran.then(&["report", "r", "--trace", "--output", "t.zip"]).code(0);
    let listed = std::process::Command::new("python3")
        .args(["-c", "import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read('trace.network').decode())"])
        .arg(ran.path("t.zip"))
        .output()
        .expect("Python starts");
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(
        listed.lines().any(|line| line.contains("resource-snapshot") && line.contains("/api/500/cart")),
        "{listed}"
    );
}

#[test]
fn an_agent_is_told_that_the_app_crashed_or_hangs() {
    let mut server = Server::start();
    server.initialize();
    let mut call = |tool: &str, arguments: serde_json::Value| {
        let answer = server.ask(7, "tools/call", &json!({"name": tool, "arguments": arguments}));
        answer["result"]["structuredContent"]["message"].as_str().unwrap_or_default().to_owned()
    };
    call("open_url", json!({"url": "uixt-trouble://crash"}));
    call("tap_element", json!({"text": "Crash"}));
    let said = call("tap_element", json!({"text": "Count", "timeout": 0.5}));
    assert!(said.starts_with("com.uixt.trouble crashed: java.lang.IllegalStateException"), "{said}");
}

#[test]
fn the_log_of_a_failure_holds_nothing_of_the_case_before() {
    let steps = "@crash\n- tap_element: Crash\n- assert_text: {id: status, equals: x, timeout: 0.5}";
    let next = "- close_popups:\n- app_clear: com.uixt.shop\n- app_launch: com.uixt.shop\n- assert_visible: {text: Nobody, timeout: 0.3}";
    let ran = Test::new(&["run", "a.yaml", "b.yaml", "--device", "phone", "--report-dir", "r"])
        .file("a.yaml", case("A crash", steps))
        .file("b.yaml", case("The next", next))
        .run()
        .code(1);
    assert!(ran.read("r/evidence/a-yaml-0/failure.md").contains("E AndroidRuntime: java.lang.IllegalStateException"));
    let text = ran.read("r/evidence/b-yaml-0/failure.md");
    assert!(text.contains("Nobody") && !text.contains("AndroidRuntime"), "{text}");
    let log = ran.read("r/evidence/b-yaml-0/step-4/log.txt");
    assert!(log.contains("com.uixt.shop") && !log.contains("FATAL EXCEPTION"), "{log}");
}
