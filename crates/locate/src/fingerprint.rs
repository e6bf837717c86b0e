//! An element of a tree → what stands around it, by which it is told from another one that is called the same. Knows nothing
//! of refs; where what it sees speaks for two elements as well as for one, it says so and picks none.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::tree::Tree;
use super::wording::name;
use crate::driver::Rect;

/// A group counts as a row where it is no higher than this part of its window and holds no more names than that.
const LEAST_ROWS: i32 = 5;
const MOST_NAMES: u32 = 8;
/// Texts that speak for a screen without a title.
const MOST_TEXTS: usize = 20;

/// What stands around one element; numbers are digests of names, 0 where there is none.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fingerprint {
    rect: Rect,
    /// How many steps up the row that it belongs to begins; 0 where it is a row by itself.
    steps: usize,
    /// It is a text or a heading.
    says: bool,
    /// The names in it, where it is no list.
    inside: u64,
    /// The other names in that row, and the first of them that stands before it.
    others: u64,
    lead: u64,
    /// The names in the rows before and after.
    before: u64,
    after: u64,
    /// It stands in what scrolls or lists.
    listed: bool,
    title: u64,
    /// All the texts beside it in a window that does not fill the screen, as dialogs do not.
    dialog: u64,
    /// Some texts of the window that do not scroll.
    texts: Vec<u64>,
}

/// How well what stands around two elements speaks for their being the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Similarity {
    /// Something says that it is another.
    Other,
    /// Nothing says so.
    Possible,
    /// Something that only it has around it is there again.
    Sure,
}

/// A tree with digests of what each element holds and stands beside.
pub(super) struct Fingerprints {
    /// Sums of the digests of the names in each element.
    names: Vec<u64>,
    count: Vec<u32>,
    first: Vec<u64>,
    before: Vec<u64>,
    after: Vec<u64>,
    is_row: Vec<bool>,
    listed: Vec<bool>,
    windows: Vec<Window>,
    window: Vec<usize>,
}

#[derive(Default)]
struct Window {
    fills: bool,
    height: i32,
    title: u64,
    all: u64,
    texts: Vec<u64>,
}

/// Makes a number of a name; 0 of none. Numbers in it may change: `Cart (2)` is still the cart.
fn digest(text: &str, with_digits: bool) -> u64 {
    if text.is_empty() {
        return 0;
    }
    let mut hasher = DefaultHasher::new();
    text.chars().filter(|c| with_digits || !c.is_numeric()).for_each(|c| c.hash(&mut hasher));
    hasher.finish().max(1)
}

impl Fingerprints {
    pub(super) fn of(tree: &Tree, screen: &Rect) -> Self {
        let size = tree.len();
        let mut fingerprints = Self {
            names: (0..size).map(|at| digest(name(tree.element(at)), true)).collect(),
            count: (0..size).map(|at| u32::from(!name(tree.element(at)).is_empty())).collect(),
            first: vec![0; size],
            before: vec![0; size],
            after: vec![0; size],
            is_row: vec![false; size],
            listed: vec![false; size],
            windows: Vec::new(),
            window: vec![0; size],
        };
        fingerprints.sum(tree);
        fingerprints.see_windows(tree, screen);
        std::iter::once(None).chain((0..size).map(Some)).for_each(|parent| fingerprints.see_children(tree, parent));
        fingerprints.hear_windows(tree);
        fingerprints
    }

    fn sum(&mut self, tree: &Tree) {
        self.first.clone_from(&self.names);
        for at in (0..tree.len()).rev() {
            if let Some(parent) = tree.parent(at) {
                self.names[parent] = self.names[parent].wrapping_add(self.names[at]);
                self.count[parent] = self.count[parent].saturating_add(self.count[at]);
                // From the last to the first: what comes first stays.
                if self.first[at] != 0 && name(tree.element(parent)).is_empty() {
                    self.first[parent] = self.first[at];
                }
            }
        }
    }

    fn see_windows(&mut self, tree: &Tree, screen: &Rect) {
        for root in tree.children(None).collect::<Vec<_>>() {
            let rect = &tree.element(root).rect;
            let fills = screen.right - screen.left <= rect.right - rect.left && 4 * height(rect) >= 3 * height(screen);
            let window = Window { fills, height: height(rect), ..Window::default() };
            self.window[root] = self.windows.len();
            tree.inside(Some(root)).for_each(|at| self.window[at] = self.windows.len());
            self.windows.push(window);
        }
    }

    /// Looks at what lies directly in an element: what stands beside what, and which of it are rows.
    fn see_children(&mut self, tree: &Tree, parent: Option<usize>) {
        let children: Vec<usize> = tree.children(parent).collect();
        let is_list = |at: usize| tree.element(at).scrollable || tree.element(at).role == "list";
        let lists = parent.is_some_and(|parent| self.listed[parent] || is_list(parent));
        let rows = lists && children.len() > 1;
        let mut last = 0;
        for at in &children {
            self.listed[*at] = lists;
            self.is_row[*at] = rows || self.is_small(tree, *at);
            self.before[*at] = last;
            last = if self.names[*at] == 0 { last } else { self.names[*at] };
        }
        last = 0;
        for at in children.iter().rev() {
            self.after[*at] = last;
            last = if self.names[*at] == 0 { last } else { self.names[*at] };
        }
    }

    fn is_small(&self, tree: &Tree, at: usize) -> bool {
        let window = &self.windows[self.window[at]];
        tree.parent(at).is_some()
            && self.count[at] <= MOST_NAMES
            && height(&tree.element(at).rect).saturating_mul(LEAST_ROWS) <= window.height
    }

    fn hear_windows(&mut self, tree: &Tree) {
        for at in 0..tree.len() {
            let element = tree.element(at);
            let says = matches!(element.role, "heading" | "text") && !name(element).is_empty();
            let window = &mut self.windows[self.window[at]];
            if !says || self.listed[at] && window.fills {
                continue;
            }
            if element.role == "heading" && window.title == 0 {
                window.title = digest(name(element), false);
            }
            let own = digest(name(element), true);
            window.all = window.all.wrapping_add(own);
            if window.texts.len() < MOST_TEXTS {
                window.texts.push(own);
            }
        }
    }

    fn own(tree: &Tree, at: usize) -> u64 {
        digest(name(tree.element(at)), true)
    }

    /// Returns the names in what lies so many steps above an element, without those in itself.
    fn others(&self, tree: &Tree, at: usize, steps: usize) -> Option<u64> {
        Some(self.names[up(tree, at, steps)?].wrapping_sub(self.names[at]))
    }

    /// Returns the names in an element that is no list, whose rows come and go.
    fn inside(&self, tree: &Tree, at: usize) -> u64 {
        let lists = tree.inside(Some(at)).any(|inner| self.listed[inner]);
        if lists { 0 } else { self.names[at].wrapping_sub(Self::own(tree, at)) }
    }

    /// Returns how far above an element its row begins: the innermost that says anything else.
    fn steps(&self, tree: &Tree, at: usize) -> usize {
        let line = || std::iter::once(at).chain(tree.ancestors(at)).enumerate();
        let mut rows = line().take_while(|(_, above)| self.is_row[*above] || *above == at);
        rows.find(|(steps, _)| self.others(tree, at, *steps).is_some_and(|others| others != 0))
            .or_else(|| line().filter(|(_, above)| self.is_row[*above]).take(1).last())
            .map_or(0, |(steps, _)| steps)
    }

    /// Leaves out a neighbour that says the same: it tells nothing.
    fn beside(&self, neighbour: u64, row: usize) -> u64 {
        if neighbour == self.names[row] { 0 } else { neighbour }
    }

    pub(super) fn around(&self, tree: &Tree, at: usize) -> Fingerprint {
        let steps = self.steps(tree, at);
        let row = up(tree, at, steps).unwrap_or(at);
        let own = Self::own(tree, at);
        let window = &self.windows[self.window[at]];
        let element = tree.element(at);
        let says = matches!(element.role, "heading" | "text");
        let lead = if self.first[row] == own { 0 } else { self.first[row] };
        Fingerprint {
            rect: element.rect,
            steps,
            says,
            inside: self.inside(tree, at),
            others: self.others(tree, at, steps).unwrap_or_default(),
            lead,
            before: self.beside(self.before[row], row),
            after: self.beside(self.after[row], row),
            listed: self.listed[at],
            title: window.title,
            dialog: if window.fills { 0 } else { window.all.wrapping_sub(if says { own } else { 0 }) },
            texts: window.texts.iter().copied().filter(|text| *text != own).collect(),
        }
    }

    /// Tells whether an element may be the one that had these surroundings.
    pub(super) fn similarity(&self, tree: &Tree, at: usize, was: &Fingerprint) -> Similarity {
        let now = self.around(tree, at);
        if !was.same_window(&now) || was.inside != now.inside {
            return Similarity::Other;
        }
        let beside = now.before == was.before && now.after == was.after && (was.before, was.after) != (0, 0);
        let stays = beside && now.rect == was.rect && now.lead == was.lead;
        if was.others != 0 {
            let again = self.others(tree, at, was.steps) == Some(was.others);
            return if again || stays { Similarity::Sure } else { Similarity::Other };
        }
        if now.others != 0 && now.steps > was.steps && !stays {
            return Similarity::Other;
        }
        was.neighbours(&now)
    }

    /// Tells whether an element stands exactly where one stood that had these surroundings.
    pub(super) fn in_place(&self, tree: &Tree, at: usize, was: &Fingerprint) -> bool {
        let now = self.around(tree, at);
        let place = |around: &Fingerprint| (around.rect, around.before, around.after, around.others);
        was.same_window(&now) && place(&now) == place(was)
    }

    /// Tells whether an element's row begins with the name that it began with, and no other row of what is alike does.
    pub(super) fn is_led(&self, tree: &Tree, at: usize, was: &Fingerprint, alike: &[usize]) -> bool {
        let leads = |at: usize| self.around(tree, at).lead == was.lead;
        was.lead != 0 && leads(at) && !alike.iter().any(|other| *other != at && leads(*other))
    }
}

impl Fingerprint {
    /// Tells whether two windows may be the same: by their titles, or else by most of what stands in them.
    fn same_window(&self, now: &Self) -> bool {
        if self.dialog != now.dialog {
            return false;
        }
        if self.title != 0 && now.title != 0 {
            return self.title == now.title;
        }
        let shared = self.texts.iter().filter(|text| now.texts.contains(text)).count();
        let fewer = self.texts.len().min(now.texts.len());
        self.listed || fewer == 0 || 2 * shared > fewer
    }

    /// Judges by what stands before and after: in a list one of them is the same, unless nothing is known of either.
    fn neighbours(&self, now: &Self) -> Similarity {
        let known = [(self.before, now.before), (self.after, now.after)];
        let known = known.into_iter().filter(|(was, is)| *was != 0 && *is != 0);
        let (same, differ): (Vec<_>, Vec<_>) = known.partition(|(was, is)| was == is);
        match (same.len(), differ.len()) {
            (0, 0) => Similarity::Possible,
            // Under the same title, what can be touched is known by its own name.
            (0, _) if !self.listed && !self.says && self.title != 0 => Similarity::Possible,
            (0, 1) if !self.listed => Similarity::Possible,
            (0, _) => Similarity::Other,
            _ => Similarity::Sure,
        }
    }
}

fn height(rect: &Rect) -> i32 {
    rect.bottom.saturating_sub(rect.top)
}

/// Returns what lies so many steps above an element.
fn up(tree: &Tree, at: usize, steps: usize) -> Option<usize> {
    if steps == 0 { Some(at) } else { tree.ancestors(at).nth(steps - 1) }
}
