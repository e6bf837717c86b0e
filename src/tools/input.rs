//! Typing.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::finder::{Purpose, describe, takes_text};
use super::target::Place;
use super::{ActionTool, Context, Error, Kind, Object, Reply, Shape, Tool, touch, wait};
use crate::driver::{Element, Screen};

pub(super) const TOOLS: &[ActionTool] = &[ActionTool::of::<Input>()];

/// What stands in place of a secret.
pub const MASK: &str = "••••••";

/// How long a touched field may take to get the focus.
const FOCUS: Duration = Duration::from_secs(5);

/// Type text into the field that has the focus, or into a named one.
#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Text to type, as it is.
    #[schemars(length(min = 1))]
    text: String,
    /// Field to touch first: its label, hint, #id or a target.
    #[serde(default)]
    into: Option<Place>,
    /// Shows ••• instead of the text in answers, logs and reports.
    #[serde(default)]
    secret: bool,
    /// Seconds to wait; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
}

impl Tool for Input {
    const NAME: &'static str = "input";
    const ALIASES: &'static [&'static str] = &["text"];
    const PARAMS: Shape = Shape::Fields(&["text"]);

    fn check(&self) -> Result<(), String> {
        self.into.as_ref().map_or(Ok(()), |place| place.0.check().map_err(|message| format!("into: {message}")))
    }

    fn limit(&self) -> Duration {
        wait::limit(self.timeout)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let timeout = wait::timeout(cx, self.timeout);
        let mut reply = Reply::default();
        let field = match &self.into {
            Some(place) => {
                let ready = wait::ready(cx, &place.0, Purpose::Type, timeout).await?;
                if !ready.element.focused {
                    let touched = cx.perform(touch::tap(ready.element.rect.center(), None), ready.screen.size).await?;
                    reply = reply.touched(touched);
                    wait::until(cx, FOCUS, |screen| focused_like(screen, &ready.element)).await?;
                }
                ready.element
            }
            None => wait::until(cx, timeout, focused).await?,
        };
        cx.driver()?.type_text(&self.text).await?;
        let shown = if self.secret || field.password { MASK } else { &self.text };
        reply.message = format!("Typed \"{}\" into {}", super::finder::clip(shown), describe(&field));
        Ok(reply.with("text", shown))
    }
}

fn is_in_use(element: &Element) -> bool {
    element.focused && takes_text(element)
}

/// Returns the field that has the focus.
fn focused(screen: &Screen) -> Result<Element, Error> {
    find(screen, &is_in_use).ok_or_else(|| {
        let message =
            "no field has the focus, so that the text would go nowhere; touch a field first or name it with `into`";
        Error::new(Kind::NotFound, message).with("app", screen.package.as_str())
    })
}

/// Accepts a screen on which the field that was touched has the focus.
fn focused_like(screen: &Screen, field: &Element) -> Result<(), Error> {
    let same = |element: &Element| is_in_use(element) && element.id == field.id && element.class == field.class;
    find(screen, &same).map(|_| ()).ok_or_else(|| {
        let message = format!("{} was touched and did not get the focus within {} s", describe(field), FOCUS.as_secs());
        Error::new(Kind::WaitTimeout, message)
    })
}

fn find(screen: &Screen, test: &dyn Fn(&Element) -> bool) -> Option<Element> {
    let mut found = None;
    for root in &screen.roots {
        root.walk(&mut |element| {
            if found.is_none() && test(element) {
                found = Some(element.clone());
            }
        });
    }
    found
}

/// Returns the text that arguments call a secret; whatever is not plainly false calls it one.
pub fn secret(arguments: &Object) -> Option<&Value> {
    let is_open = arguments.get("secret").is_none_or(|secret| matches!(secret, Value::Null | Value::Bool(false)));
    arguments.get("text").filter(|_| !is_open)
}

/// Returns arguments as they may be shown: without the text of a secret.
pub fn masked(arguments: &Object) -> Object {
    let mut shown = arguments.clone();
    if secret(arguments).is_some() {
        shown.insert("text".to_owned(), MASK.into());
    }
    shown
}
