//! Testcases → units, what a worker takes at once: a case, or all rows of a file where they are made only as it runs.

use std::collections::HashMap;

use parking_lot::Mutex;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::retry::Moved;
use super::suite::selects_row;
use super::{Options, Plan, Planned, QueueItem, Sharding, case_id, shard};
use crate::testcase::{Rows, Scope};

/// Rows of one file that are listed; more are taken one after the other.
const MOST_LISTED: u64 = 1_000_000;

/// What is run by one worker.
pub(super) struct Unit {
    /// Unique in the run; that of the case where it is one.
    pub(super) id: String,
    /// The testcase, by its position in the plan.
    pub(super) planned: usize,
    pub(super) part: Part,
    /// What of it is told behind the case's name: which run of several.
    pub(super) label: String,
    /// The only worker that may take it.
    pub(super) only: Option<usize>,
    /// One that may not, unless no other is left: its device broke.
    pub(super) except: Option<usize>,
    /// What no other unit that runs at the same time may have.
    pub(super) locks: Vec<String>,
    /// Why it is run again, where another machine had it before.
    pub(super) again: Option<String>,
    /// Whether it runs also where the run is to end.
    pub(super) is_tidying: bool,
    /// What an earlier worker left of it.
    pub(super) moved: Option<Box<Moved>>,
}

impl Unit {
    /// Returns the unit as it was before anybody ran it.
    pub(super) fn anew(&self) -> Self {
        Self {
            id: self.id.clone(),
            label: self.label.clone(),
            locks: self.locks.clone(),
            except: None,
            again: None,
            moved: None,
            ..*self
        }
    }
}

/// What of a testcase is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it: it has no rows, or they are made as it runs.
    Whole,
    Row(u64),
}

/// The rows of testcases that are listed, by the position of their testcase.
pub(super) type Listed = Vec<Option<Mutex<Rows>>>;

/// Returns the rows of all testcases that can be listed without calling anything slow.
pub(super) fn rows(plan: &Plan, options: &Options) -> Listed {
    // Machines that share a queue know the same cases, whichever of them they can run.
    let is_wanted = |planned: &&Planned| planned.refusal.is_none() || plan.shared.is_some();
    let of = |planned: &Planned| Some(planned).filter(is_wanted).and_then(|planned| listed(planned, options));
    plan.cases.iter().map(|planned| of(planned).map(Mutex::new)).collect()
}

fn listed(planned: &Planned, options: &Options) -> Option<Rows> {
    let parameters = planned.case.config.parameters.as_ref()?;
    let scope = planned.case.scope(&options.overrides);
    let rows = if scope.may_block() { None } else { parameters.rows(&scope).ok() };
    rows.filter(|rows| (1..=MOST_LISTED).contains(&Rows::count(rows)))
}

/// Returns a row that was listed.
pub(super) fn row(rows: &Mutex<Rows>, number: u64) -> Result<Map<String, Value>, crate::testcase::ExpressionError> {
    rows.lock().get(number)
}

/// All units, and how many there are for all shards together.
pub(super) struct Units {
    pub(super) own: Vec<Unit>,
    pub(super) of_all: u64,
    /// Tells them from others, where they are dealt out: by their ids, their rows, and how long they are thought to take.
    pub(super) digest: String,
}

/// Lists the units in the order in which they are taken: as the files stand, or the longest first.
pub(super) fn list(plan: &Plan, options: &Options, rows: &Listed) -> Units {
    let mut units = Vec::new();
    for repeat in 0..options.repeats.max(1) {
        let is_around = |position: &usize| plan.around.iter().any(|(_, around)| around == position);
        for (position, planned) in plan.cases.iter().enumerate().filter(|(position, _)| !is_around(position)) {
            for part in parts(planned, options, rows[position].as_ref()) {
                units.push(unit(planned, position, part, (repeat, options), rows[position].as_ref()));
            }
        }
    }
    let of_all = units.len() as u64;
    let mut digest = String::new();
    if let Some(part) = &options.shard {
        digest = digest_of(plan, &units, rows, part);
        units = shard::of(units, part, &|unit| id_of(plan, unit));
    }
    if plan.workers.len() != 1 || plan.shared.is_some() {
        let ids: Vec<String> = units.iter().map(|unit| id_of(plan, unit)).collect();
        longest_first(&mut units, &ids, &plan.durations);
    }
    Units { own: units.into_iter().flat_map(|unit| on_workers(plan, options, unit)).collect(), of_all, digest }
}

fn digest_of(plan: &Plan, units: &[Unit], rows: &Listed, part: &Sharding) -> String {
    let mut hasher = Sha256::new();
    let ids: Vec<String> = units.iter().map(|unit| id_of(plan, unit)).collect();
    for unit in units {
        hasher.update(format!("{}\0{}\n", unit.id, row_of(unit, rows)));
    }
    hasher.update(format!("{:?}", shard::expected(&ids, &part.durations)));
    hasher.finalize().iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the row of a unit; null where it has none that is listed.
fn row_of(unit: &Unit, rows: &Listed) -> Value {
    let listed = rows[unit.planned].as_ref().and_then(|rows| match unit.part {
        Part::Row(number) => row(rows, number).ok(),
        Part::Whole => None,
    });
    listed.map_or(Value::Null, Value::Object)
}

/// Returns units as a shared queue knows them. What only this machine has is locked on this machine alone.
pub(super) fn shares(plan: &Plan, units: &[Unit], rows: &Listed) -> Vec<QueueItem> {
    let of = |unit: &Unit| QueueItem {
        unit: unit.id.clone(),
        lane: plan.cases[unit.planned].lane.clone(),
        locks: unit.locks.iter().filter(|lock| !plan.cases[unit.planned].own_locks.contains(lock)).cloned().collect(),
        row: row_of(unit, rows),
    };
    units.iter().map(of).collect()
}

/// Returns all that a plan would put into a shared queue, in the order in which it is taken.
pub fn all_shares(plan: &Plan, options: &Options) -> Vec<QueueItem> {
    let rows = rows(plan, options);
    let units = list(plan, options, &rows).own;
    shares(plan, &units, &rows)
}

/// Returns the units of a testcase that runs around the others on a worker.
pub(super) fn around(
    plan: &Plan,
    options: &Options,
    rows: &Listed,
    (worker, position): (Option<usize>, usize),
) -> Vec<Unit> {
    let planned = &plan.cases[position];
    let once = Options { repeats: 1, only: None, filter: None, ..options.clone() };
    let parts = parts(planned, &once, rows[position].as_ref());
    let units = parts.into_iter().map(|part| unit(planned, position, part, (0, &once), rows[position].as_ref()));
    let on = |unit: Unit| match worker.filter(|_| plan.workers.len() > 1) {
        Some(worker) => Unit { id: case_id::on_device(&unit.id, &plan.workers[worker].name()), ..unit },
        None => unit,
    };
    units.map(on).collect()
}

/// Returns the id of a unit's case, whichever of several runs it is.
fn id_of(plan: &Plan, unit: &Unit) -> String {
    let number = if let Part::Row(number) = unit.part { number } else { 0 };
    case_id::of_row(&plan.cases[unit.planned].id, number)
}

fn parts(planned: &Planned, options: &Options, rows: Option<&Mutex<Rows>>) -> Vec<Part> {
    let selects_id = |number: u64| match &options.only {
        Some(only) => only.selects(&planned.id, &case_id::of_row(&planned.id, number)),
        None => true,
    };
    let Some(rows) = rows else {
        // Which rows of it are run is seen when they are made.
        let is_one = planned.case.config.parameters.is_none();
        return if is_one && !selects_id(0) { Vec::new() } else { vec![Part::Whole] };
    };
    let count = Rows::count(&rows.lock());
    let numbers = (0..count).filter(|number| selects_id(*number));
    let Some(filter) = &options.filter else { return numbers.map(Part::Row).collect() };
    let scope = planned.case.scope(&options.overrides);
    let selects =
        |number: &u64| row(rows, *number).map_or(true, |row| selects_row(&planned.case, &scope, &row, filter));
    let selected: Vec<Part> = numbers.filter(selects).map(Part::Row).collect();
    // That no row is selected is told by the case itself.
    if selected.is_empty() && options.only.is_none() { vec![Part::Whole] } else { selected }
}

fn unit(
    planned: &Planned,
    position: usize,
    part: Part,
    (repeat, options): (u32, &Options),
    rows: Option<&Mutex<Rows>>,
) -> Unit {
    let number = if let Part::Row(number) = part { number } else { 0 };
    let mut id = case_id::of_row(&planned.id, number);
    let mut label = String::new();
    if options.repeats > 1 {
        id = case_id::of_run(&id, repeat + 1);
        label = format!(" (run {} of {})", repeat + 1, options.repeats);
    }
    let mut locks = [planned.own_locks.clone(), planned.locks.clone()].concat();
    if !planned.case.config.locks.is_empty() {
        let scope = planned.case.scope(&options.overrides);
        let row = rows.filter(|_| part != Part::Whole).and_then(|rows| row(rows, number).ok());
        let scope = row.map_or_else(|| scope.clone(), |row| scope.with_row(row));
        locks.extend(planned.case.config.locks.iter().map(|lock| format!("lock {}", evaluated(&scope, lock))));
    }
    Unit {
        id,
        planned: position,
        part,
        label,
        only: None,
        except: None,
        locks,
        again: None,
        is_tidying: false,
        moved: None,
    }
}

/// Returns the name of a lock. One that cannot be told before the case runs is held as it is written.
fn evaluated(scope: &Scope, lock: &str) -> String {
    match scope.may_block() {
        true => lock.to_owned(),
        false => scope.evaluate_text(lock).unwrap_or_else(|_| lock.to_owned()),
    }
}

/// Returns a unit, or one for each worker that suits it where all are to run it.
fn on_workers(plan: &Plan, options: &Options, unit: Unit) -> Vec<Unit> {
    let planned = &plan.cases[unit.planned];
    if !options.on_each || plan.workers.len() < 2 || planned.refusal.is_some() {
        return vec![unit];
    }
    let suiting = plan.workers.iter().enumerate().filter(|(_, worker)| worker.suits(planned));
    let on = |(position, worker): (usize, &std::sync::Arc<dyn super::Worker>)| Unit {
        id: case_id::on_device(&unit.id, &worker.name()),
        label: unit.label.clone(),
        only: Some(position),
        locks: unit.locks.clone(),
        again: None,
        moved: None,
        ..unit
    };
    suiting.map(on).collect()
}

/// Puts what took longest before at the front, where anything is known.
fn longest_first(units: &mut Vec<Unit>, ids: &[String], durations: &HashMap<String, u64>) {
    let Some(takes) = shard::expected(ids, durations) else { return };
    let mut timed: Vec<(u64, Unit)> = takes.into_iter().zip(std::mem::take(units)).collect();
    timed.sort_by_key(|(takes, _)| std::cmp::Reverse(*takes));
    units.extend(timed.into_iter().map(|(_, unit)| unit));
}
