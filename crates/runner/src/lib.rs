//! Testcases and callers → events: cases, steps, attempts, actions.
//!
//! A run never returns an error of a test: what goes wrong is a result. Only a journal that cannot be written ends it early.
//! Knows neither devices nor reports: whoever starts it hands it a [`Caller`](uixt_call::Caller) per case and observers of its events.

use uixt_core::functions;
use uixt_core::query;
use uixt_core::result;
use uixt_core::secrets;
use uixt_testcase as testcase;

mod action;
mod address;
mod after_last_act;
mod case;
pub mod case_id;
mod check;
mod clock;
mod compound;
mod context;
mod done;
mod early;
mod entry;
mod evaluation;
mod evidence;
mod extraction;
mod hooks;
pub mod journal;
mod last_act;
mod last_picture;
mod mask;
mod naming;
mod options;
mod own_tool;
mod paused_case;
mod phases;
mod picture;
mod plain_step;
mod plan;
mod pool;
mod position;
mod project_batch;
mod project_tools;
mod queue;
mod referenced;
mod repeat;
mod request;
mod resumed_case;
mod retry;
pub mod segments;
mod shard;
mod shared_queue;
mod sink;
mod step;
mod stepwise;
mod suite;
#[cfg(test)]
mod tests;
mod unit;
mod video;
mod worker;
mod written_secret;

use std::io;

use tokio_util::sync::CancellationToken;
use uixt_call::Boxed;

use self::clock::milliseconds;

pub use case::QUARANTINE;
pub use options::{Keep, Options, RerunSelection, Screenshots, Sharding};
pub use own_tool::refused as refused_arguments;
pub use paused_case::{PausedCase, PausedCaseSlot};
pub use plan::{Ended, HookPoint, Plan, Planned, Refusal};
pub use project_tools::{ProjectTools, ToolSource};
pub use resumed_case::leave;
pub use shared_queue::{Next, QueueItem, SharedQueue};
pub use sink::{Observer, Sink};
pub use stepwise::Stepwise;
pub use suite::may_select;
pub use unit::all_shares;
pub use worker::{CallerFactory, CaseRuntime, Deviceless, Ready, Worker};

/// Runs everything. Cancelling `stop` ends it: the call in flight may finish within 1.5 s, teardown included.
pub fn run(plan: Plan, options: Options, sink: Sink, stop: CancellationToken) -> Boxed<'static, io::Result<Ended>> {
    // In a box, it is compiled here, and not in the crate that waits for it.
    Box::pin(pool::run(plan, options, sink, stop))
}
