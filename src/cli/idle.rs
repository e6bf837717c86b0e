//! Testcases → what is to be said of their steps that are accepted and do nothing, though nobody wished that.

use crate::testcase::{Body, TestCase};

/// Returns a warning for each such step of a case and of those that it refers to.
pub(super) fn warnings(case: &TestCase) -> Vec<String> {
    let mut warnings = Vec::new();
    case.each_step_with_case(&mut |case, step| {
        if let Body::Nothing { reason, is_wished: false } = &step.body {
            warnings.push(format!("{}:{}:{}: {reason}", case.file, step.place.line, step.place.column));
        }
    });
    warnings.sort();
    warnings.dedup();
    warnings
}
