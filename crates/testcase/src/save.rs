//! `save`: which parts of an action's result become variables.
//!
//! `save: greeting` keeps the tool's main field; `save: {greeting: text, app: details.app}` keeps the fields that it names.

use super::case::Save;
use super::extract::check_name;
use super::node::{Data, Node};
use super::reader::Reader;

/// Reads what stands under `save`.
pub(super) fn read(reader: &mut Reader<'_>, node: &Node) -> Vec<Save> {
    match &node.data {
        Data::Str(name) => {
            check_name(reader, name, node.place.span);
            vec![Save { variable: name.clone(), field: None }]
        }
        Data::Map(entries) => {
            let mut saves = Vec::new();
            for entry in entries {
                check_name(reader, &entry.key, entry.place.span);
                if let Some(field) = reader.text(&entry.value, "a field of the result") {
                    saves.push(Save { variable: entry.key.clone(), field: Some(field) });
                }
            }
            saves
        }
        _ => {
            let message = format!("`save` is a variable's name or a map of names to fields, not {}", node.kind());
            reader.refuse(node.place.span, message);
            Vec::new()
        }
    }
}
