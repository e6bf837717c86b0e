//! A step, in the short form or in `HttpRunner`'s.

use super::body::{self, is_tool};
use super::case::{Actual, Body, Retry, Step};
use super::case_settings;
use super::config::check_cycles;
use super::error::Error;
use super::known::Known;
use super::nearest;
use super::node::{Data, Entry, Node};
use super::reader::Reader;
use super::{control, extract, hooks, keys, model, parameters, passed_variables, save, validate};
use crate::action::{Diagnostic, MobileAction};

/// Reads steps in their order; each knows what those before it set.
pub(super) fn read_all(reader: &mut Reader<'_>, nodes: &[Node], known: &Known) -> Vec<Step> {
    let mut known = known.clone();
    let mut steps = Vec::with_capacity(nodes.len());
    for node in nodes {
        if let Some(step) = read(reader, node, &known) {
            known = known.with(model::set_by(&step));
            steps.push(step);
        }
    }
    steps
}

/// Reads a step; `known` are the variables of the case.
pub(super) fn read(reader: &mut Reader<'_>, node: &Node, known: &Known) -> Option<Step> {
    let Data::Map(entries) = &node.data else {
        not_a_map(reader, node);
        return None;
    };
    let before = reader.errors.len();
    let rows = reader.about.rows.clone();
    let mut step = Step { place: node.place.span, ..Step::default() };
    let inner = definitions(reader, node, entries, known, &mut step);
    for entry in entries {
        read_entry(reader, entry, entries, &mut step);
    }
    body::read(reader, entries, &inner, &mut step);
    extract::modernize(&mut step);
    pop_ups(reader, entries, &mut step);
    exports(reader, &mut step);
    check_queries(reader, &step);
    check_saved(reader, &step);
    if reader.errors.len() == before {
        check_whole(reader, node, &step);
        passed_variables::check(reader, node, &step);
    }
    check_expressions(reader, node, entries, &mut step, &inner);
    reader.about.rows = rows;
    Some(step)
}

/// Reads what the rest of the step may name: parameters, variables and what the setup sets.
fn definitions(reader: &mut Reader<'_>, node: &Node, entries: &[Entry], known: &Known, step: &mut Step) -> Known {
    step.parameters = parameters::read(reader, entries, known).map(Box::new);
    let mut inner = known.clone();
    if let Some(parameters) = &step.parameters {
        inner = inner.with(parameters.names().cloned());
        reader.about.rows.extend(parameters.names().cloned());
    }
    if let Some(variables) = node.entry("variables").filter(|entry| !entry.value.is_null()) {
        (step.variables, step.variables_from) = reader.variables_or_expression(&variables.value);
        let hidden = inner.clone();
        inner = inner.with(step.variables.keys().cloned());
        reader.expressions(&variables.value, &inner);
        inner = inner.opened(step.variables_from.is_some());
        check_cycles(reader, &[&variables.value], &step.variables, &hidden);
    }
    if let Some(entry) = node.entry("setup_hooks") {
        step.setup = hooks::read(reader, entry, &mut inner);
    }
    inner
}

fn read_entry(reader: &mut Reader<'_>, entry: &Entry, entries: &[Entry], step: &mut Step) {
    match entry.key.as_str() {
        "name" if entry.value.is_null() => {}
        "name" => step.name = reader.text(&entry.value, "`name`"),
        "device" if is_tool(reader, entry, entries) => {}
        "device" => step.device = device(reader, entry),
        "when" => step.when = control::condition(reader, entry).map(Box::new),
        "repeat" if step.repeat.is_none() => step.repeat = control::repeat(reader, entry).map(Box::new),
        "loops" if step.repeat.is_none() => step.repeat = control::loops(reader, entry).map(Box::new),
        "repeat" | "loops" => reader.refuse(entry.place.span, "a step has either `repeat` or `loops`"),
        "retry" => step.retry = control::retry(reader, entry),
        "optional" => step.optional = control::flag(reader, entry),
        "save" => step.saves = save::read(reader, &entry.value),
        "validate" | "validators" => step.validate = validate::read(reader, &entry.value),
        "retry_times" | "retry_interval" => retry_of_old(reader, entry, step),
        "tags" => step.tags = reader.words(&entry.value, "`tags`"),
        "screenshot" if !is_tool(reader, entry, entries) => step.screenshot = control::flag(reader, entry),
        // Read after the body, which decides what it means.
        "extract" if entries.iter().all(|other| other.key != "testcase") => {
            step.extracts = extract::read(reader, &entry.value);
        }
        "extract" | "export" => step.export.extend(exported(reader, entry)),
        "anti_risk" => step.anti_risk = control::flag(reader, entry),
        key if keys::STEP.contains(&key) || keys::PLATFORMS.contains(&key) => {}
        _ if is_tool(reader, entry, entries) => {}
        key => match keys::instead_in_step(key) {
            Some(instead) if !keys::asks_for_nothing(key, &entry.value) => reader.elsewhere(entry, "a step", instead),
            Some(_) => {}
            None => unknown(reader, entry, entries),
        },
    }
}

/// Reads which of the config's devices a step runs on.
fn device(reader: &mut Reader<'_>, entry: &Entry) -> Option<Box<str>> {
    let name = reader.text(&entry.value, "`device`")?;
    let place = entry.value.place.span;
    let known = &reader.about.devices;
    if known.is_empty() {
        let help = "name them there, `browser: [{name: buyer}, {name: seller}]`, and the step's here, `device: seller`";
        reader.refuse_with_help(place, format!("the config names no device, and none `{name}`"), help);
    } else if !known.contains(&name) {
        let help = format!("the config names {}", known.join(", "));
        reader.refuse_with_help(place, format!("the config names no device `{name}`"), help);
    }
    Some(name.into())
}

/// Reads `retry_times` and `retry_interval` of `HttpRunner`'s third version.
fn retry_of_old(reader: &mut Reader<'_>, entry: &Entry, step: &mut Step) {
    let retry = step.retry.get_or_insert(Retry { times: 0, interval: 0.0 });
    match entry.key.as_str() {
        "retry_times" => retry.times = control::retry(reader, entry).map_or(0, |read| read.times),
        _ => retry.interval = control::interval(reader, entry),
    }
}

/// Reads names of variables: a list, or one.
fn exported(reader: &mut Reader<'_>, entry: &Entry) -> Vec<String> {
    match &entry.value.data {
        Data::Str(name) => vec![name.clone()],
        _ => reader.words(&entry.value, &format!("`{}`", entry.key)),
    }
}

fn pop_ups(reader: &mut Reader<'_>, entries: &[Entry], step: &mut Step) {
    let mut said = |key: &str| {
        let entry = entries.iter().find(|entry| entry.key == key && !entry.value.is_null())?;
        let flag = case_settings::flag(&entry.value);
        if flag.is_none() {
            control::flag(reader, entry);
        }
        flag
    };
    let (ignores, handles) = (said("ignore_popup"), said("auto_popup_handler"));
    step.closes_popups = reader.about.popups.decide(step.platform.as_deref(), ignores, handles);
    // Only what acts on a device meets pop-ups.
    let facts = reader.vocabulary.facts;
    let on_device = |action: &MobileAction| facts(&action.method).is_none_or(|tool| tool.needs_device);
    step.closes_popups &= step.actions().iter().any(on_device);
}

/// A case that the step refers to says itself what it gives back; the step may ask for more.
fn exports(reader: &mut Reader<'_>, step: &mut Step) {
    if let Body::Case(case) = &step.body {
        for name in &case.config.export {
            if !step.export.contains(name) {
                step.export.push(name.clone());
            }
        }
    } else if !step.export.is_empty() {
        // `HttpRunner` lists here what `extract` has set, which later steps see anyway.
        let mut named = std::mem::take(&mut step.export);
        let set = model::set_by(step);
        let defines = |name: &String| step.variables.contains_key(name) || step.variables_from.is_some();
        let unset = |name: &&String| !set.contains(*name) && !defines(name);
        if let Some(name) = named.iter().find(unset) {
            let help = "`export` names variables that the step's `extract`, `save` or `variables` define";
            reader.refuse_with_help(step.place, format!("the step does not set `{name}`"), help);
        }
        let defines = |name: &String| step.variables.contains_key(name) || step.variables_from.is_some();
        named.retain(|name| defines(name) && !set.contains(name));
        step.export = named;
    }
}

/// Tells whether a tool of a step takes an argument: nothing is said of its name where it is given.
fn takes(reader: &Reader<'_>, tool: &Entry, argument: &Entry) -> bool {
    let params = serde_json::json!({argument.key.clone(): argument.value.to_written()});
    let call =
        MobileAction { method: tool.key.clone(), params, options: serde_json::Map::new(), span: tool.place.span };
    let is_of_name = |complaint: &Diagnostic| complaint.at_key;
    let check = reader.vocabulary.check;
    reader.knows(&tool.key)
        && reader.own_tool(&tool.key).is_none()
        && !check(&call, &super::expression::holds_variables).iter().any(is_of_name)
}

/// Reports a key that is neither a tool nor a step key: beside a tool it was meant for the latter.
fn unknown(reader: &mut Reader<'_>, entry: &Entry, entries: &[Entry]) {
    let does = |other: &Entry| body::does(reader, other, entries);
    let keys = [&keys::STEP[..], &keys::PLATFORMS].concat();
    let bare = |other: &&Entry| reader.knows(&other.key) && other.value.is_null();
    if let Some(tool) =
        entries.iter().find(bare).filter(|_| nearest::nearest(&entry.key, keys.iter().copied()).is_none())
    {
        let help = body::apart(tool, entry);
        reader.refuse_with_help(entry.place.span, format!("unknown key `{}` of a step", entry.key), help);
    } else if let Some(tool) = entries.iter().find(|other| takes(reader, other, entry)) {
        let help = format!(
            "it is an argument of `{}`: write it under that, `- {}: {{…, {}: …}}`",
            tool.key, tool.key, entry.key
        );
        reader.refuse_with_help(entry.place.span, format!("unknown key `{}` of a step", entry.key), help);
    } else if entries.iter().any(does) {
        reader.unknown_key(entry, "a step", &keys::STEP);
    } else if nearest::nearest(&entry.key, keys.iter().copied()).is_some() {
        reader.unknown_key(entry, "a step", &keys);
    } else if let Some(near) = reader.setting.and_then(|setting| nearest::hint(&entry.key, setting.tools.names())) {
        let error = Error::at(reader.source, entry.place.span, format!("unknown tool `{}`", entry.key));
        reader.report(error.with_hint(Some(near)));
    } else {
        body::short(reader, entry);
    }
}

/// Reports a step that does nothing, or wants what its body cannot give.
fn check_whole(reader: &mut Reader<'_>, node: &Node, step: &Step) {
    let does_nothing = matches!(&step.body, Body::Actions(actions) if actions.is_empty());
    if does_nothing && step.validate.is_empty() {
        let help = "name a tool, or give `validate` a check";
        reader.refuse_with_help(node.place.span, "the step does nothing", help);
    }
    for (key, is_empty) in [("save", step.saves.is_empty()), ("extract", step.extracts.is_empty())] {
        if !is_empty && !step.has_result() {
            let place = node.entry(key).map_or(node.place.span, |entry| entry.place.span);
            reader.refuse(place, format!("`{key}` keeps an action's result; this step has no action"));
        }
    }
}

/// Reports what is saved under the name of a parameter, whose row would go on hiding it.
fn check_saved(reader: &mut Reader<'_>, step: &Step) {
    let saved = step.saves.iter().map(|save| &save.variable);
    let mut saved = saved.chain(step.extracts.iter().map(|extract| &extract.variable));
    if let Some(name) = saved.find(|name| reader.about.rows.contains(name)).cloned() {
        let help = "the row's value would hide it: save under another name";
        reader.refuse_with_help(step.place, format!("`{name}` is a parameter"), help);
    }
}

/// Reports queries where there is no result to look into.
fn check_queries(reader: &mut Reader<'_>, step: &Step) {
    let has_result = step.has_result() && step.platform.is_none();
    for check in step.validate.iter().filter(|_| !has_result) {
        let Some(Actual::Query(query)) = &check.actual else { continue };
        let help = match (&step.body, &step.platform) {
            (Body::Case(_), _) => "write `$name` for a variable that the testcase exports",
            (_, Some(_)) => "write `ui_ocr`, `ui_foreground_app` or an expression such as `$name`",
            _ => "write an expression such as `$name`, or put the check beside an action",
        };
        let message = format!("there is no result for `{query}` to look into");
        reader.refuse_with_help(check.action.span, message, help);
    }
}

fn not_a_map(reader: &mut Reader<'_>, node: &Node) {
    let mut error = Error::at(reader.source, node.place.span, format!("a step must be a map, not {}", node.kind()));
    if let Data::Str(text) = &node.data
        && reader.knows(text)
    {
        error.hint = Some(format!("did you mean `{text}:`?"));
    }
    if let Data::Str(text) = &node.data
        && text.contains(":\u{a0}")
    {
        error.help = Some("the sign behind `:` is a no-break space: write a plain one".to_owned());
    }
    if let Data::Str(text) = &node.data
        && text.contains('：')
    {
        error.help = Some("`：` is a full-width sign: write `: `".to_owned());
    }
    reader.report(error);
}

/// Checks the expressions of what has not been checked while it was read.
fn check_expressions(reader: &mut Reader<'_>, node: &Node, entries: &[Entry], step: &mut Step, inner: &Known) {
    let mut after = inner.with(model::set_by(step));
    for entry in entries {
        let value = &entry.value;
        match entry.key.as_str() {
            "variables" | "parameters" | "parameters_setting" | "setup_hooks" | "teardown_hooks" | "save" | "steps"
            | "then" | "else" | "testcase" | "api" => {}
            "when" | "if" => reader.condition_errors(value, inner),
            "repeat" => check_repeat(reader, value, inner, &after),
            "extract" | "validate" | "validators" => reader.expressions(value, &after),
            _ => reader.expressions(value, inner),
        }
    }
    if let Some(entry) = node.entry("teardown_hooks") {
        step.teardown.extend(hooks::read(reader, entry, &mut after));
    }
}

fn check_repeat(reader: &mut Reader<'_>, node: &Node, inner: &Known, after: &Known) {
    for key in ["while", "until"] {
        if let Some(entry) = node.entry(key) {
            reader.condition_errors(&entry.value, if key == "until" { after } else { inner });
        }
    }
    match node.entry("times") {
        Some(times) => reader.expressions(&times.value, inner),
        None if matches!(node.data, Data::Str(_)) => reader.expressions(node, inner),
        None => {}
    }
}
