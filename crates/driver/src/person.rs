//! What a person does with the mouse and the keys in a browser's own window, told to whoever does it in their place.

use serde_json::Value;

use super::PageDialog;

/// Something that a person did.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// The page has heard nothing of it: whoever is told does it. The object says what, in its first field, as the studio's page does: `tap`, `path`,
    /// `type`, `key`, `tab`, …; points are pixels of the viewport.
    Kept(Value),
    /// An address was opened by the browser's bar, in a tab that was opened for it or in the one in front.
    Opened { url: String, in_new_tab: bool },
    /// The page was left by the browser's buttons: -1 is back, 1 forward, 0 loads it anew.
    Went(i32),
    /// A dialog was answered.
    Answered { dialog: PageDialog, accepted: bool, text: String },
    /// The tab of a position was closed.
    TabClosed(usize),
}

/// Hears of what a person does, in order.
pub type Told<'a> = &'a (dyn Fn(Deed) + Send + Sync);
