//! What the config says of a browser, seen from the other end: by the page, by a proxy, in a folder.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Site, command, processes, ran, run, with};
use crate::support::{Ran, Test};

/// A proxy that speaks HTTP and SOCKS 5, answers everything itself, and keeps what it was asked for.
struct Proxy {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let kept = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || answer(stream, &kept).unwrap_or_default());
            }
        });
        Self { address, asked }
    }
}

fn answer(mut stream: TcpStream, asked: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut first = [0];
    stream.peek(&mut first)?;
    let mut way = "http".to_owned();
    if first == [5] {
        way = format!("socks5 {}", greet(&mut stream)?);
    }
    let mut lines = BufReader::new(stream.try_clone()?).lines().map_while(Result::ok);
    let line = lines.next().unwrap_or_default();
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let target = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let body = format!("<!doctype html><title>Proxy</title><link rel=icon href='data:,'><p>proxy {target}</p>");
    asked.lock().expect("no panic").push(format!("{way} {target}"));
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n", body.len());
    stream.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes())
}

/// Takes a SOCKS 5 connection (RFC 1928) to a name; returns that.
fn greet(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut head = [0; 2];
    stream.read_exact(&mut head)?;
    stream.read_exact(&mut vec![0; head[1].into()])?;
    stream.write_all(&[5, 0])?;
    let mut request = [0; 5];
    stream.read_exact(&mut request)?;
    let mut name = vec![0; request[4].into()];
    stream.read_exact(&mut name)?;
    stream.read_exact(&mut [0; 2])?;
    stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;
    Ok(String::from_utf8_lossy(&name).into_owned())
}

/// Runs testcases in one browser, each of a name, of what its config says and of its steps.
fn cases(all: &[(&str, String, String)]) -> Test {
    all.iter().fold(with(&["run", "c", "--report-dir", "r", "--device", "browser"]), |test, (name, config, steps)| {
        test.file(&format!("c/{name}.yaml"), format!("config: {{name: {name}, {config}}}\nteststeps:\n{steps}"))
    })
}

const GEOLOCATION: &str =
    "- evaluate: \"navigator.permissions.query({name: 'geolocation'}).then((it) => it.state)\"\n  save: state\n";

fn asks_for_place(site: &Site, state: &str) -> String {
    format!("- open_url: {}\n{GEOLOCATION}- assert_value: {{value: $state, equals: {state}}}\n", site.page("form"))
}

/// Waits for a download, whatever it is called.
const ARRIVED: &str = "- shell: {string: 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do ls got c/got 2>/dev/null | grep -q txt$$ && exit 0; sleep 0.2; done; exit 1'}\n";

#[test]
fn proxies_permissions_and_downloads_are_what_pages_meet() {
    let (site, proxy) = (Site::start(), Proxy::start());
    let by_proxy = |scheme: &str| format!("browser: {{proxy: '{scheme}://{}'}}", proxy.address);
    let opens =
        |path: &str, told: &str| format!("- open_url: http://shop.test/{path}\n- assert_visible: proxy {told}\n");
    let download = format!("- open_url: {}\n- tap_element: Get it\n{ARRIVED}", site.page("download"));
    let here = format!("- open_url: {}\n- assert_visible: 'proxy {}'\n", site.page("here"), site.page("here"));
    let ran = run(cases(&[
        ("http", by_proxy("http"), opens("a?b=1", "http://shop.test/a?b=1") + &here),
        ("socks", by_proxy("socks5"), opens("c", "/c")),
        ("granted", "browser: {permissions: [geolocation]}".into(), asks_for_place(&site, "granted")),
        ("refused", "browser: {permissions: [notifications]}".into(), asks_for_place(&site, "denied")),
        ("downloads", "browser: {downloads: got}".into(), download),
    ]));
    let ran = ran.code(0);
    let asked = proxy.asked.lock().expect("no panic").clone();
    for wanted in [
        "http http://shop.test/a?b=1".to_owned(),
        format!("http {}", site.page("here")),
        "socks5 shop.test /c".to_owned(),
    ] {
        assert!(asked.contains(&wanted), "{wanted}: {asked:?}");
    }
    let got = files(&ran, "c/got");
    assert_eq!(got.len(), 1, "{got:?}");
    assert!(!got[0].contains(['/', '\\', '%']) || got[0].starts_with(".._"), "{got:?}");
    assert_eq!(ran.read(&format!("c/got/{}", got[0])), "what was downloaded");
    let others = [files(&ran, "c"), files(&ran, ".")].concat();
    assert!(!others.iter().any(|name| name.contains("evil")), "{others:?}");
}

fn files(ran: &Ran, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(ran.path(folder)).expect("a folder").flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

const REDUCED: &str = "- evaluate: \"matchMedia('(prefers-reduced-motion: reduce)').matches\"\n  save: reduced\n- assert_value: {value: $reduced, equals: true}\n";

#[test]
fn arguments_and_capabilities_reach_the_browser() {
    let site = Site::start();
    let steps = format!("- open_url: {}\n{REDUCED}", site.page("form"));
    ran("args: [--force-prefers-reduced-motion]", &steps).code(0);
    let capability = "capabilities: {'goog:chromeOptions': {args: [--force-prefers-reduced-motion]}}";
    ran(&format!("driver: chromedriver, width: 700, height: 500, {capability}"), &steps).code(0);
    ran(capability, &steps).code(2).says("`capabilities` is for a WebDriver");
    ran("protocol: webdriver", &steps).code(2).says("`protocol` is for a WebDriver");
    ran("proxy: 'http://a:b@127.0.0.1:1'", &steps).code(2).says("holds no password");
    let wrong = ran("permissions: [time travel]", &steps).code(3);
    assert!(wrong.stderr.contains("time travel") || wrong.stderr.contains("ermission"), "{}", wrong.stderr);
}

#[test]
fn what_is_asked_of_pages_holds_behind_a_webdriver_too() {
    let site = Site::start();
    let state = json!({
        "cookies": [{"name": "visits", "value": "5", "domain": "127.0.0.1", "path": "/", "expires": -1}],
        "origins": [{"origin": site.address, "localStorage": [{"name": "visits", "value": "7"}]}],
    });
    let private = format!("- open_url: {}\n- assert_visible: Let in\n", site.page("private"));
    let visits = format!("- open_url: {}\n- assert_visible: 'visits: 8 cookies: 6'\n", site.page("visits"));
    let download = format!("- open_url: {}\n- tap_element: Get it\n{ARRIVED}", site.page("download"));
    let all =
        format!("{}{private}- open_tab: {}\n{visits}{download}", asks_for_place(&site, "granted"), site.page("form"));
    let config = "browser: {driver: chromedriver, permissions: [geolocation], http_credentials: {username: ann, password: secret}, storage_state: .state.json, downloads: got}";
    run(cases(&[("all", config.into(), all)]).file("c/.state.json", state.to_string())).code(0);
    let scaled = "- open_url: about:blank\n- evaluate: devicePixelRatio\n  save: scale\n- assert_value: {value: $scale, equals: 2}\n";
    ran("driver: chromedriver, scale: 2", scaled).code(0);
    ran("driver: chromedriver, protocol: webdriver, scale: 2", scaled).code(0);
}

#[test]
fn options_of_httprunner_do_what_theirs_do_or_are_warned_of() {
    let site = Site::start();
    let case = format!(
        "config:\n  name: c\n  browser:\n  - {{browser_id: b1, log_on: true, ignore_popup: true, width: 640, height: 480}}\nteststeps:\n- open_url: {}\n- evaluate: innerWidth * 1000 + innerHeight\n  save: size\n- assert_value: {{value: $size, equals: 640480}}\n",
        site.page("form")
    );
    let ran = run(with(&["run", "case.yaml", "--report-dir", "r"]).file("case.yaml", &case)).code(0);
    for key in ["browser_id", "log_on"] {
        assert!(ran.stderr.contains(&format!("`{key}` has no effect")), "{}", ran.stderr);
    }
    assert!(!ran.stderr.contains("ignore_popup"), "{}", ran.stderr);
    let checked = run(with(&["check", "case.yaml"]).file("case.yaml", &case)).code(0);
    assert!(checked.stderr.contains("case.yaml:4:18: `browser_id` has no effect"), "{}", checked.stderr);
}

#[test]
fn a_window_opens_on_a_screen_where_one_is_wanted() {
    let steps = "- open_url: about:blank\n- sleep: 1.5\n";
    let case = format!("config: {{name: c, browser: {{headed: true}}}}\nteststeps:\n{steps}");
    let dark = with(&["run", "case.yaml", "--report-dir", "r"]).file("case.yaml", &case);
    let mut without = command(&dark);
    let output = without.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().expect("the program starts");
    dark.ran(&output).code(3).says("there is no screen for its window");
    let server = Command::new("Xvfb")
        .args(["-displayfd", "1", "-nolisten", "tcp"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut server) = server else {
        println!("skipped: there is no Xvfb");
        return;
    };
    let mut number = String::new();
    BufReader::new(server.stdout.take().expect("a pipe")).read_line(&mut number).expect("a display");
    let test = with(&["run", "case.yaml", "--report-dir", "r"]).file("case.yaml", &case);
    let child = command(&test)
        .env("DISPLAY", format!(":{}", number.trim()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let child = child.expect("it starts");
    let end = Instant::now() + Duration::from_secs(20);
    let has_page = |line: &str| line.contains("--type=renderer");
    while !processes(&test.path("tmp")).iter().any(|(_, line)| has_page(line)) && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
    let seen = processes(&test.path("tmp"));
    let ran = test.ran(&child.wait_with_output().expect("its end"));
    server.kill().expect("it can be killed");
    server.wait().expect("its end");
    ran.code(0);
    assert!(!seen.is_empty() && !seen.iter().any(|(_, line)| line.contains("--headless")), "{seen:?}");
}

#[test]
fn the_storage_of_every_site_is_kept_and_taken_back() {
    let (one, other) = (Site::start(), Site::start());
    let (one, other) = (one.page("visits"), other.page("visits"));
    let first = format!(
        "- open_url: {one}\n- open_url: {other}\n- open_url: {other}\n- save_storage_state: {{path: .state.json}}\n  save: {{sites: origins, cookies: count}}\n- assert_value: {{value: $sites, equals: 2}}\n- list_tabs:\n  save: {{tabs: count}}\n- assert_value: {{value: $tabs, equals: 1}}\n- assert_visible: 'visits: 2 cookies: 3'\n"
    );
    let second = format!(
        "- open_url: {one}\n- assert_visible: 'visits: 2 cookies: 4'\n- open_url: {other}\n- assert_visible: 'visits: 3 cookies: 5'\n"
    );
    let taken = "browser: {storage_state: .state.json}".to_owned();
    let ran = run(cases(&[("a", "browser: {}".into(), first), ("b", taken, second)])).code(0);
    let state = ran.json("c/.state.json");
    assert_eq!(state["cookies"][0].as_object().map(|cookie| cookie.contains_key("size")), Some(false), "{state}");
}

#[test]
fn paths_of_pages_continue_the_base_url() {
    let site = Site::start();
    let base = format!("base_url: '{}', browser: {{}}", site.address);
    let steps = "- open_url: /form\n- assert_visible: Sign in here\n- open_tab: /second\n- assert_visible: Second page\n- assert_url: /second\n";
    let variable = format!("variables: {{host: '{}'}}, base_url: $host/, browser: {{}}", site.address);
    run(cases(&[("base", base, steps.into()), ("variable", variable, steps.into())])).code(0);
    let served = with(&["run", "c", "--report-dir", "r"])
        .file("uixt.yaml", "device: browser\nserve: s\n")
        .file("s/app/page.html", "<!doctype html><h1>Below</h1>")
        .file("c/a.yaml", "config: {base_url: /app}\nteststeps:\n- open_url: /page.html\n- assert_visible: Below\n")
        .file("c/b.yaml", "teststeps:\n- open_url: /app/page.html\n- assert_visible: Below\n");
    run(served).code(0).says("2 passed");
    let none = ran("", "- open_url: /form\n").code(3);
    assert!(none.stderr.contains("write `base_url` in the config"), "{}", none.stderr);
    let wrong =
        run(cases(&[("wrong", "base_url: shop.test, browser: {}".into(), "- open_url: /form\n".into())])).code(3);
    assert!(wrong.stderr.contains("needs a scheme: http://shop.test"), "{}", wrong.stderr);
}

#[test]
fn what_a_browser_cannot_be_is_told_before_it_starts_or_by_its_key() {
    let steps = "\nteststeps:\n- open_url: 'data:text/html,a'\n";
    let case = |browser: &str| format!("config: {{name: a, browser: {{{browser}}}}}{steps}");
    for (browser, said) in
        [("width: abc", "c.yaml:1:36: `width`"), ("engine: opera", "`engine`"), ("proxy: foo", "`proxy`")]
    {
        Test::new(&["check", "c.yaml"]).file("c.yaml", case(browser)).run().code(2).says(said);
        let test = Test::new(&["check", "--format", "json", "c.yaml"]).file("c.yaml", case(browser)).run().code(2);
        assert!(test.printed()["errors"][0]["message"].as_str().is_some_and(|message| message.contains(said)));
    }
    Test::new(&["check", "c.yaml"]).file("c.yaml", case("width: $wide")).run().code(2).says("wide");
    for (browser, said) in [
        ("timezone: Mars/Olympus", "does not take `timezone` of the config's `browser`: Invalid timezone"),
        ("permissions: [geo]", "does not take `permissions` of the config's `browser`: Unknown permission type"),
    ] {
        run(with(&["run", "c.yaml", "--device", "browser", "--report-dir", "r"]).file("c.yaml", case(browser)))
            .code(3)
            .says(said);
    }
}

#[test]
fn a_browser_that_is_named_and_not_there_skips_nothing() {
    let test = |variable: &str| {
        let case = "config: {name: a, requires: browser}\nteststeps:\n- log: a\n";
        let test = Test::new(&["run", "c.yaml", "--report-dir", "r"]).file("c.yaml", case);
        let output = test.command().env("UIXT_BROWSER", variable).output().expect("the program starts");
        test.ran(&output)
    };
    test("/no/such/browser").code(2).says("UIXT_BROWSER: there is no program /no/such/browser");
    test("none").code(0).says("1 skipped");
}
