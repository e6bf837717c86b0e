//! Who may know whom: every `crate::` path in the source is held to the table in design and crate documentation.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A module of the crate, and the modules that it may name.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("action", &[]),
    ("host", &[]),
    ("site", &[]),
    ("http", &[]),
    ("compare", &[]),
    ("json_kind", &[]),
    ("functions", &[]),
    ("query", &[]),
    ("adb", &[]),
    ("instance", &[]),
    ("result", &[]),
    ("uniform", &[]),
    ("driver", &["adb"]),
    ("phone", &["adb", "instance"]),
    ("report", &["result"]),
    ("testcase", &["action"]),
    ("tools", &["action", "driver"]),
    ("caller", &["tools", "driver"]),
    ("mcp", &["caller", "tools", "uniform"]),
    ("recorder", &["caller", "tools", "action"]),
    ("yaml", &[]),
    ("secrets", &[]),
    ("runner", &["testcase", "action", "tools", "caller", "result"]),
];

/// Modules that may name all others.
const KNOW_ALL: &[&str] = &["cli", "lib", "main"];

/// Modules that all others may name.
const KNOWN_TO_ALL: &[&str] = &["compare", "functions", "host", "http", "json_kind", "query", "secrets", "yaml"];

fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the source") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

/// Returns the names that follow `crate::`, one or a group in braces.
fn named(text: &str) -> BTreeSet<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut names = BTreeSet::new();
    for part in code.split("crate::").skip(1) {
        let group = part.strip_prefix('{').and_then(|rest| rest.split_once("};")).map_or(part, |(group, _)| group);
        let first =
            |text: &str| text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        if std::ptr::eq(group, part) {
            names.insert(first(part));
        } else {
            names.extend(top_level(group).into_iter().map(|item| first(&item)));
        }
    }
    names
}

/// Splits a group at its commas, but not within inner braces.
fn top_level(group: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut depth = 0;
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(String::new());
                continue;
            }
            _ => {}
        }
        items.last_mut().expect("never empty").push(c);
    }
    items.retain(|item| !item.trim().is_empty());
    items
}

#[test]
fn no_module_names_one_that_it_must_not_know() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    assert!(files.len() > 50, "the source was not found");
    let mut wrong = Vec::new();
    for file in files {
        let inner = file.strip_prefix(&source).expect("inside the source");
        let module = inner.components().next().expect("a name").as_os_str().to_string_lossy().replace(".rs", "");
        if KNOW_ALL.contains(&module.as_str()) {
            continue;
        }
        let (_, allowed) =
            MAY_KNOW.iter().find(|(name, _)| *name == module).unwrap_or_else(|| panic!("{module} is not in the table"));
        for name in named(&fs::read_to_string(&file).expect("a text")) {
            if name != module && !KNOWN_TO_ALL.contains(&name.as_str()) && !allowed.contains(&name.as_str()) {
                wrong.push(format!("{} names crate::{name}", inner.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_reader_of_paths_sees_groups() {
    let names = named(
        "use crate::driver::{Point, Rect};\nuse crate::{adb, tools::{Error, Kind}};\n// crate::phone\nfn a(_: crate::result::Mark) {}",
    );
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["adb", "driver", "result", "tools"]);
}
