//! UI instances: their page, what shows them on the virtual phone and in chats, and a run as one of them.

mod command;
pub(super) mod dashboard;
pub(super) mod instances;
pub(super) mod view;

pub(super) use self::command::UiCommand;
