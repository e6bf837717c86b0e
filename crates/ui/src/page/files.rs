//! What people hand over in a page's file fields.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, Query, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Pages, assets};
use crate::Error;

/// Bytes of a file.
pub(super) const LARGEST: usize = 10 << 20;
/// Characters of a file's name.
const NAME: usize = 200;

#[derive(Deserialize)]
pub(super) struct Named {
    name: String,
}

/// Keeps a file; the answer is the value of its field. A page of another site cannot send this header without being asked first.
pub(super) async fn add(
    State(pages): State<Arc<Pages>>,
    Path(instance): Path<String>,
    Query(named): Query<Named>,
    headers: HeaderMap,
    content: Result<Bytes, BytesRejection>,
) -> Response {
    if !headers.contains_key("x-uixt-page") {
        return answer(
            StatusCode::FORBIDDEN,
            &json!({"code": "NOT_FROM_PAGE", "message": "files are handed over in the page"}),
        );
    }
    let Ok(content) = content else {
        let error = Error::TooLarge(format!("a file is at most {} MiB large", LARGEST >> 20));
        return answer(StatusCode::PAYLOAD_TOO_LARGE, &error.to_json());
    };
    let kind =
        headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("application/octet-stream").to_owned();
    let hub = match pages.hub() {
        Ok(hub) => hub,
        Err(error) => return failed(&error),
    };
    let (name, size) = (plain(&named.name), content.len());
    let (at, shown) = (instance.clone(), (name.clone(), kind.clone()));
    match hub.ui.apart(move |ui| ui.add_file(&at, &shown.0, &shown.1, &content)).await {
        Ok(id) => {
            let url = format!("/ui/files/{instance}/{id}");
            answer(StatusCode::CREATED, &json!({"name": name, "size": size, "type": kind, "url": url}))
        }
        Err(error) => answer(StatusCode::NOT_FOUND, &error.to_json()),
    }
}

/// Gives a file back, to be saved and never to be shown: it is whatever somebody handed over.
pub(super) async fn get(State(pages): State<Arc<Pages>>, Path((instance, id)): Path<(String, String)>) -> Response {
    let hub = match pages.hub() {
        Ok(hub) => hub,
        Err(error) => return failed(&error),
    };
    match hub.ui.apart(move |ui| ui.file(&instance, &id)).await {
        Ok(Some((name, _, content))) => {
            let shown: String = name
                .chars()
                .map(|sign| if sign.is_ascii_alphanumeric() || ".-_ ".contains(sign) { sign } else { '_' })
                .collect();
            let disposition = format!("attachment; filename=\"{shown}\"");
            let kind = "application/octet-stream".to_owned();
            (assets::headers(), [(CONTENT_DISPOSITION, disposition), (CONTENT_TYPE, kind)], content).into_response()
        }
        Ok(None) => {
            answer(StatusCode::NOT_FOUND, &json!({"code": "PATH_NOT_FOUND", "message": "there is no such file"}))
        }
        Err(error) => failed(&error),
    }
}

/// Tells that the store cannot be used.
pub(super) fn failed(error: &Error) -> Response {
    answer(StatusCode::INTERNAL_SERVER_ERROR, &error.to_json())
}

fn answer(status: StatusCode, value: &Value) -> Response {
    (status, assets::headers(), Json(value.clone())).into_response()
}

/// Returns the name of a file without the folders that it stood in.
fn plain(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String = last.chars().filter(|sign| !sign.is_control()).take(NAME).collect();
    if kept.trim_matches(['.', ' ']).is_empty() { "file".to_owned() } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_holds_no_folders() {
        for (name, kept) in
            [("../../etc/passwd", "passwd"), ("C:\\a\\b.txt", "b.txt"), ("..", "file"), ("图 1.png", "图 1.png")]
        {
            assert_eq!(plain(name), kept);
        }
    }
}
