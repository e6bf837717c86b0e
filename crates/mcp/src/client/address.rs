//! Why a server at a URL cannot be reached → the same in words that say what to do, without what is secret in the URL.

use reqwest::Url;

/// What the system says where nobody listens.
const REFUSED: &str = "Connection refused";

/// How answers say that a credential is wanted.
const UNAUTHORIZED: [&str; 3] = ["HTTP 401", "401 Unauthorized", "Auth required"];

/// Returns a URL without user, query and fragment.
fn bare(url: &str) -> String {
    let Ok(mut bare) = Url::parse(url) else { return "its URL".to_owned() };
    bare.set_query(None);
    bare.set_fragment(None);
    // What has no host has no user either.
    let _ = bare.set_username("");
    let _ = bare.set_password(None);
    bare.to_string()
}

/// Tells an error for a person.
pub(super) fn told(message: &str, url: &str, has_headers: bool) -> String {
    let bare = bare(url);
    if message.contains(REFUSED) {
        return format!("connection refused: nobody listens at {bare}");
    }
    let normal = Url::parse(url).map(|url| url.to_string()).unwrap_or_default();
    let mut told = message.replace(url, &bare);
    if !normal.is_empty() {
        told = told.replace(&normal, &bare);
    }
    if UNAUTHORIZED.iter().any(|sign| told.contains(sign)) {
        told.push_str(match has_headers {
            true => "; it does not take the credential in `headers`",
            false => "; it wants a credential: set `headers`, such as {\"Authorization\": \"Bearer ${TOKEN}\"}",
        });
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_secret_in_a_url_is_not_told() {
        let url = "http://me:pw@h:1/mcp?key=abc";
        assert_eq!(
            told("tcp: Connection refused (os error 111)", url, false),
            "connection refused: nobody listens at http://h:1/mcp"
        );
        assert_eq!(told(&format!("sending to {url} failed"), url, false), "sending to http://h:1/mcp failed");
        assert!(told("HTTP 401 Unauthorized", url, false).contains("set `headers`"));
        assert!(told("HTTP 401 Unauthorized", url, true).contains("does not take the credential"));
    }
}
