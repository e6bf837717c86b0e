//! Buttons that are smaller than any finger, one beside the other.

use crate::apps::live::{Effect, LivePage, Part, Thing, nothing_due};

/// The side of a button, which is about a millimetre; there is nothing between two of them.
const SIDE: f32 = 7.0;
const LETTERS: [(&str, &str); 8] = [
    ("cell_a", "a"),
    ("cell_b", "b"),
    ("cell_c", "c"),
    ("cell_d", "d"),
    ("cell_e", "e"),
    ("cell_f", "f"),
    ("cell_g", "g"),
    ("cell_h", "h"),
];

pub(super) const PAGE: LivePage = LivePage {
    id: "tiny",
    title: "Tiny targets",
    hint: "Nothing was touched",
    show: |_| vec![Part::Ground(80.0, cells())],
    touch: |memory, what, _| {
        let touched = LETTERS.iter().find(|(id, _)| *id == what);
        match (touched, what) {
            (Some((_, letter)), _) => {
                let word = format!("{}{letter}", memory.said.strip_prefix("Touched ").unwrap_or_default());
                memory.say(format!("Touched {word}"))
            }
            (None, "ground") => memory.say("Touched the ground"),
            _ => Effect::None,
        }
    },
    due: nothing_due,
};

fn cells() -> Vec<Thing> {
    let cell = |((id, letter), number): (&(&'static str, &str), u8)| Thing {
        id,
        text: (*letter).to_owned(),
        at: (40.0 + f32::from(number) * SIDE, 36.0, SIDE, SIDE),
        is_button: true,
        strong: number % 2 == 0,
    };
    LETTERS.iter().zip(0..).map(cell).collect()
}
