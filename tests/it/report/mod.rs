//! What a run leaves: reports, evidence, videos, and no secrets.

mod evidence;
mod formats;
mod formats_of_others;
mod large;
mod playwright_trace;
mod secrets;
mod video;
