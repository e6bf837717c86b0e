//! What an iPhone's edges and its home button do: a swipe from the left goes back, one from below goes home.

use super::super::stroke::Stroke;
use super::super::system::System;

/// Where a finger must be put down at an edge, in points from it.
const EDGE: f32 = 24.0;
/// How far it must go from the left, in parts of the screen's width, and from below, in points.
const BACK: f64 = 0.3;
const HOME: f32 = 80.0;

impl System {
    /// Does what a finger's way from an edge means; false where it means nothing.
    pub(crate) fn take_edge(&mut self, stroke: &Stroke) -> bool {
        let (from, to) = (stroke.start(), stroke.end());
        let (width, height) = self.size();
        let (edge, up) = (f64::from(self.scale().px(EDGE)), f64::from(self.scale().px(HOME)));
        let (right, above) = (to.0 - from.0, from.1 - to.1);
        if from.1 >= f64::from(height) - edge && above >= up && above > right.abs() {
            self.go_home();
            return true;
        }
        let is_back = from.0 <= edge && right >= f64::from(width) * BACK && right > above.abs();
        is_back && !self.has_dialog() && self.leave_page()
    }

    /// Goes to the page below, where there is one.
    pub(crate) fn leave_page(&mut self) -> bool {
        self.keyboard = None;
        self.front_process().is_some_and(super::super::process::Process::pop)
    }

    /// Does what the home button does: lights the screen, opens the lock, shows the home screen.
    pub(super) async fn press_home(&mut self) {
        if !self.is_screen_on() {
            return self.key(224).await;
        }
        if self.is_locked() {
            return self.dismiss_lock();
        }
        self.go_home();
    }

    /// Tells whether the field in use takes line ends.
    pub(super) fn has_lines_in_use(&self) -> bool {
        self.front().is_some_and(|(_, process)| process.edit.as_ref().is_some_and(super::super::edit::Edit::has_lines))
    }
}
