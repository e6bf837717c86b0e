//! How well an element fits a phrase: by the sort of thing that it is, and by what it may be called.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::tokens::{bare, tokens};
use super::words::{NOT, Sort};
use crate::driver::Element;

/// How a name fits, the best last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tier {
    /// All words are there but for their spelling.
    Similar,
    /// All words are there, and others.
    Contained,
    /// Its label beside it, or its id, says the same.
    Labelled,
    /// The same words, in another language or order.
    Same,
    Exact,
}

/// How an element fits a phrase: by its name, then by its sort; with how much of its name was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fit {
    pub tier: Tier,
    /// Whether it is of the sort itself and not merely used like it.
    pub is_sort: bool,
    /// From 0 to 1.
    pub share: f64,
}

impl Fit {
    /// Returns how certain it is that this element is meant, from 0 to 1.
    pub(super) fn confidence(&self) -> f64 {
        let name = match self.tier {
            Tier::Exact => 1.0,
            Tier::Same => 0.95,
            Tier::Labelled => 0.9,
            Tier::Contained => 0.65 + 0.2 * self.share,
            Tier::Similar => 0.6 + 0.15 * self.share,
        };
        if self.is_sort { name } else { name * 0.97 }
    }

    pub(super) fn key(&self) -> (Tier, bool) {
        (self.tier, self.is_sort)
    }
}

/// The least share of a name that a description must make up.
const LEAST_SHARE: f64 = 0.2;

/// The names of a screen, made ready for comparison once for all readings of a description.
#[derive(Default)]
pub(super) struct Names<'a>(RefCell<HashMap<&'a str, Rc<Name>>>);

/// A name as it is compared.
struct Name {
    bare: String,
    tokens: Vec<String>,
}

impl<'a> Names<'a> {
    fn get(&self, name: &'a str) -> Rc<Name> {
        let make = || Rc::new(Name { bare: bare(name), tokens: tokens(name) });
        Rc::clone(self.0.borrow_mut().entry(name).or_insert_with(make))
    }
}

/// A wanted name, made ready for comparison with many.
pub(super) struct Wanted {
    bare: String,
    tokens: Vec<String>,
    /// Whether it is what fields that hide their text are called.
    is_password: bool,
}

impl Wanted {
    pub(super) fn new(name: &str) -> Self {
        let tokens = tokens(name);
        let is_password = tokens.len() == 1 && tokens[0] == "password";
        Self { bare: bare(name), tokens, is_password }
    }

    /// Returns how well a name fits.
    fn fits<'a>(&self, name: &'a str, names: &Names<'a>) -> Option<(Tier, f64)> {
        if name.is_empty() || self.tokens.is_empty() {
            return None;
        }
        let name = names.get(name);
        if name.bare == self.bare && !self.bare.is_empty() {
            return Some((Tier::Exact, 1.0));
        }
        self.fits_tokens(&name.tokens)
    }

    fn fits_tokens(&self, theirs: &[String]) -> Option<(Tier, f64)> {
        let mut theirs: Vec<&str> = theirs.iter().map(String::as_str).collect();
        let count = theirs.len();
        let mut similar = false;
        for wanted in &self.tokens {
            let same = theirs.iter().position(|token| token == wanted);
            let found = same.or_else(|| {
                similar = true;
                theirs.iter().position(|token| is_alike(wanted, token))
            })?;
            theirs.swap_remove(found);
        }
        let share = ratio(self.tokens.len(), count);
        match (similar, theirs.is_empty()) {
            (false, true) => Some((Tier::Same, 1.0)),
            _ if share < LEAST_SHARE || theirs.iter().any(|token| NOT.contains(token)) => None,
            (true, _) => Some((Tier::Similar, share)),
            (false, false) => Some((Tier::Contained, share)),
        }
    }

    /// Returns how well an element's own names fit, and the labels that stand beside it.
    pub(super) fn best<'a>(
        &self,
        element: &'a Element,
        sort: Sort,
        labels: &[&'a str],
        names: &Names<'a>,
    ) -> Option<(Tier, f64)> {
        let is_field = element.role == "textfield";
        // What was typed into a field is not what it is called.
        let text = if is_field && sort != Sort::Anything { "" } else { element.text.as_str() };
        let own = [text, element.label.as_str(), element.hint.as_str()].into_iter();
        let own = own.filter_map(|name| self.fits(name, names));
        let lower = |(tier, share): (Tier, f64)| (tier.min(Tier::Labelled), share);
        let beside = labels.iter().filter_map(|label| self.fits(label, names)).map(lower);
        let id = Some(element.short_id()).filter(|id| !id.is_empty()).map(id_tokens);
        let id = id.and_then(|id| self.fits_tokens(&id)).filter(|(tier, _)| *tier == Tier::Same).map(lower);
        let password = (self.is_password && element.password).then_some((Tier::Labelled, 1.0));
        own.chain(beside).chain(id).chain(password).max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)))
    }

    /// Returns how much a name that does not fit has to do with it, from 0 to 1.
    pub(super) fn resemblance(&self, name: &str) -> f64 {
        let theirs = tokens(name);
        let shared = self.tokens.iter().filter(|token| theirs.contains(token)).count();
        let words = ratio(2 * shared, self.tokens.len() + theirs.len());
        words.max(strsim::normalized_damerau_levenshtein(&self.bare, &bare(name)))
    }
}

/// Words in ids that say what sort of thing bears them.
const ID_WORDS: &[&str] = &[
    "btn",
    "button",
    "et",
    "edit",
    "text",
    "tv",
    "iv",
    "img",
    "image",
    "icon",
    "ic",
    "view",
    "field",
    "input",
    "layout",
    "ll",
    "rl",
    "container",
    "cb",
    "checkbox",
    "switch",
    "sw",
    "id",
];

/// Tells whether a word of an id only says what sort of thing bears it.
pub(in super::super) fn is_generic(word: &str) -> bool {
    ID_WORDS.contains(&word)
}

fn id_tokens(id: &str) -> Vec<String> {
    let mut tokens = tokens(id);
    if tokens.iter().any(|token| !ID_WORDS.contains(&token.as_str())) {
        tokens.retain(|token| !ID_WORDS.contains(&token.as_str()));
    }
    tokens
}

/// Tells whether two words differ only as by a slip: long ones that begin alike, in one letter or two.
fn is_alike(a: &str, b: &str) -> bool {
    let length = a.chars().count().min(b.chars().count());
    let most = match length {
        0..5 => return false,
        5..9 => 1,
        _ => 2,
    };
    let has_digit = |text: &str| text.chars().any(|c| c.is_ascii_digit());
    a.chars().next() == b.chars().next() && !has_digit(a) && !has_digit(b) && strsim::damerau_levenshtein(a, b) <= most
}

#[expect(clippy::cast_precision_loss, reason = "counts of words")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Tells whether an element is of a sort (true) or used like it (false); none where it is neither.
pub(super) fn is_of(sort: Sort, element: &Element, touchable: bool) -> Option<bool> {
    let among = |own: &[&str], like: &[&str]| match element.role {
        role if own.contains(&role) => Some(true),
        role if like.contains(&role) => Some(false),
        _ => None,
    };
    let is_picture = element.role == "image" || element.class.contains("Image");
    match sort {
        Sort::Anything | Sort::Item => Some(true),
        Sort::Button if element.role == "button" => Some(true),
        Sort::Button => {
            (touchable && among(&[], &["image", "text", "group", "tab", "heading"]).is_some()).then_some(false)
        }
        Sort::Field => among(&["textfield"], &["combobox"]),
        Sort::Switch => among(&["switch"], &["checkbox"]),
        Sort::Checkbox => among(&["checkbox"], &["switch"]),
        Sort::Radio => among(&["radio"], &["checkbox"]),
        Sort::Dropdown => among(&["combobox"], &["button", "textfield"]),
        Sort::Link => (touchable && among(&["text", "button", "group"], &[]).is_some()).then_some(true),
        Sort::Icon if is_picture => Some(true),
        Sort::Icon => (touchable && among(&["button", "tab", "group"], &[]).is_some()).then_some(false),
        Sort::Image => is_picture.then_some(true),
        Sort::Heading => among(&["heading"], &["text"]),
        Sort::Text => among(&["text"], &["heading"]),
        Sort::Tab if element.role == "tab" => Some(true),
        Sort::Tab => touchable.then_some(false),
        Sort::Slider => among(&["slider"], &[]),
        Sort::Progress => among(&["progress"], &[]),
        Sort::List => among(&["list"], &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tier(wanted: &str, name: &str) -> Option<Tier> {
        Wanted::new(wanted).fits(name, &Names::default()).map(|(tier, _)| tier)
    }

    #[test]
    fn names_fit_by_letters_by_meaning_and_in_part() {
        assert_eq!(tier("sign in", "Sign in"), Some(Tier::Exact));
        assert_eq!(tier("登录", "Log in"), Some(Tier::Same));
        assert_eq!(tier("tea", "Green tea leaves"), Some(Tier::Contained));
        assert_eq!(tier("notifcations centre", "Notifications centre"), Some(Tier::Similar));
        assert_eq!(tier("sign in", "Sign out"), None);
        assert_eq!(tier("tea", "A long text in which tea is but one of very many different words"), None);
    }

    #[test]
    fn opposites_and_near_spellings_are_not_the_same() {
        for (wanted, name) in [
            ("同意", "不同意"),
            ("save", "Don't save"),
            ("night mode", "Light mode"),
            ("enable", "Disable"),
            ("收藏", "取消收藏"),
            ("item 5", "item 6"),
            ("add", "all"),
            ("tea 100", "tea 101"),
        ] {
            assert_eq!(tier(wanted, name), None, "{wanted} / {name}");
        }
    }
}
