//! Pictures as targets, for those who ask for a picture rather than for an element: finding and asserting it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::drawn_text::Source;
use super::images::{self, Wanted};
use super::scope::Filter;
use super::tap_text::TapText;
use super::target::{Place, Target};
use super::{ActionTool, Context, Error, Reply, Shape, Tool, wait};

pub(super) const TOOLS: &[ActionTool] =
    &[ActionTool::of::<TapCv>(), ActionTool::of::<FindImage>(), ActionTool::of::<AssertImage>()];

/// Tap what is known by its look: a kind of control, or what looks like a picture.
#[derive(Deserialize, JsonSchema)]
struct TapCv {
    /// button, `text_field`, checkbox, switch, close, back, menu or search; or a PNG beside the testcase or in the project.
    #[serde(deserialize_with = "one_of")]
    #[schemars(extend("type" = ["string", "array"]))]
    element_type: String,
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

/// Reads a word, or a list with one word, as `screenshot_with_ui_types` has it.
fn one_of<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    use serde::de::Error as _;
    match Value::deserialize(from)? {
        Value::String(word) => Ok(word),
        Value::Array(words) => match &words[..] {
            [Value::String(word)] => Ok(word.clone()),
            _ => Err(D::Error::custom("`element_type` is one word: one kind at a time can be tapped")),
        },
        other => Err(D::Error::custom(format!("`element_type` must be a string, not {other}"))),
    }
}

impl TapCv {
    fn target(&self) -> Target {
        let is_file = self.element_type.to_lowercase().ends_with(".png");
        let named = |wanted: bool| (is_file == wanted).then(|| self.element_type.clone());
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
}

impl Tool for TapCv {
    const NAME: &'static str = "tap_cv";
    const PARAMS: Shape = Shape::Fields(&["element_type", "description"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] =
        &[("press_duration", "duration"), ("screenshot_with_ui_types", "element_type")];
    const TARGET_MAY_BE_ABSENT: bool = true;

    fn check(&self) -> Result<(), String> {
        let target = self.target();
        if target.image.is_some() && target.text.is_some() {
            return Err("a picture says what is meant: leave `description` out".to_owned());
        }
        target.check()
    }

    fn limit(&self) -> Duration {
        self.which.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let target = self.target();
        if target.control.is_some() {
            cx.options.asked.want_controls();
        }
        if let Some(path) = &target.image {
            cx.options.asked.want_image(self.wanted(path));
        }
        // Its text is drawn, too.
        if target.text.is_some() {
            cx.options.asked.read_by(Source::Pixels);
        }
        self.which.tap(cx, &target).await
    }
}

impl TapCv {
    fn wanted(&self, path: &str) -> Wanted {
        Wanted { path: path.to_owned(), confidence: self.confidence.unwrap_or(images::CONFIDENCE) }
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

    fn wanted(&self) -> Wanted {
        Wanted { path: self.image.clone(), confidence: self.confidence.unwrap_or(images::CONFIDENCE) }
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
    const PARAMS: Shape = Shape::Fields(&["image"]);
    const MAIN: Option<&'static str> = Some("places");
    const READ_ONLY: bool = true;

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
    const PARAMS: Shape = Shape::Fields(&["image"]);
    const READ_ONLY: bool = true;

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
