//! HTTP requests of the host: test data is set up by API, and what the app did is looked up there.
//!
//! An answer is an answer whatever its status; validators judge it. No answer, an endless or a broken one is an error.

mod answer;
mod body;
mod clients;
mod cookies;
mod url;

use std::time::{Duration, Instant};

use reqwest::header::{ACCEPT_ENCODING, CONTENT_LENGTH, COOKIE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, RequestBuilder};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use uixt_call::{Exposure, Shape, ToolKind, Toolset, mask};
use uixt_locate::{Error, Kind, Object};
use uixt_toolkit::pages::address;
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

pub(super) use answer::headers as answered_headers;
pub(super) use clients::Clients;
use clients::Policy;
pub(super) use url::with_params;

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<Request>()];

/// Methods that may be sent.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];

/// Send an HTTP request and return the answer, whatever its status.
#[derive(Deserialize, JsonSchema)]
struct Request {
    /// GET, HEAD, POST, PUT, DELETE, OPTIONS or PATCH; GET by default.
    #[serde(default)]
    method: Option<String>,
    /// Absolute, or relative to `base_url`; `/path` is one of the site that is served.
    #[schemars(length(min = 1))]
    url: String,
    /// Where a relative `url` begins.
    #[serde(default)]
    base_url: Option<String>,
    /// Query parameters; a list repeats its name.
    #[serde(default)]
    params: Object,
    /// Headers; Content-Length is worked out, names with a leading colon are left out.
    #[serde(default)]
    headers: Object,
    /// Cookies to send beside those that the case's earlier answers set.
    #[serde(default)]
    cookies: Object,
    /// Body, sent as JSON.
    #[serde(default, deserialize_with = "crate::value::given")]
    json: Option<Value>,
    /// Body: a map is sent as a form (as JSON where Content-Type says so), a text as it is.
    #[serde(default, deserialize_with = "crate::value::given")]
    data: Option<Value>,
    /// Body: a map or list is sent as JSON (as a form where Content-Type says so), a text as it is.
    #[serde(default, deserialize_with = "crate::value::given")]
    body: Option<Value>,
    /// Multipart fields: a file's path, {file, name, type}, or a text; `data` adds texts.
    #[serde(default)]
    upload: Object,
    /// Seconds for the whole answer; 30 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
    /// Follows up to 10 redirects; true by default.
    #[serde(default)]
    allow_redirects: Option<bool>,
    /// Checks the server's certificate; true by default.
    #[serde(default)]
    verify: Option<bool>,
    /// {basic: {username, password}} or {bearer: token}.
    #[serde(default)]
    auth: Option<Auth>,
    /// Only false: HTTP/2 is not spoken.
    #[serde(default)]
    http2: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Auth {
    #[serde(default)]
    basic: Option<Basic>,
    #[serde(default)]
    bearer: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Basic {
    username: String,
    #[serde(default)]
    password: Option<String>,
}

impl Request {
    fn patience(&self) -> Duration {
        Duration::from_secs_f64(self.timeout.unwrap_or(30.0).clamp(0.0, 3600.0))
    }

    fn method(&self) -> Result<Method, String> {
        let name = self.method.as_deref().unwrap_or("GET").to_ascii_uppercase();
        match METHODS.contains(&name.as_str()) {
            true => Method::from_bytes(name.as_bytes()).map_err(|error| error.to_string()),
            false => Err(format!("unknown method `{name}`; valid: {}", METHODS.join(", "))),
        }
    }

    fn headers(&self) -> Result<HeaderMap, String> {
        let mut headers = headers(&self.headers)?;
        headers.remove(CONTENT_LENGTH);
        if let Some(wanted) = headers.remove(ACCEPT_ENCODING) {
            // What nobody here could read is not asked for.
            let kept = if wanted.to_str().is_ok_and(|wanted| wanted.contains("gzip")) { "gzip" } else { "identity" };
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(kept));
        }
        Ok(headers)
    }

    /// Returns the `Cookie` header for the cookies that the call names.
    fn cookie(&self) -> Result<Option<HeaderValue>, String> {
        let pairs =
            self.cookies.iter().map(|(name, value)| cookies::pair(name, value)).collect::<Result<Vec<_>, _>>()?;
        match pairs.is_empty() {
            true => Ok(None),
            false => HeaderValue::from_str(&pairs.join("; ")).map(Some).map_err(|error| format!("cookies: {error}")),
        }
    }

    fn authorized(&self, builder: RequestBuilder) -> RequestBuilder {
        match &self.auth {
            Some(Auth { basic: Some(basic), .. }) => builder.basic_auth(&basic.username, basic.password.as_ref()),
            Some(Auth { bearer: Some(token), .. }) => builder.bearer_auth(token),
            _ => builder,
        }
    }

    /// Tells whether the address continues that of the site that the project serves.
    fn is_of_site(&self) -> bool {
        let is_path = |text: &str| text.starts_with('/') && !text.starts_with("//");
        !self.url.contains("://") && is_path(self.base_url.as_deref().unwrap_or(&self.url))
    }

    /// Returns the address whole: as for pages, a path is one of the site that the project serves.
    async fn of_site(&self, cx: &Context) -> Result<String, Error> {
        let base = self.base_url.as_deref().unwrap_or_default().trim_end_matches('/');
        address::whole(cx, &format!("{base}/{}", self.url.trim_start_matches('/'))).await
    }

    /// Lays out the request; what is wrong with it was found by `check` already, but for the files that it sends.
    async fn build(&self, cx: &Context) -> Result<(RequestBuilder, String), Error> {
        let wrong = |message: String| Error::new(Kind::BadArgument, format!("request: {message}"));
        let url = match self.is_of_site() {
            true => url::absolute(&self.of_site(cx).await?, None, &self.params),
            false => url::absolute(&self.url, self.base_url.as_deref(), &self.params),
        };
        let url = url.map_err(wrong)?;
        let method = self.method().map_err(wrong)?;
        let shown = format!("{method} {}", mask::without_user(url.as_str()));
        let policy = Policy { redirects: self.allow_redirects.unwrap_or(true), verify: self.verify.unwrap_or(true) };
        let (client, jar) = cx.session.state::<Clients>().get(policy)?;
        let mut headers = self.headers().map_err(wrong)?;
        if let Some(cookie) = self.cookie().map_err(wrong)? {
            let kept = clients::kept(&jar, &url);
            headers.insert(COOKIE, clients::joined(kept.as_ref(), headers.get(COOKIE), &cookie));
        }
        let builder = self.authorized(client.request(method, url).headers(headers.clone()));
        let parts = body::Parts {
            json: self.json.as_ref(),
            data: self.data.as_ref(),
            body: self.body.as_ref(),
            upload: &self.upload,
        };
        Ok((body::add(builder, &parts, &headers, &cx.files()).await?, shown))
    }
}

/// Reads a map of headers.
pub(super) fn headers(map: &Object) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    // Recorded requests hold what HTTP/2 writes as `:path`.
    for (name, value) in map.iter().filter(|(name, _)| !name.starts_with(':')) {
        let text = text(value).ok_or_else(|| format!("headers: the value of `{name}` must be a text or a number"))?;
        let known = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| format!("headers: `{name}` is not a name for a header"))?;
        let value = HeaderValue::from_str(&text)
            .or_else(|_| HeaderValue::from_bytes(text.as_bytes()))
            .map_err(|_| format!("headers: the value of `{name}` holds a line break or the like"))?;
        headers.insert(known, value);
    }
    Ok(headers)
}

/// Returns the text of a scalar.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

impl Tool for Request {
    const NAME: &'static str = "request";
    const SET: Option<Toolset> = None;
    const KIND: ToolKind = ToolKind::Other;
    const NAMES_FILES: bool = true;
    const VALUES: &'static [&'static str] = &["json", "body"];
    const PARAMS: Shape = Shape::Fields(&["url"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("files", "upload")];
    const EXPOSURE: Exposure = Exposure::Testcase;
    const NEEDS_DEVICE: bool = false;
    const MAIN: Option<&'static str> = Some("body");

    fn check(&self) -> Result<(), String> {
        self.method()?;
        self.headers()?;
        self.cookie()?;
        // Of which site a path is stands in the project.
        if !self.is_of_site() {
            url::absolute(&self.url, self.base_url.as_deref(), &self.params)?;
        }
        if self.http2 {
            return Err("HTTP/2 is not supported: leave `http2` out".to_owned());
        }
        let auths = self.auth.iter().flat_map(|auth| [auth.basic.is_some(), auth.bearer.is_some()]);
        if self.auth.is_some() && auths.filter(|given| *given).count() != 1 {
            return Err("`auth` is either {basic: {username, password}} or {bearer: token}".to_owned());
        }
        let bodies = [self.json.is_some(), self.data.is_some(), self.body.is_some()];
        if bodies.iter().filter(|given| **given).count() > 1 {
            return Err("one body at most: `json`, `data` or `body`".to_owned());
        }
        if !self.upload.is_empty() && (self.json.is_some() || self.body.is_some()) {
            return Err("`upload` goes with `data` only".to_owned());
        }
        let sends = bodies.contains(&true) || !self.upload.is_empty();
        if sends && self.method.is_none() {
            return Err("`method` is missing; a body is sent with POST, PUT or PATCH".to_owned());
        }
        Ok(())
    }

    fn limit(&self) -> Duration {
        self.patience() + Duration::from_secs(5)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let (builder, shown) = self.build(cx).await?;
        let started = Instant::now();
        let (deadline, limit) = (tokio::time::Instant::now() + self.patience(), self.patience().as_secs_f64());
        let sent = tokio::time::timeout_at(deadline, builder.send()).await;
        let late = |_| Error::new(Kind::Service, format!("{shown}: no answer within {limit} s"));
        let response = sent.map_err(late)?.map_err(|error| answer::failure(&shown, &error))?;
        let mut received = answer::Received::new(response);
        let Ok(read) = tokio::time::timeout_at(deadline, received.read(&shown)).await else {
            let (status, size) = (received.status(), received.size());
            let message =
                format!("{shown}: answered {status}, but the body did not end within {limit} s ({size} bytes came)");
            return Err(Error::new(Kind::Service, message).with("status_code", status));
        };
        read?;
        received.reply(&shown, started.elapsed()).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(value: Value) -> Result<(), String> {
        serde_json::from_value::<Request>(value).map_err(|error| error.to_string())?.check()
    }

    #[test]
    fn contradictions_are_refused() {
        let url = "http://127.0.0.1/";
        for wrong in [
            json!({"url": "get"}),
            json!({"url": "ftp://a/b"}),
            json!({"url": url, "method": "FETCH"}),
            json!({"url": url, "json": {}}),
            json!({"url": url, "method": "POST", "json": {}, "data": {}}),
            json!({"url": url, "method": "POST", "upload": {"a": "b"}, "json": {}}),
            json!({"url": url, "http2": true}),
            json!({"url": url, "auth": {}}),
            json!({"url": url, "auth": {"digest": {}}}),
            json!({"url": url, "headers": {"A": {"b": 1}}}),
            json!({"url": url, "headers": {"A": "b\r\nEvil: 1"}}),
            json!({"url": url, "headers": {"A b": "c"}}),
        ] {
            assert!(check(wrong.clone()).is_err(), "{wrong}");
        }
        assert_eq!(check(json!({"url": "/get", "base_url": url, "method": "post", "json": null})), Ok(()));
    }

    #[test]
    fn only_encodings_that_can_be_read_are_asked_for() {
        let request = |value: &str| {
            let arguments =
                json!({"url": "http://a", "headers": {"accept-encoding": value, ":path": "/", "Content-Length": 3}});
            serde_json::from_value::<Request>(arguments).expect("good").headers().expect("good")
        };
        assert_eq!(request("gzip, deflate, br")[ACCEPT_ENCODING], "gzip");
        assert_eq!(request("br")[ACCEPT_ENCODING], "identity");
        assert_eq!(request("br").len(), 1);
    }
}
