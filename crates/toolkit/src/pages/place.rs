//! Where a page is, and what is wanted of its address and title.

use std::time::{Duration, Instant};

use uixt_driver::pages::Place;
use uixt_locate::Error;

use super::pages;
use crate::{Context, wait};

/// Time between two looks.
pub const PAUSE: Duration = Duration::from_millis(50);

/// Looks where the page is until all holds, or the time is over; returns the last look, and what of it does not hold.
pub async fn until(
    cx: &Context,
    timeout: Option<f64>,
    unmet: impl Fn(&Place) -> String + Send,
) -> Result<(Place, String), Error> {
    let pages = pages(cx, "tell a page's address and title: it shows no pages")?;
    let end = Instant::now() + wait::timeout(cx, timeout);
    let mut waiting = cx.waiting();
    loop {
        let place = pages.place().await?;
        let wrong = unmet(&place);
        if wrong.is_empty() || Instant::now() >= end {
            return Ok((place, wrong));
        }
        waiting.pause(PAUSE).await;
    }
}

/// Tells whether an address is the wanted one; a wanted path, from `/` on, is compared with all behind the host.
pub fn is_address(url: &str, wanted: &str) -> bool {
    if wanted.starts_with('/') { path(url) == wanted } else { url == wanted }
}

/// Returns what stands behind an address's host: its path, query and fragment.
fn path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map_or("/", |at| &rest[at..])
}

/// Tells whether a text is what is wanted, where `*` stands for anything; an address may be wanted by its path.
pub fn is_like(text: &str, wanted: &str) -> bool {
    let text = if wanted.starts_with('/') { path(text) } else { text };
    let mut pieces = wanted.split('*');
    let Some(rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    let mut rest = rest;
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_compared_with_what_stands_behind_the_host() {
        let url = "http://127.0.0.1:8080/spa.html?page=tasks#a";
        assert!(is_address(url, "/spa.html?page=tasks#a") && is_address(url, url));
        assert!(!is_address(url, "/spa.html") && !is_address(url, "spa.html"));
        assert!(is_address("http://a", "/") && is_address("file:///x/y.html", "/x/y.html"));
    }

    #[test]
    fn a_star_stands_for_anything() {
        let url = "http://127.0.0.1:8080/spa.html?page=tasks";
        for wanted in ["/spa.html*", "*tasks", "*", "http://*/spa.html?page=*", "/*page*t*s", url] {
            assert!(is_like(url, wanted), "{wanted}");
        }
        for wanted in ["/spa.html", "spa*", "*task", "/*x*", "", "/spa.html?page=tasks*s"] {
            assert!(!is_like(url, wanted), "{wanted}");
        }
    }
}
