//! Areas of the phone's screen in whole pixels, and dp in pixels.

/// A rectangle; right and bottom lie just outside of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    pub left: i32,
    pub top: i32,
    pub right: i32,
    pub bottom: i32,
}

impl Area {
    pub fn new(left: i32, top: i32, right: i32, bottom: i32) -> Self {
        Self { left, top, right, bottom }
    }

    pub fn sized(left: i32, top: i32, width: i32, height: i32) -> Self {
        Self::new(left, top, left + width, top + height)
    }

    pub fn width(&self) -> i32 {
        self.right - self.left
    }

    pub fn height(&self) -> i32 {
        self.bottom - self.top
    }

    pub fn is_empty(&self) -> bool {
        self.right <= self.left || self.bottom <= self.top
    }

    pub fn contains(&self, x: f64, y: f64) -> bool {
        x >= f64::from(self.left) && x < f64::from(self.right) && y >= f64::from(self.top) && y < f64::from(self.bottom)
    }

    /// Returns the part that both have; empty where they have none.
    pub fn intersect(&self, other: &Area) -> Area {
        Area::new(
            self.left.max(other.left),
            self.top.max(other.top),
            self.right.min(other.right),
            self.bottom.min(other.bottom),
        )
    }

    /// Returns the area moved down by `by` pixels.
    pub fn moved_down(&self, by: i32) -> Area {
        Area::new(self.left, self.top + by, self.right, self.bottom + by)
    }

    /// Returns the half that one of two apps gets that share the screen.
    pub fn upper_half(&self) -> Area {
        Area::new(self.left, self.top, self.right, i32::midpoint(self.top, self.bottom))
    }

    /// Returns the half that the other one gets.
    pub fn lower_half(&self) -> Area {
        Area::new(self.left, i32::midpoint(self.top, self.bottom), self.right, self.bottom)
    }

    /// Returns the area without a rim of `by` pixels.
    pub fn inset(&self, by: i32) -> Area {
        Area::new(self.left + by, self.top + by, self.right - by, self.bottom - by)
    }

    /// Returns a square of `side` pixels in the middle.
    pub fn square(&self, side: i32) -> Area {
        let (x, y) = (i32::midpoint(self.left, self.right), i32::midpoint(self.top, self.bottom));
        Area::sized(x - side / 2, y - side / 2, side, side)
    }
}

/// How many pixels a dp has: 1.0 at 160 dots per inch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale(f32);

impl Scale {
    pub fn of_density(density: u32) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a density is a small number")]
        Self(density as f32 / 160.0)
    }

    /// Returns `dp` in whole pixels.
    #[expect(clippy::cast_possible_truncation, reason = "lengths on a screen are small")]
    pub fn dp(self, dp: f32) -> i32 {
        (dp * self.0).round() as i32
    }

    /// Returns `dp` in pixels, not rounded.
    pub fn px(self, dp: f32) -> f32 {
        dp * self.0
    }
}
