//! A proxy as a user writes it → WebDriver's capability (section 4.2 of the protocol), or what is wrong with it.

use serde_json::{Value, json};

use super::engine::Engine;
use crate::driver::Error;

/// What a proxy may be.
const VALID: &str = "`http://HOST:PORT`, `socks5://HOST:PORT`, `socks4://HOST:PORT` or `direct://`";

/// Writes the capability.
pub(super) fn capability(proxy: &str, engine: Engine) -> Result<Value, Error> {
    let wrong = |why: &str| Error::Device { message: format!("`proxy` {why}; it is {VALID}") };
    let (scheme, rest) = proxy.split_once("://").unwrap_or(("http", proxy));
    let host = rest.trim_end_matches('/');
    if host.contains('@') {
        return Err(wrong("holds a name or password, for which WebDriver has no place"));
    }
    if host.contains(['/', ' ', ',', ';']) || (host.is_empty() && scheme != "direct") {
        return Err(wrong("names no host"));
    }
    let mut asked = match scheme {
        "direct" => return Ok(json!({"proxyType": "direct"})),
        "http" => json!({"proxyType": "manual", "httpProxy": host, "sslProxy": host}),
        "socks4" | "socks5" => {
            let version = if scheme == "socks4" { 4 } else { 5 };
            json!({"proxyType": "manual", "socksProxy": host, "socksVersion": version})
        }
        other => return Err(wrong(&format!("is of the kind `{}`", other.chars().take(20).collect::<String>()))),
    };
    // Else what is on its computer would go around it; Firefox has a setting for that.
    if engine == Engine::Chrome {
        asked["noProxy"] = json!(["<-loopback>"]);
    }
    Ok(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_proxy_is_written_in_its_own_words() {
        let of = |proxy: &str| capability(proxy, Engine::Firefox);
        let http = json!({"proxyType": "manual", "httpProxy": "p:1", "sslProxy": "p:1"});
        assert_eq!((of("http://p:1/"), of("p:1")), (Ok(http.clone()), Ok(http)));
        let socks = json!({"proxyType": "manual", "socksProxy": "p:1", "socksVersion": 5});
        assert_eq!(of("socks5://p:1"), Ok(socks));
        assert_eq!(of("direct://"), Ok(json!({"proxyType": "direct"})));
        assert_eq!(capability("p:1", Engine::Chrome).expect("a proxy")["noProxy"], json!(["<-loopback>"]));
        for wrong in ["ftp://p:1", "http://", "http://a:b@p:1", "socks5://p:1/x", "a,b"] {
            let told = of(wrong).expect_err(wrong).to_string();
            assert!(told.contains("socks5://HOST:PORT") && !told.contains("a:b@"), "{told}");
        }
    }
}
