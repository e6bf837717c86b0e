//! Swiping until an app's icon or a text is there, and tapping it: among the screen's elements, or as it is drawn.

use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_driver::{Element, Key, Rect, Screen};
use uixt_locate::pixel_elements::Source;
use uixt_locate::scope::Filter;
use uixt_locate::target::Target;
use uixt_locate::wording::{clip, describe};
use uixt_locate::{Error, Kind, absence, finder, listed, occlusion, pattern};
use uixt_toolkit::{ActionTool, Context, LIMIT, Reply, Tool, gestures};

use super::scroll_search::{self, ScrollSearch, SearchEnd};
use super::swipe::Direction;
use super::way::Way;

/// The rows of the table.
pub const TOOLS: &[ActionTool] =
    &[ActionTool::of::<SwipeToTapApp>(), ActionTool::of::<SwipeToTapText>(), ActionTool::of::<SwipeToTapTexts>()];

/// Swipes at most where nothing else is said: over the home screen's pages, and over a list.
const PAGES: u32 = 5;
const SWIPES: u32 = 10;

/// Go to the home screen, swipe to an app's icon and tap it.
#[derive(Deserialize, JsonSchema)]
struct SwipeToTapApp {
    /// Name under the icon.
    #[schemars(length(min = 1))]
    app_name: String,
    /// Swipes at most; 5 by default.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100))]
    max_swipes: Option<u32>,
    /// The same, under another name.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100))]
    max_retry_times: Option<u32>,
    /// Where the finger goes (left by default), or 4 coordinates.
    #[serde(default)]
    direction: Option<Way>,
    /// Seconds to wait after each swipe; none by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    interval: Option<f64>,
    /// Where the text is looked for: `tree` (elements; usual) or `pixels` (what is drawn).
    #[serde(default)]
    source: Option<Source>,
    #[serde(flatten)]
    #[schemars(skip)]
    filter: Filter,
}

impl SwipeToTapApp {
    fn hunt(&self) -> Hunt {
        Hunt::new(
            self.direction.unwrap_or(Way::To(Direction::Left)),
            self.max_swipes.or(self.max_retry_times).unwrap_or(PAGES),
            self.interval,
        )
    }
}

impl Tool for SwipeToTapApp {
    const NAME: &'static str = "swipe_to_tap_app";
    const SET: Option<Toolset> = Some(Toolset::Gestures);
    const KIND: ToolKind = ToolKind::Gesture;
    const PARAMS: Shape = Shape::Fields(&["app_name"]);
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["app_name", "tapped_text", "swipes", "x", "y"];

    fn check(&self) -> Result<(), String> {
        if self.max_swipes.is_some() && self.max_retry_times.is_some() {
            return Err("`max_swipes` and `max_retry_times` are the same: give one of them".to_owned());
        }
        one_source(self.source)?;
        self.hunt().way.check()
    }

    fn limit(&self) -> Duration {
        LIMIT + self.hunt().search.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        // The first leads to the page that was seen last, the second to the first page.
        for _ in 0..2 {
            cx.driver()?.press(Key::Home).await?;
            scroll_search::settled(cx).await?;
        }
        let name = Target { exact: true, filter: self.filter.clone(), ..Target::text(&self.app_name) };
        let look = |screen: &Screen| {
            let found = finder::find_all(&name, screen, None)?;
            Ok(found
                .iter()
                .find(|element| listed::is_on(screen, element))
                .map(|element| Observation::of(element, screen, &self.app_name)))
        };
        let what = format!("app \"{}\"", clip(&self.app_name));
        let reply = self.hunt().tap(cx, look, (&what, &self.app_name)).await?;
        Ok(reply.with("app_name", self.app_name))
    }
}

/// How texts are searched for: the arguments that both tools for texts share.
#[derive(Deserialize, JsonSchema)]
struct Search {
    /// Swipes at most; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100))]
    max_retry_times: Option<u32>,
    /// Where the finger goes (up by default), or 4 coordinates.
    #[serde(default)]
    direction: Option<Way>,
    /// Seconds to wait after each swipe; none by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    interval: Option<f64>,
    /// Where the text is looked for: `tree` (elements; usual) or `pixels` (what is drawn).
    #[serde(default)]
    source: Option<Source>,
    #[serde(flatten)]
    #[schemars(skip)]
    filter: Filter,
}

impl Search {
    fn hunt(&self) -> Hunt {
        Hunt::for_text(self.direction, self.max_retry_times, self.interval)
    }
}

/// Refuses to look at elements and pixels after each swipe.
fn one_source(source: Option<Source>) -> Result<(), String> {
    match source {
        Some(Source::Auto) => {
            Err("`source` is `tree` or `pixels` here: a search looks at one of them after each swipe".to_owned())
        }
        _ => Ok(()),
    }
}

/// Swipe until a text is there, and tap it.
#[derive(Deserialize, JsonSchema)]
struct SwipeToTapText {
    /// Text or regular expression; the same text goes before a match.
    #[schemars(length(min = 1))]
    text: String,
    /// Which of several, from 0; -1 is the last.
    #[serde(default)]
    index: i32,
    #[serde(flatten)]
    search: Search,
}

impl Tool for SwipeToTapText {
    const NAME: &'static str = "swipe_to_tap_text";
    const SET: Option<Toolset> = Some(Toolset::Gestures);
    const KIND: ToolKind = ToolKind::Gesture;
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("max_swipes", "max_retry_times")];
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["text", "tapped_text", "swipes", "x", "y"];

    fn check(&self) -> Result<(), String> {
        one_source(self.search.source)?;
        self.search.hunt().way.check()?;
        pattern::pattern(&self.text).map(drop)
    }

    fn limit(&self) -> Duration {
        LIMIT + self.search.hunt().search.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let texts = [self.text.clone()];
        let look = |screen: &Screen| first_of(&texts, self.index, &self.search.filter, screen);
        let what = format!("\"{}\"", clip(&self.text));
        let reply = self.search.hunt().tap(cx, look, (&what, &self.text)).await?;
        Ok(reply.with("text", self.text))
    }
}

/// Swipe until one of several texts is there, and tap it.
#[derive(Deserialize, JsonSchema)]
struct SwipeToTapTexts {
    /// Texts or regular expressions; the first of them that is there is tapped.
    texts: Texts,
    /// Which of several alike, from 0; -1 is the last.
    #[serde(default)]
    index: i32,
    #[serde(flatten)]
    search: Search,
}

impl Tool for SwipeToTapTexts {
    const NAME: &'static str = "swipe_to_tap_texts";
    const SET: Option<Toolset> = Some(Toolset::Gestures);
    const KIND: ToolKind = ToolKind::Gesture;
    const PARAMS: Shape = Shape::Whole("texts");
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("max_swipes", "max_retry_times")];
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["texts", "tapped_text", "swipes", "x", "y"];

    fn check(&self) -> Result<(), String> {
        one_source(self.search.source)?;
        self.search.hunt().way.check()?;
        if self.texts.0.is_empty() || self.texts.0.iter().any(String::is_empty) {
            return Err("`texts` needs at least one text, and none may be empty".to_owned());
        }
        self.texts.0.iter().try_for_each(|text| pattern::pattern(text).map(drop))
    }

    fn limit(&self) -> Duration {
        LIMIT + self.search.hunt().search.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let look = |screen: &Screen| first_of(&self.texts.0, self.index, &self.search.filter, screen);
        let names: Vec<String> = self.texts.0.iter().map(|text| format!("\"{}\"", clip(text))).collect();
        let what = format!("none of {}", names.join(", "));
        let first = self.texts.0.first().map_or("", String::as_str);
        let reply = self.search.hunt().tap(cx, look, (&what, first)).await?;
        Ok(reply.with("texts", json!(self.texts.0)))
    }
}

/// Several texts: a list, a list as JSON in a string, or one text.
#[derive(Clone, Debug, PartialEq)]
struct Texts(Vec<String>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = |value: Value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        Ok(Self(match Value::deserialize(deserializer)? {
            Value::Array(items) => items.into_iter().map(text).collect(),
            Value::String(written) => match serde_json::from_str(&written) {
                Ok(Value::Array(items)) => items.into_iter().map(text).collect(),
                _ => vec![written],
            },
            other => vec![text(other)],
        }))
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
        json_schema!({"type": ["array", "string"], "items": {"type": ["string", "number"]}})
    }
}

/// What was found, and where to touch it.
struct Observation {
    text: String,
    what: String,
    rect: Rect,
}

impl Observation {
    fn of(element: &Element, screen: &Screen, text: &str) -> Self {
        Self { text: text.to_owned(), what: describe(element), rect: occlusion::reachable(element, screen) }
    }
}

/// Finds the first of several texts that is on the screen.
fn first_of(texts: &[String], index: i32, filter: &Filter, screen: &Screen) -> Result<Option<Observation>, Error> {
    for text in texts {
        let filter = Filter { same_text_first: index == 0, ..filter.clone() };
        let target = Target { regex: true, filter, ..Target::text(text) };
        let mut found = finder::find_all(&target, screen, None)?;
        found.retain(|element| listed::is_on(screen, element));
        if let Some(element) = finder::nth(&found, index) {
            return Ok(Some(Observation::of(element, screen, element.name())));
        }
    }
    Ok(None)
}

/// A way to go and how far.
struct Hunt {
    way: Way,
    search: ScrollSearch,
}

impl Hunt {
    fn new(way: Way, most: u32, interval: Option<f64>) -> Self {
        Self { way, search: ScrollSearch { most, interval: gestures::seconds(interval), max_unchanged: None } }
    }

    fn for_text(way: Option<Way>, most: Option<u32>, interval: Option<f64>) -> Self {
        Self::new(way.unwrap_or(Way::To(Direction::Up)), most.unwrap_or(SWIPES), interval)
    }

    /// Goes until `look` sees something, and taps it; `what` is what an error calls it, and a text that is near to it.
    async fn tap(
        &self,
        cx: &Context,
        look: impl FnMut(&Screen) -> Result<Option<Observation>, Error> + Send,
        what: (&str, &str),
    ) -> Result<Reply, Error> {
        let arrival = self.search.go(cx, |screen| self.way.gesture(screen.size), look).await?;
        let Some(observation) = &arrival.found else { return Err(self.missing(what, &arrival)) };
        let at = cx.options.point_in(observation.rect);
        let touched = cx.perform(gestures::tap(at, None), arrival.screen.display()).await?;
        let at = touched.point;
        Ok(Reply::new(format!("Tapped {} {}", observation.what, scroll_search::swipes(arrival.swipes)))
            .with("tapped_text", observation.text.as_str())
            .with("swipes", arrival.swipes)
            .with("x", at.x)
            .with("y", at.y)
            .touched(touched))
    }

    fn missing<T>(&self, (what, text): (&str, &str), arrival: &SearchEnd<T>) -> Error {
        let end = if arrival.at_end { "; the last swipe changed nothing, so that this is the end" } else { "" };
        let (swipes, app) = (arrival.swipes, arrival.screen.package.as_str());
        let place = absence::whereabouts(&arrival.screen, None);
        let message = format!("{what} {place} after {swipes} swipes {}{end}", self.way);
        let mut message = if what.starts_with("none") { message } else { format!("no {message}") };
        if let Some(near) = finder::nearest_names(&Target::text(text), &arrival.screen).first() {
            message.push_str(&format!("; nearest text: \"{near}\""));
        }
        Error::new(Kind::NotFound, message).with("swipes", swipes).with("app", app)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uixt_driver::Size;

    fn screen(texts: &[&str]) -> Screen {
        let child = |(number, text): (i32, &&str)| Element {
            role: "text",
            text: (*text).to_owned(),
            rect: Rect { left: 0, top: number * 20, right: 100, bottom: number * 20 + 20 },
            ..Element::default()
        };
        let children = (0..).zip(texts).map(child).collect();
        let root = Element { rect: Rect { left: 0, top: 0, right: 100, bottom: 900 }, children, ..Element::default() };
        Screen {
            package: "a".to_owned(),
            size: Size { width: 100, height: 900 },
            lit: true,
            roots: vec![root],
            ..Screen::default()
        }
    }

    fn found(texts: &[&str], index: i32, on: &[&str]) -> Option<(String, f64)> {
        found_in(&Filter::default(), texts, index, on)
    }

    fn found_in(filter: &Filter, texts: &[&str], index: i32, on: &[&str]) -> Option<(String, f64)> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        first_of(&texts, index, filter, &screen(on))
            .expect("a good pattern")
            .map(|observation| (observation.text, observation.rect.center().y))
    }

    #[test]
    fn the_same_text_goes_before_a_match_and_a_match_is_found_anywhere() {
        assert_eq!(found(&["Wi"], 0, &["Wi-Fi", "Wi"]), Some(("Wi".to_owned(), 30.0)));
        assert_eq!(found(&["^Wi"], 0, &["No Wi", "Wi-Fi"]), Some(("Wi-Fi".to_owned(), 30.0)));
        assert_eq!(found(&["Wi"], -1, &["Wi", "Wi-Fi", "x"]), Some(("Wi-Fi".to_owned(), 30.0)));
        assert_eq!(found(&["Wi"], 2, &["Wi", "Wi-Fi"]), None);
        let below = Filter { abs_scope: Some([0, 20, 100, 900]), ..Filter::default() };
        assert_eq!(found_in(&below, &["Wi"], 0, &["Wi", "Wi-Fi"]), Some(("Wi-Fi".to_owned(), 30.0)));
        assert_eq!(found(&["b", "a"], 0, &["a", "b"]), Some(("b".to_owned(), 30.0)));
    }

    #[test]
    fn texts_are_a_list_in_any_dress() {
        let read = |value| serde_json::from_value::<Texts>(value).expect("texts").0;
        assert_eq!(read(json!(["a", 7])), ["a", "7"]);
        assert_eq!(read(json!("[\"a\", \"b\"]")), ["a", "b"]);
        assert_eq!(read(json!("[ab]+")), ["[ab]+"]);
    }
}
