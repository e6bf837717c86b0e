//! `uixt studio`: the page where people see a device, point at it, record, try and run.

mod command;
mod history;
mod workshop;

pub(super) use self::command::StudioCommand;
