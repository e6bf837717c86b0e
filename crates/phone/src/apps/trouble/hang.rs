//! An app that does nothing for a while: short, so that it is only slow, or so long that the system asks what to do.

use crate::apps::live::{Effect, LivePage, Memory, Part, button, nothing_due, times};

const SHORT: u64 = 500;
/// Longer than the system bears; the rest of it is waited for.
const LONG: u64 = 1300;
const FOR_EVER: u64 = u64::MAX / 4;

pub(super) const PAGE: LivePage = LivePage {
    id: "hang",
    title: "Hangs",
    hint: "Never hung",
    show: |_| {
        vec![
            Part::Button(button("short", "Hang for 0.5 s")),
            Part::Button(button("long", "Hang for 1.3 s")),
            Part::Button(button("for_ever", "Hang for ever")),
            Part::Button(button("count", "Count")),
        ]
    },
    touch,
    due: nothing_due,
};

fn touch(memory: &mut Memory, what: &str, _: u64) -> Effect {
    match what {
        "short" => return Effect::Hang(SHORT),
        "long" => return Effect::Hang(LONG),
        "for_ever" => return Effect::Hang(FOR_EVER),
        "recovered" => memory.count("hung"),
        "count" => memory.count("counted"),
        _ => return Effect::None,
    };
    memory.say(format!("Hung {}, {}", times(memory.get("hung"), "time"), times(memory.get("counted"), "tap")))
}
