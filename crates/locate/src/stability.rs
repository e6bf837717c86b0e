//! Looks that follow one another → whether what they show stands still: two in a row that agree.
//!
//! Every wait for stillness is held to this; how often to look and when to give up is the business of who looks. Knows no device.

use std::time::{Duration, Instant};

/// The least time between two looks that are compared: less, and an animation may show the same picture twice.
pub const SAMPLE: Duration = Duration::from_millis(50);

/// Compares each look with the one before.
pub struct Stability<T> {
    /// The look before and when the first one was, of those that follow one another without a break.
    before: Option<(T, Instant)>,
    /// How long motion is borne; none bears it as long as somebody looks.
    timeout: Option<Duration>,
}

/// What was seen last.
pub struct Stable<T> {
    pub seen: T,
    /// Whether it was still moving when the patience was over.
    pub moving: bool,
}

impl<T> Stability<T> {
    /// Bears motion for so long, and then takes what is seen as it is; without a time, takes nothing for still that moves.
    pub(super) fn new(timeout: Option<Duration>) -> Self {
        Self { before: None, timeout }
    }

    /// Takes nothing for still that moves.
    pub fn strict() -> Self {
        Self::new(None)
    }

    /// Takes what has moved for so long as it is: an animation that never ends is no reason to fail.
    pub fn bearing(timeout: Duration) -> Self {
        Self::new(Some(timeout))
    }

    /// Takes a look; returns it once nothing more is to be waited for.
    pub fn look(&mut self, seen: T) -> Option<Stable<T>>
    where
        T: PartialEq,
    {
        self.look_by(seen, |before, seen| before == seen)
    }

    /// Takes a look, of which `agrees` tells whether it shows the same as the one before.
    pub(super) fn look_by(&mut self, seen: T, agrees: impl FnOnce(&T, &T) -> bool) -> Option<Stable<T>> {
        let Some((before, first)) = self.before.take() else {
            self.before = Some((seen, Instant::now()));
            return None;
        };
        let moving = !agrees(&before, &seen);
        if !moving || self.timeout.is_some_and(|timeout| first.elapsed() >= timeout) {
            return Some(Stable { seen, moving });
        }
        self.before = Some((seen, first));
        None
    }

    /// Forgets the look before: what is looked for is not there any more.
    pub fn forget(&mut self) {
        self.before = None;
    }

    /// Tells whether the next look is compared with one before.
    pub fn has_begun(&self) -> bool {
        self.before.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_looks_in_a_row_must_agree() {
        let mut stability = Stability::strict();
        for moving in [1, 2, 1] {
            assert!(stability.look(moving).is_none());
        }
        assert!(stability.look(1).is_some_and(|still| still.seen == 1 && !still.moving));
        assert!(!stability.has_begun());
        assert!(stability.look(1).is_none() && stability.has_begun());
        stability.forget();
        assert!(stability.look(1).is_none());
    }

    #[test]
    fn endless_motion_is_borne_for_a_while() {
        let mut patient = Stability::bearing(Duration::from_hours(1));
        assert!(patient.look(1).is_none() && patient.look(2).is_none() && patient.look(3).is_none());
        let mut hasty = Stability::bearing(Duration::ZERO);
        assert!(hasty.look(1).is_none());
        assert!(hasty.look(2).is_some_and(|still| still.seen == 2 && still.moving));
    }
}
