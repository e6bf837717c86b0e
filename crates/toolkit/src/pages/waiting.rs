//! Waiting for what a page is about, rather than for an element: its address, its title, a request, and rest.

use std::path::Path;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::Waiting;
use uixt_driver::Pages;
use uixt_driver::pages::{Download, Downloaded, Place};
use uixt_locate::{Error, Kind};

use super::pages;
use super::place::{self, PAUSE, is_like};
use crate::traces::last_acts::LastActs;
use crate::{Context, Reply, fetch, wait};

/// For how long nothing must be asked or answered on a page that rests.
const QUIET: Duration = Duration::from_millis(500);

/// Most addresses that an error names.
const MAX: usize = 3;

/// What is waited for on a page.
#[derive(Default, Deserialize, JsonSchema)]
pub struct OfPage {
    /// Page's address, or all behind its host from `/` on; `*` stands for anything.
    #[serde(default)]
    #[schemars(length(min = 1), extend("x-unpublished" = true))]
    url: Option<String>,
    /// Page's title; `*` stands for anything.
    #[serde(default)]
    #[schemars(length(min = 1), extend("x-unpublished" = true))]
    title: Option<String>,
    /// A part of the address of a request that was answered; each is waited for once.
    #[serde(default)]
    #[schemars(length(min = 1), extend("x-unpublished" = true))]
    request: Option<String>,
    /// The name of a file that is downloaded, whole; `*` stands for anything.
    #[serde(default)]
    #[schemars(length(min = 1), extend("x-unpublished" = true))]
    download: Option<String>,
    /// Since when a request or a download counts: the last act by default, or `start`, of the page's or the profile's.
    #[serde(default)]
    #[schemars(extend("x-unpublished" = true))]
    since: Option<Since>,
    /// The page has loaded, and nothing was requested for half a second.
    #[serde(default)]
    #[schemars(extend("x-unpublished" = true))]
    idle: bool,
}

/// Since when something counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Since {
    LastAct,
    Start,
}

impl OfPage {
    /// Tells whether anything is asked for.
    pub fn is_asked(&self) -> bool {
        self.asked().contains(&true)
    }

    fn asked(&self) -> [bool; 5] {
        [self.url.is_some(), self.title.is_some(), self.request.is_some(), self.download.is_some(), self.idle]
    }

    /// Checks that one thing is waited for.
    pub fn check(&self) -> Result<(), String> {
        if self.asked().iter().filter(|is_asked| **is_asked).count() > 1 {
            return Err("wait for one of url, title, request, download and idle at a time".to_owned());
        }
        if self.since.is_some() && self.request.is_none() && self.download.is_none() {
            return Err("`since` goes with request or download".to_owned());
        }
        for (name, value) in [("url", &self.url), ("title", &self.title)] {
            if value.as_deref().is_some_and(|value| value.trim_matches('*').is_empty()) {
                return Err(format!("`{name}` is what any page has: say which is waited for"));
            }
        }
        Ok(())
    }

    /// Waits.
    pub async fn wait(&self, cx: &Context, timeout: Option<f64>) -> Result<Reply, Error> {
        if let Some(wanted) = &self.url {
            return is_at(cx, timeout, "the address", wanted, |place| place.url.as_str()).await;
        }
        if let Some(wanted) = &self.title {
            return is_at(cx, timeout, "the title", wanted, |place| place.title.as_str()).await;
        }
        let pages = pages(cx, "tell a page's requests: it shows no pages")?;
        let end = Instant::now() + wait::timeout(cx, timeout);
        let span = wait::span(cx, wait::timeout(cx, timeout));
        let since = match self.since {
            Some(Since::Start) => None,
            Some(Since::LastAct) | None => cx.session.state::<LastActs>().last_done(),
        };
        let waiting = cx.waiting();
        match (&self.request, &self.download) {
            (Some(part), _) => answered(pages, waiting, part, since, end, &span).await,
            (None, Some(name)) => downloaded(pages, waiting, name, since, end, &span).await,
            (None, None) => idle(pages, waiting, end, &span).await,
        }
    }
}

async fn is_at(
    cx: &Context,
    timeout: Option<f64>,
    what: &str,
    wanted: &str,
    of: fn(&Place) -> &str,
) -> Result<Reply, Error> {
    let unmet = |place: &Place| if is_like(of(place), wanted) { String::new() } else { "other".to_owned() };
    let (place, unmet) = place::until(cx, timeout, unmet).await?;
    if unmet.is_empty() {
        return Ok(Reply::new(format!("{} is {}", &what[4..], of(&place)))
            .with("url", place.url)
            .with("title", place.title));
    }
    let span = wait::span(cx, wait::timeout(cx, timeout));
    let message = format!("{what} is not {wanted} {span}, but {}", of(&place));
    Err(Error::new(Kind::WaitTimeout, message).with("actual", of(&place)))
}

async fn answered(
    pages: &dyn Pages,
    mut waiting: Waiting,
    part: &str,
    since: Option<Instant>,
    end: Instant,
    span: &str,
) -> Result<Reply, Error> {
    loop {
        if let Some(request) = pages.take_answered(part, since).await? {
            return Ok(Reply::new(format!("Answered: {} {} {}", request.method, request.url, request.status))
                .with("url", request.url)
                .with("method", request.method)
                .with("status", request.status));
        }
        if Instant::now() >= end {
            let pending = pages.traffic().await?.pending;
            let earlier = match pages.take_answered(part, None).await? {
                Some(earlier) => format!(
                    "; {} {} was answered {}, but asked for before the last act: `since: start` takes that, too",
                    earlier.method, earlier.url, earlier.status
                ),
                None => String::new(),
            };
            let message =
                format!("no request to an address with \"{part}\" was answered {span}{}{earlier}", under_way(&pending));
            return Err(Error::new(Kind::WaitTimeout, message));
        }
        waiting.pause(PAUSE).await;
    }
}

async fn downloaded(
    pages: &dyn Pages,
    mut waiting: Waiting,
    name: &str,
    since: Option<Instant>,
    end: Instant,
    span: &str,
) -> Result<Reply, Error> {
    loop {
        let all = pages.downloads().await?;
        let (own, earlier): (Vec<&Download>, Vec<&Download>) =
            all.iter().partition(|download| since.is_none_or(|since| download.began >= since));
        for download in own.iter().filter(|download| is_like(&download.name, name)) {
            match &download.became {
                Downloaded::Whole { path, bytes } => return kept(download, path, *bytes).await,
                Downloaded::Failed(why) => {
                    let message = format!("{}: download failed: {}: {why}", download.name, download.url);
                    return Err(Error::new(Kind::Assertion, message).with("code", "DOWNLOAD_FAILED"));
                }
                Downloaded::UnderWay { .. } => {}
            }
        }
        if Instant::now() >= end {
            let told = |list: &[&Download]| list.iter().map(|one| so_far(one)).collect::<Vec<_>>().join(", ");
            let what = match (own.is_empty(), earlier.is_empty()) {
                (false, _) => format!("the page's downloads: {}", told(&own)),
                (true, false) => format!(
                    "downloads that began before the last act: {}; `since: start` takes those, too",
                    told(&earlier)
                ),
                (true, true) => "the page began no download".to_owned(),
            };
            return Err(Error::new(Kind::WaitTimeout, format!("no file \"{name}\" was downloaded {span}; {what}")));
        }
        waiting.pause(PAUSE).await;
    }
}

/// Says how far a download has come.
fn so_far(download: &Download) -> String {
    let how = match &download.became {
        Downloaded::UnderWay { bytes, of: Some(of) } => format!("{bytes} of {of} bytes"),
        Downloaded::UnderWay { bytes, of: None } => format!("{bytes} bytes so far"),
        Downloaded::Whole { bytes, .. } => format!("{bytes} bytes"),
        Downloaded::Failed(why) => why.clone(),
    };
    format!("{} ({how})", download.name)
}

/// Tells of a file that came whole.
async fn kept(download: &Download, path: &Path, bytes: u64) -> Result<Reply, Error> {
    let sum = fetch::sha256(path).await?;
    Ok(Reply::new(format!("Downloaded {}, {bytes} bytes, to {}", download.name, path.display()))
        .with("path", path.to_string_lossy())
        .with("name", download.name.as_str())
        .with("size", bytes)
        .with("sha256", sum)
        .with("url", download.url.as_str()))
}

async fn idle(pages: &dyn Pages, mut waiting: Waiting, end: Instant, span: &str) -> Result<Reply, Error> {
    loop {
        let traffic = pages.traffic().await?;
        if traffic.is_loaded && traffic.pending.is_empty() && traffic.quiet >= QUIET {
            return Ok(Reply::new("The page rests"));
        }
        if Instant::now() >= end {
            let why = if traffic.is_loaded { "does not rest" } else { "has not loaded" };
            let message = format!("the page {why} {span}{}", under_way(&traffic.pending));
            return Err(Error::new(Kind::WaitTimeout, message).with("pending", traffic.pending));
        }
        waiting.pause(PAUSE).await;
    }
}

fn under_way(pending: &[String]) -> String {
    if pending.is_empty() {
        return String::new();
    }
    let named = pending.iter().take(MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    format!("; under way: {} ({named})", pending.len())
}
