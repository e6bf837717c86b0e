//! What went wrong beside a call → its failure, where the testcase says that it fails by that.

use uixt_core::fail_on::FailOn;
use uixt_locate::{Error, Kind};

/// Returns the failure that a fault is; none where nobody fails by it.
pub fn fails_by(wanted: &[FailOn], fault: &str) -> Option<Error> {
    let kind = wanted.iter().find(|kind| kind.holds(fault))?;
    let message = format!("{fault}; `fail_on: {}` fails the case", kind.word());
    Some(Error::new(Kind::Assertion, message).with("code", "FAIL_ON"))
}
