//! The integration tests, in one binary: they drive the real program and its real counterparts.

mod borders;
mod readme;
mod samples;
mod support;
