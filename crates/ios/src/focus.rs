//! The text field that has the keyboard's focus: by the tree where it tells, otherwise by the one element that `WebDriverAgent` calls active.

use serde_json::{Value, json};

use crate::driver::{Element, Rect};
use crate::fault::Miss;
use crate::wda::{Ask, Wda};

/// Pixels by which two places of one field may differ, for rounding.
const NEAR: i32 = 4;
/// The keys under which an element's identifier stands.
const KEYS: [&str; 2] = ["ELEMENT", "element-6066-11e4-a52e-4f735466cecf"];

/// The field that has the focus.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Focus {
    /// `WebDriverAgent`'s identifier of it, where that was asked.
    pub(crate) id: Option<String>,
    pub(crate) rect: Rect,
    /// What it holds; bullets of a password.
    pub(crate) text: String,
    pub(crate) hint: String,
    pub(crate) is_password: bool,
}

impl Focus {
    fn of(element: &Element, id: Option<String>) -> Self {
        let (text, hint) = (element.text.clone(), element.hint.clone());
        Self { id, rect: element.rect, text, hint, is_password: element.password }
    }
}

/// Returns where the text fields lie.
pub(crate) fn fields(roots: &[Element]) -> Vec<Rect> {
    let mut fields = Vec::new();
    for root in roots {
        root.walk(&mut |element| {
            if element.role == "textfield" {
                fields.push(element.rect);
            }
        });
    }
    fields
}

/// Returns the field of which the tree itself tells that it has the focus.
pub(crate) fn told(roots: &[Element]) -> Option<Focus> {
    let mut found = None;
    for root in roots {
        root.walk(&mut |element| {
            if element.focused && element.role == "textfield" {
                found = Some(Focus::of(element, None));
            }
        });
    }
    found
}

/// Asks which element is active, and finds it in the tree by its place.
pub(crate) async fn ask(wda: &Wda, roots: &[Element], ratio: f64) -> Result<Option<Focus>, Miss> {
    let Some(id) = active(wda).await? else { return Ok(None) };
    let path = format!("/element/{id}/rect");
    let told = match wda.ask(Ask::look("tell where the focus is", &path)).await {
        // It has gone meanwhile.
        Err(Miss::Refused(_)) => return Ok(None),
        told => told?,
    };
    let Some(rect) = rect(&told, ratio) else { return Ok(None) };
    let is_near = |one: i32, other: i32| (one - other).abs() <= NEAR;
    let mut found: Option<&Element> = None;
    for root in roots {
        root.walk(&mut |element| {
            let place = &element.rect;
            let is_it = is_near(place.left, rect.left)
                && is_near(place.top, rect.top)
                && is_near(place.right, rect.right)
                && is_near(place.bottom, rect.bottom);
            if is_it && (element.role == "textfield" || element.role == "webview") {
                found = Some(element);
            }
        });
    }
    // What has the focus may be a part of the field that the tree tells of, as in a page.
    let holds = |element: &&Element| element.role == "textfield" && element.rect.contains(rect.center());
    let found = found.or_else(|| roots.iter().find_map(|root| find(root, &holds)));
    Ok(found.map(|element| Focus::of(element, Some(id))))
}

fn find<'a>(element: &'a Element, test: &dyn Fn(&&'a Element) -> bool) -> Option<&'a Element> {
    if test(&element) { Some(element) } else { element.children.iter().find_map(|child| find(child, test)) }
}

/// Returns the identifier of the element that has the focus.
pub(crate) async fn active(wda: &Wda) -> Result<Option<String>, Miss> {
    let told = match wda.ask(Ask::look("tell what has the focus", "/element/active")).await {
        Err(Miss::Refused(_)) => return Ok(None),
        told => told?,
    };
    let id = KEYS.iter().find_map(|key| told[*key].as_str()).filter(|id| !id.is_empty());
    let is_plain = |id: &&str| id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    Ok(id.filter(is_plain).map(str::to_owned))
}

/// Asks for an attribute of an element; none where it has gone.
pub(crate) async fn attribute(wda: &Wda, id: &str, name: &str) -> Result<Option<String>, Miss> {
    let path = format!("/element/{id}/attribute/{name}");
    match wda.ask(Ask::look("tell what a field holds", &path)).await {
        Ok(Value::String(text)) => Ok(Some(text)),
        Ok(Value::Null) => Ok(Some(String::new())),
        Ok(other) => Ok(Some(other.to_string())),
        Err(Miss::Refused(_)) => Ok(None),
        Err(miss) => Err(miss),
    }
}

/// Empties a field, whatever it holds.
pub(crate) async fn clear(wda: &Wda, id: &str) -> Result<(), Miss> {
    let path = format!("/element/{id}/clear");
    wda.ask(Ask::act("empty the field", &path, &json!({})).within(crate::wda::LONG)).await.map(drop)
}

#[expect(clippy::cast_possible_truncation, reason = "places of a screen")]
fn rect(told: &Value, ratio: f64) -> Option<Rect> {
    let side = |name: &str| told[name].as_f64().filter(|side| side.is_finite());
    let (x, y, width, height) = (side("x")?, side("y")?, side("width")?, side("height")?);
    let pixel = |points: f64| (points * ratio).round().clamp(-1e6, 1e6) as i32;
    Some(Rect { left: pixel(x), top: pixel(y), right: pixel(x + width), bottom: pixel(y + height) })
}

/// Marks the field in a tree.
pub(crate) fn mark(roots: &mut [Element], focus: &Focus) {
    let mut open: Vec<&mut Element> = roots.iter_mut().collect();
    while let Some(element) = open.pop() {
        if element.role == "textfield" && element.rect == focus.rect {
            element.focused = true;
            return;
        }
        open.extend(element.children.iter_mut());
    }
}
