//! Actions → what the calls of tools that name elements by refs add up to: how many did what they were asked, how many elements were
//! found, what it took, and how often another way than the first had to be tried, and helped.

use serde_json::{Value, json};

use crate::result::{ActionResult, CaseResult, Outcome};

#[derive(Debug, Default)]
pub(super) struct RefStatistics {
    calls: u64,
    succeeded: u64,
    /// Calls that looked for an element by words, and those that found one.
    searches: u64,
    found: u64,
    /// Calls for which more than one way was tried, and those for which one of the others helped.
    retried: u64,
    recovered: u64,
    /// What conversions took, in microseconds.
    conversions: Vec<u64>,
}

impl RefStatistics {
    pub(super) fn add(&mut self, case: &CaseResult) {
        let attempts = case.steps.iter().flat_map(|step| &step.attempts);
        attempts.flat_map(|attempt| &attempt.actions).for_each(|action| self.count(action));
    }

    fn count(&mut self, action: &ActionResult) {
        let Some(lookup) = &action.lookup else { return };
        let (did, found) = (action.outcome <= Outcome::Flaky, lookup.tries.iter().any(|tried| tried.found));
        self.calls += 1;
        self.succeeded += u64::from(did);
        self.searches += u64::from(!lookup.tries.is_empty());
        self.found += u64::from(found);
        self.retried += u64::from(lookup.tries.len() > 1);
        self.recovered += u64::from(lookup.tries.len() > 1 && found && did);
        self.conversions.extend(lookup.conversion_us);
    }

    /// Returns the sums; none where there was no such call. Rates are from 0 to 1, and null of nothing.
    pub(super) fn told(mut self) -> Option<Value> {
        if self.calls == 0 {
            return None;
        }
        self.conversions.sort_unstable();
        let (median, longest) = (self.conversions.get(self.conversions.len() / 2), self.conversions.last());
        Some(json!({
            "calls": self.calls,
            "succeeded": self.succeeded,
            "call_success_rate": rate(self.succeeded, self.calls),
            "finds": self.searches,
            "found": self.found,
            "find_success_rate": rate(self.found, self.searches),
            "conversion_us": {"median": median, "longest": longest},
            "retried": self.retried,
            "recovered": self.recovered,
            "recovery_rate": rate(self.recovered, self.retried),
        }))
    }
}

#[expect(clippy::cast_precision_loss, reason = "nobody makes 2^52 calls")]
fn rate(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| (part as f64 / whole as f64 * 1000.0).round() / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use crate::result::{Lookup, Try};

    #[test]
    fn calls_by_refs_add_up() {
        let (_, mut cases) = sample::run();
        let mut none = RefStatistics::default();
        cases.iter().for_each(|case| none.add(case));
        assert_eq!(none.told(), None);
        let tried = |found| Try { strategy: "text".to_owned(), target: "x".to_owned(), found, why: String::new() };
        let action = cases.iter_mut().flat_map(|case| &mut case.steps).flat_map(|step| &mut step.attempts);
        let template = action.flat_map(|attempt| &attempt.actions).next().expect("an action").clone();
        let mut refs = RefStatistics::default();
        for (tries, outcome) in [
            (vec![], Outcome::Passed),
            (vec![tried(true)], Outcome::Passed),
            (vec![tried(false), tried(true)], Outcome::Passed),
            (vec![tried(false), tried(false)], Outcome::Failed),
        ] {
            let conversion_us = Some(10 * (1 + tries.len() as u64));
            refs.count(&ActionResult {
                lookup: Some(Box::new(Lookup { tries, conversion_us })),
                outcome,
                ..template.clone()
            });
        }
        let told = refs.told().expect("calls");
        assert_eq!(
            (&told["calls"], &told["succeeded"], &told["call_success_rate"]),
            (&json!(4), &json!(3), &json!(0.75))
        );
        assert_eq!((&told["finds"], &told["found"], &told["find_success_rate"]), (&json!(3), &json!(2), &json!(0.667)));
        assert_eq!((&told["retried"], &told["recovered"], &told["recovery_rate"]), (&json!(2), &json!(1), &json!(0.5)));
        assert_eq!(told["conversion_us"], json!({"median": 30, "longest": 30}));
    }
}
