//! A call that failed → what the device, its apps and its pages tell of the cause.

pub(crate) mod aftermath;
mod app_trouble;
pub mod evidence;
pub(crate) mod fail_on;
pub mod failure_cause;
pub(crate) mod log_clock;
