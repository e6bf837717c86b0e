//! Runs testcases: which, on what, with what before and after, beside which other machines.

mod command;
mod device_lock;
mod failed;
mod lacking;
pub(super) mod model_limits;
pub(super) mod named_devices;
pub(super) mod outcomes;
pub(super) mod plan;
pub(super) mod pool;
mod queue;
mod replaced;
pub(super) mod run_hooks;
mod selection;
mod shard;
mod shared_queue;
pub(super) mod sites;
mod watch;

pub(super) use self::command::{Run, results_folder};
pub(super) use self::queue::{QueueCommand, reach};
