//! The list of a registry of MCP servers, which the user saved (`https://registry.modelcontextprotocol.io/v0/servers`) → the servers in
//! it, each with the lines that a file of servers needs for it. It is data that others wrote: names and addresses are checked before they
//! become part of a command.

use std::path::Path;

use serde_json::{Map, Value, json};
use uixt_locate::Error;

/// Largest file that is read, in bytes.
const LARGEST: u64 = 32 << 20;

/// Most characters of a description that are told.
const TOLD: usize = 200;

/// A server of the list.
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) description: String,
    /// What a file of servers says of it.
    pub(crate) lines: Value,
    /// Variables that it needs.
    pub(crate) variables: Vec<String>,
}

/// Reads a saved list.
pub(crate) fn read(path: &Path) -> Result<Vec<Listed>, Error> {
    let wrong = |why: String| Error::bad_argument(format!("the list of a registry {}: {why}", path.display()));
    let file = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
    if !file.is_file() || file.len() > LARGEST {
        return Err(wrong(format!("is no file of at most {} MiB", LARGEST >> 20)));
    }
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let list: Value = serde_json::from_str(&text).map_err(|error| wrong(format!("is not JSON: {error}")))?;
    let servers = list.get("servers").unwrap_or(&list).as_array();
    let servers = servers.ok_or_else(|| wrong("has no `servers`; save what …/v0/servers returns".to_owned()))?;
    Ok(servers.iter().filter_map(listed).collect())
}

/// Reads a server; none where nothing says how it is started.
fn listed(entry: &Value) -> Option<Listed> {
    let server = entry.get("server").unwrap_or(entry);
    let text = |key: &str| server.get(key).and_then(Value::as_str).map(str::to_owned);
    let (lines, variables) = packages(server).or_else(|| remotes(server))?;
    let description = text("description").unwrap_or_default().chars().take(TOLD).collect();
    Some(Listed { name: text("name").filter(|name| is_plain(name))?, description, lines, variables })
}

/// Tells whether a name, version or image is one: nothing in it means something to a shell, and it is no option.
fn is_plain(text: &str) -> bool {
    let fits = |sign: char| sign.is_ascii_alphanumeric() || "@/._-:+=".contains(sign);
    !text.is_empty() && text.len() <= 200 && !text.starts_with('-') && text.chars().all(fits)
}

fn items<'a>(server: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    server.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// Returns the first of several names for a field that is a plain text.
fn plain<'a>(value: &'a Value, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| value.get(*key)?.as_str()).filter(|text| is_plain(text))
}

fn packages(server: &Value) -> Option<(Value, Vec<String>)> {
    items(server, "packages").find_map(|package| {
        let kind = plain(package, &["registryType", "registry_type", "registry_name"])?;
        let (name, version) = (plain(package, &["identifier", "name"])?, plain(package, &["version"]));
        let joined = |sign: &str| version.map_or_else(|| name.to_owned(), |version| format!("{name}{sign}{version}"));
        let (command, arguments) = match kind {
            "npm" => ("npx", vec!["-y".to_owned(), joined("@")]),
            "pypi" => ("uvx", vec![joined("@")]),
            "oci" | "docker" => ("docker", vec!["run".to_owned(), "-i".to_owned(), "--rm".to_owned(), joined(":")]),
            _ => return None,
        };
        let variables = variables(package);
        let mut lines = json!({"command": command, "args": arguments});
        if !variables.is_empty() {
            let env = variables.iter().map(|name| (name.clone(), Value::from(format!("${{{name}}}"))));
            lines["env"] = env.collect::<Map<_, _>>().into();
        }
        Some((lines, variables))
    })
}

/// Names the variables that a package must have, or that are secret.
fn variables(package: &Value) -> Vec<String> {
    let all = items(package, "environmentVariables").chain(items(package, "environment_variables"));
    let is = |one: &Value, keys: [&str; 2]| keys.iter().any(|key| one.get(*key).and_then(Value::as_bool) == Some(true));
    let needed = all.filter(|one| is(one, ["isRequired", "is_required"]) || is(one, ["isSecret", "is_secret"]));
    let named = needed.filter_map(|one| plain(one, &["name"]));
    named
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
        .map(str::to_owned)
        .collect()
}

fn remotes(server: &Value) -> Option<(Value, Vec<String>)> {
    let url = items(server, "remotes").find_map(|remote| remote.get("url")?.as_str());
    let url =
        url.filter(|url| url.starts_with("https://") && url.len() <= 500 && !url.contains(char::is_whitespace))?;
    Some((json!({"url": url}), Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_become_lines_and_what_could_be_a_command_does_not() {
        let list = json!({"servers": [
            {"server": {"name": "io.github.a/pdf", "description": "Reads PDF files", "packages": [
                {"registryType": "mcpb", "identifier": "https://a.test/b"},
                {"registryType": "npm", "identifier": "@a/pdf", "version": "1.2.3",
                 "environmentVariables": [{"name": "PDF_KEY", "isSecret": true}, {"name": "LEVEL"}, {"name": "A;B", "isRequired": true}]}]}},
            {"name": "b/py", "description": "", "packages": [{"registry_name": "pypi", "name": "b-py", "version": "2"}]},
            {"name": "c/web", "remotes": [{"type": "sse", "url": "https://c.test/mcp"}]},
            {"name": "d/evil", "packages": [{"registryType": "npm", "identifier": "a; rm -rf /", "version": "1"}]},
            {"name": "e/evil", "packages": [{"registryType": "npm", "identifier": "--eval", "version": "1"}]},
            {"name": "f/evil", "remotes": [{"url": "file:///etc/passwd"}]},
            {"name": "g", "packages": []},
        ]});
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("servers.json");
        std::fs::write(&file, list.to_string()).expect("a file");
        let told: Vec<Value> =
            read(&file).expect("a list").into_iter().map(|one| json!([one.name, one.lines, one.variables])).collect();
        assert_eq!(
            json!(told),
            json!([
                ["io.github.a/pdf", {"command": "npx", "args": ["-y", "@a/pdf@1.2.3"], "env": {"PDF_KEY": "${PDF_KEY}"}}, ["PDF_KEY"]],
                ["b/py", {"command": "uvx", "args": ["b-py@2"]}, []],
                ["c/web", {"url": "https://c.test/mcp"}, []],
            ])
        );
        std::fs::write(&file, "[").expect("a file");
        assert!(read(&file).err().expect("no JSON").message.contains("is not JSON"));
        std::fs::write(&file, "{}").expect("a file");
        assert!(read(&file).err().expect("no list").message.contains("has no `servers`"));
    }
}
