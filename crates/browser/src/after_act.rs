//! What the last act on a page set going → what went wrong by it, or the error that the next act would meet.

use std::time::{Duration, Instant};

use super::backend::{Backend, World};
use super::cdp::SETTLING;
use super::cdp_errors::in_the_way;
use super::keyboard::Stroke;
use super::{Browser, TIMEOUT};
use crate::driver::Error;
use crate::driver::pages::{Download, Downloaded};

/// Waits for two frames, and for as long as they usually take: a busy machine draws them at once. A page that is drawn rarely or never,
/// such as one in a tab behind, is not waited for longer.
const FRAMES: &str = "() => new Promise((done) => { const began = performance.now(); let left = 2; const drawn = () => { left -= 1; if (left \
                      <= 0 && performance.now() - began >= 33) done(true); else requestAnimationFrame(drawn); }; requestAnimationFrame(drawn); \
                      setTimeout(() => done(true), 100); })";

/// Waits for what a page does after a key: browsers tell pages of a changed selection with the next frame, or with the one after it
/// where that one has begun, and editors follow in a task of their own.
const KEY_TOLD: &str = "() => new Promise((done) => { const told = () => setTimeout(() => done(true), 4); if (document.hidden) told(); else \
                        requestAnimationFrame(() => requestAnimationFrame(told)); setTimeout(() => done(true), 500); })";

/// How long they may take before it is asked what keeps them.
const GLIMPSE: Duration = Duration::from_secs(1);

/// How long what the page fetches may take to come and be shown.
const FETCHED: Duration = Duration::from_secs(1);

/// Whether a link is in focus, as after a click, that downloads what it leads to: nothing else tells of that before a server answers.
const DOWNLOADS: &str = "() => document.activeElement?.closest('a[download]') != null";

/// How long a download may take to begin after a click on its link, and how long one that has begun is waited for.
const BEGINNING: Duration = Duration::from_millis(1500);
const COMING: Duration = Duration::from_secs(3);

/// How long between two looks at the downloads.
const PAUSE: Duration = Duration::from_millis(20);

impl Browser {
    /// Presses keys, and waits until the page has been told what they changed: a touch that follows at once would come before that.
    pub(super) async fn strike(&self, strokes: &[Stroke]) -> Result<(), Error> {
        self.verify_typed().await?;
        let backend = self.backend().await?;
        self.told(backend.strokes(strokes).await).await?;
        // A page that was left by the key, or shows a dialog, is for the next act to meet.
        let _ = backend.call(World::Own, KEY_TOLD, &[], GLIMPSE).await;
        Ok(())
    }

    pub(super) async fn came_of_last(&self, since: Instant, waits: bool) -> Result<Vec<String>, Error> {
        let Some(backend) = self.running.lock().await.begun_for(self.wanted().0) else { return Ok(Vec::new()) };
        self.stays_typed().await?;
        self.told(rest(backend.as_ref(), waits).await).await?;
        let coming = if waits { coming(backend.as_ref(), since).await } else { None };
        // Not every browser tells what goes wrong.
        let mut faults = backend.new_faults(since.elapsed()).await.unwrap_or_default();
        if backend.is_leaving() {
            faults
                .push(format!("navigation: the page that was asked for has not come within {} s", SETTLING.as_secs()));
        }
        faults.extend(coming);
        Ok(faults)
    }
}

/// Waits for the downloads that were begun since a moment; returns what is to be told of one that has not come whole in time.
async fn coming(backend: &dyn Backend, since: Instant) -> Option<String> {
    let own = || -> Vec<Download> {
        let all = backend.downloads().unwrap_or_default();
        all.into_iter().filter(|download| download.began >= since).collect()
    };
    let is_coming = |download: &&Download| matches!(download.became, Downloaded::UnderWay { .. });
    let began = Instant::now();
    if own().is_empty() && backend.call(World::Own, DOWNLOADS, &[], GLIMPSE).await.is_ok_and(|told| told == true) {
        while own().is_empty() && began.elapsed() < BEGINNING {
            tokio::time::sleep(PAUSE).await;
        }
    }
    while own().iter().any(|download| is_coming(&download)) && began.elapsed() < COMING {
        tokio::time::sleep(PAUSE).await;
    }
    let own = own();
    let left = own.iter().find(is_coming)?;
    Some(format!("download: {} is still under way: {}", left.name, left.url))
}

/// Waits until a page rests; one that comes meanwhile is waited for as well.
async fn rest(backend: &dyn Backend, waits: bool) -> Result<(), Error> {
    for _ in 0..2 {
        backend.settle().await;
        if !backend.has_page().await {
            return Ok(());
        }
        let before = backend.arrivals();
        if waits {
            frames(backend).await?;
            backend.settle().await;
            let _ = tokio::time::timeout(FETCHED, backend.fetched()).await;
        }
        if !backend.has_page().await {
            return Ok(());
        }
        backend.held().await?;
        if backend.arrivals() == before {
            break;
        }
    }
    Ok(())
}

async fn frames(backend: &dyn Backend) -> Result<(), Error> {
    match backend.call(World::Own, FRAMES, &[], GLIMPSE).await {
        // The page's script is busy, or a dialog of another tab that shares its thread is open.
        Err(Error::Device { .. }) => match backend.dialog().await? {
            Some(dialog) => Err(in_the_way(&dialog)),
            None => backend.call(World::Own, "() => true", &[], TIMEOUT).await.map(drop),
        },
        // What closed its own page did that.
        Err(Error::Disconnected { .. }) if !backend.has_page().await => Ok(()),
        other => other.map(drop),
    }
}
