//! An address that somebody else wrote → the page that lies there, by plain HTTP: of the public internet alone, and of hosts that the user
//! names; bounded in size and time, whatever is redirected to where.

use std::net::IpAddr;
use std::time::Duration;

use chrono::{SecondsFormat, Utc};
use encoding_rs::Encoding;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, LAST_MODIFIED, LOCATION};
use reqwest::{Client, Response, Url, redirect};
use uixt_core::http::{self, PublicNames, is_public};

use crate::lines::plain;
use crate::page;
use crate::passage::Document;
use crate::source::Link;

/// How long a page may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Most redirects.
const REDIRECTS: usize = 5;

/// Most bytes of a page; the rest is not read.
const LARGEST: usize = 2 << 20;

/// Reads pages.
pub struct Reach {
    /// Those that may lie in any network: `wiki.lan`, `127.0.0.1:8080`.
    hosts: Vec<String>,
    public: Client,
    named: Client,
}

impl Reach {
    pub fn new(hosts: &[String]) -> Result<Self, String> {
        let failed = |error: reqwest::Error| format!("cannot make an HTTP client: {error}");
        let plain = || http::client().no_proxy().redirect(redirect::Policy::none()).timeout(PATIENCE);
        Ok(Self {
            hosts: hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
            // A proxy would resolve names by itself.
            public: plain().dns_resolver(std::sync::Arc::new(PublicNames)).build().map_err(failed)?,
            named: plain().build().map_err(failed)?,
        })
    }

    /// Reads the page of a link; the error says why it cannot be read.
    pub async fn read(&self, link: &Link) -> Result<(Document, String), String> {
        let mut url = Url::parse(&link.address).map_err(|error| format!("it is no address: {error}"))?;
        for _ in 0..=REDIRECTS {
            let response = self.client(&url)?.get(url.clone()).send().await.map_err(described)?;
            if response.status().is_redirection() {
                let to = header(response.headers(), &LOCATION).ok_or("it is redirected to nowhere")?;
                url = url.join(to).map_err(|error| format!("it is redirected to no address: {error}"))?;
                continue;
            }
            if !response.status().is_success() {
                return Err(format!("the server answers {}", response.status()));
            }
            return text(&url, link, response).await;
        }
        Err(format!("it is redirected more than {REDIRECTS} times"))
    }

    /// Returns what may reach an address; the error says why nothing may.
    fn client(&self, url: &Url) -> Result<&Client, String> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("`{}:` is not read: only http and https", url.scheme()));
        }
        let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
        let with_port = format!("{host}:{}", url.port_or_known_default().unwrap_or_default());
        if self.hosts.iter().any(|named| *named == host || *named == with_port) {
            return Ok(&self.named);
        }
        let is_refused = match host.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(ip) => !is_public(ip),
            Err(_) => host == "localhost" || host.ends_with(".localhost"),
        };
        match is_refused {
            true => Err(format!(
                "{with_port} is not of the public internet; name it in `research: hosts:` of uixt.yaml to have it read"
            )),
            false => Ok(&self.public),
        }
    }
}

/// Reads the text of an answer.
async fn text(url: &Url, link: &Link, response: Response) -> Result<(Document, String), String> {
    let kind = header(response.headers(), &CONTENT_TYPE).unwrap_or("text/html").to_ascii_lowercase();
    let is_html = kind.contains("html") || kind.contains("xml");
    if !is_html && !kind.starts_with("text/") && !kind.contains("json") {
        return Err(format!("it is no text but {kind}"));
    }
    let changed = header(response.headers(), &LAST_MODIFIED).and_then(day);
    let charset = kind.split("charset=").nth(1).map(|name| name.trim_matches(['"', ' ', ';']).to_owned());
    let (bytes, is_cut) = bounded(response, LARGEST).await.map_err(described)?;
    let label = charset.or_else(|| page::charset(&bytes));
    let encoding = label.and_then(|label| Encoding::for_label(label.as_bytes())).unwrap_or(encoding_rs::UTF_8);
    let (text, ..) = encoding.decode(&bytes);
    let lost = text.chars().filter(|sign| matches!(sign, '\u{fffd}' | '\0')).count();
    if lost > 2 + bytes.len() / 500 {
        return Err(format!("it is no text in {}", encoding.name()));
    }
    let page =
        if is_html { page::read(&text) } else { page::Page { text: text.into_owned(), ..page::Page::default() } };
    let title = [plain(&page.title), plain(&link.title), url.to_string()].into_iter().find(|title| !title.is_empty());
    let document = Document {
        title: title.unwrap_or_default(),
        address: url.to_string(),
        date: page.date.or_else(|| link.date.clone()).or(changed),
        read_at: now(),
        is_file: false,
        is_cut,
    };
    Ok((document, plain(&page.text)))
}

fn header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Returns the day of a date as HTTP writes it (RFC 9110, 5.6.7).
fn day(date: &str) -> Option<String> {
    let date = chrono::DateTime::parse_from_rfc2822(date).ok()?;
    Some(date.format("%Y-%m-%d").to_string())
}

/// Returns the time as answers tell it.
pub(crate) fn now() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Reads the first bytes of an answer; also tells whether there are more.
pub(crate) async fn bounded(mut response: Response, most: usize) -> Result<(Vec<u8>, bool), reqwest::Error> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > most {
            bytes.truncate(most);
            return Ok((bytes, true));
        }
    }
    Ok((bytes, false))
}

/// Says why a request failed, with the deepest cause.
pub(crate) fn described(error: reqwest::Error) -> String {
    let error = error.without_url();
    let what = if error.is_timeout() { "it took too long" } else { "it cannot be reached" };
    http::deepest_cause(&error).map_or_else(|| what.to_owned(), |cause| format!("{what}: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_public_internet_and_named_hosts_are_read() {
        let reach = Reach::new(&["127.0.0.1:8080".to_owned(), "wiki.lan".to_owned()]).expect("clients");
        let allows = |url: &str| reach.client(&Url::parse(url).expect("a URL")).is_ok();
        for url in [
            "https://example.com/a",
            "http://8.8.8.8/",
            "http://127.0.0.1:8080/x",
            "http://WIKI.lan/",
            "https://wiki.lan:9/",
        ] {
            assert!(allows(url), "{url}");
        }
        for url in [
            "file:///etc/passwd",
            "ftp://example.com/",
            "http://127.0.0.1/",
            "http://127.0.0.1:8081/",
            "http://localhost:8080/",
            "http://a.localhost/",
            "http://[::1]/",
            "http://10.0.0.1/",
            "http://169.254.169.254/latest/meta-data",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://[::ffff:127.0.0.1]/",
        ] {
            assert!(!allows(url), "{url}");
        }
        assert_eq!(day("Wed, 21 Oct 2015 07:28:00 GMT").as_deref(), Some("2015-10-21"));
    }
}
