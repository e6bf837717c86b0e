//! Rows that can be run, and the table of what they say of themselves.

use std::collections::HashMap;

use uixt_call::Table;
use uixt_toolkit::ActionTool;

/// Tools that can be called, each found as its [`Table`] finds it.
pub struct Tools {
    table: Table,
    /// By their names.
    rows: HashMap<&'static str, &'static ActionTool>,
}

impl Tools {
    /// Makes tools of rows, whose names and aliases differ.
    pub(super) fn new(rows: impl Iterator<Item = &'static ActionTool> + Clone) -> Self {
        let table = Table::new(rows.clone().map(|row| &**row));
        Self { table, rows: rows.map(|row| (row.name, row)).collect() }
    }

    pub(super) fn table(&self) -> &Table {
        &self.table
    }

    /// Finds a row by its name or an alias, with or without `uixt__`, in any case of letters.
    pub(super) fn find(&self, name: &str) -> Option<&'static ActionTool> {
        self.rows.get(self.table.find(name)?.name).copied()
    }
}
