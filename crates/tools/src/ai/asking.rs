//! The screen → what a model is shown; a question → its answer, and what that cost.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use uixt_ai::{Message, Model, Part as Shown, Reply as Answer, Request, Role, Usage};

use super::models::Part;
use super::prompt;
use crate::{Context, Error, Kind, Object, Reply};

/// Tokens that a planner's screen may cost.
const SCREEN: u32 = 900;
/// Tokens of a screen that is asked about: nothing of it should be missing.
const WHOLE: u32 = 4_000;
/// Pixels of the longest side of a picture.
const PIXELS: u32 = 768;
/// How long a model may take for one answer.
const PATIENCE: Duration = Duration::from_secs(90);

/// Asks models for one call of a tool.
pub(super) struct Asker<'a> {
    cx: &'a Context,
    pub(super) model: Model,
    pub(super) usage: Usage,
    /// Whether the endpoint takes no tools, so that they are told of in words.
    in_text: bool,
}

impl<'a> Asker<'a> {
    pub(super) fn of(cx: &'a Context, part: Part) -> Result<Self, Error> {
        Ok(Self { cx, model: cx.session.models().of(part)?, usage: Usage::default(), in_text: false })
    }

    /// Tells whether the model looks at pictures and names places on them.
    pub(super) fn sees_pictures(&self) -> bool {
        let name = self.model.service().model.to_ascii_lowercase();
        name.contains("ui-tars") || name.contains("uitars")
    }

    pub(super) async fn ask(&mut self, request: &Request) -> Result<Answer, Error> {
        let answer = self.model.ask(request, PATIENCE).await;
        let answer = answer.map_err(|error| self.failed(error.to_string()))?;
        self.usage += answer.usage;
        Ok(answer)
    }

    /// Asks what to do next, by calls of tools; in words where the endpoint takes none.
    pub(super) async fn ask_planner(&mut self, about: String) -> Result<Answer, Error> {
        let user = Message::text(Role::User, about);
        if !self.in_text {
            let messages = vec![Message::text(Role::System, prompt::PLANNER), user.clone()];
            let request = Request { messages, tools: prompt::tools(), schema: None };
            match self.model.ask(&request, PATIENCE).await {
                Ok(answer) => {
                    self.usage += answer.usage;
                    return Ok(answer);
                }
                Err(uixt_ai::Error::Refused { status: 400 | 404 | 405 | 422 | 501, .. }) => self.in_text = true,
                Err(error) => return Err(self.failed(error.to_string())),
            }
        }
        let system = format!("{}{}{}", prompt::PLANNER, prompt::IN_TEXT, prompt::tools_in_words());
        let messages = vec![Message::text(Role::System, system), user];
        self.ask(&Request { messages, ..Request::default() }).await
    }

    /// Makes an error of the model, with what was spent.
    pub(super) fn failed(&self, message: String) -> Error {
        self.told(Error::new(Kind::Service, message))
    }

    pub(super) fn told(&self, error: Error) -> Error {
        error.with("usage", self.usage.to_json()).with("model", self.model.service().name.as_str())
    }

    pub(super) fn tells(&self, reply: Reply) -> Reply {
        reply.with("usage", self.usage.to_json()).with("model", self.model.service().name.as_str())
    }

    /// Calls a tool on the same device.
    pub(super) async fn invoke(&self, tool: &str, arguments: Object) -> Result<Reply, Error> {
        let nobody = || Error::new(Kind::Unsupported, "nobody to call tools");
        self.cx.invoke.as_ref().ok_or_else(nobody)?.invoke(tool, arguments, self.cx).await
    }

    /// Describes the screen for the next step.
    pub(super) async fn screen(&self) -> Result<String, Error> {
        self.snapshot(SCREEN).await
    }

    /// Describes all of the screen.
    pub(super) async fn whole_screen(&self) -> Result<String, Error> {
        self.snapshot(WHOLE).await
    }

    async fn snapshot(&self, max_tokens: u32) -> Result<String, Error> {
        let asked = json!({"max_tokens": max_tokens}).as_object().cloned().unwrap_or_default();
        let reply = self.invoke("snapshot", asked).await?;
        Ok(reply.fields.get("snapshot").and_then(|text| text.as_str()).unwrap_or_default().to_owned())
    }

    /// Takes a picture of the screen, as small as it may be.
    pub(super) async fn picture(&self) -> Result<Shown, Error> {
        let taken = self.cx.driver()?.screenshot().await?;
        let png = crate::scale::down(&taken.png, PIXELS).unwrap_or(taken.png);
        Ok(Shown::Picture { kind: "image/png".to_owned(), base64: STANDARD.encode(png) })
    }
}
