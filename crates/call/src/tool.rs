//! What a row of a table says of its tool: its facts, the schema of its arguments, and how those are checked.

use uixt_locate::Object;
use uixt_locate::finder::Purpose;

use super::arguments::camel_case;
use super::kind::{Aim, Bound, ToolKind};
use super::lacking::Lacking;
use super::table::Table;
use super::toolset::Toolset;

/// How `params` of a testcase fill a tool's arguments. A map is always taken as it is.
#[derive(Clone, Copy)]
pub enum Shape {
    /// The tool takes nothing; what stands there is ignored, as `HttpRunner` does.
    Nothing,
    /// A list fills these fields in order, a scalar the first.
    Fields(&'static [&'static str]),
    /// Whatever it is fills this field, lists included.
    Whole(&'static str),
    /// Whatever it is fills this field as a text: what is no text or number, as JSON.
    Text(&'static str),
    /// A string fills the first field, a list of numbers the others.
    TextOrNumbers(&'static str, &'static [&'static str]),
}

/// Whom a tool is offered to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exposure {
    Everyone,
    /// It reaches the host, so agents are not offered it.
    Testcase,
}

/// A tool, its type forgotten: all that is to be known of it short of running it.
pub struct ToolRow {
    pub name: &'static str,
    pub set: Option<Toolset>,
    pub kind: ToolKind,
    pub aliases: &'static [&'static str],
    pub params: Shape,
    pub answer: &'static [&'static str],
    pub aim: Aim,
    pub purpose: Option<Purpose>,
    /// The tool that does the same, of which this is another name: with arguments and an answer of its own.
    pub alias_of: Option<&'static str>,
    /// Whether that other name has the very arguments and the answer of the tool.
    pub is_same: bool,
    pub secrets: &'static [&'static str],
    pub names_files: bool,
    pub bound: Option<Bound>,
    pub in_goals: bool,
    pub verb: Option<&'static str>,
    pub in_browser_core: bool,
    pub exposure: Exposure,
    pub read_only: bool,
    pub destructive: bool,
    pub idempotent: bool,
    pub needs_device: bool,
    pub uses_devices: bool,
    pub target_may_be_absent: bool,
    pub main: Option<&'static str>,
    pub view: Option<&'static str>,
    pub values: &'static [&'static str],
    pub unchecked: &'static [&'static str],
    pub argument_aliases: &'static [(&'static str, &'static str)],
    /// What platforms lack of it.
    pub lacking: &'static [Lacking],
    pub schema: fn() -> schemars::Schema,
    pub check: fn(Object, &Table) -> Result<(), String>,
}

impl ToolRow {
    /// Returns the least that a row can say: a tool that does something of its own kind to a device.
    pub const fn new(
        name: &'static str,
        schema: fn() -> schemars::Schema,
        check: fn(Object, &Table) -> Result<(), String>,
    ) -> Self {
        Self {
            name,
            set: None,
            kind: ToolKind::Other,
            aliases: &[],
            params: Shape::Nothing,
            answer: &[],
            aim: Aim::Target,
            purpose: None,
            alias_of: None,
            is_same: false,
            secrets: &[],
            names_files: false,
            bound: None,
            in_goals: false,
            verb: None,
            in_browser_core: false,
            exposure: Exposure::Everyone,
            read_only: false,
            destructive: true,
            idempotent: false,
            needs_device: true,
            uses_devices: true,
            target_may_be_absent: false,
            main: None,
            view: None,
            values: &[],
            unchecked: &[],
            argument_aliases: &[],
            lacking: &[],
            schema,
            check,
        }
    }

    /// Returns other spellings of the tool's arguments: those in camelCase, and those of their own;
    /// each with the argument's name.
    pub fn other_spellings(&'static self) -> impl Iterator<Item = (String, &'static str)> {
        let camel = self.schema().properties().map(|(name, _)| (camel_case(name), name));
        let own = self.argument_aliases.iter().map(|(alias, name)| ((*alias).to_owned(), *name));
        camel.chain(own).filter(|(spelling, _)| self.schema().property(spelling).is_none())
    }

    /// Reads arguments as a call does, without making it: what a schema cannot say is said here.
    pub fn checks(&self, arguments: Object, table: &Table) -> Result<(), String> {
        (self.check)(arguments, table)
    }

    /// Returns what the tool wants of an element that a ref names.
    pub fn purpose(&self) -> Purpose {
        self.purpose.unwrap_or(match self.kind {
            ToolKind::Typing => Purpose::Type,
            ToolKind::Gesture | ToolKind::Move => Purpose::Touch,
            ToolKind::Search | ToolKind::Wait | ToolKind::Assert => Purpose::Look,
            _ => Purpose::Read,
        })
    }
}
