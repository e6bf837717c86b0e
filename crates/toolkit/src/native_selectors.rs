//! A call's arguments → the selectors in them, whether a target is to be merely present, and by what the screen is read. A platform with an engine of its own, such
//! as a browser, evaluates selectors with every look that the call takes.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use uixt_driver::element::composed;
use uixt_locate::Object;
use uixt_locate::pixel_elements::Source;
use uixt_locate::selector::looks_like_selector;

use crate::pixels::ImageQuery;

/// Selectors of one call at most.
const MAX: usize = 50;

/// Arguments that name an element or a text.
const NAMES: [&str; 11] =
    ["text", "id", "role", "ref", "selector", "test_id", "label", "placeholder", "description", "within", "near"];

/// What a call's looks are to tell.
#[derive(Clone, Debug, Default)]
pub struct NativeSelectors(Arc<Mutex<Wanted>>);

#[derive(Debug, Default)]
struct Wanted {
    selectors: Vec<String>,
    present: bool,
    source: Source,
    /// Whether the next look is at pixels, where both count.
    pixels: bool,
    /// Pictures that are looked for.
    images: Vec<ImageQuery>,
    /// Whether kinds of controls are looked for that are known by their look.
    controls: bool,
    /// Whether something else is named, which elements or texts are.
    others: bool,
}

impl NativeSelectors {
    /// Takes in every selector of a call's arguments; refs of drawn texts are looked for among these.
    pub(super) fn note(&self, arguments: &Object, is_drawn: &dyn Fn(&str) -> bool) {
        let mut wanted = self.0.lock();
        collect(arguments, is_drawn, &mut wanted);
    }

    /// Returns the selectors that the call may need.
    pub(super) fn all(&self) -> Vec<String> {
        self.0.lock().selectors.clone()
    }

    /// Tells whether a target need not be seen.
    pub(super) fn present(&self) -> bool {
        self.0.lock().present
    }

    /// Tells whether the next look is at the pixels of the screen.
    pub fn pixels(&self) -> bool {
        let wanted = self.0.lock();
        wanted.source == Source::Pixels || wanted.pixels
    }

    /// Returns the pictures that are looked for, and whether nothing else is.
    pub(super) fn images(&self) -> (Vec<ImageQuery>, bool) {
        let wanted = self.0.lock();
        (wanted.images.clone(), !wanted.others)
    }

    /// Tells whether kinds of controls are looked for that are known by their look.
    pub(super) fn controls(&self) -> bool {
        self.0.lock().controls
    }

    /// Has the looks tell of a picture, where the arguments do not name it as such.
    pub fn want_image(&self, image: ImageQuery) {
        let mut wanted = self.0.lock();
        if !wanted.images.contains(&image) {
            wanted.images.push(image);
        }
    }

    /// Has the looks tell of them, where the arguments do not say so themselves.
    pub fn want_controls(&self) {
        self.0.lock().controls = true;
    }

    /// Has the looks read the texts of controls that are known by their look, where the arguments do not need them.
    pub fn want_texts(&self) {
        self.0.lock().others = true;
    }

    /// Sets by what the screen is read, unless the arguments say.
    pub fn read_by(&self, source: Source) {
        self.0.lock().source = source;
    }

    /// Has the next look be at pixels, where the last was at the tree and what it lacked may be drawn; tells whether it will. Else the
    /// next is at the tree again.
    pub(crate) fn turn(&self, is_readable: impl FnOnce() -> bool) -> bool {
        let mut wanted = self.0.lock();
        wanted.pixels = wanted.source == Source::Auto && !wanted.pixels && is_readable();
        wanted.pixels
    }

    /// Tells whether drawn texts count beside the tree.
    pub(crate) fn is_auto(&self) -> bool {
        self.0.lock().source == Source::Auto
    }

    /// Tells whether the next look is at pixels since the last, at the tree, lacked what was wanted.
    pub(super) fn has_turned(&self) -> bool {
        self.0.lock().pixels
    }
}

fn collect(arguments: &Object, is_drawn: &dyn Fn(&str) -> bool, into: &mut Wanted) {
    for (key, value) in arguments {
        into.others |= NAMES.contains(&key.as_str()) && !value.is_object();
        match value {
            Value::Bool(true) if key == "present" => into.present = true,
            Value::String(word) if key == "source" => into.source = Source::named(word).unwrap_or(into.source),
            Value::String(name) if key == "ref" && is_drawn(name) => into.source = Source::Pixels,
            Value::String(_) if key == "control" => into.controls = true,
            Value::String(path) if key == "image" => into.images.push(ImageQuery::of(path, arguments)),
            Value::String(text) if key == "selector" || looks_like_selector(text) => add(text, &mut into.selectors),
            Value::Object(inner) => collect(inner, is_drawn, into),
            Value::Array(items) => {
                items.iter().filter_map(Value::as_object).for_each(|item| collect(item, is_drawn, into));
            }
            _ => {}
        }
    }
}

/// Adds a selector as a target holds it.
fn add(text: &str, into: &mut Vec<String>) {
    let selector = composed(text).into_owned();
    if into.len() < MAX && !into.contains(&selector) {
        into.push(selector);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn selectors_are_found_wherever_they_stand() {
        let asked = NativeSelectors::default();
        let arguments = json!({
            "text": "OK",
            "within": "#dialog",
            "near": {"selector": "li:nth-child(2)", "text": "a > b"},
            "steps": [{"into": {"selector": "//input"}}, {"selector": "li:nth-child(2)"}],
        });
        asked.note(arguments.as_object().expect("an object"), &|_| false);
        assert_eq!(asked.all(), ["#dialog", "li:nth-child(2)", "//input"]);
        assert!(!asked.present());
        assert!(asked.images().0.is_empty());
        asked.note(json!({"into": {"id": "a", "present": true}}).as_object().expect("an object"), &|_| false);
        assert!(asked.present());
    }

    #[test]
    fn pictures_are_found_with_their_confidence() {
        let images = |arguments: serde_json::Value| {
            let asked = NativeSelectors::default();
            asked.note(arguments.as_object().expect("an object"), &|_| false);
            asked.images()
        };
        let image = |path: &str, confidence| ImageQuery { path: path.to_owned(), confidence };
        assert_eq!(images(json!({"image": "a.png", "timeout": 3})), (vec![image("a.png", 0.8)], true));
        assert_eq!(
            images(json!({"image": "a.png", "confidence": 0.5, "near": {"image": "b.png"}})),
            (vec![image("a.png", 0.5), image("b.png", 0.8)], true)
        );
        assert!(!images(json!({"image": "a.png", "near": {"text": "Tea"}})).1);
        assert!(!images(json!({"image": "a.png", "within": "#card"})).1);
    }
}
