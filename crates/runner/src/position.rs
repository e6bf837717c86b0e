//! An action's place: where it stands in the run, and what it is there for.

use std::time::Instant;

use crate::testcase::{Check, Step};

/// Where an action stands in the run.
#[derive(Clone, Copy)]
pub(super) struct Position<'a> {
    pub(super) step: &'a Step,
    pub(super) number: u32,
    pub(super) attempt: u32,
    /// When the step began.
    pub(super) began: Instant,
}

/// What an action is there for.
#[derive(Clone, Copy)]
pub(super) enum Purpose<'a> {
    /// Part of the body; after the last one, the step keeps what it asks for.
    Body { is_last: bool },
    /// Something that must hold.
    Check(&'a Check),
    /// Closes pop-ups, takes a picture: its answer is of no interest to what follows.
    Beside,
}
