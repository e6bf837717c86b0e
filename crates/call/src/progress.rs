//! Tells whoever made a call how far it is, where they asked to be told: waits at each look, a batch at each step.
//!
//! Knows nothing of who listens, nor how often they want to hear it.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

/// How far a call is.
#[derive(Clone, Debug, PartialEq)]
pub struct Advance {
    /// How much is done: seconds waited or steps taken.
    pub done: f64,
    /// How much there is at most, in the same measure; nobody may know.
    pub total: Option<f64>,
    /// Empty where there is nothing to say.
    pub message: String,
}

/// The part of a longer call that is under way: its number from 0, and how many there are.
type Part = (usize, usize);

type Tell = dyn Fn(Advance) + Send + Sync;

/// A way to say how far a call is; the default says nothing and costs nothing.
#[derive(Clone, Default)]
pub struct Progress {
    listener: Option<Arc<Listener>>,
}

struct Listener {
    tell: Box<Tell>,
    part: Mutex<Option<Part>>,
}

impl Progress {
    /// Tells a listener, who must return at once.
    pub fn to(tell: impl Fn(Advance) + Send + Sync + 'static) -> Self {
        Self { listener: Some(Arc::new(Listener { tell: Box::new(tell), part: Mutex::new(None) })) }
    }

    /// Says how much of `total` is done; within a part of a longer call, it counts as that much of the part.
    pub fn say(&self, done: f64, total: f64, message: impl FnOnce() -> String) {
        self.relay(done, Some(total.max(done)), message);
    }

    /// Says as [`Progress::say`] does what somebody else says, who need not know the total.
    pub fn relay(&self, done: f64, total: Option<f64>, message: impl FnOnce() -> String) {
        let Some(listener) = &self.listener else { return };
        let (done, total) = match *listener.part.lock() {
            Some((part, of)) => (count(part) + fraction(done, total.unwrap_or_default()), Some(count(of))),
            None => (done, total),
        };
        (listener.tell)(Advance { done, total, message: message() });
    }

    /// Begins a part of a longer call, whose number is counted from 0.
    pub fn begin(&self, part: usize, of: usize, message: impl FnOnce() -> String) {
        let Some(listener) = &self.listener else { return };
        *listener.part.lock() = Some((part, of));
        (listener.tell)(Advance { done: count(part), total: Some(count(of)), message: message() });
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Progress({})", if self.listener.is_some() { "told" } else { "silent" })
    }
}

/// Returns how much of a part is done, which is never all of it while something is still to be said.
fn fraction(done: f64, total: f64) -> f64 {
    if total > 0.0 { (done / total).clamp(0.0, 0.99) } else { 0.0 }
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::from(u32::MAX), f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_within_a_part_is_a_fraction_of_it() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&heard);
        let progress = Progress::to(move |advance| told.lock().push((advance.done, advance.total)));
        progress.say(2.0, 10.0, String::new);
        progress.begin(1, 4, String::new);
        progress.say(5.0, 10.0, String::new);
        progress.say(12.0, 10.0, String::new);
        assert_eq!(*heard.lock(), [(2.0, Some(10.0)), (1.0, Some(4.0)), (1.5, Some(4.0)), (1.99, Some(4.0))]);
        let unknown = Progress::to(|advance| assert_eq!((advance.done, advance.total), (3.0, None)));
        unknown.relay(3.0, None, String::new);
        Progress::default().say(1.0, 1.0, || unreachable!("nobody listens"));
    }
}
