//! An element on a screen → what a person wants to know of it: the target that means it, how many answer to that, whether it is seen, and the steps and
//! assertions that testcases have for it.

use serde_json::{Value, json};
use uixt_call::{CallToolRequest, Table};
use uixt_core::yaml;
use uixt_driver::{Element, Point, Screen};
use uixt_locate::finder::{Purpose, takes_text};
use uixt_locate::target::Target;
use uixt_locate::{Object, finder, hit, naming};

use crate::act::call;
use crate::elements::{self, Unseen};
use crate::said::Place;

/// What stands for what somebody is to write.
const TO_WRITE: &str = "…";

/// A step that an element has.
pub(crate) struct Offer {
    kind: &'static str,
    tool: &'static str,
    arguments: Object,
}

impl Offer {
    pub(crate) fn new(kind: &'static str, tool: &'static str, target: Object, more: &Value) -> Self {
        let more = more.as_object().cloned().unwrap_or_default();
        Self { kind, tool, arguments: target.into_iter().chain(more).collect() }
    }

    /// Tells of a step.
    pub(crate) fn step(&self, table: &Table) -> Value {
        json!({"label": self.kind, "text": self.text(table)})
    }

    /// Tells of an assertion.
    pub(crate) fn assert(&self, table: &Table) -> Value {
        json!({"kind": self.kind, "text": self.text(table)})
    }

    fn text(&self, table: &Table) -> String {
        let value = uixt_recorder::short_value(table, self.tool, &self.arguments);
        yaml::list_item(&json!({self.tool: value}))
    }
}

/// Returns the element of a number, or what is seen at a point: of several that lie in each other the innermost that says something.
pub(crate) fn element<'a>(screen: &'a Screen, place: &Place) -> Option<(usize, &'a Element)> {
    let all = elements::all(screen);
    if let Some(number) = place.n {
        let is_there = |element: &Element| place.rect.is_none_or(|rect| rect == elements::sides(element.rect));
        let (element, _) = all.get(number).filter(|(element, _)| is_there(element))?;
        return Some((number, element));
    }
    let [x, y] = place.point()?;
    let says = |element: &Element| !element.name().is_empty() || element.role != "group";
    let met = all.iter().enumerate().filter(|(_, (element, _))| element.rect.contains(Point { x, y }) && says(element));
    let area = |element: &Element| {
        i64::from(element.rect.right - element.rect.left) * i64::from(element.rect.bottom - element.rect.top)
    };
    let unseen = Unseen::of(screen);
    let seen = met.filter(|(_, (element, _))| unseen.why(element).is_empty());
    seen.min_by_key(|(number, (element, _))| (area(element), usize::MAX - number))
        .map(|(number, (one, _))| (number, *one))
}

/// Tells whether what stands at a place says nothing by itself: no element, or a picture, on which a text may be drawn.
pub(crate) fn is_mute(screen: &Screen, place: &Place) -> bool {
    let is_picture = |element: &Element| element.role == "image" && element.name().is_empty() && !element.clickable;
    element(screen, place).is_none_or(|(_, element)| is_picture(element))
}

/// Tells all of an element.
pub(crate) fn told(screen: &Screen, (number, element): (usize, &Element), table: &Table) -> Value {
    let touched = touched(screen, element);
    let target =
        naming::target(touched, screen, Purpose::Touch).or_else(|| naming::target(element, screen, Purpose::Read));
    let why = Unseen::of(screen).why(element);
    let target = target.unwrap_or_default();
    let count = if target.is_empty() { 0 } else { naming::found(&target, screen).len() };
    let steps = steps(screen, element, touched);
    let asserts = assertions(screen, element);
    json!({
        "n": number, "target": target, "written": yaml::inline(&naming::short_target(&target)), "count": count,
        "seen": why.is_empty(), "why": why,
        "steps": steps.iter().map(|offer| offer.step(table)).collect::<Vec<_>>(),
        "asserts": asserts.iter().map(|offer| offer.assert(table)).collect::<Vec<_>>(),
    })
}

/// Returns the call of an assertion; none where it is not offered as a text that somebody has chosen.
pub(crate) fn assertion(offers: Vec<Offer>, (kind, text): (&str, &str), table: &Table) -> Option<CallToolRequest> {
    let is_chosen = |offer: &Offer| offer.kind == kind && offer.text(table) == text;
    let offer = offers.into_iter().find(is_chosen)?;
    Some(call(offer.tool, Value::Object(offer.arguments)))
}

/// Returns what a finger meets in the middle of an element, where that is what the element stands in.
fn touched<'a>(screen: &'a Screen, element: &'a Element) -> &'a Element {
    let met = hit::at(screen, element.rect.center()).filter(|hit| hit.takes).map(|hit| hit.element);
    met.filter(|met| met.rect.union(&element.rect) == met.rect).unwrap_or(element)
}

fn steps(screen: &Screen, element: &Element, touched: &Element) -> Vec<Offer> {
    let mut steps = Vec::new();
    if takes_text(element) {
        let into = naming::target(element, screen, Purpose::Type);
        steps.extend(into.map(|target| {
            let into = naming::short_target(&target);
            Offer::new("input", "input", Object::new(), &json!({"text": TO_WRITE, "into": into}))
        }));
    }
    if let Some(target) = naming::target(touched, screen, Purpose::Touch) {
        for tool in ["tap", "long_press", "scroll_to"] {
            steps.push(Offer::new(tool, tool, target.clone(), &json!({})));
        }
    }
    let read = naming::target(element, screen, Purpose::Read);
    steps.extend(read.map(|target| Offer::new("get_text", "get_text", target, &json!({}))));
    steps
}

pub(crate) fn assertions(screen: &Screen, element: &Element) -> Vec<Offer> {
    let mut offers = Vec::new();
    if let Some(target) = naming::target(element, screen, Purpose::Look) {
        offers.push(Offer::new("visible", "assert_visible", target.clone(), &json!({})));
    }
    let Some(target) = naming::target(element, screen, Purpose::Read) else { return offers };
    let shown = if element.password { "" } else { element.text.as_str() };
    if !shown.is_empty() && target.get("text").is_none_or(|text| text != shown) {
        let kind = if takes_text(element) { "value" } else { "text" };
        offers.push(Offer::new(kind, "assert_text", target.clone(), &json!({"equals": shown})));
    }
    if element.checkable {
        offers.push(Offer::new("checked", "assert_state", target.clone(), &json!({"checked": element.checked})));
    }
    if element.clickable || takes_text(element) || !element.enabled {
        offers.push(Offer::new("enabled", "assert_state", target.clone(), &json!({"enabled": element.enabled})));
    }
    if element.role != "group" {
        let alike = Object::from_iter([("role".to_owned(), json!(element.role))]);
        let count = naming::found(&alike, screen).len();
        offers.push(Offer::new("count", "assert_count", alike, &json!({"equals": count})));
    }
    offers.push(Offer::new("not_visible", "assert_not_visible", target, &json!({})));
    offers
}

/// Collects the selectors of a target, and of what it stands in or beside.
pub(crate) fn selectors(target: &Value, found: &mut Vec<String>) {
    match target {
        Value::String(text) if uixt_locate::selector::looks_like_selector(text) => found.push(text.clone()),
        Value::Object(target) => {
            found.extend(target.get("selector").and_then(Value::as_str).map(str::to_owned));
            ["within", "near"].iter().filter_map(|key| target.get(*key)).for_each(|place| selectors(place, found));
        }
        _ => {}
    }
}

/// Finds what answers to a target as somebody writes it. The error says why nothing can.
pub(crate) fn tried(screen: &Screen, written: &str) -> Result<Value, String> {
    let value = match uixt_testcase::read_text("target", written) {
        Ok(value) => value,
        Err(errors) => return Err(errors.first().map(ToString::to_string).unwrap_or_default()),
    };
    let target = match &value {
        Value::Object(target) => target.clone(),
        Value::Null => return Err("write a target: a text, or {role: button, text: Sign in}".to_owned()),
        other => {
            let word = other.as_str().map_or_else(|| other.to_string(), str::to_owned);
            let key = if uixt_locate::selector::looks_like_selector(&word) { "selector" } else { "text" };
            Object::from_iter([(key.to_owned(), word.into())])
        }
    };
    let target: Target = serde_json::from_value(Value::Object(target)).map_err(|error| error.to_string())?;
    target.check()?;
    let found = finder::find_all(&target, screen, None).map_err(|error| error.message)?;
    let all = elements::all(screen);
    let number = |wanted: &Element| all.iter().position(|(element, _)| std::ptr::eq(*element, wanted));
    let one = |element: &Element, why: String| {
        json!({
            "n": number(element), "rect": elements::sides(element.rect), "role": element.role, "name": naming::name(element),
            "seen": why.is_empty(), "why": why,
        })
    };
    let mut matches: Vec<Value> = found.iter().map(|element| one(element, String::new())).collect();
    let hidden = finder::hidden(&target, screen, None);
    matches.extend(hidden.into_iter().map(|(element, why)| one(element, why.to_string())));
    let message = match found.len() {
        0 => match finder::nearest_names(&target, screen) {
            near if near.is_empty() => "nothing on the screen answers to it".to_owned(),
            near => format!("nothing on the screen answers to it; near: {}", near.join(", ")),
        },
        1 => "one element answers to it".to_owned(),
        many => format!("{many} elements answer to it: add `index`, `within` or `near`"),
    };
    Ok(json!({"matches": matches, "message": message}))
}
