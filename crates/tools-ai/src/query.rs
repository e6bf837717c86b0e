//! Questions about a screen, and assertions.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_ai::{Message, Part as Shown, Request, Role, reading};
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_locate::{Error, Kind, Object};
use uixt_schema::{Draft, Rule, Validator, Violation};
use uixt_toolkit::{Context, Reply, Tool};

use crate::asking::Asker;
use crate::models::Part;
use crate::prompt;

const LIMIT: Duration = Duration::from_mins(2);

/// Answer a question about the screen by a model; `output_schema` is a JSON schema that the answer's `data` fits.
#[derive(Deserialize, JsonSchema)]
pub(super) struct AiQuery {
    /// The question.
    #[schemars(length(min = 1))]
    prompt: String,
    /// JSON schema of `data`.
    #[serde(default)]
    output_schema: Option<Object>,
    /// The service that is asked, in the place of the config's.
    #[serde(default)]
    #[schemars(length(min = 1), extend("x-unpublished" = true))]
    llm_service: Option<String>,
}

/// Extract what a goal tells of from a page by a model.
#[derive(Deserialize, JsonSchema)]
pub(super) struct BrowserExtractContent {
    /// What is to be extracted: all names of companies.
    #[schemars(length(min = 1))]
    goal: String,
    /// Whether the addresses of links are shown to the model, too.
    #[serde(default)]
    include_links: bool,
}

/// Fail unless a statement about the screen is true, as a model judges it.
#[derive(Deserialize, JsonSchema)]
pub(super) struct AiAssert {
    /// What must be true.
    #[schemars(length(min = 1))]
    assertion: String,
    /// The service that is asked, in the place of the config's.
    #[serde(default)]
    #[schemars(length(min = 1), extend("x-unpublished" = true))]
    llm_service: Option<String>,
}

impl AiQuery {
    fn validator(&self) -> Result<Option<Validator>, String> {
        let schema = self.output_schema.clone().map(Value::Object);
        let compiled = schema.map(|schema| Validator::new(&schema, Draft::V2020_12)).transpose();
        compiled.map_err(|error| format!("`output_schema` is not a JSON schema: {error}"))
    }
}

impl Tool for AiQuery {
    const NAME: &'static str = "ai_query";
    const SET: Option<Toolset> = Some(Toolset::Ai);
    const KIND: ToolKind = ToolKind::Model;
    const PARAMS: Shape = Shape::Fields(&["prompt"]);
    const MAIN: Option<&'static str> = Some("data");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["data", "thought", "usage", "model"];

    fn check(&self) -> Result<(), String> {
        self.validator().map(drop)
    }

    fn limit(&self) -> Duration {
        LIMIT
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let mut asker = Asker::of(cx, Part::Querier).at(self.llm_service.as_deref());
        asker.model()?;
        let validator = self.validator().map_err(|message| Error::new(Kind::BadArgument, message))?;
        let data = self.output_schema.clone().map_or_else(|| json!({"type": "string"}), Value::Object);
        let schema = json!({"type": "object", "properties": {"thought": {"type": "string"}, "data": data}, "required": ["data"]});
        let system = format!("{}, by this JSON schema: {schema}", prompt::QUERIER);
        let answer = asked(&mut asker, &system, &self.prompt, ("query_result", schema)).await?;
        let Some(data) = answer.get("data") else {
            return Err(asker.failed(format!("the model's answer has no `data`: {}", cut(&answer.to_string()))));
        };
        let violation = validator
            .as_ref()
            .and_then(|validator| validator.violations(data).into_iter().next().map(|one| broken(&one)));
        if let Some(violation) = violation {
            return Err(asker.failed(format!("the model's answer does not fit `output_schema`: {violation}")));
        }
        let thought = answer["thought"].as_str().unwrap_or_default();
        Ok(asker.tells(
            Reply::new(format!("Answered: {}", cut(&words(data)))).with("data", data.clone()).with("thought", thought),
        ))
    }
}

/// Returns the texts and addresses of a page's links, at most so many.
const LINKS: &str = "(most) => [...document.links].slice(0, most).map((link) => (link.innerText.trim() || link.title) + ' ' + link.href).join('\\n')";
const MOST_LINKS: usize = 200;

impl Tool for BrowserExtractContent {
    const NAME: &'static str = "browser_extract_content";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Model;
    const PARAMS: Shape = Shape::Fields(&["goal"]);
    const MAIN: Option<&'static str> = Some("data");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["data", "usage", "model"];

    fn limit(&self) -> Duration {
        LIMIT
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let mut asker = Asker::of(cx, Part::Querier);
        asker.model()?;
        let mut about = format!("Extract from the page: {}", self.goal);
        if self.include_links {
            let links = cx.driver()?.evaluate(LINKS, &[MOST_LINKS.into()], Duration::from_secs(10)).await?;
            about.push_str(&format!("\nIts links:\n{}", prompt::marked(links.as_str().unwrap_or_default())));
        }
        let schema = json!({"type": "object", "properties": {"data": {"type": ["string", "array", "object"]}}, "required": ["data"]});
        let system = format!("{}, by this JSON schema: {schema}", prompt::QUERIER);
        let answer = asked(&mut asker, &system, &about, ("extracted", schema)).await?;
        let Some(data) = answer.get("data") else {
            return Err(asker.failed(format!("the model's answer has no `data`: {}", cut(&answer.to_string()))));
        };
        Ok(asker.tells(Reply::new(format!("Extracted: {}", cut(&words(data)))).with("data", data.clone())))
    }
}

impl Tool for AiAssert {
    const NAME: &'static str = "ai_assert";
    const SET: Option<Toolset> = Some(Toolset::Ai);
    const KIND: ToolKind = ToolKind::Assert;
    const PARAMS: Shape = Shape::Fields(&["assertion"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("prompt", "assertion"), ("text", "assertion")];
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["thought", "usage", "model"];

    fn limit(&self) -> Duration {
        LIMIT
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let mut asker = Asker::of(cx, Part::Asserter).at(self.llm_service.as_deref());
        asker.model()?;
        let schema = json!({"type": "object", "properties": {"pass": {"type": "boolean"}, "thought": {"type": "string"}},
            "required": ["pass", "thought"]});
        let answer = asked(&mut asker, prompt::ASSERTER, &self.assertion, ("assertion_result", schema)).await?;
        let Some(pass) = answer.get("pass").and_then(Value::as_bool) else {
            return Err(asker.failed(format!("the model did not say whether it is true: {}", cut(&answer.to_string()))));
        };
        let thought = answer["thought"].as_str().unwrap_or_default();
        if !pass {
            let error = Error::new(Kind::Assertion, format!("{:?} is not true: {}", self.assertion, cut(thought)));
            return Err(asker.told(error.with("thought", thought)));
        }
        Ok(asker.tells(Reply::new(format!("True: {}", self.assertion)).with("thought", thought)))
    }
}

/// Asks about the screen; returns the answer's object.
async fn asked(asker: &mut Asker, system: &str, about: &str, schema: (&str, Value)) -> Result<Value, Error> {
    let screen = asker.whole_screen().await?;
    let mut parts = vec![Shown::Text(format!("{about}\n\n{}", prompt::marked(&screen)))];
    if asker.sees_pictures()? {
        parts.push(asker.picture().await?);
    }
    let messages = vec![Message::text(Role::System, system), Message { role: Role::User, parts }];
    let request = Request { messages, schema: Some((schema.0.to_owned(), schema.1)), ..Request::default() };
    let answer = asker.ask(&request).await?;
    let read = reading::object(&answer.text);
    read.ok_or_else(|| asker.failed(format!("the model's answer is not a JSON object: {}", cut(&answer.text))))
}

/// Says what an answer breaks, and where.
fn broken(violation: &Violation<'_>) -> String {
    let what = match &violation.rule {
        Rule::Type(kinds) => format!("must be {}", kinds.join(" or ")),
        Rule::Required(keys) => format!("lacks {}", keys.join(", ")),
        Rule::AdditionalProperties(keys) => format!("must not have {}", keys.join(", ")),
        other => format!("breaks {other:?}"),
    };
    format!("data{} {what}", violation.pointer.replace('/', "."))
}

/// Returns a text as an error shows it.
pub(super) fn cut(text: &str) -> String {
    text.trim().chars().take(200).collect()
}

fn words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
