//! The table → what a model is shown of it: some sets of tools, since each costs it tokens at every turn. Whatever else is offered
//! can be called by its name all the same.

use std::collections::HashSet;
use std::str::FromStr;
use std::sync::Arc;

use serde_json::{Value, json};
use uixt_call::{PREFIX, ToolDefinition, ToolRow, Toolset};
use uixt_locate::Object;
use uixt_schema::nearest;

use crate::groups::all;
use crate::output;

/// Stands for every set but those apart.
const ALL: &str = "all";

/// Returns a set's rows, in the table's order.
fn tools(set: Toolset) -> impl Iterator<Item = &'static ToolRow> {
    all().filter(move |tool| tool.set == Some(set))
}

/// Which sets a model is shown, and how the tools' names are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    sets: Vec<Toolset>,
    /// Whether the device shows pages: another core then.
    of_pages: bool,
    /// Whether names begin with `uixt__`.
    prefixed: bool,
    /// Whether a tool also tells what its answer holds.
    outputs: bool,
}

impl Default for Listing {
    fn default() -> Self {
        Self { sets: vec![Toolset::Core], of_pages: false, prefixed: true, outputs: false }
    }
}

/// Reads `core,apps` or `all`.
impl FromStr for Listing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = text.split(',').map(str::trim);
        let sets: Vec<_> = names.map(sets).collect::<Result<Vec<_>, _>>()?.concat();
        Ok(Self { sets, ..Self::default() })
    }
}

/// Returns the sets that a word stands for.
fn sets(word: &str) -> Result<Vec<Toolset>, String> {
    let known = || Toolset::EVERY.iter().map(|set| set.name());
    if word == ALL {
        return Ok(Toolset::EVERY.into_iter().filter(|set| !set.is_apart()).collect());
    }
    Toolset::EVERY.into_iter().find(|set| set.name() == word).map(|set| vec![set]).ok_or_else(|| {
        let hint = nearest(word, known()).map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
        format!("unknown toolset `{word}`{hint}; valid: {ALL}, {}", known().collect::<Vec<_>>().join(", "))
    })
}

impl Listing {
    /// Writes the bare names, for a host that puts the server's name before them.
    #[must_use]
    pub fn without_prefix(self) -> Self {
        Self { prefixed: false, ..self }
    }

    /// Tells whether names begin with `uixt__`.
    pub fn is_prefixed(&self) -> bool {
        self.prefixed
    }

    /// Shows of the core what a device with pages needs.
    #[must_use]
    pub fn of_pages(self) -> Self {
        Self { of_pages: true, ..self }
    }

    /// Also tells of each tool what its answer holds.
    #[must_use]
    pub fn with_outputs(self) -> Self {
        Self { outputs: true, ..self }
    }

    /// Returns the tools of those offered that are shown, set by set, as MCP lists them. What one says of an argument, the next does
    /// not say again.
    pub fn of(&self, is_offered: impl Fn(&ToolRow) -> bool) -> Vec<ToolDefinition> {
        let mut said = HashSet::new();
        self.rows().filter(|tool| is_offered(tool)).map(|tool| self.listed(tool, &mut said)).collect()
    }

    /// Names the tools of those offered that are not shown and can be called.
    pub fn rest(&self, is_offered: impl Fn(&ToolRow) -> bool) -> Vec<&'static str> {
        let shown: HashSet<&str> = self.rows().map(|tool| tool.name).collect();
        let all = Toolset::EVERY.into_iter().filter(|set| !set.is_apart()).flat_map(tools);
        all.filter(|tool| is_offered(tool)).map(|tool| tool.name).filter(|name| !shown.contains(name)).collect()
    }

    /// Names those of the tools offered that are shown.
    pub fn names(&self, is_offered: impl Fn(&ToolRow) -> bool) -> Vec<String> {
        self.rows().filter(|tool| is_offered(tool)).map(|tool| tool.name.to_owned()).collect()
    }

    /// Returns the rows of the sets that are shown.
    fn rows(&self) -> impl Iterator<Item = &'static ToolRow> {
        let shown = Toolset::EVERY.into_iter().filter(|set| self.sets.contains(set));
        let is_alone = self.sets.len() == 1;
        let rows = shown.flat_map(move |set| {
            let of_pages = set == Toolset::Core && self.of_pages;
            let core = all().filter(move |tool| of_pages && tool.in_browser_core);
            core.chain(tools(set).filter(move |_| !(of_pages && is_alone)))
        });
        let mut names = HashSet::new();
        rows.filter(move |tool| names.insert(tool.name))
    }

    fn listed(&self, tool: &'static ToolRow, said: &mut HashSet<(String, String)>) -> ToolDefinition {
        let schema = tool.schema();
        let mut arguments = Arc::unwrap_or_clone(schema.published());
        say_once(&mut arguments, said);
        let name = if self.prefixed { format!("{PREFIX}{}", tool.name) } else { tool.name.to_owned() };
        let mut listed = ToolDefinition::new(name, schema.description.clone(), Arc::new(arguments));
        listed.annotations = annotations(tool);
        listed.output_schema = self.outputs.then(|| output::schema(tool));
        listed.meta = tool.view.map(view);
        listed
    }
}

/// Names the resource that shows a tool's results, as MCP Apps do.
fn view(uri: &str) -> Object {
    let ui = json!({"ui": {"resourceUri": uri}});
    ui.as_object().cloned().unwrap_or_default()
}

/// Arguments that few calls need and many tools take: they are listed with the first of these, whose call shows how.
const SELDOM: [&str; 7] = ["serial", "selector", "description", "within", "near", "regex", "exact"];

/// Takes out the descriptions of arguments that were given before, for the same argument, and the arguments that are listed once.
fn say_once(arguments: &mut Object, said: &mut HashSet<(String, String)>) {
    let Some(properties) = arguments.get_mut("properties").and_then(Value::as_object_mut) else { return };
    properties.retain(|name, property| {
        let Some(property) = property.as_object_mut() else { return true };
        let text = property.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
        let is_new = said.insert((name.clone(), text));
        if !is_new {
            property.shift_remove("description");
        }
        is_new || !SELDOM.contains(&name.as_str())
    });
}

/// Returns what a host should know before it lets a model call a tool; what it takes for granted is left out: that a tool changes
/// things, may destroy some, and does more when it is called again.
fn annotations(tool: &ToolRow) -> Option<Object> {
    let hints: &[(&str, bool)] = match (tool.read_only, tool.destructive, tool.idempotent) {
        (true, ..) => &[("readOnlyHint", true)],
        (false, true, false) => return None,
        (false, true, true) => &[("idempotentHint", true)],
        (false, false, false) => &[("destructiveHint", false)],
        (false, false, true) => &[("destructiveHint", false), ("idempotentHint", true)],
    };
    Some(hints.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_named_and_wrong_names_say_what_is_valid() {
        let whole: Listing = "all".parse().expect("a word");
        assert!(whole.rest(|_| true).is_empty());
        let two: Listing = "core, flow".parse().expect("two words");
        assert_eq!(two.of(|_| true).len(), 20);
        let wrong = "coer".parse::<Listing>().expect_err("no set");
        assert_eq!(
            wrong,
            "unknown toolset `coer`, did you mean `core`?; valid: all, core, gestures, keys, apps, device, checks, web, ui, ai, flow, browser, browser_use, microsandbox, mcp-search-tool, deepsearch, aliases"
        );
    }

    #[test]
    fn an_argument_is_described_once() {
        let listed = Listing::default().of(|_| true);
        let arguments = listed.iter().filter_map(|tool| tool.input_schema.get("properties"));
        let told = arguments.filter(|arguments| arguments["near"].get("description").is_some());
        assert_eq!(told.count(), 1);
    }
}
