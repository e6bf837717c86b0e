//! What the families of fields share: what they are drawn from, the column that they are put into, a field and its place.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::edit::Edit;
use super::super::node::Node;
use super::super::place::Place;
use super::super::widgets::Look;
use crate::instance::{Block, FieldConfig, Instance, text_of};
use uixt_canvas::geometry::Area;

/// What the fields of a page are drawn from.
pub(crate) struct Cx<'a> {
    pub(crate) look: &'a Look,
    /// The app's pages by their names.
    pub(crate) pages: &'a BTreeMap<String, Instance>,
    pub(crate) edit: Option<&'a Edit>,
    /// How far the lists within pages are scrolled.
    pub(crate) scrolls: &'a BTreeMap<(String, String), i32>,
    /// Whether a field, block or action of an instance is there already.
    pub(crate) is_there: &'a dyn Fn(&str, &str) -> bool,
    pub(crate) now_ms: u64,
}

/// A column that nodes are put into from the top.
pub(crate) struct Flow {
    pub(crate) left: i32,
    pub(crate) width: i32,
    pub(crate) y: i32,
    pub(crate) nodes: Vec<Node>,
}

/// A field with where it stands.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) instance: &'a Instance,
    pub(super) block: &'a Block,
    pub(super) config: &'a FieldConfig,
}

impl Flow {
    pub(crate) fn new(left: i32, width: i32, y: i32) -> Self {
        Self { left, width, y, nodes: Vec::new() }
    }

    /// Returns an area of the column's width at its end.
    pub(crate) fn area(&self, height: i32) -> Area {
        Area::sized(self.left, self.y, self.width, height)
    }

    /// Puts a node at the end; the next one begins `gap` pixels below it.
    pub(crate) fn push(&mut self, node: Node, gap: i32) {
        self.y = node.area.bottom + gap;
        self.nodes.push(node);
    }
}

impl Field<'_> {
    pub(super) fn value(&self) -> Value {
        self.instance.value_of(self.block, self.config)
    }

    pub(super) fn place(&self) -> Place {
        Place { instance: self.instance.id().to_owned(), path: self.block.path_of(self.config), kind: self.config.kind }
    }

    /// Returns a word of the page's own language, as `state.runtime.words` has it; the key where it has none.
    pub(super) fn word(&self, key: &str) -> String {
        let words = self.instance.state().runtime.get("words");
        words.and_then(|words| words.get(key)).map_or_else(|| key.to_owned(), text_of)
    }

    pub(super) fn id(&self, look: &Look) -> String {
        look.id(self.config.rid.as_deref().unwrap_or(&self.config.key))
    }
}

/// Puts a small bold line above what comes.
pub(super) fn heading(cx: &Cx, flow: &mut Flow, text: &str) {
    let ink = (cx.look.bold(13.5), cx.look.theme.primary);
    let node = cx.look.words((flow.left, flow.y), flow.width, text, ink, 2);
    flow.push(node, cx.look.dp(8.0));
}
