//! What an app is made of, as it is installed.

use std::net::SocketAddr;

use super::live::LivePage;

/// An app, as it is installed.
#[derive(Clone, Debug)]
pub struct AppDefinition {
    pub package: &'static str,
    /// `.MainActivity`, as `am start -n` takes it.
    pub activity: &'static str,
    /// What the launcher shows.
    pub label: &'static str,
    /// Whether the user installed it, rather than the maker.
    pub third_party: bool,
    /// Permissions that it asks for when it is opened for the first time.
    pub permissions: &'static [&'static str],
    /// The instance that is shown first.
    pub first_instance: &'static str,
    /// Its pages: texts that `Instance::from_json` reads.
    pub instances: Vec<&'static str>,
    /// Its pages that no file could hold.
    pub live: &'static [LivePage],
    /// The sidecar that holds lateness, motion and faults; JSON.
    pub late: Option<&'static str>,
    pub backend: Option<BackendKind>,
}

/// Which server an app talks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackendKind {
    /// The shop's own [`Backend`](super::shop::Backend), which the shop's pages call [`HOST`](super::shop::HOST).
    Shop,
    /// A server that somebody else runs, by the name that the pages call it.
    At(&'static str, SocketAddr),
}
