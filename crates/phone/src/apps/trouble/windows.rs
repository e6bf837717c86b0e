//! What does not stand in the page's own window: the list of a choice, suggestions, a film of another app, a message of the system.

use crate::apps::live::{Button, Effect, LivePage, Memory, Moment, Over, Part, button, nothing_due};

const SIZES: [&str; 3] = ["Small", "Medium", "Large"];
const CITIES: [&str; 3] = ["Berlin", "Bern", "Bergen"];
/// How long the message stays.
const STAYS: u64 = 2000;

pub(super) const PAGE: LivePage =
    LivePage { id: "windows", title: "Windows", hint: "Nothing was chosen", show, touch, due: nothing_due };

fn touch(memory: &mut Memory, what: &str, ms: u64) -> Effect {
    let open = memory.get("open");
    match what {
        "size" => memory.set("open", 1),
        "city" => memory.set("open", if open == 2 { 0 } else { 2 }),
        "film" => memory.set("film", 1),
        "close" => memory.set("film", 0),
        "save" => memory.set("saved", ms + 1),
        "dismissed" => memory.set("open", 0),
        _ => {
            let chosen = SIZES.iter().chain(&CITIES).find(|name| name.eq_ignore_ascii_case(what));
            if let Some(name) = chosen {
                memory.set("open", 0);
                return memory.say(format!("{name} was chosen"));
            }
        }
    }
    Effect::None
}

fn show(now: &Moment) -> Vec<Part> {
    let memory = now.memory;
    let rows = |names: &[&'static str; 3], ids: [&'static str; 3]| -> Vec<Button> {
        names.iter().zip(ids).map(|(name, id)| button(id, *name)).collect()
    };
    let mut parts = vec![
        Part::Button(button("size", "Choose a size")),
        Part::Button(button("city", "Find a city")),
        Part::Button(button("film", "Play a film")),
        Part::Button(button("save", "Save")),
    ];
    match memory.get("open") {
        1 => parts.push(Part::Window(Over::List, rows(&SIZES, ["small", "medium", "large"]))),
        2 => parts.push(Part::Window(Over::Suggestions, rows(&CITIES, ["berlin", "bern", "bergen"]))),
        _ => {}
    }
    if memory.get("film") == 1 {
        let title = Button { id: "", text: "Mountains, part 1".to_owned(), enabled: false };
        parts.push(Part::Window(Over::Film, vec![title, button("close", "Close the film")]));
    }
    if memory.known("saved").is_some_and(|saved| now.ms < saved.saturating_add(STAYS)) {
        let said = Button { id: "", text: "The draft is kept".to_owned(), enabled: false };
        parts.push(Part::Window(Over::Toast, vec![said]));
    }
    parts
}
