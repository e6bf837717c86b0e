//! Points, sizes and rectangles of a screen, in pixels.

/// What a PNG begins with.
pub const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

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

impl Size {
    /// Reads the size that a PNG announces in its header; none where it is no PNG, or has no pixels.
    pub fn of_png(png: &[u8]) -> Option<Self> {
        let header = png.strip_prefix(PNG_SIGNATURE)?;
        let side = |at: usize| Some(u32::from_be_bytes(header.get(at..at + 4)?.try_into().ok()?));
        let size = Self { width: side(8)?, height: side(12)? };
        (header.starts_with(b"\0\0\0\x0dIHDR") && size.width > 0 && size.height > 0).then_some(size)
    }
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
