//! A table of tools, and how a row is found in it. Must not know which tools there are.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use super::ToolRow;
use super::arguments::snake_case;
use super::toolset::Toolset;

/// What a tool's name begins with in MCP, so that it cannot be mistaken for another server's.
pub const PREFIX: &str = "uixt__";

/// Rows, each found by its name and its aliases.
pub struct Table {
    rows: Vec<&'static ToolRow>,
    /// Where the rows stand, by their names and aliases.
    index: HashMap<&'static str, usize>,
}

impl Default for &'static Table {
    /// Returns a table without any tool.
    fn default() -> Self {
        static NONE: LazyLock<Table> = LazyLock::new(|| Table::new(std::iter::empty()));
        &NONE
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({} tools)", self.rows.len())
    }
}

impl PartialEq for Table {
    /// A table is the same as itself.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Table {
    /// Makes a table of rows, whose names and aliases differ.
    pub fn new(rows: impl Iterator<Item = &'static ToolRow>) -> Self {
        let rows: Vec<_> = rows.collect();
        let spellings = |tool: &'static ToolRow| std::iter::once(tool.name).chain(tool.aliases.iter().copied());
        let index = rows.iter().enumerate();
        let index = index.flat_map(|(place, tool)| spellings(tool).map(move |name| (name, place))).collect();
        Self { rows, index }
    }

    /// Returns every row, in the table's order.
    pub fn all(&self) -> impl Iterator<Item = &'static ToolRow> {
        self.rows.iter().copied()
    }

    /// Finds a row by its name or an alias, with or without `uixt__`, in any case of letters.
    pub fn find(&self, name: &str) -> Option<&'static ToolRow> {
        let bare = name.strip_prefix(PREFIX).unwrap_or(name);
        let place = self.index.get(bare).or_else(|| self.index.get(snake_case(bare).as_str()))?;
        self.rows.get(*place).copied()
    }

    /// Finds the row that answers for a tool of another server, where no file names a server so.
    pub fn served(&self, server: &str, tool: &str) -> Option<&'static ToolRow> {
        self.find(tool).filter(|row| row.set.and_then(Toolset::server) == Some(server))
    }

    /// Returns every name and alias, for suggestions.
    pub fn names(&self) -> Vec<&'static str> {
        self.all().flat_map(|tool| std::iter::once(tool.name).chain(tool.aliases.iter().copied())).collect()
    }
}
