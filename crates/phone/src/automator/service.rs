//! HTTP on a stream → requests as method, path and JSON; answers → `{"sessionId": …, "value": …}`.

use std::convert::Infallible;
use std::sync::Arc;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::super::handset::Handset;
use super::refusal::{Outcome, Refusal};
use super::session;
use crate::adb::service::Stream;

/// What every path may begin with.
const BASE: &str = "/wd/hub";
/// Bytes of a request.
const LARGEST: usize = 4 << 20;

/// Answers requests on one connection until it or the server ends.
pub(crate) async fn serve(handset: Arc<Handset>, over: CancellationToken, stream: Stream) {
    let service = service_fn(move |request| {
        let handset = handset.clone();
        async move { Ok::<_, Infallible>(answer(handset, request).await) }
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    // A client that breaks off is no concern of the phone's.
    let _ = over.run_until_cancelled(connection).await;
}

async fn answer(handset: Arc<Handset>, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let body = Limited::new(request.into_body(), LARGEST).collect().await;
    let path = path.strip_prefix(BASE).unwrap_or(&path);
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let outcome = match body {
        Ok(body) => routed(&handset, &method, &segments, &body.to_bytes()).await,
        Err(error) => Err(Refusal::argument(error.to_string())),
    };
    let id = handset.automator.session(|session| session.id.clone());
    written(id.as_deref(), outcome)
}

async fn routed(handset: &Arc<Handset>, method: &Method, segments: &[&str], body: &Bytes) -> Outcome {
    let body: Value = match body.is_empty() {
        true => json!({}),
        false => serde_json::from_slice(body).map_err(|error| Refusal::argument(error.to_string()))?,
    };
    session::answer(handset, method.as_str(), segments, body).await
}

fn written(session: Option<&str>, outcome: Outcome) -> Response<Full<Bytes>> {
    let (status, value) = match outcome {
        Ok(value) => (200, value),
        Err(Refusal { status, error, message }) => {
            (status, json!({"error": error, "message": message, "stacktrace": ""}))
        }
    };
    // A new session's id stands beside its value, too.
    let id = value["sessionId"].as_str().or(session);
    let text = json!({"sessionId": id, "value": value}).to_string();
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("application/json; charset=utf-8"));
    headers.insert(CACHE_CONTROL, hyper::header::HeaderValue::from_static("no-store"));
    response
}
