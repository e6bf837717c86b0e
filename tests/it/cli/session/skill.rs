//! `uixt session skill`: its loop runs as it is written, and it is as short as it must be.

use std::fs;

use super::project::{Project, Ran};
use crate::support::Test;

/// The most tokens of the page, at four characters each.
const MOST: usize = 800;

#[test]
fn the_skill_is_short_and_has_a_head() {
    let page = Test::new(&["session", "skill"]).run().code(0).stdout;
    let tokens = page.chars().count().div_ceil(4);
    assert!(tokens <= MOST, "{tokens} tokens");
    let (head, _) = page.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).expect("a head");
    let head: serde_json::Value = serde_saphyr::from_str(head).expect("YAML");
    let length = |name: &str| head[name].as_str().unwrap_or_default().chars().count();
    assert_eq!(head["name"], "uixt");
    assert!((20..=1024).contains(&length("description")), "{head}");
}

#[test]
fn the_skill_runs_as_it_is_written() {
    let page = Test::new(&["session", "skill"]).run().code(0).stdout;
    let (_, rest) = page.split_once("```sh\n").expect("a script");
    let (script, _) = rest.split_once("```").expect("its end");
    let project = Project::new();
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_uixt")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let ran = Ran::of(project.of("sh", &["-e", "-c", script]).env("PATH", path)).code(0);
    assert!(ran.stderr.contains("1 passed"), "{}\n{}", ran.stdout, ran.stderr);
    let recorded = fs::read_to_string(project.path("log_in.yaml")).unwrap();
    assert!(recorded.contains("assert_visible: \"Welcome, alice\"") && !recorded.contains("secret123"), "{recorded}");
    // Every tool that it names is one.
    let tools = project.run(&["tools", "--format", "json"]).json();
    let known = |name: &str| tools.as_array().unwrap().iter().any(|tool| tool["name"] == name);
    for call in page.split("uixt call ").skip(1) {
        let name = call.split([' ', '\n', '`']).next().unwrap();
        assert!(known(name) || name == "TOOL" || name.starts_with('-'), "{name}");
    }
    for name in
        ["scroll_to", "swipe", "press_key", "back", "open_url", "switch_tab", "assert_not_visible", "assert_text"]
    {
        assert!(known(name) && page.contains(&format!("`{name}")), "{name}");
    }
}
