//! Texts on pictures, and the models that read them.

#[cfg(not(feature = "ocr"))]
mod absent_models;
mod command;
#[cfg(feature = "ocr")]
mod models;

use uixt_toolkit::pixels::ocr_engines;

#[cfg(not(feature = "ocr"))]
pub(super) use self::absent_models::Models;
pub(super) use self::command::Ocr;
#[cfg(feature = "ocr")]
pub(super) use self::models::Models;
use crate::tools;

/// Says why texts in pictures cannot be read; none where they can.
pub(super) fn unmet() -> Option<String> {
    ocr_engines::unmet(tools::engines().text_models)
}
