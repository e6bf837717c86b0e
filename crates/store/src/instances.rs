//! The tables of UI instances: each with its version, the last versions with the way back, and what people handed over.

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{Error, Store};

/// How many files an instance has.
const FILES: u64 = 50;
/// How many versions can be taken back.
const VERSIONS: u64 = 50;

/// The tables.
pub struct Instances<'a>(pub(super) &'a Store);

/// An instance as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    pub version: u64,
    /// JSON.
    pub schema: String,
}

/// One of all instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub id: String,
    pub stored: Stored,
    /// When it was changed last, and when somebody last turned to it, in milliseconds since 1970.
    pub changed: i64,
    pub used: i64,
}

/// What becomes of an instance.
#[derive(Clone, Debug)]
pub struct Written {
    pub schema: String,
    pub author: String,
    /// JSON: what was applied.
    pub patches: String,
    /// JSON: the way back to the version before.
    pub back: String,
    /// The version that is taken back.
    pub undoes: Option<u64>,
    /// Milliseconds since 1970.
    pub changed: i64,
}

/// A version that can be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undo {
    pub version: u64,
    pub author: String,
    pub patches: String,
    pub back: String,
}

impl Instances<'_> {
    /// Returns all, in the order of their ids.
    pub fn list(&self) -> Result<Vec<Entry>, Error> {
        self.0.read(|connection| {
            let mut query =
                connection.prepare_cached("SELECT version, schema, id, changed, used FROM instances ORDER BY id")?;
            let entry = |row: &Row<'_>| {
                Ok(Entry { stored: stored(row)?, id: row.get(2)?, changed: row.get(3)?, used: row.get(4)? })
            };
            query.query_map([], entry)?.collect()
        })
    }

    pub fn get(&self, id: &str) -> Result<Option<Stored>, Error> {
        self.0.read(|connection| get(connection, id))
    }

    /// Returns only the version.
    pub fn version(&self, id: &str) -> Result<Option<u64>, Error> {
        self.0.read(|connection| {
            let mut query = connection.prepare_cached("SELECT version FROM instances WHERE id = ?1")?;
            query.query_row([id], |row| number(row, 0)).optional()
        })
    }

    /// Adds an instance as version 1; whether there was none of this id.
    pub fn create(&self, id: &str, schema: &str, now: i64) -> Result<bool, Error> {
        self.0.write(|connection| {
            let insert =
                "INSERT OR IGNORE INTO instances (id, version, schema, changed, used) VALUES (?1, 1, ?2, ?3, ?3)";
            connection.prepare_cached(insert)?.execute(params![id, schema, now]).map(|added| added > 0)
        })
    }

    /// Removes an instance with all that belongs to it; whether there was one.
    pub fn delete(&self, id: &str) -> Result<bool, Error> {
        self.0.write(|connection| {
            connection.prepare_cached("DELETE FROM instances WHERE id = ?1")?.execute([id]).map(|removed| removed > 0)
        })
    }

    /// Notes that somebody turned to an instance; whether there is one.
    pub fn use_now(&self, id: &str, now: i64) -> Result<bool, Error> {
        self.0.write(|connection| {
            let update = "UPDATE instances SET used = ?2 WHERE id = ?1";
            connection.prepare_cached(update)?.execute(params![id, now]).map(|found| found > 0)
        })
    }

    /// Changes an instance as `change` says, who is asked while nobody else writes; an error of his changes nothing, and neither does
    /// nothing. Returns the version there is afterwards.
    pub fn update<E: From<Error>>(
        &self,
        id: &str,
        change: impl FnOnce(Option<&Stored>) -> Result<Option<Written>, E>,
    ) -> Result<Option<u64>, E> {
        let done = self.0.write(|connection| {
            let known = get(connection, id)?;
            let written = match change(known.as_ref()) {
                Ok(written) => written,
                Err(error) => return Ok(Err(error)),
            };
            match (known, written) {
                (Some(known), Some(written)) => {
                    write(connection, id, &known, &written).map(|version| Ok(Some(version)))
                }
                (known, _) => Ok(Ok(known.map(|known| known.version))),
            }
        });
        done.map_err(E::from)?
    }

    /// Returns the last version that can be taken back.
    pub fn last(&self, id: &str) -> Result<Option<Undo>, Error> {
        self.0.read(|connection| {
            let mut query = connection.prepare_cached(
                "SELECT version, author, patches, back FROM versions
                 WHERE instance = ?1 AND undoes IS NULL AND NOT is_undone ORDER BY version DESC LIMIT 1",
            )?;
            let undo = |row: &Row<'_>| {
                Ok(Undo { version: number(row, 0)?, author: row.get(1)?, patches: row.get(2)?, back: row.get(3)? })
            };
            query.query_row([id], undo).optional()
        })
    }

    /// Keeps what somebody handed over; whether there is such an instance with fewer than 50 files.
    pub fn add_file(&self, instance: &str, id: &str, name: &str, kind: &str, content: &[u8]) -> Result<bool, Error> {
        self.0.write(|connection| {
            let insert = "INSERT INTO files (id, instance, name, type, content)
                          SELECT ?2, id, ?3, ?4, ?5 FROM instances
                          WHERE id = ?1 AND (SELECT count(*) FROM files WHERE instance = ?1) < ?6";
            let mut insert = connection.prepare_cached(insert)?;
            insert.execute(params![instance, id, name, kind, content, FILES]).map(|added| added > 0)
        })
    }

    /// Removes a file, where it is there.
    pub fn remove_file(&self, instance: &str, id: &str) -> Result<(), Error> {
        self.0.write(|connection| {
            let mut remove = connection.prepare_cached("DELETE FROM files WHERE instance = ?1 AND id = ?2")?;
            remove.execute([instance, id]).map(|_| ())
        })
    }

    /// Returns the name, type and content of what was handed over.
    pub fn file(&self, instance: &str, id: &str) -> Result<Option<(String, String, Vec<u8>)>, Error> {
        self.0.read(|connection| {
            let query = "SELECT name, type, content FROM files WHERE instance = ?1 AND id = ?2";
            let file = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            connection.prepare_cached(query)?.query_row([instance, id], file).optional()
        })
    }
}

fn get(connection: &Connection, id: &str) -> rusqlite::Result<Option<Stored>> {
    let mut query = connection.prepare_cached("SELECT version, schema FROM instances WHERE id = ?1")?;
    query.query_row([id], stored).optional()
}

fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    Ok(Stored { version: number(row, 0)?, schema: row.get(1)? })
}

fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::unsigned_abs)
}

fn write(connection: &Connection, id: &str, known: &Stored, written: &Written) -> rusqlite::Result<u64> {
    let version = known.version + 1;
    let update = "UPDATE instances SET version = ?2, schema = ?3, changed = ?4 WHERE id = ?1";
    let mut update = connection.prepare_cached(update)?;
    update.execute(params![id, version, written.schema, written.changed])?;
    let insert = "INSERT INTO versions (instance, version, author, patches, back, undoes, changed)
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let mut insert = connection.prepare_cached(insert)?;
    let Written { author, patches, back, undoes, changed, .. } = written;
    insert.execute(params![id, version, author, patches, back, undoes, changed])?;
    if let Some(undoes) = undoes {
        let undone = "UPDATE versions SET is_undone = 1 WHERE instance = ?1 AND version = ?2";
        connection.prepare_cached(undone)?.execute(params![id, undoes])?;
    }
    let old = "DELETE FROM versions WHERE instance = ?1 AND version + ?3 <= ?2";
    connection.prepare_cached(old)?.execute(params![id, version, VERSIONS])?;
    Ok(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(schema: &str, undoes: Option<u64>) -> Written {
        let text = |text: &str| text.to_owned();
        Written {
            schema: text(schema),
            author: text("me"),
            patches: text("[]"),
            back: format!("back from {schema}"),
            undoes,
            changed: 5,
        }
    }

    #[test]
    fn an_instance_changes_whole_or_not_at_all_and_another_process_sees_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("data/uixt.db");
        let (one, other) = (Store::open(&path).expect("opened"), Store::open(&path).expect("opened twice"));
        let seen = other.changes_of_others().expect("a number");
        assert!(one.instances().create("a", "A1", 1).expect("made"));
        assert!(!other.instances().create("a", "B1", 1).expect("there is one"));
        assert_ne!(other.changes_of_others().expect("a number"), seen);
        let update = |store: &Store, written: Result<Option<Written>, Error>| {
            store.instances().update("a", |known| {
                assert!(known.is_some());
                written
            })
        };
        assert_eq!(update(&other, Ok(Some(written("A2", None)))).expect("changed"), Some(2));
        assert_eq!(update(&one, Ok(None)).expect("nothing to do"), Some(2));
        let refused = Error { path: String::new(), why: "no".to_owned() };
        assert_eq!(update(&one, Err(refused)).expect_err("refused").why, "no");
        assert_eq!(one.instances().get("a").expect("read"), Some(Stored { version: 2, schema: "A2".to_owned() }));
        assert_eq!(one.instances().version("b").expect("read"), None);
        assert!(one.instances().delete("a").expect("removed") && !other.instances().delete("a").expect("gone"));
    }

    #[test]
    fn the_last_versions_can_be_taken_back_one_after_the_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&folder.path().join("uixt.db")).expect("opened");
        let instances = store.instances();
        instances.create("a", "1", 1).expect("made");
        let write = |schema: &str, undoes| {
            instances.update::<Error>("a", |_| Ok(Some(written(schema, undoes)))).expect("changed").expect("a version")
        };
        let last = || instances.last("a").expect("read").map(|undo| undo.version);
        assert_eq!(last(), None);
        let (two, three) = (write("2", None), write("3", None));
        assert_eq!(last(), Some(three));
        write("2", Some(three));
        assert_eq!(last(), Some(two));
        let again = write("4", None);
        assert_eq!(last(), Some(again));
        write("2", Some(again));
        write("1", Some(two));
        assert_eq!(last(), None);
        for number in 0..VERSIONS * 2 {
            write(&number.to_string(), None);
        }
        let kept =
            store.read(|connection| connection.query_row("SELECT count(*) FROM versions", [], |row| number(row, 0)));
        assert_eq!(kept.expect("a number"), VERSIONS);
    }

    #[test]
    fn files_go_with_their_instance() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&folder.path().join("uixt.db")).expect("opened");
        let instances = store.instances();
        assert!(!instances.add_file("a", "1", "x.txt", "text/plain", b"x").expect("no instance"));
        instances.create("a", "A", 1).expect("made");
        assert!(instances.add_file("a", "1", "x.txt", "text/plain", b"x").expect("kept"));
        let file = instances.file("a", "1").expect("read");
        assert_eq!(file, Some(("x.txt".to_owned(), "text/plain".to_owned(), b"x".to_vec())));
        assert!(instances.add_file("a", "2", "y.txt", "text/plain", b"y").expect("kept"));
        instances.remove_file("a", "2").expect("removed");
        assert_eq!(instances.file("a", "2").expect("read"), None);
        instances.delete("a").expect("removed");
        assert_eq!(instances.file("a", "1").expect("read"), None);
    }
}
