//! A screen → what it shows, as a stored goal holds it; two of these → whether they are the same, and what differs.

use serde::{Deserialize, Serialize};
use uixt_driver::{Element, Screen};
use uixt_locate::{snapshot, stable_text};

/// Stands for any number of any texts: what a person writes where a screen is another each time.
const ANY: &str = "**";
/// Stand behind the text of what is checked, and of what takes no touch.
const CHECKED: &str = " (checked)";
const DISABLED: &str = " (disabled)";
/// Characters of a text that are compared, and texts of a screen that are written out; of the rest a digest is.
const LONGEST: usize = 300;
const MOST: usize = 200;
/// Texts of a difference that are told.
const MOST_TOLD: usize = 6;

/// What a screen showed. Texts are [patterns](stable_text::pattern): `*` in one is what is of the moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScreenContents {
    /// Its heading.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub page: String,
    /// Title of a page in a browser.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Address of a page in a browser, without what is asked of it; of this computer only the path.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub address: String,
    /// Its texts, in reading order; `**` is any number of any texts.
    pub texts: Vec<String>,
}

/// What differs between two screens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub(super) gone: Vec<String>,
    pub(super) new: Vec<String>,
}

impl ScreenContents {
    pub(super) fn of(screen: &Screen) -> Self {
        let mut texts = Vec::new();
        for root in &screen.roots {
            root.walk(&mut |element| texts.extend(text(element)));
        }
        if texts.len() > MOST {
            let rest = texts.split_off(MOST);
            texts.push(format!("and {} more, digest {:016x}", rest.len(), digest(&rest)));
        }
        let told = |text: &str| stable_text::pattern(text, None);
        Self {
            page: told(&snapshot::title(screen)),
            title: told(&screen.notes.title),
            address: told(&address(&screen.page)),
            texts,
        }
    }

    /// Tells whether another screen shows the same.
    pub(super) fn is_met_by(&self, other: &Self) -> bool {
        let fields = [(&self.page, &other.page), (&self.title, &other.title), (&self.address, &other.address)];
        fields.iter().all(|(wanted, seen)| wanted.is_empty() || is_one(wanted, seen))
            && matches(&self.texts, &other.texts)
    }

    /// Tells whether another screen has the same heading.
    pub(super) fn is_page_of(&self, other: &Self) -> bool {
        is_one(&self.page, &other.page)
    }

    /// Tells whether another screen shows all of it, and more.
    pub(super) fn is_part_of(&self, other: &Self) -> bool {
        let mut rest = other.texts.iter();
        let is_there = self.texts.iter().filter(|text| *text != ANY).all(|text| rest.any(|seen| is_one(text, seen)));
        is_there && !self.is_met_by(other)
    }

    /// Returns the texts that another screen lacks, and those that it shows beside.
    pub(super) fn changes(&self, other: &Self) -> Changes {
        let is_same = |wanted: &String, seen: &String| is_one(wanted, seen);
        Changes {
            gone: absent(&self.texts, &other.texts, is_same),
            new: absent(&other.texts, &self.texts, |seen, wanted| is_one(wanted, seen)),
        }
    }

    /// Says in words what another screen shows otherwise.
    pub(super) fn difference(&self, other: &Self) -> String {
        let Changes { gone, new } = self.changes(other);
        let list = |texts: &[String]| {
            let more = texts.len().saturating_sub(MOST_TOLD);
            let told: Vec<String> = texts[..texts.len() - more].iter().map(|text| format!("{text:?}")).collect();
            let told = told.join(", ");
            if more == 0 { told } else { format!("{told} and {more} more") }
        };
        match (gone.is_empty(), new.is_empty()) {
            (true, true) if !is_one(&self.page, &other.page) => {
                format!("the page is {:?}, not {:?}", other.page, self.page)
            }
            (true, true) if !is_one(&self.address, &other.address) => {
                format!("the address is {:?}, not {:?}", other.address, self.address)
            }
            (true, true) if !is_one(&self.title, &other.title) => {
                format!("the title is {:?}, not {:?}", other.title, self.title)
            }
            (true, true) => "the texts stand in another order".to_owned(),
            (false, true) => format!("{} is gone", list(&gone)),
            (true, false) => format!("{} is new", list(&new)),
            (false, false) => format!("{} is gone, {} is new", list(&gone), list(&new)),
        }
    }

    /// Returns it without the texts that are known to come and go.
    pub(super) fn without(&self, texts: &[String]) -> Self {
        let rest = self.texts.iter().filter(|text| !texts.contains(text)).cloned().collect();
        let page = if texts.contains(&self.page) { String::new() } else { self.page.clone() };
        Self { page, texts: rest, ..self.clone() }
    }

    pub(super) fn each_text(&mut self, change: &impl Fn(&mut String)) {
        [&mut self.page, &mut self.title, &mut self.address].into_iter().for_each(change);
        self.texts.iter_mut().for_each(change);
    }
}

/// Returns what an element says, and its state where that is not the usual one.
fn text(element: &Element) -> Option<String> {
    let name: String = element.name().split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() || element.password {
        return None;
    }
    let name: String = name.chars().take(LONGEST).collect();
    let pattern = match is_amount(&name) {
        // A price or an amount is what tests are about.
        true => name.replace('*', "\\*"),
        false => stable_text::pattern(&name, Some(element.short_id())),
    };
    let (checked, disabled) = (if element.checked { CHECKED } else { "" }, if element.enabled { "" } else { DISABLED });
    Some(format!("{pattern}{checked}{disabled}"))
}

/// Returns the FNV-1a digest of texts, which is the same in every version and on every machine.
fn digest(texts: &[String]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Returns an address without what is asked of it; of this computer, whose ports change, only the path.
fn address(page: &str) -> String {
    let Some((scheme, rest)) = page.split_once("://") else { return String::new() };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    if scheme == "file" || matches!(name, "localhost" | "127.0.0.1" | "[::1]") {
        path.to_owned()
    } else {
        rest.to_owned()
    }
}

/// Tells whether a text is an amount of money or a bare number.
fn is_amount(text: &str) -> bool {
    text.chars().any(|sign| sign.is_ascii_digit())
        && text.chars().filter(char::is_ascii_digit).count() <= 6
        && text.chars().all(|sign| sign.is_ascii_digit() || " .,-+%¥$€£×x".contains(sign))
}

/// Tells whether a text is the one that is wanted, where what is of the moment now is so in both.
fn is_one(wanted: &str, seen: &str) -> bool {
    wanted == seen || wanted.contains('*') && stable_text::is_like(wanted, seen)
}

/// Returns the texts that have no like among others.
fn absent(texts: &[String], among: &[String], is_same: impl Fn(&String, &String) -> bool) -> Vec<String> {
    let mut rest: Vec<&String> = among.iter().filter(|text| *text != ANY).collect();
    let lacks = texts.iter().filter(|text| *text != ANY).filter(|text| {
        let place = rest.iter().position(|other| is_same(text, other));
        place.map(|place| rest.remove(place)).is_none()
    });
    lacks.cloned().collect()
}

/// Tells whether texts are those that are wanted, where `**` is any number of any.
fn matches(wanted: &[String], texts: &[String]) -> bool {
    // The usual way of matching wildcards: where it fails behind a `**`, that takes one text more.
    let (mut at, mut seen, mut star) = (0, 0, None);
    while seen < texts.len() {
        match wanted.get(at) {
            Some(text) if text == ANY => {
                star = Some((at, seen));
                at += 1;
            }
            Some(text) if is_one(text, &texts[seen]) => {
                at += 1;
                seen += 1;
            }
            _ => {
                let Some((place, taken)) = star else { return false };
                star = Some((place, taken + 1));
                (at, seen) = (place + 1, taken + 1);
            }
        }
    }
    wanted[at..].iter().all(|text| text == ANY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> ScreenContents {
        ScreenContents { texts: texts.iter().map(|text| (*text).to_owned()).collect(), ..ScreenContents::default() }
    }

    #[test]
    fn texts_are_met_in_their_order_and_two_stars_are_any() {
        for (wanted, seen, is_met) in [
            (&["a", "b"][..], &["a", "b"][..], true),
            (&["a", "b"], &["b", "a"], false),
            (&["a", "b"], &["a"], false),
            (&["a"], &["a", "b"], false),
            (&[], &["a"], false),
            (&["**"], &[], true),
            (&["**"], &["a", "b"], true),
            (&["a", "**", "c"], &["a", "c"], true),
            (&["a", "**", "c"], &["a", "b", "b", "c"], true),
            (&["a", "**", "c"], &["a", "b", "d"], false),
            (&["**", "c", "d"], &["c", "c", "d"], true),
            (&["at *", "c"], &["at *", "c"], true),
            (&["at *", "c"], &["at noon", "c"], true),
            (&["at *", "c"], &["failed", "c"], false),
            (&["at *", "c"], &["at *", "failed", "c"], false),
            (&["*"], &["a", "b"], false),
        ] {
            assert_eq!(texts(wanted).is_met_by(&texts(seen)), is_met, "{wanted:?} {seen:?}");
        }
    }

    #[test]
    fn a_difference_says_what_is_gone_and_what_is_new() {
        let was = texts(&["Cart", "¥12.50", "Total", "Pay"]);
        for (now, told) in [
            (texts(&["Cart", "¥13.50", "Total", "Pay"]), "\"¥12.50\" is gone, \"¥13.50\" is new"),
            (texts(&["Cart", "¥12.50", "Pay"]), "\"Total\" is gone"),
            (texts(&["Cart", "¥12.50", "Total", "Pay", "Pay"]), "\"Pay\" is new"),
            (texts(&["Cart", "Total", "¥12.50", "Pay"]), "the texts stand in another order"),
        ] {
            assert_eq!(was.difference(&now), told);
        }
    }
}
