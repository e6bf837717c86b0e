//! A queue in Redis ↔ this machine's run: takes cases, renews their leases, and hands over what came of them.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use tokio::task::JoinHandle;
use uixt_call::Boxed;
use uixt_queue::{Entry, Error, Queue, Taken};

use crate::result::{Event, Outcome, word};
use crate::runner::{self, Next, Observer, QueueItem, case_id, segments};

/// How long a server that does not answer is waited for.
const OUTAGE: Duration = Duration::from_mins(5);
/// How long it is waited for before a result counts that it cannot confirm.
const CONFIRMED: Duration = Duration::from_mins(1);
/// The pause before it is asked again.
const PAUSE: Duration = Duration::from_millis(500);

/// The queue, as a run uses it.
pub(super) struct SharedQueue {
    known: Arc<Known>,
    /// Whether what nobody can run is an error.
    no_skip: bool,
    /// The events of cases that run, as the journal writes them.
    seen: Arc<Mutex<HashMap<String, Vec<u8>>>>,
    renewal: JoinHandle<()>,
}

/// What this machine knows, and tells a queue that its server has lost.
struct Known {
    queue: Queue,
    /// Of the testcases, and of what is run of them once that is known.
    digest: Mutex<String>,
    /// Where this machine's journal is.
    folder: PathBuf,
    entries: Mutex<Vec<Entry>>,
    in_hand: Mutex<HashSet<String>>,
    /// What this machine completed, and how it ended.
    done: Mutex<Vec<(String, bool, Outcome)>>,
    /// What is to be said of it.
    said: Mutex<Vec<String>>,
    /// Held while it is told, so that it is told once at a time.
    telling: tokio::sync::Mutex<()>,
}

impl Drop for SharedQueue {
    fn drop(&mut self) {
        self.renewal.abort();
    }
}

impl Known {
    /// Asks the queue until it answers, but not for longer than `most`; tells it what it has lost.
    async fn ask<'a, T, F>(&'a self, most: Duration, call: impl Fn(&'a Queue) -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let began = Instant::now();
        loop {
            let told = match call(&self.queue).await {
                Err(Error::Gone) => self.tell(true).await,
                Err(Error::Anew) => self.tell(false).await,
                Err(error) => Err(error),
                Ok(answer) => return Ok(answer),
            };
            match told {
                Ok(()) => {}
                // Lost again meanwhile.
                Err(Error::Server { .. } | Error::Gone | Error::Anew) if began.elapsed() < most => {
                    tokio::time::sleep(PAUSE).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Tells a queue that its server has lost what this machine knows of it, once somebody has begun it anew.
    async fn tell(&self, is_gone: bool) -> Result<(), Error> {
        let _alone = self.telling.lock().await;
        if is_gone {
            let entries = self.entries.lock().clone();
            self.queue.fill(&self.digest(), &entries, true).await?;
            self.say(
                "the server lost the queue, so it was filled again: cases of machines that have ended run again"
                    .to_owned(),
            );
        }
        let done = self.done.lock().clone();
        let mut results = segments::of_cases(&self.folder).unwrap_or_default();
        let done: Vec<_> = done
            .into_iter()
            .map(|(unit, is_file, outcome)| {
                let lines = taken_out(&mut results, &unit, is_file);
                (unit, word(outcome), lines)
            })
            .collect();
        let in_hand: Vec<String> = self.in_hand.lock().iter().cloned().collect();
        for unit in self.queue.restore(&done, &in_hand).await? {
            self.say(format!(
                "{unit}: another machine has taken this case over, since the queue was lost; its results count"
            ));
        }
        Ok(())
    }

    fn digest(&self) -> String {
        self.digest.lock().clone()
    }

    fn say(&self, message: String) {
        self.said.lock().push(message);
    }
}

impl SharedQueue {
    pub(super) fn new(queue: Queue, digest: String, folder: PathBuf, no_skip: bool) -> Self {
        let (entries, in_hand, done, said, telling) = Default::default();
        let digest = Mutex::new(digest);
        let known = Arc::new(Known { queue, digest, folder, entries, in_hand, done, said, telling });
        let renewal = tokio::spawn(renew(Arc::clone(&known)));
        Self { known, no_skip, seen: Arc::default(), renewal }
    }

    /// Returns what watches the run's events.
    pub(super) fn observer(&self) -> Observer {
        let seen = Arc::clone(&self.seen);
        Box::new(move |entry| {
            let Some(case) = case_of(&entry.event) else { return };
            let mut seen = seen.lock();
            let lines = seen.entry(case.to_owned()).or_default();
            // Writing to memory cannot fail.
            let _ = serde_json::to_writer(&mut *lines, entry);
            lines.push(b'\n');
        })
    }

    async fn take_one(&self, lanes: &[String]) -> Next {
        match self.known.ask(OUTAGE, |queue| queue.take(lanes)).await {
            Ok(Taken::Case { id, before }) => {
                self.known.in_hand.lock().insert(id.clone());
                let here = self.known.queue.host();
                let again = before.map(|host| {
                    format!("{host} took this case and went silent: it runs again from its start on {here}")
                });
                Next::Run { unit: id, again }
            }
            Ok(Taken::Lost { id, hosts }) => {
                let why = format!("{hosts} took this case one after the other and went silent");
                Next::Lost { unit: id, why }
            }
            Ok(Taken::Wait) => Next::Wait,
            Ok(Taken::Over { others }) => self.over(others).await,
            Err(error) => Next::Broken(error.to_string()),
        }
    }

    /// Says how what other machines ran has ended, and what nobody has run yet.
    async fn over(&self, others: u64) -> Next {
        let status = match self.known.queue.status().await {
            Ok(status) => status.unwrap_or_default(),
            Err(error) => return Next::Broken(error.to_string()),
        };
        let of = |word: &str| serde_json::from_value::<Outcome>(word.into()).unwrap_or(Outcome::Errored);
        let worst = status.done.iter().map(|(word, _)| of(word)).max().unwrap_or(Outcome::Skipped);
        if others == 0 {
            let counts: Vec<String> = status.done.iter().map(|(word, count)| format!("{count} {word}")).collect();
            let is_idle = self.known.done.lock().is_empty();
            let said = is_idle.then(|| format!("other machines ran all cases of the queue: {}", counts.join(", ")));
            return Next::Over { said, outcome: worst };
        }
        let lanes = status.waiting.iter().filter(|(_, count)| *count > 0).map(|(lane, _)| lane.as_str());
        let (cases, are) = if others == 1 { ("case", "is") } else { ("cases", "are") };
        let needs = lanes.collect::<Vec<_>>().join("; ");
        let said = format!("{others} {cases} {are} left for machines that have what they need: {needs}");
        Next::Over { said: Some(said), outcome: if self.no_skip { Outcome::Errored } else { worst } }
    }

    async fn hand_over(&self, unit: &str, is_file: bool, outcome: Outcome) {
        let lines = taken_out(&mut self.seen.lock(), unit, is_file);
        let word = word(outcome);
        let taken = self.known.ask(OUTAGE, |queue| queue.complete(unit, &word, &lines)).await;
        self.known.in_hand.lock().remove(unit);
        match taken {
            Ok(true) => self.known.done.lock().push((unit.to_owned(), is_file, outcome)),
            Ok(false) => self.known.say(format!("{unit}: another machine has taken this case over; its results count")),
            Err(error) => self.known.say(format!("{unit}: its results are in this machine's report only: {error}")),
        }
    }
}

impl runner::SharedQueue for SharedQueue {
    fn begin(&self, cases: Vec<QueueItem>) -> Boxed<'_, Result<(), String>> {
        let (digest, entries) = filling(&self.known.digest(), cases);
        *self.known.digest.lock() = digest;
        self.known.entries.lock().clone_from(&entries);
        Box::pin(async move {
            let known = &self.known;
            known.queue.fill(&known.digest(), &entries, false).await.map_err(|error| error.to_string())
        })
    }

    fn take<'a>(&'a self, lanes: &'a [String]) -> Boxed<'a, Next> {
        Box::pin(self.take_one(lanes))
    }

    fn is_own<'a>(&'a self, unit: &'a str) -> Boxed<'a, bool> {
        Box::pin(async move {
            let id = [unit.to_owned()];
            let lost = self.known.ask(CONFIRMED, |queue| queue.renew(&id)).await;
            lost.map_or(true, |lost| lost.is_empty())
        })
    }

    fn complete<'a>(&'a self, unit: &'a str, is_file: bool, outcome: Outcome) -> Boxed<'a, ()> {
        Box::pin(self.hand_over(unit, is_file, outcome))
    }

    fn said(&self) -> Vec<String> {
        std::mem::take(&mut *self.known.said.lock())
    }
}

/// Returns what a queue is filled with, and what tells it from others: the testcases, by their digest, and what is run of them.
pub(super) fn filling(testcases: &str, cases: Vec<QueueItem>) -> (String, Vec<Entry>) {
    let mut runs: Vec<String> = cases.iter().map(|share| format!("{}\0{}", share.unit, share.row)).collect();
    runs.sort_unstable();
    let of_runs = Sha256::digest(runs.join("\n"));
    let short: String = of_runs.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let entry = |share: QueueItem| Entry { id: share.unit, lane: share.lane, locks: share.locks };
    (format!("{testcases} {short}"), cases.into_iter().map(entry).collect())
}

/// Renews the leases of what is in hand, for as long as the run lasts.
async fn renew(known: Arc<Known>) {
    loop {
        tokio::time::sleep(known.queue.lease() / 3).await;
        let ids: Vec<String> = known.in_hand.lock().iter().cloned().collect();
        if !ids.is_empty() {
            // One that fails is tried again soon enough; what is lost is seen when the case ends.
            let _ = known.ask(Duration::ZERO, |queue| queue.renew(&ids)).await;
        }
    }
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
        | Event::OwnToolFinished { case, .. }
        | Event::CaseFinished { case, .. }
        | Event::Log { case: Some(case), .. } => Some(case),
        Event::RunStarted { .. } | Event::RunFinished { .. } | Event::Log { case: None, .. } => None,
    }
}
