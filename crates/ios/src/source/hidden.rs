//! Nodes that are told as not visible → those that are hidden indeed, left out, and those that a person sees all the same.
//!
//! A phone tells as not visible what a touch of its middle does not hit: what lies behind something or is transparent, but also the
//! texts of a row that is touched as a whole, and pictures. What else is told of the screen says which of them it is.

use super::clip::scrolls;
use super::node::{Node, Place};

/// How many times larger than a text something else may be, at the most, to be drawn in its stead: what is larger lies around it.
const STEAD: f64 = 4.0;

/// Texts of a part of the screen that is too small to tell whether anybody knows what is visible there.
const FEW: usize = 3;
/// Points that places share at their edges, since they are rounded.
const EDGE: f64 = 4.0;

/// What is known of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    AsTold,
    Hidden,
    /// It is told as hidden, and what it stands in says it aloud.
    Seen,
}

/// Leaves out what is hidden.
pub(crate) fn leave_out(windows: &mut [Node<'_>], window: &Place, keyboard: Option<&Place>) {
    let verdicts = {
        let mut judge =
            Judge { window, keyboard, ends: Vec::new(), shown: Vec::new(), bars: Vec::new(), verdicts: Vec::new() };
        windows.iter().for_each(|node| judge.watch(node, None));
        windows.iter().for_each(|node| judge.judge(node, &mut Vec::new()));
        judge.verdicts
    };
    let mut verdicts = verdicts.into_iter();
    windows.iter_mut().for_each(|node| {
        verdicts.next();
        apply(node, &mut verdicts);
    });
}

/// Does as the verdicts say; tells whether something was hidden, so that a row may have nothing left.
fn apply(node: &mut Node<'_>, verdicts: &mut std::vec::IntoIter<Verdict>) -> bool {
    let mut has_hidden = false;
    node.children.retain_mut(|child| {
        let verdict = verdicts.next().unwrap_or(Verdict::AsTold);
        let is_emptied = apply(child, verdicts) && child.kind == "Cell" && !child.any(&|one| one.says_something());
        if verdict == Verdict::Seen {
            child.accessible = None;
        }
        let is_hidden = is_emptied || verdict == Verdict::Hidden;
        has_hidden |= is_hidden;
        !is_hidden
    });
    has_hidden
}

/// A node, its number and that of the next one behind all that it holds.
struct Shown<'n, 'a> {
    node: &'n Node<'a>,
    first: usize,
    end: usize,
}

impl Shown<'_, '_> {
    fn is_around_or_in(&self, first: usize, end: usize) -> bool {
        (self.first <= first && end <= self.end) || (first <= self.first && self.end <= end)
    }
}

struct Judge<'n, 'a, 'w> {
    window: &'w Place,
    keyboard: Option<&'w Place>,
    /// Of each node the number of the next one behind it.
    ends: Vec<usize>,
    /// What says something and is told as visible.
    shown: Vec<Shown<'n, 'a>>,
    /// What stands in bars, which lie over pages, and whole bars.
    bars: Vec<Shown<'n, 'a>>,
    verdicts: Vec<Verdict>,
}

impl<'n, 'a> Judge<'n, 'a, '_> {
    /// Looks at what can be seen.
    fn watch(&mut self, node: &'n Node<'a>, bar: Option<usize>) {
        let first = self.ends.len();
        self.ends.push(first);
        let has_bar = is_bar(node) && node.visible != Some(false);
        let place = has_bar.then(|| {
            self.bars.push(Shown { node, first, end: first });
            self.bars.len() - 1
        });
        let own = place.or(bar);
        node.children.iter().for_each(|child| self.watch(child, own));
        let end = self.ends.len();
        self.ends[first] = end;
        if let Some(place) = place {
            self.bars[place].end = end;
        } else if bar.is_some() && node.children.is_empty() && node.says_something() {
            self.bars.push(Shown { node, first, end });
        }
        if node.visible == Some(true) && node.says_something() && !node.place.is_empty() {
            self.shown.push(Shown { node, first, end });
        }
    }

    /// Judges a node that stands in others, and all that it holds.
    fn judge(&mut self, node: &'n Node<'a>, around: &mut Vec<Shown<'n, 'a>>) {
        let first = self.verdicts.len();
        let end = self.ends[first];
        self.verdicts.push(Verdict::AsTold);
        around.push(Shown { node, first, end });
        node.children.iter().for_each(|child| self.judge(child, around));
        around.pop();
        self.verdicts[first] = match node.visible {
            Some(false) => self.of_unseen(node, around, first, end),
            None if self.lies_under_bar(node, around, first, end) => Verdict::Hidden,
            _ => Verdict::AsTold,
        };
    }

    fn of_unseen(&self, node: &Node<'_>, around: &[Shown<'_, '_>], first: usize, end: usize) -> Verdict {
        let shows = node.any(&|one| one.visible == Some(true) && one.says_something());
        // Whoever tells nothing as visible does not know.
        if shows || self.shown.is_empty() {
            return Verdict::AsTold;
        }
        if !node.place.is_empty() && !node.place.meets(self.window) {
            return Verdict::Hidden;
        }
        let holder = around.iter().rev().map(|one| one.node).find(|one| is_touched(one) && one.visible != Some(false));
        if holder.is_some_and(|holder| tells(holder, node)) || self.is_told_over(node, first, end) {
            return Verdict::Seen;
        }
        let middle = node.place.middle();
        // What the keyboard lies over is there again when that is closed, which is known of elements.
        if self.keyboard.is_some_and(|keys| keys.meets(&middle)) {
            return Verdict::AsTold;
        }
        let is_untouched =
            || is_touched(node) && holder.is_none() && middle.meets(self.window) && self.is_told_of(around, first);
        let is_behind = || has_several(node) && self.is_drawn_over(node, first, end);
        let is_hidden = is_untouched()
            || is_behind()
            || self.has_another_in_stead(node, first, end)
            || self.is_in_bar(&middle, first, end);
        if is_hidden { Verdict::Hidden } else { Verdict::AsTold }
    }

    /// Tells whether anything beside a node is told as visible: where nothing is, nobody knows.
    fn is_told_of(&self, around: &[Shown<'_, '_>], first: usize) -> bool {
        let region = around.iter().rev().find(|one| count_texts(one.node) > FEW);
        let (start, end) = region.map_or((0, usize::MAX), |region| (region.first, region.end));
        self.shown.iter().any(|shown| shown.first != first && (start..end).contains(&shown.first))
    }

    /// Tells whether something is seen where the texts of a node are.
    fn is_drawn_over(&self, node: &Node<'_>, first: usize, end: usize) -> bool {
        let Some(texts) = texts_of(node, self.window) else { return false };
        let is_it = |shown: &Shown<'_, '_>| {
            let part = shown.node.place.part_in(&texts);
            !shown.is_around_or_in(first, end) && part.width >= EDGE && part.height >= EDGE
        };
        self.shown.iter().any(is_it)
    }

    /// Tells whether something around a text's place says it, too, as a row does whose parts are told beside it.
    fn is_told_over(&self, node: &Node<'_>, first: usize, end: usize) -> bool {
        let is_it = |shown: &&Shown<'_, '_>| {
            !shown.is_around_or_in(first, end) && node.place.is_within(&shown.node.place) && tells(shown.node, node)
        };
        node.children.is_empty() && node.says_something() && self.shown.iter().any(|shown| is_it(&shown))
    }

    /// Tells whether something of another name is seen where the node would be.
    fn has_another_in_stead(&self, node: &Node<'_>, first: usize, end: usize) -> bool {
        let middle = node.place.middle();
        let most = node.place.area() * STEAD;
        let is_it = |shown: &Shown<'_, '_>| {
            !shown.is_around_or_in(first, end) && shown.node.place.meets(&middle) && shown.node.place.area() <= most
        };
        node.says_something() && self.shown.iter().any(is_it)
    }

    fn is_in_bar(&self, middle: &Place, first: usize, end: usize) -> bool {
        self.bars.iter().any(|bar| !bar.is_around_or_in(first, end) && bar.node.place.meets(middle))
    }

    /// Tells whether what scrolls has gone under a bar, where nobody tells what is visible: under one at the end of a page with all of it,
    /// under another with its middle, since pages draw under the empty parts of a bar at their top.
    fn lies_under_bar(&self, node: &Node<'_>, around: &[Shown<'_, '_>], first: usize, end: usize) -> bool {
        let middle = node.place.middle();
        let is_over = |bar: &Shown<'_, '_>| match bar.node.kind.as_ref() {
            "TabBar" | "Toolbar" => bar.first > first && node.place.y >= bar.node.place.y && count_texts(bar.node) > 0,
            _ => bar.node.children.is_empty() && bar.node.place.meets(&middle),
        };
        let is_text = node.children.is_empty() && node.says_something();
        is_text
            && around.iter().any(|one| scrolls(one.node))
            && !around.iter().any(|one| is_bar(one.node))
            && self.bars.iter().any(|bar| !bar.is_around_or_in(first, end) && is_over(bar))
    }
}

fn is_bar(node: &Node<'_>) -> bool {
    matches!(node.kind.as_ref(), "NavigationBar" | "TabBar" | "Toolbar")
}

/// Tells whether a touch is meant for a node itself.
fn is_touched(node: &Node<'_>) -> bool {
    let is_control = matches!(
        node.kind.as_ref(),
        "Button"
            | "Cell"
            | "Link"
            | "Icon"
            | "Switch"
            | "Toggle"
            | "CheckBox"
            | "RadioButton"
            | "Slider"
            | "TextField"
            | "SecureTextField"
            | "SearchField"
            | "TextView"
            | "MenuItem"
    );
    is_control || (node.kind == "Other" && node.accessible == Some(true))
}

/// Tells whether a node's name says all that another one does.
fn tells(holder: &Node<'_>, node: &Node<'_>) -> bool {
    let says = |text: &str| text.is_empty() || holder.label.contains(text) || holder.value.contains(text);
    let is_said = |one: &Node<'_>| says(&one.label) && (says(&one.value) || one.value == one.label);
    node.any(&|one| one.says_something()) && !node.any(&|one| !is_said(one))
}

fn count_texts(node: &Node<'_>) -> usize {
    usize::from(node.says_something()) + node.children.iter().map(count_texts).sum::<usize>()
}

/// Returns the least place around the texts in a node that lie in the window.
fn texts_of(node: &Node<'_>, window: &Place) -> Option<Place> {
    let is_text = node.children.is_empty() && node.says_something() && node.place.meets(window);
    let own = is_text.then_some(node.place);
    let places = node.children.iter().filter_map(|child| texts_of(child, window)).chain(own);
    places.reduce(|one, other| one.with(&other))
}

/// Tells whether a node holds several texts, none of which is seen: one alone may be told wrongly.
fn has_several(node: &Node<'_>) -> bool {
    fn visit<'n>(node: &'n Node<'_>, first: &mut Option<&'n str>) -> bool {
        let text = if node.label.is_empty() { node.value.as_ref() } else { node.label.as_ref() };
        let is_another = !text.is_empty() && *first.get_or_insert(text) != text;
        is_another || node.children.iter().any(|child| visit(child, first))
    }
    visit(node, &mut None)
}
