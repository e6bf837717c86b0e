//! What is typed with: single keys by number, deleting, input methods.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};
use uixt_call::{Lacking, Shape, ToolKind, Toolset};
use uixt_driver::{Key, KeyPress, key};
use uixt_locate::{Error, Kind};
use uixt_toolkit::{ActionTool, Context, Reply, Tool, wait};

use super::input;

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<Backspace>(),
    ActionTool::of::<Keycode>(),
    ActionTool::of::<SetIme>(),
    ActionTool::of::<GetIme>(),
];

/// Delete characters before the cursor of the field that has the focus.
#[derive(Deserialize, JsonSchema)]
struct Backspace {
    /// How many; 1 by default.
    #[serde(default)]
    #[schemars(range(min = 1, max = 5000))]
    count: Option<u16>,
    /// Seconds to wait for a field; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
}

impl Tool for Backspace {
    const NAME: &'static str = "backspace";
    const SET: Option<Toolset> = Some(Toolset::Keys);
    const KIND: ToolKind = ToolKind::Typing;
    const ALIASES: &'static [&'static str] = &["delete"];
    const PARAMS: Shape = Shape::Fields(&["count"]);
    const ANSWER: &'static [&'static str] = &["count"];

    fn limit(&self) -> Duration {
        wait::limit(self.timeout)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let count = self.count.unwrap_or(1);
        let (field, _) = input::field(cx, None, self.timeout).await?;
        cx.driver()?.press_all(&vec![Key::Delete; usize::from(count)]).await?;
        let what = uixt_locate::wording::describe(&field);
        Ok(Reply::new(format!("Pressed backspace {count} × in {what}")).with("count", count))
    }
}

/// Press a key by Android's number or name.
#[derive(Deserialize, JsonSchema)]
struct Keycode {
    /// 66, `KEYCODE_ENTER` or enter.
    #[serde(rename = "keycode")]
    key: KeyName,
    /// Keys held meanwhile: ctrl, or ctrl+shift.
    #[serde(default)]
    meta: Option<Held>,
    /// Holds it as long as a long press takes.
    #[serde(default)]
    longpress: bool,
}

impl Tool for Keycode {
    const NAME: &'static str = "keycode";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Key;
    const ALIAS_OF: Option<&'static str> = Some("press_key");
    const PARAMS: Shape = Shape::Fields(&["keycode"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] =
        &[("key", "keycode"), ("code", "keycode"), ("long_press", "longpress")];
    const ANSWER: &'static [&'static str] = &["keycode"];

    fn check(&self) -> Result<(), String> {
        match self.longpress && self.meta.is_some() {
            true => Err("give either `meta` or `longpress`: a device takes no long press of several keys".to_owned()),
            false => Ok(()),
        }
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let held = self.meta.map(|held| held.0).unwrap_or_default();
        let (driver, press) = (cx.driver()?, KeyPress { code: self.key.0, held, long: self.longpress });
        if key::serves_in_the_dark(self.key.0) {
            driver.press_code(&press).await?;
        } else {
            uixt_locate::screen_power::require_key_awake(driver.press_code_where_lit(&press).await?)?;
        }
        Ok(Reply::new(format!("Pressed key {}", self.key.0)).with("keycode", self.key.0))
    }
}

/// A key's number, read from its number or its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct KeyName(u32);

impl<'de> Deserialize<'de> for KeyName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrName;
        impl Visitor<'_> for NumberOrName {
            type Value = KeyName;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("Android's number of a key, or its name")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<KeyName, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<KeyName, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<KeyName, E> {
                let unknown = || {
                    E::custom(format!(
                        "there is no key `{name}`; valid: a number from 1 to 316, or a name of Android's such as KEYCODE_ENTER or enter"
                    ))
                };
                key::code(name).map(KeyName).ok_or_else(unknown)
            }
        }
        deserializer.deserialize_any(NumberOrName)
    }
}

impl JsonSchema for KeyName {
    fn schema_name() -> Cow<'static, str> {
        "KeyName".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["integer", "string"]})
    }
}

/// Keys that are held down: shift, ctrl, alt, meta, joined with `+`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
struct Held(Vec<u32>);

impl TryFrom<String> for Held {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let number = |name: &str| match name.trim().to_ascii_lowercase().as_str() {
            "shift" | "ctrl" | "control" | "alt" | "meta" => key::code(name).ok_or(()),
            _ => Err(()),
        };
        let numbers: Result<Vec<u32>, ()> = text.split('+').map(number).collect();
        numbers
            .map(Held)
            .map_err(|()| format!("`meta` must be made of shift, ctrl, alt, meta, joined with +, not `{text}`"))
    }
}

impl JsonSchema for Held {
    fn schema_name() -> Cow<'static, str> {
        "Held".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

/// Type with another input method from here on.
#[derive(Deserialize, JsonSchema)]
struct SetIme {
    /// Its identifier, package or name: com.android.adbkeyboard/.AdbIME.
    #[schemars(length(min = 1))]
    ime: String,
}

impl Tool for SetIme {
    const NAME: &'static str = "set_ime";
    const SET: Option<Toolset> = Some(Toolset::Keys);
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] = &[
        Lacking::tool("ios", "the keyboard is chosen in its Settings"),
        Lacking::tool("harmony", "the keyboard is chosen in its Settings"),
        Lacking::tool("browser", "pages have no input methods"),
    ];
    const DESTRUCTIVE: bool = false;
    const IDEMPOTENT: bool = true;
    const PARAMS: Shape = Shape::Fields(&["ime"]);
    const ANSWER: &'static [&'static str] = &["ime", "former"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.driver()?;
        let methods = driver.input_methods().await?;
        let id = installed(&self.ime, &methods.installed)?;
        driver.set_input_method(id).await?;
        Ok(Reply::new(format!("Types with {id}")).with("ime", id).with("former", methods.current))
    }
}

/// Finds the one input method that a name means.
fn installed<'a>(wanted: &str, installed: &'a [String]) -> Result<&'a str, Error> {
    let wanted = wanted.trim();
    let ways: [fn(&str, &str) -> bool; 3] = [
        |id, wanted| whole(id) == whole(wanted),
        |id, wanted| id.split('/').next() == Some(wanted),
        |id, wanted| id.rsplit(['.', '/']).next().is_some_and(|name| name.eq_ignore_ascii_case(wanted)),
    ];
    let found = ways.iter().map(|way| installed.iter().filter(|id| way(id, wanted)).collect::<Vec<_>>());
    let found = found.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
    match found.as_slice() {
        [id] => Ok(id),
        [] => {
            let message = format!("no input method `{wanted}` is installed; installed: {}", installed.join(", "));
            Err(Error::new(Kind::NotFound, message).with("installed", installed.to_vec()))
        }
        several => {
            let names: Vec<&str> = several.iter().map(|id| id.as_str()).collect();
            let message = format!("`{wanted}` means several input methods: {}", names.join(", "));
            Err(Error::new(Kind::BadArgument, message))
        }
    }
}

/// `com.x/.Latin` → `com.x/com.x.Latin`: Android takes both.
fn whole(id: &str) -> String {
    match id.split_once('/') {
        Some((package, class)) if class.starts_with('.') => format!("{package}/{package}{class}"),
        _ => id.to_owned(),
    }
}

/// Tell which input method is typed with.
#[derive(Deserialize, JsonSchema)]
struct GetIme {}

impl Tool for GetIme {
    const NAME: &'static str = "get_ime";
    const SET: Option<Toolset> = Some(Toolset::Keys);
    const KIND: ToolKind = ToolKind::Read;
    const LACKING: &'static [Lacking] = &[
        Lacking::tool("ios", "the keyboard is chosen in its Settings"),
        Lacking::tool("harmony", "the keyboard is chosen in its Settings"),
        Lacking::tool("browser", "pages have no input methods"),
    ];
    const MAIN: Option<&'static str> = Some("ime");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["ime", "installed"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let methods = cx.driver()?.input_methods().await?;
        Ok(Reply::new(format!("Types with {}", methods.current))
            .with("ime", methods.current)
            .with("installed", methods.installed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_method_is_found_by_its_names() {
        let ids = ["com.a.latin/.LatinIME", "com.b/.AdbIME", "com.b/.Other"].map(str::to_owned);
        let find = |wanted: &str| installed(wanted, &ids).map_err(|error| error.kind);
        assert_eq!(find("com.a.latin/com.a.latin.LatinIME"), Ok("com.a.latin/.LatinIME"));
        assert_eq!(find("com.a.latin"), Ok("com.a.latin/.LatinIME"));
        assert_eq!(find("adbime"), Ok("com.b/.AdbIME"));
        assert_eq!(find("com.b"), Err(Kind::BadArgument));
        assert_eq!(find("com.b/.Nope"), Err(Kind::NotFound));
        assert_eq!(find(""), Err(Kind::NotFound));
    }

    #[test]
    fn keys_are_numbers_or_names() {
        let read = |value: serde_json::Value| serde_json::from_value::<Keycode>(value).map(|tool| tool.key.0).ok();
        assert_eq!(read(serde_json::json!({"keycode": 66})), Some(66));
        assert_eq!(read(serde_json::json!({"keycode": "KEYCODE_DEL", "meta": "ctrl+shift"})), Some(67));
        for wrong in [
            serde_json::json!({"keycode": 0}),
            serde_json::json!({"keycode": -3}),
            serde_json::json!({"keycode": "nope"}),
        ] {
            assert_eq!(read(wrong), None);
        }
        assert_eq!(read(serde_json::json!({"keycode": 66, "meta": "enter"})), None);
    }
}
