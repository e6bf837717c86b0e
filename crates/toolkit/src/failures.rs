//! A call that failed → what the device, its apps and its pages tell of the cause.

pub mod aftermath;
mod app_trouble;
pub mod evidence;
pub mod fail_on;
pub mod failure_cause;
pub mod log_clock;
