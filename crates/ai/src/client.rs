//! Asks a model over HTTP, and again where that may help.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, RETRY_AFTER};
use reqwest::{Client, StatusCode};
use serde_json::Value;
use tokio::time::Instant;
use uixt_core::http;

use super::message::{Called, Request};
use super::{Error, Service, Usage};

/// How often one question is asked at most.
const ATTEMPTS: u32 = 4;
/// The pause before the second attempt; each further one is twice as long.
const PAUSE: Duration = Duration::from_millis(500);
/// The longest pause that an endpoint may ask for.
const LONGEST: Duration = Duration::from_secs(30);
/// How long one attempt may take.
const PATIENCE: Duration = Duration::from_mins(2);
/// Bytes of an answer.
const LARGEST: usize = 8 << 20;
/// Characters of what an endpoint says of an error.
const SAID: usize = 300;

/// A model that can be asked.
#[derive(Clone, Debug)]
pub struct Model {
    service: Service,
    client: Client,
}

/// What a model answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    pub text: String,
    /// The tools that it calls.
    pub calls: Vec<Called>,
    pub usage: Usage,
}

/// Why an attempt came to nothing: for good, or for now, with the pause that was asked for.
enum Attempt {
    Failed(Error),
    Again(String, Option<Duration>),
}

impl Model {
    pub fn new(service: Service) -> Result<Self, Error> {
        let client = http::client().connect_timeout(Duration::from_secs(10)).timeout(PATIENCE).build();
        let client = client.map_err(|error| Error::NotSet(format!("cannot make an HTTP client: {error}")))?;
        Ok(Self { service, client })
    }

    pub fn service(&self) -> &Service {
        &self.service
    }

    /// Asks; waits at most for `limit`, all attempts and pauses included.
    pub async fn ask(&self, request: &Request, limit: Duration) -> Result<Reply, Error> {
        let (began, model) = (Instant::now(), self.service.model.clone());
        let (body, end) = (request.to_json(&model), began + limit);
        let late = |last: String| Error::Late {
            model: model.clone(),
            seconds: limit.as_secs() + u64::from(limit.subsec_nanos() > 0),
            last,
        };
        let (mut pause, mut last) = (PAUSE, "no word of it".to_owned());
        for attempt in 1..=ATTEMPTS {
            let Ok(outcome) = tokio::time::timeout_at(end, self.attempt(&body)).await else { return Err(late(last)) };
            let wanted = match outcome {
                Ok(mut reply) => {
                    reply.usage.calls = 1;
                    reply.usage.attempts = attempt;
                    reply.usage.picture_bytes = request.picture_bytes();
                    reply.usage.took = began.elapsed();
                    return Ok(reply);
                }
                Err(Attempt::Failed(error)) => return Err(error),
                Err(Attempt::Again(why, wanted)) => {
                    last = why;
                    wanted
                }
            };
            if attempt < ATTEMPTS {
                // Many who were turned away at once must not come back at once.
                let own = pause.mul_f64(1.0 + fastrand::f64() / 4.0);
                let next = Instant::now() + wanted.map_or(own, |wanted| wanted.min(LONGEST));
                if next >= end {
                    return Err(late(last));
                }
                tokio::time::sleep_until(next).await;
                pause *= 2;
            }
        }
        Err(Error::Unavailable { model, attempts: ATTEMPTS, last })
    }

    async fn attempt(&self, body: &Value) -> Result<Reply, Attempt> {
        let mut request = self.client.post(format!("{}/chat/completions", self.service.base_url)).json(body);
        if let Some(key) = self.service.key() {
            request = request.header(AUTHORIZATION, format!("Bearer {key}"));
        }
        let again = |error: &reqwest::Error| Attempt::Again(self.service.masked(&describe(error)), None);
        let mut response = request.send().await.map_err(|error| again(&error))?;
        let status = response.status();
        let pause = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let pause = pause.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| again(&error))? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > LARGEST {
                return Err(Attempt::Again(format!("the answer is larger than {LARGEST} bytes"), None));
            }
        }
        let told: Option<Value> = serde_json::from_slice(&bytes).ok();
        if !status.is_success() {
            return Err(self.refused(status, told.as_ref(), &bytes, pause));
        }
        let told = told.ok_or_else(|| Attempt::Again("the answer is not JSON".to_owned(), None))?;
        self.reply(&told)
    }

    fn refused(&self, status: StatusCode, told: Option<&Value>, bytes: &[u8], pause: Option<Duration>) -> Attempt {
        let own = ["/error/message", "/message", "/error", "/detail"];
        let own = told.and_then(|told| own.iter().find_map(|place| told.pointer(place)?.as_str()));
        let said = own.map_or_else(|| String::from_utf8_lossy(bytes).into_owned(), str::to_owned);
        let said: String = self.service.masked(&said).split_whitespace().collect::<Vec<_>>().join(" ");
        let message: String = said.chars().take(SAID).collect();
        let may_pass = status.is_server_error() || [408, 409, 425, 429].contains(&status.as_u16());
        // A quota that is used up does not come back within seconds.
        let is_used_up = told.and_then(|told| told.pointer("/error/code")?.as_str()) == Some("insufficient_quota");
        if may_pass && !is_used_up {
            return Attempt::Again(format!("HTTP {}: {message}", status.as_u16()), pause);
        }
        Attempt::Failed(Error::Refused { model: self.service.model.clone(), status: status.as_u16(), message })
    }

    fn reply(&self, told: &Value) -> Result<Reply, Attempt> {
        let model = || self.service.model.clone();
        let Some(choice) = told.pointer("/choices/0") else {
            return Err(Attempt::Again("the answer has no `choices`".to_owned(), None));
        };
        let message = &choice["message"];
        if let Some(refusal) = message["refusal"].as_str().filter(|refusal| !refusal.is_empty()) {
            let message = refusal.chars().take(SAID).collect();
            return Err(Attempt::Failed(Error::Declined { model: model(), message }));
        }
        match choice["finish_reason"].as_str() {
            Some("length") => return Err(Attempt::Failed(Error::Cut { model: model() })),
            Some("content_filter") => {
                let message = "its content filter withheld the answer".to_owned();
                return Err(Attempt::Failed(Error::Declined { model: model(), message }));
            }
            _ => {}
        }
        let calls = message["tool_calls"].as_array().into_iter().flatten().filter_map(|call| {
            let function = &call["function"];
            let arguments = match &function["arguments"] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            Some(Called { name: function["name"].as_str()?.to_owned(), arguments })
        });
        let reply =
            Reply { text: text_of(&message["content"]), calls: calls.collect(), usage: Usage::of(&told["usage"]) };
        if reply.text.trim().is_empty() && reply.calls.is_empty() {
            return Err(Attempt::Again("the answer is empty".to_owned(), None));
        }
        Ok(reply)
    }
}

/// Returns a content's text, which some endpoints give in parts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// Says why a request failed, with the deepest cause.
fn describe(error: &reqwest::Error) -> String {
    let what = match error {
        error if error.is_connect() => "it cannot be reached",
        error if error.is_timeout() => "it took too long",
        _ => "the exchange failed",
    };
    http::deepest_cause(error).map_or_else(|| what.to_owned(), |cause| format!("{what}: {cause}"))
}

#[cfg(test)]
mod tests;
