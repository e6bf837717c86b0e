//! `HttpRunner`'s form of a step: `android: {actions: [{method, params, options, …}]}`.

use super::case::{Body, Step};
use super::keys;
use super::node::{Data, Entry, Node};
use super::places::{self, Written};
use super::reader::Reader;
use crate::action::MobileAction;
use serde_json::{Map, Value};

/// Reads what stands under `android`, `ios`, `harmony` or `browser` of a step.
pub(super) fn read(reader: &mut Reader<'_>, platform: &Entry, step: &mut Step) {
    let what = format!("`{}`", platform.key);
    step.platform = Some(platform.key.clone());
    let mut actions = Vec::new();
    let single = platform.value.entry("method").is_some();
    for entry in reader.map(&platform.value, &what) {
        match entry.key.as_str() {
            "actions" if single => {
                let help = "write it as an item of `actions`";
                let method = platform.value.entry("method").map_or(entry.place.span, |method| method.place.span);
                reader.refuse_with_help(method, "`method` stands beside `actions`", help);
            }
            "actions" => {
                let items = reader.list(&entry.value, "`actions`");
                actions.extend(items.iter().filter_map(|item| action(reader, item, &keys::ACTION)));
            }
            "serial" => step.serial = reader.text(&entry.value, "`serial`"),
            "os_type" => {
                reader.text(&entry.value, "`os_type`");
            }
            _ if single => {}
            _ => reader.unknown_key(entry, &what, &keys::PLATFORM_STEP),
        }
    }
    if single && platform.value.entry("actions").is_none() {
        actions.extend(action(reader, &platform.value, &keys::PLATFORM_STEP));
    }
    step.body = Body::Actions(actions);
}

/// Reads `{method, params, options, …}`; options beside `method` win over those under `options`. `keys` are no options.
fn action(reader: &mut Reader<'_>, node: &Node, keys: &[&str]) -> Option<MobileAction> {
    let Data::Map(entries) = &node.data else {
        reader.refuse_with_help(node.place.span, "an action is a map", "write `{method: …, params: …}`");
        return None;
    };
    let Some(method) = node.entry("method") else {
        reader.refuse(node.place.span, "an action has a `method`");
        return None;
    };
    let name = reader.text(&method.value, "`method`")?;
    let action = MobileAction {
        params: node.entry("params").map_or(Value::Null, |params| params.value.to_written()),
        options: options(reader, node, entries, keys),
        span: node.place.span,
        method: name,
    };
    places::check(reader, &action, Written::Long { map: node });
    Some(action)
}

fn options(reader: &mut Reader<'_>, node: &Node, entries: &[Entry], keys: &[&str]) -> Map<String, Value> {
    let under = node.entry("options").map(|options| reader.map(&options.value, "`options`"));
    let beside = entries.iter().filter(|entry| !keys.contains(&entry.key.as_str()));
    let mut options = super::node::to_map(under.unwrap_or_default());
    options.extend(beside.map(|entry| (entry.key.clone(), entry.value.to_value())));
    options
}
