//! `uixt mcp`: the MCP servers of a file, from the shell.

use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use uixt_call::ToolDefinition;
use uixt_locate::Error;

use super::asking::{remote, with};
use super::call::CallTool;
use super::definitions::DefinitionsArgs;
use super::servers::ShellArgs;
use super::signature;
use crate::cli::exit::{Done, Exit, Failure, print};
use crate::cli::format::Format;
use crate::cli::logging;
use crate::mcp::client::About;

#[derive(Args)]
pub(in crate::cli) struct Mcp {
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
}

#[derive(Args)]
struct List {
    #[command(flatten)]
    servers: ShellArgs,
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Args)]
struct Tools {
    /// Server, as the file names it.
    server: String,
    #[command(flatten)]
    servers: ShellArgs,
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

impl Mcp {
    pub(in crate::cli) fn run(self) -> Done {
        logging::to_stderr(tracing::Level::ERROR);
        match self.command {
            Command::List(command) => command.run(),
            Command::Tools(command) => command.run(),
            Command::Call(command) => command.run(),
        }
    }
}

fn failure(error: &Error) -> Failure {
    Failure::rendered(error.kind.into(), format!("error: {error}"))
}

/// What is known of a server.
struct Row {
    name: String,
    about: Result<(About, usize), Error>,
}

impl List {
    fn run(self) -> Done {
        let (rows, off, none) = with(&self.servers.servers(&DefinitionsArgs::default())?, async |servers| {
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
        let tools = with(&self.servers.servers(&DefinitionsArgs::default())?, async |servers| {
            remote(servers, &self.server)?.tools().await.map_err(|error| failure(&error))
        })?;
        match self.format {
            Format::Json => print(&serde_json::to_string_pretty(&tools).unwrap_or_default()),
            Format::Table if tools.is_empty() => print("no tools"),
            Format::Table => {
                print(&tools.iter().map(|tool| signature::told(tool, &summary(tool))).collect::<Vec<_>>().join("\n"))
            }
        }
    }
}

/// Returns the first line of a tool's description.
fn summary(tool: &ToolDefinition) -> String {
    let text = tool.description.as_deref().unwrap_or_default();
    let line = text.trim().lines().next().unwrap_or_default();
    line.chars().filter(|c| !c.is_control()).take(100).collect()
}
