//! The screen as a film: the JPEGs that `WebDriverAgent` sends on a port of its own, as they come.
//!
//! It answers `multipart/x-mixed-replace`, where each part begins with `--BoundaryString`, its length and a blank line. It sends nothing
//! before the client has said something, and nothing while it cannot take pictures.

use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::time::{Instant, timeout};

use crate::advice;
use crate::driver::{Error, Reel};
use crate::stream::Stream;
use crate::wda::Wda;

/// Bytes of a picture, and of a line before it.
const LONGEST: usize = 16 << 20;
const LONGEST_LINE: u64 = 16 << 10;
/// The time between two pictures, at the least.
const EVERY: Duration = Duration::from_millis(90);
/// The pause before a stream that ended is begun anew, and how often in a row it may end without a picture.
const AGAIN: Duration = Duration::from_millis(500);
const MOST_FAILURES: u32 = 10;

/// Films until that is to end. Errors: there is no picture, or none any more.
pub(crate) async fn film(wda: &Wda, reel: &dyn Reel) -> Result<(), Error> {
    let message =
        format!("the screen cannot be filmed: no picture came from port {} of the phone", wda.options().mjpeg_port);
    let lack = Mutex::new(Some(Error::Device { message }));
    tokio::select! {
        biased;
        () = reel.ended() => lack.into_inner().map_or(Ok(()), Err),
        outcome = follow(wda, reel, &lack) => outcome,
    }
}

/// Films for as long as pictures come, and for a while beyond; `lack` holds why there is none.
async fn follow(wda: &Wda, reel: &dyn Reel, lack: &Mutex<Option<Error>>) -> Result<(), Error> {
    let port = wda.options().mjpeg_port;
    let mut failures = 0;
    while failures <= MOST_FAILURES {
        let ended = match wda.way().connect(port).await {
            Ok(stream) => frames(stream, reel, lack).await,
            Err(why) => {
                let message = format!("the screen cannot be filmed: {}", advice::no_pictures(&why, wda.way(), port));
                *lack.lock() = Some(Error::Disconnected { message });
                Ended::Gone { pictures: 0 }
            }
        };
        match ended {
            Ended::Full => return Ok(()),
            Ended::Gone { pictures: 0 } => failures += 1,
            Ended::Gone { .. } => failures = 0,
        }
        tokio::time::sleep(AGAIN).await;
    }
    lack.lock().take().map_or(Ok(()), Err)
}

/// How a stream ended.
#[derive(Debug, PartialEq, Eq)]
enum Ended {
    /// There is no room for more.
    Full,
    /// It broke off, after so many pictures.
    Gone { pictures: u32 },
}

async fn frames(stream: Box<dyn Stream>, reel: &dyn Reel, lack: &Mutex<Option<Error>>) -> Ended {
    let mut stream = BufReader::new(stream);
    let mut pictures = 0;
    if stream.write_all(b"GET / HTTP/1.0\r\n\r\n").await.is_err() {
        return Ended::Gone { pictures };
    }
    let mut last: Option<(Instant, Vec<u8>)> = None;
    loop {
        let Some(jpeg) = next(&mut stream).await else { return Ended::Gone { pictures } };
        pictures += 1;
        *lack.lock() = None;
        let is_new = last.as_ref().is_none_or(|(at, before)| at.elapsed() >= EVERY && *before != jpeg);
        if is_new {
            if !reel.frame(&jpeg, SystemTime::now()) {
                return Ended::Full;
            }
            last = Some((Instant::now(), jpeg));
        }
    }
}

/// How long a picture may take to come whole, once it has begun.
const PICTURE: Duration = Duration::from_secs(20);

/// Reads the next picture; none where the stream is over, or is none of pictures.
async fn next(stream: &mut BufReader<Box<dyn Stream>>) -> Option<Vec<u8>> {
    let length = loop {
        let mut line = Vec::new();
        let read = (&mut *stream).take(LONGEST_LINE).read_until(b'\n', &mut line).await.ok()?;
        if read == 0 || u64::try_from(read).ok()? == LONGEST_LINE {
            return None;
        }
        let line = String::from_utf8_lossy(&line).to_ascii_lowercase();
        if let Some(length) = line.strip_prefix("content-length:") {
            break length.trim().parse::<usize>().ok().filter(|length| (1..=LONGEST).contains(length))?;
        }
    };
    loop {
        let mut line = Vec::new();
        let read = (&mut *stream).take(LONGEST_LINE).read_until(b'\n', &mut line).await.ok()?;
        match line.trim_ascii() {
            _ if read == 0 => return None,
            [] => break,
            _ => {}
        }
    }
    let mut jpeg = vec![0; length];
    timeout(PICTURE, stream.read_exact(&mut jpeg)).await.ok()?.ok()?;
    Some(jpeg)
}
