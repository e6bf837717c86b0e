//! The programs that models work in: where each keeps its MCP servers, and in which form.

use clap::ValueEnum;
use serde_json::{Value, json};

use super::Way;

/// The name of this server in a host's file.
const NAME: &str = "uixt";
/// The environment variable that a token stands in, here as in the server.
const TOKEN: &str = "UIXT_MCP_TOKEN";

/// A program that starts MCP servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Host {
    /// Claude Desktop
    Claude,
    ClaudeCode,
    Cursor,
    /// Visual Studio Code
    Vscode,
    Windsurf,
    /// `OpenAI` Codex
    Codex,
    /// Gemini CLI
    Gemini,
    Zed,
    Opencode,
    Cline,
    Kiro,
}

impl Host {
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Desktop",
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::Vscode => "VS Code",
            Self::Windsurf => "Windsurf",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Zed => "Zed",
            Self::Opencode => "opencode",
            Self::Cline => "Cline",
            Self::Kiro => "Kiro",
        }
    }

    /// The file that the snippet belongs into; what else stands there stays.
    fn file(self) -> &'static str {
        match self {
            Self::Claude if cfg!(target_os = "macos") => {
                "~/Library/Application Support/Claude/claude_desktop_config.json"
            }
            Self::Claude if cfg!(windows) => "%APPDATA%\\Claude\\claude_desktop_config.json",
            Self::Claude => "~/.config/Claude/claude_desktop_config.json",
            Self::ClaudeCode => ".mcp.json in the project's folder",
            Self::Cursor => "~/.cursor/mcp.json, or .cursor/mcp.json in the project's folder",
            Self::Vscode => ".vscode/mcp.json in the project's folder",
            Self::Windsurf => "~/.codeium/windsurf/mcp_config.json",
            Self::Codex => "~/.codex/config.toml",
            Self::Gemini => "~/.gemini/settings.json, or .gemini/settings.json in the project's folder",
            Self::Zed if cfg!(windows) => "%APPDATA%\\Zed\\settings.json",
            Self::Zed => "~/.config/zed/settings.json",
            Self::Opencode => "opencode.json in the project's folder, or ~/.config/opencode/opencode.json",
            Self::Cline => "cline_mcp_settings.json, which \"Configure MCP Servers\" opens",
            Self::Kiro => "~/.kiro/settings/mcp.json, or .kiro/settings/mcp.json in the project's folder",
        }
    }

    pub(super) fn place(self) -> String {
        format!("for {}, in {}; what else stands there stays", self.title(), self.file())
    }

    /// Tells whether the host puts the server's name before a tool's by itself.
    pub(super) fn names_servers(self) -> bool {
        matches!(self, Self::ClaudeCode | Self::Vscode | Self::Codex | Self::Gemini | Self::Opencode)
    }

    /// Tells whether its file may name a server that runs at a URL; Claude Desktop drops such an entry without a word.
    pub(super) fn takes_urls(self) -> bool {
        self != Self::Claude
    }

    /// How the file refers to the variable that holds the token.
    fn token(self) -> Option<String> {
        match self {
            Self::Cursor | Self::Vscode | Self::Windsurf => Some(format!("${{env:{TOKEN}}}")),
            Self::ClaudeCode | Self::Gemini | Self::Kiro => Some(format!("${{{TOKEN}}}")),
            Self::Opencode => Some(format!("{{env:{TOKEN}}}")),
            Self::Claude | Self::Codex | Self::Zed | Self::Cline => None,
        }
    }

    pub(super) fn about_token(self) -> String {
        match self.token().is_some() || self == Self::Codex {
            true => format!("{} reads the token from its environment: set {TOKEN}", self.title()),
            false => {
                format!("write the server's token in the place of TOKEN: {} reads no variables there", self.title())
            }
        }
    }

    /// Returns the snippet, a whole file of its own.
    pub(super) fn snippet(self, way: &Way) -> String {
        if self == Self::Codex {
            return toml(way);
        }
        let key = match self {
            Self::Vscode => "servers",
            Self::Zed => "context_servers",
            Self::Opencode => "mcp",
            _ => "mcpServers",
        };
        let entry = match way {
            Way::Start(program, arguments) => self.start(program, arguments),
            Way::Url { url, token } => self.at_url(url, *token),
        };
        let mut file = json!({key: {NAME: entry}});
        if self == Self::Opencode {
            file = json!({"$schema": "https://opencode.ai/config.json", key: file[key]});
        }
        serde_json::to_string_pretty(&file).unwrap_or_default()
    }

    fn start(self, program: &str, arguments: &[String]) -> Value {
        match self {
            Self::Vscode => json!({"type": "stdio", "command": program, "args": arguments}),
            Self::Opencode => {
                let words: Vec<&str> = std::iter::once(program).chain(arguments.iter().map(String::as_str)).collect();
                json!({"type": "local", "command": words, "enabled": true})
            }
            _ => json!({"command": program, "args": arguments}),
        }
    }

    fn at_url(self, url: &str, token: bool) -> Value {
        let mut entry = match self {
            Self::ClaudeCode | Self::Vscode => json!({"type": "http", "url": url}),
            Self::Windsurf => json!({"serverUrl": url}),
            Self::Gemini => json!({"httpUrl": url}),
            Self::Opencode => json!({"type": "remote", "url": url, "enabled": true}),
            Self::Cline => json!({"type": "streamableHttp", "url": url}),
            _ => json!({"url": url}),
        };
        if token {
            let token = self.token().unwrap_or_else(|| "TOKEN".to_owned());
            entry["headers"] = json!({"Authorization": format!("Bearer {token}")});
        }
        entry
    }
}

/// Writes Codex's table.
fn toml(way: &Way) -> String {
    let lines = match way {
        Way::Start(program, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(|word| toml_string(word)).collect();
            format!("command = {}\nargs = [{}]\n", toml_string(program), arguments.join(", "))
        }
        Way::Url { url, token } => {
            let token = if *token { format!("bearer_token_env_var = {}\n", toml_string(TOKEN)) } else { String::new() };
            format!("url = {}\n{token}", toml_string(url))
        }
    };
    format!("[mcp_servers.{NAME}]\n{lines}")
}

/// Writes a basic string of TOML 1.0.
fn toml_string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(host: Host, way: &Way) -> Value {
        serde_json::from_str(&host.snippet(way)).expect("JSON")
    }

    #[test]
    fn each_host_has_its_own_form() {
        let words = vec!["mcp-server".to_owned(), "--device".to_owned(), "a \"b\" \\c".to_owned()];
        let start = Way::Start("/opt/ui xt".to_owned(), words.clone());
        let entry = json!({"command": "/opt/ui xt", "args": words});
        for host in
            [Host::Claude, Host::ClaudeCode, Host::Cursor, Host::Windsurf, Host::Gemini, Host::Cline, Host::Kiro]
        {
            assert_eq!(read(host, &start), json!({"mcpServers": {"uixt": entry}}));
        }
        assert_eq!(read(Host::Zed, &start), json!({"context_servers": {"uixt": entry}}));
        assert_eq!(read(Host::Vscode, &start)["servers"]["uixt"]["type"], "stdio");
        assert_eq!(read(Host::Opencode, &start)["mcp"]["uixt"]["command"][0], "/opt/ui xt");
        assert_eq!(
            Host::Codex.snippet(&start),
            "[mcp_servers.uixt]\ncommand = \"/opt/ui xt\"\nargs = [\"mcp-server\", \"--device\", \"a \\\"b\\\" \\\\c\"]\n"
        );
    }

    #[test]
    fn a_server_at_a_url_is_named_as_the_host_names_it() {
        let at = |host, token| {
            let file = read(host, &Way::Url { url: "http://127.0.0.1:8000/mcp".to_owned(), token });
            file.as_object().expect("a map").values().next_back().expect("a key")["uixt"].clone()
        };
        assert_eq!(at(Host::Windsurf, false), json!({"serverUrl": "http://127.0.0.1:8000/mcp"}));
        assert_eq!(at(Host::Gemini, false), json!({"httpUrl": "http://127.0.0.1:8000/mcp"}));
        assert_eq!(at(Host::Vscode, false)["type"], "http");
        assert_eq!(at(Host::Cursor, true)["headers"]["Authorization"], "Bearer ${env:UIXT_MCP_TOKEN}");
        assert_eq!(at(Host::Opencode, true)["headers"]["Authorization"], "Bearer {env:UIXT_MCP_TOKEN}");
        assert_eq!(at(Host::Zed, true)["headers"]["Authorization"], "Bearer TOKEN");
        let codex = Host::Codex.snippet(&Way::Url { url: "http://a/mcp".to_owned(), token: true });
        assert_eq!(codex, "[mcp_servers.uixt]\nurl = \"http://a/mcp\"\nbearer_token_env_var = \"UIXT_MCP_TOKEN\"\n");
    }

    #[test]
    fn control_characters_are_escaped_in_toml() {
        assert_eq!(toml_string("a\n\u{7f}\u{0}b浏"), "\"a\\u000A\\u007F\\u0000b浏\"");
    }
}
