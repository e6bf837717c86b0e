//! The `config` of a testcase.

use uixt_core::ai::{AiOptions, Destructive};
use uixt_core::dialogs::Dialogs;
use uixt_core::fail_on::FailOn;

use super::case::{Config, DeviceEntry, DeviceOption, NamedFile, Quarantine, Reset};
use super::case_settings::{self, Requests};
use super::control;
use super::cycles::cycles;
use super::host_steps;
use super::keys;
use super::known::Known;
use super::node::{Data, Entry, Node, to_map};
use super::reader::Reader;
use serde_json::{Map, Value};

/// Reads a `config`; without one, the case is named after its file.
pub(super) fn read(reader: &mut Reader<'_>, node: Option<&Node>, file_name: &str) -> Config {
    let mut config = Config { name: file_name.to_owned(), ..Config::default() };
    let Some(node) = node else { return config };
    for entry in reader.map(node, "`config`") {
        read_entry(reader, entry, &mut config);
    }
    config.base_url.clone_from(&reader.about.requests.base_url);
    config
}

fn read_entry(reader: &mut Reader<'_>, entry: &Entry, config: &mut Config) {
    let node = &entry.value;
    match entry.key.as_str() {
        "name" | "device" | "case_timeout" | "mcp_config_path" if node.is_null() => {}
        "name" => {
            if let Some(name) = reader.text(node, "`name`").filter(|name| !name.is_empty()) {
                config.name = name;
            }
        }
        "device" => {
            let option =
                |text| DeviceOption { key: "device".to_owned(), value: Value::String(text), place: node.place.span };
            config.device = reader.text(node, "`device`").map(option);
        }
        "variables" => (config.variables, config.variables_from) = reader.variables_or_expression(node),
        "environs" => config.environs = super::node::to_map(reader.map(node, "`environs`")),
        "tags" => config.tags = reader.words(node, "`tags`"),
        "requires" => config.requires = reader.words(node, "`requires`"),
        "quarantine" => config.quarantine = quarantine(reader, node),
        "lock" => config.locks = reader.texts(node, "`lock`"),
        // `output` is its name in older versions of `HttpRunner`.
        "export" | "output" => config.export = reader.words(node, &format!("`{}`", entry.key)),
        "reset" => config.reset = reset(reader, node),
        "dialogs" => config.dialogs = dialogs(reader, node),
        "fail_on" => config.fail_on = Some(fail_on(reader, node)),
        "case_timeout" => config.case_timeout = timeout(reader, node),
        "anti_risk" => config.anti_risk = control::flag(reader, entry),
        "mcp_config_path" => config.mcp_config_path = file(reader, node),
        "ai_options" => config.ai_options = ai_options(reader, node),
        platform if keys::PLATFORMS.contains(&platform) => {
            if let ("browser", Data::Str(_)) = (platform, &node.data) {
                config.devices.push(named(node));
                return;
            }
            // One device needs no list.
            let entries = match &node.data {
                Data::Map(_) => std::slice::from_ref(node),
                _ => reader.list(node, &format!("`{platform}`")),
            };
            config.devices.extend(entries.iter().map(|item| device(reader, platform, item)));
        }
        key if keys::CONFIG_WITHOUT_EFFECT.contains(&key) => {}
        _ => about(reader, entry),
    }
}

/// Reads what is done to a phone before a case.
pub(super) fn reset(reader: &mut Reader<'_>, node: &Node) -> Option<Reset> {
    let word = reader.text(node, "`reset`")?;
    let read = Reset::read(&word);
    if read.is_none() {
        reader.refuse(node.place.span, format!("`reset` is none, app, data or all, not `{word}`"));
    }
    read
}

/// Reads what becomes of the dialogs that no step answers.
fn dialogs(reader: &mut Reader<'_>, node: &Node) -> Dialogs {
    let word = reader.text(node, "`dialogs`").unwrap_or_default();
    let read = Dialogs::read(&word);
    if read.is_none() && !word.is_empty() {
        reader.refuse(node.place.span, format!("`dialogs` is accept, dismiss or fail, not `{word}`"));
    }
    read.unwrap_or_default()
}

/// Reads what that goes wrong beside the steps fails a case.
pub(super) fn fail_on(reader: &mut Reader<'_>, node: &Node) -> Vec<FailOn> {
    let words = reader.words(node, "`fail_on`");
    let read = words.into_iter().filter_map(|word| {
        let read = FailOn::read(&word);
        if read.is_none() {
            let valid = FailOn::ALL.map(|(word, _)| word).join(", ");
            reader.refuse(node.place.span, format!("`fail_on` holds any of {valid}, not `{word}`"));
        }
        read
    });
    read.collect()
}

/// Reads which models are asked.
fn ai_options(reader: &mut Reader<'_>, node: &Node) -> AiOptions {
    let mut options = AiOptions::default();
    let text = |reader: &mut Reader<'_>, entry: &Entry| {
        reader.text(&entry.value, &format!("`{}`", entry.key)).filter(|text| !text.is_empty())
    };
    for entry in reader.map(node, "`ai_options`") {
        match entry.key.as_str() {
            "llm_service" => options.service = text(reader, entry),
            "llm_config" => {
                for inner in reader.map(&entry.value, "`llm_config`") {
                    match inner.key.as_str() {
                        "planner_model" => options.planner = text(reader, inner),
                        "asserter_model" => options.asserter = text(reader, inner),
                        "querier_model" => options.querier = text(reader, inner),
                        _ => reader.unknown_key(
                            inner,
                            "`llm_config`",
                            &["planner_model", "asserter_model", "querier_model"],
                        ),
                    }
                }
            }
            "destructive" => {
                let word = text(reader, entry).unwrap_or_default();
                match Destructive::read(&word) {
                    Some(policy) => options.policy.destructive = policy,
                    None => reader
                        .refuse(entry.value.place.span, format!("`destructive` is allow, deny or ask, not `{word}`")),
                }
            }
            "allow_apps" => options.policy.allow_apps = reader.words(&entry.value, "`allow_apps`"),
            "allow_hosts" => options.policy.allow_hosts = reader.words(&entry.value, "`allow_hosts`"),
            // Texts and pictures are read on this computer, whatever is named.
            "cv_service" => {}
            _ => reader.unknown_key(
                entry,
                "`ai_options`",
                &["llm_service", "llm_config", "cv_service", "destructive", "allow_apps", "allow_hosts"],
            ),
        }
    }
    options
}

/// Reads until when a case may fail without failing the run, and why.
fn quarantine(reader: &mut Reader<'_>, node: &Node) -> Option<Quarantine> {
    let (mut until, mut reason) = (None, String::new());
    for entry in reader.map(node, "`quarantine`") {
        match entry.key.as_str() {
            "until" => {
                let text = reader.text(&entry.value, "`until`").unwrap_or_default();
                until = chrono::NaiveDate::parse_from_str(&text, "%Y-%m-%d").ok();
                if until.is_none() {
                    reader.refuse(entry.value.place.span, "`until` is a date, such as 2026-12-31");
                }
            }
            "reason" => reason = reader.text(&entry.value, "`reason`").unwrap_or_default(),
            _ => reader.unknown_key(entry, "`quarantine`", &["until", "reason"]),
        }
    }
    let names_day = node.entry("until").is_some();
    if !names_day {
        let help = "write `quarantine: {until: 2026-12-31, reason: why}`";
        reader.refuse_with_help(node.place.span, "`quarantine` needs the day on which it ends", help);
    }
    until.map(|until| Quarantine { until, reason })
}

/// Reads the name of a file.
fn file(reader: &mut Reader<'_>, node: &Node) -> Option<NamedFile> {
    let path = reader.text(node, "`mcp_config_path`").filter(|path| !path.is_empty())?;
    Some(NamedFile { path, place: node.place.span })
}

/// Reads what matters to the reading of steps only.
fn about(reader: &mut Reader<'_>, entry: &Entry) {
    match entry.key.as_str() {
        "base_url" | "verify" | "request_timeout" | "headers" => requests(reader, entry),
        "request" => reader.map(&entry.value, "`request`").iter().for_each(|inner| match inner.key.as_str() {
            "base_url" | "verify" | "headers" => requests(reader, inner),
            _ => reader.unknown_key(inner, "`request` of the config", &["base_url", "headers", "verify"]),
        }),
        "think_time" => reader.about.think_time = host_steps::read_strategy(reader, entry),
        "auto_popup_handler" => {
            let closes = control::flag(reader, entry);
            reader.about.popups.of_config(closes);
        }
        // Read once everything that they may name is known.
        "parameters" | "parameters_setting" | "setup_hooks" | "teardown_hooks" | "on_failure" | "functions"
        | "plugin" => {}
        key => match keys::instead_in_config(key) {
            Some(_) if keys::asks_for_nothing(key, &entry.value) => {}
            Some(instead) => reader.elsewhere(entry, "`config`", instead),
            None => reader.unknown_key(entry, "`config`", &[&keys::CONFIG[..], &keys::PLATFORMS].concat()),
        },
    }
}

fn requests(reader: &mut Reader<'_>, entry: &Entry) {
    let mut requests = std::mem::take(&mut reader.about.requests);
    requests.take(reader, entry);
    reader.about.requests = requests;
}

/// Longest `case_timeout`, in seconds, as of `--case-timeout`.
const MAX_SECONDS: f64 = 1e6;

fn timeout(reader: &mut Reader<'_>, node: &Node) -> Option<f64> {
    let seconds = match &node.data {
        Data::Number(number) => number.as_f64().filter(|seconds| *seconds > 0.0 && *seconds <= MAX_SECONDS),
        _ => None,
    };
    if seconds.is_none() {
        reader.refuse(node.place.span, "`case_timeout` is a number of seconds above 0 and at most 1,000,000");
    }
    seconds
}

/// Reads `browser: firefox`, a browser of which nothing but its name is said.
fn named(node: &Node) -> DeviceEntry {
    let option = DeviceOption { key: "engine".to_owned(), value: node.to_value(), place: node.place.span };
    DeviceEntry { name: None, platform: "browser".to_owned(), options: vec![option], place: node.place.span }
}

fn device(reader: &mut Reader<'_>, platform: &str, node: &Node) -> DeviceEntry {
    let valid = keys::device_options(platform);
    let (mut options, mut name) = (Vec::new(), None);
    for entry in reader.map(node, &format!("a device of `{platform}`")) {
        if !valid.contains(&entry.key.as_str()) {
            reader.unknown_key(entry, &format!("a device of `{platform}`"), valid);
        }
        match (entry.key.as_str(), case_settings::flag(&entry.value)) {
            ("name", _) => {
                name = device_name(reader, entry);
                continue;
            }
            ("ignore_popup", Some(true)) => reader.about.popups.of_device(platform, false),
            ("close_popup", Some(closes)) => reader.about.popups.of_device(platform, closes),
            _ => {}
        }
        let place = entry.shown_place();
        options.push(DeviceOption { key: entry.key.clone(), value: entry.value.to_value(), place });
    }
    DeviceEntry { name, platform: platform.to_owned(), options, place: node.place.span }
}

/// Reads what steps call a device: a word that no other device of the case has.
fn device_name(reader: &mut Reader<'_>, entry: &Entry) -> Option<String> {
    let name = reader.text(&entry.value, "`name`")?;
    let is_word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    if !is_word {
        let message = format!("the name of a device is a word of letters, digits, `_` and `-`, not `{name}`");
        reader.refuse(entry.value.place.span, message);
    } else if reader.about.devices.contains(&name) {
        reader.refuse(entry.value.place.span, format!("two devices are called `{name}`"));
    } else {
        reader.about.devices.push(name.clone());
    }
    Some(name)
}

/// Checks the expressions of a `config`, once everything that they may name is known.
pub(super) fn check(reader: &mut Reader<'_>, node: &Node, known: &Known) {
    let checked = |key: &str| {
        matches!(
            key,
            "name"
                | "lock"
                | "variables"
                | "environs"
                | "base_url"
                | "headers"
                | "verify"
                | "request_timeout"
                | "request"
        ) || keys::PLATFORMS.contains(&key)
    };
    if let Data::Map(entries) = &node.data {
        for entry in entries.iter().filter(|entry| checked(&entry.key)) {
            match entry.key.as_str() {
                "variables" if matches!(entry.value.data, Data::Str(_)) => {
                    reader.expressions(&entry.value, &known.closed());
                }
                _ => reader.expressions(&entry.value, known),
            }
        }
    }
}

/// Reports definitions under `node` that need each other; `all` holds these and what else they may name.
pub(super) fn check_cycles(reader: &mut Reader<'_>, nodes: &[&Node], all: &Map<String, Value>, hidden: &Known) {
    for (chain, message) in cycles(all, hidden) {
        let here = chain.iter().find_map(|name| nodes.iter().find_map(|node| node.entry(name)));
        if let Some(entry) = here {
            reader.refuse(entry.value.place.span, message);
        }
    }
}

impl Requests {
    /// Takes one of the config's keys, or says that it is none of these.
    fn take(&mut self, reader: &mut Reader<'_>, entry: &Entry) {
        let given = |node: &Node| !keys::asks_for_nothing("", node);
        let value = given(&entry.value).then(|| entry.value.to_value());
        match entry.key.as_str() {
            "base_url" => self.base_url = value,
            "verify" => self.verify = value,
            "request_timeout" => self.timeout = value,
            _ if value.is_some() => self.headers = to_map(reader.map(&entry.value, "`headers`")),
            _ => {}
        }
    }
}
