//! `save` and `extract`: parts of the last result → variables. What is not there is an error, never an empty value.

use serde_json::{Map, Value};
use uixt_call::{TRUNCATED, Table};
use uixt_locate::Kind;

use super::context::{Last, StepContext, failure};
use super::evaluation;
use crate::query;
use crate::result::Failure;
use crate::testcase::{Body, Extract, Save, Scope, Step};

/// What a tool of the project returns, in its answer.
pub(super) const RESULT: &str = "result";

/// How many names a message lists.
const NAMES: usize = 20;

/// Keeps what the step asks for; null where its target was not there, which it allows.
pub(super) async fn keep(cx: &StepContext<'_>, scope: &Scope, step: &Step) -> Result<(), Failure> {
    if cx.run.last.lock().object.get("ignored") == Some(&Value::Bool(true)) {
        let saved = step.saves.iter().map(|save| &save.variable);
        let extracted = step.extracts.iter().map(|extract| &extract.variable);
        saved.chain(extracted).for_each(|variable| scope.save(variable, Value::Null));
        return exported(cx, scope, step).await;
    }
    for save in &step.saves {
        let value = saved(cx.run.options.table, &cx.run.last.lock(), save)?;
        scope.save(&save.variable, value);
    }
    for extract in &step.extracts {
        extracted(cx, scope, extract).await?;
    }
    exported(cx, scope, step).await
}

/// Keeps variables of the step itself; those of a case that it refers to are kept when that ends.
async fn exported(cx: &StepContext<'_>, scope: &Scope, step: &Step) -> Result<(), Failure> {
    if matches!(step.body, Body::Case(_)) {
        return Ok(());
    }
    for name in &step.export {
        let value = evaluation::value(cx, scope, &Value::String(format!("${name}"))).await;
        scope.save(name, value.map_err(|problem| problem.cx(cx, step.place, "export"))?);
    }
    Ok(())
}

fn saved(table: &Table, last: &Last, save: &Save) -> Result<Value, Failure> {
    let main = table.find(&last.tool).map_or(Some(RESULT), |tool| tool.main);
    let Some(path) = save.field.as_deref().or(main) else { return Ok(Value::Object(last.object.clone())) };
    refuse_cut(last, path, &format!("save: {}", save.variable))?;
    at_path(&last.object, path).ok_or_else(|| {
        let variable = &save.variable;
        failure(Kind::Assertion, format!("save: {variable}: {}", absent(last, path)))
    })
}

async fn extracted(cx: &StepContext<'_>, scope: &Scope, extract: &Extract) -> Result<(), Failure> {
    let what = format!("extract: {}", extract.variable);
    let query = evaluation::value(cx, scope, &Value::String(extract.query.clone())).await;
    let query = query.map_err(|problem| problem.cx(cx, extract.place, &what))?;
    let query = query.as_str().unwrap_or(&extract.query);
    let value = found(&cx.run.last.lock(), query, &what)?;
    if value.is_null() {
        let tool = cx.run.last.lock().tool.clone();
        let message = format!(
            "{what}: in the result of {tool}, `{query}` is null, which is not kept: name what to keep in its place, \
             `{query} || 'none'`, or assert that it is null, `validate: [{{equals: [{query}, null]}}]`"
        );
        return Err(failure(Kind::Assertion, message));
    }
    scope.save(&extract.variable, value);
    Ok(())
}

/// Returns what a query finds in the last result; nothing is a failed assertion.
///
/// Null is found where a plain path leads to it.
pub(super) fn found(last: &Last, query: &str, what: &str) -> Result<Value, Failure> {
    refuse_cut(last, query, what)?;
    let object = Value::Object(last.object.clone());
    match query::search(query, &object) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Err(failure(Kind::Assertion, format!("{what}: {}", absent(last, query)))),
        Err(error) => Err(failure(Kind::BadArgument, format!("{what}: `{query}`: {}", error.message))),
    }
}

/// Refuses to say what the items of a list lack that has none.
pub(super) fn refuse_empty(last: &Last, query: &str) -> Result<(), Failure> {
    if !query::is_of_empty_list(query, &Value::Object(last.object.clone())) {
        return Ok(());
    }
    let message = format!(
        "check: `{query}` looks into a list that has no items, which proves nothing of them; that it is empty is said by \
         `length_equals: [{query}, 0]`"
    );
    Err(failure(Kind::Assertion, message))
}

/// Refuses to look into a field of which a part was left out: what it lacks may stand in that part.
fn refuse_cut(last: &Last, query: &str, what: &str) -> Result<(), Failure> {
    let Some(Value::Object(cut)) = last.object.get(TRUNCATED) else { return Ok(()) };
    let may_mean = |name: &str| query.contains(name) || query.contains(['@', '*']) || query::is_regex(query);
    let Some((name, size)) = cut.iter().find(|(name, _)| may_mean(name)) else { return Ok(()) };
    if let Some(why) = size.get("why").and_then(Value::as_str) {
        return Err(failure(Kind::Assertion, format!("{what}: `{name}` was cut: {why}")));
    }
    let of = |key: &str| size.get(key).and_then(Value::as_u64).unwrap_or_default();
    let message = format!(
        "{what}: `{name}` was cut: {} bytes were printed, {} are the most that are kept; write it to a file (`… > out.txt`), \
         and print what matters of that",
        of("printed"),
        of("kept")
    );
    Err(failure(Kind::Assertion, message))
}

/// Says what is there instead.
fn absent(last: &Last, path: &str) -> String {
    if last.tool.is_empty() {
        return format!("there is no result to take `{path}` from");
    }
    if at_path(&last.object, path).is_some_and(|value| value.is_null()) {
        return format!("in the result of {}, `{path}` is null{}", last.tool, refused(last));
    }
    if let Some(lacking) = query::lacking(path, &Value::Object(last.object.clone())) {
        return format!("in the result of {}, {lacking}{}", last.tool, refused(last));
    }
    let names = |map: &Map<String, Value>| {
        let some: Vec<&str> = map.keys().take(NAMES).map(String::as_str).collect();
        format!("{}{}", some.join(", "), if map.len() > NAMES { ", …" } else { "" })
    };
    let inner = path.rsplit_once('.').and_then(|(outer, _)| Some((outer, at_path(&last.object, outer)?)));
    let there = match inner {
        Some((outer, Value::Object(map))) => format!("`{outer}` has: {}", names(&map)),
        _ => format!("it has: {}", names(&last.object)),
    };
    format!("the result of {} has no `{path}`; {there}{}", last.tool, refused(last))
}

/// Says that the server refused a request, which answers in another shape then; empty where it did not.
fn refused(last: &Last) -> String {
    let status = last.object.get("status_code").and_then(Value::as_u64).filter(|status| *status >= 400);
    status.map(|status| format!("; the server answered {status}")).unwrap_or_default()
}

fn at_path(object: &Map<String, Value>, path: &str) -> Option<Value> {
    let mut parts = path.split('.');
    let first = object.get(parts.next()?)?;
    let inner = parts.try_fold(first, |value, part| match value {
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        other => other.get(part),
    });
    inner.cloned()
}
