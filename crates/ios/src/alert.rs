//! Alerts that another process shows over the app, such as questions for a permission: the app's tree does not tell of them.
//!
//! Whether one is there is asked where a touch had no effect, after an app was started, and once a second otherwise: on a phone it takes
//! as long as a look. Nothing tells where it lies, so that it is drawn up as it usually lies, and its buttons are pressed by their names.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::driver::{Element, Point, Rect, Size};
use crate::fault::Miss;
use crate::wda::{Ask, Wda};

/// How long it is taken for granted that none has come, unless something else is said.
const OFTEN: Duration = Duration::from_secs(1);
/// Whose alerts they are.
const OWNER: &str = "com.apple.springboard";
/// Sizes of an alert, in points: its width, a line, a button.
const WIDTH: f64 = 270.0;
const LINE: f64 = 22.0;
const BUTTON: f64 = 44.0;
/// Lines of a text that are drawn up.
const MOST_LINES: f64 = 20.0;
/// Letters in a line of it.
const LETTERS: usize = 30;

/// An alert.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Alert {
    /// What it says: a line for each of its texts.
    pub(crate) text: String,
    pub(crate) buttons: Vec<String>,
}

/// What is known of alerts.
#[derive(Debug)]
pub(crate) struct Alerts {
    /// How long it is taken for granted that none has come.
    pub(crate) often: Duration,
    shown: Option<Alert>,
    /// Where its buttons were drawn up.
    places: Vec<(Rect, String)>,
    asked: Option<Instant>,
    /// Whether something was done that one may be the answer to.
    is_due: bool,
}

impl Default for Alerts {
    fn default() -> Self {
        Self { often: OFTEN, shown: None, places: Vec::new(), asked: None, is_due: false }
    }
}

impl Alerts {
    /// Tells whether it is to be asked: the tree is the same as before what was done last, or it is time. What changed the tree had an
    /// effect.
    pub(crate) fn is_due(&mut self, is_unchanged: bool) -> bool {
        let has_no_effect = std::mem::take(&mut self.is_due) && is_unchanged;
        let is_late = self.asked.is_none_or(|asked| asked.elapsed() >= self.often);
        has_no_effect || is_late || self.shown.is_some()
    }

    /// Has the next look ask, since what was done may bring one.
    pub(crate) fn expect(&mut self) {
        self.is_due = true;
    }

    /// Has the next look ask, whatever it sees.
    pub(crate) fn forget(&mut self) {
        (self.asked, self.is_due) = (None, true);
        self.places.clear();
        self.shown = None;
    }

    /// Takes in what was asked.
    pub(crate) fn see(&mut self, shown: Option<Alert>) {
        (self.asked, self.is_due) = (Some(Instant::now()), false);
        self.places.clear();
        self.shown = shown;
    }

    /// Draws up the alert that is there, for a screen of this size of which so many pixels are a point.
    pub(crate) fn drawn(&mut self, size: Size, ratio: f64) -> Option<Element> {
        let (element, places) = draw(self.shown.as_ref()?, size, ratio);
        self.places = places;
        Some(element)
    }

    /// Returns the button of the alert that was drawn up at a point.
    pub(crate) fn button(&self, at: Point) -> Option<String> {
        self.places.iter().find(|(rect, _)| rect.contains(at)).map(|(_, name)| name.clone())
    }
}

/// Asks what alert is there.
pub(crate) async fn look(wda: &Wda) -> Result<Option<Alert>, Miss> {
    let text = match wda.ask(Ask::look("tell of an alert", "/alert/text")).await {
        // Whoever does not know of alerts has none.
        Err(Miss::Refused(_)) => return Ok(None),
        text => text?,
    };
    let Some(text) = text.as_str() else { return Ok(None) };
    let buttons = match wda.ask(Ask::look("tell an alert's buttons", "/wda/alert/buttons")).await {
        // It has gone meanwhile.
        Err(Miss::Refused(fault)) if fault.is("no such alert") => return Ok(None),
        Err(Miss::Refused(_)) => Vec::new(),
        buttons => names(&buttons?),
    };
    Ok(Some(Alert { text: text.to_owned(), buttons }))
}

/// Asks what alert lies over an app: its own sheets are told as alerts, too, and stand in its tree.
pub(crate) async fn over(wda: &Wda, roots: &[Element]) -> Result<Option<Alert>, Miss> {
    let shown = look(wda).await?;
    let title = |alert: &Alert| alert.text.lines().next().unwrap_or_default().trim().to_owned();
    Ok(shown.filter(|alert| !roots.iter().any(|root| root.role == "dialog" && says(root, &title(alert)))))
}

/// Tells whether an element, or anything in it, says a text.
fn says(element: &Element, text: &str) -> bool {
    let mut found = false;
    element.walk(&mut |one| found |= one.name() == text);
    found
}

fn names(list: &serde_json::Value) -> Vec<String> {
    let names = list.as_array().into_iter().flatten().filter_map(|name| name.as_str());
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Presses a button of the alert.
pub(crate) async fn press(wda: &Wda, button: &str) -> Result<(), Miss> {
    wda.ask(Ask::act("press the alert's button", "/alert/accept", &json!({"name": button}))).await.map(drop)
}

/// Presses the button that takes an alert away without agreeing to anything.
pub(crate) async fn dismiss(wda: &Wda) -> Result<(), Miss> {
    wda.ask(Ask::act("dismiss the alert", "/alert/dismiss", &json!({}))).await.map(drop)
}

fn draw(alert: &Alert, size: Size, ratio: f64) -> (Element, Vec<(Rect, String)>) {
    let lines: Vec<&str> = alert.text.lines().filter(|line| !line.trim().is_empty()).collect();
    let texts = lines
        .iter()
        .map(|line| line.chars().count().div_ceil(LETTERS).max(1))
        .fold(0.0, |sum, rows| sum + rows_high(rows));
    let is_in_a_row = alert.buttons.len() == 2;
    let rows = if is_in_a_row { 1 } else { alert.buttons.len() };
    let below = u8::try_from(rows).map_or(0.0, f64::from) * BUTTON;
    let (width, height) = (f64::from(size.width) / ratio, f64::from(size.height) / ratio);
    let whole = LINE + texts + below;
    let (left, mut top) = ((width - WIDTH) / 2.0, ((height - whole) / 2.0).max(0.0));
    let place =
        |left: f64, top: f64, wide: f64, high: f64| pixels(left * ratio, top * ratio, wide * ratio, high * ratio);
    let mut element = Element { rect: place(left, top, WIDTH, whole), ..part("alert", "Alert") };
    top += LINE / 2.0;
    for (number, line) in lines.iter().enumerate() {
        let high = rows_high(line.chars().count().div_ceil(LETTERS).max(1));
        let role = if number == 0 { "heading" } else { "text" };
        let text =
            Element { text: (*line).to_owned(), rect: place(left, top, WIDTH, high), ..part(role, "StaticText") };
        element.children.push(text);
        top += high;
    }
    top += LINE / 2.0;
    let mut places = Vec::new();
    for (number, name) in alert.buttons.iter().enumerate() {
        let half = WIDTH / 2.0;
        let rect = match is_in_a_row {
            true => place(if number == 0 { left } else { left + half }, top, half, BUTTON),
            false => place(left, top, WIDTH, BUTTON),
        };
        if !is_in_a_row {
            top += BUTTON;
        }
        places.push((rect, name.clone()));
        element.children.push(Element { text: name.clone(), rect, clickable: true, ..part("button", "Button") });
    }
    (element, places)
}

/// Returns how high so many lines are.
fn rows_high(rows: usize) -> f64 {
    u8::try_from(rows).map_or(MOST_LINES, f64::from).min(MOST_LINES) * LINE
}

fn part(role: &'static str, class: &str) -> Element {
    let class = format!("XCUIElementType{class}");
    Element { role, class, package: OWNER.to_owned(), enabled: true, ..Element::default() }
}

#[expect(clippy::cast_possible_truncation, reason = "places of a screen")]
fn pixels(left: f64, top: f64, width: f64, height: f64) -> Rect {
    let (left, top) = (left.round() as i32, top.round() as i32);
    Rect { left, top, right: left + width.round() as i32, bottom: top + height.round() as i32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alert_is_drawn_up_and_its_buttons_are_found() {
        let mut alerts = Alerts { often: Duration::from_mins(10), ..Alerts::default() };
        assert!(alerts.is_due(false));
        let names = ["Allow Once", "Allow While Using App", "Don’t Allow"].map(str::to_owned).to_vec();
        alerts.see(Some(Alert {
            text: "Allow “Maps” to use your location?\nIt shows the way.".to_owned(),
            buttons: names,
        }));
        let size = Size { width: 1170, height: 2532 };
        let drawn = alerts.drawn(size, 3.0).unwrap();
        assert_eq!((drawn.role, drawn.children.len()), ("alert", 5));
        assert!(drawn.rect.left > 100 && drawn.rect.right < 1070 && drawn.rect.top > 600 && drawn.rect.bottom < 1900);
        assert!(drawn.children.iter().all(|child| child.rect.intersect(&drawn.rect) == child.rect));
        let last = &drawn.children[4];
        assert_eq!(alerts.button(last.rect.center()).as_deref(), Some("Don’t Allow"));
        assert_eq!(alerts.button(Point { x: 5.0, y: 5.0 }), None);
        alerts.see(None);
        assert!(!alerts.is_due(true) && alerts.drawn(size, 3.0).is_none());
        alerts.expect();
        assert!(alerts.is_due(true) && !alerts.is_due(true));
        alerts.expect();
        assert!(!alerts.is_due(false) && !alerts.is_due(true), "what was done had an effect");
    }
}
