//! The body of a request: JSON, a form, a text as it is, or files.

use std::path::PathBuf;

use reqwest::RequestBuilder;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::multipart::{Form, Part};
use serde_json::Value;
use uixt_core::host::Files;
use uixt_locate::{Error, Kind, Object};

use super::text;

/// What may become the body; at most one of the first three is given.
pub(super) struct Parts<'a> {
    pub json: Option<&'a Value>,
    pub data: Option<&'a Value>,
    pub body: Option<&'a Value>,
    pub upload: &'a Object,
}

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

fn wrong(message: impl std::fmt::Display) -> Error {
    Error::new(Kind::BadArgument, format!("request: {message}"))
}

/// Adds the body to a request.
pub(super) async fn add(
    builder: RequestBuilder,
    parts: &Parts<'_>,
    headers: &HeaderMap,
    files: &Files,
) -> Result<RequestBuilder, Error> {
    if !parts.upload.is_empty() {
        if headers.contains_key(CONTENT_TYPE) {
            return Err(wrong("`upload` sets Content-Type itself: leave the header out".to_owned()));
        }
        return Ok(builder.multipart(multipart(parts, files).await?));
    }
    let declared = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (value, usual) = match (parts.json, parts.data, parts.body) {
        (Some(json), _, _) => (json, JSON),
        (_, Some(data), _) => (data, FORM),
        (_, _, Some(body)) => (body, JSON),
        _ => return Ok(builder),
    };
    let as_form = parts.json.is_none()
        && value.is_object()
        && (if declared.is_empty() { usual } else { declared }).starts_with(FORM);
    let plain = value.as_str().filter(|_| parts.json.is_none());
    let (bytes, usual) = match plain {
        Some(text) => (text.as_bytes().to_vec(), "text/plain; charset=utf-8"),
        None if as_form => (form(value)?.into_bytes(), FORM),
        None => (value.to_string().into_bytes(), JSON),
    };
    let builder = if declared.is_empty() { builder.header(CONTENT_TYPE, usual) } else { builder };
    Ok(builder.body(bytes))
}

/// Writes a map as a form's fields; a list repeats its name.
fn form(value: &Value) -> Result<String, Error> {
    let mut pairs = reqwest::Url::parse("http://form/").map_err(|error| wrong(error.to_string()))?;
    let fields = value.as_object().cloned().unwrap_or_default();
    pairs = super::url::with_params(pairs, &fields).map_err(|message| wrong(message.replacen("params", "data", 1)))?;
    Ok(pairs.query().unwrap_or_default().to_owned())
}

async fn multipart(parts: &Parts<'_>, files: &Files) -> Result<Form, Error> {
    let mut form = Form::new();
    if let Some(data) = parts.data {
        let fields = data.as_object().ok_or_else(|| wrong("`data` beside `upload` must be a map".to_owned()))?;
        for (name, value) in fields {
            let value = text(value).ok_or_else(|| wrong(format!("data: `{name}` must be a text or a number")))?;
            form = form.text(name.clone(), value);
        }
    }
    for (name, value) in parts.upload {
        form = form.part(name.clone(), part(name, value, files).await?);
    }
    Ok(form)
}

/// Makes a field: of a file where one is named, else of the text itself.
async fn part(name: &str, value: &Value, files: &Files) -> Result<Part, Error> {
    if let Value::Object(described) = value {
        return described_part(name, described, files).await;
    }
    let written =
        text(value).ok_or_else(|| wrong(format!("upload: `{name}` must be a path, a text or {{file: …}}")))?;
    let path = files.named(written.trim_start_matches('@'));
    if written.starts_with('@') || path.is_file() {
        return file(path).await;
    }
    // A misspelt path must not be sent in place of the file.
    let looks_like_a_path = written.contains(['/', '\\'])
        || written.rsplit_once('.').is_some_and(|(stem, end)| {
            !stem.is_empty()
                && (1..=5).contains(&end.len())
                && end.bytes().all(|byte| byte.is_ascii_alphanumeric())
                && !end.bytes().all(|byte| byte.is_ascii_digit())
        });
    if looks_like_a_path {
        let message = format!("upload: `{name}`: there is no file {}; for a text write {{text: …}}", path.display());
        return Err(wrong(message));
    }
    Ok(Part::text(written))
}

async fn described_part(name: &str, described: &Object, files: &Files) -> Result<Part, Error> {
    const KEYS: [&str; 4] = ["file", "text", "name", "type"];
    if let Some(stray) = described.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(wrong(format!("upload: `{name}` has no key `{stray}`; valid: {}", KEYS.join(", "))));
    }
    let key = |key: &str| described.get(key).and_then(Value::as_str);
    let mut part = match (key("file"), described.get("text").and_then(text)) {
        (Some(path), None) => file(files.named(path)).await?,
        (None, Some(text)) => Part::text(text),
        _ => return Err(wrong(format!("upload: `{name}` needs either `file` or `text`"))),
    };
    if let Some(name) = key("name") {
        part = part.file_name(name.to_owned());
    }
    match key("type") {
        Some(kind) => part.mime_str(kind).map_err(|_| wrong(format!("upload: `{kind}` is not a content type"))),
        None => Ok(part),
    }
}

async fn file(path: PathBuf) -> Result<Part, Error> {
    let cannot = |error: std::io::Error| wrong(format!("upload: cannot read {}: {error}", path.display()));
    Part::file(&path).await.map_err(cannot)
}
