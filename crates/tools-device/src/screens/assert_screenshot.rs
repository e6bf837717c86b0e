//! A screen and its baseline → whether they look the same, but for what is masked.

use std::time::{Duration, Instant};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use uixt_call::{Exposure, Shape, ToolKind, Toolset};
use uixt_driver::{Look, Rect, Screen, Size};
use uixt_locate::stability::SAMPLE;
use uixt_locate::target::Place;
use uixt_locate::{Error, Kind, finder, screen_power};
use uixt_pictures::{Difference, Picture, Place as Part, compare};
use uixt_toolkit::pixels::capture;
use uixt_toolkit::pixels::drawn_text::{part, size};
use uixt_toolkit::{ActionTool, Context, Reply, Tool, wait};

use super::baseline::{self, Baseline, Snapshots};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<AssertScreenshot>()];

/// By how much the colours of a pixel may differ, as a share of their range.
const THRESHOLD: f32 = 0.02;
/// What lies above this share of a phone's screen is likely its status bar.
const STATUS_BAR: f64 = 0.06;

/// Assert that the screen, or an element, looks as it did: as the picture that was kept of it. The first run keeps it.
#[derive(Deserialize, JsonSchema)]
struct AssertScreenshot {
    /// What the picture is called, as a part of its file's name.
    #[schemars(length(min = 1, max = 80))]
    name: String,
    /// Only this element: text, #id or target.
    #[serde(default)]
    of: Option<Place>,
    /// What does not count: elements (text, #id or target, all that match), and {rect: [left, top, right, bottom]} in pixels or in
    /// fractions of the screen.
    #[serde(default)]
    mask: Vec<Mask>,
    /// By how much the colours of a pixel may differ, from 0 to 1; 0.02 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    threshold: Option<f32>,
    /// How many pixels may differ by more; 0 by default.
    #[serde(default)]
    max_diff_pixels: Option<u64>,
    /// Which share of the pixels may differ by more, from 0 to 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    max_diff_pixel_ratio: Option<f64>,
    /// Seconds to wait until it looks so; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
}

/// What does not count.
enum Mask {
    Element(Place),
    Rect([f64; 4]),
}

impl<'de> Deserialize<'de> for Mask {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let value = Value::deserialize(deserializer)?;
        match value.get("rect") {
            Some(rect) => {
                if value.as_object().is_some_and(|map| map.len() > 1) {
                    return Err(D::Error::custom("a mask is a `rect` or an element, not both"));
                }
                // A number that a file writes otherwise than JSON does, such as 1.0, comes as it is written.
                let side = |side: &Value| side.as_f64().or_else(|| side.as_str()?.parse().ok());
                let sides: Option<Vec<f64>> = rect.as_array().and_then(|rect| rect.iter().map(side).collect());
                let rect = sides.and_then(|sides| <[f64; 4]>::try_from(sides).ok());
                rect.map(Self::Rect).ok_or_else(|| D::Error::custom("`rect` is [left, top, right, bottom]"))
            }
            None => serde_json::from_value(value).map(Self::Element).map_err(D::Error::custom),
        }
    }
}

impl JsonSchema for Mask {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Mask".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "object"]})
    }
}

/// The part of the screen that is looked at, in pixels of the picture, and what of it does not count.
struct Shot {
    /// The size of the whole screen's picture.
    screen: Size,
    picture: Picture,
    ignored: Vec<Part>,
}

impl Tool for AssertScreenshot {
    const NAME: &'static str = "assert_screenshot";
    const SET: Option<Toolset> = None;
    const KIND: ToolKind = ToolKind::Assert;
    const NAMES_FILES: bool = true;
    const PARAMS: Shape = Shape::Fields(&["name"]);
    /// What is expected lies beside a testcase.
    const EXPOSURE: Exposure = Exposure::Testcase;
    const READ_ONLY: bool = true;

    fn check(&self) -> Result<(), String> {
        baseline::check_name(&self.name)?;
        if let Some(of) = &self.of {
            of.0.check().map_err(|message| format!("of: {message}"))?;
        }
        if self.threshold.is_some_and(|threshold| threshold >= 1.0) {
            return Err("a `threshold` of 1 accepts any screen: give less; the default is 0.02".to_owned());
        }
        if self.max_diff_pixel_ratio.is_some_and(|ratio| ratio >= 1.0) {
            return Err("a `max_diff_pixel_ratio` of 1 accepts any screen: give less".to_owned());
        }
        for mask in &self.mask {
            match mask {
                Mask::Rect(rect) if is_mixed(*rect) => {
                    return Err(format!(
                        "mask: `rect` is in pixels, or in fractions of the screen that are at most 1; {rect:?} is neither"
                    ));
                }
                Mask::Element(place) => place.0.check().map_err(|message| format!("mask: {message}"))?,
                Mask::Rect([left, top, right, bottom])
                    if left < right && top < bottom && *left >= 0.0 && *top >= 0.0 => {}
                Mask::Rect(rect) => {
                    return Err(format!(
                        "mask: `rect` is [left, top, right, bottom], of which {rect:?} leaves nothing"
                    ));
                }
            }
        }
        Ok(())
    }

    fn limit(&self) -> Duration {
        wait::limit(self.timeout)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let (end, mut waiting) = (Instant::now() + wait::timeout(cx, self.timeout), cx.waiting());
        let mut last: Option<Shot> = None;
        // Read once: only a screen of another size has another one.
        let mut known: Option<(Size, Baseline, Option<Picture>)> = None;
        loop {
            let shot = self.shot(cx).await?;
            self.require_something(&shot)?;
            let same_size = known.take().filter(|(size, ..)| *size == shot.screen);
            let (_, baseline, expected) = if let Some(known) = same_size {
                known
            } else {
                let baseline = Baseline::of(cx, &self.name, shot.screen).await?;
                let expected = baseline.read()?;
                (shot.screen, baseline, expected)
            };
            let compared = expected.as_ref().map(|expected| self.compared(expected, &shot));
            if let Some(Ok(difference)) = &compared
                && self.allows(difference)
            {
                let told = format!("Looks like {}{}", baseline.told, allowed(difference));
                return Ok(Reply::new(told).with("baseline", baseline.told).with("pixels", difference.pixels));
            }
            if expected.is_none() && *cx.session.setting::<Snapshots>() == Snapshots::Never {
                return Err(self.missing(&baseline));
            }
            let is_still = last.as_ref().is_some_and(|last| is_same(last, &shot));
            let is_kept = expected.is_none() || *cx.session.setting::<Snapshots>() == Snapshots::Update;
            if is_still && is_kept {
                return self.keep(cx, &baseline, &shot, compared.and_then(Result::ok).as_ref());
            }
            if Instant::now() >= end {
                return Err(match (expected, compared) {
                    (_, Some(Err(error))) => error.with("baseline", baseline.told),
                    (Some(expected), Some(Ok(difference))) => {
                        self.differs(cx, &baseline, &expected, &shot, &difference, is_still)?
                    }
                    _ => {
                        let message = "the screen did not stand still; nothing was kept";
                        Error::new(Kind::WaitTimeout, format!("{}: {message}", self.name))
                    }
                });
            }
            known = Some((shot.screen, baseline, expected));
            last = Some(shot);
            waiting.pause(SAMPLE).await;
        }
    }
}

impl AssertScreenshot {
    /// Takes a picture of the screen or the element, and finds on it what does not count.
    async fn shot(&self, cx: &Context) -> Result<Shot, Error> {
        let device = cx.driver()?;
        let needs_elements = self.of.is_some() || self.mask.iter().any(|mask| matches!(mask, Mask::Element(_)));
        if let Some(of) = &self.of {
            wait::there(cx, &of.0, wait::timeout(cx, self.timeout)).await?;
            wait::reveal(cx, &of.0).await?;
        }
        let screen = if needs_elements {
            cx.look_with(Look::default()).await?
        } else {
            let display = device.display().await?;
            Screen { size: display.size, lit: display.lit, ..Screen::default() }
        };
        screen_power::require_shown("how the screen looks", screen.display())?;
        let picture = capture::pixels(device).await?;
        let size = size(&picture);
        if capture::is_black(&picture) {
            let message = "the picture of the screen is black: the app may forbid pictures of it (FLAG_SECURE)";
            return Err(Error::new(Kind::Device, message));
        }
        let mut ignored = self.masked(cx, &screen, &picture)?;
        if self.mask.iter().any(|mask| matches!(mask, Mask::Element(_))) {
            // What changes all the time may have grown or moved while the picture was taken.
            let after = cx.look_with(Look::default()).await?;
            ignored.extend(self.masked(cx, &after, &picture)?);
        }
        let Some(of) = &self.of else { return Ok(Shot { screen: size, picture, ignored }) };
        let element = finder::only(&of.0, &screen, cx.refs().as_ref())?;
        let whole = part(element.rect, screen.size, size);
        let picture = picture
            .part(whole)
            .map_err(|error| Error::new(Kind::NotFound, format!("{}: it is not all on the screen: {error}", of.0)))?;
        let within = |place: &Part| Part {
            left: place.left.saturating_sub(whole.left),
            top: place.top.saturating_sub(whole.top),
            right: place.right.saturating_sub(whole.left),
            bottom: place.bottom.saturating_sub(whole.top),
        };
        Ok(Shot { screen: size, picture, ignored: ignored.iter().map(within).collect() })
    }

    /// Refuses masks that leave nothing: whatever is shown would look as it did.
    fn require_something(&self, shot: &Shot) -> Result<(), Error> {
        let compared = compare(&shot.picture, &shot.picture, &shot.ignored, 1.0).map_or(0, |same| same.compared);
        let refused = |message: String| Err(Error::new(Kind::BadArgument, format!("{}: {message}", self.name)));
        match self.max_diff_pixels {
            _ if compared == 0 => refused("`mask` covers all of it, so that nothing is left to compare".to_owned()),
            Some(most) if most >= compared => {
                refused(format!("`max_diff_pixels` of {most} lets all of its {compared} pixels differ: give less"))
            }
            _ => Ok(()),
        }
    }

    /// Finds where on the picture of a screen something lies that does not count.
    fn masked(&self, cx: &Context, screen: &Screen, picture: &Picture) -> Result<Vec<Part>, Error> {
        let mut masked = Vec::new();
        for mask in &self.mask {
            match mask {
                Mask::Rect(rect) => {
                    let place = rectangle(*rect, screen.size);
                    if place.intersect(&screen.bounds()).is_empty() && !screen.bounds().is_empty() {
                        let message = format!("{}: mask: `rect` {rect:?} lies outside of the screen", self.name);
                        return Err(Error::new(Kind::BadArgument, message));
                    }
                    masked.push(part(place, screen.size, size(picture)));
                }
                Mask::Element(place) => {
                    let found = finder::find_all(&place.0, screen, cx.refs().as_ref())?;
                    if found.is_empty() {
                        cx.options.used.warn(format!("mask {}: nothing like it is on the screen", place.0));
                    }
                    masked.extend(found.into_iter().map(|element| part(element.rect, screen.size, size(picture))));
                }
            }
        }
        Ok(masked)
    }

    fn compared(&self, expected: &Picture, shot: &Shot) -> Result<Difference, Error> {
        let bad = |why: String| Error::new(Kind::Assertion, format!("{}: {why}", self.name));
        let difference = compare(expected, &shot.picture, &shot.ignored, self.threshold.unwrap_or(THRESHOLD))
            .map_err(|error| bad(error.to_string()))?;
        match difference.compared {
            // What is transparent in the file and what is masked may be all of it together.
            0 => Err(bad("nothing of it is left to compare".to_owned())),
            _ => Ok(difference),
        }
    }

    fn allows(&self, difference: &Difference) -> bool {
        let of_ratio = self.max_diff_pixel_ratio.is_some_and(|ratio| difference.share() <= ratio);
        difference.pixels <= self.max_diff_pixels.unwrap_or(0) || of_ratio
    }

    fn keep(&self, cx: &Context, to: &Baseline, shot: &Shot, before: Option<&Difference>) -> Result<Reply, Error> {
        to.write(cx, &shot.picture.cleared(&shot.ignored))?;
        let said = match before {
            Some(before) => format!("replaced {}, of which {}", to.told, pixels(before)),
            None => format!("kept as {}: look at it, and commit it", to.told),
        };
        cx.options.used.warn(format!("{}: {said}", self.name));
        Ok(Reply::new(format!("Compared with nothing: {said}")).with("baseline", to.told.as_str()))
    }

    fn missing(&self, baseline: &Baseline) -> Error {
        let message = format!(
            "{}: there is no {} to compare with; run it where CI is not set, or with `--update-snapshots`, and commit the file",
            self.name, baseline.told
        );
        Error::new(Kind::BadArgument, message).with("code", "NO_BASELINE").with("baseline", baseline.told.as_str())
    }

    /// Keeps the pictures in the report, and builds the error that tells where they differ.
    fn differs(
        &self,
        cx: &Context,
        baseline: &Baseline,
        expected: &Picture,
        shot: &Shot,
        difference: &Difference,
        is_still: bool,
    ) -> Result<Error, Error> {
        let bad = |error: uixt_pictures::Error| Error::new(Kind::Device, error.to_string());
        let drawn = difference.drawn(&shot.picture).map_err(bad)?;
        // What does not count is left out of it, too, so that it can be accepted as it is.
        let actual = shot.picture.cleared(&shot.ignored);
        let mut comparison = json!({});
        for (key, picture) in [("expected", expected), ("actual", &actual), ("difference", &drawn)] {
            let png = picture.encode().map_err(bad)?;
            let file = cx.session.files().keep_picture(&format!("{}-{key}.png", self.name), &png);
            comparison[key] = file.map_err(|refused| Error::new(Kind::Device, refused.to_string()))?.into();
        }
        let place = |place: &Part| format!("{}×{} at {},{}", place.width(), place.height(), place.left, place.top);
        let first = difference.places.first().map(&place).unwrap_or_default();
        let others = match difference.places.len() {
            0 | 1 => String::new(),
            count => format!(", and in {} other places", count - 1),
        };
        let is_status_bar = |place: &Part| f64::from(place.bottom) <= f64::from(shot.picture.height()) * STATUS_BAR;
        let hint = match self.of.is_none() && difference.places.iter().all(is_status_bar) {
            true => "; the status bar is left out with `mask: [{rect: [0, 0, 1, 0.05]}]`",
            false => "",
        };
        let restless = if is_still { "" } else { "; the screen did not stand still" };
        let message =
            format!("{}: {} from {}: {first}{others}{hint}{restless}", self.name, pixels(difference), baseline.told);
        let places: Vec<Value> =
            difference.places.iter().map(|place| json!([place.left, place.top, place.right, place.bottom])).collect();
        Ok(Error::new(Kind::Assertion, message)
            .with("baseline", baseline.told.as_str())
            .with("pixels", difference.pixels)
            .with("places", places)
            .with("comparison", comparison))
    }
}

/// Tells whether a screen stood still between two looks at it.
fn is_same(one: &Shot, other: &Shot) -> bool {
    let ignored: Vec<Part> = one.ignored.iter().chain(&other.ignored).copied().collect();
    compare(&one.picture, &other.picture, &ignored, 0.0).is_ok_and(|difference| difference.pixels == 0)
}

/// Says how much differs: `132 pixels differ (0.01 %)`.
fn pixels(difference: &Difference) -> String {
    let noun = if difference.pixels == 1 {
        "1 pixel differs".to_owned()
    } else {
        format!("{} pixels differ", difference.pixels)
    };
    format!("{noun} ({:.2} %)", difference.share() * 100.0)
}

fn allowed(difference: &Difference) -> String {
    if difference.pixels == 0 { String::new() } else { format!(", though {}, which is allowed", pixels(difference)) }
}

/// Tells whether a rectangle is neither in whole pixels nor in fractions.
fn is_mixed(rect: [f64; 4]) -> bool {
    rect.iter().any(|value| *value > 1.0) && rect.iter().any(|value| value.fract() != 0.0 && *value < 2.0)
}

/// Returns a rectangle in pixels of the screen: values up to 1 are fractions.
fn rectangle([left, top, right, bottom]: [f64; 4], size: Size) -> Rect {
    let is_share = right <= 1.0 && bottom <= 1.0;
    let (x, y) = if is_share { (f64::from(size.width), f64::from(size.height)) } else { (1.0, 1.0) };
    #[expect(clippy::cast_possible_truncation, reason = "pixels of a screen")]
    let pixel = |value: f64| value.round() as i32;
    Rect { left: pixel(left * x), top: pixel(top * y), right: pixel(right * x), bottom: pixel(bottom * y) }
}
