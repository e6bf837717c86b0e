//! Files between the host and a device: pushed and pulled as they stream, held against the size that the other end tells.

use std::path::Path;
use std::time::Duration;

use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;

use crate::adb::{self, Device, sync::Stat};
use crate::driver::Error;

/// Bytes per second that the slowest connection carries.
const SLOWEST: u64 = 500_000;
/// How long a transfer may take beside that.
const START: Duration = Duration::from_mins(1);
/// The file kind in a mode, and that of a folder.
const KIND: u32 = 0o170_000;
const FOLDER: u32 = 0o040_000;
/// Linux's words for a full disk.
const NO_ROOM: &str = "No space left";

/// Copies a file of the host to the device; the device makes the folders above it.
pub(super) async fn push(device: &Device, from: &Path, to: &str) -> Result<u64, Error> {
    let local = |error: std::io::Error| Error::NotFound { what: format!("file {} ({error})", from.display()) };
    let file = File::open(from).await.map_err(local)?;
    let size = file.metadata().await.map_err(local)?.len();
    patient(device, size).push(file, to, 0o644).await.map_err(|error| refused(to, error))?;
    match device.stat(to).await? {
        Some(stat) if same_size(stat.size, size) => Ok(size),
        Some(stat) => Err(broken(to, &format!("{} of {size} bytes are on the device", stat.size))),
        None => Err(broken(to, "it is not there after it was sent")),
    }
}

/// Says what to do where a file was refused for want of room.
fn refused(path: &str, error: adb::Error) -> Error {
    match &error {
        adb::Error::Refused { message } if message.contains(NO_ROOM) => {
            broken(path, &format!("the device has no room for it ({message}): free some of its storage"))
        }
        _ => error.into(),
    }
}

/// Copies a file of the device to the host; what came of one that does not come whole, or is given up, is removed.
pub(super) async fn pull(device: &Device, from: &str, to: &Path) -> Result<u64, Error> {
    let stat = device.stat(from).await?.ok_or_else(|| Error::NotFound { what: format!("`{from}` on the device") })?;
    if is_folder(&stat) {
        return Err(broken(from, "it is a folder: name a file in it"));
    }
    receive(&patient(device, stat.size), from, to).await
}

/// A file of the host that is not whole yet; dropping this removes it.
struct Part<'a>(Option<&'a Path>);

impl Part<'_> {
    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        if let Some(path) = self.0 {
            // The error that counts is the one that is returned.
            let _ = std::fs::remove_file(path);
        }
    }
}

async fn receive(device: &Device, from: &str, to: &Path) -> Result<u64, Error> {
    let local = |error: std::io::Error| Error::Device { message: format!("cannot write {}: {error}", to.display()) };
    let mut file = File::create(to).await.map_err(local)?;
    let part = Part(Some(to));
    let size = device.pull_to(from, &mut file).await?;
    file.flush().await.map_err(local)?;
    part.keep();
    Ok(size)
}

/// Tells whether a path is a folder, or leads to one.
pub(super) async fn leads_to_folder(device: &Device, path: &str) -> Result<bool, Error> {
    // What stands behind a link (`/sdcard` is one) is told for a path that ends in `/.`.
    let inner = device.stat(&format!("{}/.", path.trim_end_matches('/'))).await?;
    Ok(inner.as_ref().is_some_and(is_folder))
}

fn is_folder(stat: &Stat) -> bool {
    stat.mode & KIND == FOLDER
}

/// Returns the device with a limit of time that fits the size.
fn patient(device: &Device, size: u64) -> Device {
    device.with_deadline(START + Duration::from_secs(size / SLOWEST))
}

/// Compares sizes by the 32 bits that the protocol has for one of them.
fn same_size(told: u64, size: u64) -> bool {
    told == size || told == size & u64::from(u32::MAX)
}

fn broken(path: &str, how: &str) -> Error {
    Error::Device { message: format!("`{path}`: {how}") }
}
