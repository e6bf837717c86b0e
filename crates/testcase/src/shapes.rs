//! The shapes that a file can have: `config` and `teststeps`, and those of `HttpRunner`'s older versions.
//!
//! Version 1 wrote a list of `config` and `test`; a test suite of versions 2 and 3 lists `testcases`, which here become steps that
//! refer to them.

use std::borrow::Cow;

use super::keys;
use super::nearest;
use super::node::{Data, Entry, Node};
use super::reader::Reader;
use crate::action::Span;

/// The parts of a testcase, wherever they stand.
pub(super) struct Parts<'n> {
    pub(super) config: Option<&'n Node>,
    pub(super) steps: Cow<'n, [Node]>,
}

const HELP: &str = "a testcase is a map with `config` and `teststeps`";

/// Says whether a file is an api file, which is no testcase of its own.
pub(super) fn is_api(root: &Node) -> bool {
    let lacks = |key: &str| root.entry(key).is_none();
    root.entry("request").is_some() && ["config", "teststeps", "testcases"].into_iter().all(lacks)
}

/// Says whether a file is what a browser's profile began with or came to, which stands beside the testcases that use it.
pub(super) fn is_storage_state(root: &Node) -> bool {
    let is_key = |key: &str| matches!(key, "cookies" | "origins");
    matches!(&root.data, Data::Map(entries) if !entries.is_empty() && entries.iter().all(|entry| is_key(&entry.key)))
}

/// Says whether a file looks like that of a project's tool.
pub(super) fn is_tool(root: &Node) -> bool {
    ["name", "description", "steps"].into_iter().all(|key| root.entry(key).is_some())
}

/// Says whether a file has nothing in it of a testcase: it has some other purpose.
pub(super) fn is_something_else(root: &Node) -> bool {
    match &root.data {
        Data::Map(entries) => !entries.iter().any(|entry| {
            let key = entry.key.as_str();
            keys::FILE.contains(&key) || key == "testcases" || nearest::nearest(key, keys::FILE).is_some()
        }),
        Data::Seq(items) => !items.iter().any(is_old),
        _ => false,
    }
}

/// Checks the keys of a file, and returns its config and steps.
pub(super) fn parts<'n>(reader: &mut Reader<'_>, root: &'n Node) -> Option<Parts<'n>> {
    match &root.data {
        Data::Map(_) if is_api(root) => {
            let help = "refer to it from a step: `api: FILE`";
            reader.refuse_with_help(root.place.span, "this is an api file, not a testcase", help);
            None
        }
        Data::Map(entries) if root.entry("testcases").is_some() => suite(reader, root, entries),
        Data::Map(entries) => map(reader, root, entries),
        Data::Seq(items) if items.iter().any(is_old) => Some(old(reader, items)),
        _ => {
            let found =
                if root.is_null() { "the file is empty".to_owned() } else { format!("this is {}", root.kind()) };
            let begin = Span { line: 1, column: 1, length: 0 };
            reader.refuse_with_help(if root.is_null() { begin } else { root.place.span }, found, HELP);
            None
        }
    }
}

fn map<'n>(reader: &mut Reader<'_>, root: &'n Node, entries: &[Entry]) -> Option<Parts<'n>> {
    for entry in entries.iter().filter(|entry| !keys::FILE.contains(&entry.key.as_str())) {
        reader.unknown_key(entry, "a testcase", &keys::FILE);
    }
    let Some(steps) = root.entry("teststeps") else {
        reader.refuse_with_help(root.place.span, "missing teststeps", HELP);
        return None;
    };
    let items = reader.list(&steps.value, "`teststeps`");
    if items.is_empty() && matches!(steps.value.data, Data::Seq(_) | Data::Null) {
        reader.refuse(steps.place.span, "`teststeps` is empty");
    }
    let config = root.entry("config").map(|entry| &entry.value);
    // Steps of the first version stand under `test` or `step`.
    let wrapped = items.iter().any(|item| !std::ptr::eq(unwrapped(item), item));
    let steps = if wrapped { items.iter().map(|item| unwrapped(item).clone()).collect() } else { Cow::Borrowed(items) };
    Some(Parts { config, steps })
}

fn unwrapped(item: &Node) -> &Node {
    match &item.data {
        Data::Map(entries) => match &entries[..] {
            [entry] if matches!(entry.key.as_str(), "test" | "step") && matches!(entry.value.data, Data::Map(_)) => {
                &entry.value
            }
            _ => item,
        },
        _ => item,
    }
}

fn is_old(item: &Node) -> bool {
    item.entry("test").or_else(|| item.entry("config")).is_some()
}

/// Reads `[{config: …}, {test: …}, …]`.
fn old<'n>(reader: &mut Reader<'_>, items: &'n [Node]) -> Parts<'n> {
    let mut parts = Parts { config: None, steps: Cow::Owned(Vec::new()) };
    for item in items {
        match (item.entry("config"), item.entry("test")) {
            (Some(config), None) if parts.config.is_none() => parts.config = Some(&config.value),
            (None, Some(test)) => parts.steps.to_mut().push(test.value.clone()),
            _ => reader.refuse_with_help(item.place.span, "an item is either one `config` or a `test`", HELP),
        }
    }
    parts
}

/// Reads a test suite: each of its testcases becomes a step, which hands on the suite's variables.
fn suite<'n>(reader: &mut Reader<'_>, root: &'n Node, entries: &[Entry]) -> Option<Parts<'n>> {
    for entry in entries.iter().filter(|entry| !matches!(entry.key.as_str(), "config" | "testcases")) {
        reader.unknown_key(entry, "a test suite", &["config", "testcases"]);
    }
    let config = root.entry("config").map(|entry| &entry.value);
    for key in ["base_url", "verify", "headers"] {
        let entry = config.and_then(|config| config.entry(key));
        if let Some(entry) = entry.filter(|entry| !keys::asks_for_nothing("", &entry.value)) {
            reader.elsewhere(entry, "a test suite's config", "write it in the config of the testcases");
        }
    }
    let cases = &root.entry("testcases")?.value;
    let steps: Vec<Node> = match &cases.data {
        Data::Map(entries) => entries.iter().map(named).collect(),
        _ => reader.list(cases, "`testcases`").to_vec(),
    };
    if steps.is_empty() {
        reader.refuse(cases.place.span, "`testcases` is empty");
    }
    let names: Vec<&str> = match config.and_then(|config| config.entry("variables")).map(|entry| &entry.value.data) {
        Some(Data::Map(entries)) => entries.iter().map(|entry| entry.key.as_str()).collect(),
        _ => Vec::new(),
    };
    Some(Parts { config, steps: steps.into_iter().map(|step| handed(step, &names)).collect() })
}

/// Turns `name: {testcase: …}` into `{name: name, testcase: …}`.
fn named(entry: &Entry) -> Node {
    let mut step = entry.value.clone();
    if let Data::Map(entries) = &mut step.data
        && !entries.iter().any(|inner| inner.key == "name")
    {
        entries.push(text_entry(entry, "name", entry.key.clone()));
    }
    step
}

/// Adds variables to a step that have the value they have outside of it.
fn handed(mut step: Node, names: &[&str]) -> Node {
    let place = Entry { key: String::new(), place: step.place, value: step.clone() };
    let Data::Map(entries) = &mut step.data else { return step };
    entries.retain(|entry| entry.key != "weight");
    if names.is_empty() {
        return step;
    }
    if !entries.iter().any(|entry| entry.key == "variables") {
        let value = Node { data: Data::Map(Vec::new()), ..place.value.clone() };
        entries.push(Entry { key: "variables".to_owned(), place: place.place, value });
    }
    let variables = entries.iter_mut().find(|entry| entry.key == "variables");
    if let Some(Data::Map(own)) = variables.map(|entry| &mut entry.value.data) {
        for name in names {
            if !own.iter().any(|entry| entry.key == *name) {
                own.push(text_entry(&place, name, format!("${name}")));
            }
        }
    }
    step
}

fn text_entry(at: &Entry, key: &str, text: String) -> Entry {
    let value = Node { data: Data::Str(text), place: at.place, written: None };
    Entry { key: key.to_owned(), place: at.place, value }
}
