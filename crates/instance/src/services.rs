//! What actions may use of the world: HTTP to known hosts, and a clock.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use reqwest::{Client, Url, redirect};

type Clock = Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>;

/// Plain HTTP to the hosts that are named, to no others; and the time.
#[derive(Clone)]
pub struct Services {
    pub(super) client: Client,
    hosts: BTreeMap<String, SocketAddr>,
    allowed: BTreeSet<String>,
    clock: Clock,
}

impl Services {
    /// Makes services that reach nobody and have the system's clock. Proxies of the environment are not used and redirects not
    /// followed, or a host that was refused could be reached through one that was not.
    pub fn new() -> io::Result<Self> {
        let client =
            crate::http::plain_client().redirect(redirect::Policy::none()).build().map_err(io::Error::other)?;
        Ok(Self { client, hosts: BTreeMap::new(), allowed: BTreeSet::new(), clock: Arc::new(Utc::now) })
    }

    /// Lets a name, such as `shop.phone`, stand for an address.
    #[must_use]
    pub fn with_host(mut self, name: &str, address: SocketAddr) -> Self {
        self.hosts.insert(name.to_ascii_lowercase(), address);
        self
    }

    /// Lets a real host be reached.
    #[must_use]
    pub fn allowing(mut self, host: &str) -> Self {
        self.allowed.insert(host.to_ascii_lowercase());
        self
    }

    /// Takes the time from elsewhere, such as from a virtual phone.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Fn() -> DateTime<Utc> + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    pub(super) fn now(&self) -> DateTime<Utc> {
        (self.clock)()
    }

    /// Returns where an address really leads, or why it may not be used.
    pub(super) fn resolve(&self, text: &str) -> Result<Destination, String> {
        let mut url = Url::parse(text).map_err(|error| format!("`{text}` is no URL: {error}"))?;
        if url.scheme() != "http" {
            return Err(format!("`{}` is not http", url.scheme()));
        }
        let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
        let authority = url.port().map_or_else(|| host.clone(), |port| format!("{host}:{port}"));
        if let Some(address) = self.hosts.get(&host) {
            let placed = url.set_ip_host(address.ip()).and_then(|()| url.set_port(Some(address.port())));
            placed.map_err(|()| format!("`{text}` cannot be sent to {address}"))?;
        } else if !self.allowed.contains(&host) {
            return Err(format!("host `{host}` is not allowed"));
        }
        Ok(Destination { url, authority })
    }
}

/// Where a request goes, and the host and port that it asks for there.
#[derive(Debug)]
pub(super) struct Destination {
    pub(super) url: Url,
    pub(super) authority: String,
}

impl std::fmt::Debug for Services {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Services").field("hosts", &self.hosts).field("allowed", &self.allowed).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reaches_named_hosts_only() {
        let address = SocketAddr::from(([127, 0, 0, 1], 4321));
        let services = Services::new().unwrap().with_host("shop.phone", address).allowing("api.example.com");
        let destination = services.resolve("http://Shop.phone/login?x=1").unwrap();
        assert_eq!(destination.url.as_str(), "http://127.0.0.1:4321/login?x=1");
        assert_eq!(destination.authority, "shop.phone");
        assert!(services.resolve("http://api.example.com/x").is_ok());
        for url in [
            "http://127.0.0.1:4321/",
            "http://other/",
            "file:///etc/passwd",
            "shop.phone",
            "http://shop.phone@other/",
            "",
        ] {
            assert!(services.resolve(url).is_err(), "{url}");
        }
    }
}
