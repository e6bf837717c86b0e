//! A run held against the one before it → what changed: cases that newly fail, are mended, or take longer.

use minijinja::{Value, context};

use super::super::previous::{Past, Previous};
use super::super::wording;
use crate::result::{CaseResult, Outcome};

/// How many cases of a kind are named.
const NAMED: usize = 50;
/// What a case must take longer to be told, in milliseconds.
const SLOWER_MS: u64 = 1_000;

/// What changed since the run before.
pub(super) struct Changes {
    previous: Previous,
    failing: List,
    fixed: List,
    slower: List,
    new: usize,
}

/// Cases of a kind, the first of them by name.
#[derive(Default)]
struct List {
    items: Vec<Item>,
    more: usize,
}

struct Item {
    /// The case's number on the page.
    case: usize,
    name: String,
    how: String,
}

impl Changes {
    pub(super) fn since(previous: Previous) -> Self {
        Self { previous, failing: List::default(), fixed: List::default(), slower: List::default(), new: 0 }
    }

    /// Takes note of the case `number` of the page.
    pub(super) fn case(&mut self, case: &CaseResult, number: usize) {
        let Some(past) = self.previous.take(&case.id) else {
            self.new += 1;
            return;
        };
        let how = |before: &str, now: &str| format!("{before} → {now}");
        let outcomes = || how(wording::outcome(past.outcome), wording::outcome(case.outcome));
        match (past.outcome >= Outcome::Failed, case.outcome >= Outcome::Failed) {
            (false, true) => self.failing.push(case, number, outcomes()),
            (true, false) if case.outcome > Outcome::Skipped => self.fixed.push(case, number, outcomes()),
            (false, false) if is_slower(past, case) => {
                let times = how(&wording::duration(past.elapsed_ms), &wording::duration(case.elapsed_ms));
                self.slower.push(case, number, times);
            }
            _ => {}
        }
    }

    /// Returns what the page's template shows of it.
    pub(super) fn told(&self) -> Value {
        context! {
            at => self.previous.at.format("%Y-%m-%d %H:%M:%S").to_string(),
            path => wording::one_line(&self.previous.path.to_string_lossy()).into_owned(),
            failing => self.failing.value(),
            fixed => self.fixed.value(),
            slower => self.slower.value(),
            new => self.new,
            missing => self.previous.left(),
        }
    }
}

impl List {
    fn value(&self) -> Value {
        let item = |item: &Item| context! { case => item.case, name => &item.name, how => &item.how };
        context! { items => self.items.iter().map(item).collect::<Vec<_>>(), more => self.more }
    }

    fn push(&mut self, case: &CaseResult, number: usize, how: String) {
        if self.items.len() < NAMED {
            self.items.push(Item { case: number, name: super::name(case), how });
        } else {
            self.more += 1;
        }
    }
}

/// Tells whether a case that ran both times took more than half as long again.
fn is_slower(past: Past, case: &CaseResult) -> bool {
    let ran = past.outcome > Outcome::Skipped && case.outcome > Outcome::Skipped;
    let longer = case.elapsed_ms.saturating_sub(past.elapsed_ms);
    ran && longer > SLOWER_MS && longer > past.elapsed_ms / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slower_is_half_as_long_again_and_a_second() {
        let slower = |before: u64, now: u64| {
            let past = Past { outcome: Outcome::Passed, elapsed_ms: before };
            let mut case = super::super::super::sample::case("a.yaml", "a", Outcome::Passed);
            case.elapsed_ms = now;
            is_slower(past, &case)
        };
        assert!(slower(2_000, 3_001));
        assert!(!slower(2_000, 3_000));
        assert!(!slower(100, 1_000));
        assert!(!slower(10_000, 14_000));
        assert!(!slower(3_000, 1_000));
    }
}
