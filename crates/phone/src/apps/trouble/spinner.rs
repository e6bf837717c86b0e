//! Something turns until what was asked for is there.

use crate::apps::live::{Effect, LivePage, Moment, Part, button, nothing_due};

const LOADS: u64 = 600;

pub(super) const PAGE: LivePage = LivePage {
    id: "spinner",
    title: "A spinner",
    hint: "Nothing was loaded",
    show,
    touch: |memory, what, ms| match what {
        "load" => {
            memory.set("asked", ms);
            let count = memory.count("loads");
            memory.say(format!("Load {count} was asked for"))
        }
        "inbox" => memory.say("The inbox was opened"),
        _ => Effect::None,
    },
    due: nothing_due,
};

fn show(now: &Moment) -> Vec<Part> {
    let mut parts = vec![Part::Button(button("load", "Load"))];
    if let Some(asked) = now.memory.known("asked") {
        if now.ms < asked.saturating_add(LOADS) {
            parts.push(Part::Spinner("Loading"));
        } else {
            parts.push(Part::Words("mails", format!("{} mails", 3 * now.memory.get("loads"))));
            parts.push(Part::Button(button("inbox", "Open the inbox")));
        }
    }
    parts
}
