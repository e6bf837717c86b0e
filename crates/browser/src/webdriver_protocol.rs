//! The W3C WebDriver protocol: requests of a session → HTTP → values, and its errors → device words.
//!
//! Knows no browser: what a session is asked for is the caller's. Source: www.w3.org/TR/webdriver2.

use std::time::Duration;

use reqwest::{Client, Method, Response, StatusCode, Url};
use serde_json::{Value, json};
use uixt_core::http::deepest_cause;

use crate::driver::{DIALOG_OPEN, Error};

/// Largest answer that is read, in bytes: a picture of a long page.
const LARGEST: usize = 128 << 20;

/// How long a remote end may take to say anything at all.
const GREETING: Duration = Duration::from_secs(5);

/// How long a session may take to begin: a grid may have a queue.
const BEGINNING: Duration = Duration::from_mins(2);

/// How long an ordinary command may take; a navigation has an end of its own in the browser, 30 s here.
const TIMEOUT: Duration = Duration::from_mins(1);

/// How long the end of a session may take.
const ENDING: Duration = Duration::from_secs(10);

/// Most characters of what a server says that is no WebDriver's answer.
const MAX_LEN: usize = 300;

/// A session at a remote end.
#[derive(Clone, Debug)]
pub(super) struct Session {
    client: Client,
    /// Address of the remote end, without a slash behind it.
    server: String,
    id: String,
    /// What the remote end granted.
    pub(super) capabilities: Value,
}

/// Tells whether a remote end takes sessions.
pub(super) async fn is_ready(server: &str) -> bool {
    let Ok(client) = client(server) else { return false };
    let status = request(&client, Method::GET, &format!("{server}/status"), None, Duration::from_secs(2)).await;
    status.is_ok_and(|status| status["ready"] == true)
}

impl Session {
    /// Begins a session; `capabilities` must all be granted.
    pub(super) async fn begin(server: &str, capabilities: &Value) -> Result<Self, Error> {
        let server = server.trim_end_matches('/').to_owned();
        let client = client(&server)?;
        // One that hangs is found out before it may have a queue.
        client
            .get(format!("{server}/status"))
            .timeout(GREETING)
            .send()
            .await
            .map_err(|error| unreached(&server, &error))?;
        let body = json!({"capabilities": {"alwaysMatch": capabilities}});
        let begun = request(&client, Method::POST, &format!("{server}/session"), Some(&body), BEGINNING).await?;
        let Some(id) = begun["sessionId"].as_str().filter(|id| is_plain(id)) else {
            return Err(Error::Device {
                message: format!("the WebDriver at {} began a session without an id", host(&server)),
            });
        };
        let capabilities = begun["capabilities"].clone();
        Ok(Self { client, server, id: id.to_owned(), capabilities })
    }

    /// Asks for something: `url`, `element/active`, …
    pub(super) async fn get(&self, path: &str) -> Result<Value, Error> {
        self.get_within(path, TIMEOUT).await
    }

    pub(super) async fn get_within(&self, path: &str, timeout: Duration) -> Result<Value, Error> {
        request(&self.client, Method::GET, &self.path(path), None, timeout).await
    }

    /// Has something done.
    pub(super) async fn post(&self, path: &str, body: &Value) -> Result<Value, Error> {
        self.post_within(path, body, TIMEOUT).await
    }

    pub(super) async fn post_within(&self, path: &str, body: &Value, timeout: Duration) -> Result<Value, Error> {
        request(&self.client, Method::POST, &self.path(path), Some(body), timeout).await
    }

    /// Has something removed.
    pub(super) async fn delete(&self, path: &str) -> Result<(), Error> {
        request(&self.client, Method::DELETE, &self.path(path), None, TIMEOUT).await.map(drop)
    }

    /// Ends the session, and the browser with it where the remote end started one.
    pub(super) async fn end(&self) -> Result<(), Error> {
        let address = format!("{}/session/{}", self.server, self.id);
        request(&self.client, Method::DELETE, &address, None, ENDING).await.map(drop)
    }

    /// Returns the remote end's address.
    pub(super) fn server(&self) -> &str {
        &self.server
    }

    fn path(&self, path: &str) -> String {
        format!("{}/session/{}/{path}", self.server, self.id)
    }
}

/// An id becomes a part of addresses.
fn is_plain(id: &str) -> bool {
    !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':'))
}

/// Makes a client; what is here is reached without proxies and certificates.
fn client(server: &str) -> Result<Client, Error> {
    let wrong = |why: &str| Error::Device {
        message: format!("`webdriver_url`: {why}; write for example http://127.0.0.1:9515"),
    };
    let url = Url::parse(server).map_err(|error| wrong(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("it must begin with http or https"));
    }
    let builder = if is_here(&url) { crate::http::plain_client() } else { crate::http::client() };
    let redirects = reqwest::redirect::Policy::limited(5);
    builder.redirect(redirects).build().map_err(|error| wrong(&error.to_string()))
}

/// Tells whether an address is this computer's own.
pub(super) fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

async fn request(
    client: &Client,
    method: Method,
    address: &str,
    body: Option<&Value>,
    timeout: Duration,
) -> Result<Value, Error> {
    let request = client.request(method, address).timeout(timeout).header("accept", "application/json");
    let request = match body {
        Some(body) => request.header("content-type", "application/json; charset=utf-8").body(body.to_string()),
        None => request,
    };
    let answer = request.send().await.map_err(|error| unreached(address, &error))?;
    let status = answer.status();
    let text = read(answer).await.map_err(|error| unreached(address, &error))?;
    let Ok(mut answer) = serde_json::from_slice::<Value>(&text) else {
        let said = String::from_utf8_lossy(&text);
        let said: String = said.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_LEN).collect();
        return Err(Error::Device { message: format!("{}: {said}", foreign(address, status)) });
    };
    if !answer.get("value").is_some_and(|value| status.is_success() || value["error"].is_string()) {
        let said: String = answer.to_string().chars().take(MAX_LEN).collect();
        return Err(Error::Device { message: format!("{}: {said}", foreign(address, status)) });
    }
    let value = answer["value"].take();
    if status.is_success() && value["error"].as_str().is_none() { Ok(value) } else { Err(refusal(address, &value)) }
}

async fn read(mut answer: Response) -> Result<Vec<u8>, reqwest::Error> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > LARGEST {
            break;
        }
    }
    Ok(bytes)
}

/// Says that an answer is not one of the protocol, and what to do where the status tells.
fn foreign(address: &str, status: StatusCode) -> String {
    let hint = match status.as_u16() {
        401 | 407 => " (it wants a name and a password: https://NAME:PASSWORD@HOST, best by a variable)",
        404 => " (is the path right? Selenium Grid 3 has /wd/hub behind the port, Grid 4 and WebDrivers have none)",
        _ => "",
    };
    format!("{} answers {status} and no WebDriver's answer{hint}", host(address))
}

/// Maps an error of the protocol (section 6.6).
fn refusal(address: &str, value: &Value) -> Error {
    let code = value["error"].as_str().unwrap_or("unknown error").to_owned();
    let said = value["message"].as_str().unwrap_or_default();
    // The first line says it; what follows are versions and addresses of machine code.
    let said = said.lines().next().unwrap_or_default().trim();
    let message = if said.is_empty() { code.clone() } else { said.to_owned() };
    match code.as_str() {
        "invalid session id" | "no such window" => {
            Error::Disconnected { message: format!("the browser's session is over: {message}") }
        }
        "session not created" => Error::Disconnected { message: format!("no browser could be started: {message}") },
        "unknown command" | "unknown method" | "unsupported operation" => {
            let operation = format!("do `{}` in a session of this WebDriver, which says: {message}", command(address));
            Error::Unsupported { driver: super::PLATFORM, operation }
        }
        "timeout" | "script timeout" => {
            Error::Device { message: format!("the page did not answer in time: {message}") }
        }
        DIALOG_OPEN => open_dialog(value["data"]["text"].as_str().unwrap_or_default()),
        _ => Error::Rejected { code, message },
    }
}

/// Says that a dialog is in the way.
pub(super) fn open_dialog(text: &str) -> Error {
    let message = format!("a dialog of the page is open: \"{text}\"; accept or dismiss it first");
    Error::Rejected { code: DIALOG_OPEN.to_owned(), message }
}

/// Returns what an address asks of a session, without what is the session's own.
fn command(address: &str) -> String {
    let asked = address.split_once("/session/").map_or(address, |(_, asked)| asked);
    let words = asked.split('/').skip(1).filter(|word| word.chars().all(|c| c.is_ascii_lowercase()));
    words.collect::<Vec<_>>().join("/")
}

fn unreached(address: &str, error: &reqwest::Error) -> Error {
    let host = host(address);
    if error.is_timeout() {
        return Error::Device { message: format!("{host} did not answer in time") };
    }
    let cause = deepest_cause(error).unwrap_or(error);
    Error::Disconnected { message: format!("the WebDriver at {host} cannot be reached: {cause}") }
}

/// Returns an address without what stands behind the host: paths hold ids, and a name may stand before it.
pub(super) fn host(address: &str) -> String {
    let url = Url::parse(address).ok();
    let host = url.as_ref().and_then(|url| Some((url.host_str()?, url.port_or_known_default()?)));
    host.map_or_else(|| "the remote end".to_owned(), |(host, port)| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_protocol_say_what_they_mean() {
        let address = "http://a:1/wd/hub/session/9f/element/f.1/value";
        let of = |code: &str, message: &str| refusal(address, &json!({"error": code, "message": message}));
        let gone = of("invalid session id", "invalid session id\nStacktrace:\n#0 0x55");
        assert_eq!(gone, Error::Disconnected { message: "the browser's session is over: invalid session id".into() });
        let rejected = |code: &str, message: &str| Error::Rejected { code: code.into(), message: message.into() };
        assert_eq!(of("no such element", "no such element: x"), rejected("no such element", "no such element: x"));
        let unsupported = of("unknown command", "").to_string();
        assert_eq!(
            unsupported,
            "browser cannot do `element/value` in a session of this WebDriver, which says: unknown command"
        );
    }

    #[tokio::test]
    async fn what_is_no_remote_end_is_told() {
        let nobody = Session::begin("http://127.0.0.1:1", &json!({})).await.expect_err("nobody is there");
        assert!(matches!(&nobody, Error::Disconnected { message } if message.contains("127.0.0.1:1")), "{nobody}");
        for wrong in ["ftp://a", "nonsense", ""] {
            assert!(
                Session::begin(wrong, &json!({})).await.is_err_and(|error| error.to_string().contains("webdriver_url"))
            );
        }
    }

    #[test]
    fn only_loopback_is_here() {
        let here = |url: &str| is_here(&Url::parse(url).expect("a URL"));
        assert!(here("http://localhost:4444/wd/hub") && here("http://127.0.0.1:1") && here("http://[::1]:1"));
        assert!(!here("http://grid.test") && !here("http://127.0.0.1.example.com"));
    }
}
