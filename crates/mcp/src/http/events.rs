//! What a session's streams carried, so that a client that lost one gets the rest: messages → numbered events, kept for a while.
//!
//! An event's number is `<stream>-<place>`; a stream is read again from the event after it and followed from there. What is kept
//! is bounded in bytes and time, the oldest going first.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures_util::{StreamExt as _, stream};
use parking_lot::Mutex;
use rmcp::model::{RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::{EventStore, EventStoreError, EventStream, ServerSseMessage};
use tokio::sync::watch;

/// Bytes of messages that a session keeps.
const KEPT: usize = 8 << 20;
/// How long an event is kept.
const LASTS: Duration = Duration::from_mins(10);

/// The number of the stream that belongs to no request.
const STANDALONE: u64 = 0;
/// How rmcp ends that stream's name.
const STANDALONE_NAME: &str = ":common";

/// The events of one session.
#[derive(Clone)]
pub(super) struct Events(Arc<Mutex<Kept>>);

struct Kept {
    streams: HashMap<u64, Line>,
    /// The numbers of the streams that rmcp names.
    numbers: HashMap<String, u64>,
    next: u64,
    /// All that is kept, oldest first: stream, bytes, since when.
    order: VecDeque<(u64, usize, Instant)>,
    bytes: usize,
    /// Requests without an answer.
    running: HashSet<RequestId>,
}

/// Why what follows an event cannot be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Gap {
    #[error("this is not an event of this session")]
    Unknown,
    #[error("the events after this one are no longer kept")]
    Dropped,
}

/// How far the stream that belongs to no request was told.
#[derive(Clone, Default)]
pub(super) struct Told(Arc<tokio::sync::Mutex<usize>>);

/// One stream.
struct Line {
    name: String,
    /// The place of the first event that is kept.
    first: usize,
    events: VecDeque<ServerSseMessage>,
    /// Whether the answer that ends it is there.
    is_whole: bool,
    grown: watch::Sender<()>,
}

impl Line {
    fn new(name: &str) -> Self {
        let grown = watch::Sender::new(());
        Self { name: name.to_owned(), first: 0, events: VecDeque::new(), is_whole: false, grown }
    }
}

impl Default for Events {
    fn default() -> Self {
        let streams = HashMap::from([(STANDALONE, Line::new(STANDALONE_NAME))]);
        let (numbers, order, running) = (HashMap::new(), VecDeque::new(), HashSet::new());
        Self(Arc::new(Mutex::new(Kept { streams, numbers, next: STANDALONE, order, bytes: 0, running })))
    }
}

impl Kept {
    fn store(&mut self, name: &str, event: &ServerSseMessage) -> String {
        if let Some(answered) = event.message.as_deref().and_then(answered) {
            self.running.remove(answered);
        }
        let stream = self.number(name);
        let bytes = event.message.as_deref().map_or(0, weight);
        self.order.push_back((stream, bytes, Instant::now()));
        self.bytes += bytes;
        let line = self.streams.entry(stream).or_insert_with(|| Line::new(name));
        let id = format!("{stream}-{}", line.first + line.events.len());
        line.is_whole |= stream != STANDALONE && event.message.as_deref().and_then(answered).is_some();
        let mut event = event.clone();
        event.event_id = Some(id.clone());
        line.events.push_back(event);
        line.grown.send_replace(());
        self.shrink();
        id
    }

    fn number(&mut self, name: &str) -> u64 {
        if name.ends_with(STANDALONE_NAME) {
            return STANDALONE;
        }
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        self.next += 1;
        self.numbers.insert(name.to_owned(), self.next);
        self.next
    }

    /// Drops the oldest until what is left is small and young enough; the newest stays.
    fn shrink(&mut self) {
        while self.order.len() > 1
            && let Some((stream, bytes, since)) = self.order.front().copied()
            && (self.bytes > KEPT || since.elapsed() > LASTS)
        {
            self.order.pop_front();
            self.bytes -= bytes;
            self.drop_first(stream);
        }
    }

    fn drop_first(&mut self, stream: u64) {
        let Some(line) = self.streams.get_mut(&stream) else { return };
        line.events.pop_front();
        line.first += 1;
        if line.is_whole && line.events.is_empty() {
            self.numbers.remove(&line.name);
            self.streams.remove(&stream);
        }
    }
}

impl Events {
    /// Notes that a request has come; tells whether no other of its id is under way.
    pub(super) fn begin(&self, request: RequestId) -> bool {
        self.0.lock().running.insert(request)
    }

    /// Notes that a request will have no answer.
    pub(super) fn forget(&self, request: &RequestId) {
        self.0.lock().running.remove(request);
    }

    /// Returns the requests that have no answer.
    pub(super) fn running(&self) -> Vec<RequestId> {
        self.0.lock().running.iter().cloned().collect()
    }

    /// Says why what follows an event cannot be told; nothing where it can. Of the stream that belongs to no request what is left
    /// is told in any case.
    pub(super) fn gap(&self, last: &str) -> Option<Gap> {
        let Some((stream, place)) = parse(last) else { return Some(Gap::Unknown) };
        let kept = self.0.lock();
        match kept.streams.get(&stream) {
            Some(line) if place >= line.first + line.events.len() => Some(Gap::Unknown),
            Some(line) if stream != STANDALONE && place + 1 < line.first => Some(Gap::Dropped),
            None if stream <= kept.next => Some(Gap::Dropped),
            None => Some(Gap::Unknown),
            Some(_) => None,
        }
    }

    /// Returns the next event of a stream, or how to wait for it; nothing where it has ended.
    fn at(&self, stream: u64, place: usize) -> Option<Result<ServerSseMessage, watch::Receiver<()>>> {
        let kept = self.0.lock();
        let line = kept.streams.get(&stream)?;
        match line.events.get(place.checked_sub(line.first)?) {
            Some(event) => Some(Ok(event.clone())),
            None if line.is_whole => None,
            None => Some(Err(line.grown.subscribe())),
        }
    }

    /// Returns what belongs to no request and was told nobody yet, and what comes: to one listener at a time, another waits.
    pub(super) fn standalone(&self, told: &Told, again_from: Option<usize>) -> EventStream {
        let (events, told) = (self.clone(), Arc::clone(&told.0));
        let begun = async move {
            let mut told = told.lock_owned().await;
            let first = events.0.lock().streams.get(&STANDALONE).map_or(0, |line| line.first);
            *told = again_from.unwrap_or(*told).max(first);
            stream::unfold((events, told), |(events, mut told)| async move {
                let (event, (events, place)) = events.next(STANDALONE, *told).await?;
                *told = place;
                Some((event, (events, told)))
            })
        };
        Box::pin(stream::once(begun).flatten())
    }

    async fn next(self, stream: u64, place: usize) -> Option<(ServerSseMessage, (Self, usize))> {
        loop {
            match self.at(stream, place)? {
                Ok(event) => return Some((event, (self, place + 1))),
                Err(mut grown) => {
                    // It may have grown between the look and the subscription.
                    if let Some(Ok(event)) = self.at(stream, place) {
                        return Some((event, (self, place + 1)));
                    }
                    grown.changed().await.ok()?;
                }
            }
        }
    }
}

#[async_trait]
impl EventStore for Events {
    async fn store_event(&self, stream: &str, event: &ServerSseMessage) -> Result<String, EventStoreError> {
        Ok(self.0.lock().store(stream, event))
    }

    async fn replay_events_after(&self, last: &str) -> Result<EventStream, EventStoreError> {
        let (stream, place) = parse(last).ok_or(Gap::Unknown)?;
        if let Some(gap) = self.gap(last) {
            return Err(gap.into());
        }
        Ok(Box::pin(stream::unfold((self.clone(), place + 1), move |(events, place)| events.next(stream, place))))
    }
}

/// Reads an event's number.
fn parse(id: &str) -> Option<(u64, usize)> {
    let (stream, place) = id.split_once('-')?;
    Some((stream.parse().ok()?, place.parse().ok().filter(|place| *place < usize::MAX)?))
}

/// Returns the place of an event of the stream that belongs to no request.
pub(super) fn standalone_place(id: &str) -> Option<usize> {
    parse(id).filter(|(stream, _)| *stream == STANDALONE).map(|(_, place)| place)
}

/// Returns the request that a message answers; its stream has nothing more after it.
fn answered(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ServerJsonRpcMessage::Response(answer) => Some(&answer.id),
        ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}

/// Returns how many bytes a message takes.
fn weight(message: &ServerJsonRpcMessage) -> usize {
    struct Scale(usize);
    impl Write for Scale {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut scale = Scale(0);
    serde_json::to_writer(&mut scale, message).map_or(0, |()| scale.0)
}

#[cfg(test)]
mod tests {
    use rmcp::model::{ErrorData, JsonRpcError, NumberOrString, ProgressNotificationParam, ProgressToken};
    use rmcp::model::{Notification, ServerNotification};

    use super::*;

    fn said(text: &str) -> ServerSseMessage {
        let token = ProgressToken(NumberOrString::Number(1));
        let said = ProgressNotificationParam::new(token, 0.5).with_message(text);
        let said = ServerNotification::ProgressNotification(Notification::new(said));
        ServerSseMessage::from_message(ServerJsonRpcMessage::notification(said))
    }

    fn answer() -> ServerSseMessage {
        let error = JsonRpcError::new(Some(NumberOrString::Number(1)), ErrorData::internal_error("x", None));
        ServerSseMessage::from_message(ServerJsonRpcMessage::Error(error))
    }

    #[tokio::test]
    async fn a_stream_is_read_again_and_followed_to_its_answer() {
        let events = Events::default();
        let first = events.store_event("a", &said("one")).await.unwrap();
        events.store_event("b", &said("another's")).await.unwrap();
        let second = events.store_event("a", &said("two")).await.unwrap();
        assert_eq!((first.as_str(), second.as_str()), ("1-0", "1-1"));
        let mut rest = events.replay_events_after(&first).await.unwrap();
        assert_eq!(rest.next().await.unwrap().event_id, Some(second));
        let later = tokio::spawn(async move { rest.collect::<Vec<_>>().await });
        tokio::task::yield_now().await;
        events.store_event("a", &answer()).await.unwrap();
        let later = tokio::time::timeout(Duration::from_secs(5), later).await.expect("it ends").unwrap();
        assert_eq!(later.iter().map(|event| event.event_id.as_deref()).collect::<Vec<_>>(), [Some("1-2")]);
    }

    #[tokio::test]
    async fn what_belongs_to_no_request_is_told_once() {
        let (events, told) = (Events::default(), Told::default());
        events.store_event("x:common", &said("early")).await.unwrap();
        let mut first = events.standalone(&told, None);
        assert_eq!(first.next().await.unwrap().event_id.as_deref(), Some("0-0"));
        let mut second = events.standalone(&told, None);
        let waits = tokio::time::timeout(Duration::from_millis(20), second.next()).await;
        assert!(waits.is_err(), "the first listens still");
        drop(first);
        events.store_event("x:common", &said("late")).await.unwrap();
        assert_eq!(second.next().await.unwrap().event_id.as_deref(), Some("0-1"));
        drop(second);
        let mut again = events.standalone(&told, standalone_place("0-0").map(|place| place + 1));
        assert_eq!(again.next().await.unwrap().event_id.as_deref(), Some("0-1"));
    }

    #[tokio::test]
    async fn what_is_kept_is_bounded_and_a_gap_is_told() {
        let events = Events::default();
        let first = events.store_event("a", &said("one")).await.unwrap();
        for _ in 0..20 {
            events.store_event("a", &said(&"x".repeat(1 << 20))).await.unwrap();
        }
        assert!(events.0.lock().bytes <= KEPT);
        for gone in [first.as_str(), "7-0", "0", "", "a-b"] {
            assert!(events.replay_events_after(gone).await.is_err(), "{gone}");
        }
        let last = format!("1-{}", 20);
        for (id, gap) in [
            (first.as_str(), Some(Gap::Dropped)),
            (last.as_str(), None),
            ("1-21", Some(Gap::Unknown)),
            ("0-0", Some(Gap::Unknown)),
            ("2-0", Some(Gap::Unknown)),
        ] {
            assert_eq!(events.gap(id), gap, "{id}");
        }
    }
}
