//! The screen as a film of any length: parts of `screenrecord`, one after the other, each pulled once it is whole.

use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use super::answer::checked;
use super::files;
use super::leftover::{Leftover, ending};
use super::record::check;
use crate::adb::{Device, Output, quote};
use crate::driver::{Error, Reel};

/// Seconds of a part: the longest that Android records.
const PART: u64 = 180;
/// How long the device may take to begin a part and to end it, beside the recording itself.
const EXTRA: Duration = Duration::from_secs(30);
/// How long it may take to write the end of a part that was told to end.
const ENDING: Duration = Duration::from_secs(10);

/// How long after it was told to end it is told again.
const AGAIN: Duration = Duration::from_millis(500);

/// Films until that is to end.
pub(super) async fn film(device: &Device, reel: &dyn Reel) -> Result<(), Error> {
    let mut ended = false;
    while !ended {
        let Some(file) = reel.next_part() else { return Ok(()) };
        let remote = format!("/data/local/tmp/uixt-{:016x}.mp4", fastrand::u64(..));
        let leftover = Leftover::written(device, &remote);
        let (began, clock) = (SystemTime::now(), Instant::now());
        ended = part(device, &remote, reel).await?;
        let lasted = clock.elapsed();
        if !ended || reel.is_wanted() {
            files::pull(device, &remote, &file).await?;
            check(&file).await?;
            reel.part(&file, began, lasted);
        }
        leftover.remove().await;
    }
    Ok(())
}

/// Films a part; tells whether the whole film ended with it.
async fn part(device: &Device, remote: &str, reel: &dyn Reel) -> Result<bool, Error> {
    let command = format!("screenrecord --time-limit {PART} {}", quote(remote));
    let patient = device.with_deadline(Duration::from_secs(PART) + EXTRA);
    let recording = patient.shell(&command);
    tokio::pin!(recording);
    let (ended, output) = tokio::select! {
        biased;
        output = &mut recording => (false, output?),
        () = reel.ended() => {
            let late = |_| Error::Device { message: format!("`screenrecord` did not end within {} s", ENDING.as_secs()) };
            let told = told_to_end(device, remote, &mut recording);
            (true, tokio::time::timeout(ENDING, told).await.map_err(late)??)
        }
    };
    // One that is told to end says so by a signal's exit code on some phones.
    if !ended {
        checked("screenrecord", &output)?;
    }
    Ok(ended)
}

/// Tells a recording to end until it has; one that has only been asked for may not have begun.
async fn told_to_end<F: Future<Output = Result<Output, crate::adb::Error>>>(
    device: &Device,
    remote: &str,
    recording: &mut std::pin::Pin<&mut F>,
) -> Result<Output, crate::adb::Error> {
    loop {
        let _ = device.shell(&ending(remote)).await;
        if let Ok(output) = tokio::time::timeout(AGAIN, recording.as_mut()).await {
            return output;
        }
    }
}
