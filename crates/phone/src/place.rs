//! Where the values of an app's fields lie: what a tap, a dialog and an edit mean by a field.

use crate::instance::FieldType;

/// Where a field's value lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) instance: String,
    /// `state.params.user`.
    pub(super) path: String,
    pub(super) kind: FieldType,
}
