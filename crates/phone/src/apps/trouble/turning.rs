//! A page that lies another way when the phone is turned, and keeps what was done on it.

use crate::apps::live::{Effect, LivePage, Moment, Part, Thing, nothing_due, times};

pub(super) const PAGE: LivePage = LivePage {
    id: "turning",
    title: "Rotation",
    hint: "0 taps",
    show: |now| {
        let way = if is_upright(now) { "Upright" } else { "Lying" };
        vec![Part::Words("way", way.to_owned()), Part::Ground(200.0, vec![thing(now)])]
    },
    touch: |memory, what, _| match what {
        "count" => {
            let count = memory.count("counted");
            memory.say(times(count, "tap"))
        }
        "ground" => memory.say("Missed"),
        _ => Effect::None,
    },
    due: nothing_due,
};

fn is_upright(now: &Moment) -> bool {
    now.room.0 < now.room.1
}

/// The button stands at the left of an upright page, at the right of one that lies.
fn thing(now: &Moment) -> Thing {
    let left = if is_upright(now) { 20.0 } else { now.room.0 - 140.0 };
    Thing { id: "count", text: "Count".to_owned(), at: (left, 70.0, 120.0, 60.0), is_button: true, strong: true }
}
