//! An app that ends by itself.

use crate::apps::live::{Effect, LivePage, Part, button, nothing_due, times};

pub(super) const PAGE: LivePage = LivePage {
    id: "crash",
    title: "A crash",
    hint: "0 taps since the start",
    show: |_| vec![Part::Button(button("count", "Count")), Part::Button(button("crash", "Crash"))],
    touch: |memory, what, _| match what {
        "crash" => Effect::Crash,
        "count" => {
            let count = memory.count("counted");
            memory.say(format!("{} since the start", times(count, "tap")))
        }
        _ => Effect::None,
    },
    due: nothing_due,
};
