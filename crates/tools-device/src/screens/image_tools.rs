//! Pictures as targets, for those who ask for a picture rather than for an element: finding and asserting it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use uixt_call::{Aim, Shape, ToolKind, Toolset};
use uixt_driver::Screen;
use uixt_locate::pixel_elements::Source;
use uixt_locate::scope::Filter;
use uixt_locate::target::{Place, Target};
use uixt_locate::{Error, Kind, finder};
use uixt_toolkit::pixels::images;
use uixt_toolkit::pixels::{CONFIDENCE, ImageQuery};
use uixt_toolkit::{ActionTool, Context, Reply, Tool, wait};

use crate::elements::tap_text::TapText;

/// The rows of the table.
pub const TOOLS: &[ActionTool] =
    &[ActionTool::of::<TapCv>(), ActionTool::of::<FindImage>(), ActionTool::of::<AssertImage>()];

/// Tap what is known by its look: a kind of control, or what looks like a picture.
#[derive(Deserialize, JsonSchema)]
struct TapCv {
    /// button, `text_field`, checkbox, switch, close, back, menu or search; or a PNG beside the testcase or in the project. Of a list,
    /// the first that is there.
    #[serde(deserialize_with = "kinds")]
    #[schemars(extend("type" = ["string", "array"]))]
    element_type: Vec<String>,
    /// The text that is drawn in the control, or beside it.
    #[serde(default)]
    description: Option<String>,
    /// How much a place has to look like the PNG: 1 is the same; 0.8 by default.
    #[serde(default)]
    #[schemars(range(min = 0.3, max = 1.0))]
    confidence: Option<f32>,
    /// Inside this: text, #id or target.
    #[serde(default)]
    within: Option<Place>,
    /// Nearest to this: text, #id or target.
    #[serde(default)]
    near: Option<Place>,
    #[serde(flatten)]
    which: TapText,
}

/// Reads a word, or a list of words, as `screenshot_with_ui_types` has it.
fn kinds<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    use serde::de::Error as _;
    let wrong = |value: &Value| D::Error::custom(format!("`element_type` is a word or a list of words, not {value}"));
    let value = Value::deserialize(from)?;
    match &value {
        Value::String(word) => Ok(vec![word.clone()]),
        Value::Array(words) if !words.is_empty() => {
            words.iter().map(|word| word.as_str().map(str::to_owned).ok_or_else(|| wrong(&value))).collect()
        }
        _ => Err(wrong(&value)),
    }
}

impl TapCv {
    /// Returns a target for each kind, in their order.
    fn targets(&self) -> Vec<Target> {
        self.element_type.iter().map(|kind| self.target(kind)).collect()
    }

    fn target(&self, kind: &str) -> Target {
        let is_file = kind.to_lowercase().ends_with(".png");
        let named = |wanted: bool| (is_file == wanted).then(|| kind.to_owned());
        let (image, control) = (named(true), named(false));
        let TapText { regex, index, filter, .. } = &self.which;
        Target {
            image,
            control,
            text: self.description.clone(),
            regex: *regex,
            confidence: self.confidence,
            index: *index,
            within: self.within.clone().map(Box::new),
            near: self.near.clone().map(Box::new),
            filter: filter.clone(),
            ..Target::default()
        }
    }

    /// Waits until one of several targets is there; returns the first that is.
    async fn first_there(cx: &Context, targets: Vec<Target>, timeout: Duration) -> Result<Target, Error> {
        let named = targets.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let span = wait::span(cx, timeout);
        let refs = cx.refs();
        let is_there = |target: &&Target, screen: &Screen| {
            finder::find_all(target, screen, refs.as_ref()).is_ok_and(|found| !found.is_empty())
        };
        wait::until(cx, timeout, |screen| {
            let first = targets.iter().find(|target| is_there(target, screen));
            let absent = || Error::new(Kind::NotFound, format!("none is there {span}: {named}"));
            first.cloned().ok_or_else(|| absent().into())
        })
        .await
    }
}

impl Tool for TapCv {
    const NAME: &'static str = "tap_cv";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Gesture;
    const ALIAS_OF: Option<&'static str> = Some("tap");
    const AIM: Aim = Aim::Picture;
    const PARAMS: Shape = Shape::Fields(&["element_type", "description"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] =
        &[("press_duration", "duration"), ("screenshot_with_ui_types", "element_type")];
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["element", "x", "y"];

    fn check(&self) -> Result<(), String> {
        self.targets().iter().try_for_each(|target| {
            if target.image.is_some() && target.text.is_some() {
                return Err("a picture says what is meant: leave `description` out".to_owned());
            }
            target.check()
        })
    }

    fn limit(&self) -> Duration {
        self.which.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let mut targets = self.targets();
        if targets.iter().any(|target| target.control.is_some()) {
            cx.options.asked.want_controls();
        }
        for path in targets.iter().filter_map(|target| target.image.clone()) {
            cx.options.asked.want_image(ImageQuery { path, confidence: self.confidence.unwrap_or(CONFIDENCE) });
        }
        // Its text is drawn, too.
        if self.description.is_some() {
            cx.options.asked.read_by(Source::Pixels);
        }
        let target = match targets.len() {
            1 => targets.remove(0),
            _ => Self::first_there(cx, targets, self.which.timeout(cx)).await?,
        };
        self.which.tap(cx, &target).await
    }
}

/// A picture and where on the screen it may be.
#[derive(Deserialize, JsonSchema)]
struct Seen {
    /// A PNG beside the testcase or in the project; what is transparent in it does not count.
    #[schemars(length(min = 1))]
    image: String,
    /// How much a place has to look like it: 1 is the same; 0.8 by default.
    #[serde(default)]
    #[schemars(range(min = 0.3, max = 1.0))]
    confidence: Option<f32>,
    /// Inside this: text, #id or target.
    #[serde(default)]
    within: Option<Place>,
    /// Nearest to this: text, #id or target.
    #[serde(default)]
    near: Option<Place>,
    /// Seconds to wait; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
    #[serde(flatten)]
    #[schemars(skip)]
    filter: Filter,
}

impl Seen {
    fn target(&self) -> Target {
        Target {
            image: Some(self.image.clone()),
            confidence: self.confidence,
            within: self.within.clone().map(Box::new),
            near: self.near.clone().map(Box::new),
            filter: self.filter.clone(),
            ..Target::default()
        }
    }

    fn wanted(&self) -> ImageQuery {
        ImageQuery { path: self.image.clone(), confidence: self.confidence.unwrap_or(CONFIDENCE) }
    }
}

/// Find every place on the screen that looks like a picture, once there is one, the likest first: its place in pixels and how much it
/// looks like it, from 0 to 1.
#[derive(Deserialize, JsonSchema)]
struct FindImage {
    #[serde(flatten)]
    seen: Seen,
}

impl Tool for FindImage {
    const NAME: &'static str = "find_image";
    const SET: Option<Toolset> = Some(Toolset::Checks);
    const KIND: ToolKind = ToolKind::Read;
    const AIM: Aim = Aim::Picture;
    const PARAMS: Shape = Shape::Fields(&["image"]);
    const MAIN: Option<&'static str> = Some("places");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["places"];

    fn check(&self) -> Result<(), String> {
        self.seen.target().check()
    }

    fn limit(&self) -> Duration {
        wait::limit(self.seen.timeout)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let target = self.seen.target();
        let found = wait::all(cx, &target, wait::timeout(cx, self.seen.timeout)).await?;
        let confidences = images::confidences(cx, &self.seen.wanted()).await?;
        let mut places: Vec<(f32, Value)> = found
            .iter()
            .map(|element| {
                let rect = element.rect;
                let confidence = confidences.iter().find(|(place, _)| *place == rect).map_or(0.0, |(_, share)| *share);
                let place = json!({
                    "x": rect.left, "y": rect.top, "width": rect.right - rect.left, "height": rect.bottom - rect.top,
                    "confidence": images::rounded(confidence),
                });
                (confidence, place)
            })
            .collect();
        places.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let message = match places.len() {
            1 => format!("1 place looks like {}", self.seen.image),
            count => format!("{count} places look like {}", self.seen.image),
        };
        Ok(Reply::new(message).with("places", places.into_iter().map(|(_, place)| place).collect::<Vec<_>>()))
    }
}

/// Assert that a place on the screen looks like a picture, or that none does.
#[derive(Deserialize, JsonSchema)]
struct AssertImage {
    #[serde(flatten)]
    seen: Seen,
    /// Asserts that no place looks like it.
    #[serde(default)]
    not: bool,
}

impl Tool for AssertImage {
    const NAME: &'static str = "assert_image";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Assert;
    const ALIAS_OF: Option<&'static str> = Some("assert_visible");
    const AIM: Aim = Aim::Picture;
    const PARAMS: Shape = Shape::Fields(&["image"]);
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["rect"];

    fn check(&self) -> Result<(), String> {
        self.seen.target().check()
    }

    fn limit(&self) -> Duration {
        wait::limit(self.seen.timeout)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let (target, timeout) = (self.seen.target(), wait::timeout(cx, self.seen.timeout));
        if self.not {
            let doubt = wait::gone(cx, &target, timeout).await?;
            return Ok(Reply::new(format!("Nothing on the screen looks like {}{doubt}", self.seen.image)));
        }
        let found = wait::visible(cx, &target, timeout).await?;
        let rect = found.rect;
        Ok(Reply::new(format!("Seen: {}", self.seen.image))
            .with("rect", json!([rect.left, rect.top, rect.right, rect.bottom])))
    }
}
