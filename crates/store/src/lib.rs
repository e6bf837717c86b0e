//! What uixt keeps between runs → one `SQLite` file of a project or a user, which several processes use at once.
//!
//! Knows SQL and texts, and nothing of what they mean. What is written is there once the call returns, whatever becomes of the process
//! afterwards; it is not forced onto the disk each time, so that a machine that loses its power may lose the last moments.

#![expect(clippy::cast_possible_truncation, reason = "a handful of tables")]

mod history;
mod instances;
mod place;

use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::Mutex;
use rusqlite::{Connection, Transaction, TransactionBehavior};

pub use history::{CaseOutcome, History, Run};
pub use instances::{Entry, Instances, Stored, Undo, Written};
pub use place::{FILE, VARIABLE, place};

/// What was added to the tables, the oldest first. None is ever changed: files are brought from one to the next.
const TABLES: &[&str] = &[include_str!("instances.sql"), include_str!("history.sql"), include_str!("tool_times.sql")];

/// How long another process that writes is waited for.
const BUSY: Duration = Duration::from_secs(30);

/// What became of a file that cannot be used; the message names it.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {why}")]
pub struct Error {
    path: String,
    why: String,
}

/// An open file.
pub struct Store {
    path: PathBuf,
    connection: Mutex<Connection>,
}

impl Store {
    /// Opens a file; makes it, and the folders that it lies in, where there is none. One of a later uixt is an error.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let failed = |why: String| Error { path: path.display().to_string(), why };
        if let Some(folder) = path.parent() {
            place::prepare(folder).map_err(|error| failed(error.to_string()))?;
        }
        let connection = Connection::open(path).map_err(|error| failed(error.to_string()))?;
        let store = Self { path: path.to_owned(), connection: Mutex::new(connection) };
        store.set_up()?;
        Ok(store)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn set_up(&self) -> Result<(), Error> {
        let mut connection = self.connection.lock();
        let prepared = connection
            .busy_timeout(BUSY)
            .and_then(|()| connection.pragma_update(None, "journal_mode", "WAL"))
            .and_then(|()| connection.pragma_update(None, "synchronous", "NORMAL"))
            .and_then(|()| connection.pragma_update(None, "foreign_keys", true));
        prepared.map_err(|error| self.failed(&error))?;
        let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begun.map_err(|error| self.failed(&error))?;
        let known: usize = transaction
            .pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0))
            .map_err(|error| self.failed(&error))? as usize;
        if known > TABLES.len() {
            let why = "a later version of uixt wrote it: use that one, or move the file away".to_owned();
            return Err(Error { path: self.path.display().to_string(), why });
        }
        for tables in &TABLES[known..] {
            transaction.execute_batch(tables).map_err(|error| self.failed(&error))?;
        }
        transaction.pragma_update(None, "user_version", TABLES.len() as u32).map_err(|error| self.failed(&error))?;
        transaction.commit().map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &rusqlite::Error) -> Error {
        Error { path: self.path.display().to_string(), why: error.to_string() }
    }

    /// Does what must happen whole or not at all, while no other process writes.
    fn write<T>(&self, work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, Error> {
        let mut connection = self.connection.lock();
        let write = || {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        write().map_err(|error| self.failed(&error))
    }

    fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Error> {
        work(&self.connection.lock()).map_err(|error| self.failed(&error))
    }

    /// Returns a number that is another once another process has written.
    pub fn changes_of_others(&self) -> Result<u64, Error> {
        self.read(|connection| connection.pragma_query_value(None, "data_version", |row| row.get::<_, i64>(0)))
            .map(i64::unsigned_abs)
    }

    /// Returns the tables of runs.
    pub fn history(&self) -> History<'_> {
        History(self)
    }

    /// Returns the table of UI instances.
    pub fn instances(&self) -> Instances<'_> {
        Instances(self)
    }
}
