//! What is done on a device call by call, from the shell.

pub(super) mod call;
mod record;
mod repl;
mod session;

pub(super) use self::call::Call;
pub(super) use self::record::Record;
pub(super) use self::repl::Repl;
pub(super) use self::session::SessionCommand;
