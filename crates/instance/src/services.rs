//! What actions may use of the world: HTTP to known hosts, and a clock.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use reqwest::{Client, Url, redirect};
use uixt_core::http::PublicNames;

type Clock = Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>;

/// Plain HTTP to the hosts that are named, to no others; and the time.
#[derive(Clone)]
pub struct Services {
    pub(super) client: Client,
    hosts: BTreeMap<String, SocketAddr>,
    allowed: BTreeSet<String>,
    /// Whether hosts of the network are reached, HTTPS is spoken.
    is_real: bool,
    clock: Clock,
}

impl Services {
    /// Makes services that reach nobody and have the system's clock. Proxies of the environment are not used and redirects not
    /// followed, or a host that was refused could be reached through one that was not.
    pub fn new() -> io::Result<Self> {
        let client =
            crate::http::plain_client().redirect(redirect::Policy::none()).build().map_err(io::Error::other)?;
        Ok(Self { client, hosts: BTreeMap::new(), allowed: BTreeSet::new(), is_real: false, clock: Arc::new(Utc::now) })
    }

    /// Lets a name, such as `shop.phone`, stand for an address.
    #[must_use]
    pub fn with_host(mut self, name: &str, address: SocketAddr) -> Self {
        self.hosts.insert(name.to_ascii_lowercase(), address);
        self
    }

    /// Makes services that reach these hosts, over HTTP and HTTPS, and no others: `api.example.com`, `localhost:8080`, `10.0.0.7`. One
    /// that is a name must lead to addresses of the public internet, unless it is `localhost`: nobody gets into a network by a name that
    /// was turned to an address in it.
    pub fn reaching(hosts: &[String]) -> io::Result<Self> {
        let services = Self::new()?;
        if hosts.is_empty() {
            return Ok(services);
        }
        let client =
            crate::http::client().no_proxy().redirect(redirect::Policy::none()).dns_resolver(Arc::new(PublicNames));
        let client = client.build().map_err(io::Error::other)?;
        Ok(Self {
            client,
            allowed: hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
            is_real: true,
            ..services
        })
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
        let mut url = Url::parse(text).map_err(|error| format!("`{text}` is not a URL: {error}"))?;
        if url.scheme() != "http" && !(self.is_real && url.scheme() == "https") {
            return Err(format!("`{}` is not http", url.scheme()));
        }
        let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
        let authority = url.port().map_or_else(|| host.clone(), |port| format!("{host}:{port}"));
        if let Some(address) = self.hosts.get(&host) {
            let placed = url.set_ip_host(address.ip()).and_then(|()| url.set_port(Some(address.port())));
            placed.map_err(|()| format!("`{text}` cannot be sent to {address}"))?;
        } else if !self.allows(&host, &url) {
            return Err(format!("host `{authority}` is not allowed"));
        }
        Ok(Destination { url, authority })
    }
}

impl Services {
    fn allows(&self, host: &str, url: &Url) -> bool {
        let port = url.port_or_known_default().unwrap_or(80);
        self.allowed.contains(host) || self.allowed.contains(&format!("{host}:{port}"))
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
        let services = Services::reaching(&["api.example.com".to_owned(), "localhost:8080".to_owned()]);
        let services = services.unwrap().with_host("shop.phone", address);
        let destination = services.resolve("http://Shop.phone/login?x=1").unwrap();
        assert_eq!(destination.url.as_str(), "http://127.0.0.1:4321/login?x=1");
        assert_eq!(destination.authority, "shop.phone");
        for url in ["http://api.example.com/x", "https://api.example.com:8443/x", "http://localhost:8080/"] {
            assert!(services.resolve(url).is_ok(), "{url}");
        }
        assert!(Services::new().unwrap().resolve("https://api.example.com/").is_err());
        for url in [
            "http://127.0.0.1:4321/",
            "http://other/",
            "http://localhost/",
            "http://localhost:8081/",
            "http://api.example.com.evil.example/",
            "ftp://api.example.com/",
            "file:///etc/passwd",
            "shop.phone",
            "http://shop.phone@other/",
            "",
        ] {
            assert!(services.resolve(url).is_err(), "{url}");
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_into_this_network_is_not_reached() {
        // The name of this computer itself leads to an address of its own.
        let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default().trim().to_ascii_lowercase();
        let Ok(mut found) = tokio::net::lookup_host((host.as_str(), 80)).await else { return };
        if found.all(|address| uixt_core::http::is_public(address.ip())) {
            println!("skipped: `{host}` leads to the public internet");
            return;
        }
        let services = Services::reaching(std::slice::from_ref(&host)).unwrap();
        let destination = services.resolve(&format!("http://{host}:9/")).unwrap();
        let error = services.client.get(destination.url).send().await.unwrap_err();
        assert!(format!("{error:?}").contains("not of the public internet"), "{error:?}");
    }
}
