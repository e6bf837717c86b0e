//! Workers, each of which takes units until none is left → the run's events and its end.
//!
//! A device that breaks in the middle of a case hands the case to another, once, and rests until it answers again.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::context::Stop;
use super::queue::Queue;
use super::suite::{Finish, Suite};
use super::unit::{self, Listed, Part, Unit};
use super::{
    CaseRuntime, Ended, HookPoint, Next, Options, Plan, Planned, QueueItem, Refusal, Sink, Worker, milliseconds,
};
use crate::result::{Event, Failure, Outcome, Shard};

/// The first pause before a device that broke is asked again; each later one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// How long it is asked in all before it counts as lost.
const LONGEST_REST: Duration = Duration::from_mins(1);
/// How long after a shared queue had nothing it is asked again.
const ASK_AGAIN: Duration = Duration::from_millis(100);
/// How long a device may take to answer.
const ANSWER: Duration = Duration::from_secs(5);

/// What all workers share.
struct Pool {
    plan: Plan,
    options: Options,
    sink: Sink,
    stop: Stop,
    /// What runs after all others: it ends what they began, also where the run is to end.
    tidying: Stop,
    rows: Listed,
    queue: Queue,
    /// All units, where they come from a queue that is shared.
    stock: HashMap<String, Unit>,
    outcome: Mutex<Outcome>,
    /// Why cases are not run, where what runs before them did not pass.
    unready: OnceLock<String>,
    /// What no two cases that come from a shared queue use at the same time on this machine.
    own_locks: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

pub(super) async fn run(plan: Plan, options: Options, sink: Sink, stop: CancellationToken) -> io::Result<Ended> {
    let started = Instant::now();
    let rows = unit::rows(&plan, &options);
    let units = unit::list(&plan, &options, &rows);
    sink.emit(Event::RunStarted {
        uixt: env!("CARGO_PKG_VERSION").to_owned(),
        paths: plan.paths.clone(),
        cases: units.own.len() as u64,
        shard: options.shard.as_ref().map(|part| Shard {
            index: part.index,
            of: part.of,
            cases: units.of_all,
            digest: format!("{} {}", part.digest, units.digest),
        }),
        seed: options.overrides.seed,
    })?;
    // What is shared is taken from the others' queue.
    let (own, stock) = if plan.shared.is_some() { (Vec::new(), units.own) } else { (units.own, Vec::new()) };
    let queue = Queue::new(own, plan.workers.len());
    let shares = unit::shares(&plan, &stock, &rows);
    let stock = stock.into_iter().map(|unit| (unit.id.clone(), unit)).collect();
    let (outcome, unready) = (Mutex::new(Outcome::Skipped), OnceLock::new());
    let (stop, tidying) = (Stop::new(stop), Stop::new(CancellationToken::new()));
    let own_locks = Mutex::default();
    let pool = Arc::new(Pool { plan, options, sink, stop, tidying, rows, queue, stock, outcome, unready, own_locks });
    if pool.is_shared(shares).await? && pool.around(HookPoint::BeforeRun, None).await? {
        all_work(&pool).await?;
    }
    pool.log_said()?;
    pool.skip_left()?;
    pool.around(HookPoint::AfterRun, None).await?;
    let interrupted = pool.stop.is_asked();
    let outcome = if interrupted { Outcome::Errored } else { pool.outcome() };
    pool.sink.emit(Event::RunFinished { outcome, elapsed_ms: milliseconds(started), interrupted })?;
    Ok(Ended { outcome, interrupted })
}

/// Has all workers work until nothing is left.
async fn all_work(pool: &Arc<Pool>) -> io::Result<()> {
    let mut workers = JoinSet::new();
    for worker in 0..pool.plan.workers.len() {
        let pool = Arc::clone(pool);
        workers.spawn(async move { pool.work(worker).await });
    }
    let mut ended = Ok(());
    while let Some(worker) = workers.join_next().await {
        let worker = worker.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
        ended = ended.and(worker.inspect_err(|_| pool.queue.close()));
    }
    ended
}

/// What came of a unit.
struct Done {
    outcome: Outcome,
    /// What of it another worker is to run.
    given_back: Option<Unit>,
    /// Whether the worker's device does not answer any more.
    broke: bool,
}

impl Done {
    fn with(outcome: Outcome) -> Self {
        Self { outcome, given_back: None, broke: false }
    }

    fn given_back(unit: Unit) -> Self {
        Self { outcome: Outcome::Skipped, given_back: Some(unit), broke: true }
    }
}

impl Pool {
    /// Puts the cases into the queue that is shared, if one is; false where it cannot be used.
    async fn is_shared(&self, shares: Vec<QueueItem>) -> io::Result<bool> {
        let Some(shared) = &self.plan.shared else { return Ok(true) };
        let Err(why) = shared.begin(shares).await else { return Ok(true) };
        self.note(Outcome::Errored);
        self.log(why)?;
        Ok(false)
    }

    /// Runs what belongs to a moment; false where it did not pass, so that what comes after it cannot be run.
    async fn around(&self, moment: HookPoint, worker: Option<usize>) -> io::Result<bool> {
        for (_, position) in self.plan.around.iter().filter(|(of, _)| *of == moment) {
            let mut outcome = Outcome::Skipped;
            let is_tidying = matches!(moment, HookPoint::AfterRun | HookPoint::AfterDevice);
            for unit in unit::around(&self.plan, &self.options, &self.rows, (worker, *position)) {
                let unit = Unit { is_tidying, ..unit };
                outcome = outcome.max(self.run_unit(worker.unwrap_or_default(), unit, false).await?.outcome);
            }
            self.note(outcome);
            if outcome >= Outcome::Failed {
                let on = worker.filter(|_| self.plan.workers.len() > 1);
                let on = on.map(|worker| format!(" on {}", self.plan.workers[worker].name())).unwrap_or_default();
                let file = &self.plan.cases[*position].case.file;
                _ = self.unready.set(format!("not run: {file} (`{}`) did not pass{on}", moment.key()));
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn work(&self, worker: usize) -> io::Result<()> {
        let suits = |worker: usize, unit: &Unit| self.suits(worker, unit.planned);
        let (mut is_lost, mut has_begun) = (false, false);
        while let Some(unit) = self.next(worker, &suits).await? {
            let (locks, id, is_file) = (unit.locks.clone(), unit.id.clone(), self.is_file(&unit));
            if !has_begun {
                has_begun = true;
                let is_ready = self.around(HookPoint::BeforeDevice, Some(worker)).await;
                if !matches!(is_ready, Ok(true)) {
                    self.queue.rest(worker, true);
                    self.queue.finish(&locks, Some(unit));
                    self.queue.leave(worker, &suits);
                    return is_ready.map(drop);
                }
            }
            let _held = self.hold(&unit).await;
            let ended = self.run_unit(worker, unit, true).await;
            let done = match ended {
                Ok(done) => done,
                Err(error) => {
                    self.queue.finish(&locks, None);
                    return Err(error);
                }
            };
            self.note(done.outcome);
            // What the run's end cut off is another machine's to run.
            let is_cut_off = self.stop.is_asked() && done.outcome >= Outcome::Failed;
            if let Some(shared) = self.plan.shared.as_ref().filter(|_| done.given_back.is_none() && !is_cut_off) {
                shared.complete(&id, is_file, done.outcome).await;
            }
            let is_away = done.broke && self.plan.workers.len() > 1;
            if is_away {
                self.queue.rest(worker, true);
            }
            self.queue.finish(&locks, done.given_back);
            if is_away && !is_lost {
                is_lost = !self.recover(worker).await;
                // Other machines take what is left.
                if is_lost && self.plan.shared.is_some() {
                    break;
                }
            }
            if ended_early(&self.options, self.outcome(), &self.stop).is_some() {
                self.queue.close();
            }
        }
        if has_begun {
            self.around(HookPoint::AfterDevice, Some(worker)).await?;
        }
        Ok(())
    }

    /// Waits until no other case of this machine uses what a case of a shared queue uses; other machines have their own.
    async fn hold(&self, unit: &Unit) -> Vec<tokio::sync::OwnedMutexGuard<()>> {
        let mut held = Vec::new();
        for lock in self.plan.shared.iter().flat_map(|_| &self.planned(unit).own_locks) {
            let own = Arc::clone(self.own_locks.lock().entry(lock.clone()).or_default());
            held.push(own.lock_owned().await);
        }
        held
    }

    /// Waits for a unit that a worker may take.
    async fn next(
        &self,
        worker: usize,
        suits: &(dyn Fn(usize, &Unit) -> bool + Send + Sync),
    ) -> io::Result<Option<Unit>> {
        let Some(shared) = &self.plan.shared else { return Ok(self.queue.take(worker, suits, &self.stop).await) };
        let lanes = self.lanes(worker);
        while !self.stop.is_asked() && !self.queue.is_closed() {
            if let Some(unit) = self.queue.try_take(worker, suits) {
                return Ok(Some(unit));
            }
            let next = shared.take(&lanes).await;
            self.log_said()?;
            match next {
                Next::Run { unit, again } => {
                    let unit = self.stock.get(&unit).map(|unit| Unit { again, ..unit.anew() });
                    let Some(unit) = unit.filter(|_| !self.queue.is_closed()) else { continue };
                    self.queue.begin();
                    return Ok(Some(unit));
                }
                Next::Lost { unit, why } => {
                    let Some(lost) = self.stock.get(&unit) else { continue };
                    let failure = Failure { kind: "Lost".to_owned(), message: why, details: None };
                    self.note(self.suite(lost, None).refuse(failure)?);
                    shared.complete(&unit, self.is_file(lost), Outcome::Errored).await;
                }
                Next::Wait => self.queue.changed(ASK_AGAIN).await,
                Next::Over { said, outcome } => {
                    // What others did is this run's outcome only where it did nothing itself.
                    if self.outcome() == Outcome::Skipped || outcome == Outcome::Errored {
                        self.note(outcome);
                    }
                    said.map_or(Ok(()), |said| self.log(said))?;
                    break;
                }
                Next::Broken(why) => {
                    self.queue.close();
                    self.note(Outcome::Errored);
                    self.log(why)?;
                    break;
                }
            }
        }
        Ok(None)
    }

    /// Returns what a worker can run, as the machines of a shared queue call it.
    fn lanes(&self, worker: usize) -> Vec<String> {
        let can_run = |planned: &&Planned| planned.refusal.is_none() && self.plan.workers[worker].suits(planned);
        let lanes: BTreeSet<&String> = self.plan.cases.iter().filter(can_run).map(|planned| &planned.lane).collect();
        lanes.into_iter().cloned().collect()
    }

    /// Tells whether a unit is all rows of a file, which are made as it runs.
    fn is_file(&self, unit: &Unit) -> bool {
        unit.part == Part::Whole && self.planned(unit).case.config.parameters.is_some()
    }

    fn log_said(&self) -> io::Result<()> {
        let said = self.plan.shared.iter().flat_map(|shared| shared.said());
        said.into_iter().try_for_each(|message| self.log(message))
    }

    fn log(&self, message: String) -> io::Result<()> {
        self.sink.emit(Event::Log { case: None, level: "warn".to_owned(), message })
    }

    /// Runs a unit, which may go on elsewhere, or later, where that is allowed.
    async fn run_unit(&self, worker: usize, mut unit: Unit, may_move: bool) -> io::Result<Done> {
        let planned = &self.plan.cases[unit.planned];
        if let Some(refusal) = &planned.refusal {
            let suite = self.suite(&unit, None);
            return match refusal {
                Refusal::Skip(reason) => suite.skip(reason).map(|()| Done::with(Outcome::Skipped)),
                Refusal::Missing(failure) => suite.refuse(failure.clone()).map(Done::with),
            };
        }
        let others = self
            .queue
            .has_other(worker, |other| self.suits(other, unit.planned) && unit.only.is_none_or(|only| only == other));
        // Whatever runs after a case finds another screen than the one on which that failed.
        let is_last = self.options.fail_fast || !self.queue.has_waiting();
        let may_stand = may_move && is_last && self.options.standing.is_some();
        let may_move = may_move && others && unit.except.is_none();
        let seat = match self.plan.workers[worker].seat(planned).await {
            Ok(seat) => seat,
            Err(_) if may_move => {
                unit.except = Some(worker);
                return Ok(Done::given_back(unit));
            }
            Err(failure) => {
                let outcome = self.suite(&unit, None).refuse(self.failure_of(&unit, failure))?;
                return Ok(Done { broke: true, ..Done::with(outcome) });
            }
        };
        let moved = unit.moved.take();
        let on = may_move.then(|| &*self.plan.workers[worker]);
        let suite = Suite { may_stand, ..self.suite(&unit, Some(&seat)) };
        let finish = suite.run(self.outcome(), on, moved).await?;
        self.examine(worker, &seat).await?;
        match finish {
            Finish::Ended { outcome, lost_device } => {
                let broke = lost_device && !answers(&*self.plan.workers[worker]).await;
                Ok(Done { broke, ..Done::with(outcome) })
            }
            Finish::Moves(moved) => {
                (unit.except, unit.moved) = (Some(worker), Some(moved));
                Ok(Done::given_back(unit))
            }
        }
    }

    /// Looks at a device on which nothing seems to work, and says at the head of the run what is to be seen of it.
    async fn examine(&self, worker: usize, seat: &CaseRuntime) -> io::Result<()> {
        let Some((device, why)) =
            seat.device.as_ref().and_then(|device| Some((device, self.sink.due(&device.serial)?)))
        else {
            return Ok(());
        };
        let seen = self.plan.workers[worker].examine().await;
        let seen = if seen.is_empty() { String::new() } else { format!("; {}: {seen}", device.name) };
        self.sink.emit(Event::Log { case: None, level: "error".to_owned(), message: format!("{why}{seen}") })
    }

    /// Says of a case that two devices could not be opened for.
    fn failure_of(&self, unit: &Unit, failure: Failure) -> Failure {
        match unit.except {
            Some(other) if self.plan.workers.len() > 1 => {
                let name = self.plan.workers[other].name();
                Failure { message: format!("{}\n{name} could not be opened before that", failure.message), ..failure }
            }
            _ => failure,
        }
    }

    /// Waits until a worker's device answers again; false where it does not in time.
    async fn recover(&self, worker: usize) -> bool {
        let (mut pause, began) = (FIRST_PAUSE, Instant::now());
        while began.elapsed() < LONGEST_REST {
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.queue.over() => return true,
                () = self.stop.asked() => return true,
            }
            if answers(&*self.plan.workers[worker]).await {
                self.queue.rest(worker, false);
                return true;
            }
            pause *= 2;
        }
        false
    }

    fn suits(&self, worker: usize, planned: usize) -> bool {
        let planned = &self.plan.cases[planned];
        planned.refusal.is_some() || self.plan.workers[worker].suits(planned)
    }

    fn suite<'a>(&'a self, unit: &'a Unit, seat: Option<&'a CaseRuntime>) -> Suite<'a> {
        Suite {
            planned: self.planned(unit),
            unit,
            seat,
            shared: self.plan.shared.as_deref(),
            rows: self.rows[unit.planned].as_ref(),
            options: &self.options,
            sink: &self.sink,
            stop: if unit.is_tidying { &self.tidying } else { &self.stop },
            may_stand: false,
        }
    }

    fn planned(&self, unit: &Unit) -> &Planned {
        &self.plan.cases[unit.planned]
    }

    fn note(&self, outcome: Outcome) {
        let mut all = self.outcome.lock();
        *all = outcome.max(*all);
    }

    fn outcome(&self) -> Outcome {
        *self.outcome.lock()
    }

    /// Reports what was not run as skipped, so that nothing vanishes: an entry for each file.
    fn skip_left(&self) -> io::Result<()> {
        let left = self.queue.left();
        let early = ended_early(&self.options, self.outcome(), &self.stop);
        let Some(reason) = early.or(self.unready.get().map(String::as_str)) else { return Ok(()) };
        let mut by_file: BTreeMap<(usize, &str), Vec<&Unit>> = BTreeMap::new();
        for unit in &left {
            by_file.entry((unit.planned, &unit.label)).or_default().push(unit);
        }
        for ((planned, _), units) in by_file {
            let first = units.iter().min_by_key(|unit| number(unit)).unwrap_or(&units[0]);
            let label = self.rows_label(planned, &units);
            self.suite(first, None).skip_rows(label, reason)?;
        }
        Ok(())
    }

    /// Says which rows are meant: `[rows 2, 6 and 7]`.
    fn rows_label(&self, planned: usize, units: &[&Unit]) -> String {
        const SHOWN: usize = 10;
        let count = units.len();
        let mut numbers: Vec<u64> = units.iter().map(|unit| number(unit) + 1).collect();
        numbers.sort_unstable();
        match (&self.rows[planned], numbers[..].split_last()) {
            (None, _) | (_, None | Some((1, []))) => String::new(),
            (_, Some((last, []))) => format!(" [row {last}]"),
            _ if numbers.windows(2).all(|pair| pair[1] == pair[0] + 1) => {
                format!(" [{count} rows, {} to {}]", numbers[0], numbers[count - 1])
            }
            (_, Some((last, others))) if count <= SHOWN => {
                let others: Vec<String> = others.iter().map(u64::to_string).collect();
                format!(" [rows {} and {last}]", others.join(", "))
            }
            _ => format!(" [{count} rows]"),
        }
    }
}

fn number(unit: &Unit) -> u64 {
    if let Part::Row(number) = unit.part { number } else { 0 }
}

/// Tells whether a worker's device answers.
pub(super) async fn answers(worker: &dyn Worker) -> bool {
    tokio::time::timeout(ANSWER, worker.answers()).await.unwrap_or(false)
}

/// Returns why no more cases are run.
pub(super) fn ended_early(options: &Options, outcome: Outcome, stop: &Stop) -> Option<&'static str> {
    match (stop.is_asked(), options.fail_fast && outcome >= Outcome::Failed) {
        (true, _) => Some("not run: the run was interrupted"),
        (_, true) => Some("not run: an earlier case did not pass (--fail-fast)"),
        _ => None,
    }
}
