//! The tables of runs: how each case ended, how long it took, and what the calls of its tools add up to.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

use super::{Error, Store};

/// How many runs are kept.
const RUNS: i64 = 500;
/// How many outcomes are kept of all runs together; the newest run is kept whole.
const OUTCOMES: i64 = 1_000_000;
/// How many of its newest runs a case's duration is the average of.
const DURATIONS: i64 = 5;

/// The tables.
pub struct History<'a>(pub(super) &'a Store);

/// A run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Milliseconds since 1970.
    pub at: i64,
    /// The folder of its report.
    pub folder: String,
    /// Milliseconds.
    pub elapsed: u64,
    pub outcome: String,
    /// Whether it ended before all cases were run.
    pub is_partial: bool,
}

/// How a case ended in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseOutcome {
    /// The testcase's file from the project's folder, with `#` and the row.
    pub case_id: String,
    pub name: String,
    pub device: String,
    pub outcome: String,
    /// Milliseconds.
    pub elapsed: u64,
    /// Why it did not pass.
    pub cause: String,
}

impl History<'_> {
    /// Adds a run, and lets go of what is too old; returns its number.
    pub fn add(&self, run: &Run, outcomes: &mut dyn Iterator<Item = CaseOutcome>) -> Result<i64, Error> {
        self.0.write(|transaction| {
            transaction.execute(
                "INSERT INTO runs (at, folder, elapsed, outcome, is_partial) VALUES (?, ?, ?, ?, ?)",
                params![run.at, run.folder, run.elapsed.cast_signed(), run.outcome, run.is_partial],
            )?;
            let id = transaction.last_insert_rowid();
            let mut insert = transaction.prepare(
                "INSERT INTO outcomes (run, case_id, name, device, outcome, elapsed, cause) VALUES (?, ?, ?, ?, ?, ?, ?)",
            )?;
            for case in outcomes {
                let elapsed = case.elapsed.cast_signed();
                insert.execute(params![
                    id,
                    case.case_id,
                    case.name,
                    case.device,
                    case.outcome,
                    elapsed,
                    case.cause
                ])?;
            }
            drop(insert);
            prune(transaction, id)?;
            Ok(id)
        })
    }

    /// Adds what the calls of a run's tools add up to: each tool with its sums.
    pub fn add_tools(&self, run: i64, tools: &[(&str, String)]) -> Result<(), Error> {
        self.0.write(|transaction| {
            let mut insert = transaction.prepare("INSERT INTO tool_times (run, tool, times) VALUES (?, ?, ?)")?;
            tools.iter().try_for_each(|(tool, times)| insert.execute(params![run, tool, times]).map(drop))
        })
    }

    /// Returns what the calls of tools add up to in the runs from a number on: the run, the tool, and its sums.
    pub fn tools(&self, from: i64) -> Result<Vec<(i64, String, String)>, Error> {
        self.0.read(|connection| {
            let mut rows = connection.prepare("SELECT run, tool, times FROM tool_times WHERE run >= ?")?;
            rows.query_map([from], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
        })
    }

    /// Returns how long cases took when they passed, in milliseconds, by their ids.
    pub fn durations(&self) -> Result<HashMap<String, u64>, Error> {
        self.0.read(|connection| {
            let mut rows = connection.prepare(
                "SELECT case_id, CAST(AVG(elapsed) AS INTEGER) FROM (
                    SELECT case_id, elapsed, ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY run DESC) AS age
                    FROM outcomes WHERE outcome IN ('passed', 'healed', 'flaky')
                 ) WHERE age <= ? GROUP BY case_id",
            )?;
            let of = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs()));
            rows.query_map([DURATIONS], of)?.collect()
        })
    }

    /// Returns the newest runs, the newest first, with their numbers.
    pub fn runs(&self, most: u32) -> Result<Vec<(i64, Run)>, Error> {
        self.0.read(|connection| {
            let mut rows = connection
                .prepare("SELECT id, at, folder, elapsed, outcome, is_partial FROM runs ORDER BY id DESC LIMIT ?")?;
            rows.query_map([most], numbered_run)?.collect()
        })
    }

    /// Returns how many cases ended how in the runs from a number on: the run, the outcome, and how many.
    pub fn counts(&self, from: i64) -> Result<Vec<(i64, String, u64)>, Error> {
        self.0.read(|connection| {
            let mut rows = connection
                .prepare("SELECT run, outcome, COUNT(*) FROM outcomes WHERE run >= ? GROUP BY run, outcome")?;
            let of = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?.unsigned_abs()));
            rows.query_map([from], of)?.collect()
        })
    }

    /// Returns the newest whole run in which everything passed.
    pub fn last_green(&self) -> Result<Option<(i64, Run)>, Error> {
        self.0.read(|connection| {
            connection
                .query_row(
                    "SELECT id, at, folder, elapsed, outcome, is_partial FROM runs
                     WHERE outcome IN ('passed', 'healed') AND NOT is_partial ORDER BY id DESC LIMIT 1",
                    [],
                    numbered_run,
                )
                .optional()
        })
    }

    /// Shows every outcome of the runs from a number on, the oldest first.
    pub fn outcomes(&self, from: i64, see: &mut dyn FnMut(i64, CaseOutcome)) -> Result<(), Error> {
        self.0.read(|connection: &Connection| {
            let mut rows = connection.prepare(
                "SELECT run, case_id, name, device, outcome, elapsed, cause FROM outcomes WHERE run >= ? ORDER BY run",
            )?;
            let mut rows = rows.query([from])?;
            while let Some(row) = rows.next()? {
                let outcome = CaseOutcome {
                    case_id: row.get(1)?,
                    name: row.get(2)?,
                    device: row.get(3)?,
                    outcome: row.get(4)?,
                    elapsed: row.get::<_, i64>(5)?.unsigned_abs(),
                    cause: row.get(6)?,
                };
                see(row.get(0)?, outcome);
            }
            Ok(())
        })
    }
}

fn numbered_run(row: &Row<'_>) -> rusqlite::Result<(i64, Run)> {
    let run = Run {
        at: row.get(1)?,
        folder: row.get(2)?,
        elapsed: row.get::<_, i64>(3)?.unsigned_abs(),
        outcome: row.get(4)?,
        is_partial: row.get(5)?,
    };
    Ok((row.get(0)?, run))
}

/// Removes the oldest runs beyond what is kept.
fn prune(transaction: &Transaction<'_>, newest: i64) -> rusqlite::Result<()> {
    transaction
        .execute("DELETE FROM runs WHERE id <= (SELECT id FROM runs ORDER BY id DESC LIMIT 1 OFFSET ?)", [RUNS])?;
    let mut count: i64 = transaction.query_row("SELECT COUNT(*) FROM outcomes", [], |row| row.get(0))?;
    while count > OUTCOMES {
        let oldest: i64 = transaction.query_row("SELECT MIN(id) FROM runs", [], |row| row.get(0))?;
        if oldest == newest {
            break;
        }
        count -= transaction
            .query_row("SELECT COUNT(*) FROM outcomes WHERE run = ?", [oldest], |row| row.get::<_, i64>(0))?;
        transaction.execute("DELETE FROM runs WHERE id = ?", [oldest])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(outcome: &str) -> Run {
        Run { at: 1, folder: "results/1".to_owned(), elapsed: 5, outcome: outcome.to_owned(), is_partial: false }
    }

    fn case(outcome: &str, elapsed: u64) -> CaseOutcome {
        CaseOutcome {
            case_id: "a.yaml#0".to_owned(),
            name: "A".to_owned(),
            device: "phone".to_owned(),
            outcome: outcome.to_owned(),
            elapsed,
            cause: String::new(),
        }
    }

    #[test]
    fn durations_are_those_of_the_newest_passes() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&folder.path().join("uixt.db")).expect("opened");
        let history = store.history();
        for elapsed in [9000, 10, 20, 30, 40, 50] {
            history.add(&run("passed"), &mut [case("passed", elapsed)].into_iter()).expect("added");
        }
        history.add(&run("failed"), &mut [case("failed", 1)].into_iter()).expect("added");
        assert_eq!(history.durations().expect("durations"), HashMap::from([("a.yaml#0".to_owned(), 30)]));
        assert_eq!(history.last_green().expect("a run").map(|(id, _)| id), Some(6));
        assert_eq!(history.runs(2).expect("runs").iter().map(|(id, _)| *id).collect::<Vec<_>>(), [7, 6]);
        let mut seen = Vec::new();
        history.outcomes(6, &mut |run, case| seen.push((run, case.outcome))).expect("outcomes");
        assert_eq!(seen, [(6, "passed".to_owned()), (7, "failed".to_owned())]);
    }

    #[test]
    fn the_oldest_runs_are_let_go() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&folder.path().join("uixt.db")).expect("opened");
        let history = store.history();
        for _ in 0..RUNS + 3 {
            let run = history.add(&run("passed"), &mut [case("passed", 1)].into_iter()).expect("added");
            history.add_tools(run, &[("tap", format!("of {run}"))]).expect("added");
        }
        let runs = history.runs(u32::MAX).expect("runs");
        assert_eq!((i64::try_from(runs.len()), runs.last().map(|(id, _)| *id)), (Ok(RUNS), Some(4)));
        let mut count = 0;
        history.outcomes(0, &mut |_, _| count += 1).expect("outcomes");
        assert_eq!(count, RUNS);
        let tools = history.tools(0).expect("tools");
        assert_eq!(tools.first(), Some(&(4, "tap".to_owned(), "of 4".to_owned())), "they go with their run");
        assert_eq!(history.tools(RUNS + 3).expect("tools").len(), 1);
    }
}
