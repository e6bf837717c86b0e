//! A node of `WebDriverAgent`'s tree as it is written, in JSON or in XML, before anything is made of it.
//!
//! Source: `XCUIApplication+FBHelpers.m` (`dictionaryForElement`) and `FBXPath.m` of appium/WebDriverAgent.

use std::borrow::Cow;

/// What one node says of itself. Texts are empty where it says nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Node<'a> {
    /// `Button`, without `XCUIElementType`.
    pub(crate) kind: Cow<'a, str>,
    /// The identifier that the app's own code gave it.
    pub(crate) id: Cow<'a, str>,
    pub(crate) label: Cow<'a, str>,
    pub(crate) value: Cow<'a, str>,
    pub(crate) placeholder: Cow<'a, str>,
    /// `Button, Selected`: joined with commas.
    pub(crate) traits: Cow<'a, str>,
    pub(crate) place: Place,
    pub(crate) is_disabled: bool,
    /// Whether it is seen, and whether a screen reader stops at it; none where that is not told.
    pub(crate) visible: Option<bool>,
    pub(crate) accessible: Option<bool>,
    pub(crate) is_focused: bool,
    /// The app's, where the root tells it.
    pub(crate) bundle: Cow<'a, str>,
    pub(crate) children: Vec<Node<'a>>,
}

/// Where a node lies, in points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Place {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Place {
    /// As what lies nowhere is told.
    pub(crate) const NONE: Self = Self { x: -1.0, y: -1.0, width: 0.0, height: 0.0 };

    pub(crate) fn right(&self) -> f64 {
        self.x + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// Tells whether it is none: what lies nowhere is told as `-1,-1,0,0`.
    pub(crate) fn is_empty(&self) -> bool {
        self.width <= 0.0 || self.height <= 0.0
    }

    /// Returns how many square points it has.
    pub(crate) fn area(&self) -> f64 {
        self.width.max(0.0) * self.height.max(0.0)
    }

    /// Returns the point in its middle, as a place.
    pub(crate) fn middle(&self) -> Place {
        Place { x: self.x + self.width / 2.0, y: self.y + self.height / 2.0, width: 0.1, height: 0.1 }
    }

    /// Tells whether any of it lies in another.
    pub(crate) fn meets(&self, other: &Place) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }

    /// Returns the part of it that lies in another; an empty one where none does.
    pub(crate) fn part_in(&self, other: &Place) -> Place {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let (right, bottom) = (self.right().min(other.right()), self.bottom().min(other.bottom()));
        Place { x, y, width: right - x, height: bottom - y }
    }

    /// Returns the least place around it and another.
    pub(crate) fn with(&self, other: &Place) -> Place {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        Place { x, y, width: self.right().max(other.right()) - x, height: self.bottom().max(other.bottom()) - y }
    }

    /// Tells whether all of it lies in another, but for a point that was rounded.
    pub(crate) fn is_within(&self, other: &Place) -> bool {
        self.x >= other.x - 1.0
            && self.y >= other.y - 1.0
            && self.right() <= other.right() + 1.0
            && self.bottom() <= other.bottom() + 1.0
    }
}

impl<'a> Node<'a> {
    /// Takes its name in, which is the identifier, or else the label. What has a space in it is no identifier, and a text that has
    /// nothing but a name shows it.
    pub(crate) fn take_name(&mut self, name: Cow<'a, str>, has_id: bool) {
        let is_label = || self.kind.ends_with("StaticText") || name.trim().contains(' ');
        if self.label.is_empty() && self.value.is_empty() && !(has_id && self.id == name) && is_label() {
            self.label = name;
        } else if !has_id && name != self.label {
            self.id = name;
        }
    }
}

impl Node<'_> {
    pub(crate) fn has_trait(&self, name: &str) -> bool {
        self.traits.split(',').any(|known| known.trim() == name)
    }

    /// Tells whether it is neither seen nor told to who cannot see. One of both alone proves nothing: what is plainly on the screen may be
    /// told as not visible.
    pub(crate) fn is_hidden(&self) -> bool {
        self.visible == Some(false) && self.accessible == Some(false)
    }

    /// Tells whether it says anything that a person may read.
    pub(crate) fn says_something(&self) -> bool {
        !self.label.is_empty() || !self.value.is_empty()
    }

    /// Tells whether a test holds for the node or anything in it.
    pub(crate) fn any(&self, test: &dyn Fn(&Node<'_>) -> bool) -> bool {
        test(self) || self.children.iter().any(|child| child.any(test))
    }

    /// Returns how many levels of nodes there are, this one's included.
    pub(crate) fn levels(&self) -> u32 {
        1 + self.children.iter().map(Node::levels).max().unwrap_or(0)
    }
}
