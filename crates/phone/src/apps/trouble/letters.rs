//! Arabic and Hebrew, written from the right; emoji, joined and not; letters that look like others.

use crate::apps::live::{Effect, LivePage, Part, button, nothing_due};

const ARABIC: &str = "حفظ الملف";
/// It begins with a mark that nobody sees, as texts of two directions do.
const HEBREW: &str = "\u{200f}שמור קובץ";
/// Letters and marks of both directions in one line.
const MIXED: &str = "طلب 42 (A & B)";
const THUMB: &str = "👍🏽 Like";
const FAMILY: &str = "👨‍👩‍👧 Family";
/// The first letter is Cyrillic, so that it is no other text than it seems.
const CYRILLIC: &str = "Аpple";
/// An e with a mark of its own.
const DECOMPOSED: &str = "Cafe\u{301}";

const BUTTONS: [(&str, &str); 4] =
    [("thumb", THUMB), ("family", FAMILY), ("cyrillic", CYRILLIC), ("decomposed", DECOMPOSED)];

pub(super) const PAGE: LivePage = LivePage {
    id: "letters",
    title: "RTL and emoji",
    hint: "Nothing was touched",
    show: |_| {
        let mut parts: Vec<Part> = BUTTONS.iter().map(|(id, text)| Part::Button(button(id, *text))).collect();
        parts.push(Part::Button(button("latin", "Apple")));
        parts.push(Part::FromTheRight);
        parts.push(Part::Line("order", MIXED.to_owned(), button("arabic", ARABIC)));
        parts.push(Part::Line("", "שלום".to_owned(), button("hebrew", HEBREW)));
        parts
    },
    touch: |memory, what, _| match (BUTTONS.iter().find(|(id, _)| *id == what), what) {
        (Some((id, text)), _) => memory.say(format!("{text} ({id})")),
        (None, "latin") => memory.say("Apple (latin)"),
        (None, "arabic") => memory.say(format!("{ARABIC} (arabic)")),
        (None, "hebrew") => memory.say(format!("{HEBREW} (hebrew)")),
        _ => Effect::None,
    },
    due: nothing_due,
};
