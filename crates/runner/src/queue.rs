//! Units that wait → the worker that takes each: the first that suits it and whose locks are free.

use std::collections::{HashSet, VecDeque};

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::context::Stop;
use super::unit::Unit;

/// What waits, and what is going on.
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Notify,
}

struct State {
    pending: VecDeque<Unit>,
    /// What running units have locked.
    held: HashSet<String>,
    running: usize,
    /// The workers whose devices do not answer.
    resting: Vec<bool>,
    /// Those that will not come back, and what only they could have run.
    gone: Vec<bool>,
    left: Vec<Unit>,
    is_closed: bool,
}

/// What a worker finds.
enum Found {
    Unit(Unit),
    /// Something may come yet.
    Nothing,
    Over,
}

impl Queue {
    pub(super) fn new(units: Vec<Unit>, workers: usize) -> Self {
        let state = State {
            pending: units.into(),
            held: HashSet::new(),
            running: 0,
            resting: vec![false; workers],
            gone: vec![false; workers],
            left: Vec::new(),
            is_closed: false,
        };
        Self { state: Mutex::new(state), changed: Notify::new() }
    }

    /// Waits for a unit that a worker may take; none once nothing is left for anybody, or the run ends.
    pub(super) async fn take(
        &self,
        worker: usize,
        suits: &(dyn Fn(usize, &Unit) -> bool + Send + Sync),
        stop: &Stop,
    ) -> Option<Unit> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            match self.state.lock().find(worker, suits) {
                Found::Unit(unit) => return Some(unit),
                Found::Over => return None,
                Found::Nothing => {}
            }
            tokio::select! {
                () = changed => {}
                () = stop.asked() => return None,
            }
        }
    }

    /// Takes what waits for a worker here, if anything does.
    pub(super) fn try_take(&self, worker: usize, suits: &(dyn Fn(usize, &Unit) -> bool + Send + Sync)) -> Option<Unit> {
        match self.state.lock().find(worker, suits) {
            Found::Unit(unit) => Some(unit),
            Found::Nothing | Found::Over => None,
        }
    }

    /// Takes note that a unit runs which came from elsewhere.
    pub(super) fn begin(&self) {
        self.state.lock().running += 1;
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state.lock().is_closed
    }

    /// Returns once something has changed, or some time is over.
    pub(super) async fn changed(&self, most: std::time::Duration) {
        let _ = tokio::time::timeout(most, self.changed.notified()).await;
    }

    /// Takes note that a unit has ended; what is given back is taken by another.
    pub(super) fn finish(&self, locks: &[String], given_back: Option<Unit>) {
        let mut state = self.state.lock();
        state.running -= 1;
        locks.iter().for_each(|lock| _ = state.held.remove(lock));
        if let Some(unit) = given_back {
            state.pending.push_front(unit);
        }
        drop(state);
        self.changed.notify_waiters();
    }

    /// Says whether a worker's device answers: while it does not, others are given its work.
    pub(super) fn rest(&self, worker: usize, is_resting: bool) {
        self.state.lock().resting[worker] = is_resting;
        self.changed.notify_waiters();
    }

    /// Takes note that a worker will not come back. What nobody else can take is left, and the run ends with the others.
    pub(super) fn leave(&self, worker: usize, suits: &(dyn Fn(usize, &Unit) -> bool + Send + Sync)) {
        let mut state = self.state.lock();
        state.gone[worker] = true;
        let workers = 0..state.gone.len();
        let is_for = |gone: &[bool], unit: &Unit| {
            let stays = |worker: &usize| !gone[*worker] && unit.only.is_none_or(|only| only == *worker);
            workers.clone().filter(stays).any(|worker| suits(worker, unit))
        };
        let (kept, left) = std::mem::take(&mut state.pending).into_iter().partition(|unit| is_for(&state.gone, unit));
        state.pending = kept;
        state.left.extend::<VecDeque<Unit>>(left);
        drop(state);
        self.changed.notify_waiters();
    }

    /// Tells whether another worker, whose device answers, could take a unit.
    pub(super) fn has_other(&self, worker: usize, unit_suits: impl Fn(usize) -> bool) -> bool {
        let state = self.state.lock();
        (0..state.resting.len()).any(|other| other != worker && !state.resting[other] && unit_suits(other))
    }

    /// Returns once a worker that rests need not come back: nothing is left.
    pub(super) async fn over(&self) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if self.state.lock().is_over() {
                return;
            }
            changed.await;
        }
    }

    /// Gives nothing out any more.
    pub(super) fn close(&self) {
        self.state.lock().is_closed = true;
        self.changed.notify_waiters();
    }

    /// Tells whether a unit still waits for a worker.
    pub(super) fn has_waiting(&self) -> bool {
        let state = self.state.lock();
        !state.is_closed && !state.pending.is_empty()
    }

    /// Takes out what nobody took.
    pub(super) fn left(&self) -> Vec<Unit> {
        let mut state = self.state.lock();
        let mut left: Vec<Unit> = std::mem::take(&mut state.pending).into();
        left.append(&mut state.left);
        left
    }
}

impl State {
    fn is_over(&self) -> bool {
        self.is_closed || (self.pending.is_empty() && self.running == 0)
    }

    fn find(&mut self, worker: usize, suits: &(dyn Fn(usize, &Unit) -> bool + Send + Sync)) -> Found {
        if self.is_over() {
            return Found::Over;
        }
        let place = self.pending.iter().position(|unit| {
            self.may_take(worker, unit, suits) && unit.locks.iter().all(|lock| !self.held.contains(lock))
        });
        let Some(unit) = place.and_then(|place| self.pending.remove(place)) else { return Found::Nothing };
        self.running += 1;
        self.held.extend(unit.locks.iter().cloned());
        Found::Unit(unit)
    }

    fn may_take(&self, worker: usize, unit: &Unit, suits: &(dyn Fn(usize, &Unit) -> bool + Send + Sync)) -> bool {
        let is_for = |worker: usize| unit.only.is_none_or(|only| only == worker) && suits(worker, unit);
        if !is_for(worker) {
            return false;
        }
        // One whose device broke takes only what nobody else can.
        let others = (0..self.resting.len()).filter(|other| *other != worker && !self.resting[*other]);
        let is_second_choice = self.resting[worker] || unit.except == Some(worker);
        !is_second_choice || !others.into_iter().any(is_for)
    }
}
