//! The screen as a film: `screenrecord` into a file of the device, which is pulled and removed.
//!
//! A recording that is given up is stopped: by itself it would go on to its end, whoever still waits for it.

use std::path::Path;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;

use super::answer::checked;
use super::files;
use super::leftover::Leftover;
use crate::adb::{Device, quote};
use crate::driver::Error;

/// How long the device may take beside the recording itself.
const EXTRA: Duration = Duration::from_secs(30);
/// What stands at bytes 4 to 8 of an MP4.
const MARK: &[u8] = b"ftyp";

/// Records for a while; the command takes whole seconds, so that a part of one counts as one.
pub(super) async fn record(device: &Device, duration: Duration, to: &Path) -> Result<(), Error> {
    let remote = format!("/data/local/tmp/uixt-{:016x}.mp4", fastrand::u64(..));
    let leftover = Leftover::written(device, &remote);
    let seconds = duration.as_secs_f64().ceil().clamp(1.0, 180.0);
    let command = format!("screenrecord --time-limit {seconds:.0} {}", quote(&remote));
    let recorded = device.with_deadline(Duration::from_secs_f64(seconds) + EXTRA).shell(&command).await;
    let pulled = match recorded.map_err(Error::from).and_then(|output| checked("screenrecord", &output)) {
        Ok(_) => files::pull(device, &remote, to).await,
        Err(error) => Err(error),
    };
    leftover.remove().await;
    pulled?;
    check(to).await
}

pub(super) async fn check(file: &Path) -> Result<(), Error> {
    let mut head = [0; 8];
    let read = async { tokio::fs::File::open(file).await?.read_exact(&mut head).await };
    match read.await {
        Ok(_) if head[4..] == *MARK => Ok(()),
        _ => Err(Error::Device { message: "`screenrecord` gave a file that is no MP4".to_owned() }),
    }
}
