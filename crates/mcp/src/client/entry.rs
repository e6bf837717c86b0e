//! One entry of an `mcpServers` file → the settings of its server, or what is wrong with it.

use std::path::PathBuf;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use uixt_schema::nearest;

use super::config::Problem;
use super::env_file;
use super::expand::{Expanded, LookUp, expand};
use super::jsonc::{Data, Entry, Node};
use super::keys::{ALIASES, KEYS, TOLERATED};
use super::secrets::{Hidden, is_secret, says_secret};
use super::settings::{Elicitation, Settings, Speaks, Transport};

/// Longest time that may be set, in seconds.
const MAX_SECONDS: f64 = 86_400.0;

/// Reads one server. What is wrong with its shape goes to `problems`; the error is what only its use would find:
/// a variable that is not set.
pub(super) fn read(
    entry: &Entry,
    folder: Option<&std::path::Path>,
    look_up: LookUp<'_>,
    problems: &mut Vec<Problem>,
    warnings: &mut Vec<Problem>,
) -> Option<Result<Settings, Problem>> {
    let before = problems.len();
    let mut reader =
        Reader { name: &entry.key, folder, look_up, problems, warnings, unset: None, secrets: Hidden::default() };
    let settings = reader.settings(entry);
    let (unset, secrets) = (reader.unset, reader.secrets);
    let settings = settings.filter(|_| problems.len() == before)?;
    Some(unset.map_or(Ok(Settings { secrets, ..settings }), Err))
}

struct Reader<'a> {
    name: &'a str,
    /// What relative paths are relative to; the working directory where there is none.
    folder: Option<&'a std::path::Path>,
    look_up: LookUp<'a>,
    problems: &'a mut Vec<Problem>,
    warnings: &'a mut Vec<Problem>,
    unset: Option<Problem>,
    secrets: Hidden,
}

impl Reader<'_> {
    fn wrong(&mut self, at: usize, message: impl std::fmt::Display) {
        self.problems.push(Problem::at(at, format!("server `{}`: {message}", self.name)));
    }

    fn settings(&mut self, entry: &Entry) -> Option<Settings> {
        let Some(entries) = entry.value.map() else {
            self.wrong(entry.value.at, format!("it must be a map, not {}", entry.value.kind()));
            return None;
        };
        let mut found: Vec<(&'static str, &Entry)> = Vec::new();
        for inner in entries {
            let Some(key) = self.key(inner) else { continue };
            if found.iter().any(|(known, _)| *known == key) {
                self.wrong(inner.at, format!("`{}` says again what `{key}` says", inner.key));
            }
            found.push((key, inner));
        }
        let get = |key: &str| found.iter().find(|(known, _)| *known == key).map(|(_, entry)| *entry);
        let transport = self.transport(entry, &get)?;
        let mut settings = Settings::of(transport);
        let is_off = get("enabled").is_some_and(|entry| !self.flag(entry));
        settings.is_disabled = get("disabled").is_some_and(|entry| self.flag(entry)) || is_off;
        if let Some(time) = get("timeout").and_then(|entry| self.time(entry)) {
            // Some hosts write seconds, some milliseconds; nobody waits 17 minutes for a call.
            settings.call = if time >= Duration::from_secs(1000) { time / 1000 } else { time };
        }
        if let Some(time) = get("call_timeout").and_then(|entry| self.time(entry)) {
            settings.call = time;
        }
        if let Some(time) = get("startup_timeout").and_then(|entry| self.time(entry)) {
            settings.startup = time;
        }
        settings.included = get("include_tools").map(|entry| self.texts(entry)).unwrap_or_default();
        settings.excluded = get("exclude_tools").map(|entry| self.texts(entry)).unwrap_or_default();
        if let Some(entry) = get("elicitation") {
            settings.elicitation = self.elicitation(entry);
        }
        Some(settings)
    }

    /// Returns our name of a key; none for what other hosts need.
    fn key(&mut self, entry: &Entry) -> Option<&'static str> {
        let key = entry.key.as_str();
        let own = KEYS.iter().find(|known| **known == key).copied();
        let known = own.or_else(|| ALIASES.iter().find(|(alias, _)| *alias == key).map(|(_, name)| *name));
        if known.is_none() && !TOLERATED.contains(&key) && !key.starts_with(['_', '$', '/', '#']) {
            let all = KEYS.iter().chain(ALIASES.iter().map(|(alias, _)| alias)).copied();
            let unknown = format!("server `{}`: unknown key `{key}`", self.name);
            match nearest(key, all) {
                Some(name) => self.problems.push(
                    Problem::at(entry.at, format!("{unknown} (did you mean `{name}`?)"))
                        .with_help(format!("valid: {}", KEYS.join(", "))),
                ),
                None => self.warnings.push(Problem::at(entry.at, format!("{unknown}; it is passed over"))),
            }
        }
        known
    }

    fn transport<'e>(&mut self, entry: &Entry, get: &dyn Fn(&str) -> Option<&'e Entry>) -> Option<Transport> {
        let (command, url) = (get("command"), get("url"));
        let named = get("type").and_then(|entry| self.named(entry));
        match (command, url) {
            (Some(command), None) => {
                if let Some(other) = get("headers") {
                    self.wrong(other.at, "`headers` go with `url`, not with `command`");
                }
                if matches!(named, Some(Named::Url(_))) {
                    self.wrong(command.at, "its `type` needs `url`, and it has `command`");
                }
                self.program(command, get)
            }
            (None, Some(url)) => {
                for key in ["args", "env", "envFile", "cwd"] {
                    if let Some(other) = get(key) {
                        self.wrong(other.at, format!("`{key}` goes with `command`, not with `url`"));
                    }
                }
                let speaks = match named {
                    Some(Named::Url(speaks)) => speaks,
                    Some(Named::Stdio) => {
                        self.wrong(url.at, "its `type` needs `command`, and it has `url`");
                        return None;
                    }
                    // The spelling of one host says it.
                    None if url.key == "httpUrl" => Speaks::Streamable,
                    None => Speaks::Either,
                };
                self.url(url, get("headers"), speaks)
            }
            (Some(_), Some(url)) => {
                self.wrong(url.at, "it has both `command` and `url`: one of them says how to reach it");
                None
            }
            (None, None) => {
                self.wrong(entry.at, "neither `command` nor `url` says how to reach it");
                None
            }
        }
    }

    fn named(&mut self, entry: &Entry) -> Option<Named> {
        let text = entry.value.text().unwrap_or_default().to_ascii_lowercase().replace(['-', '_'], "");
        match text.as_str() {
            "stdio" | "local" => Some(Named::Stdio),
            "http" | "streamablehttp" => Some(Named::Url(Speaks::Streamable)),
            "remote" => Some(Named::Url(Speaks::Either)),
            "sse" => Some(Named::Url(Speaks::Sse)),
            _ => {
                self.wrong(entry.value.at, "`type` is stdio, http or sse");
                None
            }
        }
    }

    fn program<'e>(&mut self, command: &Entry, get: &dyn Fn(&str) -> Option<&'e Entry>) -> Option<Transport> {
        let name = self.text(command)?;
        if name.is_empty() {
            self.wrong(command.value.at, "`command` is empty");
        }
        let args = get("args").map(|entry| self.texts(entry)).unwrap_or_default();
        self.warn_of_arguments(get("args"));
        let env = get("env").map(|entry| self.pairs(entry)).unwrap_or_default();
        self.warn_of_secrets(get("env"));
        let env = self.with_file(get("envFile"), env);
        for (name, value) in &env {
            self.secrets.add_variable(name, value);
            if name.is_empty() || name.contains(['=', '\0']) {
                self.wrong(command.at, format!("`{name}` is not a name for a variable"));
            }
        }
        let cwd = get("cwd").and_then(|entry| self.text(entry)).map(PathBuf::from);
        let cwd = match (self.folder, cwd) {
            (Some(folder), Some(cwd)) => Some(folder.join(cwd)),
            (Some(folder), None) => Some(folder.to_path_buf()),
            (None, cwd) => cwd,
        };
        Some(Transport::Program { command: name, args, env, cwd })
    }

    /// Puts the variables of a file before those that are set here, which win.
    fn with_file(&mut self, entry: Option<&Entry>, env: Vec<(String, String)>) -> Vec<(String, String)> {
        let Some(entry) = entry else { return env };
        let Some(path) = self.text(entry).filter(|_| self.unset.is_none()) else { return env };
        let path = self.folder.unwrap_or(std::path::Path::new("")).join(path);
        match env_file::read(&path) {
            Ok(variables) => variables.into_iter().chain(env).collect(),
            Err(message) => {
                let problem = Problem::at(entry.value.at, format!("server `{}`: {message}", self.name));
                self.unset.get_or_insert(problem);
                env
            }
        }
    }

    fn url(&mut self, entry: &Entry, headers: Option<&Entry>, speaks: Speaks) -> Option<Transport> {
        let url = self.text(entry)?;
        self.secrets.add_url(&url);
        self.warn_of_url(entry);
        let is_http = reqwest::Url::parse(&url).is_ok_and(|url| ["http", "https"].contains(&url.scheme()));
        if !is_http && self.unset.is_none() {
            self.wrong(entry.value.at, "`url` must begin with http:// or https://");
        }
        self.warn_of_secrets(headers);
        let headers = headers.map(|entry| self.headers(entry)).unwrap_or_default();
        Some(Transport::Url { url, headers, speaks })
    }

    /// Reads headers: a map, or `HttpRunner`'s list of `K: V`.
    fn headers(&mut self, entry: &Entry) -> HeaderMap {
        let pairs = match &entry.value.data {
            Data::List(items) => items.iter().filter_map(|item| self.header_line(item)).collect(),
            _ => self.pairs(entry),
        };
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            self.secrets.add_header(&name, &value);
            match (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(&value)) {
                (Ok(name), Ok(mut value)) => {
                    value.set_sensitive(true);
                    headers.insert(name, value);
                }
                (Err(_), _) => self.wrong(entry.at, format!("`{name}` is not a name for a header")),
                (_, Err(_)) => {
                    self.wrong(entry.at, format!("the header `{name}` holds characters that no header may have"));
                }
            }
        }
        headers
    }

    /// Warns of secrets that are written down, rather than named.
    fn warn_of_secrets(&mut self, entry: Option<&Entry>) {
        let Some(entry) = entry else { return };
        let pairs = entry.value.map().into_iter().flatten();
        let pairs = pairs.filter_map(|inner| Some((inner.value.at, inner.key.as_str(), inner.value.text()?)));
        let lines = if let Data::List(items) = &entry.value.data { items.as_slice() } else { &[] };
        let lines = lines.iter().filter_map(|item| {
            let (name, value) = item.text()?.split_once(':')?;
            Some((item.at, name.trim(), value))
        });
        pairs.chain(lines).for_each(|(at, name, value)| self.warn_of_secret(at, name, value));
    }

    /// The same of a program's arguments: `--api-key X`, `--token=X`.
    fn warn_of_arguments(&mut self, entry: Option<&Entry>) {
        let Some(Data::List(items)) = entry.map(|entry| &entry.value.data) else { return };
        let mut before = "";
        for item in items {
            let word = item.text().unwrap_or_default();
            let (name, value) = word.split_once('=').unwrap_or((before, word));
            if name.starts_with('-') && !value.starts_with('-') {
                self.warn_of_secret(item.at, name.trim_start_matches('-'), value);
            }
            before = if word.contains('=') { "" } else { word };
        }
    }

    /// The same of a URL: a password before the host, and what its query names so.
    fn warn_of_url(&mut self, entry: &Entry) {
        let Some(Ok(url)) = entry.value.text().map(reqwest::Url::parse) else { return };
        self.warn_of_secret(entry.value.at, "PASSWORD", url.password().unwrap_or_default());
        for (name, value) in url.query_pairs() {
            self.warn_of_secret(entry.value.at, &name, &value);
        }
    }

    fn warn_of_secret(&mut self, at: usize, name: &str, value: &str) {
        let secret = value.rsplit(' ').next().unwrap_or(value);
        if says_secret(name) && !value.contains('$') && is_secret(secret) {
            let variable = name.to_ascii_uppercase().replace(['-', '.'], "_");
            let message = format!(
                "server `{}`: `{name}` is a secret in plain text: write ${{{variable}}} and set that variable",
                self.name
            );
            self.warnings.push(Problem::at(at, message));
        }
    }

    fn header_line(&mut self, item: &Node) -> Option<(String, String)> {
        let line = item.text().and_then(|line| line.split_once(':'));
        let Some((name, value)) = line else {
            self.wrong(item.at, "a header in a list is a text: \"Name: value\"");
            return None;
        };
        Some((name.trim().to_owned(), self.expanded(value.trim(), item.at)))
    }

    fn expanded(&mut self, text: &str, at: usize) -> String {
        match expand(text, self.look_up) {
            Ok(Expanded { text, secrets }) => {
                secrets.iter().for_each(|secret| self.secrets.add(secret));
                text
            }
            Err(message) => {
                let problem = Problem::at(at, format!("server `{}`: {message}", self.name));
                self.unset.get_or_insert(problem);
                String::new()
            }
        }
    }

    fn text(&mut self, entry: &Entry) -> Option<String> {
        if let Some(text) = entry.value.text() {
            return Some(self.expanded(text, entry.value.at));
        }
        self.wrong(entry.value.at, format!("`{}` must be a text, not {}", entry.key, entry.value.kind()));
        None
    }

    /// Reads a list of texts; numbers are taken as they are written.
    fn texts(&mut self, entry: &Entry) -> Vec<String> {
        let Data::List(items) = &entry.value.data else {
            self.wrong(entry.value.at, format!("`{}` must be a list of texts, not {}", entry.key, entry.value.kind()));
            return Vec::new();
        };
        items.iter().filter_map(|item| self.scalar(item, &entry.key)).collect()
    }

    /// Reads a map of texts.
    fn pairs(&mut self, entry: &Entry) -> Vec<(String, String)> {
        let Some(entries) = entry.value.map() else {
            self.wrong(entry.value.at, format!("`{}` must be a map of texts, not {}", entry.key, entry.value.kind()));
            return Vec::new();
        };
        let pair = |inner: &Entry| Some((inner.key.clone(), self.scalar(&inner.value, &entry.key)?));
        entries.iter().filter_map(pair).collect()
    }

    fn scalar(&mut self, node: &Node, key: &str) -> Option<String> {
        match &node.data {
            Data::Scalar(Value::String(text)) => Some(self.expanded(text, node.at)),
            Data::Scalar(value @ (Value::Number(_) | Value::Bool(_))) => Some(value.to_string()),
            _ => {
                self.wrong(node.at, format!("`{key}` holds {}, and only texts may stand there", node.kind()));
                None
            }
        }
    }

    fn flag(&mut self, entry: &Entry) -> bool {
        if let Data::Scalar(Value::Bool(flag)) = entry.value.data {
            return flag;
        }
        self.wrong(entry.value.at, format!("`{}` is true or false", entry.key));
        false
    }

    fn time(&mut self, entry: &Entry) -> Option<Duration> {
        let seconds = match &entry.value.data {
            Data::Scalar(Value::Number(number)) => number.as_f64(),
            _ => None,
        };
        // Milliseconds are divided later.
        let most = if entry.key == "timeout" { MAX_SECONDS * 1000.0 } else { MAX_SECONDS };
        let seconds = seconds.filter(|seconds| *seconds > 0.0 && *seconds <= most);
        if seconds.is_none() {
            self.wrong(entry.value.at, format!("`{}` is a number of seconds, above 0 and at most {most}", entry.key));
        }
        seconds.map(Duration::from_secs_f64)
    }

    fn elicitation(&mut self, entry: &Entry) -> Elicitation {
        match entry.value.text() {
            Some("decline") => Elicitation::Decline,
            Some("defaults") => Elicitation::Defaults,
            _ => {
                self.wrong(entry.value.at, "`elicitation` is \"decline\" or \"defaults\"");
                Elicitation::Decline
            }
        }
    }
}

/// What `type` says.
enum Named {
    Stdio,
    Url(Speaks),
}
