//! `uixt tools`: the table, for people and programs; what the calls of earlier runs add up to.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use uixt_call::{ToolRow, arguments};

use super::statistics;
use crate::cli::exit::{Done, Failure, print};
use crate::cli::project_tools;
use crate::testcase::OwnTool;
use crate::tools;

#[derive(Args)]
pub(in crate::cli) struct Tools {
    /// Tell of this tool alone, each of its arguments with what it means.
    name: Option<String>,
    /// How to print them.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// List only what devices of this platform have.
    #[arg(long, value_name = "PLATFORM", value_parser = ["android", "ios", "harmony", "browser"])]
    platform: Option<String>,
    /// Also list other names of tools, with arguments and answers of their own.
    #[arg(long)]
    all: bool,
    /// Tell how often the project's earlier runs called each tool, and how long that took.
    #[arg(long, conflicts_with_all = ["platform", "all"])]
    stats: bool,
    /// How many of the newest runs are looked at.
    #[arg(long, value_name = "N", default_value_t = 500, requires = "stats", value_parser = clap::value_parser!(u32).range(1..=500))]
    runs: u32,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Table,
    Json,
    Markdown,
}

impl Tools {
    pub(in crate::cli) fn run(self) -> Done {
        if self.stats {
            return self.tell_statistics();
        }
        if let Some(name) = &self.name {
            if let Some(tool) = project_tools::find(name)? {
                return print(&of_project(self.format, &[tool], true));
            }
            let unknown = || Failure::usage(tools::table().unknown_tool_error(name).message);
            let tool = tools::find(name).ok_or_else(unknown)?;
            return print(&match self.format {
                Format::Table => page(tool),
                Format::Json => json_text(&[tool]),
                Format::Markdown => markdown("tool", &[tool]),
            });
        }
        let is_on = |tool: &&ToolRow| self.platform.as_ref().is_none_or(|platform| tool.is_on(platform));
        let (named, aliases): (Vec<_>, Vec<_>) = tools::all().filter(is_on).partition(|tool| tool.alias_of.is_none());
        let aliases = if self.all { aliases } else { Vec::new() };
        let own = project_tools::tools().unwrap_or_else(|failure| {
            eprintln!("{failure}");
            Vec::new()
        });
        let project = if own.is_empty() { String::new() } else { of_project(self.format, &own, false) };
        print(&match self.format {
            Format::Table => table(&[named, aliases].concat()) + &project,
            Format::Json if own.is_empty() => json_text(&[named, aliases].concat()),
            Format::Json => {
                let rows = [rows(&[named, aliases].concat()), own.iter().map(|tool| own_row(tool)).collect()].concat();
                serde_json::to_string_pretty(&rows).unwrap_or_default()
            }
            Format::Markdown if aliases.is_empty() => markdown("tool", &named),
            Format::Markdown => markdown("tool", &named) + "\n" + &markdown("name", &aliases),
        })
    }
}

impl Tools {
    fn tell_statistics(self) -> Done {
        let is_json = match self.format {
            Format::Table => false,
            Format::Json => true,
            Format::Markdown => return Err(Failure::usage("--stats is told as a table or as JSON")),
        };
        let name = self.name.map(|name| tools::find(&name).map_or(name, |tool| tool.name.to_owned()));
        statistics::tell(name.as_deref(), self.runs, is_json)
    }
}

fn table(tools: &[&'static ToolRow]) -> String {
    let row = |tool: &&'static ToolRow| format!("{:<24} {}\n{:<24} {}\n", tool.name, brief(tool), "", arguments(tool));
    tools.iter().map(row).collect()
}

/// Steps of the samples: a tool's name, then a step that calls it, each line of it with two spaces in front.
const EXAMPLES: &str = include_str!("examples.txt");

/// Returns a step that calls a tool.
fn example(name: &str) -> Option<String> {
    let mut lines = EXAMPLES.lines().skip_while(|line| *line != name).skip(1);
    let step: String =
        lines.by_ref().map_while(|line| line.strip_prefix("  ")).map(|line| format!("  {line}\n")).collect();
    (!step.is_empty()).then_some(step)
}

/// Tells of a tool: what it does, what each argument is, and a step that calls it.
pub(super) fn page(tool: &'static ToolRow) -> String {
    let schema = tool.schema();
    let required: Vec<&str> = schema.required().collect();
    let head = format!("{}\n{}\n\n", tool.name, about(tool, &schema.description));
    let arguments = schema.properties().fold(head, |text, (name, property)| {
        let description = property.get("description").and_then(Value::as_str).unwrap_or_default();
        let needed = if required.contains(&name) { " (required)" } else { "" };
        text + &format!("{name:<18} {:<16} {description}{}{needed}\n", kind(property), values(property))
    });
    let example = example(tool.name).map(|step| format!("\nexample, as a step:\n{step}")).unwrap_or_default();
    arguments + &example
}

/// Says what an argument may be: `text`, or `number or list`.
fn kind(property: &Value) -> String {
    let one = |of: &Value| match of.get("type").and_then(Value::as_str) {
        Some("string") => "text",
        Some("boolean") => "true or false",
        Some("integer") => "whole number",
        Some("array") => "list",
        Some("object") => "map",
        Some("number") => "number",
        _ => "anything",
    };
    let Some(any) = property.get("anyOf").and_then(Value::as_array) else { return one(property).to_owned() };
    let kinds: Vec<&str> = any.iter().map(one).collect();
    // All that YAML knows.
    if kinds.len() > 4 { "anything".to_owned() } else { kinds.join(" or ") }
}

/// Lists what an argument may be, where it is one of several words or a number within bounds.
fn values(property: &Value) -> String {
    if let Some(words) = property.get("enum").and_then(Value::as_array).filter(|words| words.len() > 1) {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        return format!(" One of {}.", words.join(", "));
    }
    let default = property.get("default").map(|value| format!(" {value} by default.")).unwrap_or_default();
    match (property.get("minimum"), property.get("maximum")) {
        (Some(least), Some(most)) => format!(" From {least} to {most}.{default}"),
        _ => default,
    }
}

/// Says what a tool does and, of another name, of which tool it is one.
fn about(tool: &ToolRow, description: &str) -> String {
    tool.alias_of.map_or_else(|| description.to_owned(), |of| format!("`{of}`: {description}"))
}

fn brief(tool: &'static ToolRow) -> String {
    about(tool, tool.schema().brief())
}

fn json_text(tools: &[&'static ToolRow]) -> String {
    serde_json::to_string_pretty(&rows(tools)).unwrap_or_default()
}

fn rows(tools: &[&'static ToolRow]) -> Vec<Value> {
    tools
        .iter()
        .map(|tool| {
            let schema = tool.schema();
            json!({
                "name": tool.name,
                "aliases": tool.aliases,
                "alias_of": tool.alias_of,
                "description": schema.description,
                "inputSchema": schema.published().as_ref(),
            })
        })
        .collect()
}

/// Lists tools that the project made, or tells all of one.
fn of_project(format: Format, tools: &[Arc<OwnTool>], is_whole: bool) -> String {
    match format {
        Format::Json => {
            let rows: Vec<Value> = tools.iter().map(|tool| own_row(tool)).collect();
            serde_json::to_string_pretty(&rows).unwrap_or_default()
        }
        _ if is_whole => tools.iter().map(|tool| own_page(tool)).collect(),
        _ => tools.iter().fold("\nproject:\n".to_owned(), |text, tool| {
            let names: Vec<String> =
                tool.parameters.iter().map(|one| in_brackets(&one.name, one.is_required)).collect();
            let brief = tool.description.trim().lines().next().unwrap_or_default();
            let names = if names.is_empty() { "–".to_owned() } else { names.join(" ") };
            text + &format!("{:<24} {brief} ({})\n{:<24} {names}\n", tool.name, tool.file, "")
        }),
    }
}

fn own_row(tool: &OwnTool) -> Value {
    json!({
        "name": tool.name,
        "project": tool.file,
        "agents": tool.for_agents,
        "description": tool.description.trim(),
        "inputSchema": tool.schema(),
    })
}

fn own_page(tool: &OwnTool) -> String {
    let schema = Value::Object(tool.schema());
    let head = format!("{}\n{}\n{}\n\n", tool.name, tool.description.trim(), tool.file);
    tool.parameters.iter().fold(head, |text, parameter| {
        let needed = match (&parameter.default, parameter.is_required) {
            (Some(_), _) if parameter.is_secret => " (need not be given)".to_owned(),
            (Some(value), _) => format!(" ({value} where it is not given)"),
            (None, true) => " (required)".to_owned(),
            (None, false) => String::new(),
        };
        let values = values(&schema["properties"][&parameter.name]);
        let kind = kind(&schema["properties"][&parameter.name]);
        text + &format!("{:<18} {kind:<16} {}{values}{needed}\n", parameter.name, parameter.description.trim())
    })
}

fn in_brackets(name: &str, is_required: bool) -> String {
    if is_required { name.to_owned() } else { format!("[{name}]") }
}

/// Writes a table as docs/tools.md holds it.
fn markdown(head: &str, tools: &[&'static ToolRow]) -> String {
    let head = format!("| {head} | what it does | arguments |\n| --- | --- | --- |\n");
    tools.iter().fold(head, |text, tool| {
        text + &format!("| `{}` | {} | {} |\n", tool.name, brief(tool).replace('|', "\\|"), arguments(tool))
    })
}

/// The arguments that are the parts of a target, as long as a tool takes all of them.
fn target() -> Vec<&'static str> {
    tools::find("assert_visible").into_iter().flat_map(arguments::valid).filter(|name| *name != "timeout").collect()
}

/// Lists a tool's own arguments; those that may be left out stand in brackets, and those of a target as one.
fn arguments(tool: &'static ToolRow) -> String {
    let schema = tool.schema();
    let required: Vec<&str> = schema.required().collect();
    let own: Vec<&str> = arguments::valid(tool).collect();
    let target = Some(target()).filter(|target| target.iter().all(|name| own.contains(name))).unwrap_or_default();
    let rest = own.into_iter().filter(|name| !target.contains(name));
    let rest = rest.map(|name| in_brackets(name, required.contains(&name)));
    let whole = (!target.is_empty()).then(|| "*target*".to_owned());
    let names: Vec<String> = whole.into_iter().chain(rest).collect();
    if names.is_empty() { "–".to_owned() } else { names.join(" ") }
}
