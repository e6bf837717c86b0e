//! Waiting for what a page is about, rather than for an element: its address, its title, a request, and rest.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;

use super::pages;
use super::pattern::is_like;
use super::place::{self, PAUSE};
use crate::driver::Pages;
use crate::driver::pages::Place;
use crate::{Context, Error, Kind, Reply, wait};

/// For how long nothing must be asked or answered on a page that rests.
const QUIET: Duration = Duration::from_millis(500);

/// Most addresses that an error names.
const MAX: usize = 3;

/// What is waited for on a page.
#[derive(Default, Deserialize, JsonSchema)]
pub(crate) struct OfPage {
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
    /// The page has loaded, and nothing was requested for half a second.
    #[serde(default)]
    #[schemars(extend("x-unpublished" = true))]
    idle: bool,
}

impl OfPage {
    /// Tells whether anything is asked for.
    pub(crate) fn is_asked(&self) -> bool {
        self.url.is_some() || self.title.is_some() || self.request.is_some() || self.idle
    }

    /// Checks that one thing is waited for.
    pub(crate) fn check(&self) -> Result<(), String> {
        let asked = [self.url.is_some(), self.title.is_some(), self.request.is_some(), self.idle];
        if asked.iter().filter(|is_asked| **is_asked).count() > 1 {
            return Err("wait for one of url, title, request and idle at a time".to_owned());
        }
        for (name, value) in [("url", &self.url), ("title", &self.title)] {
            if value.as_deref().is_some_and(|value| value.trim_matches('*').is_empty()) {
                return Err(format!("`{name}` is what any page has: say which is waited for"));
            }
        }
        Ok(())
    }

    /// Waits.
    pub(crate) async fn wait(&self, cx: &Context, timeout: Option<f64>) -> Result<Reply, Error> {
        if let Some(wanted) = &self.url {
            return is_at(cx, timeout, "the address", wanted, |place| place.url.as_str()).await;
        }
        if let Some(wanted) = &self.title {
            return is_at(cx, timeout, "the title", wanted, |place| place.title.as_str()).await;
        }
        let pages = pages(cx, "tell a page's requests: it shows no pages")?;
        let end = Instant::now() + wait::timeout(cx, timeout);
        let span = wait::span(cx, wait::timeout(cx, timeout));
        match &self.request {
            Some(part) => answered(pages, part, end, &span).await,
            None => idle(pages, end, &span).await,
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

async fn answered(pages: &dyn Pages, part: &str, end: Instant, span: &str) -> Result<Reply, Error> {
    loop {
        if let Some(request) = pages.take_answered(part).await? {
            return Ok(Reply::new(format!("Answered: {} {} {}", request.method, request.url, request.status))
                .with("url", request.url)
                .with("method", request.method)
                .with("status", request.status));
        }
        if Instant::now() >= end {
            let pending = pages.traffic().await?.pending;
            let message =
                format!("no request to an address with \"{part}\" was answered {span}{}", under_way(&pending));
            return Err(Error::new(Kind::WaitTimeout, message));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn idle(pages: &dyn Pages, end: Instant, span: &str) -> Result<Reply, Error> {
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
        tokio::time::sleep(PAUSE).await;
    }
}

fn under_way(pending: &[String]) -> String {
    if pending.is_empty() {
        return String::new();
    }
    let named = pending.iter().take(MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    format!("; under way: {} ({named})", pending.len())
}
