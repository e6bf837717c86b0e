//! A service that speaks as `HttpRunner`'s image service does: a picture as a form to `VEDEM_IMAGE_URL`, signed with a key.
//!
//! The answer is `{code, message, result: {ocrResult: [{text, points: [{x, y} four times]}]}}`; a code other than 0 is an error.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use reqwest::multipart::{Form, Part};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use uixt_locate::Error;
use uixt_pictures::{Line, Picture, Place};

use super::bad;
use crate::TextRecognizer;

const URL: &str = "VEDEM_IMAGE_URL";
const ACCESS_KEY: &str = "VEDEM_IMAGE_AK";
const SECRET_KEY: &str = "VEDEM_IMAGE_SK";
/// How long an answer may take, and how often it is asked for.
const TIMEOUT: Duration = Duration::from_secs(10);
const TRIES: u32 = 3;
/// Bytes of an answer at most.
const LARGEST: usize = 16 << 20;
/// For how many seconds a signature holds.
const EXPIRATION: u32 = 1800;
/// What is signed: not the picture itself.
const CONTENT: &str = "UNSIGNED-PAYLOAD";
/// Bytes of a block of SHA-256.
const BLOCK: usize = 64;

pub(super) struct Vedem;

#[derive(Deserialize)]
struct Answer {
    code: i64,
    #[serde(default)]
    message: String,
    #[serde(default)]
    result: Option<Read>,
}

#[derive(Deserialize)]
struct Read {
    #[serde(default, rename = "ocrResult")]
    lines: Option<Vec<ReadLine>>,
}

#[derive(Deserialize)]
struct ReadLine {
    text: String,
    points: Vec<Corner>,
}

#[derive(Clone, Copy, Deserialize)]
struct Corner {
    x: f64,
    y: f64,
}

/// Says why it cannot be used; none where it can.
pub(super) fn unmet() -> Option<String> {
    let missing: Vec<&str> = [URL, ACCESS_KEY, SECRET_KEY]
        .into_iter()
        .filter(|name| std::env::var(name).is_ok_and(|value| !value.is_empty()).eq(&false))
        .collect();
    (!missing.is_empty()).then(|| format!("requires ocr: {} must be set for the service", missing.join(", ")))
}

#[async_trait]
impl TextRecognizer for Vedem {
    async fn lines(&self, picture: Picture) -> Result<Vec<Line>, Error> {
        if let Some(missing) = unmet() {
            return Err(bad(missing));
        }
        let png = picture.encode().map_err(|error| bad(error.to_string()))?;
        let client = uixt_core::http::client().timeout(TIMEOUT).build();
        let client = client.map_err(|error| bad(format!("{URL}: {error}")))?;
        let mut last = None;
        for _ in 0..TRIES {
            match ask(&client, png.clone()).await {
                Ok(lines) => return Ok(lines),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| bad(format!("{URL}: no answer"))))
    }
}

async fn ask(client: &reqwest::Client, png: Vec<u8>) -> Result<Vec<Line>, Error> {
    let value = |name: &str| std::env::var(name).unwrap_or_default();
    let broken = |error: &dyn std::fmt::Display| bad(format!("the service of {URL}: {error}"));
    let file = Part::bytes(png).file_name("screenshot.png").mime_str("image/png").map_err(|error| broken(&error))?;
    let form = Form::new()
        .text("actions", "ocr")
        .text("ocrCluster", "highPrecision")
        .text("timeout", TIMEOUT.as_secs().to_string())
        .part("file", file);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let token = token(&value(ACCESS_KEY), &value(SECRET_KEY), now);
    let request = client.post(value(URL)).header("Agw-Auth", token).header("Agw-Auth-Content", CONTENT).multipart(form);
    // An address may hold a key, so that it is not told.
    let response = request.send().await.map_err(|error| broken(&error.without_url()))?;
    let status = response.status();
    if !status.is_success() {
        return Err(broken(&format!("status {status}")));
    }
    let body = response.bytes().await.map_err(|error| broken(&error.without_url()))?;
    if body.len() > LARGEST {
        return Err(broken(&format!("an answer of {} bytes", body.len())));
    }
    lines(&body).map_err(|why| broken(&why))
}

/// Reads an answer.
fn lines(body: &[u8]) -> Result<Vec<Line>, String> {
    let answer: Answer = serde_json::from_slice(body).map_err(|error| format!("no answer as expected: {error}"))?;
    if answer.code != 0 {
        return Err(format!("code {}: {}", answer.code, answer.message));
    }
    let read = answer.result.and_then(|result| result.lines).ok_or("its answer has no `result.ocrResult`")?;
    read.into_iter().map(line).collect()
}

fn line(read: ReadLine) -> Result<Line, String> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "pixels of a picture, cut to what there are"
    )]
    let pixel = |value: f64| value.round().clamp(0.0, f64::from(u32::MAX)) as u32;
    let side = |of: fn(&Corner) -> f64, choose: fn(f64, f64) -> f64| read.points.iter().map(of).reduce(choose);
    let (Some(left), Some(right)) = (side(|corner| corner.x, f64::min), side(|corner| corner.x, f64::max)) else {
        return Err(format!("the line \"{}\" has no points", read.text));
    };
    let (Some(top), Some(bottom)) = (side(|corner| corner.y, f64::min), side(|corner| corner.y, f64::max)) else {
        return Err(format!("the line \"{}\" has no points", read.text));
    };
    let place = Place { left: pixel(left), top: pixel(top), right: pixel(right), bottom: pixel(bottom) };
    // It says nothing of how sure it is.
    Ok(Line { text: read.text, place, confidence: 1.0 })
}

/// Signs a request: `auth-v2/KEY/TIME/EXPIRATION/SIGNATURE`.
fn token(access_key: &str, secret_key: &str, now: u64) -> String {
    let info = format!("auth-v2/{access_key}/{now}/{EXPIRATION}");
    let key = hmac(secret_key.as_bytes(), info.as_bytes());
    format!("{info}/{}", hmac(key.as_bytes(), CONTENT.as_bytes()))
}

/// Returns HMAC-SHA256 (RFC 2104) in hexadecimal.
fn hmac(key: &[u8], message: &[u8]) -> String {
    let mut block = [0_u8; BLOCK];
    match key.len() <= BLOCK {
        true => block[..key.len()].copy_from_slice(key),
        false => block[..32].copy_from_slice(&Sha256::digest(key)),
    }
    let padded = |with: u8| block.map(|byte| byte ^ with);
    let inner = Sha256::new().chain_update(padded(0x36)).chain_update(message).finalize();
    let outer = Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize();
    outer.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_that_of_the_standard() {
        // RFC 4231, test cases 2 and 6.
        assert_eq!(
            hmac(b"Jefe", b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            hmac(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
        assert!(token("ak", "sk", 7).starts_with("auth-v2/ak/7/1800/"));
    }

    #[test]
    fn an_answer_is_read_and_anything_else_is_an_error() {
        let told = r#"{"code": 0, "message": "ok", "result": {"ocrResult": [
            {"text": "确定", "points": [{"x": 10, "y": 20.4}, {"x": 50, "y": 20}, {"x": 50, "y": 40}, {"x": 10, "y": 40}]}]}}"#;
        let read = lines(told.as_bytes()).expect("lines");
        assert_eq!(
            (read[0].text.as_str(), read[0].place),
            ("确定", Place { left: 10, top: 20, right: 50, bottom: 40 })
        );
        for (wrong, said) in [
            (r#"{"code": 7, "message": "no quota"}"#, "code 7: no quota"),
            (r#"{"code": 0, "result": {}}"#, "ocrResult"),
            (r#"{"code": 0, "result": {"ocrResult": [{"text": "a", "points": []}]}}"#, "no points"),
            ("<html>", "no answer as expected"),
        ] {
            assert!(lines(wrong.as_bytes()).is_err_and(|why| why.contains(said)), "{wrong}");
        }
    }
}
