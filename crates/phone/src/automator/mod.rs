//! A stand-in for Appium's UiAutomator2 server: what `am instrument` starts once its two packages are installed, and what answers
//! on the phone's port 6790 while it runs.
//!
//! [`Automator`] is its life, `packages` what is installed of it; `service` reads requests and `session` answers them, by
//! `tree` (the screen as XML), `search` (elements in it) and `touches` (W3C actions). Routes and formats follow
//! appium-uiautomator2-server 10 (`AppiumServlet`, `UiElementSnapshot`, `ActionsTokenizer`).

mod elements;
mod facts;
pub(super) mod packages;
mod search;
mod service;
mod session;
mod touches;
mod tree;

use std::sync::{Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

pub(super) use self::service::serve;
use self::session::Session;

/// The port that it listens on.
pub(super) const PORT: u16 = 6790;
/// The process that it runs in.
pub(super) const PROCESS: &str = packages::SERVER;
/// The process id of that.
pub(super) const PROCESS_ID: u32 = 5790;

/// The server's life on one phone.
#[derive(Default)]
pub(super) struct Automator {
    running: Mutex<Option<Running>>,
}

struct Running {
    /// Cancelled once it ends.
    over: CancellationToken,
    session: Option<Session>,
    /// Whether it ended by itself, rather than being ended.
    is_done: bool,
}

impl Automator {
    /// Starts it; `None` where it runs already, as Android lets one program see its windows at a time.
    pub(super) fn start(&self) -> Option<CancellationToken> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.as_ref().is_some_and(|running| !running.over.is_cancelled()) {
            return None;
        }
        let over = CancellationToken::new();
        *running = Some(Running { over: over.clone(), session: None, is_done: false });
        Some(over)
    }

    /// Ends it from outside; whether it ran.
    pub(super) fn kill(&self) -> bool {
        self.with(|running| running.over.cancel()).is_some()
    }

    /// Returns what is cancelled once it ends; `None` where it does not run.
    pub(super) fn running(&self) -> Option<CancellationToken> {
        self.with(|running| running.over.clone())
    }

    /// Whether the one that ran last ended by itself.
    pub(super) fn is_done(&self) -> bool {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.as_ref().is_some_and(|running| running.is_done)
    }

    /// Ends it by itself, as the end of its session does.
    fn finish(&self) {
        self.with(|running| {
            running.is_done = true;
            running.over.cancel();
        });
    }

    /// Lets `act` use its session; `None` where there is none.
    fn session<T>(&self, act: impl FnOnce(&mut Session) -> T) -> Option<T> {
        self.with(|running| running.session.as_mut().map(act)).flatten()
    }

    fn set_session(&self, session: Option<Session>) {
        self.with(|running| running.session = session);
    }

    fn with<T>(&self, act: impl FnOnce(&mut Running) -> T) -> Option<T> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.as_mut().filter(|running| !running.over.is_cancelled()).map(act)
    }
}
