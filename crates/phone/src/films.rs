//! The recordings of the screen that go on: each by its command line, so that it can be told to end as a process can.

use parking_lot::Mutex;

use tokio_util::sync::CancellationToken;

/// All that go on.
#[derive(Default)]
pub(super) struct Films(Mutex<Vec<(String, CancellationToken)>>);

/// One that goes on, until this is dropped.
pub(super) struct Film<'a> {
    films: &'a Films,
    /// Cancelled when it is to end.
    pub(super) end: CancellationToken,
}

impl Films {
    pub(super) fn begin(&self, command: String) -> Film<'_> {
        let end = CancellationToken::new();
        self.0.lock().push((command, end.clone()));
        Film { films: self, end }
    }

    /// Ends those whose command lines are meant; tells whether there was one.
    pub(super) fn end(&self, is_meant: impl Fn(&str) -> bool) -> bool {
        let all = self.0.lock();
        let meant: Vec<_> = all.iter().filter(|(command, end)| !end.is_cancelled() && is_meant(command)).collect();
        meant.iter().for_each(|(_, end)| end.cancel());
        !meant.is_empty()
    }
}

impl Drop for Film<'_> {
    fn drop(&mut self) {
        // Whoever has ended is of no use to anybody; those that were told to end go away with them.
        self.end.cancel();
        self.films.0.lock().retain(|(_, end)| !end.is_cancelled());
    }
}
