//! Two pop-ups that nobody asked for: one after the page has opened, one after the first was closed.

use crate::apps::live::{Effect, LivePage, Memory, Part, Popup, button, times};

const FIRST: Popup = Popup {
    title: "Do you like Trouble?",
    text: "It takes a minute to say so.",
    buttons: &[("Not now", "closed"), ("Rate it", "agreed")],
};
const SECOND: Popup = Popup {
    title: "A new version is here",
    text: "It has more trouble than ever.",
    buttons: &[("Later", "closed"), ("Update", "agreed")],
};
/// After how long each comes.
const FIRST_AFTER: u64 = 1000;
const SECOND_AFTER: u64 = 150;

pub(super) const PAGE: LivePage = LivePage {
    id: "popups",
    title: "Pop-ups",
    hint: "Nothing was bought",
    show: |_| vec![Part::Button(button("buy", "Buy"))],
    touch,
    due,
};

fn touch(memory: &mut Memory, what: &str, ms: u64) -> Effect {
    match what {
        "buy" => memory.count("bought"),
        "agreed" => memory.count("agreed"),
        "closed" | "dismissed" => memory.count("closed"),
        _ => return Effect::None,
    };
    memory.set("touched", ms);
    let [bought, agreed, closed] = ["bought", "agreed", "closed"].map(|name| memory.get(name));
    memory.say(format!("Bought {}, agreed to {agreed}, closed {closed}", times(bought, "time")))
}

fn due(memory: &mut Memory, ms: u64) -> Effect {
    let is_closed = memory.get("closed") + memory.get("agreed") == 1;
    match memory.get("shown") {
        0 if ms >= FIRST_AFTER => {
            memory.set("shown", 1);
            Effect::Popup(FIRST)
        }
        1 if is_closed && ms >= memory.get("touched").saturating_add(SECOND_AFTER) => {
            memory.set("shown", 2);
            Effect::Popup(SECOND)
        }
        _ => Effect::None,
    }
}
