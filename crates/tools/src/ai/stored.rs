//! A goal that was reached ⇄ how it is stored: its steps as a testcase writes them, what each screen showed before its step, and
//! what stood there at the end. Whoever keeps it ([`Goals`]) knows files; this knows none.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::driver::{Element, Screen};
use crate::target::{Place, Target};
use crate::{CallRecord, Object, snapshot, stable_text};

/// What may be a step of a goal: what a planner does, as a testcase writes it.
const STEPS: [&str; 17] = [
    "tap_element",
    "tap_xy",
    "double_tap_xy",
    "long_press",
    "secondary_click",
    "drag",
    "swipe",
    "swipe_direction",
    "swipe_coordinate",
    "scroll",
    "input",
    "select_option",
    "press_button",
    "home",
    "back",
    "app_launch",
    "open_url",
];
/// Stands for any number of any texts: what a person writes where a screen is another each time.
const ANY: &str = "**";
/// Stand behind the text of what is checked, and of what takes no touch.
const CHECKED: &str = " (checked)";
const DISABLED: &str = " (disabled)";
/// Characters of a text that are compared, and texts of a screen that are written out; of the rest a digest is.
const LONGEST: usize = 300;
const MOST: usize = 200;
/// Texts of a difference that are told.
const MOST_TOLD: usize = 6;

/// Where goals are stored, for one session.
pub trait Goals: Send + Sync {
    /// Returns the ways to a goal that are stored, each from another screen.
    fn stored(&self, key: &GoalKey<'_>) -> Result<Vec<StoredGoal>, String>;

    /// Takes in a way that led to a goal, in the place of a stored one where that was mended; says what became of it.
    fn keep(&self, key: &GoalKey<'_>, goal: StoredGoal, mends: Option<&StoredGoal>) -> Result<Kept, String>;

    /// Makes a step of what a call did; none where it is no step, such as a look.
    fn step(&self, record: &CallRecord) -> Option<(String, Object)>;

    /// Tells whether a model may be asked where nothing stored fits.
    fn may_ask(&self) -> bool;

    /// Tells whether a model is to say what looks wrong on its way.
    fn wants_problems(&self) -> bool {
        false
    }
}

/// What a stored goal is found by.
#[derive(Clone, Copy, Debug)]
pub struct GoalKey<'a> {
    /// The file of the testcase that it stands in.
    pub testcase: &'a std::path::Path,
    /// As the testcase writes it.
    pub goal: &'a str,
    pub platform: &'a str,
}

/// What became of a way to a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It is stored in this file.
    Stored(String),
    /// It is proposed in this file, and what was stored stays.
    Proposed(String),
    /// It is not kept.
    Nothing,
}

/// A way that led to a goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredGoal {
    pub goal: String,
    /// `android` or `browser`.
    pub platform: String,
    pub steps: Vec<StoredStep>,
    /// What the screen showed once it was reached; nothing where that does not matter.
    #[serde(default)]
    pub end: Shown,
    /// What the model said when it was reached.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
}

/// A step on the way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>", into = "Map<String, Value>")]
pub struct StoredStep {
    pub tool: String,
    pub arguments: Object,
    /// What the element is called that it hit; nothing where the target says that.
    pub hits: String,
    /// What the screen showed before it; nothing where that does not matter.
    pub on: Shown,
}

/// What a screen showed. Texts are [patterns](stable_text::pattern): `*` in one is what is of the moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shown {
    /// Its heading.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub page: String,
    /// Title of a page in a browser.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Address of a page in a browser, without what is asked of it; of this computer only the path.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub address: String,
    /// Its texts, in reading order; `**` is any number of any texts.
    pub texts: Vec<String>,
}

/// What differs between two screens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub(super) gone: Vec<String>,
    pub(super) new: Vec<String>,
}

impl From<StoredStep> for Map<String, Value> {
    fn from(step: StoredStep) -> Self {
        let mut map = Self::from_iter([(step.tool, Value::Object(step.arguments))]);
        if !step.hits.is_empty() {
            map.insert("hits".to_owned(), step.hits.into());
        }
        if step.on != Shown::default() {
            map.insert("on".to_owned(), serde_json::json!(step.on));
        }
        map
    }
}

impl TryFrom<Map<String, Value>> for StoredStep {
    type Error = String;

    fn try_from(mut map: Map<String, Value>) -> Result<Self, String> {
        let on = map.shift_remove("on").map(serde_json::from_value).transpose();
        let on = on.map_err(|error| format!("`on`: {error}"))?.unwrap_or_default();
        let hits = match map.shift_remove("hits") {
            None => String::new(),
            Some(Value::String(name)) => name,
            Some(_) => return Err("`hits` is a text".to_owned()),
        };
        let mut calls = map.into_iter();
        let (Some((tool, arguments)), None) = (calls.next(), calls.next()) else {
            return Err("a step is one tool with its arguments, `hits` and `on`".to_owned());
        };
        let known = crate::find(&tool).ok_or_else(|| format!("`{tool}` is no tool"))?;
        if !STEPS.contains(&known.name) {
            return Err(format!("`{tool}` is no step of a goal; valid: {}", STEPS.join(", ")));
        }
        match arguments {
            Value::Object(arguments) => Ok(Self { tool: known.name.to_owned(), arguments, hits, on }),
            Value::Null => Ok(Self { tool: known.name.to_owned(), arguments: Object::new(), hits, on }),
            _ => Err(format!("the arguments of `{tool}` are a map, as in `tap_element: {{text: Sign in}}`")),
        }
    }
}

impl Shown {
    pub(super) fn of(screen: &Screen) -> Self {
        let mut texts = Vec::new();
        for root in &screen.roots {
            root.walk(&mut |element| texts.extend(text(element)));
        }
        if texts.len() > MOST {
            let rest = texts.split_off(MOST);
            texts.push(format!("and {} more, digest {:016x}", rest.len(), digest(&rest)));
        }
        let told = |text: &str| stable_text::pattern(text, None);
        Self {
            page: told(&snapshot::title(screen)),
            title: told(&screen.notes.title),
            address: told(&address(&screen.page)),
            texts,
        }
    }

    /// Tells whether another screen shows the same.
    pub(super) fn is_met_by(&self, other: &Self) -> bool {
        let fields = [(&self.page, &other.page), (&self.title, &other.title), (&self.address, &other.address)];
        fields.iter().all(|(wanted, seen)| wanted.is_empty() || is_one(wanted, seen))
            && matches(&self.texts, &other.texts)
    }

    /// Tells whether another screen has the same heading.
    pub(super) fn is_page_of(&self, other: &Self) -> bool {
        is_one(&self.page, &other.page)
    }

    /// Tells whether another screen shows all of it, and more.
    pub(super) fn is_part_of(&self, other: &Self) -> bool {
        let mut rest = other.texts.iter();
        let is_there = self.texts.iter().filter(|text| *text != ANY).all(|text| rest.any(|seen| is_one(text, seen)));
        is_there && !self.is_met_by(other)
    }

    /// Returns the texts that another screen lacks, and those that it shows beside.
    pub(super) fn changes(&self, other: &Self) -> Changes {
        let is_same = |wanted: &String, seen: &String| is_one(wanted, seen);
        Changes {
            gone: absent(&self.texts, &other.texts, is_same),
            new: absent(&other.texts, &self.texts, |seen, wanted| is_one(wanted, seen)),
        }
    }

    /// Says in words what another screen shows otherwise.
    pub(super) fn difference(&self, other: &Self) -> String {
        let Changes { gone, new } = self.changes(other);
        let list = |texts: &[String]| {
            let more = texts.len().saturating_sub(MOST_TOLD);
            let told: Vec<String> = texts[..texts.len() - more].iter().map(|text| format!("{text:?}")).collect();
            let told = told.join(", ");
            if more == 0 { told } else { format!("{told} and {more} more") }
        };
        match (gone.is_empty(), new.is_empty()) {
            (true, true) if !is_one(&self.page, &other.page) => {
                format!("the page is {:?}, not {:?}", other.page, self.page)
            }
            (true, true) if !is_one(&self.address, &other.address) => {
                format!("the address is {:?}, not {:?}", other.address, self.address)
            }
            (true, true) if !is_one(&self.title, &other.title) => {
                format!("the title is {:?}, not {:?}", other.title, self.title)
            }
            (true, true) => "the texts stand in another order".to_owned(),
            (false, true) => format!("{} is gone", list(&gone)),
            (true, false) => format!("{} is new", list(&new)),
            (false, false) => format!("{} is gone, {} is new", list(&gone), list(&new)),
        }
    }

    /// Returns it without the texts that are known to come and go.
    pub(super) fn without(&self, texts: &[String]) -> Self {
        let rest = self.texts.iter().filter(|text| !texts.contains(text)).cloned().collect();
        let page = if texts.contains(&self.page) { String::new() } else { self.page.clone() };
        Self { page, texts: rest, ..self.clone() }
    }

    fn each_text(&mut self, change: &impl Fn(&mut String)) {
        change(&mut self.page);
        self.texts.iter_mut().for_each(change);
    }
}

/// Returns what an element says, and its state where that is not the usual one.
fn text(element: &Element) -> Option<String> {
    let name: String = element.name().split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() || element.password {
        return None;
    }
    let name: String = name.chars().take(LONGEST).collect();
    let pattern = match is_amount(&name) {
        // A price or an amount is what tests are about.
        true => name.replace('*', "\\*"),
        false => stable_text::pattern(&name, Some(element.short_id())),
    };
    let (checked, disabled) = (if element.checked { CHECKED } else { "" }, if element.enabled { "" } else { DISABLED });
    Some(format!("{pattern}{checked}{disabled}"))
}

/// Returns the FNV-1a digest of texts, which is the same in every version and on every machine.
fn digest(texts: &[String]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Returns an address without what is asked of it; of this computer, whose ports change, only the path.
fn address(page: &str) -> String {
    let Some((scheme, rest)) = page.split_once("://") else { return String::new() };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    if scheme == "file" || matches!(name, "localhost" | "127.0.0.1" | "[::1]") {
        path.to_owned()
    } else {
        rest.to_owned()
    }
}

/// Tells whether a text is an amount of money or a bare number.
fn is_amount(text: &str) -> bool {
    text.chars().any(|sign| sign.is_ascii_digit())
        && text.chars().filter(char::is_ascii_digit).count() <= 6
        && text.chars().all(|sign| sign.is_ascii_digit() || " .,-+%¥$€£×x".contains(sign))
}

/// Tells whether a text is the one that is wanted, where what is of the moment now is so in both.
fn is_one(wanted: &str, seen: &str) -> bool {
    wanted == seen || wanted.contains('*') && stable_text::is_like(wanted, seen)
}

/// Returns the texts that have no like among others.
fn absent(texts: &[String], among: &[String], is_same: impl Fn(&String, &String) -> bool) -> Vec<String> {
    let mut rest: Vec<&String> = among.iter().filter(|text| *text != ANY).collect();
    let lacks = texts.iter().filter(|text| *text != ANY).filter(|text| {
        let place = rest.iter().position(|other| is_same(text, other));
        place.map(|place| rest.remove(place)).is_none()
    });
    lacks.cloned().collect()
}

/// Tells whether texts are those that are wanted, where `**` is any number of any.
fn matches(wanted: &[String], texts: &[String]) -> bool {
    // The usual way of matching wildcards: where it fails behind a `**`, that takes one text more.
    let (mut at, mut seen, mut star) = (0, 0, None);
    while seen < texts.len() {
        match wanted.get(at) {
            Some(text) if text == ANY => {
                star = Some((at, seen));
                at += 1;
            }
            Some(text) if is_one(text, &texts[seen]) => {
                at += 1;
                seen += 1;
            }
            _ => {
                let Some((place, taken)) = star else { return false };
                star = Some((place, taken + 1));
                (at, seen) = (place + 1, taken + 1);
            }
        }
    }
    wanted[at..].iter().all(|text| text == ANY)
}

/// The variables in a goal as a testcase writes it, with what they hold: `$user` and `alice`. What is stored has the variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenGoal {
    /// `Log in as $user`
    pub goal: String,
    pub variables: Vec<(String, String)>,
}

/// Tells whether a value is too long to stand in other texts by chance; a shorter one is a variable only where nothing stands beside it.
fn is_telling(value: &str) -> bool {
    value.chars().count() >= if value.is_ascii() { 3 } else { 2 }
}

impl WrittenGoal {
    /// Puts variables in the place of what they hold; a `$` of a text's own is doubled, as in a testcase.
    pub(super) fn hide(&self, goal: &mut StoredGoal) {
        let mut variables: Vec<_> = self.variables.iter().filter(|(_, value)| !value.is_empty()).collect();
        variables.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        // What stood there before anything was done did not come of a variable.
        let first = goal.steps.iter().find(|step| !step.on.texts.is_empty());
        let before: Vec<String> = first.map(|step| step.on.texts.clone()).unwrap_or_default();
        goal.each_text(&|text: &mut String| {
            if let Some((name, _)) = variables.iter().find(|(_, value)| value == text && !before.contains(text)) {
                text.clone_from(name);
                return;
            }
            let usable = if before.contains(text) { &[][..] } else { &variables[..] };
            let mut out = String::new();
            let mut rest = text.as_str();
            while let Some(sign) = rest.chars().next() {
                let is_begun = |value: &str| rest.starts_with(value) && is_telling(value);
                let is_apart = |value: &str| {
                    let behind = rest[value.len()..].chars().next();
                    !joins(out.chars().next_back(), value.chars().next()) && !joins(value.chars().next_back(), behind)
                };
                if let Some((name, value)) = usable.iter().find(|(_, value)| is_begun(value) && is_apart(value)) {
                    out.push_str(name);
                    rest = &rest[value.len()..];
                    continue;
                }
                out.push(sign);
                if sign == '$' {
                    out.push(sign);
                }
                rest = &rest[sign.len_utf8()..];
            }
            *text = out;
        });
    }

    /// Puts what they hold in the place of variables.
    pub(super) fn fill(&self, goal: &mut StoredGoal) {
        let mut variables: Vec<_> = self.variables.iter().collect();
        variables.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        goal.each_text(&|text: &mut String| {
            let mut out = String::new();
            let mut rest = text.as_str();
            while let Some(sign) = rest.chars().next() {
                if let Some(behind) = rest.strip_prefix("$$") {
                    out.push('$');
                    rest = behind;
                } else if let Some((name, value)) = variables.iter().find(|(name, _)| rest.starts_with(name.as_str())) {
                    out.push_str(value);
                    rest = &rest[name.len()..];
                } else {
                    out.push(sign);
                    rest = &rest[sign.len_utf8()..];
                }
            }
            *text = out;
        });
    }
}

/// Tells whether two signs stand in one word.
fn joins(before: Option<char>, behind: Option<char>) -> bool {
    let is_latin = |sign: Option<char>| sign.is_some_and(|sign| sign.is_ascii_alphanumeric());
    is_latin(before) && is_latin(behind)
}

impl StoredGoal {
    fn each_text(&mut self, change: &impl Fn(&mut String)) {
        for step in &mut self.steps {
            step.arguments.values_mut().for_each(|value| each_text(value, change));
            change(&mut step.hits);
            step.on.each_text(change);
        }
        self.end.each_text(change);
        change(&mut self.content);
    }
}

impl StoredGoal {
    /// Tells whether it may begin on a screen: on one with its heading or half of its texts, or anywhere.
    pub(super) fn begins_on(&self, shown: &Shown) -> bool {
        let first = self.steps.first().map_or(&self.end, |step| &step.on);
        let gone = first.changes(shown).gone.len();
        let is_alike = !first.texts.is_empty() && gone * 2 <= first.texts.len();
        *first == Shown::default() || (!first.page.is_empty() && first.is_page_of(shown)) || is_alike
    }
}

impl StoredStep {
    /// Returns the element that it waits for, as a target.
    pub(super) fn target(&self) -> Option<Target> {
        let place = ["into", "from"].iter().find_map(|key| self.arguments.get(*key));
        let has_own =
            || crate::find(&self.tool).is_some_and(|tool| tool.schema().properties().any(|(name, _)| name == "regex"));
        let target = match place {
            Some(place) => serde_json::from_value::<Place>(place.clone()).ok()?.0,
            None if has_own() => serde_json::from_value(Value::Object(self.arguments.clone())).ok()?,
            None => return None,
        };
        target.check().is_ok().then_some(target)
    }

    /// Writes it as a testcase does.
    pub(super) fn words(&self) -> String {
        format!("{}: {}", self.tool, uixt_core::yaml::inline(&Value::Object(self.arguments.clone())))
    }
}

fn each_text(value: &mut Value, change: &impl Fn(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, change)),
        Value::Object(map) => map.values_mut().for_each(|item| each_text(item, change)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn texts(texts: &[&str]) -> Shown {
        Shown { texts: texts.iter().map(|text| (*text).to_owned()).collect(), ..Shown::default() }
    }

    #[test]
    fn texts_are_met_in_their_order_and_two_stars_are_any() {
        for (wanted, seen, is_met) in [
            (&["a", "b"][..], &["a", "b"][..], true),
            (&["a", "b"], &["b", "a"], false),
            (&["a", "b"], &["a"], false),
            (&["a"], &["a", "b"], false),
            (&[], &["a"], false),
            (&["**"], &[], true),
            (&["**"], &["a", "b"], true),
            (&["a", "**", "c"], &["a", "c"], true),
            (&["a", "**", "c"], &["a", "b", "b", "c"], true),
            (&["a", "**", "c"], &["a", "b", "d"], false),
            (&["**", "c", "d"], &["c", "c", "d"], true),
            (&["at *", "c"], &["at *", "c"], true),
            (&["at *", "c"], &["at noon", "c"], true),
            (&["at *", "c"], &["failed", "c"], false),
            (&["at *", "c"], &["at *", "failed", "c"], false),
            (&["*"], &["a", "b"], false),
        ] {
            assert_eq!(texts(wanted).is_met_by(&texts(seen)), is_met, "{wanted:?} {seen:?}");
        }
    }

    #[test]
    fn a_difference_says_what_is_gone_and_what_is_new() {
        let was = texts(&["Cart", "¥12.50", "Total", "Pay"]);
        for (now, told) in [
            (texts(&["Cart", "¥13.50", "Total", "Pay"]), "\"¥12.50\" is gone, \"¥13.50\" is new"),
            (texts(&["Cart", "¥12.50", "Pay"]), "\"Total\" is gone"),
            (texts(&["Cart", "¥12.50", "Total", "Pay", "Pay"]), "\"Pay\" is new"),
            (texts(&["Cart", "Total", "¥12.50", "Pay"]), "the texts stand in another order"),
        ] {
            assert_eq!(was.difference(&now), told);
        }
    }

    #[test]
    fn a_goal_is_stored_with_variables_in_the_place_of_what_they_hold() {
        let step = json!({"input": {"text": "alice", "into": {"id": "user_name"}}, "on": {"page": "Sign in", "texts": ["Users: alice"]}});
        let next =
            json!({"back": null, "on": {"texts": ["Users: alice", "Hello alice", "no", "malice", "$user costs $5"]}});
        let stored = json!({"goal": "Log in as $user", "platform": "android", "steps": [step, next], "end": {"texts": ["alice", "no 7"]}});
        let filled: StoredGoal = serde_json::from_value(stored).expect("a goal");
        let written = WrittenGoal {
            goal: filled.goal.clone(),
            variables: vec![("$user".to_owned(), "alice".to_owned()), ("$n".to_owned(), "no".to_owned())],
        };
        let mut goal = filled.clone();
        written.hide(&mut goal);
        let json = serde_json::to_value(&goal).expect("JSON");
        assert_eq!(json["steps"][0]["input"]["text"], "$user");
        assert_eq!(
            json["steps"][1]["on"]["texts"],
            json!(["Users: alice", "Hello $user", "$n", "malice", "$$user costs $$5"])
        );
        assert_eq!(json["end"]["texts"], json!(["$user", "no 7"]));
        written.fill(&mut goal);
        assert_eq!(goal, filled);
        for (wrong, why) in [
            (json!({"tap_elment": {}}), "`tap_elment` is no tool"),
            (json!({"tap_element": {}, "back": {}}), "one tool"),
            (json!({"tap_element": "Sign in"}), "a map"),
        ] {
            let error = serde_json::from_value::<StoredStep>(wrong).expect_err("refused").to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
