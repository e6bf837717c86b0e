//! A failure → the files that were kept of it, as the journal names them.

use serde_json::{Map, Value};

use crate::result::{ActionResult, Failure};

/// The field of a failure's details that names them.
pub(super) const FIELD: &str = "evidence";

/// Returns the paths of what was kept of a failure, by what they are.
pub(super) fn of(error: &Failure) -> Option<&Map<String, Value>> {
    error.details.as_ref()?.get(FIELD)?.as_object()
}

/// Returns the paths of what was kept of an action that failed.
pub(super) fn of_action(action: &ActionResult) -> Option<&Map<String, Value>> {
    of(action.error.as_ref()?)
}

/// Returns the last picture before a failure, and the step that it was taken at.
pub(super) fn before(error: &Failure) -> Option<(&str, u32)> {
    let kept = of(error)?;
    Some((kept.get("before_picture")?.as_str()?, u32::try_from(kept.get("before_step")?.as_u64()?).ok()?))
}
