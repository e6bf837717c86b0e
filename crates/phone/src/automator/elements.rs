//! Routes of elements: found, told of, clicked and typed into. An element is how it was found, and is looked for each time.

use serde_json::{Value, json};

use super::super::handset::Handset;
use super::refusal::{Outcome, Refusal};
use super::search::{self, Found, Query};
use super::touches;
use super::tree::source;

/// W3C's key of an element's id.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// Elements that a session knows at most.
const MAX: usize = 10_000;
/// Android's key that takes away what stands before the cursor.
const DELETE: u32 = 67;

pub(super) async fn answer(handset: &Handset, method: &str, segments: &[&str], body: Value) -> Outcome {
    match (method, segments) {
        ("POST", ["element"]) => {
            let (query, found) = find(handset, &body).await?;
            if found.is_empty() {
                let message = "An element could not be located on the page using the given search parameters.";
                return Err(Refusal::new(404, "no such element", message));
            }
            known(handset, query, 0)
        }
        ("POST", ["elements"]) => {
            let (query, found) = find(handset, &body).await?;
            (0..found.len())
                .map(|index| known(handset, query.clone(), index))
                .collect::<Result<Vec<_>, _>>()
                .map(Value::Array)
        }
        ("GET", ["element", "active"]) => {
            let query = Query { using: "xpath".to_owned(), value: "//*[@focused=\"true\"]".to_owned(), index: 0 };
            again(handset, &query).await?;
            known(handset, query, 0)
        }
        ("POST", ["keys"]) => type_into(handset, &body).await,
        (_, ["element", id, rest @ ..]) => {
            let query =
                handset.automator.session(|session| session.elements.iter().find(|(known, _)| known == id).cloned());
            let (_, query) = query.flatten().ok_or_else(stale)?;
            let found = again(handset, &query).await?;
            of(handset, method, rest, &found, &body).await
        }
        _ => Err(Refusal::unknown_command()),
    }
}

async fn find(handset: &Handset, body: &Value) -> Result<(Query, Vec<Found>), Refusal> {
    let word = |names: [&str; 2]| names.iter().find_map(|name| body[*name].as_str()).map(str::to_owned);
    let (using, value) = word(["using", "strategy"])
        .zip(word(["value", "selector"]))
        .ok_or_else(|| Refusal::argument("'using' and 'value' must be texts"))?;
    if body["context"].as_str().is_some_and(|context| !context.is_empty()) {
        return Err(Refusal::unknown("the virtual phone finds elements in the whole screen only"));
    }
    let found = look(handset, &using, &value).await?;
    Ok((Query { using, value, index: 0 }, found))
}

async fn look(handset: &Handset, using: &str, value: &str) -> Result<Vec<Found>, Refusal> {
    let xml = source(handset).await?;
    let front = handset.system.lock().await.foreground().0;
    search::all(&xml, using, value, &front)
}

async fn again(handset: &Handset, query: &Query) -> Result<Found, Refusal> {
    let found = look(handset, &query.using, &query.value).await?;
    found.into_iter().nth(query.index).ok_or_else(stale)
}

fn stale() -> Refusal {
    Refusal::new(404, "stale element reference", "The element does not exist in DOM anymore")
}

/// Gives what was found an id.
fn known(handset: &Handset, query: Query, index: usize) -> Outcome {
    let id = format!("00000000-0000-0000-{:016x}", fastrand::u64(..));
    let kept = id.clone();
    let has_room = handset.automator.session(|session| {
        session.elements.push((kept, Query { index, ..query }));
        session.elements.len() <= MAX
    });
    match has_room {
        Some(true) => Ok(json!({ELEMENT: id, "ELEMENT": id})),
        _ => Err(Refusal::unknown("too many elements")),
    }
}

async fn of(handset: &Handset, method: &str, route: &[&str], found: &Found, body: &Value) -> Outcome {
    let [left, top, right, bottom] = found.bounds;
    let attribute = |name: &str| found.attributes.get(name).cloned().unwrap_or_default();
    match (method, route) {
        ("GET", ["text"]) => Ok(attribute("text")),
        ("GET", ["name"]) => Ok(attribute("content-desc")),
        ("GET", ["attribute", name]) => Ok(attribute(plain(name))),
        ("GET", ["rect"]) => Ok(json!({"x": left, "y": top, "width": right - left, "height": bottom - top})),
        ("GET", ["size"]) => Ok(json!({"width": right - left, "height": bottom - top})),
        ("GET", ["location"]) => Ok(json!({"x": left, "y": top})),
        ("POST", ["click"]) => tap(handset, found).await,
        ("POST", ["clear"]) => clear(handset, found).await,
        ("POST", ["value"]) => {
            tap(handset, found).await?;
            type_into(handset, body).await
        }
        _ => Err(Refusal::unknown_command()),
    }
}

/// Takes the names that the attributes have besides those in the tree.
fn plain(name: &str) -> &str {
    match name {
        "contentDescription" => "content-desc",
        "resourceId" => "resource-id",
        "className" => "class",
        "longClickable" => "long-clickable",
        "name" => "text",
        other => other,
    }
}

async fn tap(handset: &Handset, found: &Found) -> Outcome {
    let [left, top, right, bottom] = found.bounds.map(f64::from);
    touches::tap(handset, (f64::midpoint(left, right), f64::midpoint(top, bottom))).await
}

async fn clear(handset: &Handset, found: &Found) -> Outcome {
    tap(handset, found).await?;
    let length = found.attributes.get("text").and_then(Value::as_str).map_or(0, |text| text.chars().count());
    let done = handset.act(async move |mut system| {
        for _ in 0..length {
            system.key(DELETE).await;
        }
    });
    done.await.map(|()| Value::Null).map_err(|error| Refusal::unknown(error.to_string()))
}

async fn type_into(handset: &Handset, body: &Value) -> Outcome {
    let text = body["text"].as_str().ok_or_else(|| Refusal::argument("'text' must be a text"))?;
    touches::type_text(handset, text).await
}
