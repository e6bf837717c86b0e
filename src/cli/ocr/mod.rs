//! Texts on pictures, and the models that read them.

mod command;
#[cfg_attr(not(feature = "ocr"), path = "absent_models.rs")]
mod models;

use uixt_toolkit::pixels::ocr_engines;

pub(super) use self::command::Ocr;
pub(super) use self::models::Models;
use crate::tools;

/// Says why texts in pictures cannot be read; none where they can.
pub(super) fn unmet() -> Option<String> {
    ocr_engines::unmet(tools::engines().text_models)
}
