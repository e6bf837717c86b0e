//! HTTP with SSE, as the protocol of 2024 has it: a GET opens a stream whose first event names where messages are posted to.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::Url;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use sse_stream::{Sse, SseStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use uixt_core::http::deepest_cause;

use super::diagnostics::Diagnostics;
use super::http::UNREAD;
use super::incoming::{Incoming, MAX_LEN};

/// Messages that wait to be taken.
const WAITING: usize = 64;

/// How long a message may take to be posted.
const POSTING: Duration = Duration::from_secs(30);

/// The client's end of an older server.
pub(super) struct Events {
    client: reqwest::Client,
    endpoint: Url,
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleClient>>,
    incoming: Arc<Incoming>,
    reading: JoinHandle<()>,
}

impl Events {
    /// Opens the stream, and waits for the event that names the endpoint.
    pub(super) async fn open(
        url: &str,
        client: reqwest::Client,
        diagnostics: Arc<Diagnostics>,
    ) -> Result<Self, String> {
        let url: Url = url.parse().map_err(|error| format!("`url`: {error}"))?;
        let answer = client.get(url.clone()).header(ACCEPT, "text/event-stream").send().await;
        let answer = answer.map_err(|error| format!("GET: {}", told(&error)))?;
        if !answer.status().is_success() {
            return Err(format!("GET: HTTP {}", answer.status()));
        }
        let kind = answer.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.starts_with("text/event-stream") {
            return Err(format!("GET: `{}` is not an event stream", kind.chars().take(80).collect::<String>()));
        }
        let size = Arc::new(AtomicUsize::new(0));
        let (read, limit) = (Arc::clone(&size), MAX_LEN + (64 << 10));
        let bytes = answer.bytes_stream().map(move |chunk| {
            let chunk = chunk.map_err(|error| std::io::Error::other(told(&error)))?;
            match read.fetch_add(chunk.len(), Ordering::Relaxed) + chunk.len() > limit {
                true => Err(std::io::Error::other(format!("an event of more than {} MiB", MAX_LEN >> 20))),
                false => Ok(chunk),
            }
        });
        let mut events = Box::pin(SseStream::from_bytes_stream(bytes));
        let endpoint = loop {
            match events.next().await {
                Some(Ok(event)) if event.event.as_deref() == Some("endpoint") => break event.data.unwrap_or_default(),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(format!("its event stream is broken: {error}")),
                None => return Err("its stream ended before it named an endpoint".to_owned()),
            }
        };
        let endpoint = url.join(endpoint.trim()).map_err(|error| format!("its endpoint is not a URL: {error}"))?;
        // Whoever answers may not send what is secret elsewhere.
        if endpoint.origin() != url.origin() {
            return Err("its endpoint is at another host, which is not trusted".to_owned());
        }
        let (sender, messages) = mpsc::channel(WAITING);
        let incoming = Arc::new(Incoming::new(diagnostics));
        let taking = Arc::clone(&incoming);
        let reading = tokio::spawn(async move {
            while let Some(event) = events.next().await {
                size.store(0, Ordering::Relaxed);
                let Some(message) = taken(&taking, event).transpose() else { continue };
                match message {
                    Ok(message) => {
                        if sender.send(message).await.is_err() {
                            return;
                        }
                    }
                    Err(why) => return taking.diagnostics().ended(why),
                }
            }
            taking.diagnostics().ended("its event stream ended");
        });
        Ok(Self { client, endpoint, messages, incoming, reading })
    }
}

fn taken(
    incoming: &Incoming,
    event: Result<Sse, sse_stream::Error>,
) -> Result<Option<RxJsonRpcMessage<RoleClient>>, String> {
    let event = event.map_err(|error| format!("its event stream broke: {error}"))?;
    let is_message = matches!(event.event.as_deref(), None | Some("" | "message"));
    match event.data.filter(|_| is_message) {
        Some(data) => incoming.take(data.as_bytes()),
        None => incoming.take(b""),
    }
}

/// Returns an error of a request without its URL, which may hold a key.
fn told(error: &reqwest::Error) -> String {
    let what = match error {
        _ if error.is_connect() => "it cannot be reached",
        _ if error.is_timeout() => "no answer in time",
        _ => "the connection broke",
    };
    deepest_cause(error).map_or_else(|| what.to_owned(), |cause| format!("{what}: {cause}"))
}

impl Drop for Events {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

impl Transport<RoleClient> for Events {
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.incoming.expects(&message);
        let request = self.client.post(self.endpoint.clone()).json(&message).timeout(POSTING);
        async move {
            let failed = |may_have_arrived: bool, told: String| match may_have_arrived {
                true => std::io::Error::new(UNREAD, told),
                false => std::io::Error::other(told),
            };
            let answer = request.send().await;
            let answer = answer.map_err(|error| failed(!error.is_connect() && !error.is_builder(), told(&error)))?;
            let status = answer.status();
            match status.is_success() {
                true => Ok(()),
                false => Err(failed(!status.is_client_error(), format!("HTTP {status}"))),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.reading.abort();
        Ok(())
    }
}
