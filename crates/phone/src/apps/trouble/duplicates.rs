//! Buttons of one name, and none of them has an id of its own.

use crate::apps::live::{Effect, LivePage, Moment, Part, button, nothing_due};

const FRUITS: [(&str, &str); 4] =
    [("remove 0", "Apples"), ("remove 1", "Pears"), ("remove 2", "Plums"), ("remove 3", "Apples")];

pub(super) const PAGE: LivePage = LivePage {
    id: "duplicates",
    title: "Duplicate labels",
    hint: "Nothing was removed",
    show,
    touch: |memory, what, _| match FRUITS.iter().zip(1..).find(|((id, _), _)| *id == what) {
        Some(((id, name), number)) => {
            memory.set(id, 1);
            memory.say(format!("Removed {name}, line {number}"))
        }
        None => Effect::None,
    },
    due: nothing_due,
};

fn show(now: &Moment) -> Vec<Part> {
    let left = FRUITS.iter().filter(|(id, _)| now.memory.known(id).is_none());
    left.map(|(id, name)| Part::Line("", (*name).to_owned(), button(id, "Remove"))).collect()
}
