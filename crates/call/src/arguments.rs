//! Arguments, from what a testcase or an agent wrote to what a tool takes: named, spelled, typed and checked.
//!
//! The same steps serve both ways in: a [`MobileAction`]'s `params` and `options` are first laid out as named arguments; then
//! spellings are put right, harmless differences of type are mended, and the rest is checked against the tool's schema.
//! At load a value may still hold variables: its name is checked then, and the value at the call.

mod layout;
mod problem;
mod spelling;
mod wording;
mod words;
mod written_numbers;

use serde_json::Value;
use uixt_locate::{Error, Kind, Object};
use uixt_schema::nearest;

use self::layout::{Written, lay_out};
use self::problem::problems;
use self::spelling::spell;
use self::wording::{complaint, source_of, to_complaint, to_error};
pub(super) use self::words::read_number;
pub use self::words::{camel_case, snake_case};
use super::options::Wrong;
use super::wording::clip;
use super::{CallOptions, CallToolRequest, Exposure, PREFIX, Table, ToolRow};
use crate::action::{Diagnostic, MobileAction};

/// Finds the tool that an action means: a point in pixels is for the tool that takes pixels.
fn meant(table: &Table, action: &MobileAction) -> Option<&'static ToolRow> {
    table.find(&action.method).and_then(|tool| match tool.name {
        "tap_xy" if is_in_pixels(action) => table.find("tap_abs_xy"),
        _ => Some(tool),
    })
}

/// Tells whether a point is given by whole numbers above 1, as `HttpRunner` writes pixels.
fn is_in_pixels(action: &MobileAction) -> bool {
    let whole = |value: &Value| {
        let number = value.as_f64().or_else(|| value.as_str().and_then(|text| text.trim().parse().ok()));
        number.is_some_and(|number| number > 1.0 && number.fract() == 0.0)
    };
    match &action.params {
        Value::Array(items) => items.len() == 2 && items.iter().all(whole),
        Value::Object(map) => ["x", "y"].iter().all(|key| map.get(*key).is_some_and(whole)),
        Value::Null => ["x", "y"].iter().all(|key| action.options.get(*key).is_some_and(whole)),
        _ => false,
    }
}

impl Table {
    /// Checks an action of a testcase at load. `holds` tells whether a value still holds variables.
    pub fn check(&self, action: &MobileAction, holds: &dyn Fn(&Value) -> bool) -> Vec<Diagnostic> {
        let plain = written_numbers::as_texts(action);
        let Some(tool) = meant(self, &plain) else {
            return vec![self.unknown_tool(&action.method)];
        };
        let mut written = lay_out(tool, &plain, holds);
        written_numbers::settle(self, tool, action, &mut written);
        let (_, wrong) = take_options(tool, &mut written, holds);
        written
            .complaints
            .extend(wrong.into_iter().map(|wrong| complaint(source_of(&written.sources, &wrong.key), wrong.message)));
        let mut complaints = std::mem::take(&mut written.complaints);
        let (mut arguments, spellings) = spell(tool, std::mem::take(&mut written.arguments));
        let problems = problems(self, tool, &mut arguments, holds);
        complaints
            .extend(problems.into_iter().map(|problem| to_complaint(tool, &problem, &written.sources, &spellings)));
        complaints
    }

    /// Turns an action whose variables are replaced into the request that an agent would send.
    ///
    /// Its arguments have their canonical names and are not checked yet: whoever answers the request does that, as for agents.
    pub fn request(&self, action: &MobileAction) -> Result<CallToolRequest, Error> {
        let plain = written_numbers::as_texts(action);
        let tool = meant(self, &plain).ok_or_else(|| self.unknown_tool_error(&action.method))?;
        let mut written = lay_out(tool, &plain, &|_| false);
        written_numbers::settle(self, tool, action, &mut written);
        if let Some(complaint) = written.complaints.first() {
            return Err(Error::new(Kind::BadArgument, format!("{}: {}", tool.name, complaint.message)));
        }
        let (options, wrong) = take_options(tool, &mut written, &|_| false);
        if let Some(wrong) = wrong.first() {
            return Err(Error::new(Kind::BadArgument, format!("{}: {}", tool.name, wrong.message)));
        }
        let (arguments, _) = spell(tool, written.arguments);
        Ok(CallToolRequest { options, ..CallToolRequest::new(tool.name).with_arguments(arguments) })
    }

    /// Returns the arguments of an action under the names that its author wrote, each with its JSON pointer into the action.
    pub fn sources(&self, action: &MobileAction) -> Option<Vec<(String, String)>> {
        let plain = written_numbers::as_texts(action);
        Some(lay_out(meant(self, &plain)?, &plain, &|_| false).sources)
    }

    /// Puts a request's arguments right and checks them.
    pub fn prepare(&self, tool: &'static ToolRow, arguments: Object) -> Result<Object, Error> {
        let (arguments, _) = spell(tool, arguments);
        let mut arguments = spelling::without_nulls(tool, arguments);
        let problems = problems(self, tool, &mut arguments, &|_| false);
        if problems.is_empty() { Ok(arguments) } else { Err(to_error(tool, &problems)) }
    }

    /// Builds the error of a call to a tool that is not there.
    pub fn unknown_tool_error(&self, name: &str) -> Error {
        let name = clip(name);
        let name = name.as_str();
        let bare = name.strip_prefix(PREFIX).unwrap_or(name);
        if self.find(name).is_some() {
            let message = format!("`{bare}` is for testcases only, and is not offered here");
            return Error::new(Kind::BadArgument, message).with("unknown_tool", name);
        }
        if let Some(tool) = self.wrapped(name) {
            let message = format!(
                "unknown tool `{name}`: it is called `{tool}` or `{PREFIX}{tool}`, once and with nothing around it"
            );
            return Error::new(Kind::BadArgument, message).with("unknown_tool", name);
        }
        let complaint = self.unknown_tool(bare);
        let hint = complaint.hint.map(|hint| format!(", {hint}")).unwrap_or_default();
        Error::new(Kind::BadArgument, format!("{}{hint}", complaint.message)).with("unknown_tool", name)
    }

    /// Finds the tool that a name means which stands behind other words, as hosts put them together: `uixt__uixt__home`,
    /// `mcp__phone__home`, `uixt.home`, ` home `.
    fn wrapped(&self, name: &str) -> Option<&'static str> {
        let ends = name.match_indices(|sign: char| !sign.is_alphanumeric()).map(|(at, sign)| at + sign.len());
        let parts = std::iter::once(0).chain(ends).filter_map(|at| name.split_at_checked(at));
        // One `_` joins the words of a name: `set_text` is not `text` with something before it.
        let parted = parts.filter(|(before, _)| before.ends_with("__") || !before.ends_with('_'));
        let mut found =
            parted.filter_map(|(_, tail)| self.find(tail.trim_matches(|sign: char| !sign.is_alphanumeric())));
        found.find(|tool| tool.exposure == Exposure::Everyone).map(|tool| tool.name)
    }

    fn unknown_tool(&self, name: &str) -> Diagnostic {
        let path = "/method".to_owned();
        if let Some(message) = super::unsupported::gone(name) {
            return complaint(path, message);
        }
        if let Some(instead) = super::unsupported::foreign(name) {
            let hint = Some(format!("write {instead}"));
            return Diagnostic { hint, ..complaint(path, format!("unknown tool `{name}`")) };
        }
        let near = nearest(&snake_case(name.strip_prefix(PREFIX).unwrap_or(name)), self.names());
        Diagnostic {
            hint: near.map(|near| format!("did you mean `{near}`?")),
            help: Some("`uixt tools` lists the tools".to_owned()),
            ..complaint(path, format!("unknown tool `{name}`"))
        }
    }
}

/// Takes `HttpRunner`'s options out of what was written.
fn take_options(
    tool: &'static ToolRow,
    written: &mut Written,
    holds: &dyn Fn(&Value) -> bool,
) -> (CallOptions, Vec<Wrong>) {
    let sources = &written.sources;
    let is_apart = |key: &str| source_of(sources, key).starts_with("/options/");
    CallOptions::take(tool, &mut written.arguments, &is_apart, holds)
}

/// Returns the names that the tool takes, without those that pick the device.
pub fn valid(tool: &'static ToolRow) -> impl Iterator<Item = &'static str> {
    tool.schema().properties().map(|(name, _)| name).filter(|name| tool.owns(name))
}

/// Names the arguments of a call: a tool's own, and those that pick its device.
fn valid_names(tool: &'static ToolRow) -> Vec<&'static str> {
    let device = ["platform", "serial"].into_iter().filter(|_| tool.needs_device);
    valid(tool).chain(device).collect()
}

fn valid_list(names: &[&str]) -> String {
    if names.is_empty() { "it takes no arguments".to_owned() } else { format!("valid: {}", names.join(", ")) }
}
