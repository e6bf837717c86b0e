//! The screen as a film: by the system's own recorder, or as pictures one after the other, as fast as the phone gives them.

use std::path::Path;
use std::time::{Duration, SystemTime};

use tokio::time::{Instant, sleep};

use crate::answer::failed;
use crate::driver::{Error, Reel, quote};
use crate::shell::Shell;
use crate::{apps, files, picture};

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

/// Starts the system's recorder with the name of a film, and ends it without one.
const RECORDER: &str = "aa start -b com.huawei.hmos.screenrecorder -a com.huawei.hmos.screenrecorder.ServiceExtAbility";
/// How long a film may take to be in the gallery, and the pause between two looks.
const ENDING: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(200);

/// Records the screen for a while into a file of this computer; the phone keeps nothing of it.
pub(crate) async fn record(shell: &Shell, duration: Duration, to: &Path) -> Result<(), Error> {
    let file = files::temporary(".mp4");
    let name = file.rsplit('/').next().unwrap_or_default();
    apps::started(&shell.act("aa start", &format!("{RECORDER} --ps CustomizedFileName {name}")).await?)?;
    sleep(duration).await;
    apps::started(&shell.act("aa start", RECORDER).await?)?;
    let began = Instant::now();
    let place = loop {
        let said = shell.look("mediatool query", &format!("mediatool query {name} -u")).await?;
        match said.split('"').nth(1) {
            Some(place) => break quote(place),
            None if began.elapsed() > ENDING => return Err(failed("mediatool query", &said)),
            None => sleep(PAUSE).await,
        }
    };
    let said = shell.act("mediatool recv", &format!("mediatool recv {place} {file}")).await?;
    let taken = files::pull(shell, &file, to).await;
    let line = format!("rm -f {file}; mediatool delete {place}");
    let left = shell.act("mediatool delete", &line).await;
    tracing::debug!(?left, "what the phone kept of a film");
    match taken {
        Err(Error::NotFound { .. }) => Err(failed("mediatool recv", &said)),
        taken => taken.map(drop),
    }
}

fn none(why: &str) -> Error {
    Error::Device { message: format!("the screen cannot be filmed: {why}") }
}
