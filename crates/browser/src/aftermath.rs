//! What the last act on a page set going → what went wrong by it, or the error that the next act would meet.

use std::time::{Duration, Instant};

use super::cdp::SETTLING;
use super::told_cdp::in_the_way;
use super::way::{Way, World};
use super::{Browser, PATIENCE};
use crate::driver::Error;

/// Waits for two frames, and for as long as they usually take: a busy machine draws them at once. A page that is drawn rarely or never,
/// such as one in a tab behind, is not waited for longer.
const FRAMES: &str = "() => new Promise((done) => { const began = performance.now(); let left = 2; const drawn = () => { left -= 1; if (left \
                      <= 0 && performance.now() - began >= 33) done(true); else requestAnimationFrame(drawn); }; requestAnimationFrame(drawn); \
                      setTimeout(() => done(true), 100); })";

/// How long they may take before it is asked what keeps them.
const GLIMPSE: Duration = Duration::from_secs(1);

/// How long what the page fetches may take to come and be shown.
const FETCHED: Duration = Duration::from_secs(1);

impl Browser {
    pub(super) async fn came_of_last(&self, since: Instant, waits: bool) -> Result<Vec<String>, Error> {
        let Some(way) = self.running.lock().await.begun_for(self.wanted().0) else { return Ok(Vec::new()) };
        self.stays_typed().await?;
        self.told(rest(way.as_ref(), waits).await).await?;
        // Not every browser tells what goes wrong.
        let mut faults = way.new_faults(since.elapsed()).await.unwrap_or_default();
        if way.is_leaving() {
            faults
                .push(format!("navigation: the page that was asked for has not come within {} s", SETTLING.as_secs()));
        }
        Ok(faults)
    }
}

/// Waits until a page rests; one that comes meanwhile is waited for as well.
async fn rest(way: &dyn Way, waits: bool) -> Result<(), Error> {
    for _ in 0..2 {
        way.settle().await;
        if !way.has_page().await {
            return Ok(());
        }
        let before = way.arrivals();
        if waits {
            frames(way).await?;
            way.settle().await;
            let _ = tokio::time::timeout(FETCHED, way.fetched()).await;
        }
        if !way.has_page().await {
            return Ok(());
        }
        way.held().await?;
        if way.arrivals() == before {
            break;
        }
    }
    Ok(())
}

async fn frames(way: &dyn Way) -> Result<(), Error> {
    match way.call(World::Own, FRAMES, &[], GLIMPSE).await {
        // The page's script is busy, or a dialog of another tab that shares its thread is open.
        Err(Error::Device { .. }) => match way.dialog().await? {
            Some(dialog) => Err(in_the_way(&dialog)),
            None => way.call(World::Own, "() => true", &[], PATIENCE).await.map(drop),
        },
        // What closed its own page did that.
        Err(Error::Disconnected { .. }) if !way.has_page().await => Ok(()),
        other => other.map(drop),
    }
}
