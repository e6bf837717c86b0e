//! Trees as phones write them → which targets of a testcase are found on them, which mean several elements, and which are not there.
//!
//! `dumps/NAME.list` says it: `found | text | role | middle in points`, `several | text`, `absent | text`.

use uixt_locate::finder::{self, Purpose};
use uixt_locate::target::Target;

use super::{Source, document};
use crate::driver::{Screen, Size};

/// Pixels of a point.
const RATIO: f64 = 3.0;

/// A tree in both forms, and what is to be found on it.
struct Dump {
    name: &'static str,
    json: &'static str,
    xml: &'static str,
    list: &'static str,
}

macro_rules! dumps {
    ($($name:literal)*) => {
        [$(Dump {
            name: $name,
            json: include_str!(concat!("dumps/", $name, ".json")),
            xml: include_str!(concat!("dumps/", $name, ".xml")),
            list: include_str!(concat!("dumps/", $name, ".list")),
        }),*]
    };
}

fn screen(source: Source<'_>) -> Screen {
    let (width, height) = source.window().expect("a window");
    let tree = source.tree((width, height), RATIO, "com.test");
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "places of a screen")]
    let pixels = |points: f64| (points * RATIO) as u32;
    let size = Size { width: pixels(width), height: pixels(height) };
    Screen { size, lit: true, roots: tree.roots, keyboard: tree.keyboard, cut: tree.has_cut_text, ..Screen::default() }
}

/// Says what comes of a target, as the lists do.
fn outcome(text: &str, screen: &Screen) -> String {
    let pick = |purpose| finder::pick(&Target::text(text), purpose, screen, None);
    match (pick(Purpose::See), pick(Purpose::Touch)) {
        (Ok(None), Ok(None)) => format!("absent | {text}"),
        (Ok(Some(_)), Ok(Some(element))) => {
            let middle = element.rect.center();
            format!("found | {text} | {} | {:.0},{:.0}", element.role, middle.x / RATIO, middle.y / RATIO)
        }
        (Ok(Some(_)), Err(error)) if error.details["code"] == "AMBIGUOUS" => format!("several | {text}"),
        other => format!("odd | {text} | {other:?}"),
    }
}

#[test]
fn targets_are_found_as_a_person_sees_them() {
    let mut wrong = Vec::new();
    for dump in DUMPS {
        let of_json = screen(Source::of_json(dump.json).expect(dump.name));
        let document = document(dump.xml).expect(dump.name);
        let of_xml = screen(Source::of_xml(&document).expect(dump.name));
        for line in dump.list.lines().filter(|line| !line.is_empty()) {
            let text = line.split(" | ").nth(1).expect(line);
            for (form, screen) in [("json", &of_json), ("xml", &of_xml)] {
                let is = outcome(text, screen);
                if is != line {
                    wrong.push(format!("{}.{form}: {is}, not {line}", dump.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

const DUMPS: [Dump; 22] = dumps![
    "action_sheet" "calendar_popover" "cover" "flutter" "form" "half_sheet" "hybrid" "ipad_split" "keyboard_over" "pages" "prompt"
    "rn_modal" "search_over" "stacked" "stale" "swiped_row" "under_bars" "wrong_flags" "no_window" "landscape_bars" "rn_nested" "browser_bar"
];
