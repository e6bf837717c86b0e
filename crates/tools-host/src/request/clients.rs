//! A session's HTTP clients: one per policy, made at its first use, all with the same cookies.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use reqwest::cookie::{CookieStore as _, Jar};
use reqwest::header::HeaderValue;
use reqwest::{Client, Url, redirect};
use uixt_locate::{Error, Kind};
use uixt_toolkit::State;

/// Most redirects that are followed.
pub(super) const REDIRECTS: usize = 10;

/// What clients differ in.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Policy {
    pub redirects: bool,
    pub verify: bool,
}

/// The clients of a session and its cookies.
#[derive(Default)]
pub(in super::super) struct Clients(Mutex<Kept>);

impl State for Clients {
    fn end(&self) {
        self.forget();
    }
}

#[derive(Default)]
struct Kept {
    jar: Arc<Jar>,
    made: HashMap<Policy, Client>,
}

impl Clients {
    /// Returns the client for a policy, and the cookies of the session.
    pub(super) fn get(&self, policy: Policy) -> Result<(Client, Arc<Jar>), Error> {
        let mut kept = self.0.lock();
        let jar = Arc::clone(&kept.jar);
        if let Some(client) = kept.made.get(&policy) {
            return Ok((client.clone(), jar));
        }
        let follow = if policy.redirects { redirect::Policy::limited(REDIRECTS) } else { redirect::Policy::none() };
        let builder = uixt_core::http::client().cookie_provider(Arc::clone(&jar)).redirect(follow);
        let builder = builder.user_agent(concat!("uixt/", env!("CARGO_PKG_VERSION")));
        let client = builder.tls_danger_accept_invalid_certs(!policy.verify).build();
        let client = client.map_err(|error| Error::new(Kind::Service, format!("request: no HTTP client: {error}")))?;
        kept.made.insert(policy, client.clone());
        Ok((client, jar))
    }

    /// Forgets cookies and connections.
    pub(in super::super) fn forget(&self) {
        *self.0.lock() = Kept::default();
    }
}

/// Returns the cookies that the session has for an address.
pub(super) fn kept(jar: &Jar, url: &Url) -> Option<HeaderValue> {
    jar.cookies(url)
}

/// Joins cookies from all sides into one header: those that a call names come last, and win with most servers' readers.
pub(super) fn joined(kept: Option<&HeaderValue>, written: Option<&HeaderValue>, named: &HeaderValue) -> HeaderValue {
    let parts: Vec<&[u8]> = kept
        .into_iter()
        .chain(written)
        .chain([named])
        .map(HeaderValue::as_bytes)
        .filter(|part| !part.is_empty())
        .collect();
    HeaderValue::from_bytes(&parts.join(&b"; "[..])).unwrap_or_else(|_| named.clone())
}
