//! Settings of a server at a URL → a transport by Streamable HTTP, and when it must be the older one.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use rmcp::service::ClientInitializeError;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError};

use super::incoming::MAX_LEN;
use super::transport::TransportError;

/// Most redirects that are followed, and only to the same place.
const REDIRECTS: usize = 5;

/// How often a stream that broke is begun again.
const RETRIES: usize = 6;

/// Answers to the first POST by which an older server is known.
const OLDER: [&str; 3] = ["HTTP 400", "HTTP 404", "HTTP 405"];

/// Makes a client that sends these headers, to no other host.
pub(super) fn client(headers: &HeaderMap) -> Result<reqwest::Client, String> {
    let same_origin = Policy::custom(|attempt| {
        let first = attempt.previous().first().map(reqwest::Url::origin);
        match first == Some(attempt.url().origin()) && attempt.previous().len() <= REDIRECTS {
            true => attempt.follow(),
            false => attempt.stop(),
        }
    });
    let client =
        uixt_core::http::client().default_headers(headers.clone()).redirect(same_origin).pool_max_idle_per_host(0);
    client.build().map_err(|error| format!("cannot make an HTTP client: {error}"))
}

pub(super) fn streamable(url: &str, client: reqwest::Client) -> StreamableHttpClientTransport<reqwest::Client> {
    let mut config = StreamableHttpClientTransportConfig::with_uri(url).max_sse_event_size(MAX_LEN);
    let mut retry = ExponentialBackoff::default();
    (retry.max_times, retry.base_duration) = (Some(RETRIES), Duration::from_millis(250));
    config.retry_config = Arc::new(retry);
    StreamableHttpClientTransport::with_client(client, config)
}

/// Tells whether a server refused the first POST as servers do that speak HTTP with SSE only.
pub(super) fn is_older(error: &ClientInitializeError) -> bool {
    matches!(error, ClientInitializeError::TransportError { .. }) && {
        let told = told(error);
        OLDER.iter().any(|status| told.contains(status))
    }
}

/// Returns what went wrong at the bottom of an error, on one line.
pub(super) fn told(error: &ClientInitializeError) -> String {
    let text = match error {
        ClientInitializeError::JsonRpcError(error) => format!("it refused: {} ({})", error.message, error.code.0),
        ClientInitializeError::ConnectionClosed(_) => "it ended the connection before it had answered".to_owned(),
        ClientInitializeError::TransportError { error, .. } => cause(error.error.as_ref()),
        other => other.to_string(),
    };
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(400).collect();
    line
}

/// Returns what is below an error; the library's own does not tell what is below a failed request.
fn source<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a (dyn std::error::Error + 'static)> {
    match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(StreamableHttpError::Client(request)) => std::error::Error::source(request),
        _ => error.source(),
    }
}

/// Tells whether a request that has no answer may have reached the server all the same: it may have done what it was asked.
pub(super) fn may_have_arrived(error: &(dyn std::error::Error + 'static)) -> bool {
    use StreamableHttpError as E;
    let error = TransportError::unwrap(error);
    match error.downcast_ref::<E<reqwest::Error>>() {
        Some(E::Client(error)) => {
            let is_refused = error.status().is_some_and(|status| status.is_client_error());
            !is_refused && !error.is_connect() && !error.is_builder()
        }
        Some(E::HttpStatus(error)) => error.status >= 500,
        // Answers of another status than 2xx are told by their status.
        Some(E::UnexpectedServerResponse(told)) => !told.starts_with("HTTP 4"),
        Some(
            E::UnexpectedContentType(_)
            | E::ResponseBodyTooLarge { .. }
            | E::UnexpectedEndOfStream
            | E::Sse(_)
            | E::Deserialize(_)
            | E::SessionRecoveryTimeout,
        ) => true,
        Some(_) => false,
        None => error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == UNREAD),
    }
}

/// How the older transport tells that a request may have arrived.
pub(super) const UNREAD: std::io::ErrorKind = std::io::ErrorKind::ConnectionAborted;

pub(super) fn cause(error: &(dyn std::error::Error + 'static)) -> String {
    let error = TransportError::unwrap(error);
    let mut told = match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(StreamableHttpError::UnexpectedContentType(Some(kind))) => {
            format!("it answered with {}, which is not an MCP message", kind.escape_debug())
        }
        Some(StreamableHttpError::UnexpectedContentType(None)) => "it answered with no Content-Type".to_owned(),
        _ => error.to_string(),
    };
    let mut next = source(error);
    while let Some(error) = next {
        let text = error.to_string();
        if !told.contains(&text) {
            told = format!("{told}: {text}");
        }
        next = source(error);
    }
    told
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    type Of = StreamableHttpError<reqwest::Error>;

    #[test]
    fn what_may_have_arrived_is_told_from_what_was_never_sent() {
        for (error, may) in [
            (Of::ResponseBodyTooLarge { max_size: 1 }, true),
            (Of::UnexpectedContentType(Some("text/html".to_owned())), true),
            (Of::UnexpectedServerResponse("HTTP 500 Internal Server Error".into()), true),
            (Of::UnexpectedServerResponse("HTTP 400 Bad Request: no".into()), false),
            (Of::SessionExpired, false),
            (Of::ReservedHeaderConflict("x".to_owned()), false),
        ] {
            assert_eq!(may_have_arrived(&error), may, "{error}");
        }
        assert!(may_have_arrived(&io::Error::new(UNREAD, "HTTP 500")));
        assert!(!may_have_arrived(&io::Error::from(io::ErrorKind::BrokenPipe)), "a pipe takes the whole or nothing");
    }

    #[tokio::test]
    async fn a_server_that_is_not_there_was_not_asked() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let client = client(&HeaderMap::new()).unwrap();
        let error = client.post(format!("http://{address}/")).send().await.unwrap_err();
        assert!(!may_have_arrived(&Of::Client(error)));
    }

    #[test]
    fn a_page_is_told_as_what_it_is() {
        let page = Of::UnexpectedContentType(Some("text/html".to_owned()));
        assert_eq!(cause(&page), "it answered with text/html, which is not an MCP message");
    }
}
