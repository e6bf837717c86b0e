//! The last picture of the screen that a case has.

/// A picture of the screen that the run has.
#[derive(Clone)]
pub(super) struct LastPicture {
    /// Relative to the report's folder.
    pub(super) path: String,
    /// The step that it was taken at.
    pub(super) step: u32,
    /// Whether nothing was done to the screen since.
    pub(super) is_current: bool,
}
