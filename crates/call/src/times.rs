//! What a call tells of its time to whoever made it: how long it waited, from each wait's first pause to its end, and which calls it was
//! made of.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use uixt_core::tool_times::ToolTimes;

/// What a call tells of its time; copies share it.
#[derive(Clone, Debug, Default)]
pub struct CallTimes(Arc<Mutex<Told>>);

#[derive(Debug, Default)]
struct Told {
    /// How many waits are under way, and since when there is one: those within each other count once.
    open: u32,
    since: Option<Instant>,
    past: Duration,
    parts: ToolTimes,
    /// The tool that was called and is none of the table's; one of another server as `server/tool`.
    other: Option<String>,
}

impl CallTimes {
    fn lock(&self) -> MutexGuard<'_, Told> {
        self.0.lock()
    }

    /// Returns how long the call has waited so far.
    pub fn waited(&self) -> Duration {
        let told = self.lock();
        told.past + told.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Takes in how long a call waited that this one is made of and that tells its own time.
    pub fn add_waited(&self, time: Duration) {
        self.lock().past += time;
    }

    /// Prepares a wait.
    pub fn waiting(&self) -> Waiting {
        Waiting { times: self.clone(), has_begun: false }
    }

    /// Takes in a call that was made within this one.
    pub fn add_part(&self, tool: &str, succeeded: bool, elapsed: Duration, waiting: Duration) {
        self.lock().parts.add(tool, succeeded, elapsed, waiting);
    }

    /// Takes in a call that was made within this one and told its own times, with those of which it was made.
    pub fn add_call(&self, tool: &str, succeeded: bool, elapsed: Duration, times: &Self) {
        let mut told = self.lock();
        told.parts.add(tool, succeeded, elapsed, times.waited());
        told.parts.join(&times.take_parts());
    }

    /// Takes out what the calls within this one add up to.
    pub fn take_parts(&self) -> ToolTimes {
        std::mem::take(&mut self.lock().parts)
    }

    /// Says that the call went to a tool of another server.
    pub fn name_other(&self, server: &str, tool: &str) {
        self.name_tool(format!("{server}/{tool}"));
    }

    /// Says that the call went to a tool that is none of the table's.
    pub fn name_tool(&self, tool: String) {
        self.lock().other = Some(tool);
    }

    /// Returns the tool that was called and is none of the table's.
    pub fn other(&self) -> Option<String> {
        self.lock().other.clone()
    }
}

/// A wait, which begins with its first pause and ends when it is dropped.
#[derive(Debug)]
pub struct Waiting {
    times: CallTimes,
    has_begun: bool,
}

impl Waiting {
    /// Begins where a pause is none of this process.
    pub fn begin(&mut self) {
        if !std::mem::replace(&mut self.has_begun, true) {
            let mut told = self.times.lock();
            told.open += 1;
            told.since.get_or_insert_with(Instant::now);
        }
    }

    /// Lets time pass.
    pub async fn pause(&mut self, time: Duration) {
        self.begin();
        tokio::time::sleep(time).await;
    }

    /// Lets time pass until a moment.
    pub async fn until(&mut self, moment: Instant) {
        self.begin();
        tokio::time::sleep_until(moment.into()).await;
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.has_begun {
            let mut told = self.times.lock();
            told.open -= 1;
            if told.open == 0 {
                let past = told.since.take().map_or(Duration::ZERO, |since| since.elapsed());
                told.past += past;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = Duration::from_millis(30);

    #[tokio::test]
    async fn waits_within_each_other_count_once_and_none_without_a_pause() {
        let times = CallTimes::default();
        drop(times.waiting());
        assert_eq!(times.waited(), Duration::ZERO);
        let began = Instant::now();
        let mut outer = times.waiting();
        outer.pause(PAUSE).await;
        times.waiting().pause(PAUSE).await;
        let so_far = times.waited();
        drop(outer);
        let (total, elapsed) = (times.waited(), began.elapsed());
        assert!(2 * PAUSE <= so_far && so_far <= total && total <= elapsed, "{so_far:?}, {total:?} of {elapsed:?}");
        assert_eq!(times.waited(), total, "what has ended goes on no longer");
    }

    #[tokio::test]
    async fn a_wait_that_is_given_up_has_ended() {
        let times = CallTimes::default();
        let mut waiting = times.waiting();
        assert!(tokio::time::timeout(PAUSE, waiting.pause(Duration::from_mins(1))).await.is_err());
        drop(waiting);
        let total = times.waited();
        assert!(total >= PAUSE && times.waited() == total, "{total:?}");
    }
}
