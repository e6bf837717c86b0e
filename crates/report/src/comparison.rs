//! A failure → the pictures that it compares: what was expected, what was seen, and the difference.

use crate::result::{ActionResult, Failure};

/// What the pictures are called, in the order in which they are shown.
const PARTS: [&str; 3] = ["expected", "actual", "difference"];

/// The field of a failure's details that names them.
pub(super) const FIELD: &str = "comparison";

/// Returns the pictures that a failure compares, each with what it is called; none of any other.
pub(super) fn of(error: &Failure) -> Vec<(&'static str, &str)> {
    let named = error.details.as_ref().and_then(|details| details.get(FIELD));
    let path = |part: &'static str| Some((part, named?.get(part)?.as_str()?));
    PARTS.into_iter().filter_map(path).collect()
}

/// Returns every picture that an action left.
pub(super) fn pictures(action: &ActionResult) -> Vec<&str> {
    let compared = action.error.as_deref().into_iter().flat_map(of).map(|(_, path)| path);
    compared.chain(action.screenshot.as_deref()).collect()
}
