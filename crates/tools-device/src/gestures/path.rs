//! From one point to another → the stops that a finger makes on its way: evenly in a line, or as a hand does it.

use std::time::Duration;

use fastrand::Rng;
use uixt_driver::{Point, Size, Stop};

/// The time from stop to stop: about what a phone takes for an event.
const STEP: Duration = Duration::from_millis(40);
/// Stops of a way, so that its commands fit into one line for every shell.
const STOPS: std::ops::RangeInclusive<u32> = 6..=28;
/// How far a hand trembles, in pixels.
const JITTER: f64 = 1.5;

/// Returns an even way along a line, which begins with a rest and ends after `duration` more.
pub(crate) fn straight(from: Point, to: Point, rest: Duration, duration: Duration) -> Vec<Stop> {
    let count = stops(duration);
    let pauses = pauses(&vec![1.0; steps(count)], duration);
    let mut way = vec![Stop { at: from, rest }];
    way.extend((1..=count).zip(pauses).map(|(number, rest)| Stop { at: between(from, to, part(number, count)), rest }));
    way
}

/// Returns a way as a hand draws it: in a slight curve, slow at its ends and fast between them, with a little tremble and
/// uneven pauses. Begins and ends where it should, takes `duration`, and stays on the screen.
pub(crate) fn human(from: Point, to: Point, duration: Duration, size: Size, rng: &mut Rng) -> Vec<Stop> {
    let count = stops(duration);
    let bend = bend(from, to, rng);
    let weights: Vec<f64> = (0..steps(count)).map(|_| 0.6 + 0.8 * rng.f64()).collect();
    let mut way = vec![Stop { at: from, rest: Duration::ZERO }];
    way.extend((1..=count).zip(pauses(&weights, duration)).map(|(number, rest)| {
        let at = match number == count {
            true => to,
            false => trembling(curve(from, bend, to, eased(part(number, count))), rng),
        };
        Stop { at: on_screen(at, size), rest }
    }));
    way
}

/// Returns how long a hand takes for a way: at least 0.25 s, more for a longer one, never twice the same.
pub(crate) fn human_duration(from: Point, to: Point, rng: &mut Rng) -> Duration {
    let seconds = 0.25 + (to.x - from.x).hypot(to.y - from.y) / 3000.0;
    Duration::from_secs_f64(seconds.min(2.0) * (0.85 + 0.3 * rng.f64()))
}

fn stops(duration: Duration) -> u32 {
    let wanted = u32::try_from(duration.as_millis() / STEP.as_millis()).unwrap_or(u32::MAX);
    wanted.clamp(*STOPS.start(), *STOPS.end())
}

fn part(number: u32, count: u32) -> f64 {
    f64::from(number) / f64::from(count)
}

/// Returns how many pauses there are between so many moves: the last one is followed by none.
fn steps(count: u32) -> usize {
    usize::try_from(count.saturating_sub(1)).unwrap_or(0)
}

/// Splits a duration by weights into whole milliseconds, as a shell's `sleep` takes them, that add up to it; then none.
fn pauses(weights: &[f64], duration: Duration) -> Vec<Duration> {
    let sum: f64 = weights.iter().sum();
    let (mut passed, mut slept) = (0.0, Duration::ZERO);
    let mut pauses: Vec<Duration> = Vec::with_capacity(weights.len() + 1);
    for weight in weights {
        passed += weight;
        let until = Duration::from_secs_f64((duration.as_secs_f64() * passed / sum * 1000.0).round() / 1000.0);
        pauses.push(until.saturating_sub(slept));
        slept = until;
    }
    pauses.push(Duration::ZERO);
    pauses
}

fn between(from: Point, to: Point, part: f64) -> Point {
    Point { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
}

/// Returns the point beside the middle of the way that draws the curve to itself.
fn bend(from: Point, to: Point, rng: &mut Rng) -> Point {
    let (x, y) = (to.x - from.x, to.y - from.y);
    let way = x.hypot(y);
    if way == 0.0 {
        return from;
    }
    let aside = (way * (0.08 + 0.08 * rng.f64()) + 12.0) * if rng.bool() { 1.0 } else { -1.0 };
    let middle = between(from, to, 0.4 + 0.2 * rng.f64());
    Point { x: middle.x - y / way * aside, y: middle.y + x / way * aside }
}

/// A quadratic Bézier curve.
fn curve(from: Point, bend: Point, to: Point, part: f64) -> Point {
    between(between(from, bend, part), between(bend, to, part), part)
}

/// The way that a hand has made after a part of its time: the one with the least jerk (Flash and Hogan, 1985).
fn eased(part: f64) -> f64 {
    part.powi(3) * (10.0 + part * (6.0 * part - 15.0))
}

fn trembling(at: Point, rng: &mut Rng) -> Point {
    let mut shift = || (rng.f64() * 2.0 - 1.0) * JITTER;
    Point { x: at.x + shift(), y: at.y + shift() }
}

fn on_screen(at: Point, size: Size) -> Point {
    let hold = |value: f64, side: u32| value.clamp(0.0, f64::from(side.max(1)) - 1.0);
    Point { x: hold(at.x, size.width), y: hold(at.y, size.height) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { width: 1080, height: 2400 };

    fn at(x: f64, y: f64) -> Point {
        Point { x, y }
    }

    fn lasting(way: &[Stop]) -> Duration {
        way.iter().map(|stop| stop.rest).sum()
    }

    #[test]
    fn an_even_way_rests_first_and_takes_its_time() {
        let way = straight(at(0.0, 0.0), at(100.0, 50.0), Duration::from_millis(700), Duration::from_millis(500));
        assert_eq!((way[0].rest, way.last().unwrap().rest), (Duration::from_millis(700), Duration::ZERO));
        assert!(lasting(&way).abs_diff(Duration::from_millis(1200)) < Duration::from_millis(1));
        assert!(way.iter().all(|stop| (stop.at.x - stop.at.y * 2.0).abs() < 1e-9));
        assert!(straight(at(0.0, 0.0), at(1.0, 1.0), Duration::ZERO, Duration::from_mins(1)).len() < 30);
        assert!(straight(at(0.0, 0.0), at(1.0, 1.0), Duration::ZERO, Duration::ZERO).len() > 2);
    }

    #[test]
    fn a_hand_draws_a_curve_at_a_changing_speed_and_never_the_same_way_twice() {
        let draw = |seed| {
            human(at(200.0, 400.0), at(800.0, 1400.0), Duration::from_millis(600), SIZE, &mut Rng::with_seed(seed))
        };
        let way = draw(7);
        assert_eq!((way[0].at, way.last().unwrap().at), (at(200.0, 400.0), at(800.0, 1400.0)));
        assert!(lasting(&way).abs_diff(Duration::from_millis(600)) < Duration::from_micros(1));
        assert_eq!(draw(7), way);
        assert_ne!(draw(8), way);
        let step = |index: usize| (way[index + 1].at.x - way[index].at.x).hypot(way[index + 1].at.y - way[index].at.y);
        assert!(step(way.len() / 2) > 3.0 * step(0), "fast in the middle: {way:?}");
        let aside = |stop: &Stop| ((stop.at.x - 200.0) * 1000.0 - (stop.at.y - 400.0) * 600.0).abs() / 1166.0;
        assert!(way.iter().map(aside).fold(0.0, f64::max) > 20.0);
    }

    #[test]
    fn a_way_stays_on_the_screen() {
        for seed in 0..200 {
            let way = human(at(1.0, 1.0), at(1.0, 2399.0), Duration::from_millis(300), SIZE, &mut Rng::with_seed(seed));
            assert!(way.iter().all(|stop| stop.at.x >= 0.0 && stop.at.y < 2400.0));
        }
        let still = human(at(5.0, 5.0), at(5.0, 5.0), Duration::from_millis(300), SIZE, &mut Rng::with_seed(1));
        assert!(still.iter().all(|stop| (stop.at.x - 5.0).abs() < 2.0));
    }
}
