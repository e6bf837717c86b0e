//! The files of the page, as they are in the program, and those of runs.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use uixt_ui::page::headers;

use crate::studio::Studio;
use crate::{PATH, results, socket};

const PAGE: &str = include_str!("../page/index.html");

const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Each file beside the page itself.
const FILES: &[(&str, &str, &str)] = &[
    ("acts.js", SCRIPT, include_str!("../page/acts.js")),
    ("app.js", SCRIPT, include_str!("../page/app.js")),
    ("ask.js", SCRIPT, include_str!("../page/ask.js")),
    ("cases.js", SCRIPT, include_str!("../page/cases.js")),
    ("completion.js", SCRIPT, include_str!("../page/completion.js")),
    ("connection.js", SCRIPT, include_str!("../page/connection.js")),
    ("device-bar.js", SCRIPT, include_str!("../page/device-bar.js")),
    ("device.css", STYLE, include_str!("../page/device.css")),
    ("device.js", SCRIPT, include_str!("../page/device.js")),
    ("dom.js", SCRIPT, include_str!("../page/dom.js")),
    ("drawer.js", SCRIPT, include_str!("../page/drawer.js")),
    ("editor-keys.js", SCRIPT, include_str!("../page/editor-keys.js")),
    ("editor.css", STYLE, include_str!("../page/editor.css")),
    ("editor.js", SCRIPT, include_str!("../page/editor.js")),
    ("element.js", SCRIPT, include_str!("../page/element.js")),
    ("explanation.js", SCRIPT, include_str!("../page/explanation.js")),
    ("file.js", SCRIPT, include_str!("../page/file.js")),
    ("gestures.js", SCRIPT, include_str!("../page/gestures.js")),
    ("history.js", SCRIPT, include_str!("../page/history.js")),
    ("icon.svg", "image/svg+xml", include_str!("../page/icon.svg")),
    ("keys.js", SCRIPT, include_str!("../page/keys.js")),
    ("lines.js", SCRIPT, include_str!("../page/lines.js")),
    ("log.js", SCRIPT, include_str!("../page/log.js")),
    ("menu.js", SCRIPT, include_str!("../page/menu.js")),
    ("overlay.js", SCRIPT, include_str!("../page/overlay.js")),
    ("panels.css", STYLE, include_str!("../page/panels.css")),
    ("panels.js", SCRIPT, include_str!("../page/panels.js")),
    ("picker.js", SCRIPT, include_str!("../page/picker.js")),
    ("picture.js", SCRIPT, include_str!("../page/picture.js")),
    ("pointing.js", SCRIPT, include_str!("../page/pointing.js")),
    ("recorded.js", SCRIPT, include_str!("../page/recorded.js")),
    ("results.js", SCRIPT, include_str!("../page/results.js")),
    ("rows.js", SCRIPT, include_str!("../page/rows.js")),
    ("run.js", SCRIPT, include_str!("../page/run.js")),
    ("splitter.js", SCRIPT, include_str!("../page/splitter.js")),
    ("step.js", SCRIPT, include_str!("../page/step.js")),
    ("studio.js", SCRIPT, include_str!("../page/studio.js")),
    ("style.css", STYLE, include_str!("../page/style.css")),
    ("target.js", SCRIPT, include_str!("../page/target.js")),
    ("theme.js", SCRIPT, include_str!("../page/theme.js")),
    ("timeline.js", SCRIPT, include_str!("../page/timeline.js")),
    ("tree.js", SCRIPT, include_str!("../page/tree.js")),
    ("typing.js", SCRIPT, include_str!("../page/typing.js")),
    ("variables.js", SCRIPT, include_str!("../page/variables.js")),
    ("words.js", SCRIPT, include_str!("../page/words.js")),
    ("yaml.js", SCRIPT, include_str!("../page/yaml.js")),
];

/// Endings of what runs keep, and what it holds; anything else is a text.
const KEPT: &[(&str, &str)] =
    &[("png", "image/png"), ("jpg", "image/jpeg"), ("mp4", "video/mp4"), ("json", "application/json")];

/// Serves the studio.
pub fn router(studio: Arc<Studio>) -> Router {
    Router::new()
        .route("/", get(|| async { Redirect::temporary(PATH) }))
        .route("/studio", get(|| async { Redirect::permanent(PATH) }))
        .route(PATH, get(page))
        .route("/studio/page/{name}", get(asset))
        .route("/studio/live", get(socket::open))
        .route("/studio/results/{*path}", get(kept))
        .with_state(studio)
}

async fn page() -> Response {
    (headers(), [(CONTENT_TYPE, "text/html; charset=utf-8")], PAGE).into_response()
}

async fn asset(Path(name): Path<String>) -> Response {
    match FILES.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, content)) => (headers(), [(CONTENT_TYPE, *kind)], *content).into_response(),
        None => missing(),
    }
}

async fn kept(State(studio): State<Arc<Studio>>, Path(path): Path<String>) -> Response {
    let Some(place) = results::file(&studio.root, &path) else { return missing() };
    let ending = place.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let kind = KEPT.iter().find(|(known, _)| *known == ending).map_or("text/plain; charset=utf-8", |(_, kind)| *kind);
    match tokio::fs::read(&place).await {
        Ok(bytes) => (headers(), [(CONTENT_TYPE, kind)], bytes).into_response(),
        Err(_) => missing(),
    }
}

fn missing() -> Response {
    (StatusCode::NOT_FOUND, headers(), "no such file").into_response()
}
