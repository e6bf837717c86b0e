//! The waist: whoever wants something done sends a [`CallToolRequest`] to a [`Caller`] and gets a [`CallToolResult`].
//!
//! Whatever goes wrong comes back as a result with `isError`, its [`Kind`](uixt_locate::Kind) and details in the structured content, so
//! that a remote caller's failures look the same.

use std::any::Any;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use uixt_core::dialogs::Dialogs;
use uixt_core::fail_on::FailOn;
use uixt_locate::Error;

use super::arrival::Arrival;
use super::message::{CallToolRequest, CallToolResult, ResourceLink, ToolDefinition};
use super::progress::Progress;
use super::times::CallTimes;
use crate::driver::Reel;

/// A future in a box.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a session leaves for one that goes on where it is; only whoever left it knows what that is.
pub type Carried = dyn Any + Send + Sync;

/// A call that takes longer is logged as slow.
pub const SLOW: Duration = Duration::from_secs(5);

/// What goes along with a call: how to end it and whom to tell how far it is; by default neither.
#[derive(Clone, Default)]
pub struct Call {
    /// Ends the call, and what is under way on the device with it.
    pub cancel: CancellationToken,
    pub progress: Progress,
    /// Where the pictures are kept of which the answer holds smaller ones.
    pub screenshots: Option<Arc<dyn ScreenshotStore>>,
    /// Whether the answer is for a program, which wants all of it, whoever is served.
    pub is_whole: bool,
    /// Its place among the calls of its client.
    pub arrival: Arrival,
    /// What it tells of its time.
    pub times: CallTimes,
}

/// Keeps whole pictures for a while.
pub trait ScreenshotStore: Send + Sync {
    /// Keeps a PNG; returns the link under which it is found.
    fn keep(&self, png: Vec<u8>) -> ResourceLink;
}

impl Call {
    /// Makes a call that a token ends.
    pub fn until(cancel: CancellationToken) -> Self {
        Self { cancel, ..Self::default() }
    }
}

/// Whoever can list tools and call them.
pub trait Caller: Send + Sync {
    fn list(&self) -> Boxed<'_, Vec<ToolDefinition>>;

    /// Makes a call.
    fn call(&self, request: CallToolRequest, call: Call) -> Boxed<'_, CallToolResult>;

    /// Tells what the last calls set going on pages, once they have come to rest: what went wrong there since a moment, or an error, as
    /// the next call would meet it. An app that crashed is told where `fail_on` asks for that. The dialogs of pages
    /// that are open are answered as `dialogs` says.
    fn after_last_act<'a>(
        &'a self,
        since: Instant,
        dialogs: Dialogs,
        fail_on: &'a [FailOn],
    ) -> Boxed<'a, Result<Vec<String>, Error>> {
        match self.inner() {
            Some(inner) => inner.after_last_act(since, dialogs, fail_on),
            None => Box::pin(async { Ok(Vec::new()) }),
        }
    }

    /// Films the device that calls go to until the film is to end, beside those calls; where there is none, nothing.
    fn film(&self, reel: Arc<dyn Reel>) -> Boxed<'_, Result<(), Error>> {
        match self.inner() {
            Some(inner) => inner.film(reel),
            None => Box::pin(async { Ok(()) }),
        }
    }

    /// Returns what a later caller needs to go on where this one is; none where that is kept elsewhere.
    fn state(&self) -> Option<Arc<Carried>> {
        self.inner()?.state()
    }

    /// Says that the case has passed whose calls it made: what waited for that is kept. The error says what could not be.
    fn passed(&self) -> Result<(), String> {
        self.inner().map_or(Ok(()), Caller::passed)
    }

    /// Ends the session: what calls left open, such as connections, is closed. Later calls begin anew.
    fn end(&self) {
        if let Some(inner) = self.inner() {
            inner.end();
        }
    }

    /// Returns the caller that this one stands before: what is not about calls is handed on to it.
    fn inner(&self) -> Option<&dyn Caller> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Own;
    struct Before(Own);

    impl Caller for Own {
        fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
            Box::pin(async { Vec::new() })
        }

        fn call(&self, _: CallToolRequest, _: Call) -> Boxed<'_, CallToolResult> {
            Box::pin(async { CallToolResult::default() })
        }

        fn after_last_act<'a>(
            &'a self,
            _: Instant,
            _: Dialogs,
            _: &'a [FailOn],
        ) -> Boxed<'a, Result<Vec<String>, Error>> {
            Box::pin(async { Ok(vec!["a page failed".to_owned()]) })
        }

        fn state(&self) -> Option<Arc<Carried>> {
            Some(Arc::new(1))
        }

        fn passed(&self) -> Result<(), String> {
            Err("not kept".to_owned())
        }
    }

    impl Caller for Before {
        fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
            self.0.list()
        }

        fn call(&self, request: CallToolRequest, call: Call) -> Boxed<'_, CallToolResult> {
            self.0.call(request, call)
        }

        fn inner(&self) -> Option<&dyn Caller> {
            Some(&self.0)
        }
    }

    #[tokio::test]
    async fn who_stands_before_a_caller_hands_on_what_is_not_about_calls() {
        let before = Before(Own);
        let told = before.after_last_act(Instant::now(), Dialogs::default(), &[]).await;
        assert!(told.is_ok_and(|told| told == ["a page failed"]));
        assert!(before.state().is_some() && before.passed().is_err());
    }
}
