//! A screen's elements → a flat list in reading order that knows parents and siblings. Knows nothing of targets.

use std::collections::HashSet;
use std::ops::Range;

use crate::driver::{Element, Screen};

/// All the elements of a screen. Element 0 is the first window's top; whatever lies in an element follows it directly.
pub(super) struct Tree<'a> {
    nodes: Vec<Node<'a>>,
}

struct Node<'a> {
    element: &'a Element,
    parent: Option<usize>,
    /// Just behind the last element that lies in it.
    end: usize,
    /// Which child of its parent it is, from 0.
    position: usize,
}

impl<'a> Tree<'a> {
    pub(super) fn of(screen: &'a Screen) -> Self {
        let mut tree = Self { nodes: Vec::new() };
        tree.add_all(&screen.roots, None);
        tree
    }

    fn add_all(&mut self, elements: &'a [Element], parent: Option<usize>) {
        for (position, element) in elements.iter().enumerate() {
            let at = self.nodes.len();
            self.nodes.push(Node { element, parent, end: at, position });
            self.add_all(&element.children, Some(at));
            self.nodes[at].end = self.nodes.len();
        }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn element(&self, at: usize) -> &'a Element {
        self.nodes[at].element
    }

    pub(super) fn parent(&self, at: usize) -> Option<usize> {
        self.nodes[at].parent
    }

    /// Returns which child of its parent an element is, from 0.
    pub(super) fn position(&self, at: usize) -> usize {
        self.nodes[at].position
    }

    /// Returns all that lies in an element; in the whole screen for none.
    pub(super) fn inside(&self, at: Option<usize>) -> Range<usize> {
        at.map_or(0..self.len(), |at| at + 1..self.nodes[at].end)
    }

    /// Returns what lies directly in an element; the windows for none.
    pub(super) fn children(&self, at: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        let Range { start, end } = self.inside(at);
        let within = move |child: usize| Some(child).filter(|child| *child < end);
        std::iter::successors(within(start), move |child| within(self.nodes[*child].end))
    }

    /// Returns what an element lies in, innermost first.
    pub(super) fn ancestors(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.parent(at), |above| self.parent(*above))
    }

    /// Returns how many children an element's parent has.
    pub(super) fn siblings(&self, at: usize) -> usize {
        self.parent(at).map_or_else(|| self.children(None).count(), |parent| self.element(parent).children.len())
    }
}

/// Leaves out what merely contains another match: a card labelled like the button in it is not a second target.
pub(super) fn innermost<'a>(matches: Vec<&'a Element>, screen: &'a Screen) -> Vec<&'a Element> {
    /// Marks matches that have another match below them; tells whether there is a match in `element`.
    fn visit(element: &Element, matches: &HashSet<*const Element>, outer: &mut HashSet<*const Element>) -> bool {
        let below = element.children.iter().filter(|child| visit(child, matches, outer)).count() > 0;
        let matched = matches.contains(&std::ptr::from_ref(element));
        if matched && below {
            outer.insert(std::ptr::from_ref(element));
        }
        matched || below
    }
    if matches.len() < 2 {
        return matches;
    }
    let set: HashSet<*const Element> = matches.iter().map(|element| std::ptr::from_ref(*element)).collect();
    let mut outer = HashSet::new();
    for root in &screen.roots {
        visit(root, &set, &mut outer);
    }
    matches.into_iter().filter(|element| !outer.contains(&std::ptr::from_ref(*element))).collect()
}

/// Returns what does something when it is touched: what takes clicks, or stands in what does.
pub(super) fn touchable(screen: &Screen) -> HashSet<*const Element> {
    fn visit(element: &Element, above: bool, found: &mut HashSet<*const Element>) {
        let clickable = above || element.clickable;
        if clickable {
            found.insert(std::ptr::from_ref(element));
        }
        element.children.iter().for_each(|child| visit(child, clickable, found));
    }
    let mut found = HashSet::new();
    screen.roots.iter().for_each(|root| visit(root, false, &mut found));
    found
}
