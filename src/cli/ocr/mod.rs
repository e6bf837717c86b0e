//! Texts on pictures, and the models that read them.

mod command;
mod models;

pub(super) use self::command::Ocr;
pub(super) use self::models::Models;
