//! Who may ask: a request's `Host`, `Origin` and `Authorization` → let in, or the status and the sentence that refuse it.
//!
//! A page in a browser can make requests to this machine. It cannot choose `Origin`, and where it reaches this server by a name of
//! its own that leads here (DNS rebinding), that name stands in `Host`. Knows neither MCP nor what is served.

use std::net::{IpAddr, SocketAddr};

use axum::extract::Request;
use axum::http::header::{self, AUTHORIZATION, HOST, ORIGIN};
use axum::http::uri::{Authority, Scheme};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Uri};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::token::Token;
use crate::server::uri;

/// Whom a server lets in.
#[derive(Clone, Default)]
pub struct Admission {
    /// Further names that this server is reached by, `name` or `name:port`: a proxy's.
    pub hosts: Vec<String>,
    /// Origins of web pages that may ask, `scheme://name:port`.
    pub origins: Vec<String>,
    /// What requests must carry; nothing where everybody on this machine may ask.
    pub token: Option<Token>,
}

/// The check of a server at an address.
pub(super) struct Guard {
    address: SocketAddr,
    admission: Admission,
}

/// Why a request is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) message: String,
    /// Whether a token was named, and is wrong.
    pub(super) wrong_token: bool,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), wrong_token: false }
    }
}

impl Guard {
    pub(super) fn new(address: SocketAddr, admission: Admission) -> Self {
        Self { address, admission }
    }

    /// Lets a request in or says why not.
    pub(super) fn check(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        self.check_host(headers)?;
        self.check_origin(headers)?;
        self.check_token(headers)
    }

    /// Returns where a browser goes on that opened a page with `?token=`, and the cookie that it keeps: the token stands in no address
    /// any more. Nothing for any other request, and for one that [`check`](Self::check) would not let in.
    pub(super) fn entry(&self, request: &Request) -> Option<(String, String)> {
        let token = self.admission.token.as_ref()?;
        let named = request.uri().query()?.split('&').find_map(|pair| pair.strip_prefix("token="))?;
        let is_let_in = self.check_host(request.headers()).and_then(|()| self.check_origin(request.headers())).is_ok();
        let named = uri::unescaped(named)?;
        let is_entry = request.method() == Method::GET && is_let_in && token.is(named.as_bytes());
        is_entry.then(|| {
            let name = self.cookie_name();
            let cookie = format!("{name}={}; Path=/; HttpOnly; SameSite=Strict", URL_SAFE_NO_PAD.encode(named));
            (request.uri().path().to_owned(), cookie)
        })
    }

    /// Returns the cookie's name, which other servers of this host do not share: browsers send cookies to all of them.
    fn cookie_name(&self) -> String {
        format!("{COOKIE}_{}", self.address.port())
    }

    /// Returns the origin of a request where it is one that was allowed by name, so that its page may read the answer.
    pub(super) fn foreign_origin<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let origin = headers.get(ORIGIN)?.to_str().ok()?;
        self.admission.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin)).then_some(origin)
    }

    fn check_host(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let bad = || Refusal::new(StatusCode::BAD_REQUEST, "a request needs one valid Host header");
        let host: Authority = only(headers, &HOST).ok_or_else(bad)?.parse().map_err(|_| bad())?;
        if self.is_here(&host, 80) {
            return Ok(());
        }
        let message =
            format!("`{host}` is not a name of this server (to allow it, start the server with --allow-host {host})");
        Err(Refusal::new(StatusCode::FORBIDDEN, message))
    }

    fn check_origin(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        if !headers.contains_key(ORIGIN) || self.foreign_origin(headers).is_some() {
            return Ok(());
        }
        let origin = only(headers, &ORIGIN).unwrap_or("?");
        if origin.parse().is_ok_and(|uri| self.is_own(&uri)) {
            return Ok(());
        }
        let message = format!(
            "pages of `{origin}` may not call this server (to allow them, start it with --allow-origin {origin})"
        );
        Err(Refusal::new(StatusCode::FORBIDDEN, message))
    }

    /// Tells whether an origin is this server's own.
    fn is_own(&self, origin: &Uri) -> bool {
        let usual = if origin.scheme() == Some(&Scheme::HTTPS) { 443 } else { 80 };
        let is_web = origin.scheme() == Some(&Scheme::HTTPS) || origin.scheme() == Some(&Scheme::HTTP);
        is_web && origin.authority().is_some_and(|authority| self.is_here(authority, usual))
    }

    /// Tells whether a name and port lead here: loopback, the bound address, or a name that was allowed.
    fn is_here(&self, authority: &Authority, usual: u16) -> bool {
        // `name:` and `user@name` are nothing that a client writes.
        if authority.as_str().ends_with(':') || authority.as_str().contains('@') {
            return false;
        }
        let port = authority.port_u16().unwrap_or(usual);
        let name = authority.host();
        self.admission.hosts.iter().any(|allowed| is_allowed(allowed, name, port))
            || (port == self.address.port() && self.is_mine(name))
    }

    fn is_mine(&self, name: &str) -> bool {
        if name.eq_ignore_ascii_case("localhost") {
            return true;
        }
        let Ok(ip) = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() else { return false };
        // A number is no name that could lead elsewhere: which of this machine's numbers it is does not matter.
        ip.is_loopback() || ip == self.address.ip() || self.address.ip().is_unspecified()
    }

    fn check_token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let Some(token) = &self.admission.token else { return Ok(()) };
        let refused = |message: &str, wrong_token| {
            Err(Refusal { wrong_token, ..Refusal::new(StatusCode::UNAUTHORIZED, message) })
        };
        let Some(named) = bearer(headers).map(<[u8]>::to_vec).or_else(|| cookie(headers, &self.cookie_name())) else {
            return refused("a token is needed: send `Authorization: Bearer <token>`", false);
        };
        if token.is(&named) { Ok(()) } else { refused("the token is not that of this server", true) }
    }
}

/// Returns a header's value where it stands there once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Returns the token that a request names (RFC 6750, section 2.1).
fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let value = headers.get(AUTHORIZATION)?.as_bytes();
    let (scheme, token) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| token.trim_ascii())
}

/// The cookie that holds the token of a person's browser, which cannot send a header with a page; in base64, for the sake of signs that
/// no cookie may have.
const COOKIE: &str = "uixt_token";

/// Returns the token that a browser was given.
fn cookie(headers: &HeaderMap, name: &str) -> Option<Vec<u8>> {
    let all =
        headers.get_all(header::COOKIE).into_iter().flat_map(|value| value.as_bytes().split(|byte| *byte == b';'));
    let kept = all.map(<[u8]>::trim_ascii).find_map(|pair| pair.strip_prefix(name.as_bytes())?.strip_prefix(b"="));
    URL_SAFE_NO_PAD.decode(kept?).ok()
}

fn is_allowed(allowed: &str, name: &str, port: u16) -> bool {
    let Ok(allowed) = allowed.parse::<Authority>() else { return false };
    allowed.host().eq_ignore_ascii_case(name) && allowed.port_u16().is_none_or(|wanted| wanted == port)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        lines.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    fn guard(address: &str, admission: Admission) -> Guard {
        Guard::new(address.parse().unwrap(), admission)
    }

    fn status(guard: &Guard, lines: &[(&'static str, &str)]) -> u16 {
        guard.check(&headers(lines)).map_or_else(|refusal| refusal.status.as_u16(), |()| 200)
    }

    #[test]
    fn hosts_are_those_of_this_machine() {
        let guard = guard("127.0.0.1:8000", Admission { hosts: vec!["Proxy.test".into()], ..Admission::default() });
        for host in ["127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000", "[::1]:8000", "proxy.test", "proxy.test:99"]
        {
            assert_eq!(status(&guard, &[("host", host)]), 200, "{host}");
        }
        for host in ["127.0.0.1", "localhost:8001", "evil.test:8000", "10.0.0.1:8000", "localhost.evil.test:8000"] {
            assert_eq!(status(&guard, &[("host", host)]), 403, "{host}");
        }
        for host in ["a b", "", "localhost:8000/"] {
            assert_eq!(status(&guard, &[("host", host)]), 400, "{host}");
        }
        assert_eq!(status(&guard, &[("host", "x@localhost:8000")]), 403);
        assert_eq!(status(&guard, &[]), 400);
        let mut twice = headers(&[("host", "localhost:8000")]);
        twice.append(HOST, "evil.test:8000".parse().unwrap());
        assert!(guard.check(&twice).is_err());
    }

    #[test]
    fn numbers_are_names_of_a_server_that_is_bound_to_all() {
        let guard = guard("0.0.0.0:8000", Admission::default());
        assert_eq!(status(&guard, &[("host", "10.1.2.3:8000")]), 200);
        assert_eq!(status(&guard, &[("host", "evil.test:8000")]), 403);
    }

    #[test]
    fn pages_of_others_are_kept_out() {
        let admission = Admission { origins: vec!["http://localhost:6274".into()], ..Admission::default() };
        let guard = guard("127.0.0.1:8000", admission);
        let asked = |origin: &str| status(&guard, &[("host", "localhost:8000"), ("origin", origin)]);
        for origin in ["http://localhost:8000", "http://127.0.0.1:8000", "http://localhost:6274"] {
            assert_eq!(asked(origin), 200, "{origin}");
        }
        for origin in
            ["http://evil.test:8000", "http://localhost:8001", "https://localhost", "null", "", "file://", "x"]
        {
            assert_eq!(asked(origin), 403, "{origin}");
        }
    }

    #[test]
    fn a_token_is_demanded_where_there_is_one() {
        let token = Some(Token::new("a-token-of-letters").unwrap());
        let guard = guard("127.0.0.1:8000", Admission { token, ..Admission::default() });
        let asked = |value: &str| status(&guard, &[("host", "localhost:8000"), ("authorization", value)]);
        assert_eq!((asked("Bearer a-token-of-letters"), asked("bearer  a-token-of-letters")), (200, 200));
        for wrong in ["Bearer another-one-of-letters", "Basic a-token-of-letters", "a-token-of-letters", "Bearer", ""] {
            assert_eq!(asked(wrong), 401, "{wrong}");
        }
        // Who asks from elsewhere learns nothing of the token.
        assert_eq!(status(&guard, &[("host", "evil.test"), ("authorization", "Bearer x")]), 403);
    }
}
