//! The files of the page, as they are in the program.

use axum::extract::Path;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

const PAGE: &str = include_str!("../../page/index.html");

pub(super) const STYLE: &str = include_str!("../../page/style.css");

/// What the page in a frame begins with instead of `app.js`.
const HOST: &str = include_str!("../../page/host.js");

/// The modules of an instance, each behind those that it needs.
const HOSTED: &[&str] =
    &["dom.js", "document.js", "connection.js", "field.js", "inputs.js", "choices.js", "shown.js", "instance.js"];

/// Each file beside the page itself.
const FILES: &[(&str, &str, &str)] = &[
    ("style.css", "text/css; charset=utf-8", STYLE),
    ("app.js", "text/javascript; charset=utf-8", include_str!("../../page/app.js")),
    ("connection.js", "text/javascript; charset=utf-8", include_str!("../../page/connection.js")),
    ("document.js", "text/javascript; charset=utf-8", include_str!("../../page/document.js")),
    ("dom.js", "text/javascript; charset=utf-8", include_str!("../../page/dom.js")),
    ("instance.js", "text/javascript; charset=utf-8", include_str!("../../page/instance.js")),
    ("list.js", "text/javascript; charset=utf-8", include_str!("../../page/list.js")),
    ("field.js", "text/javascript; charset=utf-8", include_str!("../../page/field.js")),
    ("inputs.js", "text/javascript; charset=utf-8", include_str!("../../page/inputs.js")),
    ("choices.js", "text/javascript; charset=utf-8", include_str!("../../page/choices.js")),
    ("shown.js", "text/javascript; charset=utf-8", include_str!("../../page/shown.js")),
    ("icon.svg", "image/svg+xml", include_str!("../../page/icon.svg")),
];

/// What a page may do: run and load what this server gives, show pictures of these sources, and nothing else. No script stands in a page, and no style,
/// so that a text that got into one does neither.
macro_rules! policy {
    ($pictures:literal) => {
        concat!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src ",
            $pictures,
            "; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
             trusted-types uixt"
        )
    };
}

/// Returns the modules of the page in a frame, each behind those that it needs.
pub(super) fn hosted() -> impl Iterator<Item = &'static str> {
    let of_name = |wanted: &&str| FILES.iter().find(|(name, ..)| name == wanted).map(|(.., module)| *module);
    HOSTED.iter().filter_map(of_name).chain([HOST])
}

/// The headers of everything that is served of UI instances, which show pictures from anywhere.
pub fn headers() -> [(HeaderName, HeaderValue); 4] {
    with(policy!("'self' data: http: https:"))
}

/// The headers of a page that shows its server's pictures alone.
pub fn headers_of_own() -> [(HeaderName, HeaderValue); 4] {
    with(policy!("'self' data:"))
}

fn with(policy: &'static str) -> [(HeaderName, HeaderValue); 4] {
    [
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy)),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ]
}

pub(super) async fn page() -> Response {
    (headers(), [(CONTENT_TYPE, "text/html; charset=utf-8")], PAGE).into_response()
}

pub(super) async fn asset(Path(name): Path<String>) -> Response {
    match FILES.iter().find(|(known, _, _)| *known == name) {
        Some((_, kind, content)) => (headers(), [(CONTENT_TYPE, *kind)], *content).into_response(),
        None => (StatusCode::NOT_FOUND, headers(), "no such file").into_response(),
    }
}
