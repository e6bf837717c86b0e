//! The last picture of the screen that a case has.

use super::context::StepContext;

/// A picture of the screen that the run has.
#[derive(Clone)]
pub(super) struct LastPicture {
    /// Relative to the report's folder.
    pub(super) path: String,
    /// The step that it was taken at.
    pub(super) step: u32,
    /// The serial of the device that it is of, where the steps around it name one.
    pub(super) device: Option<String>,
    /// Whether nothing was done to the screen since.
    pub(super) is_current: bool,
}

impl LastPicture {
    /// Tells whether it is of the device that steps here go to.
    pub(super) fn is_of(&self, cx: &StepContext<'_>) -> bool {
        self.device.as_deref() == cx.device.map(|device| device.serial)
    }
}
