//! One server of an `mcpServers` file: how to reach it, and how long to wait for it. Knows nothing of how files write that.

use std::path::PathBuf;
use std::time::Duration;

use reqwest::header::HeaderMap;

use super::secrets::Hidden;

/// How long a server may take to start, and a call, where nothing else is said.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);

/// How a server is reached.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Transport {
    /// A program that is started, and spoken to by its standard input and output.
    Program { command: String, args: Vec<String>, env: Vec<(String, String)>, cwd: Option<PathBuf> },
    /// A server that runs.
    Url { url: String, headers: HeaderMap, speaks: Speaks },
}

/// What a server that runs speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaks {
    /// Streamable HTTP, or else the HTTP with SSE of 2024.
    Either,
    Streamable,
    Sse,
}

/// What is answered to a server that asks the user something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Elicitation {
    /// No: nobody is there to ask.
    #[default]
    Decline,
    /// The defaults of what it asks for.
    Defaults,
}

/// One server.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub(super) transport: Transport,
    pub(super) startup: Duration,
    pub(super) call: Duration,
    pub(super) is_disabled: bool,
    pub(super) elicitation: Elicitation,
    /// The only tools that there are; all where there are none.
    pub(super) included: Vec<String>,
    pub(super) excluded: Vec<String>,
    pub(super) secrets: Hidden,
}

impl Settings {
    pub(super) fn of(transport: Transport) -> Self {
        Self {
            transport,
            startup: TIMEOUT,
            call: TIMEOUT,
            is_disabled: false,
            elicitation: Elicitation::default(),
            included: Vec::new(),
            excluded: Vec::new(),
            secrets: Hidden::default(),
        }
    }

    /// Makes the settings of a server that runs at a URL.
    pub fn at_url(url: impl Into<String>) -> Self {
        Self::of(Transport::Url { url: url.into(), headers: HeaderMap::new(), speaks: Speaks::Either })
    }

    #[must_use]
    pub fn answering(self, elicitation: Elicitation) -> Self {
        Self { elicitation, ..self }
    }

    /// Tells whether a tool may be listed and called.
    pub(super) fn offers(&self, tool: &str) -> bool {
        let names = |list: &[String]| list.iter().any(|name| name == tool);
        (self.included.is_empty() || names(&self.included)) && !names(&self.excluded)
    }
}
