//! What the last touch was, and the screen that it was made on: so that an error can say that nothing came of it.
//!
//! A button that does nothing is found only by what does not come after it; whoever reads that wants to know which button.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Context, Error};
use crate::driver::Screen;

/// The last touch of a session, until something else is done.
#[derive(Default)]
pub(super) struct LastTouch(Mutex<Option<Touch>>);

struct Touch {
    /// What was touched: `button "Sign in" #sign_in`.
    what: String,
    serial: String,
    before: Screen,
    /// Whether it was made by the call that still runs.
    is_new: bool,
}

impl LastTouch {
    /// Keeps a touch.
    pub(super) fn keep(&self, what: &str, serial: &str, before: Screen) {
        *self.touch() = Some(Touch { what: what.to_owned(), serial: serial.to_owned(), before, is_new: true });
    }

    /// Takes in that a call has done something: a touch of an earlier call is not the last thing any more.
    pub(super) fn end_call(&self) {
        let mut touch = self.touch();
        *touch = touch.take().filter(|touch| touch.is_new).map(|touch| Touch { is_new: false, ..touch });
    }

    fn touch(&self) -> MutexGuard<'_, Option<Touch>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what was touched without anything coming of it; none where the screen is another one.
    fn idle_touch(&self, serial: &str, now: &Screen) -> Option<String> {
        let touch = self.touch();
        touch.as_ref().filter(|touch| touch.serial == serial && touch.before == *now).map(|touch| touch.what.clone())
    }
}

/// Adds to an error of what was looked for in vain that the touch before it changed nothing.
pub(super) fn explain(cx: &Context, mut error: Error, now: &Screen) -> Error {
    let Some(device) = cx.device.as_deref().filter(|_| error.kind.is_failure()) else { return error };
    if let Some(what) = cx.session.last_touch.idle_touch(&device.info().serial, now) {
        error.message.push_str(&format!("; nothing has changed on the screen since {what} was tapped"));
        error = error.with("idle_touch", what);
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::{Element, Size};

    #[test]
    fn only_a_touch_that_changed_nothing_is_named() {
        let screen = Screen { package: "a".to_owned(), size: Size::default(), lit: true, ..Screen::default() };
        let last_touch = LastTouch::default();
        assert_eq!(last_touch.idle_touch("1", &screen), None);
        last_touch.keep("button \"Go\"", "1", screen.clone());
        assert_eq!(last_touch.idle_touch("1", &screen).as_deref(), Some("button \"Go\""));
        assert_eq!(last_touch.idle_touch("2", &screen), None, "another device");
        let other = Screen { roots: vec![Element::default()], ..screen.clone() };
        assert_eq!(last_touch.idle_touch("1", &other), None);
        last_touch.end_call();
        assert!(last_touch.idle_touch("1", &screen).is_some(), "made by the call itself");
        last_touch.end_call();
        assert_eq!(last_touch.idle_touch("1", &screen), None);
    }
}
