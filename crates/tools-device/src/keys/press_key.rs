//! Keys of a keyboard by the names that pages and people give them, with others that are held meanwhile.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_driver::{KeyPress, key};
use uixt_locate::{Error, screen_power};
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<PressKey>()];

/// Names of keys (UI Events, `key`), and Android's numbers.
const NAMED: &[(&str, u32)] = &[
    ("arrowup", 19),
    ("up", 19),
    ("arrowdown", 20),
    ("down", 20),
    ("arrowleft", 21),
    ("left", 21),
    ("arrowright", 22),
    ("right", 22),
    ("tab", 61),
    ("space", 62),
    ("enter", 66),
    ("return", 66),
    ("backspace", 67),
    ("pageup", 92),
    ("pagedown", 93),
    ("escape", 111),
    ("esc", 111),
    ("delete", 112),
    ("home", 122),
    ("end", 123),
    ("insert", 124),
];

/// Signs of the keyboard of the United States, without and with shift, and Android's numbers.
const SIGNS: &[(char, char, u32)] = &[
    (',', '<', 55),
    ('.', '>', 56),
    (' ', ' ', 62),
    ('`', '~', 68),
    ('-', '_', 69),
    ('=', '+', 70),
    ('[', '{', 71),
    (']', '}', 72),
    ('\\', '|', 73),
    (';', ':', 74),
    ('\'', '"', 75),
    ('/', '?', 76),
    ('0', ')', 7),
    ('1', '!', 8),
    ('2', '@', 9),
    ('3', '#', 10),
    ('4', '$', 11),
    ('5', '%', 12),
    ('6', '^', 13),
    ('7', '&', 14),
    ('8', '*', 15),
    ('9', '(', 16),
];

/// Press a key of the keyboard, with others held.
#[derive(Deserialize, JsonSchema)]
struct PressKey {
    /// `Control+a`, `Shift+Tab`, `ArrowDown`, F5, x.
    key: Chord,
    /// How often; 1 by default.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    count: Option<u16>,
}

impl Tool for PressKey {
    const NAME: &'static str = "press_key";
    const SET: Option<Toolset> = Some(Toolset::Keys);
    const KIND: ToolKind = ToolKind::Key;
    const IN_GOALS: bool = true;
    const IN_BROWSER_CORE: bool = true;
    const PARAMS: Shape = Shape::Fields(&["key"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("keys", "key")];
    const ANSWER: &'static [&'static str] = &["key"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let (driver, count) = (cx.driver()?, self.count.unwrap_or(1));
        for _ in 0..count {
            if key::serves_in_the_dark(self.key.press.code) {
                driver.press_code(&self.key.press).await?;
            } else {
                screen_power::require_key_awake(driver.press_code_where_lit(&self.key.press).await?)?;
            }
        }
        let times = if count == 1 { String::new() } else { format!(" {count} ×") };
        Ok(Reply::new(format!("Pressed {}{times}", self.key)).with("key", self.key.to_string()))
    }
}

/// A key and those that are held meanwhile, read from `Control+a`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
struct Chord {
    written: String,
    press: KeyPress,
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl TryFrom<String> for Chord {
    type Error = String;

    fn try_from(written: String) -> Result<Self, String> {
        let unknown = |what: &str| {
            format!(
                "there is no key `{what}` in `{written}`; write one such as Enter, Tab, Escape, ArrowDown, Home, F5, a or ?, with Control, \
                 Shift, Alt or Meta and + before it"
            )
        };
        // The plus is a key as well: `Control++`.
        let (held, last) = match written.strip_suffix("++") {
            Some(held) => (held, "+"),
            None if written == "+" => ("", "+"),
            None => written.rsplit_once('+').unwrap_or(("", written.as_str())),
        };
        let numbers = held.split('+').filter(|_| !held.is_empty());
        let mut held =
            numbers.map(|name| key::modifier(name).ok_or_else(|| unknown(name))).collect::<Result<Vec<_>, _>>()?;
        let (code, shift) = key_of(last).ok_or_else(|| unknown(last))?;
        if shift && !held.contains(&59) {
            held.push(59);
        }
        Ok(Self { press: KeyPress { code, held, long: false }, written })
    }
}

/// Returns a key's number, and whether shift is needed for it.
fn key_of(name: &str) -> Option<(u32, bool)> {
    let mut letters = name.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return match letter {
            'a'..='z' => Some((29 + u32::from(letter) - u32::from('a'), false)),
            'A'..='Z' => Some((29 + u32::from(letter) - u32::from('A'), true)),
            _ => SIGNS.iter().find_map(|(plain, shifted, number)| match letter {
                letter if letter == *plain => Some((*number, false)),
                letter if letter == *shifted => Some((*number, true)),
                _ => None,
            }),
        };
    }
    let name = name.trim().to_ascii_lowercase();
    let function = name.strip_prefix('f').and_then(|number| number.parse::<u32>().ok());
    if let Some(number) = function.filter(|number| (1..=12).contains(number)) {
        return Some((130 + number, false));
    }
    NAMED.iter().find(|(known, _)| *known == name).map(|(_, number)| (*number, false))
}

impl JsonSchema for Chord {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Chord".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_written_as_people_do() {
        let read = |text: &str| Chord::try_from(text.to_owned()).map(|chord| (chord.press.code, chord.press.held)).ok();
        assert_eq!(read("Control+a"), Some((29, vec![113])));
        assert_eq!(read("ctrl+Shift+Tab"), Some((61, vec![113, 59])));
        assert_eq!(read("A"), Some((29, vec![59])));
        assert_eq!(read("Shift+A"), Some((29, vec![59])));
        assert_eq!(
            (read("?"), read("+"), read("Control++")),
            (Some((76, vec![59])), Some((70, vec![59])), Some((70, vec![113, 59])))
        );
        assert_eq!(
            (read("F12"), read("Delete"), read("Backspace")),
            (Some((142, vec![])), Some((112, vec![])), Some((67, vec![])))
        );
        for wrong in ["", "Hyper+a", "Control+", "F13", "enterr", "a+b", "é"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
