//! How a phone's screen is looked at and touched: the one place where the ways to do it part. What is neither goes by shell.

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;

use super::uiautomator::Dump;
use crate::driver::{Error, Gesture, Keystrokes};

/// A way to look at a phone's screen and to touch it.
#[async_trait]
pub(super) trait Backend: Debug + Send + Sync {
    /// Reads the screen's tree and, in the same look, what the shell command `also` says; tries again for `patience` where
    /// there is no tree.
    async fn tree(&self, also: &str, timeout: Duration) -> Result<Dump, Error>;

    async fn perform(&self, gesture: &Gesture) -> Result<(), Error>;

    /// Presses keys one after the other, by their numbers.
    async fn press(&self, codes: &[u32]) -> Result<(), Error>;

    /// Types pieces for which [`is_plain`](super::text::is_plain) holds, each followed by its pause.
    async fn type_plain(&self, pieces: &[Keystrokes]) -> Result<(), Error>;

    async fn set_clipboard(&self, text: &str) -> Result<(), Error>;

    /// Tells whether all of it goes by shell, so that one command can look and touch.
    fn is_shell(&self) -> bool {
        false
    }

    /// Ends what it has running on the phone; what is asked afterwards starts it anew.
    async fn close(&self) {}
}
