//! The body of a request → the same body, which must come within a time.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Body;
use futures_util::{StreamExt as _, stream};
use tokio::time::{Instant, timeout_at};

/// How long nothing may come, and how long all of it may take.
struct Limits(Duration, Duration);

const LIMITS: Limits = Limits(Duration::from_secs(10), Duration::from_mins(1));

/// Tells whether a body did not come in time.
#[derive(Clone, Default)]
pub(super) struct Late(Arc<AtomicBool>);

impl Late {
    pub(super) fn is_so(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Ends a body with an error that does not come in time.
pub(super) fn timed(body: Body, late: &Late) -> Body {
    within(LIMITS, body, late)
}

fn within(Limits(pause, whole): Limits, body: Body, late: &Late) -> Body {
    let (data, late, end) = (body.into_data_stream(), late.clone(), Instant::now() + whole);
    Body::from_stream(stream::unfold(Some((data, late)), move |state| async move {
        let (mut data, late) = state?;
        let until = end.min(Instant::now() + pause);
        match timeout_at(until, data.next()).await {
            Ok(Some(Ok(bytes))) => Some((Ok(bytes), Some((data, late)))),
            Ok(Some(Err(error))) => Some((Err(io::Error::other(error)), None)),
            Ok(None) => None,
            Err(_) => {
                late.0.store(true, Ordering::Relaxed);
                Some((Err(io::ErrorKind::TimedOut.into()), None))
            }
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_body_must_come_within_its_time() {
        let limits = || Limits(Duration::from_millis(200), Duration::from_millis(300));
        let of = |pause: u64, parts: usize| {
            let parts = stream::iter(0..parts).then(move |_| async move {
                tokio::time::sleep(Duration::from_millis(pause)).await;
                Ok::<_, io::Error>("x")
            });
            Body::from_stream(parts)
        };
        for (pause, parts, is_late) in [(1, 3, false), (500, 1, true), (60, 9, true), (0, 0, false)] {
            let late = Late::default();
            let read = axum::body::to_bytes(within(limits(), of(pause, parts), &late), 100).await;
            assert_eq!((read.is_err(), late.is_so()), (is_late, is_late), "{parts} parts, {pause} ms apart");
        }
    }
}
