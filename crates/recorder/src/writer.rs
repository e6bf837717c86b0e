//! Steps → the text of a testcase, as a person would write it.

use serde_json::{Map, Value, json};

use super::file::Named;
use super::script::Script;
use crate::yaml;

/// A step as it is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Step {
    pub comments: Vec<String>,
    /// What begins here: a page.
    pub name: Option<String>,
    pub tool: String,
    pub value: Value,
    pub save: Option<String>,
}

/// Writes a testcase; other servers are those of a file that is named in one way or the other.
pub(super) fn write(name: &str, script: &Script, servers: &Named) -> String {
    let servers = if script.calls_servers { servers } else { &Named::Nowhere };
    let mut text = head(script);
    if let Named::Elsewhere(file) = servers {
        text.push_str(&format!(
            "# Run it with --mcp-config {}, which names the servers that `mcp` calls.\n",
            one_line(file)
        ));
    }
    text.push_str(&yaml::document(&json!({"config": config(name, script, servers)})));
    text.push_str("teststeps:\n");
    script.steps.iter().for_each(|step| text.push_str(step));
    script.trailing.iter().for_each(|comment| remark(&mut text, comment));
    text
}

/// Writes a step, with a blank line before it where something begins.
pub(super) fn step(step: &Step) -> String {
    let mut text = String::new();
    if step.name.is_some() {
        text.push('\n');
    }
    step.comments.iter().for_each(|comment| remark(&mut text, comment));
    text.push_str(&yaml::list_item(&item(step)));
    text
}

/// Adds a comment.
fn remark(text: &mut String, comment: &str) {
    text.push_str("# ");
    text.push_str(&one_line(comment));
    text.push('\n');
}

/// Says what must be known of it before it is run.
fn head(script: &Script) -> String {
    let mut text = origin(script);
    if let Some(failure) = &script.failure {
        remark(&mut text, &format!("this session ended with a failure: {failure}"));
    }
    if script.is_open {
        remark(&mut text, "asserts nothing after its last step: add an assertion");
    }
    text
}

/// Says where it comes from, and what it takes to run it.
fn origin(script: &Script) -> String {
    let names: Vec<&str> = script.secrets.iter().map(|(_, name)| name.as_str()).collect();
    let secrets = match names[..] {
        [] => return "# Recorded.\n".to_owned(),
        [only] => format!("what was typed secretly is read from {only} in the environment or in .env"),
        _ => format!("what was typed secretly is read from {} in the environment or in .env", names.join(", ")),
    };
    format!("# Recorded; {secrets}.\n")
}

fn config(name: &str, script: &Script, servers: &Named) -> Value {
    let mut config = Map::new();
    config.insert("name".to_owned(), name.replace('$', "$$").into());
    if let Named::Below(path) = servers {
        config.insert("mcp_config_path".to_owned(), path.as_str().into());
    }
    if !script.secrets.is_empty() {
        let variable = |(name, from): &(String, String)| (name.clone(), Value::from(format!("${{ENV({from})}}")));
        config.insert("variables".to_owned(), script.secrets.iter().map(variable).collect());
    }
    for (platform, serial) in &script.devices {
        let devices = config.entry(platform.clone()).or_insert_with(|| json!([]));
        if let Some(devices) = devices.as_array_mut() {
            devices.push(json!({"serial": serial}));
        }
    }
    Value::Object(config)
}

fn item(step: &Step) -> Value {
    let mut item = Map::new();
    item.extend(step.name.clone().map(|name| ("name".to_owned(), name.into())));
    item.insert(step.tool.clone(), step.value.clone());
    item.extend(step.save.clone().map(|name| ("save".to_owned(), name.into())));
    Value::Object(item)
}

/// Writes a comment on one line, whatever an app put into it.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') { ' ' } else { c })
        .collect()
}
