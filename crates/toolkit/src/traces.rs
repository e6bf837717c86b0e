//! What calls leave behind for those that follow, and for whoever looks on.

pub mod call_trace;
pub mod last_acts;
pub mod last_touch;
pub mod seen_apps;
pub mod typed_text;
