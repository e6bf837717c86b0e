//! A page that shares the screen with another app: what stood at its foot lies out of sight then.

use crate::apps::live::{Effect, LivePage, Memory, Moment, Part, Thing, button, nothing_due, times};

/// A window that is lower shows less.
const COMPACT: f32 = 480.0;

pub(super) const PAGE: LivePage =
    LivePage { id: "split", title: "Split screen", hint: "0 taps", show, touch, due: nothing_due };

fn touch(memory: &mut Memory, what: &str, _: u64) -> Effect {
    match what {
        "split" => {
            memory.set("split", 1 - memory.get("split"));
            Effect::Split(memory.get("split") == 1)
        }
        "done" => {
            let count = memory.count("done");
            memory.say(times(count, "tap"))
        }
        _ => Effect::None,
    }
}

fn show(now: &Moment) -> Vec<Part> {
    let size = if now.room.1 < COMPACT { "Compact" } else { "Roomy" };
    let split = if now.memory.get("split") == 1 { "Use the whole screen" } else { "Share the screen" };
    let at = (24.0, 100.0, now.room.0 - 48.0, 100.0);
    let picture = Thing { id: "picture", text: "Something large".to_owned(), at, is_button: false, strong: false };
    vec![
        Part::Button(button("split", split)),
        Part::Words("size", size.to_owned()),
        Part::Ground(300.0, vec![picture]),
        Part::Button(button("done", "Done")),
    ]
}
