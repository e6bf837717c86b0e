//! A button that lies over the middle of another one.

use crate::apps::live::{Effect, LivePage, Moment, Part, Thing, nothing_due};

pub(super) const PAGE: LivePage = LivePage {
    id: "overlapping",
    title: "Overlapping targets",
    hint: "Nothing was touched",
    show: |now| vec![Part::Ground(220.0, things(now))],
    touch: |memory, what, _| match what {
        "below" => memory.say("Touched the one below"),
        "above" => memory.say("Touched the one above"),
        "ground" => memory.say("Touched the ground"),
        _ => Effect::None,
    },
    due: nothing_due,
};

fn things(now: &Moment) -> Vec<Thing> {
    let wide = now.room.0 - 40.0;
    let thing = |id, text: &str, at, strong| Thing { id, text: text.to_owned(), at, is_button: true, strong };
    vec![
        thing("below", "Below", (20.0, 40.0, wide, 140.0), false),
        thing("above", "Above", (20.0 + wide * 0.3, 65.0, wide * 0.6, 90.0), true),
    ]
}
