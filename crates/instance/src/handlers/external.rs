//! The external handler: an action's request, sent to a server, and the answer mapped into the state.
//!
//! An answer reaches nothing but the state, and of it only the paths that the page's author named.

use std::time::Duration;

use reqwest::Method;
use reqwest::header::{HOST, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value, json};
use uixt_core::http::deepest_cause;

use crate::patch::Patch;
use crate::path::{self, Path};
use crate::reader::{Object, join};
use crate::services::Destination;
use crate::{Error, Services, State, limits, template, text_of};

const KEYS: &[&str] = &[
    "url",
    "method",
    "headers",
    "body_template",
    "body_template_type",
    "timeout",
    "response_mappings",
    "error_mapping",
];
/// Seconds.
const DEFAULT_TIMEOUT: f64 = 30.0;
const MAX_TIMEOUT: f64 = 300.0;

/// The `patches` of an external action.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    url: String,
    method: Method,
    headers: Vec<(String, String)>,
    body: Option<Value>,
    body_type: BodyType,
    timeout: Duration,
    on_success: Vec<Mapping>,
    /// None where the page leaves errors to the default: `state.runtime.error` and `state.runtime.status`.
    on_error: Option<Vec<Mapping>>,
}

/// A path of the state, and what of an answer is set there.
#[derive(Clone, Debug)]
struct Mapping {
    target: String,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    /// "": the whole document.
    Whole,
    /// A dotted path, or a text to be set as it stands.
    Path(String),
    /// A text that refers to the state; whatever it becomes, it is no path.
    Template(String),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum BodyType {
    Json,
    Form,
}

/// A request that is ready to be sent: the state is no longer needed.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    config: Config,
    /// Where the state still says that an earlier call failed.
    outdated: Vec<&'static str>,
}

/// What came of a call.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) patches: Vec<Patch>,
    /// Why it failed.
    pub(crate) failure: Option<String>,
}

/// An answer that is no success: what the error mapping is looked up in, and its message.
struct Failure {
    document: Value,
    message: String,
}

impl Config {
    /// Reads and checks the configuration; `place` is its path.
    pub(crate) fn read(value: &Value, place: &str) -> Result<Self, Error> {
        let config = Object::read(value, place, KEYS)?;
        let methods = [("GET", Method::GET), ("POST", Method::POST), ("PUT", Method::PUT), ("DELETE", Method::DELETE)];
        let names: Vec<(&str, usize)> = methods.iter().enumerate().map(|(index, (name, _))| (*name, index)).collect();
        let method = config.word("method", &names)?.map_or(Method::POST, |index| methods[index].1.clone());
        Ok(Self {
            url: config.required_text("url")?,
            method,
            headers: texts(&config, "headers")?.unwrap_or_default(),
            body: config.get("body_template").cloned(),
            body_type: body_type(&config)?,
            timeout: timeout(&config)?,
            on_success: mappings(&config, "response_mappings")?.unwrap_or_default(),
            on_error: mappings(&config, "error_mapping")?,
        })
    }

    /// Fills in the state's values.
    pub(crate) fn call(mut self, state: &State) -> Call {
        self.url = template::render_url(&self.url, state);
        self.body = self.body.map(|body| template::render(&body, state));
        self.headers.iter_mut().for_each(|(_, text)| *text = template::render_text(text, state));
        for mapping in self.on_success.iter_mut().chain(self.on_error.iter_mut().flatten()) {
            if let Source::Template(text) = &mut mapping.source {
                *text = template::render_text(text, state);
            }
        }
        let sets = |path: &str| self.on_success.iter().any(|mapping| mapping.target == path);
        let says =
            |key: &str, path: &str| state.runtime.get(key).is_some_and(|said| !text_of(said).is_empty()) && !sets(path);
        let has_failed = says("error", TEXTS[2]);
        let is_error = state.runtime.get("status").is_some_and(|status| status == "error") && !sets(TEXTS[0]);
        let outdated = [(has_failed, TEXTS[2]), (is_error, TEXTS[0])]
            .into_iter()
            .filter(|(is_old, _)| *is_old)
            .map(|(_, path)| path)
            .collect();
        Call { config: self, outdated }
    }
}

impl Call {
    /// Sends the request and maps what comes back; never waits longer than the timeout.
    pub(crate) async fn send(self, services: &Services) -> Answer {
        let limit = self.config.timeout;
        let outcome = match tokio::time::timeout(limit, self.exchange(services)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(Failure::of(format!("no answer within {} s", limit.as_secs_f64()))),
        };
        match outcome {
            Ok(body) => Answer { patches: self.succeeded(&body), failure: None },
            Err(failure) => Answer { patches: self.failed(&failure), failure: Some(failure.message) },
        }
    }

    async fn exchange(&self, services: &Services) -> Result<Value, Failure> {
        let Destination { url, authority } = services.resolve(&self.config.url).map_err(Failure::of)?;
        let mut request = services.client.request(self.config.method.clone(), url).header(HOST, authority);
        request = match (&self.config.body, self.config.body_type) {
            (None, _) => request,
            (Some(body), BodyType::Json) => request.json(body),
            (Some(body), BodyType::Form) => request.form(&form(body)),
        };
        let response = request.headers(self.headers()?).send().await.map_err(|error| Failure::of(describe(&error)))?;
        let status = response.status();
        let body = read(response).await?;
        if status.is_success() { Ok(body) } else { Err(Failure::answered(status.as_u16(), body)) }
    }

    fn headers(&self) -> Result<HeaderMap, Failure> {
        let pair = |(name, value): &(String, String)| {
            let parsed = HeaderName::try_from(name).ok().zip(HeaderValue::try_from(value).ok());
            parsed.ok_or_else(|| Failure::of(format!("header `{}` cannot be sent", name.escape_debug())))
        };
        self.config.headers.iter().map(pair).collect()
    }

    fn succeeded(&self, body: &Value) -> Vec<Patch> {
        self.outdated.iter().map(|path| Patch::set(*path, "")).chain(map(&self.config.on_success, body)).collect()
    }

    fn failed(&self, failure: &Failure) -> Vec<Patch> {
        match &self.config.on_error {
            Some(mappings) => {
                let value = |Mapping { target, source }: &Mapping| match source {
                    // Where the answer does not say what went wrong, the reason is it.
                    Source::Path(path) if target == TEXTS[2] && is_path(path) => {
                        path::lookup(&failure.document, path).cloned().unwrap_or_else(|| json!(failure.message))
                    }
                    source => source.for_target(target, &failure.document),
                };
                mappings.iter().map(|mapping| Patch::set(mapping.target.as_str(), value(mapping))).collect()
            }
            None => {
                vec![
                    Patch::set("state.runtime.error", failure.message.clone()),
                    Patch::set("state.runtime.status", "error"),
                ]
            }
        }
    }
}

impl Failure {
    fn of(message: String) -> Self {
        Self { document: json!({"error": {"message": message}}), message }
    }

    /// Takes the server's own words: `error.message`, else a text at `error`, else `message`, else the status.
    fn answered(status: u16, body: Value) -> Self {
        let said = ["error.message", "error", "message"].iter().find_map(|path| path::lookup(&body, path)?.as_str());
        let message = said.map_or_else(|| format!("HTTP status {status}"), str::to_owned);
        let mut document = match body {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        let error = document.entry("error").or_insert(Value::Null);
        if !error.is_object() {
            *error = json!({});
        }
        if let Value::Object(error) = error {
            error.entry("message").or_insert_with(|| json!(message));
            error.entry("status").or_insert_with(|| json!(status));
        }
        Self { document: Value::Object(document), message }
    }
}

/// Tells whether a source is written as a path: keys of letters, digits, `_` and `-`, with dots between them.
fn is_path(text: &str) -> bool {
    let is_key =
        |key: &str| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    text.split('.').all(is_key)
}

/// What a page shows as texts of its own.
const TEXTS: [&str; 3] = ["state.runtime.status", "state.runtime.message", "state.runtime.error"];

fn map(mappings: &[Mapping], document: &Value) -> Vec<Patch> {
    mappings
        .iter()
        .map(|Mapping { target, source }| Patch::set(target.as_str(), source.for_target(target, document)))
        .collect()
}

impl Source {
    fn read(text: String) -> Self {
        match text.as_str() {
            "" => Self::Whole,
            template if template::has_references(template) => Self::Template(text),
            _ => Self::Path(text),
        }
    }

    /// Looks it up for a target. Where only a text can be meant and the path leads to a whole object (`error`), the word itself is it.
    fn for_target(&self, target: &str, document: &Value) -> Value {
        match (self, self.find(document)) {
            (Self::Path(word), Value::Object(_) | Value::Array(_)) if TEXTS.contains(&target) => json!(word),
            (_, found) => found,
        }
    }

    /// Looks it up. One word that leads nowhere is a text to be set as it stands ("success"), as is one with spaces; a dotted path is
    /// a path: where the answer lacks it, null is set.
    fn find(&self, document: &Value) -> Value {
        match self {
            Self::Whole => document.clone(),
            Self::Template(text) => json!(text),
            Self::Path(path) => path::lookup(document, path)
                .cloned()
                .unwrap_or_else(|| if path.contains('.') && is_path(path) { Value::Null } else { json!(path) }),
        }
    }
}

/// Reads an answer's body as JSON, or as a text where it is none.
async fn read(mut response: reqwest::Response) -> Result<Value, Failure> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| Failure::of(describe(&error)))? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > limits::ANSWER_BYTES {
            return Err(Failure::of(format!("the answer is larger than {} bytes", limits::ANSWER_BYTES)));
        }
    }
    Ok(serde_json::from_slice(&bytes).unwrap_or_else(|_| json!(String::from_utf8_lossy(&bytes))))
}

/// Says why a request failed, without the address that it really went to.
fn describe(error: &reqwest::Error) -> String {
    let what = if error.is_connect() { "cannot connect" } else { "the exchange failed" };
    deepest_cause(error).map_or_else(|| what.to_owned(), |cause| format!("{what}: {cause}"))
}

fn form(body: &Value) -> Vec<(String, String)> {
    body.as_object().into_iter().flatten().map(|(key, value)| (key.clone(), text_of(value))).collect()
}

fn body_type(config: &Object) -> Result<BodyType, Error> {
    let kind = config.word("body_template_type", &[("json", BodyType::Json), ("form", BodyType::Form)])?;
    if kind == Some(BodyType::Form) && config.get("body_template").is_some_and(|body| !body.is_object()) {
        return Err(Error::structure(&config.path_to("body_template"), "must be an object to be sent as a form"));
    }
    Ok(kind.unwrap_or(BodyType::Json))
}

fn timeout(config: &Object) -> Result<Duration, Error> {
    let seconds = config.number("timeout")?.unwrap_or(DEFAULT_TIMEOUT);
    if seconds > 0.0 && seconds <= MAX_TIMEOUT {
        return Ok(Duration::from_secs_f64(seconds));
    }
    Err(Error::structure(&config.path_to("timeout"), format!("must be more than 0 and at most {MAX_TIMEOUT} seconds")))
}

/// Reads path → source; the targets lie in the state.
fn mappings(config: &Object, key: &str) -> Result<Option<Vec<Mapping>>, Error> {
    let Some(texts) = texts(config, key)? else { return Ok(None) };
    let mapping = |(target, source): (String, String)| {
        let path = Path::parse(&target).map_err(|error| Error::structure(&config.path_to(key), error.to_string()))?;
        if matches!(path.segments().as_slice(), ["state", "params" | "runtime", _, ..] | ["state", "params"]) {
            return Ok(Mapping { target, source: Source::read(source) });
        }
        let message = "must be a path below state.params or state.runtime";
        Err(Error::structure(&join(&config.path_to(key), &target), message))
    };
    texts.into_iter().map(mapping).collect::<Result<_, _>>().map(Some)
}

fn texts(config: &Object, key: &str) -> Result<Option<Vec<(String, String)>>, Error> {
    let Some(map) = config.object(key)? else { return Ok(None) };
    let text = |(name, value): (&String, &Value)| match value {
        Value::String(text) => Ok((name.clone(), text.clone())),
        _ => Err(Error::structure(&join(&config.path_to(key), name), "must be a string")),
    };
    map.iter().map(text).collect::<Result<_, _>>().map(Some)
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use axum::extract::RawQuery;
    use axum::http::{HeaderMap, StatusCode};
    use axum::response::IntoResponse;
    use axum::{Json, Router, routing};

    use super::*;

    async fn show(headers: HeaderMap, RawQuery(query): RawQuery, body: String) -> Json<Value> {
        let header =
            |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
        Json(json!({
            "query": query, "body": body, "type": header("content-type"), "token": header("authorization"), "host": header("host"),
            "data": {"users": [{"name": "小明"}]}
        }))
    }

    async fn fail() -> impl IntoResponse {
        (StatusCode::BAD_REQUEST, Json(json!({"error": {"message": "no such user", "code": 7}})))
    }

    async fn server() -> SocketAddr {
        let app = Router::new()
            .route("/show", routing::any(show))
            .route("/fail", routing::get(fail))
            .route("/text", routing::get(|| async { "just text" }))
            .route("/broken", routing::get(|| async { (StatusCode::INTERNAL_SERVER_ERROR, "oh") }))
            .route("/large", routing::get(|| async { "x".repeat(limits::ANSWER_BYTES + 1) }))
            .route("/never", routing::get(std::future::pending::<()>));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, app).await });
        address
    }

    async fn send(patches: Value, params: Value) -> (Map<String, Value>, Option<String>) {
        let services = Services::new().unwrap().with_host("api.test", server().await);
        let state = State { params: params.as_object().cloned().unwrap(), runtime: Map::new() };
        let answer = Config::read(&patches, "patches").unwrap().call(&state).send(&services).await;
        (answer.patches.into_iter().map(|patch| (patch.path, patch.value)).collect(), answer.failure)
    }

    #[tokio::test]
    async fn sends_json_and_maps_the_answer() {
        let patches = json!({
            "url": "http://api.test/show?q=${state.params.name}", "headers": {"Authorization": "Bearer ${state.params.token}"},
            "body_template": {"name": "${state.params.name}", "age": "${state.params.age}"},
            "response_mappings": {
                "state.params.all": "", "state.params.name": "data.users.0.name", "state.runtime.status": "success",
                "state.params.id": "data.id", "state.params.blank": "${state.params.blank}", "state.runtime.message": "${state.params.name} done"
            }
        });
        let (state, failure) = send(patches, json!({"name": "a b", "age": 5, "token": "t"})).await;
        assert_eq!(failure, None);
        let all = &state["state.params.all"];
        assert_eq!(all["body"], json!(r#"{"name":"a b","age":5}"#));
        assert_eq!(
            (&all["query"], &all["token"], &all["host"]),
            (&json!("q=a%20b"), &json!("Bearer t"), &json!("api.test"))
        );
        assert_eq!(state["state.params.name"], "小明");
        assert_eq!(state["state.runtime.status"], "success");
        assert_eq!((&state["state.params.id"], &state["state.params.blank"]), (&Value::Null, &json!("")));
        assert_eq!(state["state.runtime.message"], "a b done");
    }

    #[tokio::test]
    async fn sends_forms() {
        let patches = json!({
            "url": "http://api.test/show", "method": "PUT", "body_template_type": "form",
            "body_template": {"name": "${state.params.name}", "age": 5}, "response_mappings": {"state.params.all": ""}
        });
        let (state, _) = send(patches, json!({"name": "a&b=c"})).await;
        assert_eq!(state["state.params.all"]["body"], "name=a%26b%3Dc&age=5");
        assert_eq!(state["state.params.all"]["type"], "application/x-www-form-urlencoded");
    }

    #[tokio::test]
    async fn maps_errors() {
        let ask = |path: &str| {
            json!({"url": format!("http://api.test/{path}"), "method": "GET", "timeout": 0.3, "response_mappings": {"state.params.body": ""},
                "error_mapping": {"state.runtime.error": "error.message", "state.runtime.status": "error"}})
        };
        let (state, failure) = send(ask("fail"), json!({})).await;
        assert_eq!(failure.as_deref(), Some("no such user"));
        assert_eq!(state["state.runtime.error"], "no such user");
        assert_eq!(send(ask("text"), json!({})).await.0["state.params.body"], "just text");
        assert_eq!(send(ask("broken"), json!({})).await.0["state.runtime.error"], "HTTP status 500");
        assert_eq!(send(ask("never"), json!({})).await.0["state.runtime.error"], "no answer within 0.3 s");
        assert!(send(ask("large"), json!({})).await.1.unwrap().contains("larger than"));
    }

    #[tokio::test]
    async fn has_a_default_for_errors() {
        let (state, _) = send(json!({"url": "http://elsewhere.test/", "method": "GET"}), json!({})).await;
        assert_eq!(state["state.runtime.error"], "host `elsewhere.test` is not allowed");
        assert_eq!(state["state.runtime.status"], "error");
    }

    #[test]
    fn refuses_wrong_configurations() {
        let error = |value: Value| Config::read(&value, "patches").unwrap_err().to_string();
        assert!(error(json!({"method": "GET"})).contains("`url` is missing"));
        assert!(error(json!({"url": "x", "method": "PATCH"})).contains("valid: GET, POST, PUT, DELETE"));
        assert!(error(json!({"url": "x", "timeout": 0})).contains("more than 0"));
        assert!(error(json!({"url": "x", "response_mapping": {}})).contains("did you mean `response_mappings`?"));
        assert!(error(json!({"url": "x", "response_mappings": {"blocks": ""}})).contains("below state.params"));
        assert!(
            error(json!({"url": "x", "body_template_type": "form", "body_template": []})).contains("must be an object")
        );
    }
}
