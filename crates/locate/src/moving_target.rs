//! Looks at a target that moves → whether it moves so slowly that a finger hits it where it was seen last.

use std::time::{Duration, Instant};

use super::stability::SAMPLE;
use crate::driver::Rect;

/// How far a target may get until it is touched, in parts of its own width and height: it may even become four times as fast
/// meanwhile, and is hit.
const PART: f64 = 8.0;

/// Compares each look with the one before.
#[derive(Default)]
pub struct MovingTarget {
    before: Option<(Rect, Instant)>,
}

impl MovingTarget {
    /// Takes a look that began at a time and took a while; whether a touch now hits. A touch is taken to be as slow as two
    /// looks.
    pub fn look(&mut self, rect: Rect, began: Instant, took: Duration) -> bool {
        let before = self.before.replace((rect, began));
        let Some((earlier, then)) = before.filter(|(earlier, _)| sides(*earlier) == sides(rect)) else { return false };
        let passed = began.saturating_duration_since(then).as_secs_f64();
        let ahead = (SAMPLE + took * 2).as_secs_f64();
        let (here, there) = (rect.center(), earlier.center());
        let gets = |from: f64, to: f64| (to - from).abs() / passed.max(0.001) * ahead;
        let (width, height) = sides(rect);
        gets(there.x, here.x) * PART <= width && gets(there.y, here.y) * PART <= height
    }

    pub fn forget(&mut self) {
        self.before = None;
    }
}

fn sides(rect: Rect) -> (f64, f64) {
    (f64::from(rect.right - rect.left), f64::from(rect.bottom - rect.top))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a touch hits a target of 200×100 that moved by so much between two looks, 50 ms apart, that took a while each.
    fn hits(by: (i32, i32), took: u64) -> bool {
        let at = |x, y| Rect { left: x, top: y, right: x + 200, bottom: y + 100 };
        let (mut moving, now) = (MovingTarget::default(), Instant::now());
        let took = Duration::from_millis(took);
        assert!(!moving.look(at(0, 0), now, took), "one look says nothing");
        moving.look(at(by.0, by.1), now + SAMPLE, took)
    }

    #[test]
    fn slow_targets_are_hit_and_fast_ones_are_not() {
        assert!(hits((10, 5), 10));
        assert!(!hits((40, 0), 10) && !hits((0, 20), 10));
        assert!(!hits((10, 5), 100), "a slow device's touch would come too late");
    }

    #[test]
    fn a_target_that_grows_is_none() {
        let (mut moving, now) = (MovingTarget::default(), Instant::now());
        let rect = |right| Rect { left: 0, top: 0, right, bottom: 100 };
        moving.look(rect(100), now, Duration::ZERO);
        assert!(!moving.look(rect(102), now + SAMPLE, Duration::ZERO));
        assert!(moving.look(rect(102), now + SAMPLE * 2, Duration::ZERO));
        moving.forget();
        assert!(!moving.look(rect(102), now + SAMPLE * 3, Duration::ZERO));
    }
}
