//! The device's gallery: files go into a folder of our own under `DCIM`, and the media index is told and asked.
//!
//! Only that folder is ever emptied, so that nobody's photos are lost.

use std::path::Path;
use std::time::Duration;

use super::answer::{self, complaint, failed};
use super::files;
use super::leftover::Leftover;
use super::until::until;
use crate::adb::{Device, quote};
use crate::driver::Error;

/// Our folder, as files are pushed to it, and as the media index names it.
const FOLDER: &str = "/sdcard/DCIM/uixt";
const INDEXED: &str = "/storage/emulated/0/DCIM/uixt";
const INDEX: &str = "content://media/external/file";
/// How long the index may take to know what was told.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Copies a file into the gallery and waits until the index knows it, where the device lets the index be asked.
pub(super) async fn add(device: &Device, file: &Path, name: &str) -> Result<String, Error> {
    let path = format!("{FOLDER}/{name}");
    files::push(device, file, &path).await?;
    let condition = format!("_data={}", literal(&format!("{INDEXED}/{name}")));
    // A device removes by itself what did not come whole.
    let leftover = Leftover::new(device, format!("rm -f {}; {}", quote(&path), removal(&condition)));
    scan(device, &path).await?;
    match shows(device, &condition, true).await? {
        true => {
            leftover.forget();
            Ok(path)
        }
        false => Err(late(&format!("{path} was sent, but the gallery did not take it in"))),
    }
}

/// Removes the folder; returns how many files were in it.
pub(super) async fn clear(device: &Device) -> Result<usize, Error> {
    let listed = device.shell(&format!("ls -1 {FOLDER}; rm -rf {FOLDER}")).await?;
    if let Some(line) = complaint(&answer::text(&listed.stderr)).filter(|line| line.starts_with("rm:")) {
        return Err(failed("rm", line));
    }
    let names = answer::text(&listed.stdout);
    let count = names.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("ls:")).count();
    let condition = format!("_data LIKE {}", literal(&format!("{INDEXED}/%")));
    // Devices from Android 11 on know by themselves; others may refuse the shell: the look below decides.
    device.shell(&removal(&condition)).await?;
    match shows(device, &condition, false).await? {
        true => Ok(count),
        false => Err(late(&format!("{FOLDER} was removed, but the gallery still shows what was in it"))),
    }
}

/// Takes what fits a condition out of the index.
fn removal(condition: &str) -> String {
    format!("content delete --uri {INDEX} --where {}", quote(condition))
}

async fn scan(device: &Device, path: &str) -> Result<(), Error> {
    let address = quote(&format!("file://{}", encoded(path)));
    let command = format!("am broadcast -a android.intent.action.MEDIA_SCANNER_SCAN_FILE -d {address}");
    answer::checked("am broadcast", &device.shell(&command).await?).map(drop)
}

/// Waits until the index has something of a condition, or nothing; false where it does not come to that in time. A device
/// that does not let the shell ask counts as one that did.
async fn shows(device: &Device, condition: &str, there: bool) -> Result<bool, Error> {
    let query = format!("content query --uri {INDEX} --projection _data --where {}", quote(condition));
    let look = || async {
        let output = device.shell(&query).await?;
        Ok(found(&format!("{}\n{}", answer::text(&output.stdout), answer::text(&output.stderr))))
    };
    Ok(until(TIMEOUT, look, |found| found.is_none_or(|found| found == there)).await?.reached)
}

/// Reads the answer to a query: whether there is a row; none where the device did not answer it.
pub(super) fn found(text: &str) -> Option<bool> {
    let has = |start: &str| text.lines().any(|line| line.trim().starts_with(start));
    if has("Row:") { Some(true) } else { has("No result found").then_some(false) }
}

fn late(what: &str) -> Error {
    Error::Device { message: format!("{what} within {} s", TIMEOUT.as_secs()) }
}

/// Writes a text as SQL reads it.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Writes a path as a URL holds it.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte);
    let one = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_for_the_url_the_index_and_the_shell() {
        assert_eq!(encoded("/a/it's 图.png"), "/a/it%27s%20%E5%9B%BE.png");
        assert_eq!(literal("it's"), "'it''s'");
    }

    #[test]
    fn a_refusal_is_told_from_an_empty_index() {
        assert_eq!(found("Row: 0 _data=/storage/emulated/0/DCIM/uixt/a.png\n"), Some(true));
        assert_eq!(found("No result found.\n"), Some(false));
        assert_eq!(found("Error while accessing provider:media\njava.lang.SecurityException"), None);
    }
}
