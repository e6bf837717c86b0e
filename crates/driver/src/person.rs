//! What a person does in a browser's own window, told to whoever does it in their place, or on a phone, which has done it by itself.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Key, PageDialog};

/// A finger's way over the screen, each point in pixels with the milliseconds since the first finger came down.
pub type Way = Vec<[f64; 3]>;

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
    /// What is done on a phone from here on is told.
    Followed,
    /// Fingers were on a phone's screen, in the order in which they came down. The first came down at a time of the phone's own clock; that the last was
    /// lifted was heard at a moment of ours.
    Touched { ways: Vec<Way>, began: Duration, lifted: Instant },
    /// A key of a phone was pressed; none of one that is no button of phones, such as a letter.
    Pressed(Option<Key>),
}

/// Hears of what a person does, in order.
pub type Told<'a> = &'a (dyn Fn(Deed) + Send + Sync);
