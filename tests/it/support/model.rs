//! A stand-in for a model behind a real HTTP endpoint: it plays a script, and sees what a model is shown.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{Json, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use serde_json::{Value, json};

use crate::support::{Ran, Test, items};

/// What the model does when it is asked.
#[derive(Clone, Debug)]
pub(crate) enum Does {
    /// Taps what has this text; scrolls until it is shown.
    Taps(&'static str),
    /// Types into the field of this text.
    Types(&'static str, &'static str),
    /// Calls a tool.
    Calls(&'static str, Value),
    /// Answers with a text.
    Says(&'static str),
    /// Fails: a status, and what it says.
    Fails(u16, &'static str),
}

#[derive(Default)]
pub(crate) struct Plays {
    pub(crate) script: VecDeque<Does>,
    pub(crate) asked: Vec<Value>,
    /// How long each answer takes.
    pub(crate) takes: std::time::Duration,
    /// Whether requests with tools are refused.
    pub(crate) has_no_tools: bool,
}

/// A model that plays a script.
#[derive(Clone, Default)]
pub(crate) struct Model(Arc<Mutex<Plays>>);

impl Model {
    pub(crate) fn plays(&self) -> MutexGuard<'_, Plays> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the endpoint; returns the model and the variables that lead to it.
    pub(crate) async fn start(script: impl IntoIterator<Item = Does>) -> (Self, [(&'static str, String); 3]) {
        let model = Self::default();
        model.plays().script = script.into_iter().collect();
        let app = axum::Router::new().route("/v1/chat/completions", post(answer)).with_state(model.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        tokio::spawn(async move { axum::serve(listener, app).await });
        let key = "sk-only-for-this-test".to_owned();
        (model, [("OPENAI_BASE_URL", url), ("OPENAI_API_KEY", key), ("LLM_MODEL_NAME", "stand-in".to_owned())])
    }

    /// Returns what it was shown, one text for each time it was asked.
    pub(crate) fn shown(&self) -> Vec<String> {
        let content = |body: &Value| items(&body["messages"]).last().map(|message| words(&message["content"]));
        self.plays().asked.iter().filter_map(content).collect()
    }
}

fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        parts => items(parts).iter().filter_map(|part| part["text"].as_str()).collect(),
    }
}

async fn answer(State(model): State<Model>, headers: HeaderMap, Json(body): Json<Value>) -> Response {
    let takes = model.plays().takes;
    tokio::time::sleep(takes).await;
    let mut plays = model.plays();
    let has_key = headers.get("authorization").is_some_and(|key| key == "Bearer sk-only-for-this-test");
    if !has_key {
        return (StatusCode::UNAUTHORIZED, Json(json!({"error": {"message": "no key"}}))).into_response();
    }
    let has_tools = body.get("tools").is_some();
    if has_tools && plays.has_no_tools {
        return (StatusCode::BAD_REQUEST, Json(json!({"error": {"message": "tools are not supported"}})))
            .into_response();
    }
    // About four characters a token.
    let asked =
        body["messages"].to_string().len() + body["tools"].as_array().map_or(0, |tools| json!(tools).to_string().len());
    let usage = json!({"prompt_tokens": asked / 4, "completion_tokens": 30});
    let screen = items(&body["messages"]).last().map(|message| words(&message["content"])).unwrap_or_default();
    plays.asked.push(body);
    let Some(next) = plays.script.pop_front() else {
        return (StatusCode::BAD_REQUEST, Json(json!({"error": {"message": "the script is over"}}))).into_response();
    };
    // What is not on the screen yet is scrolled to.
    let found = |text: &str| {
        let line = screen.lines().find(|line| line.starts_with('e') && line.contains(text))?;
        line.split_whitespace().next().map(str::to_owned)
    };
    let call = |name: &str, arguments: Value| {
        if has_tools {
            let function = json!({"name": name, "arguments": arguments.to_string()});
            json!({"content": "", "tool_calls": [{"id": "1", "type": "function", "function": function}]})
        } else {
            json!({"content": json!({"thought": "next", "actions": [{"name": name, "arguments": arguments}]}).to_string()})
        }
    };
    let message = match &next {
        Does::Taps(text) | Does::Types(text, _) if found(text).is_none() => {
            let scroll = call("scroll", json!({"direction": "down"}));
            plays.script.push_front(next);
            scroll
        }
        Does::Taps(text) => call("tap_element", json!({"ref": found(text)})),
        Does::Types(into, text) => call("input", json!({"ref": found(into), "text": text})),
        Does::Calls(name, arguments) => call(name, arguments.clone()),
        Does::Says(text) => json!({"content": text.replace("SHOP", &found("\"Shop\"").unwrap_or_default())}),
        Does::Fails(status, message) => {
            let status = StatusCode::from_u16(*status).expect("a status");
            return (status, [("retry-after", "0")], Json(json!({"error": {"message": message}}))).into_response();
        }
    };
    Json(json!({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})).into_response()
}

/// Runs a testcase on the virtual phone while the model plays.
pub(crate) async fn run(steps: &str, variables: &[(&'static str, String)]) -> Ran {
    run_on("phone", steps, variables).await
}

/// The same on another device.
pub(crate) async fn run_on(device: &str, steps: &str, variables: &[(&'static str, String)]) -> Ran {
    let case = format!("config: {{name: Goal}}\nteststeps:\n{steps}");
    let test = Test::new(&["run", "goal.yaml", "--report-dir", "r", "--device", device]).file("goal.yaml", case);
    let mut command = test.command();
    command.envs(variables.iter().map(|(name, value)| (*name, value)));
    let output = tokio::task::spawn_blocking(move || command.output().expect("it starts")).await.expect("an end");
    test.ran(&output)
}

/// The purchase of the Shop, as somebody who knows it does it.
pub(crate) fn purchase() -> Vec<Does> {
    vec![
        Does::Calls("app_launch", json!({"package_name": "com.uixt.shop"})),
        Does::Types("User name", "alice"),
        Does::Types("Password", "secret123"),
        Does::Taps("\"Sign in\""),
        Does::Taps("Green tea"),
        Does::Taps("Add to cart"),
        Does::Calls("finished", json!({"content": "Green tea is in the cart"})),
    ]
}
