//! What was saved, and how the cases that it belongs to ended → which of them run again, from where on, and why.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::shape::{Difference, Shape, whole};
use crate::testcase::{TestCase, shown_path};

/// How a testcase ended when it ran last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    /// How many of its cases did not pass.
    pub(super) failed: usize,
    /// The step at which one of them stands, from 0.
    pub(super) stands: Option<usize>,
}

impl State {
    /// Returns the step from which it can go on: nothing else of the testcase may have failed.
    fn step(self) -> Option<usize> {
        self.stands.filter(|_| self.failed == 1)
    }
}

/// What runs of a testcase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// Whether it goes on where it stands; otherwise it runs from its beginning.
    pub(super) goes_on: bool,
    /// For people.
    pub(super) why: String,
}

/// Decides for a testcase of which files were saved; none where nothing that runs is another one.
pub(super) fn of_saved(
    case: &TestCase,
    (before, later): (&Shape, &Shape),
    saved: &BTreeSet<PathBuf>,
    state: State,
) -> Option<Choice> {
    let difference = before.difference(later);
    let what = what_changed(case, saved, later, difference);
    let step = state.step();
    let (goes_on, from) = match (difference, step) {
        (Difference::Nothing, None) => return None,
        (Difference::Config, _) => (false, "from its beginning".to_owned()),
        (Difference::Step(first), Some(failed)) if first < failed => (
            false,
            format!("from its beginning, since step {} stands before step {}, which failed", first + 1, failed + 1),
        ),
        (_, Some(failed)) => (true, format!("from step {} on", failed + 1)),
        (Difference::Step(_), None) => (false, beginning(state)),
    };
    Some(Choice { goes_on, why: format!("{what}: {from}") })
}

/// Decides for a testcase that did not pass, where that is asked for.
pub(super) fn of_failed(case: &TestCase, (before, later): (&Shape, &Shape), state: State) -> Choice {
    let is_as_before = |failed: usize| match before.difference(later) {
        Difference::Nothing => true,
        Difference::Config => false,
        Difference::Step(first) => first >= failed,
    };
    match state.step().filter(|failed| is_as_before(*failed)) {
        Some(failed) => Choice { goes_on: true, why: format!("{}: from step {} on", case.file, failed + 1) },
        None => Choice { goes_on: false, why: format!("{}: {}", case.file, beginning(state)) },
    }
}

fn beginning(state: State) -> String {
    match state {
        State { failed: 1, stands: None } => "from its beginning, since others ran after it".to_owned(),
        State { failed: 0 | 1, .. } => "from its beginning".to_owned(),
        State { failed, .. } => format!("from its beginning, since {failed} of its cases failed"),
    }
}

/// Says what was saved: the testcase itself, or what it uses, and where.
fn what_changed(case: &TestCase, saved: &BTreeSet<PathBuf>, later: &Shape, difference: Difference) -> String {
    let place = match difference {
        Difference::Nothing => None,
        Difference::Config => Some("in its config".to_owned()),
        Difference::Step(step) => Some(format!("at step {}", step + 1)),
    };
    let own = saved.contains(&whole(&case.path));
    let other = saved.iter().find(|file| later.files.contains(*file));
    match (other.filter(|_| !own), place) {
        (None, None) => format!("{} was saved", case.file),
        (None, Some(place)) => format!("{} changed {place}", case.file),
        (Some(file), None) => format!("{} changed, which {} uses", shown(file), case.file),
        (Some(file), Some(place)) => format!("{} changed, which {} uses {place}", shown(file), case.file),
    }
}

fn shown(file: &Path) -> String {
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    file.strip_prefix(here).map_or_else(|_| shown_path(file), |path| path.to_string_lossy().into_owned())
}
