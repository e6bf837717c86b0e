//! `screenrecord`: the screen as an MP4 with H.264. Source: AOSP `frameworks/av/cmds/screenrecord/screenrecord.cpp`.
//!
//! The screen is looked at some times a second; a frame is written only where it has changed. `pkill` ends it early, as SIGINT does.

use std::io;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::call::Call;
use crate::handset::Handset;
use uixt_canvas::h264::Encoder;
use uixt_canvas::mp4::{self, Sample};

/// Seconds that are recorded at most, and where nothing is said.
pub(crate) const MAX_SECONDS: u64 = 180;
/// How often the screen is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Bytes of a film; one that is longer ends early.
const LARGEST: usize = 96 << 20;

pub(super) async fn screenrecord(call: &mut Call<'_>) -> io::Result<u8> {
    let (seconds, file) = match wish(&call.arguments) {
        Ok(wish) => wish,
        Err(message) => return call.fail(2, &message).await,
    };
    let path = call.shell.path(&file);
    // The file is there from the beginning, as it is on a real phone; a path that cannot be written is found at once.
    let made = call.handset().files.lock().create(&path, 0o660);
    if let Err(errno) = made {
        return call.fail(1, &format!("ERROR: unable to open '{file}': {errno}")).await;
    }
    let running = call.handset().films.begin(format!("screenrecord {}", call.arguments.join(" ")));
    let film = filmed(call.handset(), Duration::from_secs(seconds), &running.end).await?;
    drop(running);
    let written = call.handset().files.lock().append(&path, &film);
    match written {
        Ok(()) => Ok(0),
        Err(errno) => call.fail(1, &format!("ERROR: unable to write '{file}': {errno}")).await,
    }
}

/// Films for a while, or until it is told to end; the screen is looked at once at the least.
pub(crate) async fn filmed(handset: &Handset, length: Duration, end: &CancellationToken) -> io::Result<Vec<u8>> {
    let start = Instant::now();
    let (mut seen, mut encoder): (Vec<u8>, Option<Encoder>) = (Vec::new(), None);
    let mut samples: Vec<Sample> = Vec::new();
    let (mut bytes, mut next) = (0, start);
    while next < start + length && bytes < LARGEST {
        let is_ended = end.run_until_cancelled(tokio::time::sleep_until(next)).await.is_none();
        if is_ended && !samples.is_empty() {
            break;
        }
        let (width, height, pixels) = handset.system.lock().await.pixels();
        let mut coder = match encoder.take() {
            // The film keeps its size, as it does on a real phone that is turned.
            Some(coder) if coder.size() != (width, height) => {
                encoder = Some(coder);
                next += LOOK_EVERY;
                continue;
            }
            Some(coder) => coder,
            None => Encoder::new(width, height),
        };
        if pixels == seen {
            encoder = Some(coder);
        } else {
            let at = u32::try_from(start.elapsed().as_millis()).unwrap_or(u32::MAX);
            let encode = move || {
                let data = coder.frame(&pixels);
                (coder, pixels, data)
            };
            let (coder, pixels, data) = tokio::task::spawn_blocking(encode).await.map_err(io::Error::other)?;
            bytes += data.len();
            samples.push(Sample { at_ms: if samples.is_empty() { 0 } else { at }, data });
            (encoder, seen) = (Some(coder), pixels);
        }
        next = (next + LOOK_EVERY).max(Instant::now());
    }
    let encoder = encoder.ok_or_else(|| io::Error::other("nothing was recorded"))?;
    let length = length.min(start.elapsed());
    Ok(mp4::film(&encoder.description(), &samples, u32::try_from(length.as_millis()).unwrap_or(u32::MAX)))
}

fn wish(arguments: &[String]) -> Result<(u64, String), String> {
    let (mut seconds, mut file) = (MAX_SECONDS, None);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let (name, inline) = match argument.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
            _ => (argument.as_str(), None),
        };
        match name {
            "--time-limit" => {
                let value = inline.or_else(|| rest.next().cloned()).unwrap_or_default();
                seconds = value.parse().map_err(|_| format!("Time limit {value} is no number"))?;
                if !(1..=MAX_SECONDS).contains(&seconds) {
                    return Err(format!("Time limit {seconds}s outside acceptable range [1,{MAX_SECONDS}]"));
                }
            }
            "--bit-rate" | "--display-id" if inline.is_none() => drop(rest.next()),
            "--bit-rate" | "--display-id" | "--verbose" => {}
            option if option.starts_with('-') => return Err(format!("Unknown option {option} on the virtual phone")),
            path => file = Some(path.to_owned()),
        }
    }
    file.map(|file| (seconds, file)).ok_or_else(|| "Must specify output file (see --help).".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_read_and_bounded() {
        let read = |words: &str| wish(&words.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(read("--time-limit 5 /sdcard/a.mp4"), Ok((5, "/sdcard/a.mp4".to_owned())));
        assert_eq!(read("--time-limit=7 --bit-rate 4M a"), Ok((7, "a".to_owned())));
        for wrong in ["a --time-limit 0", "a --time-limit 181", "a --time-limit x", "--size 1x1 a", "--verbose"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
