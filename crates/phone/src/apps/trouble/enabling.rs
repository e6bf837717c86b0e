//! A button that can be touched only once something was agreed to, and a moment later.

use crate::apps::live::{Button, Effect, LivePage, Memory, Moment, Part, button, nothing_due, times};

/// How long it takes to check what was agreed to.
const CHECK: u64 = 500;

pub(super) const PAGE: LivePage =
    LivePage { id: "enabling", title: "Disabled buttons", hint: "Nothing was sent", show, touch, due: nothing_due };

fn is_enabled(memory: &Memory, ms: u64) -> bool {
    memory.known("agreed").is_some_and(|agreed| ms >= agreed.saturating_add(CHECK))
}

fn touch(memory: &mut Memory, what: &str, ms: u64) -> Effect {
    match what {
        "agree" => {
            memory.set("agreed", ms);
            memory.say("Checking…")
        }
        "send" if is_enabled(memory, ms) => {
            let sent = memory.count("sent");
            memory.say(format!("Sent {}", times(sent, "time")))
        }
        _ => Effect::None,
    }
}

fn show(now: &Moment) -> Vec<Part> {
    let enabled = is_enabled(now.memory, now.ms);
    let send = Button { enabled, ..button("send", "Send") };
    vec![Part::Button(button("agree", "I agree")), Part::Button(send)]
}
