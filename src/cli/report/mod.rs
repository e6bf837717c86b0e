//! What a run left → reports, traces and the history of a project.

mod command;
mod history;
mod merging;
mod trace;

pub(super) use self::command::Report;
pub(super) use self::command::Reports;
pub(super) use self::command::paths;
pub(super) use self::command::rebuild;
pub(super) use self::history::History;
pub(super) use self::trace::Trace;
