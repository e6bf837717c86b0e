//! Servers and tools → their definitions: those that are shipped, and those of a file.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use uixt_schema::nearest;

use super::definition::Definition;
use super::json::shown;
use super::problem::Problem;
use super::text::Call;
use super::{LARGEST, Object, yaml};

/// The files that are shipped, each named after its server.
const FILES: [(&str, &str); 4] = [
    ("microsandbox", include_str!("definitions/microsandbox.yaml")),
    ("browser_use", include_str!("definitions/browser_use.yaml")),
    ("deepsearch", include_str!("definitions/deepsearch.yaml")),
    ("mcp-search-tool", include_str!("definitions/mcp-search-tool.yaml")),
];

/// Why a text of definitions is not one, and where, in lines and characters counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct Malformed {
    pub line: u64,
    pub column: u64,
    pub message: String,
}

/// Why a file of definitions cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    pub path: PathBuf,
    /// Line and column, counted from 1; none where the file as a whole is meant.
    pub place: Option<(u64, u64)>,
    pub message: String,
}

impl std::error::Error for Unusable {}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path.display())?;
        self.place.map_or(Ok(()), |(line, column)| write!(f, "{line}:{column}:"))?;
        write!(f, " {}", self.message)
    }
}

impl Unusable {
    fn whole(path: &Path, message: impl Into<String>) -> Self {
        Self { path: path.to_path_buf(), place: None, message: message.into() }
    }
}

impl Malformed {
    /// Says what it is about.
    pub(super) fn within(self, name: &str) -> Self {
        Self { message: format!("{}: {}", shown(name), self.message), ..self }
    }
}

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
        let tools = yaml::read(text)?;
        Ok(Self(tools.into_iter().map(|tool| (server.to_owned(), tool)).collect()))
    }

    /// Reads a file that is named after its server, or those of a folder, `.yaml` and `.yml`.
    pub fn from_path(path: &Path) -> Result<Self, Unusable> {
        let wrong = |error: std::io::Error| Unusable::whole(path, format!("cannot be read: {error}"));
        if !std::fs::metadata(path).map_err(wrong)?.is_dir() {
            return Self::from_file(path);
        }
        let entries: Result<Vec<_>, _> = std::fs::read_dir(path).map_err(wrong)?.collect();
        let mut files: Vec<_> = entries.map_err(wrong)?.into_iter().map(|entry| entry.path()).collect();
        let is_yaml = |path: &Path| path.extension().is_some_and(|end| end == "yaml" || end == "yml");
        files.retain(|path| is_yaml(path) && path.is_file());
        files.sort();
        if files.is_empty() {
            return Err(Unusable::whole(path, "there is no file of definitions (SERVER.yaml) in this folder"));
        }
        files.iter().try_fold(Self::default(), |all, file| Ok(all.with(Self::from_file(file)?)))
    }

    fn from_file(path: &Path) -> Result<Self, Unusable> {
        let wrong = |error: std::io::Error| Unusable::whole(path, format!("cannot be read: {error}"));
        if std::fs::metadata(path).map_err(wrong)?.len() > LARGEST as u64 {
            return Err(Unusable::whole(path, format!("is larger than {} MiB", LARGEST >> 20)));
        }
        let text = std::fs::read_to_string(path).map_err(wrong)?;
        let server = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Self::from_yaml(&server, &text).map_err(|Malformed { line, column, message }| Unusable {
            place: Some((line, column)),
            ..Unusable::whole(path, message)
        })
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
    pub fn check(&self, call: &Call) -> Result<Object, Problem> {
        match self.find(&call.server, &call.tool) {
            Some(tool) => tool.check(call.arguments.clone()),
            None => Err(Problem::whole(&call.tool, self.unknown(&call.server, &call.tool))),
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
