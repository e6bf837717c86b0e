//! What stands for queues in a build without a client of Redis: none can be opened.

use std::time::Duration;

use super::{Address, Entry, Error, Status, Taken};

/// A queue, of which there is none.
pub enum Queue {}

#[expect(clippy::unused_async, reason = "as a client has them")]
impl Queue {
    /// Says that this build has no queues.
    pub async fn open(_: Address, _: String, _: Duration) -> Result<Self, Error> {
        Err(Error::Absent)
    }

    pub fn host(&self) -> &str {
        match *self {}
    }

    pub fn lease(&self) -> Duration {
        match *self {}
    }

    pub async fn fill(&self, _: &str, _: &[Entry], _: bool) -> Result<(), Error> {
        match *self {}
    }

    pub async fn take(&self, _: &[String]) -> Result<Taken, Error> {
        match *self {}
    }

    pub async fn renew(&self, _: &[String]) -> Result<Vec<String>, Error> {
        match *self {}
    }

    pub async fn complete(&self, _: &str, _: &str, _: &[u8]) -> Result<bool, Error> {
        match *self {}
    }

    pub async fn restore(&self, _: &[(String, String, Vec<u8>)], _: &[String]) -> Result<Vec<String>, Error> {
        match *self {}
    }

    pub async fn status(&self) -> Result<Option<Status>, Error> {
        match *self {}
    }

    pub async fn results(&self, _: usize, _: usize) -> Result<Vec<Vec<u8>>, Error> {
        match *self {}
    }

    pub async fn remove(&self) -> Result<(), Error> {
        match *self {}
    }
}
