//! A screen's elements → a flat list in reading order that knows parents and siblings. Knows nothing of targets.

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
