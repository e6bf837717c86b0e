//! A code in Python → what it printed and gave, from a process that reaches no file, no network and no process of the host.
//!
//! ```text
//! Sessions ──► Session ──► this program again ([`enter`]) ──► walls ──► Python, which runs the driver
//!                 │ code ──────────── a socket ───────────────────────────► │
//!                 │ ◄──────────────── result ────────────────────────────── │
//!                 └ ◄──── what is printed, from two pipes ──────────────────┘
//! ```
//!
//! The walls are put up by the process itself before it becomes Python: Landlock, a list of system calls, limits, an empty environment;
//! bubblewrap around it where that works. Where nothing confines, nothing runs. Knows nothing of tools.

mod answer;
mod bubblewrap;
mod capture;
mod error;
mod folder;
mod frame;
mod health;
mod packages;
mod process;
mod process_tree;
mod python;
mod session;
mod sessions;
mod spawner;
mod stage;
mod stats;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod walls;
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[path = "no_walls.rs"]
mod walls;

pub use answer::{Answer, Code, Raised};
pub use error::{Ended, Error};
pub use health::{Health, Status};
pub use packages::{Installed, Package};
pub use sessions::{Described, Sessions};
pub use stage::{enter, set_program};
pub use stats::Stats;

/// Seconds that a code may take where nothing is said.
pub const TIMEOUT: u64 = 30;
/// The most seconds that a code may be given.
pub const MOST_SECONDS: u64 = 300;
/// Seconds without a call after which a session ends.
pub const IDLE: u64 = 3600;
/// The most sessions at a time.
pub const MOST_SESSIONS: usize = 64;
/// The most bytes of a file that is put in or given back.
pub const MOST_FILE: usize = 1 << 20;
/// The most files that a call puts in, and as many that it gives back.
pub const MOST_FILES: usize = 16;
