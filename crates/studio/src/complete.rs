//! A testcase and a place in it → what may be written there: tools, their arguments, the targets that are on the screen.

use serde_json::{Value, json};
use uixt_call::{Table, ToolRow};

use crate::elements;
use crate::stage::Stage;

/// Most proposals.
const MOST: usize = 60;

/// Returns what may stand before a place of a line, counted from 0 in characters, and where it begins.
pub(crate) fn at(table: &Table, stage: Option<&Stage>, text: &str, (line, column): (usize, usize)) -> Value {
    let written: String = text.lines().nth(line).unwrap_or_default().chars().take(column).collect();
    let begins = written
        .rfind(|sign: char| !(sign.is_alphanumeric() || sign == '_'))
        .map_or(0, |at| at + written[at..].chars().next().map_or(1, char::len_utf8));
    let (before, word) = written.split_at(begins);
    let from = before.chars().count();
    let key = before.trim_start();
    let items = match () {
        () if key == "- " || key == "-" => of_tools(table, word),
        () => match tool_of(table, before) {
            Some((tool, is_value)) if is_value => of_screen(stage, tool, word),
            Some((tool, _)) => of_arguments(tool, word),
            None => Vec::new(),
        },
    };
    json!({"from_column": from, "items": items})
}

fn of_tools(table: &Table, word: &str) -> Vec<Value> {
    let mut fitting: Vec<&'static ToolRow> = table.all().filter(|tool| tool.name.contains(word)).collect();
    fitting.sort_by_key(|tool| (!tool.name.starts_with(word), tool.alias_of.is_some(), tool.name.len()));
    let one = |tool: &&'static ToolRow| json!({"label": tool.name, "insert": format!("{}: ", tool.name), "detail": first_line(tool.schema().brief())});
    fitting.iter().take(MOST).map(one).collect()
}

fn of_arguments(tool: &'static ToolRow, word: &str) -> Vec<Value> {
    let schema = tool.schema();
    let fitting = schema.properties().filter(|(name, _)| name.starts_with(word));
    let detail =
        |of: &Value| of.get("description").and_then(Value::as_str).map(first_line).unwrap_or_default().to_owned();
    let one = |(name, of): (&str, &Value)| json!({"label": name, "insert": format!("{name}: "), "detail": detail(of)});
    fitting.map(one).take(MOST).collect()
}

/// Returns the names of what is seen on the screen, for a tool that takes a target.
fn of_screen(stage: Option<&Stage>, tool: &'static ToolRow, word: &str) -> Vec<Value> {
    let takes_target = tool.schema().property("text").is_some() || tool.schema().property("into").is_some();
    let Some(stage) = stage.filter(|_| takes_target) else { return Vec::new() };
    let seen = stage.seen();
    let mut names: Vec<(String, &'static str)> = Vec::new();
    for (element, _) in elements::all(&seen.screen) {
        let name = element.name();
        let is_new = !name.is_empty() && name.chars().count() < 60 && names.iter().all(|(known, _)| known != name);
        if is_new && !element.password && name.to_lowercase().contains(&word.to_lowercase()) {
            names.push((name.to_owned(), element.role));
        }
    }
    let one = |(name, role): (String, &str)| json!({"label": name, "insert": uixt_core::yaml::inline(&json!(name)), "detail": role});
    names.into_iter().take(MOST).map(one).collect()
}

/// Returns the tool in whose arguments a line stands, and whether its whole value is to be written.
fn tool_of(table: &Table, before: &str) -> Option<(&'static ToolRow, bool)> {
    let line = before.trim_start().trim_start_matches("- ");
    let (name, rest) = line.split_once(':')?;
    let tool = table.find(name.trim())?;
    Some((tool, rest.trim().is_empty()))
}

/// Explains a tool by its name.
pub(crate) fn explained(table: &Table, word: &str) -> Option<Value> {
    let tool = table.find(word)?;
    let schema = tool.schema();
    let arguments = schema.properties().map(|(name, of)| {
        let what = of.get("description").and_then(Value::as_str).unwrap_or_default();
        format!("{name}: {}", first_line(what))
    });
    let text: Vec<String> = std::iter::once(tool.schema().brief().to_owned()).chain(arguments).collect();
    Some(json!({"title": tool.name, "text": text.join("\n")}))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
