//! Points, sizes and rectangles of a screen, in pixels.

/// A point; x grows to the right, y downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

/// A width and a height.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

/// A rectangle; right and bottom lie just outside of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rect {
    pub left: i32,
    pub top: i32,
    pub right: i32,
    pub bottom: i32,
}

impl Rect {
    /// Returns the point in the middle.
    pub fn center(&self) -> Point {
        Point { x: f64::from(self.left + self.right) / 2.0, y: f64::from(self.top + self.bottom) / 2.0 }
    }

    pub fn is_empty(&self) -> bool {
        self.right <= self.left || self.bottom <= self.top
    }

    pub fn contains(&self, point: Point) -> bool {
        point.x >= f64::from(self.left)
            && point.x < f64::from(self.right)
            && point.y >= f64::from(self.top)
            && point.y < f64::from(self.bottom)
    }

    /// Returns the smallest rectangle that holds both.
    pub fn union(&self, other: &Rect) -> Rect {
        Rect {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    /// Returns the part that both have; empty where they have none.
    #[must_use]
    pub fn intersect(&self, other: &Rect) -> Rect {
        Rect {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }
}
