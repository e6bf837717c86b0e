//! A message that goes by itself, and a button that goes once it was touched.

use crate::apps::live::{Effect, LivePage, Memory, Moment, Part, button, nothing_due};

/// How long the message stays.
const STAYS: u64 = 1200;

pub(super) const PAGE: LivePage = LivePage {
    id: "vanishing",
    title: "Vanishing elements",
    hint: "Nothing was saved",
    show,
    touch: |memory, what, ms| match what {
        "save" => {
            memory.set("saved", ms);
            memory.say("The draft was saved")
        }
        "discard" => {
            memory.set("discarded", ms);
            memory.say("The draft was discarded")
        }
        _ => Effect::None,
    },
    due: nothing_due,
};

fn is_told(memory: &Memory, ms: u64) -> bool {
    memory.known("saved").is_some_and(|saved| ms < saved.saturating_add(STAYS))
}

fn show(now: &Moment) -> Vec<Part> {
    let save = Part::Button(button("save", "Save"));
    let discard = now.memory.known("discarded").is_none().then(|| Part::Button(button("discard", "Discard")));
    let toast = is_told(now.memory, now.ms).then(|| Part::Words("toast", "Saved. This goes by itself.".to_owned()));
    [save].into_iter().chain(discard).chain(toast).collect()
}
