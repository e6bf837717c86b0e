//! What actions may use of the world: HTTP to known hosts, and a clock.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, Url, redirect};

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
        let client = crate::http::client().no_proxy().redirect(redirect::Policy::none()).dns_resolver(Arc::new(Public));
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

/// Resolves names to addresses of the public internet alone; `localhost` to this computer's.
struct Public;

impl Resolve for Public {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found: Vec<SocketAddr> = tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            let is_fitting = |address: &SocketAddr| match host.as_str() {
                "localhost" => address.ip().is_loopback(),
                _ => is_public(address.ip()),
            };
            if found.is_empty() || !found.iter().all(is_fitting) {
                let why = format!("`{host}` leads to an address that is not of the public internet");
                return Err(why.into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// Tells whether an address is one of the public internet (IANA's registries of special-purpose addresses).
fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => {
            let segments = ip.segments();
            let embedded = |high: u16, low: u16| {
                let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
                is_public_v4(Ipv4Addr::new(a, b, c, d))
            };
            match segments {
                [0, 0, 0, 0, 0, 0xffff, high, low]
                | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
                | [0x2002, high, low, ..] => embedded(high, low),
                [first, second, ..] => {
                    (0x2000..0x4000).contains(&first) && !(first == 0x2001 && (second < 0x200 || second == 0xdb8))
                }
            }
        }
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let is_shared = a == 100 && (64..128).contains(&b);
    let is_reserved = a == 0 || a >= 224 || (a == 192 && b == 0 && c == 0) || (a == 198 && (18..20).contains(&b));
    !(ip.is_private() || ip.is_loopback() || ip.is_link_local() || ip.is_documentation() || is_shared || is_reserved)
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

    #[test]
    fn only_addresses_of_the_public_internet_are_public() {
        let public = |text: &str| is_public(text.parse().unwrap());
        for text in ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "64:ff9b::808:808"] {
            assert!(public(text), "{text}");
        }
        for text in [
            "127.0.0.1",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "192.0.2.1",
            "198.18.0.1",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "ff02::1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
            "2001:db8::1",
        ] {
            assert!(!public(text), "{text}");
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_into_this_network_is_not_reached() {
        // The name of this computer itself leads to an address of its own.
        let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default().trim().to_ascii_lowercase();
        let Ok(mut found) = tokio::net::lookup_host((host.as_str(), 80)).await else { return };
        if found.all(|address| is_public(address.ip())) {
            println!("skipped: `{host}` leads to the public internet");
            return;
        }
        let services = Services::reaching(std::slice::from_ref(&host)).unwrap();
        let destination = services.resolve(&format!("http://{host}:9/")).unwrap();
        let error = services.client.get(destination.url).send().await.unwrap_err();
        assert!(format!("{error:?}").contains("not of the public internet"), "{error:?}");
    }
}
