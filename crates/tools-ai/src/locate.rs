//! An element that is told in words → where it is, as a model sees it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_ai::reading::{self, Act, Scale};
use uixt_ai::{Message, Request, Role};
use uixt_call::{Boxed, Shape, ToolKind, Toolset};
use uixt_driver::{Element, Screen};
use uixt_locate::finder::Purpose;
use uixt_locate::{Error, Kind, hit, naming, refs};
use uixt_toolkit::{Context, Located, Locator, Reply, Tool};

use crate::asking::Asker;
use crate::models::Part;
use crate::policy::{self, Origin};
use crate::query::cut;
use crate::{prompt, step};

const LIMIT: Duration = Duration::from_mins(2);

/// Find an element that is told in words by a model; returns its `ref`, its middle (`x`, `y` in fractions) and a `target` that means it.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Locate {
    /// Which element: the red button below the price.
    #[schemars(length(min = 1))]
    description: String,
}

impl Tool for Locate {
    const NAME: &'static str = "locate";
    const SET: Option<Toolset> = Some(Toolset::Ai);
    const KIND: ToolKind = ToolKind::Model;
    const PARAMS: Shape = Shape::Fields(&["description"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("prompt", "description")];
    const MAIN: Option<&'static str> = Some("ref");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["ref", "name", "x", "y", "target", "usage", "model"];

    fn limit(&self) -> Duration {
        LIMIT
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let (reply, _) = locate(cx, &self.description).await?;
        Ok(reply)
    }
}

/// Finds elements by the session's model, under its policy.
pub struct ModelLocator;

impl Locator for ModelLocator {
    fn locate<'a>(&'a self, cx: &'a Context, description: &'a str) -> Boxed<'a, Result<Located, Error>> {
        Box::pin(async move {
            let (reply, reference) = locate(cx, description).await?;
            located_may_be_touched(cx, description, &reference).await?;
            Ok(Located { reply, reference })
        })
    }
}

/// Finds an element; returns what is told of it, and its ref.
async fn locate(cx: &Context, description: &str) -> Result<(Reply, String), Error> {
    let mut asker = Asker::of(cx, Part::Planner);
    asker.model()?;
    let snapshot = asker.whole_screen().await?;
    let reply = if asker.sees_pictures()? {
        let text = format!("{}Click on this element: {description}", prompt::UI_TARS);
        asker.ask_with_picture(text).await?
    } else {
        let schema = json!({"type": "object", "properties": {"thought": {"type": "string"}, "ref": {"type": ["string", "null"]}},
            "required": ["ref"]});
        let about = format!("Which element is this: {description}\n\n{}", prompt::marked(&snapshot));
        let messages = vec![Message::text(Role::System, prompt::LOCATOR), Message::text(Role::User, about)];
        asker.ask(&Request { messages, schema: Some(("location".to_owned(), schema)), ..Request::default() }).await?
    };
    let screen = asker.look().await?;
    let found = if asker.sees_pictures()? {
        at_point(&reply, &screen).map_err(|why| asker.failed(why))?
    } else {
        let answer = reading::object(&reply.text).filter(|answer| answer.get("ref").is_some());
        let Some(answer) = answer else {
            return Err(asker.failed(format!("the model's answer has no `ref`: {}", cut(&reply.text))));
        };
        let Some(reference) = answer["ref"].as_str() else {
            let thought = answer["thought"].as_str().unwrap_or_default();
            let message = format!("the model sees no element that is {description:?}: {thought}");
            return Err(asker.told(Error::new(Kind::NotFound, message)));
        };
        // A ref that nobody gave is the model's mistake.
        refs::resolve(reference, &screen, cx.refs().as_ref()).map_err(|error| asker.failed(error.message))?
    };
    let info = cx.driver()?.info().clone();
    let number = cx.session.change_refs(|book| book.number(found, &screen, &info));
    let Some(number) = number else {
        return Err(asker.told(Error::new(
            Kind::NotFound,
            format!("what the model means by {description:?} is not on the screen"),
        )));
    };
    let reference = format!("e{number}");
    let middle = found.rect.center();
    let share = |value: f64, of: u32| (value / f64::from(of.max(1)) * 10_000.0).round() / 10_000.0;
    let target = naming::target(found, &screen, Purpose::Touch).map_or(Value::Null, Value::Object);
    let reply = Reply::new(format!("{description:?} is {} ({reference})", naming::name(found)))
        .with("ref", reference.as_str())
        .with("name", naming::name(found))
        .with("x", share(middle.x, screen.size.width))
        .with("y", share(middle.y, screen.size.height))
        .with("target", target);
    Ok((asker.tells(reply), reference))
}

/// Fails where what a model located may not be touched by the session's policy.
async fn located_may_be_touched(cx: &Context, description: &str, reference: &str) -> Result<(), Error> {
    let arguments = json!({"ref": reference}).as_object().cloned().unwrap_or_default();
    let act = Act { tool: "tap".to_owned(), arguments };
    let asker = Asker::of(cx, Part::Planner);
    let screen = asker.look().await?;
    policy::check(&asker, &screen, &act, description, Origin::Model { typed: "" }).await
}

/// Returns what lies where a model that looks at pictures would click; the error says why there is nothing.
fn at_point<'a>(reply: &uixt_ai::Reply, screen: &'a Screen) -> Result<&'a Element, String> {
    let tool = |name: &str| (name == "tap_xy").then(|| name.to_owned());
    let plan = reading::plan(reply, Scale::Thousand, tool).map_err(|error| error.to_string())?;
    let act = plan.acts.first().ok_or("the model names no place")?;
    let point = step::point(act, screen.size).ok_or("the model names no place")?;
    let nothing = || format!("nothing is at {}, {}, where the model would click", point.x, point.y);
    hit::at(screen, point).map(|hit| hit.element).ok_or_else(nothing)
}
