//! Elements of snapshots → refs that mean them for as long as they can be told from others, on whichever device.
//!
//! A number is given once in a session: an element that is seen again keeps its ref, another never inherits it.

use std::collections::HashMap;
use std::sync::Arc;

use super::fingerprint::{Fingerprint, Fingerprints, Similarity};
use super::pixel_elements::is_line;
use super::tree::Tree;
use super::wording::name;
use super::{Error, Kind, listed};
use crate::driver::{DeviceInfo, Element, Screen};

/// Refs of screens that are no longer shown; older ones mean nothing any more.
const MOST_OLD: usize = 2_000;
/// Elements that are alike and still told from each other: more would cost more than they are worth.
const MOST_ALIKE: usize = 200;

/// A device, as refs remember it.
type Device = (&'static str, String);

fn device_of(info: &DeviceInfo) -> Device {
    (info.platform, info.serial.clone())
}

/// All the refs of a session.
#[derive(Clone, Debug, Default)]
pub struct Book {
    entries: Vec<Entry>,
    /// The last number that was given.
    last: u32,
    shown: HashMap<Device, Arc<Shown>>,
}

/// What the last snapshot of a device showed.
#[derive(Debug)]
pub(super) struct Shown {
    pub header: String,
    /// What part of the screen it was of.
    pub part: String,
    /// Numbers and lines in reading order.
    pub lines: Vec<(u32, String)>,
    /// What lies off the screen.
    pub beyond: String,
}

#[derive(Clone, Debug)]
struct Entry {
    number: u32,
    device: Device,
    known: Known,
}

/// Marks, in an error's details, that what a ref stood for is certainly not there.
pub const GONE: &str = "gone";

/// Who sees what refs stand for, such as a recorder: a testcase names the element in another way.
pub trait Witness: std::fmt::Debug + Send + Sync {
    /// Takes in what a ref stands for.
    fn see_ref(&self, reference: &str, element: &Element, screen: &Screen);
}

/// The refs as one call to a device may use them.
#[derive(Clone, Debug)]
pub struct Refs {
    book: Arc<Book>,
    device: Device,
    witness: Option<Arc<dyn Witness>>,
}

impl Refs {
    /// Tells whether a text is a ref that stands for something on this device.
    pub(super) fn knows(&self, text: &str) -> bool {
        let number = number(text);
        self.book.entries.iter().any(|entry| Some(entry.number) == number && entry.device == self.device)
    }

    /// Lets somebody see what refs stand for.
    #[must_use]
    pub fn seen_by(self, witness: Arc<dyn Witness>) -> Self {
        Self { witness: Some(witness), ..self }
    }
}

/// What an element is recognised by when the screen is read again.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    /// What the platform itself knows it by.
    key: Option<u64>,
    /// Address of the page that it stood on, if any.
    page: String,
    same: Same,
    around: Fingerprint,
    /// How many were like it.
    alike: usize,
    /// None of those had the same around it.
    alone: bool,
}

/// What elements that are alike have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Same {
    role: &'static str,
    /// Whether it was read from the screen's pixels.
    is_drawn: bool,
    package: String,
    id: String,
    name: String,
}

impl Same {
    fn of(element: &Element) -> Self {
        let (package, id) = (element.package.clone(), element.id.clone());
        Self { role: element.role, is_drawn: is_line(element), package, id, name: name(element).to_owned() }
    }
}

/// A screen's elements, with what tells those that are alike from each other.
struct Observation<'a> {
    tree: Tree<'a>,
    page: &'a str,
    /// Places in the tree of the elements that have refs, by what they have in common.
    alike: HashMap<Same, Vec<usize>>,
    /// The same by what the platform knows them by.
    keys: HashMap<u64, usize>,
    fingerprints: Fingerprints,
}

impl<'a> Observation<'a> {
    fn of(screen: &'a Screen) -> Self {
        let tree = Tree::of(screen);
        let mut alike: HashMap<Same, Vec<usize>> = HashMap::new();
        let mut keys = HashMap::new();
        for at in (0..tree.len()).filter(|at| listed::is_listed(tree.element(*at))) {
            keys.extend(tree.element(at).key().map(|key| (key, at)));
            alike.entry(Same::of(tree.element(at))).or_default().push(at);
        }
        let fingerprints = Fingerprints::of(&tree, &screen.bounds());
        Self { tree, page: &screen.page, alike, keys, fingerprints }
    }

    fn known(&self, at: usize) -> Known {
        let element = self.tree.element(at);
        let (key, same) = (element.key(), Same::of(element));
        let alike = self.alike.get(&same).map_or(&[][..], Vec::as_slice);
        let around = self.fingerprints.around(&self.tree, at);
        let told = |other: &usize| (self.similarity(*other, &around) == Similarity::Sure) == (*other == at);
        let alone = alike.len() == 1 || alike.len() <= MOST_ALIKE && alike.iter().all(told);
        Known { key, page: self.page.to_owned(), alone, alike: alike.len(), around, same }
    }

    fn similarity(&self, at: usize, was: &Fingerprint) -> Similarity {
        self.fingerprints.similarity(&self.tree, at, was)
    }

    /// Finds again what the platform itself knows, where it has the same around it; of what is alike no other is looked at.
    fn find_kept(&self, known: &Known) -> Option<&'a Element> {
        let at = *self.keys.get(&known.key?)?;
        let element = self.tree.element(at);
        let is_same = Same::of(element) == known.same && self.similarity(at, &known.around) > Similarity::Other;
        is_same.then_some(element)
    }

    /// Finds again what was known; the error says how many are like it.
    fn find(&self, known: &Known) -> Result<&'a Element, usize> {
        let alike = self.alike.get(&known.same).map_or(&[][..], Vec::as_slice);
        let kept = known.key.and_then(|key| self.keys.get(&key)).copied();
        if let Some(at) = kept {
            let element = self.tree.element(at);
            let is_called_so = Same::of(element).name == known.same.name;
            let is_lone = known.alike <= 1 && alike.len() <= 1;
            // A list may show another row in the same element: what each row has is told by its row.
            let is_same = is_called_so && is_lone
                || self.similarity(at, &known.around) > Similarity::Other
                || is_called_so && self.fingerprints.is_led(&self.tree, at, &known.around, alike);
            if is_same {
                return Ok(element);
            }
        }
        // What is called the same on another page is something else: the next item's "Delete".
        if known.page != self.page || (kept.is_some() && !known.alone) {
            return Err(0);
        }
        let least = if (known.alike, alike.len()) == (1, 1) { Similarity::Possible } else { Similarity::Sure };
        let is_it = |at: &&usize| match known.alone {
            true => self.similarity(**at, &known.around) >= least,
            // What scrolled may stand there by chance.
            false => alike.len() == known.alike && self.fingerprints.in_place(&self.tree, **at, &known.around),
        };
        let mut found = alike.iter().filter(is_it);
        match (found.next(), found.next()) {
            (Some(only), None) => Ok(self.tree.element(*only)),
            _ => Err(alike.len()),
        }
    }
}

impl Book {
    /// Gives every listed element of a screen its ref: the one that it has, or a new one. In reading order.
    pub(super) fn enter<'a>(&mut self, screen: &'a Screen, device: &DeviceInfo) -> Vec<(u32, &'a Element)> {
        self.enter_with(screen, device, &|_| false)
    }

    /// Does the same, wherever they lie, as far as the platform brings them onto the screen when they are used.
    pub(super) fn enter_all<'a>(&mut self, screen: &'a Screen, device: &DeviceInfo) -> Vec<(u32, &'a Element)> {
        self.enter_with(screen, device, &|_| true)
    }

    /// Does the same, and gives those that are wanted their refs wherever they lie.
    fn enter_with<'a>(
        &mut self,
        screen: &'a Screen,
        device: &DeviceInfo,
        wanted: &dyn Fn(&Element) -> bool,
    ) -> Vec<(u32, &'a Element)> {
        let observation = Observation::of(screen);
        let device = device_of(device);
        // The ref of each element, and whether the platform itself knows it by what the ref remembers: that ref goes before any other.
        let mut has: HashMap<*const Element, (u32, bool)> = HashMap::new();
        for entry in self.entries.iter().filter(|entry| entry.device == device) {
            let Some(alike) = observation.alike.get(&entry.known.same).map(Vec::len) else { continue };
            let found = match alike <= MOST_ALIKE {
                true => observation.find(&entry.known).ok(),
                false => observation.find_kept(&entry.known),
            };
            if let Some(element) = found {
                let is_known = entry.known.key.is_some() && entry.known.key == element.key();
                let one = has.entry(std::ptr::from_ref(element)).or_insert((entry.number, is_known));
                if is_known && !one.1 {
                    *one = (entry.number, true);
                }
            }
        }
        // What lies off the screen is told of by its number only once it is on it, or where it is brought there when it is used.
        let all = (0..observation.tree.len()).map(|at| observation.tree.element(at));
        let far = listed::within_reach(screen, all.filter(|element| listed::is_listed(element)));
        let is_wanted = |element: &Element| {
            element.key().is_some() && wanted(element) || far.contains(&std::ptr::from_ref(element))
        };
        let is_shown = |element| listed::is_listed(element) && (listed::is_on(screen, element) || is_wanted(element));
        let listed = (0..observation.tree.len()).filter(|at| is_shown(observation.tree.element(*at)));
        let mut entered = Vec::new();
        let mut entries = Vec::new();
        for at in listed {
            let element = observation.tree.element(at);
            let number = has.get(&std::ptr::from_ref(element)).map_or_else(
                || {
                    self.last += 1;
                    self.last
                },
                |(number, _)| *number,
            );
            entered.push((number, element));
            entries.push(Entry { number, device: device.clone(), known: observation.known(at) });
        }
        self.keep(entries);
        entered
    }

    /// Returns the ref of one element of a screen; none where it is not on it.
    pub fn number(&mut self, element: &Element, screen: &Screen, device: &DeviceInfo) -> Option<u32> {
        let found = |entered: Vec<(u32, &Element)>| {
            entered.into_iter().find(|(_, other)| std::ptr::eq(*other, element)).map(|(number, _)| number)
        };
        found(self.enter_with(screen, device, &|other| std::ptr::eq(other, element)))
    }

    /// Puts new entries in place of those of the same numbers, and forgets the oldest.
    fn keep(&mut self, entries: Vec<Entry>) {
        let renewed: std::collections::HashSet<u32> = entries.iter().map(|entry| entry.number).collect();
        self.entries.retain(|entry| !renewed.contains(&entry.number));
        let too_many = self.entries.len().saturating_sub(MOST_OLD);
        self.entries.drain(..too_many);
        self.entries.extend(entries);
    }

    /// Tells whether a ref stands for a text that was read from the screen's pixels.
    pub fn is_drawn(&self, reference: &str) -> bool {
        let number = number(reference);
        self.entries.iter().any(|entry| Some(entry.number) == number && entry.known.same.is_drawn)
    }

    /// Returns what the last snapshot of a device showed.
    pub(super) fn shown(&self, device: &DeviceInfo) -> Option<Arc<Shown>> {
        self.shown.get(&device_of(device)).cloned()
    }

    pub(super) fn show(&mut self, device: &DeviceInfo, shown: Shown) {
        self.shown.insert(device_of(device), Arc::new(shown));
    }

    /// Returns the refs as a call to `device` may use them.
    pub fn on(self: Arc<Self>, device: &DeviceInfo) -> Refs {
        Refs { book: self, device: device_of(device), witness: None }
    }
}

/// Finds again what a ref stands for.
pub fn resolve<'a>(reference: &str, screen: &'a Screen, refs: Option<&Refs>) -> Result<&'a Element, Error> {
    let Some(Refs { book, device, witness }) = refs.filter(|refs| refs.book.last > 0) else {
        return Err(unknown(reference, "no snapshot was taken yet"));
    };
    let Some(number) = number(reference).filter(|number| (1..=book.last).contains(number)) else {
        return Err(unknown(reference, &format!("there are refs from e1 to e{}", book.last)));
    };
    let Some(entry) = book.entries.iter().find(|entry| entry.number == number) else {
        return Err(stale(reference, "it is from an old screen"));
    };
    if entry.device != *device {
        let (platform, serial) = &entry.device;
        return Err(stale(reference, &format!("it is from another device, {platform} {serial}")));
    }
    let found = Observation::of(screen).find(&entry.known);
    if let (Ok(element), Some(witness)) = (&found, witness) {
        witness.see_ref(reference, element, screen);
    }
    found.map_err(|alike| match alike {
        0 => stale(reference, "the screen has changed since").with(GONE, true),
        1 => stale(reference, "one element is like it now, but may be another"),
        alike => stale(reference, &format!("{alike} elements are like it now")),
    })
}

/// Tells whether a text is written as refs are.
pub fn is_ref(text: &str) -> bool {
    text.strip_prefix('e').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the number of a ref: 7 of `e7`.
fn number(reference: &str) -> Option<u32> {
    reference.strip_prefix('e').and_then(|digits| digits.parse().ok())
}

/// Builds the error of a ref that cannot be followed; `gone` in its details says that what it stood for is certainly not there.
fn stale(reference: &str, why: &str) -> Error {
    lost(reference, &format!("stale ref {reference}: {why}"))
}

/// Builds the error of a ref that no snapshot gave.
fn unknown(reference: &str, why: &str) -> Error {
    lost(reference, &format!("unknown ref {reference}: {why}"))
}

fn lost(reference: &str, what: &str) -> Error {
    Error::new(Kind::NotFound, format!("{what}; take a snapshot")).with("code", "STALE_REF").with("ref", reference)
}

#[cfg(test)]
mod tests {
    use super::super::test_screens::{element, group, screen};
    use super::*;

    fn device(serial: &str) -> DeviceInfo {
        DeviceInfo { platform: "android", serial: serial.to_owned(), ..DeviceInfo::default() }
    }

    /// Takes a snapshot and returns its refs.
    fn entered(book: &mut Book, screen: &Screen) -> Vec<u32> {
        book.enter(screen, &device("A")).into_iter().map(|(number, _)| number).collect()
    }

    fn refs(book: &Book) -> Refs {
        Arc::new(book.clone()).on(&device("A"))
    }

    fn top(reference: &str, screen: &Screen, book: &Book) -> Result<i32, Error> {
        resolve(reference, screen, Some(&refs(book))).map(|element| element.rect.top)
    }

    #[test]
    fn a_ref_is_found_again_where_it_moved_and_refused_where_it_is_gone() {
        let mut book = Book::default();
        assert_eq!(entered(&mut book, &screen(vec![element("button", "A", 0), element("button", "B", 30)])), [1, 2]);
        let moved = screen(vec![element("text", "new", 0), element("button", "A", 50), element("button", "B", 80)]);
        assert_eq!(top("e2", &moved, &book), Ok(80));
        let error = top("e2", &screen(vec![element("button", "A", 0)]), &book).expect_err("gone");
        assert_eq!((&error.details["code"], &error.details[GONE]), (&"STALE_REF".into(), &true.into()));
        assert!(top("e9", &moved, &book).is_err_and(|error| !error.details.contains_key(GONE)));
        assert!(top("e0", &moved, &book).is_err());
        assert!(resolve("e1", &moved, None).is_err());
    }

    #[test]
    fn an_element_keeps_its_ref_and_no_other_inherits_it() {
        let mut book = Book::default();
        entered(&mut book, &screen(vec![element("button", "Keep", 0), element("button", "Delete", 30)]));
        let next = screen(vec![element("button", "Cancel", 0), element("button", "Keep", 30)]);
        assert_eq!(entered(&mut book, &next), [3, 1]);
        // The number of what is gone is not that of what stands there now.
        assert!(top("e2", &next, &book).is_err());
        let back = screen(vec![element("button", "Delete", 0)]);
        assert_eq!(entered(&mut book, &back), [2]);
    }

    #[test]
    fn one_of_many_alike_is_known_by_its_row() {
        let row = |name: &str, top| group(top, vec![element("text", name, top), element("button", "Add", top)]);
        let mut book = Book::default();
        let before = screen(vec![row("Tea", 0), row("Milk", 30), row("Rice", 60)]);
        assert_eq!(entered(&mut book, &before), [1, 2, 3, 4, 5, 6]);
        // Scrolled by a row: where the button for milk stood, stands that for rice.
        let after = screen(vec![row("Milk", 0), row("Rice", 30), row("Salt", 60)]);
        assert_eq!(top("e4", &after, &book), Ok(0));
        assert!(top("e2", &after, &book).is_err(), "the button for tea is gone, whatever stands in its place");
        let only = screen(vec![row("Salt", 0)]);
        assert!(top("e2", &only, &book).is_err_and(|error| error.message.contains("may be another")));
    }

    #[test]
    fn what_cannot_be_told_apart_is_known_only_in_its_place() {
        let mut book = Book::default();
        let two = |top| screen(vec![element("button", "A", top), element("button", "A", top + 30)]);
        entered(&mut book, &two(0));
        assert_eq!(top("e2", &two(0), &book), Ok(30));
        let error = top("e1", &two(10), &book).expect_err("two are like it");
        assert!(error.message.contains("2 elements are like it now") && !error.details.contains_key(GONE), "{error:?}");
        assert!(top("e1", &screen(vec![element("button", "A", 0)]), &book).is_err());
    }

    /// A list of rows, each with a title and what it is set to.
    fn settings(rows: &[(&str, &str)]) -> Screen {
        let row = |(index, (title, value)): (usize, &(&str, &str))| {
            let top = i32::try_from(index).expect("few") * 60;
            group(top, vec![element("text", title, top), element("text", value, top + 30)])
        };
        let rows = rows.iter().enumerate().map(row).collect();
        screen(vec![Element { scrollable: true, children: rows, ..element("list", "", 0) }])
    }

    #[test]
    fn what_another_row_says_is_another_element_even_where_nothing_else_on_the_screen_says_it() {
        let mut book = Book::default();
        let before = settings(&[("Network", "Wi-Fi"), ("Bluetooth", "On"), ("Display", "Dark")]);
        assert_eq!(entered(&mut book, &before), [1, 2, 3, 4, 5, 6, 7]);
        // Scrolled: the row before the last is the first now, and another row is "On".
        let after = settings(&[("Display", "Dark"), ("Location", "On"), ("Safety", "Fine")]);
        assert!(top("e5", &after, &book).is_err());
        assert_eq!(top("e6", &after, &book), Ok(0));
        assert_eq!(entered(&mut book, &after), [1, 6, 7, 8, 9, 10, 11]);
        assert_eq!(entered(&mut book, &before), [1, 2, 3, 4, 5, 6, 7], "what is back has its old refs");
    }

    #[test]
    fn a_row_keeps_its_title_s_ref_where_it_stands_when_its_value_changes() {
        let mut book = Book::default();
        entered(&mut book, &settings(&[("Network", "Wi-Fi"), ("Bluetooth", "On"), ("Display", "Dark")]));
        let off = settings(&[("Network", "Wi-Fi"), ("Bluetooth", "Off"), ("Display", "Dark")]);
        assert_eq!(entered(&mut book, &off), [1, 2, 3, 4, 8, 6, 7]);
        let swapped = settings(&[("Network", "Wi-Fi"), ("Location", "On"), ("Display", "Dark")]);
        assert!(top("e5", &swapped, &book).is_err());
    }

    /// A page's list of rows, whose elements are those of the places in it, whatever they show.
    fn people(names: &[&str]) -> Screen {
        let told =
            |key| Some(Box::new(crate::driver::Actionability { key, ..crate::driver::Actionability::default() }));
        let row = |(at, name): (usize, &&str)| {
            let (top, key) = (i32::try_from(at).expect("few") * 30, at as u64 * 10);
            let parts = vec![
                Element { told: told(key + 2), ..element("text", name, top) },
                Element { told: told(key + 3), ..element("button", "Delete", top) },
            ];
            Element { told: told(key + 1), ..group(top, parts) }
        };
        screen(names.iter().enumerate().map(row).collect())
    }

    #[test]
    fn a_row_drawn_into_the_elements_of_another_is_another() {
        let mut book = Book::default();
        assert_eq!(entered(&mut book, &people(&["Ann", "Ben", "Cyd"])), [1, 2, 3, 4, 5, 6]);
        assert_eq!(top("e2", &people(&["Cyd", "Ben", "Ann"]), &book), Ok(60));
        assert_eq!(top("e4", &people(&["Ben", "Cyd"]), &book), Ok(0));
        assert!(top("e2", &people(&["Ben", "Cyd"]), &book).is_err());
        let others = people(&["Xeno", "Yara", "Zoe"]);
        assert!(["e2", "e4", "e6"].iter().all(|reference| top(reference, &others, &book).is_err()));
        assert_eq!(top("e6", &people(&["Ann", "Ben", "Cyd"]), &book), Ok(60));
        // What is alone in its name is known by its element.
        let mut book = Book::default();
        entered(&mut book, &people(&["Ann"]));
        assert_eq!(top("e2", &people(&["Ann Lee"]), &book), Ok(0));
    }

    #[test]
    fn the_button_of_another_dialog_is_another() {
        let dialog = |title: &str, message: &str| {
            let mut screen = screen(vec![element("text", "page", 0)]);
            let parts = vec![element("heading", title, 0), element("text", message, 30), element("button", "OK", 60)];
            screen.roots.push(group(0, parts));
            screen
        };
        let mut book = Book::default();
        entered(&mut book, &dialog("Confirm", "Delete the draft?"));
        assert_eq!(top("e4", &dialog("Confirm", "Delete the draft?"), &book), Ok(60));
        assert!(top("e4", &dialog("Confirm", "Send it to everybody?"), &book).is_err());
        let page = |title: &str| screen(vec![element("heading", title, 0), element("button", "Next", 90)]);
        let mut book = Book::default();
        entered(&mut book, &page("Cart (1)"));
        assert_eq!(top("e2", &page("Cart (2)"), &book), Ok(90));
        assert!(top("e2", &page("Address"), &book).is_err());
    }

    #[test]
    fn a_ref_of_another_device_means_nothing() {
        let screen = screen(vec![element("button", "A", 0)]);
        let mut book = Book::default();
        book.enter(&screen, &device("B"));
        let error = top("e1", &screen, &book).expect_err("another device");
        assert!(error.message.contains("it is from another device, android B"), "{}", error.message);
        assert!(!error.details.contains_key(GONE));
        assert_eq!(entered(&mut book, &screen), [2]);
        assert_eq!(top("e2", &screen, &book), Ok(0));
    }
}
