//! Texts that are drawn where no element says anything: canvases, games, videos.

use serde_json::{Value, json};
use uixt_call::Table;
use uixt_core::yaml;
use uixt_driver::Screen;
use uixt_locate::{Error, Object};

use crate::act::{asked, call};
use crate::point::{self, Offer};
use crate::said::Place;
use crate::stage::Stage;

/// How sure a reading is that can be a target.
const SURE: f64 = 0.6;

/// A line of text.
pub(crate) struct Line {
    /// What means it: `{text: Buy, source: pixels}`.
    pub(crate) target: Object,
    text: String,
    /// Left, top, right, bottom, in pixels of the screen.
    rect: [f64; 4],
    /// How many lines on the screen say the same.
    count: usize,
}

/// Reads the screen, and returns the line at a point; the error says why nothing can be read.
pub(crate) async fn at(stage: &Stage, [x, y]: [f64; 2]) -> Result<Option<Line>, Error> {
    let told = asked(stage, call("get_screen_texts", json!({}))).await?.told;
    let lines: Vec<(&str, [f64; 4])> = told["texts"].as_array().into_iter().flatten().filter_map(line).collect();
    let is_met =
        |(_, [left, top, right, bottom]): &&(&str, [f64; 4])| x >= *left && x < *right && y >= *top && y < *bottom;
    let Some(met) = lines.iter().position(|line| is_met(&line)) else { return Ok(None) };
    let (text, rect) = lines[met];
    let same = lines.iter().enumerate().filter(|(_, (other, _))| *other == text);
    let same: Vec<usize> = same.map(|(at, _)| at).collect();
    let mut target = Object::from_iter([("text".to_owned(), json!(text)), ("source".to_owned(), json!("pixels"))]);
    if let Some(index) = same.iter().position(|at| *at == met).filter(|_| same.len() > 1) {
        target.insert("index".to_owned(), index.into());
    }
    let count = same.len();
    Ok(Some(Line { target, text: text.to_owned(), rect, count }))
}

/// Reads the line at a place that says nothing by itself; none where nothing can be read.
pub(crate) async fn read(stage: &Stage, screen: &Screen, place: &Place) -> Option<Line> {
    let point = place.point().filter(|_| point::is_mute(screen, place))?;
    at(stage, point).await.ok().flatten()
}

/// Reads a line that is sure enough to be a target.
fn line(told: &Value) -> Option<(&str, [f64; 4])> {
    let number = |key: &str| told[key].as_f64();
    let is_sure = number("confidence")? >= SURE;
    let (left, top) = (number("x")?, number("y")?);
    let rect = [left, top, left + number("width")?, top + number("height")?];
    Some((told["text"].as_str()?, rect)).filter(|_| is_sure)
}

impl Line {
    /// Returns the steps and the assertions that a testcase has for it.
    fn offers(&self) -> [Offer; 3] {
        let offer = |kind, tool| Offer::new(kind, tool, self.target.clone(), &json!({}));
        [offer("tap", "tap"), offer("visible", "assert_visible"), offer("not_visible", "assert_not_visible")]
    }

    /// Tells all of it, as of an element.
    pub(crate) fn told(&self, table: &Table) -> Value {
        let [tap, asserts @ ..] = self.offers();
        json!({
            "n": -1, "drawn": {"text": self.text, "rect": self.rect}, "target": self.target,
            "written": yaml::inline(&json!(self.target)), "count": self.count, "seen": true, "why": "",
            "steps": [tap.step(table)], "asserts": asserts.map(|offer| offer.assert(table)),
        })
    }

    /// Tells of it before all that there is to tell of the picture that it is drawn on.
    pub(crate) fn told_on(&self, mut picture: Value, table: &Table) -> Value {
        let told = self.told(table);
        for key in ["steps", "asserts"] {
            let own = picture[key].as_array().cloned().unwrap_or_default();
            let all = told[key].as_array().into_iter().flatten().cloned().chain(own);
            picture[key] = all.collect();
        }
        for key in ["drawn", "target", "written", "count"] {
            picture[key] = told[key].clone();
        }
        picture
    }

    pub(crate) fn assertions(&self) -> Vec<Offer> {
        let [_, asserts @ ..] = self.offers();
        asserts.into()
    }
}
