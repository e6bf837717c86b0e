//! `uixt tools`: the table, for people and programs.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use uixt_call::{ToolRow, arguments};

use crate::cli::exit::{Done, print};
use crate::tools;

#[derive(Args)]
pub(in crate::cli) struct Tools {
    /// How to print them.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Table,
    Json,
    Markdown,
}

impl Tools {
    pub(in crate::cli) fn run(self) -> Done {
        print(&match self.format {
            Format::Table => table(),
            Format::Json => json_text(),
            Format::Markdown => markdown(),
        })
    }
}

fn table() -> String {
    tools::all()
        .map(|tool| format!("{:<24} {}\n{:<24} {}\n", tool.name, tool.schema().description, "", arguments(tool)))
        .collect()
}

fn json_text() -> String {
    let tools: Vec<Value> = tools::all()
        .map(|tool| {
            let schema = tool.schema();
            json!({
                "name": tool.name,
                "aliases": tool.aliases,
                "description": schema.description,
                "inputSchema": schema.published().as_ref(),
            })
        })
        .collect();
    serde_json::to_string_pretty(&tools).unwrap_or_default()
}

/// Writes the table as docs/tools.md holds it.
fn markdown() -> String {
    let head = "| tool | what it does | arguments |\n| --- | --- | --- |\n".to_owned();
    tools::all().fold(head, |text, tool| {
        text + &format!(
            "| `{}` | {} | {} |\n",
            tool.name,
            tool.schema().description.replace('|', "\\|"),
            arguments(tool)
        )
    })
}

/// Lists a tool's own arguments; those that may be left out stand in brackets.
fn arguments(tool: &'static ToolRow) -> String {
    let schema = tool.schema();
    let required: Vec<&str> = schema.required().collect();
    let own = arguments::valid(tool);
    let names: Vec<String> =
        own.map(|name| if required.contains(&name) { name.to_owned() } else { format!("[{name}]") }).collect();
    if names.is_empty() { "–".to_owned() } else { names.join(" ") }
}
