//! A button whose text changes under the finger: a price that falls five times a second.

use crate::apps::live::{Effect, LivePage, Part, button, nothing_due};

const EVERY: u64 = 200;

pub(super) const PAGE: LivePage = LivePage {
    id: "changing",
    title: "Changing text",
    hint: "Nothing was bought",
    show: |now| {
        vec![
            Part::Button(button("buy", format!("Buy for ¥{}", price(now.ms)))),
            Part::Words("clock", format!("{}.{} s", now.ms / 1000, now.ms / 100 % 10)),
        ]
    },
    touch: |memory, what, ms| match what {
        "buy" => {
            let count = memory.count("bought");
            memory.say(format!("Purchase {count} for ¥{}", price(ms)))
        }
        _ => Effect::None,
    },
    due: nothing_due,
};

/// From 999 down to 1.
fn price(ms: u64) -> u64 {
    999_u64.saturating_sub(ms / EVERY).max(1)
}
