//! The index of a project's files: the terms of their passages and where these stand, in a `SQLite` file of its own. It is a cache: one that
//! cannot be read, or is of another version, is made anew.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use crate::passage::{Piece, split};
use crate::source::Unread;
use crate::{ranking, terms};

/// What `SQLite` answers.
type Result<T, E = rusqlite::Error> = std::result::Result<T, E>;

/// The tables' version.
const VERSION: i64 = 2;

const TABLES: &str = "CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, modified INTEGER NOT NULL, unread TEXT);
    CREATE TABLE passages (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, start INTEGER NOT NULL, length INTEGER NOT NULL,
        first INTEGER NOT NULL, last INTEGER NOT NULL);
    CREATE INDEX passages_file ON passages (file);";

/// How long another process that writes is waited for.
const BUSY: Duration = Duration::from_secs(10);

/// How a file was when it was read: its size, and when it was changed, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: i64,
    pub(crate) modified: i64,
}

/// A file as it is now: its text, or why it is not read.
pub(crate) type Now = (Stamp, Result<String, String>);

/// A passage that fits.
pub(crate) struct Hit {
    pub(crate) path: PathBuf,
    pub(crate) piece: Piece,
    pub(crate) stamp: Stamp,
}

pub(crate) struct Index {
    connection: Connection,
    /// What the paths of the project's files begin with.
    root: String,
}

impl Index {
    /// Opens the index of a folder; one in memory where it has no file.
    pub(crate) fn open(file: Option<&Path>, root: &Path) -> Result<Self> {
        let root = format!("{}/", root.to_string_lossy().trim_end_matches('/'));
        let connection = match file {
            None => prepared(Connection::open_in_memory()?)?,
            Some(file) => match Connection::open(file).and_then(prepared) {
                Ok(connection) => connection,
                Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) => {
                    return Err(error);
                }
                Err(_) => {
                    for ending in ["", "-wal", "-shm"] {
                        // What is not there need not be removed, and what cannot be is told by the next line.
                        let _ = std::fs::remove_file(format!("{}{ending}", file.display()));
                    }
                    prepared(Connection::open(file)?)?
                }
            },
        };
        Ok(Self { connection, root })
    }

    /// Returns the files that it knows, from the folder, with how they were.
    pub(crate) fn files(&self) -> Result<HashMap<PathBuf, Stamp>> {
        let mut rows =
            self.connection.prepare("SELECT path, size, modified FROM files WHERE path >= ?1 AND path < ?2")?;
        let of = |row: &rusqlite::Row<'_>| {
            let path: String = row.get(0)?;
            let path = PathBuf::from(path.strip_prefix(&self.root).unwrap_or_default());
            Ok((path, Stamp { size: row.get(1)?, modified: row.get(2)? }))
        };
        rows.query_map([&self.root, &self.end()], of)?.collect()
    }

    /// Returns what no path of the folder comes behind.
    fn end(&self) -> String {
        format!("{}0", self.root.trim_end_matches('/'))
    }

    /// Returns the files that are not read, and why.
    pub(crate) fn unread(&self) -> Result<Vec<Unread>> {
        let mut rows = self.connection.prepare(
            "SELECT path, unread FROM files WHERE unread IS NOT NULL AND path >= ?1 AND path < ?2 ORDER BY path",
        )?;
        let of = |row: &rusqlite::Row<'_>| {
            let path: String = row.get(0)?;
            let what = path.strip_prefix(&self.root).unwrap_or_default().to_owned();
            Ok(Unread { what, why: row.get(1)? })
        };
        rows.query_map([&self.root, &self.end()], of)?.collect()
    }

    /// Takes in files as they are now, or that they are gone.
    pub(crate) fn take(&mut self, files: &[(PathBuf, Option<Now>)]) -> Result<()> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for (path, now) in files {
            let path = format!("{}{}", self.root, path.to_string_lossy());
            forget(&transaction, &path)?;
            if let Some(now) = now {
                add(&transaction, &path, now)?;
            }
        }
        transaction.commit()
    }

    /// Returns the passages that fit a question, the best first.
    pub(crate) fn search(&self, question: &str, most: usize) -> Result<Vec<Hit>> {
        let Some(query) = ranking::query(question) else { return Ok(Vec::new()) };
        let mut rows = self.connection.prepare(
            "SELECT files.path, start, length, first, last, size, modified FROM
                (SELECT rowid AS found, bm25(terms) AS score FROM terms WHERE words MATCH ?1)
             JOIN passages ON passages.id = found JOIN files ON files.id = passages.file
             WHERE files.path >= ?2 AND files.path < ?3 ORDER BY score, found LIMIT ?4",
        )?;
        let of = |row: &rusqlite::Row<'_>| {
            let (path, start, length): (String, usize, usize) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(Hit {
                path: PathBuf::from(path.strip_prefix(&self.root).unwrap_or_default()),
                piece: Piece { bytes: start..start + length, lines: (row.get(3)?, row.get(4)?) },
                stamp: Stamp { size: row.get(5)?, modified: row.get(6)? },
            })
        };
        rows.query_map(params![query, self.root, self.end(), most], of)?.collect()
    }
}

/// Sets a file up, whose tables may be there.
fn prepared(mut connection: Connection) -> Result<Connection> {
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version == 0 {
        transaction.execute_batch(TABLES)?;
        transaction.execute_batch(ranking::TERMS)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    } else if version != VERSION {
        return Err(rusqlite::Error::InvalidQuery);
    }
    transaction.commit()?;
    Ok(connection)
}

fn forget(transaction: &Transaction<'_>, path: &str) -> Result<()> {
    let of_file = "SELECT id FROM files WHERE path = ?";
    let of_passages = format!("SELECT id FROM passages WHERE file IN ({of_file})");
    transaction.prepare_cached(&format!("DELETE FROM terms WHERE rowid IN ({of_passages})"))?.execute([path])?;
    transaction.prepare_cached(&format!("DELETE FROM passages WHERE file IN ({of_file})"))?.execute([path])?;
    transaction.prepare_cached("DELETE FROM files WHERE path = ?")?.execute([path])?;
    Ok(())
}

fn add(transaction: &Transaction<'_>, path: &str, (stamp, text): &Now) -> Result<()> {
    let mut insert =
        transaction.prepare_cached("INSERT INTO files (path, size, modified, unread) VALUES (?, ?, ?, ?)")?;
    let file = insert.insert(params![path, stamp.size, stamp.modified, text.as_ref().err()])?;
    let Ok(text) = text else { return Ok(()) };
    let mut passage =
        transaction.prepare_cached("INSERT INTO passages (file, start, length, first, last) VALUES (?, ?, ?, ?, ?)")?;
    let mut words = transaction.prepare_cached("INSERT INTO terms (rowid, words) VALUES (?, ?)")?;
    let name = terms::joined(path.rsplit('/').next().unwrap_or_default());
    for Piece { bytes, lines } in split(text) {
        let id = passage.insert(params![file, bytes.start, bytes.len(), lines.0, lines.1])?;
        words.execute(params![id, format!("{name}{}", terms::joined(&text[bytes]))])?;
    }
    Ok(())
}
