//! What an agent does on pages, written down as testcases: they are read, checked, run again, and fail without any one of the
//! steps that act.

use std::fs;

use serde_json::json;

use crate::support::counterparts::program;
use crate::support::recording::{Agent, assert_kept, assert_runs, folder, runs};
use crate::support::site::serve;

const DEVICE: [&str; 2] = ["--device", "browser"];

/// Browsers at a time.
const BROWSERS: usize = 5;

/// Records what an agent does on the site; returns the testcase, with the site's address as it was.
fn recorded(name: &str, act: impl FnOnce(&mut Agent, &str)) -> (tempfile::TempDir, std::path::PathBuf, String, String) {
    program("chromium");
    let (kept, path) = folder();
    let (file, site) = (path(name), serve());
    let mut agent = Agent::start(&file, &DEVICE);
    act(&mut agent, &site);
    agent.end();
    let text = fs::read_to_string(&file).expect("a recording");
    assert_runs(&["check"], &file, 0);
    (kept, file, text, site)
}

/// Returns the number of the ref that the last snapshot has for a name.
fn index(agent: &Agent, name: &str) -> u64 {
    let named = agent.named(name);
    let reference = named["ref"].as_str().expect("a ref").to_owned();
    reference[1..].parse().expect("a number")
}

/// Buys tea as agents do: by refs, indexes and names, with a look after every act.
fn buy_tea(agent: &mut Agent, site: &str) {
    agent.call("browser_navigate", json!({"url": format!("{site}/shop/index.html")}));
    agent.look();
    let (user, password) = (agent.named("User name"), agent.named("Password"));
    agent.call("browser_type", json!({"ref": user["ref"], "text": "alice"}));
    agent.call("browser_type", json!({"ref": password["ref"], "text": "secret123"}));
    agent.look();
    let sign_in = agent.named("Sign in");
    agent.call("browser_click", sign_in);
    agent.call("browser_wait_for", json!({"timeout": 0.6}));
    agent.look();
    let tea = agent.named("Green tea");
    agent.call("tap_element", tea);
    agent.look();
    agent.call("browser_click_element", json!({"index": index(agent, "+")}));
    agent.look();
    agent.call("browser_click", json!({"selector": "Add to cart"}));
    agent.look();
    agent.call("tap_element", json!({"text": "View cart"}));
    agent.look();
    let checkout = agent.named("Checkout");
    agent.call("browser_click", checkout);
    agent.look();
    let (name, address) = (agent.named("Full name"), agent.named("Address"));
    agent.call("input", json!({"text": "Alice Li", "into": name}));
    agent.call("browser_input_text", json!({"index": address["ref"].as_str().expect("a ref")[1..].parse::<u64>().expect("a number"), "text": "1 Main Street"}));
    agent.call("tap_element", json!({"text": "Cash on delivery"}));
    agent.look();
    let terms = agent.named("I accept the terms");
    agent.call("browser_click", terms);
    agent.call("tap_element", json!({"role": "button", "text": "Place order"}));
    agent.look();
    agent.call("assert_text", json!({"id": "payment", "equals": "Cash on delivery"}));
}

#[test]
fn a_purchase_on_a_page_is_replayed_and_fails_without_any_one_of_the_steps_that_act() {
    let (kept, file, text, site) = recorded("page.yaml", buy_tea);
    assert!(!text.contains("secret123") && !text.contains("ref:"), "{text}");
    assert_kept("page.yaml", &text.replace(&site, "http://SITE"));
    for _ in 0..2 {
        assert_runs(&["run", "--device", "browser"], &file, 0);
    }
    let acts = |line: &str| ["open_url:", "input:", "tap:"].iter().any(|tool| line.contains(tool));
    let lines: Vec<&str> = text.lines().collect();
    let mut cases = Vec::new();
    for (place, _) in lines.iter().enumerate().filter(|(_, line)| acts(line)) {
        let mut rest = lines.clone();
        // The page that begins with a step is not the step.
        rest[place] = if lines[place - 1].starts_with("- name:") { "  log: nothing" } else { "" };
        cases.push((kept.path().join(format!("without-{place}/case.yaml")), rest.join("\n")));
    }
    assert_eq!(cases.len(), 14, "{text}");
    for some in cases.chunks(BROWSERS) {
        for ((file, broken), ended) in some.iter().zip(runs("browser", some)) {
            assert_eq!(ended, Some(1), "{}: {broken}", file.display());
        }
    }
}

#[test]
fn fields_choices_dialogs_tabs_and_keys_of_pages_are_recorded_and_replayed() {
    let (_kept, file, text, site) = recorded("parts.yaml", |agent, site| {
        agent.call("open_url", json!({"url": format!("{site}/forms.html")}));
        agent.look();
        let (name, country) = (agent.named("Full name"), agent.named("Country"));
        agent.call("browser_type", json!({"ref": name["ref"], "text": "Alice"}));
        agent.call("select_option", json!({"from": country, "option": "France"}));
        agent.look();
        agent.call("tap_element", json!({"id": "password"}));
        for key in ["s", "Shift+E", "c"] {
            agent.call("press_key", json!({"key": key}));
        }
        agent.look();
        agent.call("browser_click", json!({"selector": "Save"}));
        agent.call("wait_for", json!({"title": "Registration"}));
        agent.call("assert_attribute", json!({"id": "error", "attribute": "role", "equals": "alert"}));
        agent.call("open_tab", json!({"url": format!("{site}/dialogs.html")}));
        agent.look();
        let prompt = agent.named("Prompt");
        agent.call("browser_click", prompt);
        agent.call("accept_dialog", json!({"text": "Ada"}));
        agent.look();
        agent.call("assert_visible", json!({"text": "answered Ada"}));
        agent.call("open_url", json!({"url": format!("{site}/drag.html")}));
        agent.look();
        let (from, to) = (agent.named("Parcel"), agent.named("Drop the parcel here"));
        agent.call("drag_to", json!({"from": from, "to": to}));
        agent.call("assert_text", json!({"id": "truck", "equals": "Got the parcel"}));
        agent.call("browser_switch_tab", json!({"page_id": 0}));
        agent.call("browser_close_tab", json!({"page_id": 1}));
        agent.call("assert_url", json!({"equals": "/forms.html"}));
    });
    assert_kept("parts.yaml", &text.replace(&site, "http://SITE"));
    assert!(!text.contains("ref:") && !text.contains("Shift+E"), "{text}");
    for part in ["test_id: name", "contains: What is your name?", "$password", "wait_for: {title: Registration}"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_runs(&["run", "--device", "browser"], &file, 0);
}

#[test]
fn a_login_by_one_call_is_one_step_without_its_password() {
    let (_kept, file, text, site) = recorded("login.yaml", |agent, site| {
        let login = json!({"package_name": format!("{site}/shop/index.html"), "phone_number": "alice"});
        let mut wrong = login.clone();
        wrong["password"] = "hunter22".into();
        agent.try_call("web_login_none_ui", wrong);
        let mut right = login;
        right["password"] = "secret123".into();
        agent.call("web_login_none_ui", right);
        agent.call("assert_text", json!({"id": "greeting", "equals": "Welcome, alice"}));
    });
    let wanted = ["- web_login_none_ui:", site.as_str(), "phone_number: alice", "password: $password"];
    assert!(wanted.iter().all(|part| text.contains(part)) && !text.contains("- input"), "{text}");
    assert!(!text.contains("secret123") && !text.contains("hunter22") && text.contains("left out: "), "{text}");
    assert_runs(&["run", "--device", "browser"], &file, 0);
}

#[test]
fn what_is_only_drawn_is_named_by_its_text() {
    let (_kept, file, text, _) = recorded("drawn.yaml", |agent, site| {
        agent.call("open_url", json!({"url": format!("{site}/canvas.html")}));
        let texts = agent.call("get_screen_texts", json!({}));
        let find = |text: &str| {
            let lines = texts["texts"].as_array().expect("lines");
            lines
                .iter()
                .find(|line| line["text"] == text)
                .unwrap_or_else(|| panic!("{text} is not in {lines:?}"))
                .clone()
        };
        let middle = |line: &serde_json::Value, from: &str, side: &str| {
            line[from].as_f64().expect("a number") + line[side].as_f64().expect("a number") / 2.0
        };
        let view = find("查看详情");
        agent.call("tap_abs_xy", json!({"x": middle(&view, "x", "width"), "y": middle(&view, "y", "height")}));
        agent.call("assert_ocr", json!({"text": "产地：福建"}));
    });
    assert!(text.contains("text: 查看详情") && text.contains("source: pixels") && !text.contains("_xy"), "{text}");
    assert_runs(&["run", "--device", "browser"], &file, 0);
}
