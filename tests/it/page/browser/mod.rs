//! The browser driver, with the real program on a real Chromium: by each way that leads to its pages, and to the end of all of it.

mod page_errors;
mod settings;
mod several;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::counterparts::program;
use crate::support::site::listen;
use crate::support::{Ran, Test, text};

/// Serves pages on loopback, as long as the test runs.
struct Site {
    address: String,
}

impl Site {
    fn start() -> Self {
        Self { address: listen(serve) }
    }

    fn page(&self, name: &str) -> String {
        format!("{}/{name}", self.address)
    }
}

fn serve(mut stream: TcpStream) {
    let mut lines = BufReader::new(stream.try_clone().expect("a stream")).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let path = first.split(' ').nth(1).unwrap_or_default().trim_start_matches('/').to_owned();
    let is_let_in = head.iter().any(|line| line == "Authorization: Basic YW5uOnNlY3JldA==");
    let (status, body) = match path.as_str() {
        "form" => ("200 OK", include_str!("form.html")),
        "second" => ("200 OK", "<!doctype html><title>Second</title><h1>Second page</h1>"),
        "told" => ("200 OK", include_str!("told.html")),
        "visits" => ("200 OK", include_str!("visits.html")),
        "private" if is_let_in => ("200 OK", "<!doctype html><h1>Let in</h1>"),
        "private" => ("401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"", "<h1>Who are you?</h1>"),
        "errors" => ("200 OK", include_str!("errors.html")),
        "hung" => (
            "200 OK",
            "<!doctype html><title>Hung</title><h1>Hung</h1><script>setTimeout(() => { for (;;); }, 1500)</script>",
        ),
        "file" => (
            "200 OK\r\nContent-Disposition: attachment; filename=\"../../../%2e%2e%2fevil name.txt\"",
            "what was downloaded",
        ),
        "download" => ("200 OK", "<!doctype html><title>Download</title><a href=file>Get it</a>"),
        "never" => {
            // A server that takes a request and says nothing.
            let _ = stream.read(&mut [0]);
            return;
        }
        _ => ("404 Not Found", "<h1>Nothing here</h1>"),
    };
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n", body.len());
    let _ = stream.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes());
}

/// Makes a test whose browsers have their folders in the test's own.
fn with(arguments: &[&str]) -> Test {
    program("chromium");
    Test::new(arguments).file("tmp/here", "")
}

fn command(test: &Test) -> std::process::Command {
    let mut command = test.command();
    command.env_remove("UIXT_BROWSER").env("TMPDIR", test.path("tmp"));
    command
}

fn run(test: Test) -> Ran {
    let output = command(&test).output().expect("the program starts");
    let left = processes(&test.path("tmp"));
    assert!(left.is_empty(), "left behind: {left:?}");
    let folders = left_in(&test.path("tmp"));
    assert!(folders.is_empty(), "left behind: {folders:?}");
    test.ran(&output)
}

/// Runs a testcase in the browser; `config` is what it says of that.
fn ran(config: &str, steps: &str) -> Ran {
    let case = format!("config: {{name: Case, browser: {{{config}}}}}\nteststeps:\n{steps}");
    run(with(&["run", "case.yaml", "--report-dir", "r", "--device", "browser"]).file("case.yaml", case))
}

/// Returns the processes, by their command lines, that name a folder.
fn processes(folder: &Path) -> Vec<(i32, String)> {
    let named = folder.to_string_lossy().into_owned();
    let entries = std::fs::read_dir("/proc").expect("a list of processes").flatten();
    let of = |entry: std::fs::DirEntry| {
        let id = entry.file_name().to_str()?.parse::<i32>().ok()?;
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(&named).then_some((id, line))
    };
    entries.filter_map(of).collect()
}

fn left_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).filter(|name| name != "here").collect()
}

/// Waits until nothing of a browser is left.
#[track_caller]
fn assert_gone(folder: &Path) {
    let end = Instant::now() + Duration::from_secs(10);
    while !processes(folder).is_empty() || !left_in(folder).is_empty() {
        assert!(Instant::now() < end, "left behind: {:?} {:?}", processes(folder), left_in(folder));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Tells whether a process of a page is of the same group as a browser, which begins one.
fn has_page(browser: i32) -> bool {
    let group = |id: i32| rustix::process::getpgid(rustix::process::Pid::from_raw(id)).ok();
    let pages = processes(Path::new("--type=renderer"));
    group(browser).is_some_and(|own| pages.iter().any(|(id, _)| group(*id) == Some(own)))
}

/// Waits until the browser's first process runs; returns its number.
#[track_caller]
fn browser_of(folder: &Path) -> i32 {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let found = processes(folder);
        let first = found.iter().find(|(_, line)| line.contains("--user-data-dir") && !line.contains("--type="));
        // The shell that becomes the browser names its folder, too; a page's process means that it has begun.
        if let Some((id, _)) = first.filter(|(id, _)| has_page(*id)) {
            return *id;
        }
        assert!(Instant::now() < end, "no browser has begun: {found:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[track_caller]
fn signal(process: i32, signal: Signal) {
    kill_process(Pid::from_raw(process).expect("a number"), signal).expect("it can be signalled");
}

fn id_of(child: &Child) -> i32 {
    i32::try_from(child.id()).expect("a number")
}

const WAYS: [&str; 3] = ["", "driver: chromedriver", "driver: chromedriver, protocol: webdriver"];

/// Steps that use what every phone can do.
fn form(site: &Site) -> String {
    format!(
        "- open_url: {}
- assert_visible: Sign in here
- input: {{text: '张三 😀 O''Neil <b>', into: {{id: user}}}}
- press_button: tab
- input: {{text: \"two\\nlines\"}}
- tap_element: Send
- assert_visible: 'Welcome, 张三 😀 O''Neil <b>'
- get_text: {{id: out}}
  save: greeting
- assert_value: {{value: $greeting, equals: 'Welcome, 张三 😀 O''Neil <b>'}}
- assert_visible: '2 lines'
- clear_text: {{into: {{id: user}}}}
- assert_text: {{id: user, equals: ''}}
- double_tap_xy: [0.9, 0.05]
- assert_visible: 'double: 2'
- swipe_coordinate: [100, 700, 100, 500]
- assert_visible: 'scrolled: 200'
- snapshot:
- screenshot:
- get_foreground_app:
  save: {{where: activity}}
- assert_value: {{value: $where, contains: /form}}
- tap_element: Second page
- assert_visible: {{role: heading, text: Second page}}
- back:
- assert_visible: Sign in here
",
        site.page("form")
    )
}

#[test]
fn a_form_is_filled_by_each_way_that_leads_to_a_page() {
    program("chromedriver");
    let site = Site::start();
    for way in WAYS {
        let ran = ran(&format!("width: 1000, height: 760, {way}"), &form(&site));
        let ran = ran.code(0);
        let summary = ran.read("r/journal.jsonl");
        assert!(summary.contains("1000") && summary.contains("760"), "{way}: a snapshot or picture tells the size");
    }
}

#[test]
fn a_webdriver_that_runs_somewhere_is_used_and_left_running() {
    let site = Site::start();
    let mut driver = std::process::Command::new(program("chromedriver"))
        .arg("--port=0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a driver");
    let mut said = BufReader::new(driver.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let port = said
        .find_map(|line| line.split_once("successfully on port ")?.1.trim_end_matches('.').parse::<u16>().ok())
        .expect("it tells its port");
    let url = format!("http://127.0.0.1:{port}");
    let root = if rustix::process::geteuid().is_root() { ", args: [--no-sandbox]" } else { "" };
    for protocol in ["devtools", "webdriver"] {
        ran(&format!("webdriver_url: '{url}', protocol: {protocol}{root}"), &form(&site)).code(0);
    }
    assert!(driver.try_wait().expect("a process").is_none(), "it was ended");
    driver.kill().expect("it can be killed");
    driver.wait().expect("its end");
    let gone = ran(&format!("webdriver_url: '{url}'"), "- open_url: about:blank\n").code(3);
    assert!(gone.stderr.contains("cannot be reached"), "{}", gone.stderr);
}

#[test]
fn pages_meet_what_the_config_says() {
    let site = Site::start();
    let steps = format!(
        "- open_url: {}\n- assert_visible: told zh-CN Asia/Shanghai 300x400@2 touch true UA/7\n- screenshot:\n",
        site.page("told")
    );
    let config =
        "mobile: true, width: 300, height: 400, scale: 2, locale: zh-CN, timezone: Asia/Shanghai, user_agent: UA/7";
    ran(config, &steps).code(0);
    let private = format!("- open_url: {}\n- assert_visible: Let in\n", site.page("private"));
    ran("http_credentials: {username: ann, password: secret}", &private).code(0);
    ran("http_credentials: {username: ann, password: wrong}", &private).code(1);
    let refused = ran("protocol: webdriver, driver: chromedriver, timezone: Asia/Shanghai", &steps).code(3);
    assert!(refused.stderr.contains("timezone"), "{}", refused.stderr);
    ran("timezone: Nowhere/Here", &steps).code(3).says("such as Europe/Berlin");
    ran("permissions: [fly]", &steps).code(3).says("it takes geolocation");
    ran("locale: zh_CN", &steps).code(2).says("a language tag, such as zh-CN");
    ran("storage_state: nowhere.json", &steps).code(3).says("from the testcase's folder");
    ran("width: 0", &steps).code(2).says("case.yaml");
    ran("colour: red", &steps).code(2).says("unknown key");
}

#[test]
fn every_case_has_a_profile_of_its_own() {
    let site = Site::start();
    let case = format!("teststeps:\n- open_url: {}\n- assert_visible: 'visits: 1 cookies: 1'\n", site.page("visits"));
    let both = format!("{case}- open_url: {}\n- assert_visible: 'visits: 2 cookies: 2'\n", site.page("visits"));
    let test = with(&["run", ".", "--report-dir", "r", "--device", "browser"]);
    run(test.file("a.yaml", &both).file("b.yaml", &case).file("c.yaml", &both)).code(0).says("3 passed");
}

#[test]
fn state_is_taken_from_a_file() {
    let site = Site::start();
    let state = serde_json::json!({
        "cookies": [{"name": "visits", "value": "5", "domain": "127.0.0.1", "path": "/", "expires": -1}],
        "origins": [{"origin": site.address, "localStorage": [{"name": "visits", "value": "7"}]}],
    });
    let case = format!(
        "config: {{browser: {{storage_state: state.json}}}}\nteststeps:\n- open_url: {0}\n- assert_visible: 'visits: 8 cookies: 6'\n- open_url: {0}\n- assert_visible: 'visits: 9 cookies: 7'\n",
        site.page("visits")
    );
    let test = with(&["run", "case.yaml", "--report-dir", "r"]).file("case.yaml", case);
    run(test.file("state.json", state.to_string())).code(0);
}

#[test]
fn a_dialog_is_told_and_holds_up_nothing() {
    let site = Site::start();
    for way in WAYS {
        let steps =
            format!("- open_url: {}\n- tap_element: Ask me\n- assert_visible: Sign in here\n", site.page("form"));
        let began = Instant::now();
        let ran = ran(way, &steps).code(1);
        assert!(
            ran.stderr.contains("a dialog of the page is open") && ran.stderr.contains("Are you sure?"),
            "{}",
            ran.stdout
        );
        assert!(began.elapsed() < Duration::from_secs(20), "{way}: {:?}", began.elapsed());
    }
}

#[test]
fn what_cannot_be_opened_says_so() {
    let site = Site::start();
    let nobody = crate::support::nobody();
    let refused = ran("", &format!("- open_url: http://{nobody}/\n")).code(3);
    assert!(refused.stderr.contains("ERR_CONNECTION_REFUSED"), "{}", refused.stderr);
    ran("", &format!("- open_url: {{url: '{}', status: 404}}\n- assert_visible: Nothing here\n", site.page("missing")))
        .code(0);
    let nowhere = ran("", &format!("- open_url: {}\n- back:\n", site.page("form"))).code(1);
    assert!(nowhere.stderr.contains("no page before"), "{}", nowhere.stderr);
}

#[test]
fn nothing_is_left_of_a_run_that_is_killed() {
    let site = Site::start();
    let steps = format!("- open_url: {}\n- sleep: 60\n", site.page("form"));
    for number in 0u64..20 {
        let way = WAYS[usize::from(number % 5 == 4)];
        let case = format!("config: {{browser: {{{way}}}}}\nteststeps:\n{steps}");
        let test = with(&["run", "case.yaml", "--report-dir", "r"]).file("case.yaml", case);
        let mut child = command(&test).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        // At another moment every time: while the browser starts, while its page loads, and later.
        if number % 2 == 0 {
            browser_of(&test.path("tmp"));
        }
        std::thread::sleep(Duration::from_millis(number * 25));
        child.kill().expect("it can be killed");
        child.wait().expect("its end");
        assert_gone(&test.path("tmp"));
    }
}

#[test]
fn nothing_is_left_of_a_run_that_is_interrupted() {
    let site = Site::start();
    let case = format!("config: {{browser: {{}}}}\nteststeps:\n- open_url: {}\n- sleep: 60\n", site.page("form"));
    let test = with(&["run", "case.yaml", "--report-dir", "r"]).file("case.yaml", case);
    let child = command(&test).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    browser_of(&test.path("tmp"));
    signal(id_of(&child), Signal::INT);
    let output = child.wait_with_output().expect("its end");
    assert_eq!(output.status.code(), Some(130));
    let left = (processes(&test.path("tmp")), left_in(&test.path("tmp")));
    assert!(left.0.is_empty() && left.1.is_empty(), "{left:?}");
}

#[test]
fn a_browser_that_ends_by_itself_fails_its_case_and_no_other() {
    let site = Site::start();
    let first = format!(
        "config: {{browser: {{}}}}\nteststeps:\n- open_url: {}\n- wait_for: {{text: never there, timeout: 200}}\n- assert_visible: more\n",
        site.page("form")
    );
    let second = format!(
        "config: {{browser: {{}}}}\nteststeps:\n- open_url: {0}\n- assert_visible: Sign in here\n",
        site.page("form")
    );
    let test = with(&["run", ".", "--report-dir", "r"]).file("a.yaml", first).file("b.yaml", second);
    let began = Instant::now();
    let child = command(&test).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let browser = browser_of(&test.path("tmp"));
    std::thread::sleep(Duration::from_millis(700));
    signal(browser, Signal::KILL);
    let output = child.wait_with_output().expect("its end");
    assert_gone(&test.path("tmp"));
    let ran = test.ran(&output).code(3);
    assert!(ran.stderr.contains("the browser ended by itself") && ran.stderr.contains("signal: 9"), "{}", ran.stderr);
    assert!(began.elapsed() < Duration::from_secs(100), "{:?}", began.elapsed());
    let cases = ran.json("r/summary.json");
    let outcomes: Vec<&Value> = crate::support::items(&cases["cases"]).iter().map(|case| &case["outcome"]).collect();
    assert_eq!(outcomes, ["errored", "passed"], "{}", ran.stderr);
}

#[test]
fn a_browser_that_ends_while_a_page_loads_is_told_as_that() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = silent.local_addr().expect("its address");
    let case = format!("config: {{browser: {{}}}}\nteststeps:\n- open_url: http://{address}/\n");
    let test = with(&["run", "a.yaml", "--report-dir", "r"]).file("a.yaml", case);
    let child = command(&test).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let browser = browser_of(&test.path("tmp"));
    let asked = silent.accept().expect("a request that nobody answers");
    let began = Instant::now();
    signal(browser, Signal::KILL);
    let output = child.wait_with_output().expect("its end");
    drop(asked);
    let ran = test.ran(&output).code(3);
    assert!(ran.stderr.contains("the browser ended by itself") && ran.stderr.contains("signal: 9"), "{}", ran.stderr);
    assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
}

#[test]
fn a_browser_is_used_only_where_it_is_named() {
    let site = Site::start();
    let case = format!("teststeps:\n- open_url: {}\n", site.page("form"));
    let nobody = crate::support::nobody();
    let unnamed = with(&["run", "case.yaml", "--adb-server", &nobody]).file("case.yaml", &case);
    run(unnamed).code(2);
    let step = format!(
        "teststeps:\n- browser: {{actions: [{{method: open_url, params: {}}}, {{method: assert_visible, params: Sign in here}}]}}\n",
        site.page("form")
    );
    let named = with(&["run", "case.yaml", "--device", "phone", "--report-dir", "r"]).file("case.yaml", step);
    run(named).code(0);
    let listed = run(with(&["devices", "--format", "json", "--adb-server", &nobody])).code(0);
    let devices = listed.printed();
    let browser =
        crate::support::items(&devices).iter().find(|device| device["platform"] == "browser").expect("listed");
    assert_eq!((text(&browser["serial"]), text(&browser["status"])), ("chrome", "installed"));
}

#[test]
fn where_there_is_no_browser_it_says_how_to_get_one() {
    let case = "config: {requires: [browser], browser: {}}\nteststeps:\n- open_url: about:blank\n";
    let test = Test::new(&["run", "case.yaml", "--report-dir", "r"]).file("case.yaml", case);
    test.run().code(0).says("1 skipped");
    let test = Test::new(&["run", "case.yaml", "--report-dir", "r", "--no-skip"]).file("case.yaml", case);
    test.run().code(3);
    let case = "config: {browser: {binary: /nowhere/chrome}}\nteststeps:\n- open_url: about:blank\n";
    let test = Test::new(&["run", "case.yaml", "--report-dir", "r"]).file("case.yaml", case);
    let missing = test.run().code(3);
    assert!(
        missing.stderr.contains("/nowhere/chrome") && missing.stderr.contains("apt-get install chromium"),
        "{}",
        missing.stdout
    );
}
