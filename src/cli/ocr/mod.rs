//! Texts on pictures, and the models that read them.

mod command;
pub(super) mod models;

pub(super) use self::command::Ocr;
pub(super) use self::models::Models;
