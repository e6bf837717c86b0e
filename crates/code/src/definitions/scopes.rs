//! What stands in what, while a source is read.

use super::definition::{Definition, SIGNATURE};
use crate::source::Tokens;

/// What a pair of brackets, or a part that is indented, is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inside {
    /// The source itself, a module.
    File,
    /// What has methods.
    Type,
    /// What has methods that need no body.
    Interface,
    Function,
    /// An object of a script: `{a() {}}`.
    Object,
    /// Parentheses and square brackets.
    Brackets,
    /// Any other block.
    Block,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    pub(super) inside: Inside,
    /// Its definition.
    pub(super) of: Option<usize>,
}

/// The kind of what only says to whom functions belong.
pub(super) const OWNER: &str = "impl";

/// Kinds that have methods.
const TYPES: [&str; 12] = [
    "class",
    "struct",
    "enum",
    "union",
    "interface",
    "trait",
    "record",
    "object",
    "protocol",
    "extension",
    "impl",
    "annotation",
];

/// Returns what the body of a definition is.
pub(super) fn body(kind: &str) -> Inside {
    match kind {
        "module" => Inside::File,
        "interface" | "trait" | "protocol" => Inside::Interface,
        kind if TYPES.contains(&kind) => Inside::Type,
        _ => Inside::Function,
    }
}

/// What was found so far.
#[derive(Default)]
pub(super) struct Found {
    pub(super) definitions: Vec<Definition>,
    /// Where the names of these stand.
    places: Vec<usize>,
}

/// Among how many of the last a definition is looked for that was found already.
const NEAR: usize = 8;

/// Most definitions of one file.
const MOST: usize = 20_000;

/// What is to be said of a definition.
pub(super) struct New<'a> {
    pub(super) kind: &'static str,
    pub(super) name: &'a [u8],
    pub(super) parent: Option<String>,
    /// Where its name stands.
    pub(super) at: usize,
    /// The tokens of its signature.
    pub(super) from: usize,
    pub(super) to: usize,
}

impl Found {
    /// Adds a definition, once; returns its place.
    pub(super) fn add(&mut self, tokens: &Tokens<'_>, new: New<'_>) -> usize {
        let known = self.places.iter().rev().take(NEAR).position(|place| *place == new.at);
        if let Some(back) = known {
            return self.places.len() - 1 - back;
        }
        self.places.push(new.at);
        self.definitions.push(Definition {
            kind: new.kind,
            name: String::from_utf8_lossy(new.name).into_owned(),
            parent: new.parent,
            line: tokens.get(new.at).map_or(1, |token| token.line),
            signature: tokens.line(new.from, new.to, SIGNATURE),
        });
        self.definitions.len() - 1
    }

    /// Tells whether there are more than anybody reads of one file.
    pub(super) fn is_full(&self) -> bool {
        self.definitions.len() >= MOST
    }

    /// Names the nearest definition that others stand in.
    pub(super) fn parent<'a>(&self, scopes: impl DoubleEndedIterator<Item = &'a Scope>) -> Option<String> {
        let all = scopes.rev().filter_map(|scope| self.definitions.get(scope.of?));
        all.map(|definition| &definition.name).find(|name| !name.is_empty()).cloned()
    }
}
