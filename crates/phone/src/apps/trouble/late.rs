//! What was asked for comes late.

use crate::apps::live::{Effect, LivePage, Memory, Moment, Part, button, nothing_due};

/// How late it comes.
const LATE: u64 = 600;

pub(super) const PAGE: LivePage = LivePage {
    id: "late",
    title: "Late elements",
    hint: "Nothing was looked for",
    show,
    touch: |memory, what, ms| match what {
        "search" => {
            memory.set("asked", ms);
            memory.say("Looking…")
        }
        "result" if is_there(memory, ms) => memory.say("The result was opened"),
        _ => Effect::None,
    },
    due: nothing_due,
};

fn is_there(memory: &Memory, ms: u64) -> bool {
    memory.known("asked").is_some_and(|asked| ms >= asked.saturating_add(LATE))
}

fn show(now: &Moment) -> Vec<Part> {
    let search = Part::Button(button("search", "Search"));
    let result = is_there(now.memory, now.ms).then(|| Part::Button(button("result", "Open the result")));
    [search].into_iter().chain(result).collect()
}
