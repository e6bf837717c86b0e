//! Dialogs over a page: what they hold, what can be tapped in them, and what an answer changes. `dialog_window` draws them.

use serde_json::{Value, json};

use crate::adb::service::Trust;
use crate::instance::Choice;

use super::calendar::Moment;
use super::place::Place;

/// The package of the window that asks for permissions.
pub(super) const PERMISSION_PACKAGE: &str = "com.android.permissioncontroller";
/// The package of the system's own alerts.
pub(super) const SYSTEM_PACKAGE: &str = "android";
/// The package of the system's bars, its lock screen and the question about debugging.
pub(super) const SYSTEM_UI_PACKAGE: &str = "com.android.systemui";
/// What the file dialog offers.
pub(super) const FILES: [&str; 4] = ["notes.txt", "photo.jpg", "report.pdf", "数据.csv"];

/// An open dialog.
#[derive(Clone, Debug)]
pub(super) struct Dialog {
    pub(super) title: String,
    pub(super) kind: Kind,
    /// How far its list was scrolled, in pixels.
    pub(super) scroll: i32,
}

/// What a dialog asks.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// One of several.
    Choice {
        place: Place,
        options: Vec<Choice>,
        chosen: Option<usize>,
    },
    /// Any of several.
    Checks {
        place: Place,
        options: Vec<Choice>,
        chosen: Vec<bool>,
    },
    Date {
        place: Place,
        moment: Moment,
    },
    File {
        place: Place,
    },
    Text(String),
    Picture(String),
    Permission {
        package: String,
        permission: String,
    },
    /// Whether a computer may do what adb does.
    Debugging {
        fingerprint: String,
        always: bool,
    },
    /// A text and buttons of its own; what a touch beside it leads to.
    Ask {
        text: String,
        buttons: Vec<Button>,
        beside: Outcome,
    },
}

/// A button of a dialog that asks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Button {
    pub(super) text: &'static str,
    pub(super) id: &'static str,
    pub(super) leads_to: Outcome,
}

/// What can be tapped in a dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The option of this number.
    Pick(usize),
    /// Moves one part of a date by one.
    Step {
        part: usize,
        by: i32,
    },
    Accept,
    Dismiss,
    /// Allows or denies a permission.
    Permit(bool),
}

/// What an answer leads to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    Stay,
    Close,
    /// The field gets a value, and the dialog closes.
    Put(Place, Value),
    Permitted {
        package: String,
        permission: String,
        granted: bool,
    },
    /// The computer that asked is told.
    Trust(Trust),
    /// The page that lives below is told.
    Tell(&'static str),
    /// The app that does nothing is waited for.
    Wait,
    /// An app is ended.
    End(String),
    /// An app that has ended is opened again.
    Reopen(String),
}

impl Dialog {
    pub(super) fn new(title: impl Into<String>, kind: Kind) -> Self {
        Self { title: title.into(), kind, scroll: 0 }
    }

    /// Takes an answer in.
    pub(super) fn answer(&mut self, answer: &Answer) -> Outcome {
        match (&mut self.kind, answer) {
            (Kind::Permission { package, permission }, Answer::Permit(granted)) => {
                Outcome::Permitted { package: package.clone(), permission: permission.clone(), granted: *granted }
            }
            (Kind::Debugging { always, .. }, answer) => debugging_answer(always, answer),
            (Kind::Ask { buttons, .. }, Answer::Pick(number)) => {
                buttons.get(*number).map_or(Outcome::Stay, |button| button.leads_to.clone())
            }
            (Kind::Ask { beside, .. }, _) => beside.clone(),
            // Back and a tap beside it do not answer a question of the system's.
            (Kind::Permission { .. }, _) => Outcome::Stay,
            (Kind::Choice { place, options, .. }, Answer::Pick(number)) => {
                options.get(*number).map_or(Outcome::Stay, |option| Outcome::Put(place.clone(), json!(option.value)))
            }
            (Kind::File { place }, Answer::Pick(number)) => {
                FILES.get(*number).map_or(Outcome::Stay, |name| Outcome::Put(place.clone(), json!(name)))
            }
            (Kind::Checks { chosen, .. }, Answer::Pick(number)) => {
                if let Some(checked) = chosen.get_mut(*number) {
                    *checked = !*checked;
                }
                Outcome::Stay
            }
            (Kind::Checks { place, options, chosen }, Answer::Accept) => {
                let kept = options.iter().zip(chosen).filter(|(_, checked)| **checked);
                Outcome::Put(place.clone(), kept.map(|(option, _)| json!(option.value)).collect())
            }
            (Kind::Date { moment, .. }, Answer::Step { part, by }) => {
                moment.step(*part, *by);
                Outcome::Stay
            }
            (Kind::Date { place, moment }, Answer::Accept) => Outcome::Put(place.clone(), json!(moment.written())),
            (_, Answer::Dismiss | Answer::Accept) => Outcome::Close,
            _ => Outcome::Stay,
        }
    }

    /// Returns the package whose window this is, where it is not the app's own.
    pub(super) fn package(&self) -> Option<&'static str> {
        matches!(self.kind, Kind::Permission { .. }).then_some(PERMISSION_PACKAGE)
    }
}

/// Takes an answer to the question about debugging in; neither Back nor a tap beside it is one.
fn debugging_answer(always: &mut bool, answer: &Answer) -> Outcome {
    match answer {
        Answer::Pick(0) => {
            *always = !*always;
            Outcome::Stay
        }
        Answer::Pick(_) => Outcome::Trust(Trust::Refused),
        Answer::Accept if *always => Outcome::Trust(Trust::Always),
        Answer::Accept => Outcome::Trust(Trust::Once),
        _ => Outcome::Stay,
    }
}
