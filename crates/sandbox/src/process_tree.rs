//! A process → those that it started, and those that they started: around a Python there may be bubblewrap.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

/// Returns a process and all below it.
pub(crate) fn of(pid: u32) -> Vec<u32> {
    let (mut found, mut next) = (vec![pid], 0);
    while let Some(pid) = found.get(next) {
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        found.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        next += 1;
    }
    found
}

/// Sends a signal to a process and all below it.
pub(crate) fn signal(pid: u32, signal: Signal) {
    let pids = of(pid).into_iter().filter_map(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
    // Whoever has ended meanwhile needs none.
    pids.for_each(|pid| _ = kill_process(pid, signal));
}
