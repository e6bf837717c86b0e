//! Elements by index, and one dragged onto another.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_call::{Lacking, Shape, ToolKind, Toolset, for_pages};
use uixt_driver::{Gesture, Point, Stop};
use uixt_locate::finder::Purpose;
use uixt_locate::target::Target;
use uixt_locate::wording::describe;
use uixt_locate::{Error, Kind};
use uixt_toolkit::relay::relay;
use uixt_toolkit::{ActionTool, Context, LIMIT, Reply, Tool, pages, wait};

use super::indexed;
use crate::mouse::{self, Carried};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<ClickElement>(),
    ActionTool::of::<InputText>(),
    ActionTool::of::<GetDropdownOptions>(),
    ActionTool::of::<SelectDropdownOption>(),
    ActionTool::of::<DragDrop>(),
];

/// Click an element by its index in the last `browser_get_ax_tree` or snapshot; an index that means nothing any more is refused.
#[derive(Deserialize, JsonSchema)]
struct ClickElement {
    /// Number of its ref: 5 is e5.
    index: u32,
}

impl Tool for ClickElement {
    const NAME: &'static str = "browser_click_element";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Gesture;
    const ALIAS_OF: Option<&'static str> = Some("tap");
    const PARAMS: Shape = Shape::Fields(&["index"]);
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["element", "x", "y"];

    fn limit(&self) -> Duration {
        wait::limit(None)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        relay(cx, "tap", indexed(self.index)).await
    }
}

/// Type a text, in place of what is there, into an element by its index in the last `browser_get_ax_tree` or snapshot.
#[derive(Deserialize, JsonSchema)]
struct InputText {
    /// Number of its ref: 5 is e5.
    index: u32,
    /// Text to type; an empty one empties the field.
    text: String,
    /// Masks the text in answers, logs and reports.
    #[serde(default)]
    #[schemars(extend("x-unpublished" = true))]
    secret: bool,
}

impl Tool for InputText {
    const NAME: &'static str = "browser_input_text";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Typing;
    const ALIAS_OF: Option<&'static str> = Some("input");
    const PARAMS: Shape = Shape::Fields(&["index", "text"]);
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["text", "count"];

    fn limit(&self) -> Duration {
        wait::limit(None)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let into = indexed(self.index);
        if self.text.is_empty() {
            return relay(cx, "clear_text", json!({"into": into})).await;
        }
        let arguments = json!({"text": self.text, "into": into, "clear": true, "secret": self.secret});
        relay(cx, "input", arguments).await
    }
}

/// List the options of a drop-down menu by its index in the last `browser_get_ax_tree` or snapshot.
#[derive(Deserialize, JsonSchema)]
struct GetDropdownOptions {
    /// Number of its ref: 5 is e5.
    index: u32,
}

/// Returns the options of a list of choices; null for what is none.
const OPTIONS: &str = r#"(given) => {
const list = given.localName === "select" ? given : [given.control, given.closest("select")].find((one) => one?.localName === "select");
const plain = (text) => text.replace(/\s+/g, " ").trim();
return list ? [...list.options].slice(0, 1000).map((option) => plain(option.label || option.text)) : null; }"#;

impl Tool for GetDropdownOptions {
    const NAME: &'static str = "browser_get_dropdown_options";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Read;
    const LACKING: &'static [Lacking] = &for_pages("it shows no pages");
    const PARAMS: Shape = Shape::Fields(&["index"]);
    const MAIN: Option<&'static str> = Some("options");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["element", "options"];

    fn limit(&self) -> Duration {
        wait::limit(None)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let pages = cx.driver()?.pages("list options: it has no `<select>`; tap it to see them")?;
        let target = Target { reference: Some(format!("e{}", self.index)), ..Target::default() };
        let ready = wait::ready(cx, &target, Purpose::Read, wait::timeout(cx, None)).await?;
        let what = describe(&ready.element);
        match pages.ask_element(pages::key(&ready.element)?, OPTIONS, &[]).await? {
            Value::Array(options) => {
                let message = format!("{what} has {} options", options.len());
                Ok(Reply::new(message).with("element", what).with("options", options))
            }
            _ => Err(Error::new(Kind::Assertion, format!("{what} is not a drop-down menu (`<select>`)"))),
        }
    }
}

/// Choose an option of a drop-down menu by its index in the last `browser_get_ax_tree` or snapshot.
#[derive(Deserialize, JsonSchema)]
struct SelectDropdownOption {
    /// Number of its ref: 5 is e5.
    index: u32,
    /// Option's text.
    text: String,
}

impl Tool for SelectDropdownOption {
    const NAME: &'static str = "browser_select_dropdown_option";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Gesture;
    const LACKING: &'static [Lacking] = &for_pages("it shows no pages");
    const ALIAS_OF: Option<&'static str> = Some("select_option");
    const PARAMS: Shape = Shape::Fields(&["index", "text"]);
    const TARGET_MAY_BE_ABSENT: bool = true;
    const IDEMPOTENT: bool = true;
    const ANSWER: &'static [&'static str] = &["element", "options", "values"];

    fn limit(&self) -> Duration {
        wait::limit(None)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        relay(cx, "select_option", json!({"from": indexed(self.index), "option": self.text})).await
    }
}

fn ten() -> u32 {
    10
}

/// Drag one element, or what lies at a point, onto another.
#[derive(Deserialize, JsonSchema)]
struct DragDrop {
    /// What is dragged: CSS, XPath or text.
    #[serde(default)]
    #[schemars(length(min = 1))]
    element_source: Option<String>,
    /// Where it is dropped, likewise.
    #[serde(default)]
    #[schemars(length(min = 1))]
    element_target: Option<String>,
    /// Instead of an element: pixels from the left.
    #[serde(default)]
    coord_source_x: Option<u32>,
    /// Pixels from the top.
    #[serde(default)]
    coord_source_y: Option<u32>,
    /// Where it is dropped, in pixels.
    #[serde(default)]
    coord_target_x: Option<u32>,
    /// Where it is dropped, in pixels.
    #[serde(default)]
    coord_target_y: Option<u32>,
    /// Moves on the way.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 500))]
    steps: u32,
}

/// How long a carried thing rests at each step, and before it is carried on a page and on a phone, which asks for a long press.
const REST: Duration = Duration::from_millis(20);
const LONG_PRESS: Duration = Duration::from_secs(1);

/// An end of the way.
enum End {
    Element(Target),
    Point(f64, f64),
}

impl DragDrop {
    fn ends(&self) -> Result<(End, End), String> {
        let end = |what: &str, element: &Option<String>, x: Option<u32>, y: Option<u32>| match (element, x, y) {
            (Some(element), None, None) => {
                let target = Target::text_or_selector(element);
                target.check().map(|()| End::Element(target))
            }
            (None, Some(x), Some(y)) => Ok(End::Point(f64::from(x), f64::from(y))),
            _ => Err(format!("give element_{what}, or both coord_{what}_x and coord_{what}_y")),
        };
        let source = end("source", &self.element_source, self.coord_source_x, self.coord_source_y)?;
        Ok((source, end("target", &self.element_target, self.coord_target_x, self.coord_target_y)?))
    }

    /// Returns the way from one point to the other.
    fn way(&self, from: Point, to: Point, first: Duration) -> Gesture {
        let count = self.steps.max(1);
        let at = |step: u32| {
            let part = f64::from(step) / f64::from(count);
            Point { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
        };
        let rest = |step: u32| if step == 0 { first } else { REST };
        Gesture::Path((0..=count).map(|step| Stop { at: at(step), rest: rest(step) }).collect())
    }
}

impl Tool for DragDrop {
    const NAME: &'static str = "browser_drag_drop";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Move;
    const ALIAS_OF: Option<&'static str> = Some("drag_to");
    const PARAMS: Shape = Shape::Fields(&["element_source", "element_target"]);
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["from_x", "from_y", "to_x", "to_y"];

    fn check(&self) -> Result<(), String> {
        self.ends().map(drop)
    }

    fn limit(&self) -> Duration {
        wait::limit(None) * 2 + LIMIT
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let (source, target) = self.ends().map_err(|why| Error::new(Kind::BadArgument, why))?;
        let first = if cx.driver()?.pages("").is_ok() { REST } else { LONG_PRESS };
        let way = |from, to| self.way(from, to, first);
        let (from, to, what, touched) = if let (End::Element(source), End::Element(target)) = (&source, &target) {
            let carried = mouse::carry(cx, source, target, wait::timeout(cx, None), way).await?;
            let Carried { what, onto, start, end, touched, .. } = carried;
            (start, end, format!("{what} onto {onto}"), touched)
        } else {
            let display = cx.driver()?.display().await?;
            // What is looked at last may have scrolled the page, and a point is one of what is in view.
            let (from, to) = (met(cx, &source, display.size).await?, met(cx, &target, display.size).await?);
            let touched = cx.perform(way(from.0, to.0), display).await?;
            (from.0, to.0, format!("{} to {}", from.1, to.1), touched)
        };
        let reply = Reply::new(format!("Dragged {what}")).with("from_x", from.x).with("from_y", from.y);
        Ok(reply.with("to_x", to.x).with("to_y", to.y).touched(touched))
    }
}

/// Returns where an end lies, and what it is called.
async fn met(cx: &Context, end: &End, size: uixt_driver::Size) -> Result<(Point, String), Error> {
    match end {
        End::Element(target) => mouse::found(cx, target, wait::timeout(cx, None)).await,
        End::Point(x, y) => {
            let inside = *x < f64::from(size.width) && *y < f64::from(size.height);
            let outside = || {
                Error::new(
                    Kind::BadArgument,
                    format!("{x}, {y} lies outside of the {}×{} in view", size.width, size.height),
                )
            };
            inside.then(|| (Point { x: *x, y: *y }, format!("{x}, {y}"))).ok_or_else(outside)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: Value) -> DragDrop {
        serde_json::from_value(arguments).expect("the right types")
    }

    #[test]
    fn a_way_has_as_many_moves_as_it_is_asked_for() {
        let ends = (Point { x: 0.0, y: 0.0 }, Point { x: 100.0, y: 50.0 });
        for (arguments, moves) in [(json!({}), 10), (json!({"steps": 4}), 4), (json!({"steps": 1}), 1)] {
            let Gesture::Path(stops) = read(arguments).way(ends.0, ends.1, LONG_PRESS) else { panic!("no path") };
            assert_eq!((stops.len(), stops[0].at, stops[moves].at), (moves + 1, ends.0, ends.1));
            assert_eq!((stops[0].rest, stops[1].rest), (LONG_PRESS, REST));
        }
    }

    #[test]
    fn each_end_is_an_element_or_a_point() {
        assert!(read(json!({"element_source": ".a", "element_target": "#b"})).ends().is_ok());
        assert!(read(json!({"element_source": ".a", "coord_target_x": 0, "coord_target_y": 1})).ends().is_ok());
        for wrong in [
            json!({}),
            json!({"element_source": ".a"}),
            json!({"element_source": ".a", "coord_source_x": 1, "coord_source_y": 1, "element_target": "#b"}),
            json!({"element_source": ".a", "coord_target_x": 1}),
        ] {
            assert!(read(wrong.clone()).ends().is_err(), "{wrong}");
        }
    }
}
