//! Testcases and a caller → events: suites, cases, steps, attempts. A run never returns an error: what goes wrong is a result.

pub mod journal;
