//! W3C actions → strokes of fingers, and texts. Source: `FBW3CActionsSynthesizer`; what it refuses is refused in its words.

use std::sync::Arc;

use serde_json::Value;

use super::agent::Agent;
use super::answer::{Outcome, Refusal};
use super::call::Call;
use super::elements;
use super::gestures::{self, Point, Stroke};
use super::typing;

/// Milliseconds between two places of a finger that glides.
const STEP: u64 = 10;
/// No step takes longer, in milliseconds.
const LONGEST: f64 = 120_000.0;

/// What a list comes to.
#[derive(Debug, Default)]
struct Plan {
    /// Each with the finger's number.
    strokes: Vec<(usize, Stroke)>,
    text: String,
}

pub(super) async fn answer(agent: &Arc<Agent>, call: &Call<'_>) -> Outcome {
    if call.method != "POST" {
        return Err(call.unknown());
    }
    let bad = |message: &str| Refusal::unknown(message.to_owned());
    let actions = call.body["actions"].as_array().filter(|all| !all.is_empty());
    let actions =
        actions.ok_or_else(|| Refusal::argument("The 'actions' argument must be a list with at least one item"))?;
    let mut plan = Plan::default();
    let mut ids: Vec<&str> = Vec::new();
    for (number, action) in actions.iter().enumerate() {
        let id = action["id"].as_str().filter(|id| !id.is_empty());
        let id = id.ok_or_else(|| bad(&format!("The mandatory action id field is missing or empty for '{action}'")))?;
        if ids.contains(&id) {
            return Err(bad(&format!("Action id '{id}' is not unique for '{action}'")));
        }
        ids.push(id);
        let items = action["actions"].as_array();
        let items = items.ok_or_else(|| {
            bad(&format!(
                "It is mandatory to have at least one item defined for each action. Action with id '{id}' contains none"
            ))
        })?;
        match action["type"].as_str() {
            Some("pointer") => {
                check_pointer(action, id)?;
                let steps = resolved(agent, items).await?;
                finger(&steps, number, &mut plan.strokes)?;
            }
            Some("key") => keys(items, &mut plan.text)?,
            Some("none") => {}
            other => {
                return Err(bad(&format!(
                    "Only actions of '(pointer, key)' types are supported. '{}' is given instead for action with id '{id}'",
                    other.unwrap_or("(null)")
                )));
            }
        }
    }
    if !plan.strokes.is_empty() {
        gestures::perform(agent, plan.strokes).await?;
    }
    if !plan.text.is_empty() {
        typing::type_text(agent, &plan.text, None).await?;
    }
    super::agent::DONE
}

fn check_pointer(action: &Value, id: &str) -> Result<(), Refusal> {
    let kind = action["parameters"]["pointerType"].as_str().unwrap_or("mouse");
    if kind == "touch" {
        return Ok(());
    }
    Err(Refusal::unknown(format!(
        "Only pointer type 'touch' is supported. '{kind}' is given instead for action with id '{id}'"
    )))
}

/// Puts the middle of its element into every item that starts from one, in points.
async fn resolved(agent: &Agent, items: &[Value]) -> Result<Vec<Value>, Refusal> {
    let mut steps = items.to_vec();
    for step in &mut steps {
        let Some(id) = element_of(&step["origin"]).map(str::to_owned) else { continue };
        let (element, writing) = elements::found(agent, &id).await?;
        let area = element.area;
        let middle = |from: i32, to: i32| f64::from(i32::midpoint(from, to)) / writing.scale;
        let of = |name: &str| step[name].as_f64().unwrap_or(0.0);
        let (x, y) = (middle(area.left, area.right) + of("x"), middle(area.top, area.bottom) + of("y"));
        step["x"] = x.into();
        step["y"] = y.into();
        step["origin"] = "viewport".into();
    }
    Ok(steps)
}

fn element_of(origin: &Value) -> Option<&str> {
    let names = ["element-6066-11e4-a52e-4f735466cecf", "ELEMENT"];
    names.into_iter().find_map(|name| origin.get(name)).and_then(Value::as_str)
}

/// Turns a finger's items into its strokes.
fn finger(items: &[Value], number: usize, strokes: &mut Vec<(usize, Stroke)>) -> Result<(), Refusal> {
    let (mut now, mut at): (u64, Option<Point>) = (0, None);
    let mut stroke: Option<Stroke> = None;
    for item in items {
        let duration = duration(item)?;
        let nowhere = || Refusal::unknown(format!("The '{item}' action item must be preceded by pointerMove item"));
        match item["type"].as_str() {
            Some("pause") => {
                at.ok_or_else(nowhere)?;
                now += duration;
            }
            Some("pointerMove") => {
                let to = target(item, at)?;
                if let (Some(stroke), Some(from)) = (&mut stroke, at) {
                    glide(stroke, (from, to), (now, duration));
                }
                (at, now) = (Some(to), now + duration);
            }
            Some("pointerDown") => {
                let at = at.ok_or_else(nowhere)?;
                strokes.extend(stroke.take().map(|stroke| (number, stroke)));
                stroke = Some(Stroke { points: vec![(at, now)], end: now });
            }
            Some("pointerUp") => {
                at.ok_or_else(nowhere)?;
                let mut lifted = stroke
                    .take()
                    .ok_or_else(|| Refusal::unknown(format!("Pointer Up must not be the first action in '{item}'")))?;
                lifted.end = now;
                strokes.push((number, lifted));
            }
            Some("pointerCancel") => stroke = None,
            other => {
                return Err(Refusal::unknown(format!(
                    "action item type '{}' is not supported. Only the following action item types are supported: \
                     (pointerMove, pointerDown, pointerUp, pause)",
                    other.unwrap_or("(null)")
                )));
            }
        }
    }
    // What is never lifted is lifted by the end of the event.
    strokes.extend(stroke.map(|stroke| (number, Stroke { end: now, ..stroke })));
    Ok(())
}

fn duration(item: &Value) -> Result<u64, Refusal> {
    let given = &item["duration"];
    let number = if given.is_null() { Some(0.0) } else { given.as_f64() };
    let number = number.filter(|number| *number >= 0.0).ok_or_else(|| {
        Refusal::unknown(format!("Duration must be a valid number greater or equal to 0 for '{item}'"))
    })?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most two minutes")]
    Ok(number.min(LONGEST) as u64)
}

fn glide(stroke: &mut Stroke, (from, to): (Point, Point), (now, duration): (u64, u64)) {
    let count = (duration / STEP).clamp(1, 200);
    for number in 1..=count {
        #[expect(clippy::cast_precision_loss, reason = "few steps")]
        let part = number as f64 / count as f64;
        let at = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
        stroke.points.push((at, now + duration * number / count));
    }
}

fn target(item: &Value, at: Option<Point>) -> Result<Point, Refusal> {
    let number = |name: &str| item[name].as_f64().filter(|number| number.is_finite());
    let place = number("x").zip(number("y"));
    let missing = || Refusal::unknown(format!("Both 'x' and 'y' options should be set for '{item}' action item"));
    match item["origin"].as_str().or(item["origin"].is_null().then_some("viewport")) {
        Some("viewport") => place.ok_or_else(missing),
        Some("pointer") => {
            let at = at.ok_or_else(|| {
                Refusal::unknown(format!(
                    "There is no previous item for '{item}' action item, however origin is set to 'pointer'"
                ))
            })?;
            let (x, y) = place.unwrap_or((0.0, 0.0));
            Ok((at.0 + x, at.1 + y))
        }
        _ => Err(Refusal::unknown(format!(
            "Unsupported origin type '{}' is set for '{item}' action item. Supported origin types: (pointer, viewport) or an \
             element instance",
            item["origin"]
        ))),
    }
}

fn keys(items: &[Value], text: &mut String) -> Result<(), Refusal> {
    for item in items {
        match (item["type"].as_str(), item["value"].as_str()) {
            (Some("keyDown"), Some(value)) => text.push_str(value),
            (Some("keyUp"), Some(_)) | (Some("pause"), _) => {}
            _ => {
                return Err(Refusal::unknown(format!(
                    "The type property is mandatory to set for '{item}' action item"
                )));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn strokes(items: &Value) -> Result<Vec<(usize, Stroke)>, Refusal> {
        let mut strokes = Vec::new();
        finger(items.as_array().unwrap(), 0, &mut strokes).map(|()| strokes)
    }

    #[test]
    fn items_become_strokes_with_their_times() {
        let drag = json!([
            {"type": "pointerMove", "x": 10, "y": 20, "duration": 50}, {"type": "pointerDown", "button": 0},
            {"type": "pause", "duration": 600}, {"type": "pointerMove", "origin": "pointer", "x": 100, "y": 0, "duration": 20},
            {"type": "pointerUp"}
        ]);
        let made = strokes(&drag).unwrap();
        let expected = [((10.0, 20.0), 50), ((60.0, 20.0), 660), ((110.0, 20.0), 670)];
        assert_eq!((made[0].1.points.as_slice(), made[0].1.end), (expected.as_slice(), 670));
        let place = json!({"type": "pointerMove", "x": 1, "y": 2});
        for bad in [
            json!([{"type": "pointerDown"}]),
            json!([place, {"type": "pointerUp"}]),
            json!([{"type": "pointerMove", "x": 1}]),
            json!([place, {"type": "wheel"}]),
            json!([place, {"type": "pause", "duration": -1}]),
        ] {
            assert_eq!(strokes(&bad).map_err(|refusal| refusal.status), Err(500), "{bad}");
        }
    }
}
