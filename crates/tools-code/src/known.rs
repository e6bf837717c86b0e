//! What a session is told of what is around it: which tools are shown, and which servers and lists of servers the user has.

use std::path::PathBuf;
use std::sync::Arc;

/// A server of the user's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownServer {
    pub name: String,
    /// The file that names it.
    pub file: PathBuf,
    /// Whether its tools are offered beside the own ones.
    pub is_shown: bool,
}

type Servers = Arc<dyn Fn() -> Vec<KnownServer> + Send + Sync>;

/// What is around a session; by default every tool is shown, and no server known.
#[derive(Clone, Default)]
pub struct Surroundings {
    /// The tools that are listed; all where nothing is said.
    listed: Option<Vec<String>>,
    /// Asked only by a call that wants to know.
    servers: Option<Servers>,
    /// A saved copy of the list of a registry.
    registry: Option<PathBuf>,
}

impl Surroundings {
    /// Says which tools are listed.
    #[must_use]
    pub fn listing(self, names: Vec<String>) -> Self {
        Self { listed: Some(names), ..self }
    }

    /// Says how the user's servers are found.
    #[must_use]
    pub fn knowing(self, servers: impl Fn() -> Vec<KnownServer> + Send + Sync + 'static) -> Self {
        Self { servers: Some(Arc::new(servers)), ..self }
    }

    /// Names the saved list of a registry.
    #[must_use]
    pub fn with_registry(self, file: Option<PathBuf>) -> Self {
        Self { registry: file, ..self }
    }

    pub(crate) fn is_on(&self, tool: &str) -> bool {
        self.listed.as_ref().is_none_or(|names| names.iter().any(|name| name == tool))
    }

    pub(crate) fn servers(&self) -> Vec<KnownServer> {
        self.servers.as_ref().map(|servers| servers()).unwrap_or_default()
    }

    pub(crate) fn registry(&self) -> Option<&PathBuf> {
        self.registry.as_ref()
    }
}
