//! The step that `uixt help TOOL` shows is one of the samples'.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::support::Test;

/// Where the sample of a tool lies.
const FOLDERS: [&str; 3] = ["testcases/tools", "testcases/web/tools", "testcases/ios/tools"];
/// The most lines of a step that is shown.
const LONGEST: usize = 10;

/// Returns the first step of a tool's sample that calls it.
fn step(name: &str) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let samples: Vec<PathBuf> = FOLDERS.iter().map(|folder| root.join(folder).join(format!("{name}.yaml"))).collect();
    let text = std::fs::read_to_string(samples.iter().find(|file| file.is_file())?).expect("a sample");
    let (_, steps) = text.split_once("\nteststeps:\n")?;
    let mut blocks: Vec<Vec<&str>> = Vec::new();
    for line in steps.lines().filter(|line| !line.starts_with('#')) {
        match blocks.last_mut() {
            Some(block) if !line.starts_with("- ") => block.push(line),
            _ => blocks.push(vec![line]),
        }
    }
    let key = format!("{name}:");
    let calls = |block: &&Vec<&str>| {
        block.len() <= LONGEST && block.iter().any(|line| line.trim_start_matches(['-', ' ']).starts_with(&key))
    };
    let block = blocks.iter().find(calls)?;
    Some(block.iter().fold(String::new(), |text, line| text + "  " + line.trim_end() + "\n"))
}

#[test]
fn a_tool_is_explained_by_a_step_of_its_sample() {
    let listed = Test::new(&["tools", "--all", "--format", "json"]).run().code(0).stdout;
    let tools: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    let mut examples = String::new();
    for name in tools.as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()) {
        if let Some(step) = step(name) {
            write!(examples, "{name}\n{step}").expect("a text grows");
        }
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/help/examples.txt");
    if std::env::var_os("UIXT_BLESS").is_some() {
        std::fs::write(&file, &examples).expect("it is written");
    }
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), examples, "UIXT_BLESS=1 writes it");
    Test::new(&["help", "swipe"]).run().code(0).prints("from_x             number").prints("  - swipe: up");
    Test::new(&["help", "tapp"]).run().code(2).says("did you mean `tap`?");
}
