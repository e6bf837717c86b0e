//! Testcases as files: loaded, checked, written, mended.

mod check;
pub(super) mod convert;
pub(super) mod fix;
pub(super) mod goals;
mod init;
pub(super) mod lints;
pub(super) mod loading;
pub(super) mod messages;
pub(super) mod requires;
mod schema;
pub(super) mod snapshots;
mod tool_vocabulary;
pub(super) mod variables;

pub(super) use self::check::Check;
pub(super) use self::convert::Convert;
pub(super) use self::fix::Fix;
pub(super) use self::init::Init;
pub(super) use self::schema::Schema;
pub(super) use self::snapshots::Snapshots;
pub use self::tool_vocabulary::vocabulary;
