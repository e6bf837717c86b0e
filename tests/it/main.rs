//! The integration tests, in one binary: they drive the real program and its real counterparts.

mod borders;
mod samples;
mod support;
