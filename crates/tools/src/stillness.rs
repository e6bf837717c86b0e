//! Looks that follow one another → whether what they show stands still: two in a row that agree.
//!
//! Every wait for stillness is held to this; how often to look and when to give up is the business of who looks. Knows no device.

use std::time::{Duration, Instant};

/// The least time between two looks that are compared: less, and an animation may show the same picture twice.
pub(super) const SAMPLE: Duration = Duration::from_millis(50);

/// Compares each look with the one before.
pub(super) struct Stillness<T> {
    /// The look before and when the first one was, of those that follow one another without a break.
    before: Option<(T, Instant)>,
    /// How long motion is borne; none bears it as long as somebody looks.
    patience: Option<Duration>,
}

/// What was seen last.
pub(super) struct Still<T> {
    pub seen: T,
    /// Whether it was still moving when the patience was over.
    pub moving: bool,
}

impl<T> Stillness<T> {
    /// Bears motion for so long, and then takes what is seen as it is; without a time, takes nothing for still that moves.
    pub(super) fn new(patience: Option<Duration>) -> Self {
        Self { before: None, patience }
    }

    /// Takes nothing for still that moves.
    pub(super) fn strict() -> Self {
        Self::new(None)
    }

    /// Takes what has moved for so long as it is: an animation that never ends is no reason to fail.
    pub(super) fn bearing(patience: Duration) -> Self {
        Self::new(Some(patience))
    }

    /// Takes a look; returns it once nothing more is to be waited for.
    pub(super) fn look(&mut self, seen: T) -> Option<Still<T>>
    where
        T: PartialEq,
    {
        self.look_by(seen, |before, seen| before == seen)
    }

    /// Takes a look, of which `agrees` tells whether it shows the same as the one before.
    pub(super) fn look_by(&mut self, seen: T, agrees: impl FnOnce(&T, &T) -> bool) -> Option<Still<T>> {
        let Some((before, first)) = self.before.take() else {
            self.before = Some((seen, Instant::now()));
            return None;
        };
        let moving = !agrees(&before, &seen);
        if !moving || self.patience.is_some_and(|patience| first.elapsed() >= patience) {
            return Some(Still { seen, moving });
        }
        self.before = Some((seen, first));
        None
    }

    /// Forgets the look before: what is looked for is not there any more.
    pub(super) fn forget(&mut self) {
        self.before = None;
    }

    /// Tells whether the next look is compared with one before.
    pub(super) fn has_begun(&self) -> bool {
        self.before.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_looks_in_a_row_must_agree() {
        let mut stillness = Stillness::strict();
        for moving in [1, 2, 1] {
            assert!(stillness.look(moving).is_none());
        }
        assert!(stillness.look(1).is_some_and(|still| still.seen == 1 && !still.moving));
        assert!(!stillness.has_begun());
        assert!(stillness.look(1).is_none() && stillness.has_begun());
        stillness.forget();
        assert!(stillness.look(1).is_none());
    }

    #[test]
    fn endless_motion_is_borne_for_a_while() {
        let mut patient = Stillness::bearing(Duration::from_hours(1));
        assert!(patient.look(1).is_none() && patient.look(2).is_none() && patient.look(3).is_none());
        let mut hasty = Stillness::bearing(Duration::ZERO);
        assert!(hasty.look(1).is_none());
        assert!(hasty.look(2).is_some_and(|still| still.seen == 2 && still.moving));
    }
}
