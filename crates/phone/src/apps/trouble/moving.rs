//! A button that never rests, and a ground that counts the touches that missed it.

use crate::apps::live::{Effect, LivePage, Memory, Moment, Part, Thing, nothing_due, to_and_fro};

/// Its size, and how far it goes in a second, to a side and down.
const SIZE: (f32, f32) = (150.0, 64.0);
const SPEED: (f32, f32) = (60.0, 35.0);
const HIGH: f32 = 320.0;

pub(super) const PAGE: LivePage = LivePage {
    id: "moving",
    title: "A moving button",
    hint: "Caught 0, missed 0",
    show: |now| vec![Part::Ground(HIGH, vec![moved(now)])],
    touch,
    due: nothing_due,
};

fn moved(now: &Moment) -> Thing {
    let left = to_and_fro(now.ms, now.room.0 - SIZE.0, SPEED.0);
    let top = to_and_fro(now.ms, HIGH - SIZE.1, SPEED.1);
    Thing { id: "catch", text: "Catch me".to_owned(), at: (left, top, SIZE.0, SIZE.1), is_button: true, strong: true }
}

fn touch(memory: &mut Memory, what: &str, _: u64) -> Effect {
    match what {
        "catch" => memory.count("caught"),
        "ground" => memory.count("missed"),
        _ => return Effect::None,
    };
    memory.say(format!("Caught {}, missed {}", memory.get("caught"), memory.get("missed")))
}
