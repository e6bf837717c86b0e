//! What the last touch was, and the screen that it was made on: so that an error can say that nothing came of it.
//!
//! A button that does nothing is found only by what does not come after it; whoever reads that wants to know which button.

use parking_lot::Mutex;
use uixt_call::mask;
use uixt_driver::{Element, Reach, Screen};
use uixt_locate::{Error, dialog};

use crate::{Context, State};

/// The fact that a dialog is open: of those that a look at the screen leaves, from which causes are told.
pub const DIALOG: &str = "dialog";
/// The fact that the page shows a dialog of its own.
pub const PAGE_DIALOG: &str = "page_dialog";
/// The fact that something is loading.
pub const LOADING: &str = "loading";
/// The fact that the last touch changed nothing.
pub(crate) const IDLE: &str = "idle_touch";

/// The last touch of a session, until something else is done.
#[derive(Default)]
pub struct LastTouch(Mutex<Option<Touch>>);

impl State for LastTouch {}

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
    pub fn keep(&self, what: &str, serial: &str, before: Screen) {
        *self.0.lock() = Some(Touch { what: what.to_owned(), serial: serial.to_owned(), before, is_new: true });
    }

    /// Takes in that a call has done something: a touch of an earlier call is not the last thing any more.
    pub(crate) fn end_call(&self) {
        let mut touch = self.0.lock();
        *touch = touch.take().filter(|touch| touch.is_new).map(|touch| Touch { is_new: false, ..touch });
    }

    /// Returns the screen that the last touch was made on.
    pub(crate) fn screen_before(&self, serial: &str) -> Option<Screen> {
        let touch = self.0.lock();
        touch.as_ref().filter(|touch| touch.serial == serial).map(|touch| touch.before.clone())
    }

    /// Returns what was touched without anything coming of it; none where the screen is another one.
    fn idle_touch(&self, serial: &str, now: &Screen) -> Option<String> {
        let touch = self.0.lock();
        touch
            .as_ref()
            .filter(|touch| touch.serial == serial && is_same(&touch.before, now))
            .map(|touch| touch.what.clone())
    }
}

/// Tells whether two screens are the same to a person: a button that has the focus since it was clicked is no other one, and a look
/// may not have asked what moves or lies over what.
fn is_same(before: &Screen, now: &Screen) -> bool {
    before == now || (before.roots.len() == now.roots.len() && plain(before) == plain(now))
}

fn plain(screen: &Screen) -> Screen {
    let mut screen = Screen { selected: Vec::new(), ..screen.clone() };
    screen.roots.iter_mut().for_each(make_plain);
    screen
}

fn make_plain(element: &mut Element) {
    if matches!(element.role, "button" | "link" | "webview" | "group") {
        element.focused = false;
    }
    if let Some(told) = &mut element.told {
        (told.still, told.reach) = (None, Reach::default());
    }
    element.children.iter_mut().for_each(make_plain);
}

/// Says, in an error's details, what is shown that no tree tells of, so that it is not known what a touch changed.
pub(crate) const UNTOLD: &str = "untold";

/// Adds to an error of what was looked for in vain that the touch before it changed nothing.
pub(crate) fn explain(cx: &Context, mut error: Error, now: &Screen) -> Error {
    let Some(device) = cx.device.as_deref().filter(|_| error.kind.is_failure()) else { return error };
    if let Some(dialog) = dialog::find(now) {
        let whose = if dialog::is_of_the_system(now) {
            "a dialog of the system lies over the app"
        } else {
            "a dialog lies over the app"
        };
        error = error.with(DIALOG, format!("{whose}: {}", dialog.title));
    }
    if let Some(title) = dialog::of_page(now) {
        error = error.with(PAGE_DIALOG, title);
    }
    if !now.notes.loading.is_empty() {
        error = error.with(LOADING, mask::addresses(&now.notes.loading));
    }
    let shows_more = error.details.contains_key(UNTOLD);
    if let Some(what) = cx.session.state::<LastTouch>().idle_touch(&device.info().serial, now).filter(|_| !shows_more) {
        error.message.push_str(&format!("; {}", idle(&what)));
        error = error.with(IDLE, what);
    }
    error
}

/// Says that a touch came to nothing.
pub(crate) fn idle(what: &str) -> String {
    format!("nothing has changed on the screen since {what} was tapped")
}

#[cfg(test)]
mod tests {
    use super::*;
    use uixt_driver::Size;

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
        let button = |focused| Element { role: "button", focused, ..Element::default() };
        let with = |focused| Screen { roots: vec![button(focused)], ..screen.clone() };
        assert!(is_same(&with(false), &with(true)), "a click gives the focus");
        last_touch.end_call();
        assert!(last_touch.idle_touch("1", &screen).is_some(), "made by the call itself");
        last_touch.end_call();
        assert_eq!(last_touch.idle_touch("1", &screen), None);
    }
}
