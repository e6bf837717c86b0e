//! A screen → the short texts on it, each with what it takes to find it again on a phone of another size.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{listed, naming};
use crate::driver::{Element, Screen};

/// Longer texts are not told apart, nor more of them than these.
const MAX_LEN: usize = 60;
const MAX: usize = 200;

/// How much of an element below its middle has to be seen, in fractions of the screen's height.
const BELOW_MIDDLE: f64 = 0.05;

/// A text on a screen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScreenText {
    pub text: String,
    /// The id of its element, without the package, where no other element bears it.
    pub id: Option<String>,
    pub role: String,
    /// Whether the element shows it, rather than being called so.
    pub is_shown: bool,
    pub bottom: f64,
    pub scrolls: bool,
}

/// Returns the short texts on a screen, in reading order.
pub fn texts(screen: &Screen) -> Vec<ScreenText> {
    let mut ids = HashMap::new();
    for root in &screen.roots {
        root.walk(&mut |element| *ids.entry(element.short_id()).or_insert(0_usize) += 1);
    }
    let mut reading = Reading { screen, ids, texts: Vec::new() };
    screen.roots.iter().for_each(|root| reading.read(root, false));
    reading.texts
}

struct Reading<'a> {
    screen: &'a Screen,
    /// How many elements bear an id.
    ids: HashMap<&'a str, usize>,
    texts: Vec<ScreenText>,
}

impl Reading<'_> {
    fn read(&mut self, element: &Element, scrolls: bool) {
        let name = element.name();
        let is_short = !name.is_empty() && name.chars().count() <= MAX_LEN && !name.contains(char::is_control);
        if is_short && !element.password && self.texts.len() < MAX && listed::is_on(self.screen, element) {
            let id = element.short_id();
            let is_own = naming::is_telling(&element.id) && self.ids.get(id) == Some(&1);
            self.texts.push(ScreenText {
                text: name.to_owned(),
                id: is_own.then(|| id.to_owned()),
                role: element.role.to_owned(),
                is_shown: !element.text.is_empty(),
                bottom: bottom(element, self.screen),
                scrolls,
            });
        }
        let scrolls = scrolls || can_scroll(element);
        element.children.iter().for_each(|child| self.read(child, scrolls));
    }
}

/// Returns the lower edge of what has to be seen of an element: of a large one, its middle is enough.
pub fn bottom(element: &Element, screen: &Screen) -> f64 {
    let height = f64::from(screen.size.height.max(1));
    let below_middle = element.rect.center().y / height + BELOW_MIDDLE;
    (f64::from(element.rect.bottom) / height).min(below_middle)
}

/// Tells whether something scrolls as soon as more stands in it than fits: on a smaller screen.
pub fn can_scroll(element: &Element) -> bool {
    element.scrollable || element.role == "list" || element.class.ends_with("ScrollView")
}

#[cfg(test)]
mod tests {
    use super::super::test_screens::{element, group, screen};
    use super::*;

    #[test]
    fn a_text_has_the_id_that_no_other_element_bears() {
        let of = |id: &str, text: &str, top| Element { id: format!("a:id/{id}"), ..element("text", text, top) };
        let list = Element { scrollable: true, ..group(300, vec![of("row", "Tea", 300), of("row", "Milk", 330)]) };
        let secret = Element { password: true, ..of("pin", "1234", 60) };
        let page = screen(vec![of("total", "¥3", 0), element("text", "Sum", 30), secret, list]);
        let told: Vec<_> = texts(&page).into_iter().map(|seen| (seen.text, seen.id, seen.scrolls)).collect();
        let plain = |text: &str, scrolls| (text.to_owned(), None, scrolls);
        let total = ("¥3".to_owned(), Some("total".to_owned()), false);
        assert_eq!(told, [total, plain("Sum", false), plain("Tea", true), plain("Milk", true)]);
    }
}
