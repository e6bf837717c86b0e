//! `SearXNG`'s search by its JSON API: `GET /search?q=…&format=json`. Source: <https://docs.searxng.org/dev/search_api.html>.

use std::time::Duration;

use futures_util::future::join_all;
use reqwest::{Client, StatusCode, Url};
use uixt_core::http;

use crate::reach::{bounded, described};
use crate::source::{Boxed, Found, Source, links};

/// How long it may take; it asks others itself.
const PATIENCE: Duration = Duration::from_secs(20);

/// Most bytes of an answer.
const LARGEST: usize = 4 << 20;

/// A `SearXNG` at an address.
pub struct Searxng {
    search: Url,
    client: Client,
}

impl Searxng {
    /// Takes the address of the server: `http://127.0.0.1:8888`. The user names it, so that it may lie anywhere.
    pub fn new(address: &str) -> Result<Self, String> {
        let wrong = |why: &str| format!("`{address}` is no address of a SearXNG: {why}; write http://HOST:PORT");
        let base = Url::parse(address).map_err(|error| wrong(&error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(wrong("it is not http"));
        }
        let whole = format!("{}/search", base.as_str().trim_end_matches('/'));
        let search = Url::parse(&whole).map_err(|error| wrong(&error.to_string()))?;
        let client = http::client().timeout(PATIENCE).build().map_err(|error| error.to_string())?;
        Ok(Self { search, client })
    }

    async fn ask(&self, question: &str) -> Result<Found, String> {
        let at = self.search.as_str();
        let request = self.client.get(self.search.clone()).query(&[("q", question), ("format", "json")]);
        let failed = |error: reqwest::Error| format!("{at}: {}", described(error));
        let response = request.send().await.map_err(failed)?;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::FORBIDDEN => {
                return Err(format!("{at} answers 403: its settings.yml needs `json` among `search: formats:`"));
            }
            status => return Err(format!("{at} answers {status}")),
        }
        let (bytes, is_cut) = bounded(response, LARGEST).await.map_err(failed)?;
        if is_cut {
            return Err(format!("{at}: the answer is larger than {} MiB", LARGEST >> 20));
        }
        let answer: serde_json::Value =
            serde_json::from_slice(&bytes).map_err(|error| format!("{at}: the answer is not JSON: {error}"))?;
        let results = answer.get("results").ok_or_else(|| format!("{at}: the answer has no `results`"))?;
        let found = links(&results.to_string());
        match results.as_array().map_or(0, Vec::len) {
            count if count > 0 && found.is_empty() => {
                Err(format!("{at}: none of its {count} results is a page of the web"))
            }
            _ => Ok(Found::Links(found)),
        }
    }
}

impl Source for Searxng {
    fn name(&self) -> &'static str {
        "searxng"
    }

    fn is_of_web(&self) -> bool {
        true
    }

    fn find<'a>(&'a self, questions: &'a [String]) -> Boxed<'a, Vec<Result<Found, String>>> {
        Box::pin(join_all(questions.iter().map(|question| self.ask(question))))
    }
}
