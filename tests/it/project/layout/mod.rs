//! How the house is built: who may know whom, among files and among crates. What the tables allow may only become less.

mod imports;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use self::imports::{imports, loops};

/// How many files may import each other in a ring: what a reader can hold in mind at once.
const LIMIT: usize = 8;

#[test]
fn no_import_loop_is_larger_than_it_may_be() {
    let wrong: Vec<String> = sources().iter().filter_map(|(name, source)| wrong_loop(name, source)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_picture_of_the_floors_is_true() {
    let floors = picture();
    let known = dependencies();
    let place = |name: &str| floors.iter().position(|floor| floor.iter().any(|other| other == name));
    let mut wrong = Vec::new();
    let drawn: Vec<&String> = floors.iter().flatten().collect();
    wrong.extend(
        drawn.iter().filter(|name| !known.contains_key(**name)).map(|name| format!("{name} is drawn, and no crate")),
    );
    for (name, others) in &known {
        let times = drawn.iter().filter(|other| **other == name).count();
        if times != 1 {
            wrong.push(format!("{name} is drawn {times} times"));
        }
        let others = others.iter().filter(|other| known.contains_key(*other) && place(other) <= place(name));
        wrong.extend(others.map(|other| format!("{name} depends on {other}, which does not stand below it")));
    }
    assert!(wrong.is_empty(), "the picture of src/lib.rs:\n{}", wrong.join("\n"));
}

#[test]
fn only_mcp_knows_rmcp() {
    let dependencies = dependencies();
    let know = dependencies.iter().filter(|(_, others)| others.contains("rmcp")).map(|(name, _)| name.as_str());
    assert_eq!(know.collect::<Vec<_>>(), ["mcp"], "crates that know the protocol's library");
}

/// Returns the largest loop of a crate, where it is larger than it may be.
fn wrong_loop(name: &str, source: &Path) -> Option<String> {
    let imports = imports(source);
    let loops = loops(&imports);
    let size = loops.first().map_or(0, Vec::len);
    if size <= LIMIT {
        return None;
    }
    let files = loops[0].iter().map(|module| {
        let taken = imports[*module].iter().filter(|(from, _)| loops[0].contains(from));
        let taken = taken.map(|(from, names)| {
            format!("{} ({})", from.join("/"), names.iter().cloned().collect::<Vec<_>>().join(", "))
        });
        format!("  {} takes from {}", module.join("/"), taken.collect::<Vec<_>>().join(", "))
    });
    let files: Vec<String> = files.collect();
    Some(format!("{name}: {size} files import each other, at most {LIMIT} may:\n{}", files.join("\n")))
}

/// The crates by their short names, each with its folder of sources.
fn sources() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates =
        std::fs::read_dir(root.join("crates")).expect("the folder of crates").map(|entry| entry.expect("an entry"));
    let mut sources: Vec<(String, PathBuf)> =
        crates.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path().join("src"))).collect();
    sources.push(("uixt".to_owned(), root.join("src")));
    sources.sort();
    sources
}

/// The floors that the comment of `src/lib.rs` draws, top to bottom: the words of each line before its sentence.
fn picture() -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).expect("src/lib.rs");
    let lines = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let floors = lines.skip_while(|line| !line.starts_with("uixt  ")).take_while(|line| *line != "```");
    floors.map(|line| line.split("  ").next().unwrap_or(line).split(' ').map(str::to_owned).collect()).collect()
}

/// What each crate depends on, tests and builds left out; the names of the workspace's crates are short.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let asked = ["metadata", "--no-deps", "--format-version", "1", "--offline"];
    let told = Command::new(env!("CARGO")).args(asked).current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo");
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let told: Value = serde_json::from_slice(&told.stdout).expect("JSON of cargo");
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let short = |value: &Value| value["name"].as_str().expect("a name").trim_start_matches("uixt-").to_owned();
    let packages = list(&told["packages"]);
    packages
        .iter()
        .map(|package| {
            let others = list(&package["dependencies"]);
            (short(package), others.iter().filter(|other| other["kind"].is_null()).map(short).collect())
        })
        .collect()
}
