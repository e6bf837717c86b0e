//! `uixt run` as a whole: exit codes, several devices, queues, runs that are watched, killed or cut off.

mod exit_codes;
mod history;
mod journal;
mod leftovers;
mod parallel;
mod queue;
mod queue_trouble;
mod trouble_from_outside;
mod watch;
