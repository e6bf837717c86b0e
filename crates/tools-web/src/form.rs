//! Parts of forms that take more than a touch: choices of a list, and files.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use uixt_call::{Aim, Lacking, Shape, ToolKind, Toolset, for_pages};
use uixt_core::host::Files;
use uixt_driver::Rect;
use uixt_driver::pages::Pages;
use uixt_locate::finder::Purpose;
use uixt_locate::target::Place;
use uixt_locate::wording::{clip, describe};
use uixt_locate::{Error, Kind};
use uixt_toolkit::gestures::{self, tapping};
use uixt_toolkit::pages::addresses::Addresses;
use uixt_toolkit::pages::place::PAUSE;
use uixt_toolkit::pages::{key, pages};
use uixt_toolkit::wait::{self, TimeLimit};
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<SelectOption>(), ActionTool::of::<Upload>()];

/// Texts, of which a single one may stand without brackets.
#[derive(Clone, Debug, Default, PartialEq)]
struct Texts(Vec<String>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let one = |value: &Value| match value {
            Value::String(text) => Ok(text.clone()),
            Value::Number(number) => Ok(number.to_string()),
            other => Err(serde::de::Error::custom(format!("a text or a list of texts, not {other}"))),
        };
        match Value::deserialize(deserializer)? {
            Value::Array(items) => items.iter().map(one).collect::<Result<_, _>>().map(Self),
            other => Ok(Self(vec![one(&other)?])),
        }
    }
}

impl JsonSchema for Texts {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Texts".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "number", "array"]})
    }
}

/// How many options an error lists.
const MOST_LISTED: usize = 12;

/// Choose an option of a list of choices (`<select>`), or several.
#[derive(Deserialize, JsonSchema)]
struct SelectOption {
    /// Option's text, or a list of texts.
    #[serde(default)]
    option: Option<Texts>,
    /// List: its label, text, #id or a target.
    from: Place,
    /// Or its value, or a list of values.
    #[serde(default)]
    value: Option<Texts>,
    /// Or its number from 0.
    #[serde(default)]
    index: Option<u32>,
    /// Seconds to wait; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
}

/// Chooses, tells the page of it as a person's choice does, and returns what is chosen then; or why not. By [`KEPT`] it only looks whether
/// the options of these names are chosen.
const CHOOSE: &str = r#"(given, by, wanted) => {
const list = given.localName === "select" ? given : [given.control, given.closest("select")].find((one) => one?.localName === "select");
if (!list) return { problem: "kind" };
const plain = (text) => text.replace(/\s+/g, " ").trim();
const told = (isKept) => {
    const now = [...list.options].filter((option) => option.selected);
    const names = now.map((option) => plain(option.label || option.text));
    return { kept: isKept(names), names, values: now.map((option) => option.value) };
};
if (by === "kept") return told((names) => wanted.every((name) => names.includes(name)));
if (list.matches(":disabled")) return { problem: "disabled list" };
const options = [...list.options];
const names = options.map((option) => plain(option.label || option.text));
const chosen = new Set();
for (const one of wanted) {
    const at = by === "index" ? (one < options.length ? one : -1)
        : by === "value" ? options.findIndex((option) => option.value === one) : names.indexOf(plain(one));
    const same = by === "index" ? [] : options.filter((option, each) => (by === "value" ? option.value === one : names[each] === plain(one)));
    if (same.length > 1) {
        const numbers = same.map((option) => option.index);
        return { problem: "several", which: String(one), numbers, values: same.map((option) => option.value) };
    }
    if (at < 0) return { problem: "absent", by, which: String(one), names, values: options.map((option) => option.value) };
    if (options[at].matches(":disabled")) return { problem: "disabled", which: names[at] };
    chosen.add(at);
}
if (chosen.size > 1 && !list.multiple) return { problem: "single" };
const before = options.map((option) => option.selected).join();
list.focus();
options.forEach((option, at) => { if (list.multiple || chosen.has(at)) option.selected = chosen.has(at); });
if (options.map((option) => option.selected).join() !== before) {
    list.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    list.dispatchEvent(new Event("change", { bubbles: true }));
}
return told(() => [...chosen].every((at) => options[at].selected));
}"#;

/// Beside the other ways to name options: those that were chosen a moment ago.
const KEPT: &str = "kept";

impl SelectOption {
    /// Returns how options are named, and those that are wanted.
    fn wanted(&self) -> (&'static str, Value) {
        match (&self.option, &self.value, self.index) {
            (Some(texts), ..) => ("text", json!(texts.0)),
            (_, Some(values), _) => ("value", json!(values.0)),
            (_, _, index) => ("index", json!([index.unwrap_or_default()])),
        }
    }

    /// Says which option is not there, and which are; of many, the first.
    fn absent(answer: &Value) -> String {
        let which = answer["which"].as_str().unwrap_or_default();
        let all = |key: &str| answer[key].as_array().map(Vec::as_slice).unwrap_or_default();
        let count = all("names").len();
        if count == 0 {
            return format!("\"{}\": it has none", clip(which));
        }
        let listed = |key: &str| {
            let first = all(key).iter().take(MOST_LISTED).filter_map(Value::as_str);
            let named = first.map(|name| format!("\"{}\"", clip(name))).collect::<Vec<_>>().join(", ");
            if count > MOST_LISTED { format!("{named} and {} more", count - MOST_LISTED) } else { named }
        };
        if answer["by"] == "index" {
            return format!("number {which}: it has {count}, from 0 to {}: {}", count - 1, listed("names"));
        }
        format!("\"{}\"; options: {}; values: {}", clip(which), listed("names"), listed("values"))
    }

    /// Tells whether a page that is still being built may yet offer what was not there to be chosen.
    fn may_come(answer: &Value) -> bool {
        matches!(answer["problem"].as_str(), Some("absent" | "disabled" | "disabled list"))
    }

    /// Chooses once the options are there, or tells what was in the way when the time was over.
    async fn choose(&self, cx: &Context, pages: &dyn Pages) -> Result<(String, Value), Error> {
        let timeout = wait::timeout(cx, self.timeout);
        let (limit, mut waiting) = (TimeLimit::from(timeout), cx.waiting());
        let (by, wanted) = self.wanted();
        loop {
            let ready = wait::ready(cx, &self.from.0, Purpose::Touch, limit).await?;
            let what = describe(&ready.element);
            let answer = pages.ask_element(key(&ready.element)?, CHOOSE, &[json!(by), wanted.clone()]).await?;
            match Self::problem(&what, &answer) {
                None => {
                    // Some pages change a choice once what they were told of it is over. A list that is gone by then was left or replaced.
                    cx.waiting().pause(PAUSE).await;
                    let now =
                        pages.ask_element(key(&ready.element)?, CHOOSE, &[KEPT.into(), answer["names"].clone()]).await;
                    let now = now.ok().filter(|now| now["problem"].is_null());
                    return match now.and_then(|now| Self::problem(&what, &now)) {
                        Some(error) => Err(error),
                        None => Ok((what, answer)),
                    };
                }
                Some(error) if Self::may_come(&answer) && Instant::now() < limit.end => drop(error),
                Some(error) if Self::may_come(&answer) => {
                    let message = format!("{}; not chosen {}", error.message, wait::span(cx, timeout));
                    return Err(Error::new(error.kind, message));
                }
                Some(error) => return Err(error),
            }
            waiting.pause(PAUSE).await;
        }
    }

    /// Says why a list was not chosen from.
    fn problem(what: &str, answer: &Value) -> Option<Error> {
        let text = |key: &str| answer[key].as_str().unwrap_or_default();
        let listed = |key: &str| {
            let names = answer[key].as_array().into_iter().flatten().filter_map(Value::as_str);
            names.map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
        };
        Some(match text("problem") {
            "kind" => {
                let message = format!("{what} is no `<select>`: tap it, and then the option that it shows");
                Error::new(Kind::Assertion, message)
            }
            "disabled list" => Error::new(Kind::WaitTimeout, format!("{what} is disabled")),
            "absent" => Error::new(Kind::NotFound, format!("{what} has no option {}", Self::absent(answer))),
            "several" => {
                let message = format!(
                    "{what} has several options \"{}\", of the numbers {} and the values {}: name one by `index`, or by `value` where \
                     they differ",
                    text("which"),
                    answer["numbers"],
                    listed("values")
                );
                Error::new(Kind::BadArgument, message)
            }
            "disabled" => {
                Error::new(Kind::WaitTimeout, format!("{what}: the option \"{}\" is disabled", text("which")))
            }
            "single" => Error::new(Kind::Assertion, format!("{what} takes one option, not several")),
            _ if answer["kept"] == false => {
                Error::new(Kind::Assertion, format!("{what}: the page changed the choice to {}", listed("names")))
            }
            _ => return None,
        })
    }
}

impl Tool for SelectOption {
    const NAME: &'static str = "select_option";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Gesture;
    const LACKING: &'static [Lacking] = &for_pages("it has no `<select>`; tap it, and then the option");
    const IN_GOALS: bool = true;
    const AIM: Aim = Aim::Argument("from");
    const IN_BROWSER_CORE: bool = true;
    const ALIASES: &'static [&'static str] = &["select"];
    const PARAMS: Shape = Shape::Fields(&["option", "from"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] =
        &[("options", "option"), ("values", "value"), ("into", "from")];
    const TARGET_MAY_BE_ABSENT: bool = true;
    const IDEMPOTENT: bool = true;
    const ANSWER: &'static [&'static str] = &["element", "options", "values"];

    fn check(&self) -> Result<(), String> {
        self.from.0.check().map_err(|message| format!("from: {message}"))?;
        let asked = [self.option.is_some(), self.value.is_some(), self.index.is_some()];
        if asked.iter().filter(|is_asked| **is_asked).count() != 1 {
            return Err("give one of option, value and index".to_owned());
        }
        let texts = self.option.as_ref().or(self.value.as_ref());
        match texts.is_some_and(|texts| texts.0.is_empty()) {
            true => Err("no option is named".to_owned()),
            false => Ok(()),
        }
    }

    fn limit(&self) -> Duration {
        wait::limit(self.timeout)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let pages = pages(cx, "choose options: it has no `<select>`; tap it, and then the option")?;
        let (what, answer) = self.choose(cx, pages).await?;
        Ok(Reply::new(format!("Chose {} of {what}", answer["names"]))
            .with("element", what)
            .with("options", answer["names"].clone())
            .with("values", answer["values"].clone()))
    }
}

/// Choose files in a form's field for files, or by what opens a chooser for them.
#[derive(Deserialize, JsonSchema)]
struct Upload {
    /// Path beside the testcase or below the project's folder (agents: below --allow-dir), or a list of paths.
    files: Texts,
    /// Field, what labels it, or the button that opens a chooser: text, #id or a target.
    into: Place,
    /// Seconds to wait; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
}

/// How long a page may take to open a chooser once it was touched.
const OPENING: Duration = Duration::from_secs(5);

/// How long it may take at least, whatever the call's timeout is.
const LEAST: Duration = Duration::from_secs(1);

/// Has a page that chooses files without a field (`showOpenFilePicker`) do so by one, which alone takes them from outside; or, called
/// with true, gives it its own way again. Source: WICG File System Access.
const PICKER: &str = r#"((isOver) => {
const key = Symbol.for("uixt picker");
if (typeof window.showOpenFilePicker !== "function") return;
if (window[key]) window.showOpenFilePicker = window[key];
delete window[key];
if (isOver) return;
window[key] = window.showOpenFilePicker;
window.showOpenFilePicker = (options) => new Promise((done, failed) => {
    const field = document.createElement("input");
    field.type = "file";
    field.multiple = options?.multiple === true;
    const handle = (file) => Object.create(window.FileSystemFileHandle?.prototype ?? null, {
        kind: { value: "file" }, name: { value: file.name }, getFile: { value: async () => file },
        isSameEntry: { value: async (other) => other?.name === file.name },
        queryPermission: { value: async () => "granted" }, requestPermission: { value: async () => "granted" },
    });
    field.onchange = () => done([...field.files].map(handle));
    field.oncancel = () => failed(new DOMException("The user aborted a request.", "AbortError"));
    field.click();
});
})"#;

/// Returns the files that are named: of a testcase, beside it or below the project's folder; of an agent, below the one that it is offered.
fn offered(cx: &Context, files: &[String]) -> Result<Vec<PathBuf>, Error> {
    let named = |folder: &Files| -> Result<Vec<PathBuf>, Error> {
        files.iter().map(|file| folder.asset(file)).collect::<Result<_, _>>().map_err(Error::bad_argument)
    };
    match &cx.addresses {
        Addresses::Any => named(&cx.files()),
        Addresses::Web { folder: Some(folder), .. } => named(&Files::of_project(folder)),
        Addresses::Web { folder: None, .. } => {
            let message = "files are not read for agents; those of a folder are where the server has --allow-dir DIR";
            Err(Error::new(Kind::BadArgument, message))
        }
    }
}

impl Upload {
    /// Touches what opens a chooser, and chooses files there.
    async fn by_chooser(&self, cx: &Context, pages: &dyn Pages, files: &[PathBuf]) -> Result<(), Error> {
        pages.forget_choosers().await?;
        let driver = cx.driver()?;
        driver.evaluate(PICKER, &[json!(false)], OPENING).await?;
        let tap = |part: Rect| gestures::tap(part.center(), None);
        let timeout = wait::timeout(cx, self.timeout);
        let filled = match tapping::tap_when_actionable(cx, &self.into.0, Purpose::Touch, timeout, tap).await {
            Ok(_) => pages.fill_chooser(files, OPENING.min(timeout.max(LEAST))).await.map_err(Error::from),
            Err(error) => Err(error),
        };
        // A page that went on to another has its own anyway.
        let _ = driver.evaluate(PICKER, &[json!(true)], OPENING).await;
        filled
    }
}

/// Returns the names of the files that the field takes now.
const CHOSEN: &str = "(element) => { const is = (one) => one && one.localName === \"input\" && one.type === \"file\"; \
                      const near = [element, element.control, element.closest?.(\"label\")?.control, \
                      element.querySelector?.(\"input[type=file]\")]; const field = near.find(is); \
                      return field ? [field.multiple, [...field.files].map((file) => file.name), field.webkitdirectory === true] : null; }";

impl Tool for Upload {
    const NAME: &'static str = "upload";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Gesture;
    const LACKING: &'static [Lacking] =
        &for_pages("it has no form that takes files; push_file or push_media bring them onto it");
    const AIM: Aim = Aim::Argument("into");
    const PURPOSE: Option<Purpose> = Some(Purpose::Read);
    const NAMES_FILES: bool = true;
    const PARAMS: Shape = Shape::Fields(&["files", "into"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] =
        &[("file", "files"), ("path", "files"), ("file_path", "files")];
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["element", "files"];

    fn check(&self) -> Result<(), String> {
        match self.files.0.is_empty() {
            true => Err("no file is named".to_owned()),
            false => self.into.0.check().map_err(|message| format!("into: {message}")),
        }
    }

    fn limit(&self) -> Duration {
        wait::limit(self.timeout)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let pages = pages(cx, "choose files in a form; push_file or push_media bring them onto it")?;
        let files = offered(cx, &self.files.0)?;
        if let Some(other) = files.iter().find(|file| !file.is_file()) {
            let is = if other.is_dir() { "a folder" } else { "a device or a pipe" };
            let message = format!("{} is {is}: name a regular file", other.display());
            return Err(Error::new(Kind::BadArgument, message));
        }
        let ready = wait::ready(cx, &self.into.0, Purpose::Look, wait::timeout(cx, self.timeout)).await?;
        let (key, what) = (key(&ready.element)?, describe(&ready.element));
        match pages.ask_element(key, CHOSEN, &[]).await? {
            Value::Null => self.by_chooser(cx, pages, &files).await?,
            field if field[2] == true => {
                let message = format!("{what} takes a folder (webkitdirectory), and no files");
                return Err(Error::new(Kind::Assertion, message));
            }
            field if field[0] == false && files.len() > 1 => {
                return Err(Error::new(Kind::Assertion, format!("{what} takes one file, not {}", files.len())));
            }
            _ => pages.choose_files(key, &files).await?,
        }
        let names: Vec<Value> =
            files.iter().filter_map(|file| Some(file.file_name()?.to_string_lossy().into())).collect();
        Ok(Reply::new(format!("Chose {} in {what}", Value::from(names.clone())))
            .with("element", what)
            .with("files", names))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: Value) -> Result<SelectOption, String> {
        let tool: SelectOption = serde_json::from_value(arguments).map_err(|error| error.to_string())?;
        tool.check().map(|()| tool)
    }

    #[test]
    fn an_option_is_named_in_one_way() {
        let wanted = |arguments: Value| read(arguments).map(|tool| tool.wanted()).map_err(drop);
        assert_eq!(wanted(json!({"option": "A", "from": "L"})), Ok(("text", json!(["A"]))));
        assert_eq!(wanted(json!({"value": ["a", 2], "from": "L"})), Ok(("value", json!(["a", "2"]))));
        assert_eq!(wanted(json!({"index": 0, "from": "L"})), Ok(("index", json!([0]))));
        for wrong in [
            json!({"from": "L"}),
            json!({"option": "A", "index": 0, "from": "L"}),
            json!({"option": [], "from": "L"}),
            json!({"option": {"a": 1}, "from": "L"}),
        ] {
            assert_eq!(wanted(wrong), Err(()));
        }
    }

    #[test]
    fn what_is_not_chosen_says_why() {
        let said = |answer: Value| SelectOption::problem("Country", &answer).map(|error| (error.kind, error.message));
        assert_eq!(said(json!({"kept": true, "names": ["A"], "values": ["a"]})), None);
        let absent =
            said(json!({"problem": "absent", "which": "X", "names": ["A"], "values": ["a"]})).expect("an error");
        assert_eq!(absent.0, Kind::NotFound);
        assert!(absent.1.contains("\"X\"") && absent.1.contains("options: \"A\"; values: \"a\""), "{}", absent.1);
        let names: Vec<String> = (0..40).map(|number| format!("Option {number}")).collect();
        let many =
            |by: &str| said(json!({"problem": "absent", "by": by, "which": "99", "names": names, "values": names}));
        let number = many("index").expect("an error").1;
        assert!(number.contains("no option number 99: it has 40, from 0 to 39") && number.len() < 300, "{number}");
        let named = many("text").expect("an error").1;
        assert!(named.contains("\"Option 11\" and 28 more; values") && !named.contains("Option 12"), "{named}");
        let none = said(json!({"problem": "absent", "which": "B", "names": [], "values": []})).expect("an error");
        assert!(none.1.contains("no option \"B\": it has none"), "{}", none.1);
        assert_eq!(said(json!({"kept": false, "names": []})).map(|said| said.0), Some(Kind::Assertion));
    }
}
