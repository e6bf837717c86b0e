//! A server's answer → the tool's result, in bounded memory; what went wrong on the way → a sentence.

use std::error::Error as _;
use std::time::Duration;

use base64::Engine as _;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use reqwest::{Response, Version};
use serde_json::Value;
use uixt_locate::{Error, Kind, Object};
use uixt_toolkit::Reply;

use super::clients::REDIRECTS;

/// Largest body, in bytes, once it is decompressed.
const LARGEST: usize = 10 << 20;

/// An answer whose body is being read.
pub(super) struct Received {
    response: Response,
    bytes: Vec<u8>,
}

impl Received {
    pub(super) fn new(response: Response) -> Self {
        Self { response, bytes: Vec::new() }
    }

    pub(super) fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Reads the body to its end, or says that there is too much of it.
    pub(super) async fn read(&mut self, shown: &str) -> Result<(), Error> {
        while let Some(chunk) = self.response.chunk().await.map_err(|error| self::failure(shown, &error))? {
            if self.bytes.len() + chunk.len() > LARGEST {
                let message = format!(
                    "{shown}: answered {}, with a body above {} MiB: reading stopped",
                    self.status(),
                    LARGEST >> 20
                );
                return Err(Error::new(Kind::Service, message).with("status_code", self.status()));
            }
            self.bytes.extend_from_slice(&chunk);
        }
        match self.response.headers().get(CONTENT_ENCODING).and_then(|value| value.to_str().ok()) {
            Some(encoding) if !self.bytes.is_empty() && encoding != "identity" => {
                let message = format!("{shown}: the body is encoded as {encoding}, which was not asked for");
                Err(Error::new(Kind::Service, message))
            }
            _ => Ok(()),
        }
    }

    pub(super) async fn reply(self, shown: &str, elapsed: Duration) -> Result<Reply, Error> {
        let Self { response, bytes } = self;
        let (status, size) = (response.status(), bytes.len());
        let elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        let cookies: Object =
            response.cookies().map(|cookie| (cookie.name().to_owned(), cookie.value().into())).collect();
        let reply = Reply::new(format!("{shown}: {status}, {size} bytes in {elapsed_ms} ms"))
            .with("status_code", status.as_u16())
            .with("headers", headers(response.headers()))
            .with("cookies", cookies)
            .with("proto", proto(response.version()))
            .with("elapsed_ms", elapsed_ms)
            .with("url", response.url().as_str())
            .with("response_size", size);
        let (body, is_binary) = body(response.headers(), bytes).await;
        let reply = reply.with("body", body);
        Ok(if is_binary { reply.with("body_encoding", "base64") } else { reply })
    }
}

/// Writes headers under their usual names, `Content-Type`; several values of one are joined.
pub(in super::super) fn headers(map: &HeaderMap) -> Object {
    let mut object = Object::new();
    for name in map.keys() {
        let values: Vec<_> =
            map.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect();
        object.insert(usual(name.as_str()), values.join(", ").into());
    }
    object
}

/// Writes a header's name as people do: `x-request-id` → `X-Request-Id`.
fn usual(name: &str) -> String {
    let capital = |word: &str| word[..word.len().min(1)].to_ascii_uppercase() + &word[word.len().min(1)..];
    name.split('-').map(capital).collect::<Vec<_>>().join("-")
}

fn proto(version: Version) -> String {
    format!("{version:?}")
}

/// Reads a body as JSON where it is that, else as text; bytes that are neither are given in base64, which is said.
async fn body(headers: &HeaderMap, bytes: Vec<u8>) -> (Value, bool) {
    if let Ok(json) = serde_json::from_slice(&bytes) {
        return (json, false);
    }
    let charset =
        headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).filter(|kind| kind.contains("charset="));
    match (String::from_utf8(bytes), charset) {
        (Ok(text), _) => (text.into(), false),
        (Err(error), Some(_)) => (decoded(headers, error.into_bytes()).await, false),
        (Err(error), None) => (base64::engine::general_purpose::STANDARD.encode(error.as_bytes()).into(), true),
    }
}

/// Decodes a text in the character set that its headers name.
async fn decoded(headers: &HeaderMap, bytes: Vec<u8>) -> Value {
    let mut whole = http::Response::new(bytes);
    if let Some(kind) = headers.get(CONTENT_TYPE) {
        whole.headers_mut().insert(CONTENT_TYPE, kind.clone());
    }
    Response::from(whole).text().await.unwrap_or_default().into()
}

/// Says why there is no answer.
pub(super) fn failure(shown: &str, error: &reqwest::Error) -> Error {
    let message = if error.is_redirect() {
        format!("{shown}: more than {REDIRECTS} redirects; it may redirect for ever")
    } else if error.is_builder() {
        format!("{shown}: cannot be sent: {}", root(error))
    } else if error.is_connect() {
        format!("{shown}: no connection: {}{}", root(error), advice(error))
    } else if error.is_body() || error.is_decode() {
        format!("{shown}: the body is broken off or garbled: {}", root(error))
    } else {
        format!("{shown}: no valid answer: {}", root(error))
    };
    Error::new(Kind::Service, message)
}

/// Returns the words of the innermost cause; those around it repeat the address.
fn root(error: &reqwest::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        words = inner.to_string();
        cause = inner.source();
    }
    words
}

fn advice(error: &reqwest::Error) -> &'static str {
    let words = format!("{error:?}");
    match words.contains("Certificate") || words.contains("certificate") {
        true => "; `verify: false` trusts any certificate",
        false => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn header_names_are_written_as_usual() {
        assert_eq!(usual("content-type"), "Content-Type");
        assert_eq!(usual("etag"), "Etag");
        assert_eq!(usual("x--a"), "X--A");
    }

    #[tokio::test]
    async fn bodies_are_json_text_or_bytes() {
        let none = HeaderMap::new();
        assert_eq!(body(&none, b"{\"a\": 1}".to_vec()).await, (json!({"a": 1}), false));
        assert_eq!(body(&none, "登录".into()).await, (json!("登录"), false));
        assert_eq!(body(&none, vec![0xff, 0xfe]).await, (json!("//4="), true));
        let mut gbk = HeaderMap::new();
        gbk.insert(CONTENT_TYPE, "text/html; charset=gbk".parse().expect("a value"));
        assert_eq!(body(&gbk, vec![0xb5, 0xc7, 0xc2, 0xbc]).await, (json!("登录"), false));
    }
}
