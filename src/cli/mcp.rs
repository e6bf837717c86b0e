//! `uixt mcp`: the MCP servers of a file, from the shell.

use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use rmcp::model::{CallToolRequestParams, CallToolResult, Tool};
use serde_json::{Map, Value, json};
use tokio::task::JoinSet;

use super::exercise::Exercise;
use super::exit::{Done, Exit, Failure, print, runtime};
use super::logging;
use super::servers::ServersArgs;
use super::signals::Asked;
use crate::caller::Call;
use crate::mcp::client::{About, Remote, Servers};
use crate::tools::{Error, Kind};
use crate::uniform;

#[derive(Args)]
pub(super) struct Mcp {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start each server, and say what it is.
    List(List),
    /// List a server's tools.
    Tools(Tools),
    /// Call a server's tool.
    Call(CallTool),
    /// Call every tool of the server at a URL, with arguments made up from their schemas.
    #[command(hide = true)]
    Exercise(Exercise),
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Table,
    Json,
}

#[derive(Args)]
struct List {
    #[command(flatten)]
    servers: ServersArgs,
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Args)]
struct Tools {
    /// Server, as the file names it.
    server: String,
    #[command(flatten)]
    servers: ServersArgs,
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Args)]
struct CallTool {
    /// Server, as the file names it.
    server: String,
    /// Its tool.
    tool: String,
    /// The tool's arguments, a JSON object.
    arguments: Option<String>,
    #[command(flatten)]
    servers: ServersArgs,
    /// Longest time that the call may take, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// `json` prints the answer as the server gave it.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("must be a number of seconds above 0 and at most 86,400".to_owned()),
    }
}

impl Mcp {
    pub(super) fn run(self) -> Done {
        logging::to_stderr(tracing::Level::ERROR);
        match self.command {
            Command::List(command) => command.run(),
            Command::Tools(command) => command.run(),
            Command::Call(command) => command.run(),
            Command::Exercise(command) => command.run(),
        }
    }
}

/// Does something with servers, and ends them however it ends.
fn with<T>(servers: &ServersArgs, work: impl AsyncFnOnce(&Servers) -> Result<T, Failure>) -> Result<T, Failure> {
    let servers = Servers::new(servers.config()?);
    let runtime = runtime()?;
    let done = runtime.block_on(async {
        let mut asked = Asked::listen()?;
        let done = tokio::select! {
            done = work(&servers) => done,
            () = asked.wait() => Err(Failure::rendered(Exit::Interrupted, "interrupted".to_owned())),
        };
        servers.close().await;
        done
    });
    runtime.shutdown_background();
    done
}

fn exit_of(kind: Kind) -> Exit {
    match kind {
        Kind::BadArgument => Exit::Usage,
        Kind::Interrupted => Exit::Interrupted,
        kind if kind.is_failure() => Exit::Failed,
        _ => Exit::Errored,
    }
}

fn failure(error: &Error) -> Failure {
    Failure::rendered(exit_of(error.kind), format!("error: {error}"))
}

fn remote<'a>(servers: &'a Servers, name: &str) -> Result<&'a Arc<Remote>, Failure> {
    servers.get(name).map_err(Failure::usage)
}

/// What is known of a server.
struct Row {
    name: String,
    about: Result<(About, usize), Error>,
}

impl List {
    fn run(self) -> Done {
        let (rows, off, none) = with(&self.servers, async |servers| {
            let mut starting = JoinSet::new();
            for (name, remote) in servers.all() {
                let (name, remote) = (name.to_owned(), Arc::clone(remote));
                starting.spawn(async move {
                    let about = async { Ok((remote.about().await?, remote.tools().await?.len())) };
                    Row { about: about.await, name }
                });
            }
            let mut rows: Vec<Row> = starting.join_all().await;
            rows.sort_by(|a, b| a.name.cmp(&b.name));
            Ok((rows, servers.config().not_started(), servers.config().names_none()))
        })?;
        match self.format {
            Format::Table if rows.is_empty() && off.is_empty() => print(&none.unwrap_or_default())?,
            Format::Table => print(&table(&rows, &off))?,
            Format::Json => print(&listed(&rows, &off).to_string())?,
        };
        let is_good = rows.iter().all(|row| row.about.is_ok()) && off.iter().all(|(_, why)| why.is_none());
        Ok(if is_good { Exit::Passed } else { Exit::Errored })
    }
}

/// Servers that are not started: those that are disabled, and those whose settings cannot be used.
type Off = [(String, Option<String>)];

fn table(rows: &[Row], off: &Off) -> String {
    let heads = ["SERVER", "STATE", "TRANSPORT", "PROTOCOL", "TOOLS", "VERSION"].map(str::to_owned);
    let mut cells = vec![heads];
    let mut notes = String::new();
    for row in rows {
        cells.push(match &row.about {
            Ok((about, tools)) => [
                row.name.clone(),
                "ready".to_owned(),
                about.transport.to_owned(),
                about.protocol.clone(),
                tools.to_string(),
                about.version.clone(),
            ],
            Err(error) => {
                notes.push_str(&format!("\nerror: {error}"));
                [row.name.clone(), "failed".to_owned(), "-".into(), "-".into(), "-".into(), "-".into()]
            }
        });
    }
    for (name, why) in off {
        let state = if why.is_some() { "failed" } else { "disabled" };
        cells.push([name.clone(), state.to_owned(), "-".into(), "-".into(), "-".into(), "-".into()]);
        notes.extend(why.iter().map(|why| format!("\nerror: {why}")));
    }
    lined(&cells) + &notes
}

/// Lays cells out in columns.
fn lined<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn listed(rows: &[Row], off: &Off) -> Value {
    let row = |row: &Row| match &row.about {
        Ok((about, tools)) => json!({
            "server": row.name, "state": "ready", "transport": about.transport, "protocol": about.protocol,
            "version": about.version, "tools": tools,
        }),
        Err(error) => json!({"server": row.name, "state": "failed", "error": error.message}),
    };
    let other = |(name, why): &(String, Option<String>)| match why {
        Some(why) => json!({"server": name, "state": "failed", "error": why}),
        None => json!({"server": name, "state": "disabled"}),
    };
    json!({"servers": rows.iter().map(row).chain(off.iter().map(other)).collect::<Vec<_>>()})
}

impl Tools {
    fn run(self) -> Done {
        let tools = with(&self.servers, async |servers| {
            remote(servers, &self.server)?.tools().await.map_err(|error| failure(&error))
        })?;
        match self.format {
            Format::Json => print(&serde_json::to_string_pretty(&tools).unwrap_or_default()),
            Format::Table if tools.is_empty() => print("no tools"),
            Format::Table => {
                let row = |tool: &Tool| [tool.name.to_string(), summary(tool)];
                print(&lined(&tools.iter().map(row).collect::<Vec<_>>()))
            }
        }
    }
}

/// Returns the first line of a tool's description.
fn summary(tool: &Tool) -> String {
    let text = tool.description.as_deref().unwrap_or_default();
    let line = text.trim().lines().next().unwrap_or_default();
    line.chars().filter(|c| !c.is_control()).take(100).collect()
}

impl CallTool {
    fn run(self) -> Done {
        let request = CallToolRequestParams::new(self.tool.clone()).with_arguments(self.arguments()?);
        let (result, text) = with(&self.servers, async |servers| {
            let remote = remote(servers, &self.server)?;
            let request = remote.checked(request, self.timeout).await.map_err(|error| failure(&error))?;
            let result = remote.call_tool(request, self.timeout, &Call::default()).await;
            let result = result.map_err(|error| failure(&error))?;
            let text = self.text(&result, remote);
            Ok((result, text))
        })?;
        print(&text)?;
        Ok(exit(&result))
    }

    /// Returns an answer as it is printed: without secrets.
    fn text(&self, result: &CallToolResult, remote: &Remote) -> String {
        match self.format {
            Format::Json => {
                let mut value = serde_json::to_value(result).unwrap_or_default();
                remote.mask(&mut value);
                serde_json::to_string_pretty(&value).unwrap_or_default()
            }
            Format::Table => remote.masked(&shown(result)),
        }
    }

    fn arguments(&self) -> Result<Map<String, Value>, Failure> {
        let Some(text) = &self.arguments else { return Ok(Map::new()) };
        uniform::read_object(text).map_err(Failure::usage)
    }
}

/// Returns an answer for a person: its structured content, or else its texts, and what it holds beside.
fn shown(result: &CallToolResult) -> String {
    let mut lines = Vec::new();
    if let Some(structured) = &result.structured_content {
        lines.push(serde_json::to_string_pretty(structured).unwrap_or_default());
    }
    for content in &result.content {
        match content.as_text() {
            Some(text) if result.structured_content.is_none() => lines.push(text.text.clone()),
            Some(_) => {}
            None => {
                let value = serde_json::to_value(content).unwrap_or_default();
                let field = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
                lines.push(format!("[{} {}]", field("type"), field("mimeType")));
            }
        }
    }
    lines.join("\n")
}

fn exit(result: &CallToolResult) -> Exit {
    if result.is_error != Some(true) {
        return Exit::Passed;
    }
    let kind = result.structured_content.as_ref().and_then(|object| object.get("kind")).cloned();
    kind.and_then(|kind| serde_json::from_value(kind).ok()).map_or(Exit::Errored, exit_of)
}
