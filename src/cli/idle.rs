//! Testcases → what is to be said of their steps that are for load tests only, and do nothing here.

use crate::testcase::{Body, Step, TestCase};

/// Returns a warning for each such step of a case and of those that it refers to.
pub(super) fn warnings(case: &TestCase) -> Vec<String> {
    let mut warnings = Vec::new();
    for case in case.cases() {
        visit(&case.steps, &mut |step, reason| {
            warnings.push(format!("{}:{}:{}: {reason}", case.file, step.place.line, step.place.column));
        });
    }
    warnings.sort();
    warnings.dedup();
    warnings
}

fn visit(steps: &[Step], see: &mut dyn FnMut(&Step, &str)) {
    for step in steps {
        match &step.body {
            Body::Nothing(reason) if reason.contains("load tests only") => see(step, reason),
            Body::Group(steps) => visit(steps, see),
            Body::Choice { then, otherwise, .. } => {
                visit(then, see);
                visit(otherwise, see);
            }
            _ => {}
        }
    }
}
