//! Routes of elements: found, told of, clicked, typed into. Source: `FBElementCommands`, `FBFindElementCommands`.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::super::screenshot::encoded;
use super::agent::{Agent, DONE};
use super::answer::{Outcome, Refusal};
use super::call::Call;
use super::element::{Element, id_of, uid_of};
use super::predicate::Operand;
use super::sight::look;
use super::source::Writing;
use super::{find, gestures, typing, words};
use uixt_canvas::geometry::Area;

/// W3C's key of an element's id.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

pub(super) async fn answer(agent: &Arc<Agent>, call: &Call<'_>) -> Outcome {
    match (call.method, call.path.as_slice()) {
        ("POST", ["element"]) => one(agent, call, None).await,
        ("POST", ["elements"]) => several(agent, call, None).await,
        ("GET", ["element", "active"]) => active(agent).await,
        ("POST", ["element", id, "element"]) => one(agent, call, Some(id)).await,
        ("POST", ["element", id, "elements"]) => several(agent, call, Some(id)).await,
        ("GET", ["wda", "element", id, "getVisibleCells"]) => {
            let (tree, _) = look(agent).await?;
            let cells = known(agent, &tree, id)?.descendants().into_iter();
            let cells: Vec<&Element> = cells.filter(|element| element.kind == "Cell" && element.is_visible).collect();
            Ok(cells.into_iter().map(|cell| keep(agent, cell)).collect())
        }
        ("GET", ["wda", "element", id, "accessible"]) => Ok(json!(found(agent, id).await?.0.is_accessible)),
        ("GET", ["wda", "element", id, "accessibilityContainer"]) => {
            let (element, _) = found(agent, id).await?;
            Ok(json!(element.descendants().iter().any(|inner| inner.is_accessible)))
        }
        ("GET", ["element", id, "screenshot"]) => screenshot(agent, id).await,
        ("GET", ["element", id, rest @ ..]) => {
            let (element, writing) = found(agent, id).await?;
            tell(&element, &writing, rest, call)
        }
        ("POST", ["element", id, rest @ ..]) => act(agent, id, rest, call).await,
        _ => Err(call.unknown()),
    }
}

fn query<'a>(call: &'a Call<'_>) -> Result<(&'a str, &'a str), Refusal> {
    let using = call.text("using").ok_or_else(|| Refusal::argument("Invalid locator requested: (null)"))?;
    let value = call.text("value").ok_or_else(|| Refusal::argument("'value' must be a text"))?;
    Ok((using, value))
}

async fn one(agent: &Agent, call: &Call<'_>, within: Option<&str>) -> Outcome {
    let query = query(call)?;
    let (tree, _) = look(agent).await?;
    let base = within.map_or(Ok(&tree), |id| known(agent, &tree, id))?;
    let found = find::all(&tree, base, query)?;
    let first = found.first().ok_or_else(|| Refusal::no_element(query.0, query.1))?;
    Ok(keep(agent, first))
}

async fn several(agent: &Agent, call: &Call<'_>, within: Option<&str>) -> Outcome {
    let query = query(call)?;
    let (tree, _) = look(agent).await?;
    let base = within.map_or(Ok(&tree), |id| known(agent, &tree, id))?;
    let found = find::all(&tree, base, query)?;
    Ok(found.into_iter().map(|element| keep(agent, element)).collect())
}

async fn active(agent: &Agent) -> Outcome {
    let (tree, _) = look(agent).await?;
    let all = tree.descendants();
    let focused = all.into_iter().find(|element| element.is_focused);
    focused
        .map(|element| keep(agent, element))
        .ok_or_else(|| Refusal::no_element("predicate", "hasKeyboardFocus == YES"))
}

/// Gives the session an element's id, and tells it.
fn keep(agent: &Agent, element: &Element) -> Value {
    let id = id_of(element.uid);
    let is_compact = agent.is_set("shouldUseCompactResponses");
    let fields = agent.setting("elementResponseAttributes");
    if let Some(session) = agent.session.lock().as_mut() {
        session.keep(id.clone());
    }
    let mut told = json!({"ELEMENT": id, ELEMENT: id});
    if !is_compact {
        for field in fields.as_str().unwrap_or_default().split(',') {
            match field {
                "name" | "type" => told[field] = json!(format!("XCUIElementType{}", element.kind)),
                "text" => told[field] = json!(element.text()),
                "label" => told[field] = element.label().into(),
                "enabled" => told[field] = json!(element.is_enabled),
                "displayed" => told[field] = json!(element.is_visible),
                "selected" => told[field] = json!(element.is_selected),
                _ => {}
            }
        }
    }
    told
}

/// Returns the element of an id, in a tree.
fn known<'a>(agent: &Agent, tree: &'a Element, id: &str) -> Result<&'a Element, Refusal> {
    let is_kept = agent.session.lock().as_ref().is_some_and(|session| session.elements.iter().any(|known| known == id));
    let uid = uid_of(id).filter(|_| is_kept);
    uid.and_then(|uid| tree.by_uid(uid)).ok_or_else(|| {
        Refusal::stale(format!(
            "The element identified by \"{id}\" is either not present or it has expired from the internal cache. Try to find the element again"
        ))
    })
}

/// Looks for an element as it is now.
pub(super) async fn found(agent: &Agent, id: &str) -> Result<(Element, Writing), Refusal> {
    let (tree, writing) = look(agent).await?;
    let element = known(agent, &tree, id)?.clone();
    Ok((element, writing))
}

fn tell(element: &Element, writing: &Writing, route: &[&str], call: &Call<'_>) -> Outcome {
    let [x, y, width, height] = writing.rect(element.area);
    let rect = || json!({"x": x, "y": y, "width": width, "height": height});
    match route {
        ["rect"] => Ok(rect()),
        ["enabled"] => Ok(json!(element.is_enabled)),
        ["displayed"] => Ok(json!(writing.is_visible(element))),
        ["selected"] => Ok(json!(element.is_selected)),
        ["text"] => Ok(json!(element.text())),
        ["name"] => Ok(json!(format!("XCUIElementType{}", element.kind))),
        ["attribute", name] => {
            let name = words::unescaped(name);
            if name == "rect" {
                return Ok(rect());
            }
            Ok(match find::attribute(element, &name).map_err(Refusal::argument)? {
                Operand::Text(text) => json!(text),
                Operand::Number(number) if find::is_truth(&name) => json!(number != 0.0),
                #[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
                Operand::Number(number) => json!(number as i64),
                _ => Value::Null,
            })
        }
        _ => Err(call.unknown()),
    }
}

async fn act(agent: &Arc<Agent>, id: &str, route: &[&str], call: &Call<'_>) -> Outcome {
    match route {
        ["click"] => {
            gestures::tap_element(agent, id).await?;
            DONE
        }
        ["value"] => {
            let text = words::joined(&call.body["value"]).or_else(|| words::joined(&call.body["text"]));
            let text = text.ok_or_else(|| Refusal::argument("Neither 'value' nor 'text' parameter is provided"))?;
            let (element, _) = found(agent, id).await?;
            if !element.is_focused {
                gestures::tap_element(agent, id).await?;
            }
            typing::type_text(agent, &text, call.number("frequency")).await
        }
        ["clear"] => {
            let (element, _) = found(agent, id).await?;
            if !super::element::is_field(element.kind) {
                return Err(Refusal::state("The element does not support text input"));
            }
            if !element.is_focused {
                gestures::tap_element(agent, id).await?;
            }
            typing::clear(agent).await
        }
        _ => Err(call.unknown()),
    }
}

/// Takes a picture of an element, as far as it is on the screen.
pub(super) async fn screenshot(agent: &Arc<Agent>, id: &str) -> Outcome {
    let (element, _) = found(agent, id).await?;
    let (width, height, pixels) = agent.handset.system.lock().await.pixels();
    let seen = element.seen;
    if seen.is_empty() {
        return Err(Refusal::no_capture(format!("Cannot take a screenshot of {}", element.kind)));
    }
    let part = cropped((width, height), &pixels, seen);
    let side = |length: i32| u32::try_from(length).unwrap_or(0);
    let picture = encoded(side(seen.width()), side(seen.height()), &part);
    let picture = picture.map_err(|error| Refusal::no_capture(error.to_string()))?;
    agent.counts.add("screenshots", 1);
    Ok(json!(STANDARD.encode(picture)))
}

fn cropped((width, _): (u32, u32), pixels: &[u8], part: Area) -> Vec<u8> {
    let place = |at: i32| usize::try_from(at).unwrap_or(0);
    let line = width as usize * 4;
    let rows = (part.top..part.bottom).filter_map(|y| {
        let start = place(y) * line;
        pixels.get(start + place(part.left) * 4..start + place(part.right) * 4)
    });
    rows.flatten().copied().collect()
}
