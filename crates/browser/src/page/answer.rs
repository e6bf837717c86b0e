//! What the page's script answers → a screen. Elements come as a list in reading order, each with how deep it lies, its number,
//! tag, role, left, top, width, height, flags, text and what else there is to say, as far as there is.

use serde_json::{Map, Value};

use crate::driver::element::{Actionability, Element, ROLES, Reach, composed};
use crate::driver::{Error, Notes, Point, Rect, Screen, Selected, Size, Vanished};

/// More elements than the script ever lists.
const MAX: usize = 20_000;
/// Deeper than the script ever tells.
const DEEPEST: usize = 200;

/// The bits of an element's flags.
mod flag {
    pub(super) const DISABLED: u64 = 1;
    pub(super) const CLICKABLE: u64 = 2;
    pub(super) const FOCUSABLE: u64 = 4;
    pub(super) const FOCUSED: u64 = 8;
    pub(super) const CHECKABLE: u64 = 16;
    pub(super) const CHECKED: u64 = 32;
    pub(super) const SELECTED: u64 = 64;
    pub(super) const PASSWORD: u64 = 128;
    pub(super) const SCROLLABLE: u64 = 256;
    pub(super) const MOVING: u64 = 512;
    pub(super) const STILL: u64 = 1024;
    pub(super) const MIXED: u64 = 2048;
}

/// A frame that a page's script cannot look into.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hole {
    /// The key of the element that holds it.
    pub(crate) key: u64,
    /// Where its page begins.
    pub(crate) left: i32,
    pub(crate) top: i32,
    /// What may be seen of it.
    pub(crate) rect: Rect,
    pub(crate) turn: Turn,
}

/// What transforms do to a frame beside moving it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Turn {
    #[default]
    None,
    /// It is scaled, turned or skewed: a, b, c and d of CSS's `matrix()`.
    Flat([f64; 4]),
    /// No point of it can be told; why.
    Bent(String),
}

/// What one document's script answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Seen {
    pub(crate) screen: Screen,
    pub(crate) document: u32,
    pub(crate) holes: Vec<Hole>,
    /// Whether there are elements that may have a closed shadow root, of which the browser is to be asked.
    pub(crate) is_closed: bool,
    /// The elements of the page's own kinds, by their keys.
    pub(crate) own: Vec<u64>,
}

/// Makes a screen of the script's answer: the text that it returned, or what that text says in JSON. `selectors` are those that
/// were asked for.
pub fn screen(answer: &Value, selectors: &[String]) -> Result<Screen, Error> {
    seen(answer, selectors).map(|seen| seen.screen)
}

/// Makes a screen of the script's answer, with the frames that it does not tell of.
pub(crate) fn seen(answer: &Value, selectors: &[String]) -> Result<Seen, Error> {
    if let Value::String(text) = answer {
        let parsed: Value = serde_json::from_str(text).map_err(|error| broken(&error.to_string()))?;
        return if parsed.is_string() { Err(broken("a text in a text")) } else { seen(&parsed, selectors) };
    }
    if answer["v"] != 1 {
        return Err(broken("it is not what the script writes"));
    }
    let document = answer["doc"].as_u64().and_then(|token| u32::try_from(token).ok()).unwrap_or_default();
    let side = |name: &str| answer[name].as_u64().and_then(|pixels| u32::try_from(pixels).ok()).unwrap_or_default();
    let listed = answer["e"].as_array().ok_or_else(|| broken("it lists no elements"))?;
    if listed.len() > MAX {
        return Err(broken(&format!("it lists {} elements", listed.len())));
    }
    if let Some(length) = listed.iter().find_map(|item| item.get(10)?.get("z")?.as_u64()) {
        let message = format!("a text of the page has {length} characters, more than are read of one (4,000,000)");
        return Err(Error::Device { message });
    }
    let screen = Screen {
        package: text(&answer["url"]),
        page: text(&answer["url"]),
        size: Size { width: side("w"), height: side("h") },
        lit: true,
        roots: nested(listed, document)?,
        cut: answer["cut"] == 1,
        selected: selected(&answer["s"], selectors, document),
        notes: Notes {
            title: text(&answer["title"]),
            loading: text(&answer["l"]),
            vanished: answer["q"].as_array().into_iter().flatten().map(vanished).collect(),
            flickers: answer["b"] == 1,
            is_new: answer["y"] == 1,
            untold: "",
        },
        ..Screen::default()
    };
    let own = answer["i"].as_array().into_iter().flatten().filter_map(|number| Some(key(document, number.as_u64()?)));
    let holes = answer["f"].as_array().into_iter().flatten().filter_map(|item| hole(item, document));
    Ok(Seen { screen, document, holes: holes.collect(), is_closed: answer["c"] == 1, own: own.collect() })
}

fn vanished(item: &Value) -> Vanished {
    Vanished { text: text(&item[0]), is_sudden: item[1] == 1 }
}

fn hole(item: &Value, document: u32) -> Option<Hole> {
    let side = |place: usize| item.get(place)?.as_i64().and_then(|side| i32::try_from(side).ok());
    let rect = Rect { left: side(3)?, top: side(4)?, right: side(5)?, bottom: side(6)? };
    Some(Hole {
        key: key(document, item.get(0)?.as_u64()?),
        left: side(1)?,
        top: side(2)?,
        rect,
        turn: turn(item.get(7))?,
    })
}

fn turn(told: Option<&Value>) -> Option<Turn> {
    match told {
        None => Some(Turn::None),
        Some(Value::String(why)) => Some(Turn::Bent(why.clone())),
        Some(parts) => {
            let part = |at: usize| parts.get(at)?.as_f64().filter(|part| part.is_finite());
            Some(Turn::Flat([part(0)?, part(1)?, part(2)?, part(3)?]))
        }
    }
}

fn broken(why: &str) -> Error {
    Error::Device { message: format!("the page's answer to a look at it cannot be read: {why}") }
}

/// Puts each element into the nearest one before it that lies less deep.
fn nested(listed: &[Value], document: u32) -> Result<Vec<Element>, Error> {
    let mut roots = Vec::new();
    let mut open: Vec<(u64, Element)> = Vec::new();
    for item in listed {
        let (depth, element) = element(item, document).ok_or_else(|| broken(&format!("an element is {item:.200}")))?;
        while open.last().is_some_and(|(above, _)| *above >= depth) || open.len() > DEEPEST {
            close(&mut open, &mut roots);
        }
        open.push((depth, element));
    }
    while !open.is_empty() {
        close(&mut open, &mut roots);
    }
    Ok(roots)
}

/// Takes the innermost element for whole.
fn close(open: &mut Vec<(u64, Element)>, roots: &mut Vec<Element>) {
    let Some((_, mut done)) = open.pop() else { return };
    let siblings = open.last_mut().map_or(roots, |(_, parent)| &mut parent.children);
    done.index = u32::try_from(siblings.len()).unwrap_or_default();
    siblings.push(done);
}

fn element(item: &Value, document: u32) -> Option<(u64, Element)> {
    let at = |place: usize| item.get(place);
    let number = |place: usize| at(place).and_then(Value::as_i64).and_then(|number| i32::try_from(number).ok());
    let (left, top, width, height) = (number(4)?, number(5)?, number(6)?, number(7)?);
    let flags = at(8)?.as_u64()?;
    let is = |flag: u64| flags & flag != 0;
    let none = Map::new();
    let extras = at(10).and_then(Value::as_object).unwrap_or(&none);
    let extra = |name: &str| extras.get(name).map(text).unwrap_or_default();
    let told = Actionability {
        key: key(document, at(1)?.as_u64()?),
        test_id: extra("t"),
        part_of: extras.get("p").and_then(Value::as_u64).map(|number| key(document, number)),
        still: (is(flag::MOVING) || is(flag::STILL)).then(|| is(flag::STILL)),
        reach: reach(extras),
        options: extras.get("o").and_then(options),
        holds: extra("y"),
        scrolled: extras.get("s").and_then(scrolled).unwrap_or_default(),
        whole: extra("w"),
        mixed: is(flag::MIXED),
        joined: extras.get("j").and_then(Value::as_array).into_iter().flatten().map(text).collect(),
        also: extras.get("d").and_then(Value::as_array).into_iter().flatten().map(text).collect(),
        unseen: extras
            .get("u")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|one| (text(&one[0]), text(&one[1])))
            .collect(),
        hidden: extra("v"),
        flickers: extras.contains_key("k"),
    };
    let element = Element {
        role: role(at(3)?.as_str()?),
        class: text(at(2)?),
        text: at(9).map(text).unwrap_or_default(),
        label: extra("l"),
        hint: extra("h"),
        id: extra("i"),
        rect: Rect { left, top, right: left.saturating_add(width), bottom: top.saturating_add(height) },
        enabled: !is(flag::DISABLED),
        clickable: is(flag::CLICKABLE),
        focusable: is(flag::FOCUSABLE),
        focused: is(flag::FOCUSED),
        checkable: is(flag::CHECKABLE),
        checked: is(flag::CHECKED),
        selected: is(flag::SELECTED),
        password: is(flag::PASSWORD),
        scrollable: is(flag::SCROLLABLE),
        told: Some(Box::new(told)),
        ..Element::default()
    };
    Some((at(0)?.as_u64()?, element))
}

fn options(told: &Value) -> Option<(usize, Vec<String>)> {
    let count = told.get(0)?.as_u64().and_then(|count| usize::try_from(count).ok())?;
    Some((count, told.get(1)?.as_array()?.iter().map(text).collect()))
}

fn scrolled(told: &Value) -> Option<(i32, i32)> {
    let side = |place: usize| told.get(place)?.as_i64().and_then(|side| i32::try_from(side).ok());
    Some((side(0)?, side(1)?))
}

/// Tells elements of one document from those of another, which may have the same numbers.
fn key(document: u32, number: u64) -> u64 {
    u64::from(document) << 32 | number & u64::from(u32::MAX)
}

fn role(word: &str) -> &'static str {
    ROLES.iter().find(|role| **role == word).copied().unwrap_or("group")
}

/// Returns the word that drivers share for a role of WAI-ARIA that a browser tells; none for what says nothing of an element.
pub(crate) fn known_role(word: &str) -> Option<&'static str> {
    Some(match word {
        "textbox" | "searchbox" | "spinbutton" => "textfield",
        "listbox" => "list",
        "progressbar" => "progress",
        "menuitemcheckbox" | "menuitemradio" => "menuitem",
        "alertdialog" => "dialog",
        "button" | "checkbox" | "switch" | "radio" | "combobox" | "slider" | "heading" | "tab" | "link" | "option"
        | "listitem" | "row" | "cell" | "menu" | "menuitem" | "dialog" | "alert" | "status" | "tooltip" | "table" => {
            role(word)
        }
        _ => return None,
    })
}

fn text(value: &Value) -> String {
    composed(value.as_str().unwrap_or_default()).into_owned()
}

fn reach(extras: &Map<String, Value>) -> Reach {
    let coordinate = |place: usize| extras.get("a").and_then(|at| at.get(place)).and_then(Value::as_f64);
    match (extras.get("c"), coordinate(0), coordinate(1)) {
        _ if extras.contains_key("n") => Reach::Missed(extras.get("n").map(text).unwrap_or_default()),
        (Some(cover), ..) => Reach::Covered(text(cover)),
        (None, Some(x), Some(y)) => Reach::At(Point { x, y }),
        _ => Reach::Middle,
    }
}

/// Reads which elements each selector selects; the page's engine answers in the order in which it was asked.
fn selected(answers: &Value, selectors: &[String], document: u32) -> Vec<Selected> {
    let keys =
        |numbers: &[Value]| numbers.iter().filter_map(Value::as_u64).map(|number| key(document, number)).collect();
    let one = |(at, selector): (usize, &String)| {
        let answer = answers.get(at);
        let whole = answer.and_then(Value::as_array).is_some_and(|numbers| numbers.iter().all(Value::is_number));
        let found = match answer {
            Some(Value::Array(numbers)) => Ok(keys(numbers)),
            Some(Value::String(error)) => Err(error.clone()),
            _ => Err("the page did not evaluate it".to_owned()),
        };
        Selected { selector: selector.clone(), found, whole }
    };
    selectors.iter().enumerate().map(one).collect()
}

#[cfg(test)]
mod tests;
