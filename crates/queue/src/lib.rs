//! Ids of cases that several hosts share through one Redis, or Valkey → a lease for each, held by one host at a time.
//!
//! Knows ids and bytes only. All that a step of it reads and writes happens in one script, so that nothing comes between. A host that
//! does not renew its leases loses them; a case is given out twice at the most.

#[cfg(not(feature = "redis"))]
mod absent;
mod address;
#[cfg(feature = "redis")]
mod client;

#[cfg(not(feature = "redis"))]
pub use absent::Queue;
pub use address::Address;
#[cfg(feature = "redis")]
pub use client::Queue;

/// Why a queue cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The program was built without a client.
    #[error("this build has no queues: no client of Redis is in it, build with the feature `queue`")]
    Absent,
    /// What is said of an address.
    #[error("{0}")]
    Address(String),
    #[error("the queue at {at}: {why}")]
    Server { at: String, why: String },
    #[error(
        "the queue {name} holds other cases ({theirs}; here {ours}): give all machines the same testcases and the same options that select them, or name another queue"
    )]
    Other { name: String, theirs: String, ours: String },
    #[error("the server of the queue has lost it")]
    Gone,
    #[error("the queue was begun anew, and does not know what this host has done")]
    Anew,
}

/// A case as it is put into a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub id: String,
    /// Which hosts may take it: those that ask for this lane.
    pub lane: String,
    /// What no two cases have at the same time.
    pub locks: Vec<String>,
}

/// What a host is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    Case {
        id: String,
        /// The host that had it and did not come back.
        before: Option<String>,
    },
    /// A case that was given out as often as may be, and whose hosts did not come back. It is this host's to tell of.
    Lost { id: String, hosts: String },
    /// Something may come back yet.
    Wait,
    /// Nothing is left in the lanes that were asked for; so many cases are in others.
    Over { others: u64 },
}

/// How far a queue is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    pub digest: String,
    pub cases: u64,
    /// Cases that wait, by their lanes.
    pub waiting: Vec<(String, u64)>,
    /// Cases that are being run, and the hosts that have them.
    pub leased: Vec<(String, String)>,
    /// How many ended how.
    pub done: Vec<(String, u64)>,
}
