//! What the readers of a file's parts share: the text, the vocabulary, and the errors found so far.

use super::case_settings::CaseSettings;
use super::error::Error;
use super::expression::parse;
use super::known::Known;
use super::library::Setting;
use super::names::find_unknown;
use super::nearest;
use super::node::{Data, Entry, Node};
use super::own_tool::OwnTool;
use super::parts::{ExpressionError, Part};
use super::source::Source;
use super::texts::Texts;
use super::vocabulary::Vocabulary;
use crate::action::Span;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Most errors that are kept of one file.
const MOST_ERRORS: usize = 100;

/// Reads one file; goes on after an error.
pub(super) struct Reader<'a> {
    pub(super) source: &'a Source,
    pub(super) vocabulary: &'a Vocabulary<'a>,
    pub(super) errors: Vec<Error>,
    /// Variables that the file does not define, for whoever refers to it to define; none where nobody does.
    pub(super) wanted: Option<Vec<(String, Error)>>,
    /// What the case's config says that its steps depend on.
    pub(super) about: CaseSettings,
    /// How other files are read; none where there are none.
    pub(super) setting: Option<Setting<'a>>,
    /// How many files further down this one refers to, itself included.
    pub(super) depth: usize,
    /// The files that this one was read with, those further down included.
    pub(super) texts: Texts,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a Source, vocabulary: &'a Vocabulary<'a>) -> Self {
        Reader {
            source,
            vocabulary,
            errors: Vec::new(),
            wanted: None,
            about: CaseSettings::default(),
            setting: None,
            depth: 1,
            texts: Texts::new(),
        }
    }

    /// Returns the project's tool of a name.
    pub(super) fn own_tool(&self, name: &str) -> Option<&'a Arc<OwnTool>> {
        self.setting?.tools.find(name)
    }

    /// Says whether a name is for the tools' side to judge, or one of the project's tools.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.own_tool(name).is_some() || self.vocabulary.knows(name)
    }

    pub(super) fn report(&mut self, error: Error) {
        if self.errors.len() < MOST_ERRORS && !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    pub(super) fn refuse(&mut self, span: Span, message: impl Into<String>) {
        self.report(Error::at(self.source, span, message));
    }

    pub(super) fn refuse_with_help(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.report(Error::at(self.source, span, message).with_help(Some(help.into())));
    }

    /// Reports a key that nobody knows, with the nearest and all valid ones.
    pub(super) fn unknown_key(&mut self, entry: &Entry, of: &str, valid: &[&str]) {
        let error = Error::at(self.source, entry.place.span, format!("unknown key `{}` of {of}", entry.key));
        let hint = nearest::hint(&entry.key, valid.iter().copied());
        let help = self.source.cut_text(entry.place.span).unwrap_or_else(|| format!("valid: {}", valid.join(", ")));
        self.report(error.with_hint(hint).with_help(Some(help)));
    }

    /// Reports a key that means nothing here, with what to write instead.
    pub(super) fn elsewhere(&mut self, entry: &Entry, of: &str, instead: &str) {
        self.refuse_with_help(entry.place.span, format!("`{}` of {of} has no meaning here", entry.key), instead);
    }

    fn wrong_kind(&mut self, span: Span, what: &str, wanted: &str, node: &Node) {
        self.refuse(span, format!("{what} must be {wanted}, not {}", node.kind()));
    }

    /// Returns a map's entries; nothing written is an empty map.
    pub(super) fn map<'n>(&mut self, node: &'n Node, what: &str) -> &'n [Entry] {
        match &node.data {
            Data::Map(entries) => entries,
            Data::Null => &[],
            _ => {
                self.wrong_kind(node.place.span, what, "a map", node);
                &[]
            }
        }
    }

    /// Returns a list's items; nothing written is an empty list.
    pub(super) fn list<'n>(&mut self, node: &'n Node, what: &str) -> &'n [Node] {
        match &node.data {
            Data::Seq(items) => items,
            Data::Null => &[],
            _ => {
                self.wrong_kind(node.place.span, what, "a list", node);
                &[]
            }
        }
    }

    /// Returns a text; numbers and booleans are taken as they are written.
    pub(super) fn text(&mut self, node: &Node, what: &str) -> Option<String> {
        let text = written_text(self.source, node);
        if text.is_none() {
            self.wrong_kind(node.place.span, what, "a string", node);
        }
        text
    }

    /// Returns a list of words, which may be one word alone.
    pub(super) fn words(&mut self, node: &Node, what: &str) -> Vec<String> {
        let mut words = Vec::new();
        let items = match &node.data {
            Data::Str(_) => std::slice::from_ref(node),
            _ => self.list(node, what),
        };
        for item in items {
            let Some(word) = self.text(item, &format!("an item of {what}")) else { continue };
            if word.is_empty() || word.contains(char::is_whitespace) || word.contains('$') {
                self.refuse(item.place.span, format!("an item of {what} is one word"));
            }
            words.push(word);
        }
        words
    }

    /// Returns a text, or several, which may hold expressions.
    pub(super) fn texts(&mut self, node: &Node, what: &str) -> Vec<String> {
        let items = match &node.data {
            Data::Str(_) => std::slice::from_ref(node),
            _ => self.list(node, what),
        };
        items.iter().filter_map(|item| self.text(item, &format!("an item of {what}"))).collect()
    }

    /// Returns definitions of variables, or the one expression that they all come from.
    pub(super) fn variables_or_expression(&mut self, node: &Node) -> (Map<String, Value>, Option<Box<str>>) {
        let Data::Str(text) = &node.data else { return (self.variables(node, "`variables`"), None) };
        let is_one = match parse(text.trim()) {
            Ok(parts) => matches!(&parts[..], [part] if !matches!(part, Part::Text(_))),
            // Reported with its place.
            Err(_) => true,
        };
        if !is_one {
            let help = "write `{user: 小明}`, or `${get_variables()}`";
            let message = "`variables` is a map, or one expression that returns a map";
            self.refuse_with_help(node.place.span, message, help);
        }
        // What is wrong here makes no other variable unknown.
        (Map::new(), Some(text.trim().into()))
    }

    /// Returns definitions of variables, whose names must be usable; `HttpRunner`'s older list of maps counts as one map.
    pub(super) fn variables(&mut self, node: &Node, what: &str) -> Map<String, Value> {
        if let Data::Str(text) = &node.data
            && text.contains('$')
        {
            let help = "name the variables: `{user: ${name()}}`";
            self.refuse_with_help(node.place.span, format!("{what} cannot come from an expression as a whole"), help);
            return Map::new();
        }
        let mut all = Map::new();
        for entry in self.entries(node, what) {
            if !super::parts::is_name(&entry.key) {
                let message = format!("`{}` is not a name for a variable", entry.key);
                let help = "a name is made of the letters a to z, digits and `_`, and begins with no digit";
                self.refuse_with_help(entry.place.span, message, help);
            }
            all.insert(entry.key.clone(), entry.value.to_written());
        }
        all
    }

    /// Returns the entries of a map, or of a list of maps.
    pub(super) fn entries<'n>(&mut self, node: &'n Node, what: &str) -> Vec<&'n Entry> {
        match &node.data {
            Data::Seq(items) => items.iter().flat_map(|item| self.map(item, &format!("an item of {what}"))).collect(),
            _ => self.map(node, what).iter().collect(),
        }
    }

    /// Reports the expressions in a value that cannot be evaluated whatever the values are.
    pub(super) fn expressions(&mut self, node: &Node, known: &Known) {
        if self.errors.len() >= MOST_ERRORS {
            return;
        }
        match &node.data {
            Data::Str(text) if text.contains('$') || text.contains("{{") => {
                for error in find_unknown(text, known) {
                    self.expression_error(node, text, error);
                }
            }
            Data::Seq(items) => items.iter().for_each(|item| self.expressions(item, known)),
            Data::Map(entries) => entries.iter().for_each(|entry| self.expressions(&entry.value, known)),
            _ => {}
        }
    }

    /// Reports what is wrong with an expression, at its place in the string that `node` is.
    pub(super) fn expression_error(&mut self, node: &Node, text: &str, error: ExpressionError) {
        let span = within(self.source, node, text, &error);
        let shown = Error::at(self.source, span, error.message).with_hint(error.hint).with_help(error.help);
        match (&mut self.wanted, error.unknown) {
            (Some(wanted), Some(name)) if wanted.len() < MOST_ERRORS => wanted.push((name, shown)),
            _ => self.report(shown),
        }
    }

    /// Reports the conditions that cannot be evaluated whatever the values are.
    pub(super) fn condition_errors(&mut self, node: &Node, known: &Known) {
        if let Data::Str(text) = &node.data {
            for error in super::formula::check_condition(text, known) {
                self.expression_error(node, text, error);
            }
        }
    }
}

/// Returns a string, or a number or boolean as it is written.
pub(super) fn written_text(source: &Source, node: &Node) -> Option<String> {
    match &node.data {
        Data::Str(text) => Some(text.clone()),
        Data::Number(_) | Data::Bool(_) => source.text.get(node.place.bytes()).map(str::to_owned),
        _ => None,
    }
}

/// Returns the place in the file of a part of a string; the whole string where escapes hide it.
fn within(source: &Source, node: &Node, text: &str, error: &ExpressionError) -> Span {
    let part: String = text.chars().skip(error.offset).take(error.length).collect();
    let before: String = text.chars().take(error.offset).collect();
    let nth = before.matches(part.as_str()).count();
    let written = source.text.get(node.place.bytes()).unwrap_or_default();
    match written.match_indices(part.as_str()).nth(nth) {
        Some((at, _)) if !part.is_empty() => {
            let start = node.place.bytes().start + at;
            source.span(start, start + part.len())
        }
        _ => node.place.span,
    }
}
