//! Servers and tools → their definitions: those that are shipped, and those of a file.

use std::path::Path;
use std::sync::LazyLock;

use super::complaint::Complaint;
use super::definition::Definition;
use super::nearest::nearest;
use super::text::Call;
use super::{Object, yaml};

/// The files that are shipped, each named after its server.
const FILES: [(&str, &str); 4] = [
    ("microsandbox", include_str!("definitions/microsandbox.yaml")),
    ("browser_use", include_str!("definitions/browser_use.yaml")),
    ("deepsearch", include_str!("definitions/deepsearch.yaml")),
    ("mcp-search-tool", include_str!("definitions/mcp-search-tool.yaml")),
];

/// Why a file of definitions is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(String);

/// Tools of servers, by both names.
#[derive(Clone, Debug, Default)]
pub struct Definitions(Vec<(String, Definition)>);

impl Definitions {
    /// Returns the definitions that are shipped, read at the first use.
    pub fn shipped() -> &'static Self {
        static SHIPPED: LazyLock<Definitions> = LazyLock::new(|| {
            let read = |(server, text): &(&str, &str)| {
                Definitions::from_yaml(server, text).expect("shipped files are tested").0
            };
            Definitions(FILES.iter().flat_map(read).collect())
        });
        &SHIPPED
    }

    /// Reads the tools of a server from a YAML text: `tool: {description, parameters: {name: {type, required, default, description,
    /// aliases}}}`.
    pub fn from_yaml(server: &str, text: &str) -> Result<Self, Malformed> {
        let tools = yaml::read(text).map_err(Malformed)?;
        Ok(Self(tools.into_iter().map(|tool| (server.to_owned(), tool)).collect()))
    }

    /// Reads a file that is named after its server.
    pub fn from_file(path: &Path) -> Result<Self, Malformed> {
        let wrong = |message: String| Malformed(format!("{}: {message}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let server = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Self::from_yaml(&server, &text).map_err(|Malformed(message)| wrong(message))
    }

    /// Adds definitions; of two for one tool the later counts.
    #[must_use]
    pub fn with(mut self, others: Self) -> Self {
        self.0.retain(|(server, tool)| others.find(server, &tool.name).is_none());
        self.0.extend(others.0);
        self
    }

    /// Adds one tool of a server, in the place of the one that there was.
    #[must_use]
    pub fn with_tool(self, server: &str, tool: Definition) -> Self {
        self.with(Self(vec![(server.to_owned(), tool)]))
    }

    pub fn find(&self, server: &str, tool: &str) -> Option<&Definition> {
        self.0.iter().find(|(of, known)| of == server && known.name == tool).map(|(_, known)| known)
    }

    /// Returns the tools of a server, in their order.
    pub fn of(&self, server: &str) -> impl Iterator<Item = &Definition> {
        self.0.iter().filter(move |(of, _)| of == server).map(|(_, tool)| tool)
    }

    /// Returns the servers' names, each once.
    pub fn servers(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.0.iter().map(|(server, _)| server.as_str()).collect();
        names.dedup();
        names
    }

    /// Tells whether a name is one of a server or a tool.
    pub fn names(&self, name: &str) -> bool {
        self.0.iter().any(|(server, tool)| server == name || tool.name == name)
    }

    /// Checks a call against the definition of its tool; a server or a tool that is not known is refused, too.
    pub fn check(&self, call: &Call) -> Result<Object, Complaint> {
        match self.find(&call.server, &call.tool) {
            Some(tool) => tool.check(call.arguments.clone()),
            None => Err(Complaint::whole(&call.tool, self.unknown(&call.server, &call.tool))),
        }
    }

    /// Says what is not known, and what was probably meant.
    fn unknown(&self, server: &str, tool: &str) -> String {
        let servers = self.servers();
        if !servers.contains(&server) {
            return format!("unknown server `{server}`{}; valid: {}", hint(server, &servers), servers.join(", "));
        }
        let tools: Vec<&str> = self.of(server).map(|tool| tool.name.as_str()).collect();
        let elsewhere =
            self.0.iter().find(|(_, known)| known.name == tool).map(|(server, _)| format!("; `{server}` has one"));
        let hint = elsewhere.unwrap_or_else(|| hint(tool, &tools));
        format!("unknown tool `{tool}` of `{server}`{hint}; valid: {}", tools.join(", "))
    }
}

fn hint(name: &str, valid: &[&str]) -> String {
    nearest(name, valid.iter().copied()).map(|near| format!(", did you mean `{near}`?")).unwrap_or_default()
}
