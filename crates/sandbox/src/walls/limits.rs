//! What a process may use up: limits of the system, which it can lower and never raise.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The most memory of a session, in bytes of its addresses.
pub(crate) const MEMORY: u64 = 512 << 20;
/// The largest file of a session, in bytes.
pub(crate) const FILE: u64 = 64 << 20;

/// Limits the Python of a session.
pub(super) fn of_python() -> Result<(), String> {
    set(&[
        (Resource::As, MEMORY),
        (Resource::Fsize, FILE),
        (Resource::Nofile, 64),
        (Resource::Core, 0),
        // Of all its calls together, in seconds; each has its own time-out.
        (Resource::Cpu, 3600),
        (Resource::Stack, 8 << 20),
        (Resource::Memlock, 0),
        (Resource::Msgqueue, 0),
        (Resource::Sigpending, 64),
        (Resource::Rtprio, 0),
        (Resource::Nice, 0),
    ])
}

/// Limits what installs packages.
pub(super) fn of_packages() -> Result<(), String> {
    set(&[(Resource::Fsize, 1 << 30), (Resource::Core, 0), (Resource::Cpu, 600)])
}

fn set(limits: &[(Resource, u64)]) -> Result<(), String> {
    limits.iter().try_for_each(|(resource, most)| {
        // What is less already stays so.
        let most = getrlimit(*resource).maximum.map_or(*most, |there| there.min(*most));
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        setrlimit(*resource, limit).map_err(|error| format!("a limit ({resource:?}) cannot be set: {error}"))
    })
}
