//! Replies that are made up and damaged: none of them panics, and what is read stays on the picture. `UIXT_FUZZ_SECONDS` says for how
//! long; 1 by default.

use std::time::{Duration, Instant};

use super::*;

const PIECES: &[&str] = &[
    "Thought: ",
    "Action: ",
    "行动：",
    "click(",
    "type(",
    "finished(",
    "start_box=",
    "content=",
    "'",
    "\"",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "，",
    "：",
    "100",
    "200",
    "-1",
    "1e9",
    "0.5",
    "<point>",
    "</point>",
    "<bbox>",
    "\\",
    "\\n",
    "\n",
    "```json",
    "```",
    "\"actions\"",
    "\"action_type\"",
    "\"click\"",
    "null",
    "None",
    "<think>",
    "</think>",
    "<tap_element>",
    "</tap_element>",
    "小明",
    "“",
    "”",
    "（",
    "）",
    "//",
    "/*",
    "\u{0}",
    "😀",
    " ",
];

const WHOLE: &[&str] = &[
    "Thought: The button is there.\nAction: click(start_box='(100,200)')\n\ntype(content='x')",
    r#"{"thought":"x","actions":[{"action_type":"drag","action_inputs":{"start_box":[100,200],"end_box":[1,2]}}]}"#,
    "<browser_use><tap_element>{\"ref\": \"e5\"}</tap_element></browser_use>",
    "思考：点击\n行动：click（start_box＝‘（100，200）’）",
];

#[test]
fn whatever_a_model_says_is_read_or_refused() {
    let seconds =
        std::env::var("UIXT_FUZZ_SECONDS").map_or(1, |text| text.parse().expect("UIXT_FUZZ_SECONDS is a number"));
    let (mut chance, end) = (fastrand::Rng::with_seed(seconds), Instant::now() + Duration::from_secs(seconds));
    let (mut read, mut refused) = (0_u32, 0_u32);
    // So many are tried, however slow the machine is.
    for _ in (0..).take_while(|tried| *tried < 1_000 || Instant::now() < end) {
        let mut signs: Vec<char> = match chance.bool() {
            true => WHOLE[chance.usize(0..WHOLE.len())].chars().collect(),
            false => (0..chance.u32(1..30)).flat_map(|_| PIECES[chance.usize(0..PIECES.len())].chars()).collect(),
        };
        for _ in 0..chance.u32(0..4) {
            let at = chance.usize(0..=signs.len());
            match chance.u32(0..3) {
                0 => drop(signs.splice(at..at, PIECES[chance.usize(0..PIECES.len())].chars()).count()),
                1 => signs.truncate(at.max(1)),
                _ if at < signs.len() => drop(signs.remove(at)),
                _ => {}
            }
        }
        let text: String = signs.into_iter().collect();
        let reply = Reply { text: text.clone(), ..Reply::default() };
        match plan(&reply, Scale::Thousand, |name| (name == "tap_element").then(|| name.to_owned())) {
            Ok(plan) => {
                assert!(!plan.acts.is_empty(), "{text}");
                for act in &plan.acts {
                    let places = ["x", "y", "from_x", "from_y", "to_x", "to_y"];
                    let mut numbers = places.iter().filter_map(|key| act.arguments.get(*key)?.as_f64());
                    let is_on_it = act.tool == "tap_element" || numbers.all(|number| (0.0..1.0).contains(&number));
                    assert!(is_on_it, "{text}: {act:?}");
                }
                read += 1;
            }
            Err(error) => {
                assert!(error.to_string().chars().count() < 1_000, "{text}");
                refused += 1;
            }
        }
    }
    assert!(read > 20 && refused > 20, "{read} read, {refused} refused");
}
