//! The contract of a call: a request, its options and its answer, who answers it ([`Caller`]), and a [`Table`] of what tools say of
//! themselves, against which arguments are read, put right and checked.
//!
//! Whoever calls tools, and whoever answers such calls, stands on this. Must not know which tools there are, how they are run, nor the
//! protocol by which a call comes from another process.

use uixt_core::action;
use uixt_core::secrets;
use uixt_driver as driver;
use uixt_locate::wording;

pub mod arguments;
pub mod arrival;
mod batch;
mod call_records;
mod caller;
mod fail_on;
mod fields;
mod kind;
mod lacking;
pub mod mask;
mod message;
mod options;
mod progress;
mod redaction;
pub mod schema;
mod servers;
mod table;
mod then;
mod times;
mod tool;
mod toolset;
pub mod unsupported;

pub use batch::BATCH;
pub use call_records::{CallRecord, Observation, RECORDS};
pub use caller::{Boxed, Call, Caller, Carried, SLOW, ScreenshotStore};
pub use fail_on::fails_by;
pub use fields::{CAUSE, EVIDENCE, PAGE_ERRORS, SECRETS, TRUNCATED};
pub use kind::{Aim, Bound, ToolKind};
pub use lacking::{Lacking, for_pages};
pub use message::{CallToolRequest, CallToolResult, Content, META, ResourceLink, ToolDefinition};
pub use options::{CallOptions, TOUCH_SERVER, Wanted, WrittenGoal, meaningless};
pub use progress::{Advance, Progress};
pub use redaction::Redaction;
pub use schema::Schema;
pub use servers::Servers;
pub use table::{PREFIX, Table};
pub use then::{DIFF, take_then};
pub use times::{CallTimes, Waiting};
pub use tool::{Exposure, Shape, ToolRow};
pub use toolset::{CORE, Toolset};
