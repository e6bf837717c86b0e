//! Tools that name elements by refs and by indexes, by the real program: they agree with what is documented, find by other ways
//! where the first fails, say why in codes, add up in the summary; and what an agent may open.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use uixt::tools;
use uixt::uniform::Definitions;

use crate::support::counterparts::program;
use crate::support::mcp_stdio::Server;
use crate::support::sample_runs::folder;
use crate::support::{Ran, Test, items, text};

fn page(name: &str) -> String {
    format!("file://{}", folder("tests/site").join(name).display())
}

/// Runs steps in the browser.
fn ran(steps: &str) -> Ran {
    program("chromium");
    let case = format!("config: {{name: c, browser: {{width: 1000, height: 700}}}}\nteststeps:\n{steps}");
    in_browser(case)
}

fn in_browser(case: String) -> Ran {
    let test = Test::new(&["run", "case.yaml", "--report-dir", "r", "--device", "browser"]).file("case.yaml", case);
    let output = test.web_command().output().expect("the program starts");
    test.ran(&output)
}

#[test]
fn tools_of_browser_use_take_what_their_definitions_say() {
    let mut count = 0;
    for definition in Definitions::shipped().of("browser_use") {
        let name = definition.name.as_str();
        let tool = tools::find(name).filter(|tool| tool.name == name);
        let tool = tool.unwrap_or_else(|| panic!("{name} is not in the table"));
        count += 1;
        let schema = tool.schema();
        let required: Vec<&str> = schema.required().collect();
        let published = schema.published();
        let told: BTreeMap<&str, (Vec<&str>, bool, Option<f64>)> = items_of(&published)
            .filter(|(name, _)| *name != "serial")
            .map(|(name, property)| {
                let default = property.get("default").and_then(Value::as_f64);
                (name, (vec![text(&property["type"])], required.contains(&name), default))
            })
            .collect();
        let wanted: BTreeMap<&str, (Vec<&str>, bool, Option<f64>)> = definition
            .parameters()
            .iter()
            .map(|parameter| {
                let kinds = parameter.kinds.iter().map(|kind| kind.name()).collect();
                let default = parameter.default.as_ref().and_then(Value::as_f64);
                (parameter.name.as_str(), (kinds, parameter.required, default))
            })
            .collect();
        assert_eq!(told, wanted, "{name}");
        if wanted.contains_key("index") {
            assert!(schema.description.contains("in the last `browser_get_ax_tree` or snapshot"), "{name}");
        }
    }
    assert_eq!(count, 26);
}

fn items_of(schema: &serde_json::Map<String, Value>) -> impl Iterator<Item = (&str, &Value)> {
    schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value))
}

#[test]
fn the_sets_are_listed_only_where_they_are_named() {
    for (sets, count) in [("browser", 4), ("browser_use", 26), ("core", 17)] {
        let mut server = Server::start_with(&["--toolsets", sets, "--no-prefix"]);
        server.initialize();
        let listed = server.ask(1, "tools/list", &json!({}));
        let names: Vec<&str> = items(&listed["result"]["tools"]).iter().map(|tool| text(&tool["name"])).collect();
        assert_eq!(names.len(), count, "{names:?}");
        assert_eq!(names.iter().any(|name| name.starts_with("browser_")), sets != "core");
    }
}

#[test]
fn a_phone_is_clicked_by_ref_and_says_what_only_pages_have() {
    let mut server = Server::start();
    server.initialize();
    let mut call = |tool: &str, arguments: Value| server.call(2, tool, &arguments)["result"].clone();
    call("app_launch", json!({"package_name": "com.uixt.shop"}));
    let typed = call("browser_type", json!({"selector": "username field", "value": "alice"}));
    let typed = &typed["structuredContent"];
    assert_eq!((&typed["success"], &typed["text"]), (&json!(true), &json!("alice")), "{typed}");
    assert!(text(&typed["ref"]).starts_with('e') && typed["confidence"].as_f64().is_some(), "{typed}");
    let again = call("browser_type", json!({"ref": typed["ref"], "text": "bob"}));
    assert_eq!(again["isError"], false, "{again}");
    let shown = call("browser_snapshot", json!({"selector": "#user", "condition": "has_text", "text": "bob"}));
    assert_eq!(shown["isError"], false, "{shown}");
    for (tool, arguments) in [
        ("browser_get_content", json!({})),
        ("browser_get_current_url", json!({})),
        ("browser_switch_tab", json!({"page_id": 0})),
        ("browser_save_pdf", json!({})),
        ("browser_close_session", json!({})),
    ] {
        let refused = call(tool, arguments);
        assert_eq!(refused["structuredContent"]["kind"], "Unsupported", "{refused}");
    }
}

#[test]
fn failures_have_codes() {
    let mut server = Server::start();
    server.initialize();
    let mut failed = |tool: &str, arguments: Value| {
        let result = server.call(2, tool, &arguments)["result"].clone();
        assert_eq!(result["isError"], true, "{result}");
        result["structuredContent"].clone()
    };
    let missing = failed("browser_click", json!({"selector": "nothing of the kind", "timeout": 0.3}));
    assert_eq!((&missing["kind"], &missing["details"]["code"]), (&json!("NotFound"), &json!("ELEMENT_NOT_FOUND")));
    for wrong in [json!({"selektor": "x"}), json!({"ref": "Save"}), json!({}), json!({"ref": 5})] {
        let format = failed("browser_click", wrong.clone());
        assert_eq!(format["details"]["code"], "PARAMETER_FORMAT_ERROR", "{wrong}: {format}");
    }
    let stale = failed("browser_click", json!({"ref": "e99"}));
    assert_eq!(stale["details"]["code"], "ELEMENT_NOT_FOUND", "{stale}");
    let index = failed("browser_click_element", json!({"index": 99}));
    assert_eq!(index["details"]["code"], "STALE_REF", "{index}");
    let unmet = failed("browser_snapshot", json!({"text": "nothing of the kind", "timeout": 0}));
    assert!(unmet["details"].get("code").is_none_or(|code| code == "ELEMENT_NOT_FOUND"), "{unmet}");
}

#[test]
fn each_way_is_in_the_report_and_all_of_them_in_the_summary() {
    let ran = ran(&format!(
        "- open_url: {}
- browser_type: {{selector: full name input box, text: Alice}}
- browser_click: {{selector: Save}}
- browser_click: {{selector: '#nothing', timeout: 0.2}}
",
        page("forms.html")
    ));
    let ran = ran.code(1);
    let summary = ran.json("r/summary.json");
    let refs = &summary["refs"];
    assert_eq!((&refs["calls"], &refs["succeeded"]), (&json!(3), &json!(2)), "{refs}");
    assert_eq!((&refs["finds"], &refs["found"]), (&json!(3), &json!(2)), "{refs}");
    assert_eq!((&refs["recovered"], &refs["recovery_rate"]), (&json!(1), &json!(0.5)), "{refs}");
    assert!(refs["conversion_us"]["median"].as_u64().is_some_and(|median| median > 0), "{refs}");
    let action = |step: usize| summary["cases"][0]["steps"][step]["attempts"][0]["actions"][0].clone();
    let ways = |step: usize| -> Vec<String> {
        items(&action(step)["lookup"]["tries"]).iter().map(|tried| text(&tried["strategy"]).to_owned()).collect()
    };
    assert_eq!(ways(1), ["text", "label", "test_id", "description"]);
    assert_eq!((ways(2), ways(3)), (vec!["text".to_owned()], vec!["selector".to_owned(), "test_id".to_owned()]));
    let details = &action(3)["error"]["details"];
    assert_eq!((&details["code"], &details["selector"]), (&json!("ELEMENT_NOT_FOUND"), &json!("#nothing")));
    assert!(text(&details["runId"]).starts_with("run-"), "{details}");
    assert!(ran.read("r/report.html").contains("looked for as description"));
}

#[test]
fn a_ref_that_means_nothing_any_more_is_refused_or_found_by_words() {
    let steps = |click: &str| {
        format!(
            "- open_url: {}\n- find_element: Start button\n  save: {{start: ref}}\n- open_url: {}\n- browser_click: {click}\n",
            page("late.html"),
            page("forms.html")
        )
    };
    let refused = ran(&steps("{ref: $start, timeout: 1}")).code(1);
    assert!(refused.stderr.contains("stale ref"), "{}", refused.stderr);
    ran(&format!(
        "{}- assert_text: {{id: error, equals: Please enter your name}}\n",
        steps("{ref: $start, selector: Save}")
    ))
    .code(0);
}

#[test]
fn a_ref_of_one_page_means_nothing_on_the_next() {
    let item = |name: &str| format!("<h1>Item</h1><button onclick=document.title='{name}'>Delete</button>");
    let set = |name: &str| {
        format!("- evaluate: \"history.pushState(0, '', '?{name}'), document.body.innerHTML = `{}`\"\n", item(name))
    };
    let found = "- find_element: Delete\n  save: {it: ref}\n";
    let click = "- browser_click: {ref: $it, timeout: 1}\n";
    let open = format!("- open_url: {}\n", page("late.html"));
    let next = format!("{open}{}{found}{}{click}", set("one"), set("two"));
    ran(&next).code(1).says("stale ref");
    ran(&format!("{open}{}{found}{}{click}- assert_title: one\n", set("one"), set("one"))).code(0);
}

#[test]
fn a_search_goes_where_it_says() {
    program("chromium");
    let config = "browser: {args: ['--host-resolver-rules=MAP * ~NOTFOUND']}";
    let case = format!("config: {{name: c, {config}}}\nteststeps:\n- browser_search_google: uixt 教程\n");
    let ran = in_browser(case).code(3);
    assert!(
        ran.read("r/summary.json").contains("https://www.google.com/search?q=uixt+%E6%95%99%E7%A8%8B"),
        "{}",
        ran.stdout
    );
}

#[test]
fn things_are_dragged_from_point_to_point_and_pictures_kept() {
    let ran = ran(&format!(
        "- open_url: {}
- find_element: Parcel
  save: {{from: rect}}
- evaluate: \"(() => {{ const box = document.querySelector('#truck').getBoundingClientRect(); return Math.round(box.x + box.width / 2) }})()\"
  save: x
- evaluate: \"(() => {{ const box = document.querySelector('#truck').getBoundingClientRect(); return Math.round(box.y + box.height / 2) }})()\"
  save: y
- browser_drag_drop: {{element_source: Parcel, coord_target_x: $x, coord_target_y: $y, steps: 3}}
- assert_visible: Got the parcel
- browser_screenshot: {{filename: kept/page.png}}
",
        page("drag.html")
    ));
    let ran = ran.code(0);
    assert!(std::fs::read(ran.path("kept/page.png")).expect("a file").starts_with(b"\x89PNG"));
}

/// Calls of an agent that would open an address.
fn openings(url: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("open_url", json!({"url": url})),
        ("browser_navigate", json!({"url": url})),
        ("open_tab", json!({"url": url})),
        ("browser_open_tab", json!({"url": url})),
        ("app_launch", json!({"package_name": url})),
        ("web_login_none_ui", json!({"package_name": url, "phone_number": "1", "password": "x"})),
        ("batch", json!({"steps": [{"tool": "open_url", "arguments": {"url": url}}]})),
    ]
}

/// Addresses that are opened for no agent.
const CLOSED: &[&str] = &[
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    "file:/etc/passwd",
    "file:etc/passwd",
    "file://localhost/etc/passwd",
    "file:///proc/self/environ",
    "file:///%65tc/passwd",
    "file:///etc/./passwd",
    "file:///tmp/../etc/passwd",
    "view-source:file:///etc/passwd",
    "view-source:http://example.com/",
    "VIEW-SOURCE:https://example.com/",
    "chrome://version",
    "chrome://settings/passwords",
    "chrome://net-export",
    "chrome://inspect",
    "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html",
    "chrome-error://chromewebdata/",
    "chrome-search://local-ntp/",
    "chrome-untrusted://terminal/",
    "devtools://devtools/bundled/inspector.html",
    "about:version",
    "about:config",
    "about:memory",
    "about:srcdoc",
    "edge://settings",
    "brave://settings",
    "moz-extension://a/b",
    "resource://gre/",
    "data:text/html,<h1>a</h1>",
    "data:text/html;base64,PGgxPmE8L2gxPg==",
    "DATA:text/html,a",
    "blob:http://example.com/1",
    "blob:null/1",
    "blob:file:///x",
    "filesystem:http://example.com/temporary/a",
    "filesystem:file:///x",
    "javascript:alert(1)",
    "JavaScript:alert(document.cookie)",
    "javascript://example.com/%0aalert(1)",
    "vbscript:msgbox(1)",
    "intent://scan/#Intent;scheme=zxing;end",
    "content://settings/secure",
    "android-app://com.android.settings",
    "ftp://example.com/",
    "ws://example.com/",
    "wss://example.com/",
    "mailto:a@example.com",
    "tel:+491234",
    "sms:+491234",
    "ssh://example.com",
    "git://example.com/a",
    "jar:file:///a.jar!/b",
    "http://169.254.169.254/latest/meta-data",
    "https://169.254.169.254/",
    "http://2852039166/",
    "http://0xA9FEA9FE/",
    "http://0251.0376.0251.0376/",
    "http://169.254.43518/",
    "http://169.254.169.254.:80/",
    "http://[fe80::1]/",
    "http://[::ffff:169.254.169.254]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://user:pw@169.254.169.254/",
    "http://10.0.0.1/",
    "http://192.168.1.1:8080/",
    "http://167772161/",
    "http://[fd00::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://metadata.google.internal/",
];

#[test]
fn an_agent_opens_no_link_on_a_phone_that_leads_to_files_or_settings() {
    let mut server = Server::start_on(&["--device", "phone"], &[]);
    server.initialize();
    // A phone has apps for addresses of mails, telephones and others.
    let of_apps =
        ["ftp", "ws", "wss", "mailto", "tel", "sms", "ssh", "git", "edge", "brave", "resource", "vbscript", "moz"];
    let is_of_app = |url: &str| of_apps.iter().any(|scheme| url.starts_with(scheme)) || url.starts_with("chrome-");
    for url in CLOSED.iter().filter(|url| !is_of_app(url)) {
        let refused = server.call(2, "open_url", &json!({"url": url}))["result"].clone();
        assert_eq!(refused["structuredContent"]["kind"], "BadArgument", "{url}: {refused}");
    }
    let opened = server.call(2, "open_url", &json!({"url": "uixt-trouble://popups"}))["result"].clone();
    assert_eq!(opened["isError"], false, "{opened}");
}

#[test]
fn an_agent_opens_no_file_of_the_host_but_those_it_is_offered() {
    program("chromium");
    let device = ["--device", "browser"];
    let mut server = Server::start_on(&device, &[]);
    server.initialize();
    for url in CLOSED {
        for (tool, arguments) in openings(url) {
            let refused = server.call(2, tool, &arguments)["result"].clone();
            assert_eq!(refused["structuredContent"]["kind"], "BadArgument", "{tool} {url}: {refused}");
        }
    }
    let pdf = server.call(2, "browser_save_pdf", &json!({}))["result"].clone();
    assert_eq!(pdf["structuredContent"]["kind"], "BadArgument", "nothing is written: {pdf}");
    drop(server);

    let offered = tempfile::tempdir().expect("a folder");
    std::fs::write(offered.path().join("a.html"), "<h1>Offered</h1>").expect("it can be written");
    let mut server = Server::start_on(&device, &["--allow-dir", &offered.path().display().to_string()]);
    server.initialize();
    let url = format!("file://{}", offered.path().join("a.html").display());
    let opened = server.call(2, "browser_navigate", &json!({"url": url}))["result"].clone();
    assert_eq!(opened["isError"], false, "{opened}");
    let refused = server.call(2, "browser_navigate", &json!({"url": "file:///etc/passwd"}))["result"].clone();
    assert_eq!(refused["structuredContent"]["kind"], "BadArgument", "{refused}");
    let kept =
        |server: &mut Server| server.call(2, "browser_screenshot", &json!({"filename": "b.png"}))["result"].clone();
    assert_eq!(kept(&mut server)["isError"], false);
    assert!(offered.path().join("b.png").exists());
    assert_eq!(kept(&mut server)["isError"], true, "nothing is overwritten");
    let out = server.call(2, "browser_screenshot", &json!({"filename": "../b.png"}))["result"].clone();
    assert_eq!(out["isError"], true, "{out}");
}
