//! `parameters` and `parameters_setting` of a file → [`Parameters`].

use serde_json::Value;

use super::super::error::Error;
use super::super::known::Known;
use super::super::nearest;
use super::super::node::{Data, Entry, Node};
use super::super::parts::is_name;
use super::super::reader::Reader;
use super::index::Counted;
use super::lists::{List, Parameters, table_of};
use super::rows::{self, Order};
use super::sheet::Sheet;

const SETTING: [&str; 3] = ["pick_order", "strategies", "limit"];
const ORDERS: [(&str, Order); 3] =
    [("sequential", Order::Sequential), ("random", Order::Random), ("unique", Order::Unique)];
const MOST_ROWS: u64 = 1_000_000_000;

/// Reads the parameters among the entries of a step or a config.
pub(crate) fn read(reader: &mut Reader<'_>, entries: &[Entry], known: &Known) -> Option<Parameters> {
    let find = |key: &str| entries.iter().find(|entry| entry.key == key && !is_nothing(&entry.value));
    let setting = find("parameters_setting");
    let Some(entry) = find("parameters") else {
        if let Some(setting) = setting {
            reader.refuse(setting.place.span, "`parameters_setting` stands without `parameters`");
        }
        return None;
    };
    let mut parameters = Parameters { files: reader.about.files.clone(), ..Parameters::default() };
    for inner in reader.entries(&entry.value, "`parameters`") {
        reader.expressions(&inner.value, known);
        let list = list(reader, inner, &parameters);
        parameters.lists.extend(list);
    }
    if let Some(setting) = setting {
        read_setting(reader, setting, &mut parameters);
    }
    (!parameters.lists.is_empty()).then_some(parameters)
}

fn is_nothing(node: &Node) -> bool {
    super::super::keys::asks_for_nothing("", node)
}

fn list(reader: &mut Reader<'_>, entry: &Entry, before: &Parameters) -> Option<List> {
    let names: Vec<String> = entry.key.split('-').map(|name| name.trim().to_owned()).collect();
    for (at, name) in names.iter().enumerate() {
        if !is_name(name) {
            let help = "names are made of the letters a to z, digits and `_`; `-` stands between two of them";
            reader.refuse_with_help(entry.place.span, format!("`{name}` is not a name for a parameter"), help);
            return None;
        }
        if before.names().any(|other| other == name) || names[..at].contains(name) {
            reader.refuse(entry.place.span, format!("two parameters are named `{name}`"));
        }
    }
    check_values(reader, entry, &names, &before.counted);
    let values = match of_csv(&entry.value) {
        Some(path) => Value::String(format!("${{P('{path}')}}")),
        None => entry.value.to_written(),
    };
    Some(List { names, values, order: Order::default() })
}

/// Returns the file of `{csv: file}` and `{csv: {file: …}}`.
fn of_csv(node: &Node) -> Option<&str> {
    let Data::Map(entries) = &node.data else { return None };
    let [entry] = &entries[..] else { return None };
    let file =
        if entry.key == "csv" { entry.value.entry("file").map_or(&entry.value, |file| &file.value) } else { node };
    match &file.data {
        Data::Str(path) if !path.contains(['\'', '$']) => Some(path),
        _ => None,
    }
}

/// Says that a value is for no name of its parameter.
fn stray_value(called: &str, key: &str) -> String {
    format!("`{key}` is none of the names of parameter `{called}`")
}

/// Reports what is wrong with the values as far as they are written in the file.
fn check_values(reader: &mut Reader<'_>, entry: &Entry, names: &[String], counted: &Counted) {
    let called = &entry.key;
    match &entry.value.data {
        Data::Seq(items) if items.is_empty() => {
            reader.refuse(entry.value.place.span, format!("parameter `{called}` has no values"));
        }
        Data::Seq(items) => {
            for item in items {
                let value = item.to_value();
                let open = super::super::expression::holds_variables(&value) && value.is_string();
                if let Err(message) = rows::of_item(names, &value)
                    && !open
                {
                    reader.refuse(item.place.span, format!("parameter `{called}`{message}"));
                }
                if let ([_, _, ..], Data::Map(entries)) = (names, &item.data) {
                    let stray = entries.iter().filter(|entry| !names.contains(&entry.key));
                    stray.for_each(|entry| reader.refuse(entry.place.span, stray_value(called, &entry.key)));
                }
            }
        }
        Data::Str(text) if text.contains('$') => check_table(reader, entry, names, counted),
        _ if of_csv(&entry.value).is_some() => check_table(reader, entry, names, counted),
        _ => {
            let message = format!("parameter `{called}` must be a list, not {}", entry.value.kind());
            let help = "write `[a, b]`, `${P(file.csv)}` or `${function()}`";
            reader.refuse_with_help(entry.shown_place(), message, help);
        }
    }
}

/// Reads a table whose name is known, so that what is wrong with it is found before anything runs.
fn check_table(reader: &mut Reader<'_>, entry: &Entry, names: &[String], counted: &Counted) {
    let written = of_csv(&entry.value).map(str::to_owned).or_else(|| table_of(&entry.value.to_value()));
    let Some(path) = written.filter(|path| !path.contains('$')) else { return };
    let found = reader.about.files.beside(&path).map_err(String::from);
    let sheet = found.and_then(|found| Sheet::open(&found, &path, counted));
    if let Err(message) = sheet.and_then(|sheet| sheet.check_names(names)) {
        let help = "paths are relative to the testcase's folder or its project's, that of uixt.yaml, proj.json or debugtalk.py";
        reader.refuse_with_help(entry.value.place.span, message, help);
    }
}

fn read_setting(reader: &mut Reader<'_>, setting: &Entry, parameters: &mut Parameters) {
    let entries = reader.map(&setting.value, "`parameters_setting`");
    // What is said of one parameter wins, wherever it stands.
    for entry in entries {
        match entry.key.as_str() {
            // `strategy` is its name in older versions.
            "pick_order" | "strategy" if !matches!(entry.value.data, Data::Map(_)) => {
                let all = order(reader, entry);
                parameters.lists.iter_mut().for_each(|list| list.order = all);
            }
            // `iteration` is its name in older versions.
            "limit" | "iteration" => parameters.limit = limit(reader, entry),
            "strategies" | "strategy" => {}
            _ => reader.unknown_key(entry, "`parameters_setting`", &SETTING),
        }
    }
    let is_map = |entry: &&Entry| matches!(entry.value.data, Data::Map(_));
    let older = setting.value.entry("strategy").filter(is_map);
    if let Some(strategies) = setting.value.entry("strategies").or(older) {
        for strategy in reader.map(&strategies.value, "`strategies`") {
            read_strategy(reader, strategy, parameters);
        }
    }
}

fn read_strategy(reader: &mut Reader<'_>, strategy: &Entry, parameters: &mut Parameters) {
    let called: Vec<String> = parameters.lists.iter().map(|list| list.names.join("-")).collect();
    let Some(at) = called.iter().position(|name| *name == strategy.key) else {
        let error = Error::at(reader.source, strategy.place.span, format!("there is no parameter `{}`", strategy.key));
        let hint = nearest::hint(&strategy.key, called.iter().map(String::as_str));
        reader.report(error.with_hint(hint).with_help(Some(format!("valid: {}", called.join(", ")))));
        return;
    };
    if let Data::Str(_) = &strategy.value.data {
        parameters.lists[at].order = order(reader, strategy);
        return;
    }
    for entry in reader.map(&strategy.value, "a strategy") {
        match entry.key.as_str() {
            "name" => {}
            "pick_order" => parameters.lists[at].order = order(reader, entry),
            _ => reader.unknown_key(entry, "a strategy", &["name", "pick_order"]),
        }
    }
}

fn order(reader: &mut Reader<'_>, entry: &Entry) -> Order {
    if is_nothing(&entry.value) {
        return Order::default();
    }
    let name = reader.text(&entry.value, "`pick_order`").unwrap_or_default();
    let found = ORDERS.iter().find(|(known, _)| name.eq_ignore_ascii_case(known));
    found.map_or_else(
        || {
            let help = format!("valid: {}", ORDERS.map(|(known, _)| known).join(", "));
            reader.refuse_with_help(entry.value.place.span, format!("unknown pick_order `{name}`"), help);
            Order::default()
        },
        |(_, order)| *order,
    )
}

fn limit(reader: &mut Reader<'_>, entry: &Entry) -> Option<u64> {
    match &entry.value.data {
        Data::Null => None,
        Data::Number(number) if number.as_u64() == Some(0) => None,
        Data::Number(number) if number.as_u64().is_some_and(|number| number <= MOST_ROWS) => number.as_u64(),
        _ => {
            reader.refuse(
                entry.shown_place(),
                format!("`limit` is a whole number from 1 to {MOST_ROWS}, or 0 for all rows"),
            );
            None
        }
    }
}
