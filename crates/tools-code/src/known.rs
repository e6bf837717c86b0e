//! What a session is told of what is around it: which tools are shown, which the project has made, and which servers and lists of
//! servers the user has.

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

/// A tool that the project made of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnTool {
    pub name: String,
    pub description: String,
    /// Its parameters, with what they are for.
    pub details: String,
    /// Whether agents are offered it.
    pub for_agents: bool,
}

type OwnTools = Arc<dyn Fn() -> Vec<OwnTool> + Send + Sync>;
type Servers = Arc<dyn Fn() -> Vec<KnownServer> + Send + Sync>;

/// What is around a session; by default every tool is shown, and no server known.
#[derive(Clone, Default)]
pub struct Surroundings {
    /// The tools that are listed; all where nothing is said.
    listed: Option<Vec<String>>,
    /// Asked only by a call that wants to know.
    own: Option<OwnTools>,
    /// Asked only by a call that wants to know, too.
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

    /// Says how the tools of the project are found.
    #[must_use]
    pub fn having(self, tools: impl Fn() -> Vec<OwnTool> + Send + Sync + 'static) -> Self {
        Self { own: Some(Arc::new(tools)), ..self }
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

    /// Returns the tools of the project; for an agent those that it is offered.
    pub(crate) fn own(&self, for_agent: bool) -> Vec<OwnTool> {
        let mut tools = self.own.as_ref().map(|tools| tools()).unwrap_or_default();
        tools.retain(|tool| tool.for_agents || !for_agent);
        tools
    }

    pub(crate) fn servers(&self) -> Vec<KnownServer> {
        self.servers.as_ref().map(|servers| servers()).unwrap_or_default()
    }

    pub(crate) fn registry(&self) -> Option<&PathBuf> {
        self.registry.as_ref()
    }
}
