//! Elements of snapshots → refs that mean them for as long as they can be told from others, on whichever device.
//!
//! A number is given once in a session: an element that is seen again keeps its ref, another never inherits it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::finder::GONE;
use super::tree::Tree;
use super::{Error, Kind, snapshot};
use crate::driver::{DeviceInfo, Element, Rect, Screen};

/// Refs of screens that are no longer shown; older ones mean nothing any more.
const MOST_OLD: usize = 2_000;
/// Elements that are alike and still told from each other: more would cost more than they are worth.
const MOST_ALIKE: usize = 200;
/// How far above an element is looked for what tells it from others like it.
const MOST_LEVELS: usize = 4;

/// A device, as refs remember it.
type Device = (&'static str, String);

fn device_of(info: &DeviceInfo) -> Device {
    (info.platform, info.serial.clone())
}

/// All the refs of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct Book {
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
}

#[derive(Clone, Debug)]
struct Entry {
    number: u32,
    device: Device,
    known: Known,
}

/// The refs as one call to a device may use them.
#[derive(Clone, Debug)]
pub(super) struct Refs {
    book: Arc<Book>,
    device: Device,
}

/// What an element is recognised by when the screen is read again.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    same: Same,
    rect: Rect,
    /// How many were like it.
    alike: usize,
    /// The number of steps up to where it was told from those, and what stood there.
    row: Option<(usize, u64)>,
}

/// What elements that are alike have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Same {
    role: &'static str,
    package: String,
    id: String,
    name: String,
}

impl Same {
    fn of(element: &Element) -> Self {
        let (package, id) = (element.package.clone(), element.id.clone());
        Self { role: element.role, package, id, name: name(element).to_owned() }
    }
}

/// Returns what an element is called: what is typed into a field changes, what the field is called does not.
pub(super) fn name(element: &Element) -> &str {
    match element.role {
        "textfield" if element.label.is_empty() => &element.hint,
        "textfield" => &element.label,
        _ => element.name(),
    }
}

/// A screen's elements, with what tells those that are alike from each other.
struct Sight<'a> {
    tree: Tree<'a>,
    /// Places in the tree of the elements that have refs, by what they have in common.
    alike: HashMap<Same, Vec<usize>>,
    /// The sum of the names in each element.
    names: Vec<u64>,
}

impl<'a> Sight<'a> {
    fn of(screen: &'a Screen) -> Self {
        let tree = Tree::of(screen);
        let mut alike: HashMap<Same, Vec<usize>> = HashMap::new();
        for at in (0..tree.len()).filter(|at| snapshot::is_listed(tree.element(*at))) {
            alike.entry(Same::of(tree.element(at))).or_default().push(at);
        }
        let mut names = vec![0_u64; tree.len()];
        for at in (0..tree.len()).rev() {
            names[at] = names[at].wrapping_add(hash(name(tree.element(at))));
            if let Some(parent) = tree.parent(at) {
                names[parent] = names[parent].wrapping_add(names[at]);
            }
        }
        Self { tree, alike, names }
    }

    /// Returns what stands around an element, so many steps up.
    fn around(&self, at: usize, steps: usize) -> Option<u64> {
        self.tree.ancestors(at).nth(steps).map(|above| self.names[above])
    }

    fn known(&self, at: usize) -> Known {
        let element = self.tree.element(at);
        let same = Same::of(element);
        let alike = self.alike.get(&same).map_or(&[][..], Vec::as_slice);
        let tells = |steps: &usize| {
            let own = self.around(at, *steps);
            own.is_some() && alike.iter().all(|other| *other == at || self.around(*other, *steps) != own)
        };
        let steps = (1 < alike.len() && alike.len() <= MOST_ALIKE).then(|| (0..MOST_LEVELS).find(tells)).flatten();
        let row = steps.and_then(|steps| Some((steps, self.around(at, steps)?)));
        Known { rect: element.rect, alike: alike.len(), row, same }
    }

    /// Finds again what was known; the error says how many are like it.
    fn find(&self, known: &Known) -> Result<&'a Element, usize> {
        let alike = self.alike.get(&known.same).map_or(&[][..], Vec::as_slice);
        let element = |at: usize| self.tree.element(at);
        if let Some((steps, row)) = known.row {
            let mut in_row = alike.iter().filter(|at| self.around(**at, steps) == Some(row));
            return match (in_row.next(), in_row.next()) {
                (Some(only), None) => Ok(element(*only)),
                _ => Err(alike.len()),
            };
        }
        match alike {
            [only] if known.alike == 1 => Ok(element(*only)),
            _ => self.in_place(alike, known).ok_or(alike.len()),
        }
    }

    /// Finds what stands where it stood, among as many as there were; what scrolled may stand there by chance.
    fn in_place(&self, alike: &[usize], known: &Known) -> Option<&'a Element> {
        let mut there = alike.iter().filter(|at| self.tree.element(**at).rect == known.rect);
        let (first, second) = (there.next()?, there.next());
        (second.is_none() && alike.len() == known.alike).then(|| self.tree.element(*first))
    }
}

fn hash(text: &str) -> u64 {
    if text.is_empty() {
        return 0;
    }
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

impl Book {
    /// Gives every listed element of a screen its ref: the one that it has, or a new one. In reading order.
    pub(super) fn enter<'a>(&mut self, screen: &'a Screen, device: &DeviceInfo) -> Vec<(u32, &'a Element)> {
        let sight = Sight::of(screen);
        let device = device_of(device);
        let mut has: HashMap<*const Element, u32> = HashMap::new();
        let few = |entry: &&Entry| sight.alike.get(&entry.known.same).is_some_and(|alike| alike.len() <= MOST_ALIKE);
        for entry in self.entries.iter().filter(|entry| entry.device == device).filter(few) {
            if let Ok(element) = sight.find(&entry.known) {
                has.entry(std::ptr::from_ref(element)).or_insert(entry.number);
            }
        }
        let listed = (0..sight.tree.len()).filter(|at| snapshot::is_listed(sight.tree.element(*at)));
        let mut entered = Vec::new();
        let mut entries = Vec::new();
        for at in listed {
            let element = sight.tree.element(at);
            let number = has.get(&std::ptr::from_ref(element)).copied().unwrap_or_else(|| {
                self.last += 1;
                self.last
            });
            entered.push((number, element));
            entries.push(Entry { number, device: device.clone(), known: sight.known(at) });
        }
        self.keep(entries);
        entered
    }

    /// Returns the ref of one element of a screen; none where it is not on it.
    pub(super) fn number(&mut self, element: &Element, screen: &Screen, device: &DeviceInfo) -> Option<u32> {
        let found = |entered: Vec<(u32, &Element)>| {
            entered.into_iter().find(|(_, other)| std::ptr::eq(*other, element)).map(|(number, _)| number)
        };
        found(self.enter(screen, device))
    }

    /// Puts new entries in place of those of the same numbers, and forgets the oldest.
    fn keep(&mut self, entries: Vec<Entry>) {
        let renewed: std::collections::HashSet<u32> = entries.iter().map(|entry| entry.number).collect();
        self.entries.retain(|entry| !renewed.contains(&entry.number));
        let too_many = self.entries.len().saturating_sub(MOST_OLD);
        self.entries.drain(..too_many);
        self.entries.extend(entries);
    }

    /// Returns what the last snapshot of a device showed.
    pub(super) fn shown(&self, device: &DeviceInfo) -> Option<Arc<Shown>> {
        self.shown.get(&device_of(device)).cloned()
    }

    pub(super) fn show(&mut self, device: &DeviceInfo, shown: Shown) {
        self.shown.insert(device_of(device), Arc::new(shown));
    }

    /// Returns the refs as a call to `device` may use them.
    pub(super) fn on(self: Arc<Self>, device: &DeviceInfo) -> Refs {
        Refs { book: self, device: device_of(device) }
    }
}

/// Finds again what a ref stands for.
pub(super) fn resolve<'a>(reference: &str, screen: &'a Screen, refs: Option<&Refs>) -> Result<&'a Element, Error> {
    let Some(Refs { book, device }) = refs.filter(|refs| refs.book.last > 0) else {
        return Err(stale(reference, "no snapshot was taken yet"));
    };
    let number = reference.strip_prefix('e').and_then(|digits| digits.parse::<u32>().ok());
    let Some(number) = number.filter(|number| (1..=book.last).contains(number)) else {
        return Err(stale(reference, &format!("there are refs from e1 to e{}", book.last)));
    };
    let Some(entry) = book.entries.iter().find(|entry| entry.number == number) else {
        return Err(stale(reference, "it is of a screen long ago"));
    };
    if entry.device != *device {
        let (platform, serial) = &entry.device;
        return Err(stale(reference, &format!("it is of another device, {platform} {serial}")));
    }
    Sight::of(screen).find(&entry.known).map_err(|alike| match alike {
        0 => stale(reference, "the screen has changed since").with(GONE, true),
        1 => stale(reference, "one element is like it now, but may be another"),
        alike => stale(reference, &format!("{alike} elements are like it now")),
    })
}

/// Builds the error of a ref that cannot be followed; `gone` in its details says that what it stood for is certainly not there.
fn stale(reference: &str, why: &str) -> Error {
    Error::new(Kind::NotFound, format!("ref {reference} means nothing: {why}; take a snapshot"))
        .with("code", "STALE_REF")
        .with("ref", reference)
}

#[cfg(test)]
mod tests {
    use super::super::sketch::{element, group, screen};
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

    #[test]
    fn a_ref_of_another_device_means_nothing() {
        let screen = screen(vec![element("button", "A", 0)]);
        let mut book = Book::default();
        book.enter(&screen, &device("B"));
        let error = top("e1", &screen, &book).expect_err("another device");
        assert!(error.message.contains("it is of another device, android B"), "{}", error.message);
        assert!(!error.details.contains_key(GONE));
        assert_eq!(entered(&mut book, &screen), [2]);
        assert_eq!(top("e2", &screen, &book), Ok(0));
    }
}
