//! Calls of tools → how many there were, how many succeeded, and how long they took: sums that can be joined, of a step, a run, or a
//! server's life.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

/// Buckets for each doubling of a time, as a power of two. The middle of a bucket is off by a thirty-second at most.
const SHIFT: u32 = 4;
const PARTS: u16 = 1 << SHIFT;
/// How often the smallest buckets can double.
const DOUBLINGS: u16 = 59;

/// Most tools that are told apart. Names may be those of other servers, and those that a model made up.
const MOST: usize = 1_000;

/// What is added to from several sessions at once.
pub type SharedToolTimes = Arc<Mutex<ToolTimes>>;

/// What the calls of each tool add up to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolTimes(BTreeMap<String, Times>);

/// What the calls of one tool add up to; times in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Times {
    calls: u64,
    succeeded: u64,
    total_ms: u64,
    waiting_ms: u64,
    slowest_ms: u64,
    /// How many calls took how long, by the number of the bucket.
    buckets: BTreeMap<u16, u64>,
}

/// What is told of a tool; times in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolFigures {
    pub tool: String,
    pub calls: u64,
    pub succeeded: u64,
    pub p50_ms: u64,
    pub p95_ms: u64,
    pub slowest_ms: u64,
    pub waiting_ms: u64,
    pub working_ms: u64,
}

impl ToolTimes {
    /// Adds a call of a tool, with the part of its time in which it waited.
    pub fn add(&mut self, tool: &str, succeeded: bool, elapsed: Duration, waiting: Duration) {
        let call = Times::of_call(succeeded, milliseconds(elapsed), milliseconds(waiting));
        self.join_one(tool, &call);
    }

    /// Adds the calls of others.
    pub fn join(&mut self, others: &Self) {
        others.0.iter().for_each(|(tool, times)| self.join_one(tool, times));
    }

    /// Adds the calls of one tool.
    pub fn join_one(&mut self, tool: &str, times: &Times) {
        if let Some(known) = self.0.get_mut(tool) {
            known.join(times);
        } else if self.0.len() < MOST {
            self.0.insert(tool.to_owned(), times.clone());
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns each tool with its sums.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Times)> {
        self.0.iter().map(|(tool, times)| (tool.as_str(), times))
    }

    /// Returns what is told of each tool, that first which took most time of all.
    pub fn figures(&self) -> Vec<ToolFigures> {
        let mut figures: Vec<_> = self.iter().map(|(tool, times)| times.figures(tool)).collect();
        figures.sort_by_key(|tool| std::cmp::Reverse(tool.waiting_ms.saturating_add(tool.working_ms)));
        figures
    }
}

impl Times {
    fn of_call(succeeded: bool, elapsed_ms: u64, waiting_ms: u64) -> Self {
        Self {
            calls: 1,
            succeeded: succeeded.into(),
            total_ms: elapsed_ms,
            waiting_ms: waiting_ms.min(elapsed_ms),
            slowest_ms: elapsed_ms,
            buckets: BTreeMap::from([(bucket(elapsed_ms), 1)]),
        }
    }

    fn join(&mut self, other: &Self) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.calls, other.calls);
        add(&mut self.succeeded, other.succeeded);
        add(&mut self.total_ms, other.total_ms);
        add(&mut self.waiting_ms, other.waiting_ms);
        self.slowest_ms = self.slowest_ms.max(other.slowest_ms);
        other.buckets.iter().for_each(|(bucket, count)| add(self.buckets.entry(*bucket).or_default(), *count));
    }

    /// Returns the time within which so many of a hundred calls ended.
    fn percentile(&self, percent: u64) -> u64 {
        let rank = self.calls.saturating_mul(percent).div_ceil(100).max(1);
        if rank >= self.calls {
            return self.slowest_ms;
        }
        let mut seen = 0_u64;
        for (bucket, count) in &self.buckets {
            seen = seen.saturating_add(*count);
            if seen >= rank {
                return middle(*bucket).min(self.slowest_ms);
            }
        }
        self.slowest_ms
    }

    fn figures(&self, tool: &str) -> ToolFigures {
        ToolFigures {
            tool: tool.to_owned(),
            calls: self.calls,
            succeeded: self.succeeded,
            p50_ms: self.percentile(50),
            p95_ms: self.percentile(95),
            slowest_ms: self.slowest_ms,
            waiting_ms: self.waiting_ms,
            working_ms: self.total_ms.saturating_sub(self.waiting_ms),
        }
    }
}

/// Returns the bucket of a time: below 32 its own, from there on one of 16 between a power of two and the next.
fn bucket(time: u64) -> u16 {
    let doublings = time.max(1).ilog2().saturating_sub(SHIFT);
    let part = u16::try_from(time >> doublings).unwrap_or(PARTS);
    u16::try_from(doublings).unwrap_or(DOUBLINGS) * PARTS + part
}

/// Returns the middle of a bucket's times.
fn middle(bucket: u16) -> u64 {
    // What was stored is not trusted: no number may overflow.
    let doublings = (bucket / PARTS).saturating_sub(1).min(DOUBLINGS);
    let part = if bucket < PARTS { bucket } else { bucket % PARTS + PARTS };
    let width = 1_u64 << doublings;
    u64::from(part) * width + (width - 1) / 2
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns times as calls take them, from none to an hour, from what a number begins.
    fn times(seed: u64, count: usize) -> Vec<u64> {
        let mut state = seed;
        let next = |state: &mut u64| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *state >> 33
        };
        let mut all = Vec::with_capacity(count);
        for _ in 0..count {
            let most = 1_u64 << (next(&mut state) % 22);
            all.push(next(&mut state) % most);
        }
        all
    }

    fn added(times: &[u64]) -> ToolTimes {
        let mut sums = ToolTimes::default();
        times.iter().for_each(|time| sums.add("tap", true, Duration::from_millis(*time), Duration::ZERO));
        sums
    }

    #[test]
    fn a_bucket_holds_the_times_near_its_middle() {
        let near = (0..5_000).chain((13..64).flat_map(|power| [(1 << power) - 1, 1 << power, 3 << (power - 1)]));
        let mut last = 0;
        for time in near {
            let at = bucket(time);
            assert!(at >= last, "{time}");
            last = at;
            assert!(middle(at).abs_diff(time) <= time / 32, "{time} is told as {}", middle(at));
        }
        assert_eq!((bucket(u64::MAX), middle(31), middle(32)), (975, 31, 32));
        assert!(middle(u16::MAX) > 0);
    }

    #[test]
    fn percentiles_are_those_of_the_sorted_times() {
        for (seed, count) in [(1, 1), (2, 2), (3, 19), (4, 20), (5, 21), (6, 1_000), (7, 20_000)] {
            let mut all = times(seed, count);
            let told = &added(&all).figures()[0];
            all.sort_unstable();
            let exact = |percent: usize| all[(count * percent).div_ceil(100) - 1];
            for (told, exact) in [(told.p50_ms, exact(50)), (told.p95_ms, exact(95))] {
                assert!(told.abs_diff(exact) <= exact / 32, "{count}: {told} instead of {exact}");
            }
            assert_eq!(Some(&told.slowest_ms), all.last());
            assert_eq!(told.working_ms, all.iter().sum::<u64>());
        }
    }

    #[test]
    fn sums_that_are_joined_are_those_of_all_calls() {
        let (some, others) = (times(8, 500), times(9, 300));
        let mut joined = added(&some);
        let text = serde_json::to_string(&added(&others)).expect("text");
        joined.join(&serde_json::from_str(&text).expect("the same"));
        assert_eq!(joined, added(&[some, others].concat()));
    }

    #[test]
    fn what_took_most_time_comes_first_and_nobody_waits_longer_than_it_takes() {
        let mut sums = ToolTimes::default();
        let ms = Duration::from_millis;
        sums.add("home", true, ms(40), ms(0));
        sums.add("tap", false, ms(2_000), ms(1_900));
        sums.add("tap", true, ms(100), ms(101));
        let figures = sums.figures();
        assert_eq!((figures[0].tool.as_str(), figures[1].tool.as_str()), ("tap", "home"));
        assert_eq!((figures[0].calls, figures[0].succeeded), (2, 1));
        assert_eq!((figures[0].waiting_ms, figures[0].working_ms), (2_000, 100));
        assert_eq!(figures[0].p50_ms, 101, "the middle of a bucket from 100 to 103");
    }
}
