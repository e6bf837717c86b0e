//! Mutants of the pages that live: their functions, wrapped in others.

use uixt::phone::apps::{
    self,
    live::{Effect, Ink, LivePage, Memory, Moment, Part, Popup},
};

use super::Mutant;
use super::app::Change;

/// Returns a page as it should be.
fn right(id: &str) -> LivePage {
    let pages = apps::all().into_iter().flat_map(|app| app.live);
    *pages.into_iter().find(|page| page.id == id).expect(id)
}

/// Shows a page as it was a while before.
fn shown_before(id: &str, by: u64, now: &Moment) -> Vec<Part> {
    (right(id).show)(&Moment { ms: now.ms.saturating_sub(by), ..*now })
}

fn without(mut parts: Vec<Part>, id: &str) -> Vec<Part> {
    parts.retain(|part| !matches!(part, Part::Words(known, _) if *known == id));
    parts
}

/// Writes a page's words so that nobody sees them.
fn unseen(parts: Vec<Part>, ink: Ink) -> Vec<Part> {
    let hide = |part| match part {
        Part::Words(id, text) => Part::Unseen(id, text, ink),
        part => part,
    };
    parts.into_iter().map(hide).collect()
}

/// Takes a touch in as one on something else.
fn touched(id: &str, memory: &mut Memory, what: &str, ms: u64) -> Effect {
    (right(id).touch)(memory, what, ms)
}

const AGAIN: Popup =
    Popup { title: "Do you like Trouble?", text: "It takes a minute to say so.", buttons: &[("Not now", "closed")] };

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "the result comes minutes later",
        kind: "late page",
        suite: "trouble/late.yaml",
        cause: &["\"Open the result\"", "not there within 10 s"],
        change: Change::Live("late", |page| LivePage { show: |now| shown_before("late", 600_000, now), ..page }),
    },
    Mutant {
        name: "every eleventh touch is lost",
        kind: "dead button",
        suite: "trouble/moving.yaml",
        cause: &["id status", "does not equal \"Caught 100, missed 0\""],
        change: Change::Live("moving", |page| LivePage {
            touch: |memory, what, ms| match memory.count("touches") % 11 {
                0 => Effect::None,
                _ => touched("moving", memory, what, ms),
            },
            ..page
        }),
    },
    Mutant {
        name: "the message never goes",
        kind: "stale state",
        suite: "trouble/vanishing.yaml",
        cause: &["id toast", "still there"],
        change: Change::Live("vanishing", |page| LivePage {
            show: |now| (right("vanishing").show)(&Moment { ms: now.memory.get("saved"), ..*now }),
            ..page
        }),
    },
    Mutant {
        name: "the message never comes",
        kind: "no message",
        suite: "trouble/vanishing.yaml",
        cause: &["id toast", "not there within 10 s"],
        change: Change::Live("vanishing", |page| LivePage {
            show: |now| without((right("vanishing").show)(now), "toast"),
            ..page
        }),
    },
    Mutant {
        name: "how much room there is stays transparent",
        kind: "unseen text",
        suite: "trouble/split.yaml",
        cause: &["\"Roomy\" #size", "nothing is drawn where it stands", "not seen within 10 s"],
        change: Change::Live("split", |page| LivePage {
            show: |now| unseen((right("split").show)(now), Ink::Clear),
            ..page
        }),
    },
    Mutant {
        name: "how the screen is turned has the colour of the page",
        kind: "unseen text",
        suite: "trouble/turning.yaml",
        cause: &["\"Upright\" #way", "nothing is drawn where it stands"],
        change: Change::Live("turning", |page| LivePage {
            show: |now| unseen((right("turning").show)(now), Ink::OfGround),
            ..page
        }),
    },
    Mutant {
        name: "a pop-up does not close",
        kind: "dialog stays",
        suite: "trouble/popups.yaml",
        cause: &["\"Later\"", "not there within 10 s", "Do you like Trouble?"],
        change: Change::Live("popups", |page| LivePage {
            touch: |memory, what, ms| match what {
                "closed" => Effect::Popup(AGAIN),
                _ => touched("popups", memory, what, ms),
            },
            ..page
        }),
    },
    Mutant {
        name: "the camera is used unasked",
        kind: "permission not asked",
        suite: "trouble/permission.yaml",
        cause: &[
            "Allow Trouble to take pictures and record video?",
            "not there within 10 s",
            "on the screen \"Permissions\"",
        ],
        change: Change::Live("permission", |page| LivePage {
            touch: |memory, what, ms| {
                let effect = touched("permission", memory, what, ms);
                match what {
                    "photo" => touched("permission", memory, "granted", ms),
                    _ => effect,
                }
            },
            ..page
        }),
    },
    Mutant {
        name: "what was denied is done",
        kind: "swapped",
        suite: "trouble/permission.yaml",
        cause: &["\"The location may be used\" does not equal \"The location may not be used\""],
        change: Change::Live("permission", |page| LivePage {
            touch: |memory, what, ms| {
                touched("permission", memory, if what == "denied" { "granted" } else { what }, ms)
            },
            ..page
        }),
    },
    Mutant {
        name: "a short hang is a long one",
        kind: "hang",
        suite: "trouble/hang.yaml",
        cause: &["\"Count\"", "Trouble isn't responding"],
        change: Change::Live("hang", |page| LivePage {
            touch: |memory, what, ms| touched("hang", memory, if what == "short" { "for_ever" } else { what }, ms),
            ..page
        }),
    },
    Mutant {
        name: "the wrong line is removed",
        kind: "off by one",
        suite: "trouble/duplicates.yaml",
        cause: &["\"Removed Pears, line 2\" does not equal \"Removed Plums, line 3\""],
        change: Change::Live("duplicates", |page| LivePage {
            touch: |memory, what, ms| {
                touched("duplicates", memory, if what == "remove 2" { "remove 1" } else { what }, ms)
            },
            ..page
        }),
    },
    Mutant {
        name: "nothing can be sent",
        kind: "dead button",
        suite: "trouble/enabling.yaml",
        cause: &["\"Send\"", "there, but disabled"],
        change: Change::Live("enabling", |page| LivePage {
            show: |now| (right("enabling").show)(&Moment { ms: 0, ..*now }),
            ..page
        }),
    },
    Mutant {
        name: "new mails are not counted",
        kind: "stale state",
        suite: "trouble/spinner.yaml",
        cause: &["id mails", "\"3 mails\" does not equal \"6 mails\""],
        change: Change::Live("spinner", |page| LivePage {
            show: |now| {
                let mut parts = (right("spinner").show)(now);
                for part in &mut parts {
                    if let Part::Words("mails", text) = part {
                        "3 mails".clone_into(text);
                    }
                }
                parts
            },
            ..page
        }),
    },
    Mutant {
        name: "a touch buys twice",
        kind: "duplicate",
        suite: "trouble/changing.yaml",
        cause: &["Purchase 2 for", "does not match \"^Purchase 1 for"],
        change: Change::Live("changing", |page| LivePage {
            touch: |memory, what, ms| {
                touched("changing", memory, what, ms);
                touched("changing", memory, what, ms)
            },
            ..page
        }),
    },
    Mutant {
        name: "two advertisements are swapped",
        kind: "swapped",
        suite: "trouble/carousel.yaml",
        cause: &["id status", "does not equal \"Opened New arrivals\""],
        change: Change::Live("carousel", |page| LivePage {
            touch: |memory, what, ms| {
                let what = match what {
                    "card_1" => "card_2",
                    "card_2" => "card_1",
                    other => other,
                };
                touched("carousel", memory, what, ms)
            },
            ..page
        }),
    },
    Mutant {
        name: "the row above is picked",
        kind: "off by one",
        suite: "trouble/far.yaml",
        cause: &["\"Picked Row 119\" does not equal \"Picked Row 120\""],
        change: Change::Live("far", |page| LivePage {
            touch: |memory, what, ms| {
                let number = what.strip_prefix("row ").and_then(|number| number.parse::<usize>().ok());
                let what = number.map_or_else(|| what.to_owned(), |number| format!("row {}", number - 1));
                touched("far", memory, &what, ms)
            },
            ..page
        }),
    },
    Mutant {
        name: "the way to the end leads nowhere",
        kind: "dead button",
        suite: "trouble/huge.yaml",
        cause: &["\"Row 1\"", "still there", "nothing has changed", "button \"To the end\""],
        change: Change::Live("huge", |page| LivePage {
            touch: |memory, what, ms| match what {
                "end" => Effect::None,
                _ => touched("huge", memory, what, ms),
            },
            ..page
        }),
    },
    Mutant {
        name: "two buttons that look alike are swapped",
        kind: "swapped",
        suite: "trouble/letters.yaml",
        cause: &["(cyrillic)\" does not equal \"Apple (latin)\""],
        change: Change::Live("letters", |page| LivePage {
            touch: |memory, what, ms| touched("letters", memory, if what == "latin" { "cyrillic" } else { what }, ms),
            ..page
        }),
    },
    Mutant {
        name: "a page does not know that it was turned",
        kind: "stale state",
        suite: "trouble/turning.yaml",
        cause: &["\"Upright\" does not equal \"Lying\""],
        change: Change::Live("turning", |page| LivePage {
            show: |now| (right("turning").show)(&Moment { room: (379.0, 800.0), ..*now }),
            ..page
        }),
    },
    Mutant {
        name: "a page forgets its taps when it shares the screen",
        kind: "stale state",
        suite: "trouble/split.yaml",
        cause: &["\"1 tap\" does not equal \"2 taps\""],
        change: Change::Live("split", |page| LivePage {
            touch: |memory, what, ms| {
                if what == "split" {
                    memory.set("done", 0);
                }
                touched("split", memory, what, ms)
            },
            ..page
        }),
    },
];
