//! The `config` of a testcase.

use super::case::{Config, DeviceEntry, DeviceOption};
use super::cycles::cycles;
use super::keys;
use super::names::Known;
use super::node::{Data, Entry, Node};
use super::reader::Reader;
use serde_json::{Map, Value};

/// Reads a `config`; without one, the case is named after its file.
pub(super) fn read(reader: &mut Reader<'_>, node: Option<&Node>, file_name: &str) -> Config {
    let mut config = Config { name: file_name.to_owned(), ..Config::default() };
    let Some(node) = node else { return config };
    for entry in reader.map(node, "`config`") {
        read_entry(reader, entry, &mut config);
    }
    config
}

fn read_entry(reader: &mut Reader<'_>, entry: &Entry, config: &mut Config) {
    let node = &entry.value;
    match entry.key.as_str() {
        "name" | "case_timeout" if node.is_null() => {}
        "name" => {
            if let Some(name) = reader.text(node, "`name`").filter(|name| !name.is_empty()) {
                config.name = name;
            }
        }
        "variables" => config.variables = reader.variables(node, "`variables`"),
        "environs" => config.environs = super::node::to_map(reader.map(node, "`environs`")),
        "tags" => config.tags = reader.words(node, "`tags`"),
        "requires" => config.requires = reader.words(node, "`requires`"),
        "case_timeout" => config.case_timeout = timeout(reader, node),
        platform if keys::PLATFORMS.contains(&platform) => {
            let entries = reader.list(node, &format!("`{platform}`")).iter();
            config.devices.extend(entries.map(|item| device(reader, platform, item)));
        }
        key if keys::CONFIG_WITHOUT_EFFECT.contains(&key) => {}
        key if keys::comes_later_in_config(key) => {
            if !keys::asks_for_nothing(key, node) {
                reader.not_yet(entry);
            }
        }
        _ => reader.unknown_key(entry, "`config`", &[&keys::CONFIG[..], &keys::PLATFORMS].concat()),
    }
}

/// Longest `case_timeout`, in seconds, as of `--case-timeout`.
const LONGEST: f64 = 1e6;

fn timeout(reader: &mut Reader<'_>, node: &Node) -> Option<f64> {
    let seconds = match &node.data {
        Data::Number(number) => number.as_f64().filter(|seconds| *seconds > 0.0 && *seconds <= LONGEST),
        _ => None,
    };
    if seconds.is_none() {
        reader.refuse(node.place.span, "`case_timeout` is a number of seconds above 0 and at most 1,000,000");
    }
    seconds
}

fn device(reader: &mut Reader<'_>, platform: &str, node: &Node) -> DeviceEntry {
    let valid = keys::device_options(platform);
    let mut options = Vec::new();
    for entry in reader.map(node, &format!("a device of `{platform}`")) {
        if !valid.contains(&entry.key.as_str()) {
            reader.unknown_key(entry, &format!("a device of `{platform}`"), valid);
        }
        let place = entry.shown_place();
        options.push(DeviceOption { key: entry.key.clone(), value: entry.value.to_value(), place });
    }
    DeviceEntry { platform: platform.to_owned(), options, place: node.place.span }
}

/// Checks the expressions of a `config`, once everything that they may name is known.
pub(super) fn check(reader: &mut Reader<'_>, node: &Node, known: &Known<'_>) {
    let checked = |key: &str| matches!(key, "name" | "variables" | "environs") || keys::PLATFORMS.contains(&key);
    if let Data::Map(entries) = &node.data {
        for entry in entries.iter().filter(|entry| checked(&entry.key)) {
            reader.expressions(&entry.value, known);
        }
    }
}

/// Reports definitions under `node` that need each other; `all` holds these and what else they may name.
pub(super) fn check_cycles(reader: &mut Reader<'_>, nodes: &[&Node], all: &Map<String, Value>, hidden: &Known<'_>) {
    for (chain, message) in cycles(all, hidden) {
        let here = chain.iter().find_map(|name| nodes.iter().find_map(|node| node.entry(name)));
        if let Some(entry) = here {
            reader.refuse(entry.value.place.span, message);
        }
    }
}
