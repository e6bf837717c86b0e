//! The screen → what a model is shown; a question → its answer, and what that cost.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tokio::time::Instant;
use uixt_ai::{Message, Model, Part as Shown, Reply as Answer, Request, Role, Usage};
use uixt_call::CallRecord;
use uixt_driver::Screen;
use uixt_locate::{Error, Kind, Object};
use uixt_toolkit::{Context, Reply};

use crate::models::{Models, Part};
use crate::prompt;
use crate::stored::StoredGoals;

/// Tokens that a planner's screen may cost.
const SCREEN: u32 = 900;
/// Tokens of a screen that is asked about: nothing of it should be missing.
const WHOLE: u32 = 4_000;
/// Pixels of the longest side of a picture; the first of these that makes few enough bytes.
const PIXELS: [u32; 4] = [768, 640, 512, 384];
/// Bytes that a picture may have.
const BYTES: usize = 100_000;
/// How long a model may take for one answer.
const PATIENCE: Duration = Duration::from_secs(90);

/// Asks models for one call of a tool, and calls others on the same device.
pub(super) struct Asker {
    /// The call's own, with somebody who looks on while tools are called.
    pub(super) cx: Context,
    part: Part,
    /// The service that the call names.
    service: Option<String>,
    model: Option<Model>,
    pub(super) usage: Usage,
    /// When answers are of no use any more.
    pub(super) until: Option<Instant>,
    /// Whether the endpoint takes no tools, so that they are told of in words.
    in_text: bool,
}

impl Asker {
    pub(super) fn of(cx: &Context, part: Part) -> Self {
        let cx = Context {
            table: cx.table,
            session: Arc::clone(&cx.session),
            registry: Arc::clone(&cx.registry),
            device: cx.device.clone(),
            options: cx.options.looking_on(),
            invoke: cx.invoke.clone(),
            progress: cx.progress.clone(),
            addresses: cx.addresses.clone(),
            engines: cx.engines,
        };
        Self { cx, part, service: None, model: None, usage: Usage::default(), until: None, in_text: false }
    }

    /// Asks the service that a call names, if it does.
    pub(super) fn at(self, service: Option<&str>) -> Self {
        Self { service: service.map(str::to_owned), ..self }
    }

    /// Returns itself where there is a model; none where nobody says where one is and the call names none, or where none may be asked.
    pub(super) fn if_configured(mut self) -> Result<Option<Self>, Error> {
        let may_ask = StoredGoals::of(&self.cx).is_none_or(|goals| goals.may_ask());
        let is_there = may_ask && self.cx.session.setting::<Models>().is_configured(self.part);
        match self.model() {
            Ok(_) => Ok(Some(self)),
            Err(_) if self.service.is_none() && !is_there => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the model, which may not be there.
    pub(super) fn model(&mut self) -> Result<Model, Error> {
        if let Some(model) = &self.model {
            return Ok(model.clone());
        }
        if StoredGoals::of(&self.cx).is_some_and(|goals| !goals.may_ask()) {
            return Err(Error::new(Kind::Service, "this needs a model, and `--ai-cache only` asks none"));
        }
        let model = self.cx.session.setting::<Models>().of(self.part, self.service.as_deref())?;
        self.model = Some(model.clone());
        Ok(model)
    }

    /// Tells whether the model looks at pictures and names places on them.
    pub(super) fn sees_pictures(&mut self) -> Result<bool, Error> {
        let name = self.model()?.service().model.to_ascii_lowercase();
        Ok(name.contains("ui-tars") || name.contains("uitars"))
    }

    pub(super) async fn ask(&mut self, request: &Request) -> Result<Answer, Error> {
        let answer = self.answer(request).await?;
        answer.map_err(|error| self.failed(error.to_string()))
    }

    /// Asks within the run's budget; the inner error is the endpoint's.
    async fn answer(&mut self, request: &Request) -> Result<Result<Answer, uixt_ai::Error>, Error> {
        let model = self.model()?;
        let budget = Arc::clone(&self.cx.session.setting::<Models>().budget);
        budget.check(model.service()).map_err(|error| self.told(error))?;
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        let answer = model.ask(request, left.map_or(PATIENCE, |left| left.min(PATIENCE))).await;
        if let Ok(answer) = &answer {
            self.usage += answer.usage;
            budget.spend(&answer.usage, model.service());
        }
        Ok(answer)
    }

    /// Asks what to do next, by calls of tools; in words where the endpoint takes none.
    pub(super) async fn ask_planner(&mut self, about: String) -> Result<Answer, Error> {
        let user = Message::text(Role::User, about);
        let explorer = if self.wants_problems() { prompt::EXPLORER } else { "" };
        let system = format!("{}{explorer}", prompt::PLANNER);
        if !self.in_text {
            let messages = vec![Message::text(Role::System, system.as_str()), user.clone()];
            let request = Request { messages, tools: self.tools(), schema: None };
            match self.answer(&request).await? {
                Ok(answer) => return Ok(answer),
                Err(uixt_ai::Error::Refused { status: 400 | 404 | 405 | 422 | 501, .. }) => self.in_text = true,
                Err(error) => return Err(self.failed(error.to_string())),
            }
        }
        let system = format!("{system}{}{}", prompt::IN_TEXT, prompt::in_words(self.tools()));
        let messages = vec![Message::text(Role::System, system), user];
        self.ask(&Request { messages, ..Request::default() }).await
    }

    fn wants_problems(&self) -> bool {
        StoredGoals::of(&self.cx).is_some_and(|goals| goals.wants_problems())
    }

    /// Returns what a planner may do.
    pub(super) fn tools(&self) -> Vec<prompt::Offered> {
        prompt::tools(self.wants_problems())
    }

    /// Asks what to do next on a picture of the screen.
    pub(super) async fn ask_with_picture(&mut self, about: String) -> Result<Answer, Error> {
        let parts = vec![Shown::Text(about), self.picture().await?];
        self.ask(&Request { messages: vec![Message { role: Role::User, parts }], ..Request::default() }).await
    }

    /// Makes an error of the model, with what was spent.
    pub(super) fn failed(&self, message: String) -> Error {
        self.told(Error::new(Kind::Service, message))
    }

    pub(super) fn told(&self, error: Error) -> Error {
        let Some(model) = &self.model else { return error };
        error.with("usage", self.told_usage(model)).with("model", model.service().name.as_str())
    }

    /// Tells what was spent, with the cost where the price is known.
    fn told_usage(&self, model: &Model) -> Value {
        let mut usage = self.usage.to_json();
        if let Some(price) = model.service().price {
            usage["cost"] = price.of(&self.usage).into();
        }
        usage
    }

    pub(super) fn tells(&self, reply: Reply) -> Reply {
        let Some(model) = &self.model else { return reply };
        reply.with("usage", self.told_usage(model)).with("model", model.service().name.as_str())
    }

    /// Calls a tool on the same device.
    pub(super) async fn invoke(&self, tool: &str, arguments: Object) -> Result<Reply, Error> {
        self.cx.invoker()?.invoke(tool, arguments, &self.cx).await
    }

    /// Calls a tool; also tells what it did.
    pub(super) async fn invoke_watched(
        &self,
        tool: &str,
        arguments: Object,
    ) -> (Result<Reply, Error>, Vec<CallRecord>) {
        let before = self.cx.options.trace.count();
        let reply = self.invoke(tool, arguments).await;
        let mut records = self.cx.options.trace.since(before);
        records.retain(|record| record.succeeded && !record.is_compound && !record.is_part);
        (reply, records)
    }

    /// Looks at the screen.
    pub(super) async fn look(&self) -> Result<Screen, Error> {
        self.cx.look(None, false).await
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
        let mut png = taken.png;
        for most in PIXELS {
            png = uixt_toolkit::pixels::scale::down(&png, most).unwrap_or(png);
            if png.len() <= BYTES {
                break;
            }
        }
        Ok(Shown::Picture { kind: "image/png".to_owned(), base64: STANDARD.encode(png) })
    }
}
