//! What the phone refuses.

/// Why the phone did not do it, in Android's own words where it has any.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);
