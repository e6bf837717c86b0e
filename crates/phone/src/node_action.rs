//! What a tap on a node does: words between the pages that draw and the system that acts.

use serde_json::Value;

use super::cap::Cap;
use super::dialog::{Answer, Dialog};
use super::place::Place;
use uixt_canvas::geometry::Area;

/// What a tap does.
#[derive(Clone, Debug)]
pub(super) enum Tap {
    Back,
    Home,
    /// Starts an app.
    Launch(String),
    /// Puts the focus into a text field.
    Focus(Place),
    /// Gives a field a value.
    Set(Place, Value),
    Open(Box<Dialog>),
    /// Runs an action of an instance.
    Act {
        instance: String,
        action: String,
    },
    /// Runs an action with the table row that was tapped.
    ActOnRow {
        instance: String,
        action: String,
        row: Value,
    },
    /// Shows a message on an instance's page.
    Say {
        instance: String,
        message: String,
    },
    /// Something in the open dialog.
    Dialog(Answer),
    /// Something on a page that lives.
    Live(String),
    Cap(Cap),
    /// Takes the tap and does nothing.
    Swallow,
}

/// What takes a finger's whole way, rather than only its taps.
#[derive(Clone, Debug)]
pub(super) enum Grip {
    /// Writes down in a field what the finger did.
    Pad { place: Place, area: Area },
    /// Carries a thing over a ground, once it was pressed long; the field holds where it lies.
    Board { place: Place, thing: Area, ground: Area },
    /// A list with a height of its own: its place, how far it is scrolled, and how far it can be.
    List { place: Place, scroll: i32, slack: i32 },
}
