//! What one window of the phone is made of: nodes that say what they are, where they lie, how they look and what a tap does.
//!
//! The dump and the pixels are two views of the same tree. Knows nothing of apps.

use std::sync::Arc;

use super::node_action::{Grip, Tap};
use uixt_canvas::canvas::{Canvas, Color};
use uixt_canvas::geometry::Area;
use uixt_canvas::glyphs::Style;
use uixt_canvas::icon::Icon;
use uixt_canvas::picture::Picture;

/// A node's yes-or-no attributes, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags(u16);

impl Flags {
    pub(super) const CHECKABLE: Flags = Flags(1);
    pub(super) const CHECKED: Flags = Flags(2);
    pub(super) const CLICKABLE: Flags = Flags(4);
    pub(super) const DISABLED: Flags = Flags(8);
    pub(super) const FOCUSABLE: Flags = Flags(16);
    pub(super) const FOCUSED: Flags = Flags(32);
    pub(super) const SCROLLABLE: Flags = Flags(64);
    pub(super) const LONG_CLICKABLE: Flags = Flags(128);
    pub(super) const PASSWORD: Flags = Flags(256);
    pub(super) const SELECTED: Flags = Flags(512);

    pub(super) fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }

    fn with(self, flag: Flags) -> Flags {
        Flags(self.0 | flag.0)
    }
}

/// Something to be drawn.
#[derive(Clone, Debug)]
pub(super) enum Paint {
    Fill(Area, Color),
    Gradient(Area, Color, Color),
    /// A rectangle with round corners.
    Round(Area, f32, Color),
    /// Its outline: radius and thickness.
    Ring(Area, f32, f32, Color),
    /// A line of text: x of its beginning, y of its baseline.
    Text(f32, i32, String, Style, Color),
    Icon(Icon, Area, Color),
    /// A picture stretched over the first area, seen within the second, whose corners have a radius.
    Picture(Area, Area, f32, Arc<Picture>),
}

/// One thing in a window.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) class: &'static str,
    pub(super) text: String,
    pub(super) label: String,
    pub(super) hint: String,
    pub(super) id: String,
    pub(super) area: Area,
    pub(super) flags: Flags,
    /// What is drawn before the children.
    pub(super) paint: Vec<Paint>,
    pub(super) tap: Option<Tap>,
    pub(super) grip: Option<Grip>,
    /// Whether nothing of the children is seen outside of this node.
    pub(super) clips: bool,
    pub(super) children: Vec<Node>,
}

impl Node {
    pub(super) fn new(class: &'static str, area: Area) -> Self {
        Self { class, area, ..Self::default() }
    }

    #[must_use]
    pub(super) fn text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    #[must_use]
    pub(super) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    #[must_use]
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    #[must_use]
    pub(super) fn id(mut self, id: impl Into<String>) -> Self {
        self.id = id.into();
        self
    }

    #[must_use]
    pub(super) fn flag(mut self, flag: Flags) -> Self {
        self.flags = self.flags.with(flag);
        self
    }

    #[must_use]
    pub(super) fn flag_if(self, yes: bool, flag: Flags) -> Self {
        if yes { self.flag(flag) } else { self }
    }

    /// Makes the node clickable.
    #[must_use]
    pub(super) fn tap(mut self, tap: Tap) -> Self {
        self.tap = Some(tap);
        self.flag(Flags::CLICKABLE).flag(Flags::FOCUSABLE)
    }

    /// Makes the node take a finger's whole way.
    #[must_use]
    pub(super) fn grip(mut self, grip: Grip) -> Self {
        self.grip = Some(grip);
        self
    }

    #[must_use]
    pub(super) fn paint(mut self, paint: Paint) -> Self {
        self.paint.push(paint);
        self
    }

    #[must_use]
    pub(super) fn paints(mut self, paints: impl IntoIterator<Item = Paint>) -> Self {
        self.paint.extend(paints);
        self
    }

    #[must_use]
    pub(super) fn child(mut self, child: Node) -> Self {
        self.children.push(child);
        self
    }

    #[must_use]
    pub(super) fn children(mut self, children: impl IntoIterator<Item = Node>) -> Self {
        self.children.extend(children);
        self
    }

    #[must_use]
    pub(super) fn clipping(mut self) -> Self {
        self.clips = true;
        self
    }

    /// Moves the node and everything in it down by `by` pixels.
    pub(super) fn move_down(&mut self, by: i32) {
        self.area = self.area.moved_down(by);
        if let Some(grip) = &mut self.grip {
            grip.move_down(by);
        }
        for paint in &mut self.paint {
            paint.move_down(by);
        }
        for child in &mut self.children {
            child.move_down(by);
        }
    }

    /// Draws the node and everything in it.
    pub(super) fn draw(&self, canvas: &mut Canvas) {
        for paint in &self.paint {
            paint.draw(canvas);
        }
        let before = canvas.clip();
        if self.clips {
            canvas.set_clip(before.intersect(&self.area));
        }
        for child in &self.children {
            child.draw(canvas);
        }
        canvas.set_clip(before);
    }

    /// Tells whether the field in use, here or below, is for a password.
    pub(super) fn is_secret_in_use(&self) -> bool {
        let own = self.flags.has(Flags::FOCUSED) && self.flags.has(Flags::PASSWORD);
        own || self.children.iter().any(Node::is_secret_in_use)
    }

    /// Returns what a tap at a point does: the topmost node there that takes taps.
    pub(super) fn hit(&self, x: f64, y: f64) -> Option<&Tap> {
        let inside = self.area.contains(x, y);
        if self.clips && !inside {
            return None;
        }
        let below = self.children.iter().rev().find_map(|child| child.hit(x, y));
        below.or_else(|| self.tap.as_ref().filter(|_| inside && !self.flags.has(Flags::DISABLED)))
    }
}

impl Node {
    /// Returns what takes a finger's whole way at a point: the innermost such node there.
    pub(super) fn grip_at(&self, x: f64, y: f64) -> Option<&Grip> {
        let inside = self.area.contains(x, y);
        if self.clips && !inside {
            return None;
        }
        let below = self.children.iter().rev().find_map(|child| child.grip_at(x, y));
        below.or_else(|| self.grip.as_ref().filter(|_| inside))
    }
}

impl Grip {
    fn move_down(&mut self, by: i32) {
        match self {
            Self::Pad { area, .. } => *area = area.moved_down(by),
            Self::Board { thing, ground, .. } => {
                *thing = thing.moved_down(by);
                *ground = ground.moved_down(by);
            }
            Self::List { .. } => {}
        }
    }
}

impl Paint {
    fn move_down(&mut self, by: i32) {
        match self {
            Self::Fill(area, _)
            | Self::Gradient(area, ..)
            | Self::Round(area, ..)
            | Self::Ring(area, ..)
            | Self::Icon(_, area, _) => *area = area.moved_down(by),
            Self::Text(_, baseline, ..) => *baseline += by,
            Self::Picture(area, within, ..) => {
                *area = area.moved_down(by);
                *within = within.moved_down(by);
            }
        }
    }

    fn draw(&self, canvas: &mut Canvas) {
        match self {
            Self::Fill(area, color) => canvas.fill(*area, *color),
            Self::Gradient(area, upper, lower) => canvas.gradient(*area, *upper, *lower),
            Self::Round(area, radius, color) => canvas.round(*area, *radius, *color),
            Self::Ring(area, radius, width, color) => canvas.ring(*area, *radius, *width, *color),
            Self::Text(x, baseline, text, style, color) => {
                let high = style.line_height();
                if baseline + high > canvas.clip().top && baseline - high < canvas.clip().bottom {
                    canvas.text(*x, *baseline, text, *style, *color);
                }
            }
            Self::Icon(icon, area, color) => icon.draw(canvas, *area, *color),
            Self::Picture(area, within, radius, picture) => canvas.picture(*area, *within, *radius, picture),
        }
    }
}
