//! Flows that are acted in a browser's own window by a client that others wrote: they read as those of the studio do, pass whenever they are run, and fail
//! where the page is another.

use serde_json::Value;

use super::flows::{PROJECT, judge, with_site};
use crate::support::counterparts::program;
use crate::support::npm::{clients, node};
use crate::support::site::serve;
use crate::support::{Test, shell, text};

/// Records the flows of a file, and checks what was recorded; returns that, none where there is no Playwright.
fn recorded(flows: &str) -> Option<Value> {
    program("chromium");
    let folder = clients()?;
    // A window that nobody sees, and a port for whoever acts in it.
    let (browser, site) = (shell().unwrap_or("chromium"), serve());
    let headless = format!(
        "#!/bin/sh\nexec {browser} \"$@\" --headless=new --hide-scrollbars --disable-gpu --remote-debugging-port=0\n"
    );
    let test = with_site(Test::new(&[])).file("browser.sh", headless).file("testcases/.keep", "");
    let [script, flows_path] =
        ["clients/window.mjs", &format!("it/studio/{flows}")].map(|name| format!("{PROJECT}tests/{name}"));
    let [project, browser] = ["", "browser.sh"].map(|name| test.path(name).display().to_string());
    executable(&browser);
    let arguments =
        [&script, &folder.display().to_string(), env!("CARGO_BIN_EXE_uixt"), &project, &site, &flows_path, &browser];
    let (is_content, stdout, stderr) = node(&folder, &arguments.map(|argument| argument as &str));
    assert!(is_content, "{stdout}{stderr}");
    let seen: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"));
    for (file, testcase) in seen["recorded"].as_object().expect("testcases") {
        let testcase = text(testcase);
        assert!(
            !testcase.contains("[0.") && !testcase.contains("sleep") && !testcase.contains("left out"),
            "{testcase}"
        );
        // What was typed is served by the project from here on.
        std::fs::write(test.path(file), testcase.replace(&site, "")).expect("a testcase");
    }
    judge(&test, flows, &seen);
    Some(seen)
}

fn executable(path: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a script");
}

#[test]
fn what_is_done_in_a_window_is_a_testcase_that_tells_other_pages() {
    let Some(seen) = recorded("pages.json") else { return };
    let form = "- name: Registration\n  input: {text: Ada Lovelace, into: {test_id: name}}\n- input: {text: \"ada@example.com\", into: {id: email}}\n\
                - input: {text: $password, into: {id: password}, secret: true}\n- select_option: {option: France, from: {id: country}}\n";
    assert!(text(&seen["recorded"]["testcases/form.yaml"]).contains(form), "{seen:#}");
    assert!(text(&seen["printed"]["testcases/form.yaml"]).contains("\n- tap: {test_id: save}\n"), "{seen:#}");
    let tabs = "  tap: Open in a new tab\n- switch_tab: {tab_index: 1}\n";
    assert!(text(&seen["recorded"]["testcases/tabs.yaml"]).contains(tabs), "{seen:#}");
}

#[test]
fn what_browsers_do_by_themselves_in_a_window_is_recorded_too() {
    let Some(seen) = recorded("window.json") else { return };
    for (file, steps) in [
        (
            "typing",
            "  input: {text: 小明 Ada, into: {test_id: name}}\n- press_key: Tab\n- input: {text: \"a@b.cd\", into: {id: email}}\n\
                    - input: {text: \"2026-11-28\", into: {id: birthday}}\n",
        ),
        ("chooser", "- name: Choosers\n  upload: [notes.txt, Pick one]\n"),
        ("switched", "- switch_tab: {tab_index: 0}\n"),
        ("history", "- back:\n"),
        ("buttons", "- secondary_click: Click here with the other button\n"),
    ] {
        assert!(text(&seen["recorded"][format!("testcases/{file}.yaml")]).contains(steps), "{file}: {seen:#}");
    }
}

#[test]
fn a_window_that_tells_nothing_is_refused() {
    let arguments = ["record", "a.yaml", "--headed", "--device"];
    Test::new(&[&arguments[..], &["browser:firefox"]].concat()).run().code(2).says("use --device browser:chrome");
    let of_a_server = ["browser", "--webdriver-url", "http://127.0.0.1:9"];
    Test::new(&[&arguments[..], &of_a_server].concat()).run().code(2).says("no --webdriver-url");
}
