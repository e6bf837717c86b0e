//! An element and its screen → the target by which a testcase names it: stable, as short as can be, and held against the screen
//! to mean this element and no other. The way back is [`finder`]'s.
//!
//! What stands in the code comes before what stands on the screen, and that before where it stands: what tests call it, an id, its
//! text, its text and role, what labels it, what it stands in or beside, and only then its number among those like it.

use serde_json::{Value, json};

use super::finder::{self, Purpose, pick};
use super::selector::looks_like_selector;
use super::target::Target;
use super::{Object, hit, occlusion, wording};
use crate::driver::{Element, Screen};

/// Longest text that anybody would write as a target.
const MAX_LEN: usize = 80;
/// Candidates that are held against a screen, at most: each is a look through all of it.
const MAX: usize = 60;
/// Ids of Android's own that many apps bear alike.
const FRAMEWORK: &str = "android:id/";

/// Returns the target that means an element to whoever wants this of it; none where nothing tells it from others.
pub fn target(element: &Element, screen: &Screen, purpose: Purpose) -> Option<Object> {
    let observation = Observation { element, screen, purpose };
    let candidates: Vec<Object> = observation.candidates().into_iter().take(MAX).collect();
    // What no other element answers to is better than what only a finger would take for this one.
    let strict = candidates.iter().find(|candidate| observation.means(candidate, Purpose::Read));
    strict.or_else(|| candidates.iter().find(|candidate| observation.means(candidate, purpose))).cloned()
}

/// Writes a target as a testcase does: a text alone as it is.
pub fn short_target(target: &Object) -> Value {
    match target.get("text").filter(|_| target.len() == 1) {
        Some(Value::String(text)) if !looks_like_selector(text) => Value::String(text.clone()),
        _ => Value::Object(target.clone()),
    }
}

/// Returns what on a screen answers to a target.
pub fn found<'a>(target: &Object, screen: &'a Screen) -> Vec<&'a Element> {
    read(target).and_then(|target| finder::find_all(&target, screen, None).ok()).unwrap_or_default()
}

/// What an element is called in words.
pub fn name(element: &Element) -> String {
    names(element)
        .first()
        .or(inner(element).iter().flat_map(|part| names(part)).next().as_ref())
        .map_or_else(|| element.short_id().to_owned(), |name| wording::clip(name))
}

struct Observation<'a> {
    element: &'a Element,
    screen: &'a Screen,
    purpose: Purpose,
}

impl<'a> Observation<'a> {
    /// Returns what could name the element, the best first.
    fn candidates(&self) -> Vec<Object> {
        let subjects = self.subjects();
        let path = path(self.element, self.screen);
        let (ids, texts) = (ids(&subjects), texts(&subjects));
        let is_holder =
            self.element.children.iter().any(|child| !names(child).is_empty()) && names(self.element).is_empty();
        // A row's id is that of all rows, also where only one is there.
        // What is only seen is touched for what it says.
        let is_lettering = self.purpose == Purpose::Touch && !self.element.clickable && !self.element.checkable;
        let mut plain = match is_holder || is_lettering || self.purpose == Purpose::Look {
            true => [texts.clone(), ids.clone()].concat(),
            false => [ids.clone(), texts.clone()].concat(),
        };
        plain.splice(0..0, test_id(self.element));
        plain.extend(subjects.iter().flat_map(|subject| with_role(subject)));
        plain.extend(subjects.iter().flat_map(|subject| text_and_id(subject)));
        plain.extend(labels(self.element));
        let bare = [texts, ids, framework_ids(&subjects), vec![role(self.element)]].concat();
        plain.extend(framework_ids(&subjects));
        plain.extend(self.placed(&bare, &path));
        plain.extend(bare.iter().filter_map(|candidate| self.numbered(candidate)));
        plain
    }

    /// Returns what may name the element: itself and, to a finger, what it holds that takes no touches of its own.
    fn subjects(&self) -> Vec<&'a Element> {
        let mut subjects = vec![self.element];
        if self.purpose == Purpose::Touch {
            subjects.extend(inner(self.element));
        }
        subjects
    }

    /// Adds what the element stands in, or what stands in the same row.
    fn placed(&self, bare: &[Object], path: &[&'a Element]) -> Vec<Object> {
        let mut placed = Vec::new();
        let holders = path.iter().rev().skip(1);
        let named = holders.clone().filter_map(|holder| test_id(holder).or_else(|| ids(&[*holder]).pop()));
        for within in named.map(Value::Object) {
            placed.extend(bare.iter().map(|candidate| with(candidate, "within", within.clone())));
        }
        for neighbour in holders.take(2).flat_map(|holder| self.neighbours(holder)) {
            placed.extend(bare.iter().map(|candidate| with(candidate, "near", place(&neighbour))));
        }
        placed
    }

    /// Returns the texts beside the element in what holds both.
    fn neighbours(&self, holder: &'a Element) -> Vec<String> {
        let mut found = Vec::new();
        holder.walk(&mut |other| {
            let is_own = contains(self.element, other) || contains(other, self.element);
            if !is_own && other.role != "textfield" {
                found.extend(names(other).into_iter().filter(|text| is_wordy(text)).take(1).map(str::to_owned));
            }
        });
        found.truncate(4);
        found
    }

    /// Adds the number of the element among those that answer alike.
    fn numbered(&self, candidate: &Object) -> Option<Object> {
        let target = read(candidate)?;
        let alike = finder::find_all(&target, self.screen, None).ok()?;
        let index = alike.iter().position(|other| self.is_meant(other))?;
        Some(with(candidate, "index", json!(index)))
    }

    fn means(&self, candidate: &Object, purpose: Purpose) -> bool {
        // A look takes the first of several; a name means only one.
        let purpose = if purpose == Purpose::Look { Purpose::Read } else { purpose };
        let picked = read(candidate).and_then(|target| pick(&target, purpose, self.screen, None).ok().flatten());
        picked.is_some_and(|picked| self.is_meant(picked))
    }

    /// Tells whether an element is the one, or stands for it to a finger.
    fn is_meant(&self, picked: &Element) -> bool {
        if std::ptr::eq(picked, self.element) {
            return true;
        }
        let middle = occlusion::reachable(picked, self.screen).center();
        let met =
            || hit::at(self.screen, middle).is_some_and(|hit| hit.takes && std::ptr::eq(hit.element, self.element));
        self.purpose == Purpose::Touch && contains(self.element, picked) && met()
    }
}

/// Reads a target as a call would, with all that is refused there.
fn read(candidate: &Object) -> Option<Target> {
    let target: Target = serde_json::from_value(Value::Object(candidate.clone())).ok()?;
    target.check().is_ok().then_some(target)
}

fn with(candidate: &Object, key: &str, value: Value) -> Object {
    let mut object = candidate.clone();
    object.insert(key.to_owned(), value);
    object
}

fn object(pairs: &[(&str, &str)]) -> Object {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), Value::from(*value))).collect()
}

/// Names an element's text as a target, to the letter where it would be taken for something else.
fn text(text: &str) -> Object {
    let mut target = object(&[("text", text)]);
    if read(&target).is_none() {
        target.insert("exact".to_owned(), true.into());
    }
    target
}

/// Writes a text where a bare one might be taken for a selector.
fn place(text: &str) -> Value {
    if looks_like_selector(text) { json!({"text": text, "exact": true}) } else { text.into() }
}

fn role(element: &Element) -> Object {
    object(&[("role", element.role)])
}

fn ids(subjects: &[&Element]) -> Vec<Object> {
    let telling = subjects.iter().filter(|subject| is_telling(&subject.id));
    telling.map(|subject| object(&[("id", subject.short_id())])).collect()
}

/// Names an element as tests do, where its page says how.
fn test_id(element: &Element) -> Option<Object> {
    let told = element.told.as_ref().filter(|told| !told.test_id.is_empty())?;
    Some(object(&[("test_id", &told.test_id)]))
}

/// Names a field by what labels it and by what it shows while it is empty, where its page tells these apart.
fn labels(element: &Element) -> Vec<Object> {
    let names = [("label", element.label.as_str()), ("placeholder", element.hint.as_str())];
    let is_fit = |name: &str| !name.trim().is_empty() && name.chars().count() <= MAX_LEN;
    let told =
        names.into_iter().filter(|(_, name)| element.told.is_some() && element.role == "textfield" && is_fit(name));
    told.map(|(key, name)| object(&[(key, name)])).collect()
}

fn framework_ids(subjects: &[&Element]) -> Vec<Object> {
    let framework = subjects.iter().filter(|subject| subject.id.starts_with(FRAMEWORK));
    framework.map(|subject| object(&[("id", subject.id.as_str())])).collect()
}

/// Tells whether an id means something to whoever made the screen; `:r1:` and the like are counted anew each time.
pub(super) fn is_telling(id: &str) -> bool {
    !id.is_empty() && !id.starts_with(FRAMEWORK) && (id.contains('/') || !id.contains(':'))
}

/// Names the subjects by their texts: those with words in them first, since figures change.
fn texts(subjects: &[&Element]) -> Vec<Object> {
    let all: Vec<&str> = subjects.iter().flat_map(|subject| names(subject)).collect();
    let (words, figures): (Vec<&str>, Vec<&str>) = all.into_iter().partition(|name| is_wordy(name));
    words.into_iter().chain(figures).map(text).collect()
}

fn with_role(subject: &Element) -> Vec<Object> {
    names(subject).into_iter().map(|name| [role(subject), text(name)].into_iter().flatten().collect()).collect()
}

fn text_and_id(subject: &Element) -> Vec<Object> {
    let id = is_telling(&subject.id).then(|| object(&[("id", subject.short_id())]));
    let names = names(subject).into_iter();
    id.map(|id| names.map(|name| [id.clone(), text(name)].into_iter().flatten().collect()).collect())
        .unwrap_or_default()
}

/// Returns what an element is called: a field never by what was typed into it.
fn names(element: &Element) -> Vec<&str> {
    let all: &[&str] = match element.role {
        "textfield" => &[&element.label, &element.hint],
        _ => &[&element.text, &element.label, &element.hint],
    };
    all.iter().copied().filter(|name| !name.trim().is_empty() && name.chars().count() <= MAX_LEN).collect()
}

/// Tells whether a text says something in words, other than an amount or a number of things.
fn is_wordy(text: &str) -> bool {
    text.chars().any(char::is_alphabetic) && !text.chars().any(char::is_numeric)
}

/// Returns what an element holds that takes no touches of its own.
fn inner(element: &Element) -> Vec<&Element> {
    let mut found = Vec::new();
    for child in element.children.iter().filter(|child| !child.clickable && !child.checkable) {
        found.push(child);
        found.extend(inner(child));
    }
    found
}

pub(super) fn contains(outer: &Element, inner: &Element) -> bool {
    let mut found = false;
    outer.walk(&mut |element| found |= std::ptr::eq(element, inner));
    found
}

/// Returns the way from a window's top to an element, both included.
pub fn path<'a>(element: &Element, screen: &'a Screen) -> Vec<&'a Element> {
    fn down<'a>(at: &'a Element, wanted: &Element, path: &mut Vec<&'a Element>) -> bool {
        path.push(at);
        if std::ptr::eq(at, wanted) || at.children.iter().any(|child| down(child, wanted, path)) {
            return true;
        }
        path.pop();
        false
    }
    let mut path = Vec::new();
    let _ = screen.roots.iter().any(|root| down(root, element, &mut path));
    path
}

#[cfg(test)]
mod tests {
    use super::super::test_screens::{element, group, screen};
    use super::*;
    use crate::driver::Actionability;

    fn named(screen: &Screen, purpose: Purpose, wanted: &dyn Fn(&Element) -> bool) -> Value {
        let mut found = None;
        screen.roots[0].walk(&mut |element| {
            if wanted(element) {
                found = Some(element);
            }
        });
        target(found.expect("it is there"), screen, purpose).map_or(Value::Null, Value::Object)
    }

    fn row(id: &str, top: i32, parts: Vec<Element>) -> Element {
        Element { id: id.to_owned(), clickable: true, ..group(top, parts) }
    }

    #[test]
    fn an_id_goes_before_a_text_and_a_text_before_a_role() {
        let save = Element { id: "a:id/save".to_owned(), ..element("button", "Save", 0) };
        let page = screen(vec![
            save,
            element("heading", "Sign in", 30),
            element("button", "Sign in", 60),
            element("button", "Next", 90),
        ]);
        let of = |role: &'static str, text: &'static str| {
            named(&page, Purpose::Touch, &move |element| element.role == role && element.text == text)
        };
        assert_eq!(of("button", "Save"), json!({"id": "save"}));
        assert_eq!(of("button", "Sign in"), json!({"role": "button", "text": "Sign in"}));
        assert_eq!(of("button", "Next"), json!({"text": "Next"}));
        let look = named(&page, Purpose::Look, &|element| element.text == "Save");
        assert_eq!(look, json!({"text": "Save"}), "what is shown is what is asserted");
    }

    #[test]
    fn what_tests_call_an_element_goes_before_its_id_and_an_id_that_was_counted_is_none() {
        let told =
            |test_id: &str| Some(Box::new(Actionability { test_id: test_id.to_owned(), ..Actionability::default() }));
        let known = Element { id: "go".to_owned(), told: told("save"), ..element("button", "Save", 0) };
        let counted = Element { id: ":r1:".to_owned(), told: told(""), ..element("button", "Open", 30) };
        let field = Element { label: "Name".to_owned(), told: told(""), ..element("textfield", "", 60) };
        let page = screen(vec![known, counted, field, element("text", "Name", 90)]);
        let of = |top: i32| named(&page, Purpose::Read, &move |element| element.rect.top == top);
        assert_eq!((of(0), of(30)), (json!({"test_id": "save"}), json!({"text": "Open"})));
        assert_eq!(of(60), json!({"role": "textfield", "text": "Name"}));
    }

    #[test]
    fn a_row_is_called_by_what_it_says_and_its_button_by_the_row() {
        let of = |name, top| row("a:id/row", top, vec![element("text", name, top), element("text", "¥12", top)]);
        let page = screen(vec![of("Tea", 0)]);
        assert_eq!(named(&page, Purpose::Touch, &|element| element.id == "a:id/row"), json!({"text": "Tea"}));
        let add = |name, top| group(top, vec![element("text", name, top), element("button", "Add", top)]);
        let page = screen(vec![add("Tea", 0), add("Milk", 40)]);
        let milk = named(&page, Purpose::Touch, &|element| element.text == "Add" && element.rect.top == 40);
        assert_eq!(milk, json!({"text": "Add", "near": "Milk"}));
    }

    #[test]
    fn what_has_no_name_is_counted_and_what_looks_like_a_selector_is_meant_to_the_letter() {
        let page = screen(vec![element("button", "", 0), element("button", "", 30), element("button", "#tag", 60)]);
        let unnamed = screen(vec![element("button", "", 0), element("button", "", 30)]);
        let second = named(&unnamed, Purpose::Touch, &|element| element.rect.top == 30);
        assert_eq!(second, json!({"role": "button", "index": 1}));
        let tag = named(&page, Purpose::Touch, &|element| element.text == "#tag");
        assert_eq!(tag, json!({"text": "#tag"}));
        let field = Element { text: "typed".to_owned(), hint: "Name".to_owned(), ..element("textfield", "", 90) };
        let page = screen(vec![field]);
        assert_eq!(named(&page, Purpose::Type, &|element| element.role == "textfield"), json!({"text": "Name"}));
    }
}
