//! A page in front that is acted on by W3C WebDriver.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};

use super::cdp::decoded;
use super::keyboard::{MODIFIERS, Stroke};
use super::settings::Viewport;
use super::way::{Act, Dialog, Way, World};
use super::wire::Session;
use crate::driver::{Error, Point};

/// How long a page may take to load, as the session is asked.
pub(super) const LOADING: Duration = Duration::from_secs(30);

/// How much longer than a script itself its answer may take to come.
const SLACK: Duration = Duration::from_secs(5);

/// Puts text where the cursor is, as typing does; tells whether there is such a place, and whether the page took it.
const INSERT: &str = "(text) => { let e = document.activeElement; while (e && e.shadowRoot && e.shadowRoot.activeElement) \
                      e = e.shadowRoot.activeElement; if (!e || e === document.body || e === document.documentElement) return \"nowhere\"; \
                      return (e.ownerDocument.execCommand(\"insertText\", false, text)) ? \"done\" : \"refused\"; }";

/// The pages of one session.
pub(super) struct WebDriver {
    pub(super) session: Session,
    pub(super) touches: bool,
}

impl WebDriver {
    /// Makes the viewport as large as it is asked for, whatever the window takes for itself; fails where it cannot be had.
    pub(super) async fn fit(&self, view: &Viewport) -> Result<(), Error> {
        let wanted = (f64::from(view.width), f64::from(view.height));
        let mut had = (0.0, 0.0);
        for _ in 0..3 {
            let seen = self.run("return [innerWidth, innerHeight, outerWidth, outerHeight]", &[], LOADING).await?;
            let side = |index: usize| seen[index].as_f64().unwrap_or_default();
            had = (side(0), side(1));
            if had == wanted {
                return Ok(());
            }
            let rect = json!({"width": side(2) + wanted.0 - had.0, "height": side(3) + wanted.1 - had.1});
            self.session.post("window/rect", &rect).await?;
        }
        let message = format!("the viewport is {}×{} and cannot be made {}×{}", had.0, had.1, wanted.0, wanted.1);
        Err(Error::Device { message })
    }

    async fn run(&self, script: &str, arguments: &[Value], patience: Duration) -> Result<Value, Error> {
        self.session.post_within("execute/sync", &json!({"script": script, "args": arguments}), patience + SLACK).await
    }

    async fn perform(&self, source: Value) -> Result<(), Error> {
        self.session.post("actions", &json!({"actions": [source]})).await.map(drop)
    }
}

pub(super) fn moved(at: Point) -> Value {
    // Whole pixels: not every remote end takes parts of them.
    json!({"type": "pointerMove", "duration": 0, "x": whole(at.x), "y": whole(at.y), "origin": "viewport"})
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a float becomes the nearest number there is, which no screen reaches"
)]
fn whole(value: f64) -> i64 {
    value.floor() as i64
}

fn pause(rest: Duration) -> Value {
    json!({"type": "pause", "duration": u64::try_from(rest.as_millis()).unwrap_or(u64::MAX)})
}

fn pointer(act: Act) -> Value {
    match act {
        Act::Move(at) => moved(at),
        Act::Press(_) => json!({"type": "pointerDown", "button": 0}),
        Act::Release => json!({"type": "pointerUp", "button": 0}),
        Act::Rest(rest) => pause(rest),
    }
}

fn keys(strokes: &[Stroke]) -> Vec<Value> {
    let key = |kind: &str, sign: char| json!({"type": kind, "value": sign.to_string()});
    let mut acts = Vec::new();
    for Stroke { key: pressed, held } in strokes {
        let held = held.iter().map(|held| MODIFIERS[*held].sign);
        acts.extend(held.clone().map(|sign| key("keyDown", sign)));
        acts.extend([key("keyDown", pressed.sign), key("keyUp", pressed.sign)]);
        acts.extend(held.rev().map(|sign| key("keyUp", sign)));
    }
    acts
}

#[async_trait]
impl Way for WebDriver {
    async fn call(&self, _: World, function: &str, arguments: &[Value], patience: Duration) -> Result<Value, Error> {
        self.run(&format!("return ({function}).apply(null, arguments)"), arguments, patience).await
    }

    async fn open(&self, url: &str) -> Result<(), Error> {
        match self.session.post("url", &json!({"url": url})).await {
            Err(Error::Rejected { code, message }) if !message.starts_with(url) => {
                Err(Error::Rejected { message: format!("{url} cannot be opened: {message}"), code })
            }
            other => other.map(drop),
        }
    }

    async fn go(&self, delta: i32) -> Result<(), Error> {
        // The protocol does not tell whether there was anywhere to go; the page does, as far as it can.
        let place = "return [location.href, history.length, performance.timeOrigin]";
        let before = self.run(place, &[], LOADING).await?;
        self.session.post(if delta < 0 { "back" } else { "forward" }, &json!({})).await?;
        let after = self.run(place, &[], LOADING).await?;
        if before == after || after[0] == "about:blank" {
            let side = if delta < 0 { "before" } else { "after" };
            return Err(Error::Device { message: format!("there is no page {side} this one in its tab's history") });
        }
        Ok(())
    }

    async fn reload(&self) -> Result<(), Error> {
        self.session.post("refresh", &json!({})).await.map(drop)
    }

    async fn point(&self, acts: &[Act]) -> Result<(), Error> {
        let kind = if self.touches { "touch" } else { "mouse" };
        let acts: Vec<Value> = acts.iter().map(|act| pointer(*act)).collect();
        self.perform(json!({"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": acts})).await
    }

    async fn scroll(&self, at: Point, x: f64, y: f64) -> Result<(), Error> {
        let act = json!({
            "type": "scroll", "x": whole(at.x), "y": whole(at.y), "deltaX": whole(x), "deltaY": whole(y), "duration": 0,
            "origin": "viewport",
        });
        self.perform(json!({"type": "wheel", "id": "wheel", "actions": [act]})).await
    }

    async fn insert(&self, text: &str) -> Result<(), Error> {
        // Its own way of typing knows no characters beyond the first 65,536, and leaves out what a page's keys cannot type.
        let came = self.run(&format!("return ({INSERT}).apply(null, arguments)"), &[text.into()], LOADING).await?;
        match came.as_str() {
            Some("done") => Ok(()),
            Some("refused") => {
                let element = self.session.get("element/active").await?;
                let id = element.as_object().and_then(|element| element.values().next()?.as_str()).unwrap_or_default();
                self.session.post(&format!("element/{id}/value"), &json!({"text": text})).await.map(drop)
            }
            _ => Err(Error::Device {
                message: "no element of the page has the focus, so that the text would go nowhere".to_owned(),
            }),
        }
    }

    async fn strokes(&self, strokes: &[Stroke]) -> Result<(), Error> {
        self.perform(json!({"type": "key", "id": "keys", "actions": keys(strokes)})).await
    }

    async fn picture(&self) -> Result<Vec<u8>, Error> {
        decoded(&self.session.get("screenshot").await?)
    }

    async fn dialog(&self) -> Result<Option<Dialog>, Error> {
        match self.session.get("alert/text").await {
            Ok(text) => Ok(Some(Dialog {
                // The protocol does not tell which it is.
                kind: "dialog".to_owned(),
                message: text.as_str().unwrap_or_default().to_owned(),
            })),
            Err(Error::Rejected { code, .. }) if code == "no such alert" => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn answer(&self, accept: bool, text: Option<&str>) -> Result<(), Error> {
        if let Some(text) = text {
            self.session.post("alert/text", &json!({"text": text})).await?;
        }
        self.session.post(if accept { "alert/accept" } else { "alert/dismiss" }, &json!({})).await.map(drop)
    }

    async fn resize(&self, view: &Viewport) -> Result<(), Error> {
        self.fit(view).await
    }

    async fn permit(&self, name: &str, state: &str) -> Result<(), Error> {
        let params = json!({"descriptor": {"name": name}, "state": state});
        self.session.post("permissions", &params).await.map(drop)
    }

    fn touches(&self) -> bool {
        self.touches
    }

    async fn close(&self) {
        if let Err(error) = self.session.end().await {
            tracing::debug!("a session was not ended: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::keyboard::of_press;
    use super::*;
    use crate::driver::KeyPress;

    #[test]
    fn what_is_held_is_let_go_in_turn() {
        let press = KeyPress { code: 29, held: vec![113, 59], long: false };
        let acts = keys(&[of_press(&press).expect("a key")]);
        let shown: Vec<_> = acts.iter().map(|act| format!("{} {}", act["type"], act["value"])).collect();
        assert_eq!(shown.len(), 6);
        assert_eq!((shown[0].replace("Down", "Up"), shown[2].as_str()), (shown[5].clone(), "\"keyDown\" \"A\""));
    }
}
