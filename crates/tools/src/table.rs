//! A table of tools, and how a row is found in it. Must not know which tools there are.

use std::collections::HashMap;

use super::ActionTool;
use super::arguments::snake_case;

/// What a tool's name begins with in MCP, so that it cannot be mistaken for another server's.
pub const PREFIX: &str = "uixt__";

/// Rows, each found by its name and its aliases.
pub struct Table {
    rows: Vec<&'static ActionTool>,
    /// Where the rows stand, by their names and aliases.
    index: HashMap<&'static str, usize>,
}

impl Table {
    /// Makes a table of rows, whose names and aliases differ.
    pub fn new(rows: impl Iterator<Item = &'static ActionTool>) -> Self {
        let rows: Vec<_> = rows.collect();
        let spellings = |tool: &'static ActionTool| std::iter::once(tool.name).chain(tool.aliases.iter().copied());
        let index = rows.iter().enumerate();
        let index = index.flat_map(|(place, tool)| spellings(tool).map(move |name| (name, place))).collect();
        Self { rows, index }
    }

    /// Returns every row, in the table's order.
    pub fn all(&self) -> impl Iterator<Item = &'static ActionTool> {
        self.rows.iter().copied()
    }

    /// Finds a row by its name or an alias, with or without `uixt__`, in any case of letters.
    pub fn find(&self, name: &str) -> Option<&'static ActionTool> {
        let bare = name.strip_prefix(PREFIX).unwrap_or(name);
        let place = self.index.get(bare).or_else(|| self.index.get(snake_case(bare).as_str()))?;
        self.rows.get(*place).copied()
    }

    /// Returns every name and alias, for suggestions.
    pub fn names(&self) -> Vec<&'static str> {
        self.all().flat_map(|tool| std::iter::once(tool.name).chain(tool.aliases.iter().copied())).collect()
    }
}
