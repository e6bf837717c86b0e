//! A queue in Redis ↔ this machine's run: takes cases, renews their leases, and hands over what came of them.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;
use uixt_queue::{Entry, Error, Queue, Taken};

use crate::caller::Boxed;
use crate::result::{Event, Outcome, word};
use crate::runner::{Next, Observer, Share, Shared, case_id, segments};

/// How long a server that does not answer is waited for.
const OUTAGE: Duration = Duration::from_mins(5);
/// How long it is waited for before a result counts that it cannot confirm.
const CONFIRMED: Duration = Duration::from_mins(1);
/// The pause before it is asked again.
const PAUSE: Duration = Duration::from_millis(500);

/// The queue, as a run uses it.
pub(super) struct SharedQueue {
    queue: Arc<Queue>,
    digest: String,
    /// Where this machine's journal is.
    folder: PathBuf,
    entries: Mutex<Vec<Entry>>,
    in_hand: Arc<Mutex<HashSet<String>>>,
    /// What this machine completed, and how it ended.
    done: Mutex<Vec<(String, bool, Outcome)>>,
    /// The events of cases that run, as the journal writes them.
    seen: Arc<Mutex<HashMap<String, Vec<u8>>>>,
    renewal: JoinHandle<()>,
}

impl Drop for SharedQueue {
    fn drop(&mut self) {
        self.renewal.abort();
    }
}

impl SharedQueue {
    pub(super) fn new(queue: Queue, digest: String, folder: PathBuf) -> Self {
        let (queue, in_hand) = (Arc::new(queue), Arc::default());
        let renewal = tokio::spawn(renew(Arc::clone(&queue), Arc::clone(&in_hand)));
        let (entries, done, seen) = Default::default();
        Self { queue, digest, folder, entries, in_hand, done, seen, renewal }
    }

    /// Returns what watches the run's events.
    pub(super) fn observer(&self) -> Observer {
        let seen = Arc::clone(&self.seen);
        Box::new(move |entry| {
            let Some(case) = case_of(&entry.event) else { return };
            let mut seen = locked(&seen);
            let lines = seen.entry(case.to_owned()).or_default();
            // Writing to memory cannot fail.
            let _ = serde_json::to_writer(&mut *lines, entry);
            lines.push(b'\n');
        })
    }

    /// Puts everything into a queue that the server has lost, with what this machine knows of it.
    async fn begin_anew(&self) -> Result<(), Error> {
        let entries = locked(&self.entries).clone();
        self.queue.fill(&self.digest, &entries, true).await?;
        let done = locked(&self.done).clone();
        let mut results = segments::of_cases(&self.folder).unwrap_or_default();
        let done: Vec<_> = done
            .into_iter()
            .map(|(unit, is_file, outcome)| {
                let lines = taken_out(&mut results, &unit, is_file);
                (unit, word(outcome), lines)
            })
            .collect();
        let in_hand: Vec<String> = locked(&self.in_hand).iter().cloned().collect();
        self.queue.restore(&done, &in_hand).await
    }

    async fn take_one(&self, lanes: &[String]) -> Next {
        let began = Instant::now();
        loop {
            let failed = match self.queue.take(lanes).await {
                Ok(Taken::Case { id, before }) => {
                    locked(&self.in_hand).insert(id.clone());
                    let here = self.queue.host();
                    let again = before.map(|host| {
                        format!("{host} took this case and was not heard of any more: the case runs again from its start on {here}")
                    });
                    return Next::Run { unit: id, again };
                }
                Ok(Taken::Lost { id, hosts }) => {
                    let why = format!("{hosts} took this case one after the other, and none was heard of any more");
                    return Next::Lost { unit: id, why };
                }
                Ok(Taken::Wait) => return Next::Wait,
                Ok(Taken::Over { others }) => return Next::Over { others },
                Ok(Taken::Gone) => match self.begin_anew().await {
                    Ok(()) => {
                        eprintln!("warning: the queue was lost by its server, and was begun anew");
                        continue;
                    }
                    Err(error) => error,
                },
                Err(error) => error,
            };
            if !is_worth_another(&failed, began, OUTAGE).await {
                return Next::Broken(failed.to_string());
            }
        }
    }

    async fn hand_over(&self, unit: &str, is_file: bool, outcome: Outcome) {
        let lines = taken_out(&mut locked(&self.seen), unit, is_file);
        let word = word(outcome);
        let began = Instant::now();
        let taken = loop {
            match self.queue.complete(unit, &word, &lines).await {
                Err(error) if is_worth_another(&error, began, OUTAGE).await => {}
                taken => break taken,
            }
        };
        locked(&self.in_hand).remove(unit);
        match taken {
            Ok(true) => locked(&self.done).push((unit.to_owned(), is_file, outcome)),
            Ok(false) => eprintln!("warning: {unit}: another machine has taken this case over; its results count"),
            Err(error) => eprintln!("warning: {unit}: its results are in this machine's report only: {error}"),
        }
    }
}

impl Shared for SharedQueue {
    fn begin(&self, cases: Vec<Share>) -> Boxed<'_, Result<(), String>> {
        let entry = |share: Share| Entry { id: share.unit, lane: share.lane, locks: share.locks };
        let mut entries: Vec<Entry> = cases.into_iter().map(entry).collect();
        entries.sort_by(|a, b| a.id.cmp(&b.id));
        locked(&self.entries).clone_from(&entries);
        Box::pin(async move { self.queue.fill(&self.digest, &entries, false).await.map_err(|error| error.to_string()) })
    }

    fn take<'a>(&'a self, lanes: &'a [String]) -> Boxed<'a, Next> {
        Box::pin(self.take_one(lanes))
    }

    fn is_own<'a>(&'a self, unit: &'a str) -> Boxed<'a, bool> {
        Box::pin(async move {
            let (id, began) = ([unit.to_owned()], Instant::now());
            let lost = loop {
                match self.queue.renew(&id).await {
                    Err(error) if is_worth_another(&error, began, CONFIRMED).await => {}
                    lost => break lost,
                }
            };
            // A server that lost the queue knows of no lease, and is told of this one.
            lost.map_or(true, |lost| lost.is_empty()) || matches!(self.queue.status().await, Ok(None))
        })
    }

    fn complete<'a>(&'a self, unit: &'a str, is_file: bool, outcome: Outcome) -> Boxed<'a, ()> {
        Box::pin(self.hand_over(unit, is_file, outcome))
    }
}

/// Renews the leases of what is in hand, for as long as the run lasts.
async fn renew(queue: Arc<Queue>, in_hand: Arc<Mutex<HashSet<String>>>) {
    loop {
        tokio::time::sleep(queue.lease() / 3).await;
        let ids: Vec<String> = locked(&in_hand).iter().cloned().collect();
        if !ids.is_empty() {
            // One that fails is tried again soon enough; what is lost is seen when the case ends.
            let _ = queue.renew(&ids).await;
        }
    }
}

/// Waits a moment where a server does not answer; false where something else is wrong, or it has not answered for too long.
async fn is_worth_another(error: &Error, began: Instant, most: Duration) -> bool {
    let is_worth = matches!(error, Error::Server { .. }) && began.elapsed() < most;
    if is_worth {
        tokio::time::sleep(PAUSE).await;
    }
    is_worth
}

/// Takes the lines of a unit out of those of all cases.
fn taken_out(lines: &mut HashMap<String, Vec<u8>>, unit: &str, is_file: bool) -> Vec<u8> {
    if !is_file {
        return lines.remove(unit).unwrap_or_default();
    }
    let planned = case_id::parts(unit).map_or(unit, |(planned, _)| planned);
    let is_of_it = |case: &str| case_id::parts(case).is_some_and(|(of, _)| of == planned);
    let mut own: Vec<String> = lines.keys().filter(|case| is_of_it(case)).cloned().collect();
    own.sort();
    own.iter().filter_map(|case| lines.remove(case)).flatten().collect()
}

fn case_of(event: &Event) -> Option<&str> {
    match event {
        Event::CaseStarted { case, .. }
        | Event::DeviceChanged { case, .. }
        | Event::StepStarted { case, .. }
        | Event::ActionFinished { case, .. }
        | Event::StepFinished { case, .. }
        | Event::CaseFinished { case, .. }
        | Event::Log { case: Some(case), .. } => Some(case),
        Event::RunStarted { .. } | Event::RunFinished { .. } | Event::Log { case: None, .. } => None,
    }
}

/// No lock is held while anything can panic that would leave half a value.
fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
