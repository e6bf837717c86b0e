//! The files of the page, as they are in the program, and those of runs.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use uixt_ui::page::headers_of_own as headers;

use crate::studio::Studio;
use crate::{PATH, results, socket};

/// The files of the page by their names, each packed by gzip.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Endings of files of the page, and what they hold.
const KINDS: &[(&str, &str)] = &[
    ("html", "text/html; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("svg", "image/svg+xml"),
];

/// Endings of what runs keep, and what it holds; anything else is a text.
const KEPT: &[(&str, &str)] =
    &[("png", "image/png"), ("jpg", "image/jpeg"), ("mp4", "video/mp4"), ("json", "application/json")];

/// Serves the studio.
pub fn router(studio: Arc<Studio>) -> Router {
    Router::new()
        .route("/", get(|| async { Redirect::temporary(PATH) }))
        .route("/studio", get(|| async { Redirect::permanent(PATH) }))
        .route(PATH, get(async || packed("index.html")))
        .route("/studio/page/{name}", get(asset))
        .route("/studio/live", get(socket::open))
        .route("/studio/results/{*path}", get(kept))
        .with_state(studio)
}

async fn asset(Path(name): Path<String>) -> Response {
    packed(&name)
}

fn packed(name: &str) -> Response {
    let Some((_, content)) = FILES.iter().find(|(known, _)| *known == name) else { return missing() };
    let head = [(CONTENT_TYPE, kind(KINDS, name)), (CONTENT_ENCODING, "gzip")];
    (headers(), head, *content).into_response()
}

/// Returns what a file holds, by its ending; a text where that is not known.
fn kind(kinds: &[(&str, &'static str)], name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    kinds.iter().find(|(known, _)| *known == ending).map_or("text/plain; charset=utf-8", |(_, kind)| kind)
}

async fn kept(State(studio): State<Arc<Studio>>, Path(path): Path<String>) -> Response {
    let Some(place) = results::file(&studio.root, &path) else { return missing() };
    let kind = kind(KEPT, &path);
    match tokio::fs::read(&place).await {
        Ok(bytes) => (headers(), [(CONTENT_TYPE, kind)], bytes).into_response(),
        Err(_) => missing(),
    }
}

fn missing() -> Response {
    (StatusCode::NOT_FOUND, headers(), "no such file").into_response()
}
