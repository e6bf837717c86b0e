//! A window of the screen, and how far it can be scrolled.

use super::node::Node;
use uixt_canvas::geometry::Area;

/// A window that may be longer than its place.
pub(super) struct Window {
    pub(super) root: Node,
    /// Where a swipe scrolls.
    pub(super) viewport: Area,
    /// How far it can be scrolled, in pixels.
    pub(super) slack: i32,
}
