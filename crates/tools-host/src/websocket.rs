//! WebSocket messages: a connection per address, kept for the case, as `HttpRunner` keeps it.

mod socket;

use std::time::{Duration, Instant};

use base64::Engine as _;
use reqwest::Url;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant as Deadline;
use tokio_tungstenite::tungstenite::Message;
use uixt_call::{Exposure, Shape, ToolKind, Toolset, mask};
use uixt_locate::{Error, Kind, Object};
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

use crate::request::{headers, with_params};

pub(super) use socket::Sockets;

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<Websocket>()];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
enum Act {
    #[serde(rename = "open")]
    Open,
    #[serde(rename = "ping")]
    Ping,
    #[serde(rename = "wr")]
    WriteRead,
    #[serde(rename = "r")]
    Read,
    #[serde(rename = "w")]
    Write,
    #[serde(rename = "close")]
    Close,
}

/// Open a WebSocket, write to it, read from it or close it; it stays open for the case.
#[derive(Deserialize, JsonSchema)]
struct Websocket {
    /// open, ping (and wait for the pong), wr (write and read), r (read), w (write) or close.
    r#type: Act,
    /// ws:// or wss://; the connection's name.
    #[schemars(length(min = 1))]
    url: String,
    /// Query parameters.
    #[serde(default)]
    params: Object,
    /// Headers of the handshake; an open connection keeps its own, and refuses others.
    #[serde(default)]
    headers: Object,
    /// Opens another connection in place of the one that is there.
    #[serde(default)]
    new_connection: bool,
    /// Message: a text, or a value to send as JSON; with close, the reason.
    #[serde(default)]
    text: Option<Value>,
    /// Binary message: a text, whose bytes are sent, or {base64: …}.
    #[serde(default)]
    binary: Option<Value>,
    /// Milliseconds; 30000 by default.
    #[serde(default)]
    timeout: Option<f64>,
    /// Status to close with, 1000 to 4999; 1000 by default.
    #[serde(default)]
    #[schemars(range(min = 1000, max = 4999))]
    close_status: Option<u16>,
}

impl Websocket {
    fn patience(&self) -> Duration {
        Duration::from_secs_f64((self.timeout.unwrap_or(30_000.0) / 1000.0).clamp(0.0, 3600.0))
    }

    fn url(&self) -> Result<Url, String> {
        let url = Url::parse(&self.url).map_err(|error| format!("`{}` is not a URL: {error}", self.url))?;
        match url.scheme() {
            "ws" | "wss" => with_params(url, &self.params),
            other => Err(format!("`url` begins with ws:// or wss://, not {other}://")),
        }
    }

    fn message(&self) -> Result<Option<Message>, String> {
        match (&self.text, &self.binary) {
            (Some(_), Some(_)) => Err("either `text` or `binary`".to_owned()),
            (Some(Value::String(text)), None) => Ok(Some(Message::text(text.clone()))),
            (Some(value), None) => Ok(Some(Message::text(value.to_string()))),
            (None, Some(value)) => Ok(Some(Message::binary(bytes(value)?))),
            (None, None) => Ok(None),
        }
    }
}

fn bytes(value: &Value) -> Result<Vec<u8>, String> {
    if let Some(text) = value.get("base64").and_then(Value::as_str) {
        let decoded = base64::engine::general_purpose::STANDARD.decode(text.trim());
        return decoded.map_err(|error| format!("binary: no base64: {error}"));
    }
    Ok(value.as_str().map_or_else(|| value.to_string(), str::to_owned).into_bytes())
}

impl Tool for Websocket {
    const NAME: &'static str = "websocket";
    const SET: Option<Toolset> = None;
    const KIND: ToolKind = ToolKind::Other;
    const PARAMS: Shape = Shape::Fields(&["type", "url"]);
    const EXPOSURE: Exposure = Exposure::Testcase;
    const NEEDS_DEVICE: bool = false;
    const MAIN: Option<&'static str> = Some("body");

    fn check(&self) -> Result<(), String> {
        self.url()?;
        headers(&self.headers)?;
        let message = self.message()?;
        if self.timeout.is_some_and(|timeout| !(0.0..=3_600_000.0).contains(&timeout)) {
            return Err("`timeout` is in milliseconds, up to 3600000".to_owned());
        }
        match (self.r#type, message) {
            (Act::Write | Act::WriteRead, None) => Err("nothing to write: give `text` or `binary`".to_owned()),
            (Act::Open | Act::Read, Some(_)) => Err("it writes nothing: leave `text` and `binary` out".to_owned()),
            (Act::Ping | Act::Close, Some(message)) if message.len() > 123 => {
                Err("the text of a ping or a close holds at most 123 bytes".to_owned())
            }
            (Act::Close, Some(Message::Binary(_))) => Err("the reason to close is a `text`".to_owned()),
            _ if self.close_status.is_some() && self.r#type != Act::Close => {
                Err("`close_status` goes with close".to_owned())
            }
            _ if self.new_connection && self.r#type == Act::Close => {
                Err("`new_connection` does not go with close".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn limit(&self) -> Duration {
        self.patience() + Duration::from_secs(5)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let wrong = |message: String| Error::new(Kind::BadArgument, format!("websocket: {message}"));
        let (url, message) = (self.url().map_err(wrong)?, self.message().map_err(wrong)?);
        let started = Instant::now();
        let deadline = Deadline::now() + self.patience();
        let within = socket::Within {
            deadline,
            shown: mask::without_user(url.as_str()),
            seconds: self.patience().as_secs_f64(),
        };
        let sockets = &cx.session.state::<Sockets>();
        let mut reply = Reply::default();
        let headers = headers(&self.headers).map_err(wrong)?;
        if self.r#type == Act::Open || self.new_connection {
            reply = sockets.open(&url, headers, self.new_connection, &within).await?;
        } else if !headers.is_empty() {
            sockets.check_headers(&url, &headers, &within).await?;
        }
        let reply = match self.r#type {
            Act::Open => reply,
            Act::Ping => sockets.ping(&url, message, &within).await?,
            Act::Write => sockets.write(&url, message, &within).await?,
            Act::Read => sockets.read(&url, &within).await?,
            Act::WriteRead => {
                sockets.write(&url, message, &within).await?;
                sockets.read(&url, &within).await?
            }
            Act::Close => sockets.close(&url, self.close_status.unwrap_or(1000), message, &within).await?,
        };
        let elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(reply.with("url", within.shown).with("elapsed_ms", elapsed_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_does_not_go_together_is_refused() {
        let check =
            |value: Value| serde_json::from_value::<Websocket>(value).map_err(|error| error.to_string())?.check();
        let url = "ws://127.0.0.1/";
        for wrong in [
            json!({"type": "send", "url": url}),
            json!({"type": "w", "url": url}),
            json!({"type": "r", "url": url, "text": "a"}),
            json!({"type": "w", "url": url, "text": "a", "binary": "b"}),
            json!({"type": "w", "url": url, "binary": {"base64": "%"}}),
            json!({"type": "open", "url": "http://127.0.0.1/"}),
            json!({"type": "open", "url": url, "close_status": 1000}),
            json!({"type": "close", "url": url, "text": "x".repeat(200)}),
        ] {
            assert!(check(wrong.clone()).is_err(), "{wrong}");
        }
        assert_eq!(check(json!({"type": "wr", "url": url, "text": {"a": 1}})), Ok(()));
    }
}
