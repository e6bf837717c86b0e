//! The screen as a film: pictures one after the other, as fast as the phone gives them.

use std::time::{Duration, SystemTime};

use tokio::time::sleep;

use crate::driver::{Error, Reel};
use crate::picture;
use crate::shell::Shell;

/// The pause between two pictures: the phone has its own work to do.
const EVERY: Duration = Duration::from_millis(200);
/// How often in a row there may be none.
const MOST_FAILURES: u32 = 20;

/// Films until that is to end. Errors: there is no picture, or none any more.
pub(crate) async fn film(shell: &Shell, reel: &dyn Reel) -> Result<(), Error> {
    let mut last = Vec::new();
    let mut failures = 0;
    loop {
        let taken = tokio::select! {
            biased;
            () = reel.ended() => {
                return if last.is_empty() { Err(none("it ended before there was one")) } else { Ok(()) };
            }
            taken = picture::jpeg(shell) => taken,
        };
        match taken {
            Ok(Some(jpeg)) => {
                failures = 0;
                if jpeg != last && !reel.frame(&jpeg, SystemTime::now()) {
                    return Ok(());
                }
                last = jpeg;
            }
            Ok(None) if failures < MOST_FAILURES => failures += 1,
            Err(error) if failures < MOST_FAILURES => {
                tracing::debug!(%error, "no picture for the film");
                failures += 1;
            }
            Ok(None) => return Err(none("snapshot_display gives no JPEG")),
            Err(error) => return Err(error),
        }
        tokio::select! {
            () = reel.ended() => {}
            () = sleep(EVERY) => {}
        }
    }
}

fn none(why: &str) -> Error {
    Error::Device { message: format!("the screen cannot be filmed: {why}") }
}
