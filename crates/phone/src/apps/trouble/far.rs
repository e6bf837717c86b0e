//! A list whose end lies far away.

use crate::apps::live::{Effect, LivePage, Memory, Part, nothing_due};

pub(super) const PAGE: LivePage = LivePage {
    id: "far",
    title: "Far scrolling",
    hint: "Nothing was picked",
    show: |_| vec![Part::Rows(150)],
    touch: |memory, what, _| pick(memory, what),
    due: nothing_due,
};

/// Says which row was picked.
pub(super) fn pick(memory: &mut Memory, what: &str) -> Effect {
    match what.strip_prefix("row ").and_then(|number| number.parse::<usize>().ok()) {
        Some(number) => memory.say(format!("Picked Row {number}")),
        None => Effect::None,
    }
}
