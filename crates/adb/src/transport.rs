//! The ways to devices: through an adb server, or straight to each device's own adbd.
//!
//! A way carries bytes to a service of a device and back; what they mean is not its business.

use std::fmt::Debug;

use async_trait::async_trait;

use super::client::Limits;
use super::error::Error;
use super::listing::Listed;
use super::service::Stream;

/// A way to devices. Its streams close when they are dropped.
#[async_trait]
pub trait Transport: Debug + Send + Sync + 'static {
    /// Lists the devices that it leads to, in whatever state.
    async fn devices(&self) -> Result<Vec<Listed>, Error>;

    /// Returns what both this way and the device can do: `shell_v2`, `stat_v2`, …
    async fn features(&self, serial: &str) -> Result<Vec<String>, Error>;

    /// Opens a service of a device: `sync:`, `exec:ls`.
    async fn open(&self, serial: &str, service: &str) -> Result<Stream, Error>;

    /// How long is waited for an answer, and how much of it is taken, where a device is not told otherwise.
    fn limits(&self) -> Limits;
}
