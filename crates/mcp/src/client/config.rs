//! An `mcpServers` file → its servers. Knows nothing of how they are started.
//!
//! The file is that of Claude, Cursor, Cline, Windsurf, VS Code (`servers`) and `HttpRunner` (headers as a list); what else
//! stands in it is other programs' business.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use uixt_schema::nearest;

use super::entry;
use super::expand::LookUp;
use super::jsonc::{self, Entry, Node, Place};
use super::settings::Settings;
use super::variables::Variables;

/// The name that no server may have: it would be taken for this program's own tools.
pub const RESERVED: &str = "uixt";

/// Largest file, in bytes.
const LARGEST: u64 = 16 << 20;

/// Longest name of a server, in bytes.
const LONGEST_NAME: usize = 64;

/// What is wrong at a byte of a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Problem {
    at: usize,
    message: String,
    help: Option<String>,
}

impl Problem {
    pub(super) fn at(at: usize, message: String) -> Self {
        Self { at, message, help: None }
    }

    pub(super) fn with_help(self, help: String) -> Self {
        Self { help: Some(help), ..self }
    }

    fn told(&self, file: &str, text: &str) -> String {
        let Place { line, column } = Place::of(text, self.at);
        let help = self.help.as_ref().map(|help| format!("\n  = {help}")).unwrap_or_default();
        format!("{file}:{line}:{column}: {}{help}", self.message)
    }
}

/// Why a file of servers cannot be used: each thing that is wrong with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ConfigError(Vec<String>);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

/// The servers of a file, by their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// The files that they are from, for errors.
    pub files: Vec<PathBuf>,
    /// The settings, or why a server cannot be started.
    pub(super) servers: BTreeMap<String, Result<Settings, String>>,
    /// What was passed over, with its place.
    pub warnings: Vec<String>,
}

/// Whose file it is, which decides what a relative path is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A project's: its folder.
    Project,
    /// The user's: the working directory.
    User,
}

impl Config {
    /// Reads a file whose `${VAR}` are the environment's.
    pub fn read(path: &Path, owner: Owner) -> Result<Self, ConfigError> {
        Self::read_with(path, owner, &Variables::default())
    }

    /// Reads a file.
    pub fn read_with(path: &Path, owner: Owner, variables: &Variables) -> Result<Self, ConfigError> {
        let wrong = |message: String| ConfigError(vec![format!("{}: {message}", path.display())]);
        let file = std::fs::metadata(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        if file.len() > LARGEST {
            return Err(wrong(format!("is larger than {} MiB", LARGEST >> 20)));
        }
        let text = std::fs::read_to_string(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        let folder = (owner == Owner::Project).then_some(folder.as_path());
        let look_up = |name: &str| variables.look_up(name, owner);
        let mut config = Self::parse(&text, &path.display().to_string(), folder, &look_up)?;
        config.files.push(path.to_path_buf());
        Ok(config)
    }

    fn parse(text: &str, file: &str, folder: Option<&Path>, look_up: LookUp<'_>) -> Result<Self, ConfigError> {
        let told = |problem: &Problem| problem.told(file, text);
        let whole = jsonc::read(text).map_err(|(at, message)| ConfigError(vec![told(&Problem::at(at, message))]))?;
        let (mut problems, mut warnings) = (Vec::new(), Vec::new());
        let mut config = Self::default();
        for server in servers(&whole).map_err(|problem| ConfigError(vec![told(&problem)]))? {
            if let Some(problem) = wrong_name(server) {
                problems.push(problem);
            }
            if let Some(settings) = entry::read(server, folder, look_up, &mut problems, &mut warnings) {
                config.servers.insert(server.key.clone(), settings.map_err(|problem| told(&problem)));
            }
        }
        config.warnings = warnings.iter().map(told).collect();
        if problems.is_empty() { Ok(config) } else { Err(ConfigError(problems.iter().map(told).collect())) }
    }

    /// Makes the settings of one server that stands in no file.
    pub fn of_one(name: impl Into<String>, settings: Settings) -> Self {
        let servers = BTreeMap::from([(name.into(), Ok(settings))]);
        Self { servers, ..Self::default() }
    }

    /// Returns the names of the servers that are not disabled.
    pub fn names(&self) -> Vec<&str> {
        let is_on = |settings: &Result<Settings, String>| !settings.as_ref().is_ok_and(|settings| settings.is_disabled);
        self.servers.iter().filter(|(_, settings)| is_on(settings)).map(|(name, _)| name.as_str()).collect()
    }

    /// Returns the servers that are not started: those that are disabled, and why the others cannot be.
    pub fn not_started(&self) -> Vec<(String, Option<String>)> {
        let why = |settings: &Result<Settings, String>| match settings {
            Ok(settings) => settings.is_disabled.then_some(None),
            Err(why) => Some(Some(why.clone())),
        };
        self.servers.iter().filter_map(|(name, settings)| Some((name.clone(), why(settings)?))).collect()
    }

    /// Checks that a server can be asked for: it is there, is not disabled, and all that it needs is set.
    pub fn check(&self, name: &str) -> Result<(), String> {
        match self.servers.get(name) {
            Some(Ok(settings)) if settings.is_disabled => {
                Err(format!("the server `{name}` is disabled{}", self.where_from()))
            }
            Some(Ok(_)) => Ok(()),
            Some(Err(message)) => Err(message.clone()),
            None => Err(self.unknown(name)),
        }
    }

    pub(super) fn unknown(&self, name: &str) -> String {
        if name == RESERVED {
            return format!(
                "`{RESERVED}` is this program itself and no server of a file: its tools are steps by their own names, and \
                 from the shell `{RESERVED} call` calls them"
            );
        }
        let names = self.names();
        let hint = nearest(name, names.iter().copied()).map(|near| format!(" (did you mean `{near}`?)"));
        let hint = hint.unwrap_or_default();
        match (names.as_slice(), self.files.is_empty()) {
            ([], true) => format!(
                "there is no server `{name}`: no file names any; give one with --mcp-config FILE or `mcp_config_path`"
            ),
            ([], false) => format!("there is no server `{name}`{}, whose `mcpServers` is empty", self.where_from()),
            (names, _) => {
                format!("there is no server `{name}`{hint}{}; valid: {}", self.where_from(), names.join(", "))
            }
        }
    }

    /// Says that the files name no servers at all, or that there is no file.
    pub fn names_none(&self) -> Option<String> {
        match (self.servers.is_empty(), self.files.as_slice()) {
            (false, _) => None,
            (true, []) => Some("no servers: name a file of them with --mcp-config FILE".to_owned()),
            (true, _) => Some(format!("no servers{}: its `mcpServers` is empty", self.where_from())),
        }
    }

    fn where_from(&self) -> String {
        let files: Vec<String> = self.files.iter().map(|file| file.display().to_string()).collect();
        if files.is_empty() { String::new() } else { format!(" in {}", files.join(", ")) }
    }
}

/// Finds the map of servers.
fn servers(whole: &Node) -> Result<&[Entry], Problem> {
    let Some(entries) = whole.map() else {
        return Err(Problem::at(whole.at, format!("the file must be a map with `mcpServers`, not {}", whole.kind())));
    };
    let found =
        whole.get("mcpServers").or_else(|| whole.get("servers")).or_else(|| whole.get("mcp")?.value.get("servers"));
    let Some(entry) = found else {
        let keys = entries.iter().map(|entry| entry.key.as_str());
        let hint = keys.clone().find(|key| nearest(key, ["mcpServers", "servers"]).is_some());
        let at = hint.and_then(|key| whole.get(key)).map_or(whole.at, |entry| entry.at);
        let hint = hint.map(|key| format!(" (is `{key}` meant to be it?)")).unwrap_or_default();
        return Err(Problem::at(at, format!("`mcpServers` is missing{hint}")));
    };
    entry.value.map().ok_or_else(|| {
        Problem::at(entry.value.at, format!("`{}` must be a map of servers, not {}", entry.key, entry.value.kind()))
    })
}

fn wrong_name(entry: &Entry) -> Option<Problem> {
    let name = entry.key.as_str();
    let message = if name == RESERVED {
        format!("`{RESERVED}` is this program's own name: give the server another")
    } else if name.is_empty() || name.len() > LONGEST_NAME {
        format!("a server's name has 1 to {LONGEST_NAME} characters")
    } else if name.contains("__") || name.contains(|c: char| c.is_control()) {
        format!("`{}` cannot be told from a tool's name: leave `__` out of the server's name", name.escape_debug())
    } else {
        return None;
    };
    Some(Problem::at(entry.at, message))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::expand::Found;
    use super::super::settings::{Speaks, Transport};
    use super::*;

    fn parse(text: &str) -> Result<Config, ConfigError> {
        let look_up = |name: &str| (name == "KEY").then(|| Found { value: "s3cret".to_owned(), is_secret: false });
        Config::parse(text, "mcp.json", Some(Path::new("/p")), &look_up)
    }

    fn settings(config: &Config, name: &str) -> Settings {
        config.servers[name].clone().expect("good settings")
    }

    #[test]
    fn secrets_in_plain_text_get_a_warning() {
        let config = parse(
            r#"{"mcpServers": {
                "a": {"command": "x", "env": {"API_KEY": "abc123", "B_TOKEN": "${KEY}", "TOKEN_FILE": "/t", "KEYS": "true", "LEVEL": "info"}},
                "b": {"url": "http://h/", "headers": {"Authorization": "Bearer xyz-987", "X-Other": "1234567"}},
                "c": {"url": "http://h/", "headers": ["X-Api-Key: abcdef", "Accept: x"]},
                "d": {"command": "x", "args": ["--api-key", "sk-123", "--token=ghp_12", "--token-file", "/t", "--key=${KEY}", "sk-9"]},
                "e": {"url": "http://u:pa55word@h/?token=t0kent0k&page=1234567"}}}"#,
        );
        let told = config.expect("good").warnings;
        let wanted = [
            (2, "server `a`: `API_KEY` is a secret in plain text: write ${API_KEY} and set that variable"),
            (3, "server `b`: `Authorization` is a secret in plain text: write ${AUTHORIZATION} and set that variable"),
            (4, "server `c`: `X-Api-Key` is a secret in plain text: write ${X_API_KEY} and set that variable"),
            (5, "server `d`: `api-key` is a secret in plain text: write ${API_KEY} and set that variable"),
            (5, "server `d`: `token` is a secret in plain text: write ${TOKEN} and set that variable"),
            (6, "server `e`: `PASSWORD` is a secret in plain text: write ${PASSWORD} and set that variable"),
            (6, "server `e`: `token` is a secret in plain text: write ${TOKEN} and set that variable"),
        ];
        assert_eq!(told.len(), wanted.len(), "{told:?}");
        for ((line, message), told) in wanted.iter().zip(&told) {
            assert!(told.starts_with(&format!("mcp.json:{line}:")) && told.contains(message), "{told}");
            assert!(
                !["abc123", "xyz-987", "abcdef", "sk-123", "ghp_12", "pa55word", "t0kent0k"]
                    .iter()
                    .any(|secret| told.contains(secret)),
                "{told}"
            );
        }
    }

    #[test]
    fn files_of_other_hosts_are_read() {
        let config = parse(
            r#"{"$schema": "x", "mcpServers": {
                // Claude, Cline
                "a": {"command": "npx", "args": ["-y", "x", 8], "env": {"K": "${KEY}"}, "autoApprove": ["t"], "timeout": 60,},
                // Gemini
                "b": {"httpUrl": "https://h/mcp", "headers": {"Authorization": "Bearer ${KEY}"}, "timeout": 30000, "trust": true},
                // HttpRunner
                "c": {"url": "http://h/sse", "headers": ["X-Key: ${KEY}"], "disabled": true},
                "d": {"type": "sse", "url": "http://h/sse", "startup_timeout_sec": 5},
            }}"#,
        )
        .expect("good");
        let Transport::Program { args, env, cwd, .. } = settings(&config, "a").transport else { panic!("a program") };
        assert_eq!((args, env), (vec!["-y".into(), "x".into(), "8".into()], vec![("K".into(), "s3cret".into())]));
        assert_eq!(cwd.as_deref(), Some(Path::new("/p")));
        assert_eq!(
            (settings(&config, "a").call, settings(&config, "b").call),
            (Duration::from_mins(1), Duration::from_secs(30))
        );
        let Transport::Url { headers, speaks, .. } = settings(&config, "b").transport else { panic!("a URL") };
        assert_eq!((headers["authorization"].to_str().ok(), speaks), (Some("Bearer s3cret"), Speaks::Streamable));
        assert_eq!((headers["authorization"].as_bytes(), speaks), (&b"Bearer s3cret"[..], Speaks::Streamable));
        assert_eq!(settings(&config, "d").startup, Duration::from_secs(5));
        assert_eq!(settings(&config, "b").secrets.masked("s3cret"), crate::secrets::MASK);
        assert_eq!(config.names(), ["a", "b", "d"]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, told) in [
            (
                "{\n \"mcpServers\": {\"a\": {\"comand\": \"x\", \"command\": \"y\"}}}",
                "mcp.json:2:23: server `a`: unknown key `comand` (did you mean `command`?)\n  = valid: command",
            ),
            ("{\"mcpServer\": {}}", "mcp.json:1:2: `mcpServers` is missing (is `mcpServer` meant to be it?)"),
            ("{\"mcpServers\": {\"uixt\": {\"command\": \"x\"}}}", "mcp.json:1:17: `uixt` is this program's own name"),
            ("{\"mcpServers\": {\"a\": {}}}", "neither `command` nor `url`"),
            ("{\"mcpServers\": {\"a\": {\"command\": \"x\", \"url\": \"http://h\"}}}", "both `command` and `url`"),
            ("{\"mcpServers\": {\"a\": {\"url\": \"h\"}}}", "must begin with http://"),
            ("{\"mcpServers\": {\"a\": {\"command\": \"x\", \"timeout\": -1}}}", "above 0"),
            ("{\"mcpServers\": {\"a\": {\"command\": \"x\", \"args\": \"y\"}}}", "must be a list of texts, not a text"),
            ("{\"mcpServers\": {\"a\": {\"url\": \"http://h\", \"headers\": [\"x\"]}}}", "\"Name: value\""),
            ("{\"mcpServers\": {\"a\": {\"command\": \"x\"}", "`,` or `}` is missing"),
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn an_unset_variable_is_told_where_its_server_is_used() {
        let config =
            parse(r#"{"mcpServers": {"a": {"command": "x", "env": {"K": "${NOPE}"}}, "b": {"command": "y"}}}"#);
        let config = config.expect("good");
        assert_eq!(config.check("b"), Ok(()));
        assert!(
            config.check("a").expect_err("unset").contains("mcp.json:1:52: server `a`: the variable NOPE is not set")
        );
        assert!(config.check(RESERVED).expect_err("reserved").contains("`uixt` is this program itself"));
        assert!(config.check("bb").expect_err("unknown").contains("did you mean `b`?"));
    }
}
