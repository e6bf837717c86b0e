//! Advertisements that go round and never rest, over a list that does.

use crate::apps::live::{LivePage, Moment, Part, Thing, nothing_due};

/// A card's width with the gap after it, and how far the cards go in a second.
const STEP: f32 = 220.0;
const SPEED: u64 = 90;
const CARDS: [(&str, &str); 4] =
    [("card_1", "Summer sale"), ("card_2", "New arrivals"), ("card_3", "Free delivery"), ("card_4", "Gift cards")];
const ROWS: usize = 60;

pub(super) const PAGE: LivePage = LivePage {
    id: "carousel",
    title: "A carousel",
    hint: "Nothing was picked",
    show: |now| vec![Part::Ground(120.0, cards(now)), Part::Rows(ROWS)],
    touch: |memory, what, _| match CARDS.iter().find(|(id, _)| *id == what) {
        Some((_, text)) => memory.say(format!("Opened {text}")),
        None => super::far::pick(memory, what),
    },
    due: nothing_due,
};

fn cards(now: &Moment) -> Vec<Thing> {
    #[expect(clippy::cast_precision_loss, reason = "less than a few thousand")]
    let round = STEP * CARDS.len() as f32;
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "less than a few thousand")]
    let gone = (now.ms as f64 * (SPEED as f64 / 1000.0) % f64::from(round)) as f32;
    let card = |((id, text), number): (&(&'static str, &str), u8)| {
        let left = (f32::from(number) * STEP - gone + STEP).rem_euclid(round) - STEP;
        Thing {
            id,
            text: (*text).to_owned(),
            at: (left + 10.0, 12.0, STEP - 12.0, 96.0),
            is_button: true,
            strong: true,
        }
    };
    CARDS.iter().zip(0..).map(card).collect()
}
