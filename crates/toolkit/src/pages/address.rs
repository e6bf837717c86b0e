//! An address as testcases write it → whole, where the caller may open it.

use uixt_locate::{Error, Kind};

use crate::Context;

/// Checks an address as testcases write it: whole, or a path of the site that the project serves.
pub fn check(url: &str) -> Result<(), String> {
    if !has_scheme(url) && !is_path(url) {
        return Err(format!(
            "`url` needs a scheme: https://{0}; a path of `base_url` begins with /: /{0}",
            url.trim_start_matches('/')
        ));
    }
    match url.chars().find(|c| c.is_whitespace() || c.is_control()) {
        Some(c) => Err(format!("`url` holds {c:?}, which must be percent-encoded")),
        None => Ok(()),
    }
}

fn is_path(url: &str) -> bool {
    url.starts_with('/') && !url.starts_with("//")
}

/// Returns an address whole, where this caller may open it: a path continues the config's `base_url`, or else the site that the
/// project serves; a `base_url` that is a path itself is one of that site.
pub async fn whole(cx: &Context, url: &str) -> Result<String, Error> {
    let base = cx.options.base_url.as_deref().filter(|_| is_path(url));
    let whole = base.map_or_else(|| url.to_owned(), |base| joined(base, url));
    if let Some(base) = base.filter(|base| !has_scheme(base) && !is_path(base)) {
        let message =
            format!("`base_url: {base}` needs a scheme: http://{base}, or begins with / where the project serves");
        return Err(Error::new(Kind::BadArgument, message));
    }
    match cx.session.site() {
        _ if !is_path(&whole) => cx.check_address(&whole).await.map(|()| whole),
        Some(site) => Ok(format!("{site}{whole}")),
        None => {
            let message = format!(
                "`{url}` is a path, and nothing says of what: write `base_url` in the config, `serve: FOLDER` in uixt.yaml, or a whole address with its scheme"
            );
            Err(Error::new(Kind::BadArgument, message))
        }
    }
}

/// Puts a path behind a base, whose own path it continues, as those of requests do.
fn joined(base: &str, path: &str) -> String {
    format!("{}/{}", base.trim_end_matches('/'), path.trim_start_matches('/'))
}

/// A scheme is a letter and letters, digits, `+`, `-` or `.` before the first colon (RFC 3986, 3.1).
fn has_scheme(url: &str) -> bool {
    url.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
            && !rest.is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::{has_scheme, joined};

    #[test]
    fn a_path_continues_that_of_its_base() {
        assert_eq!(joined("http://h", "/login"), "http://h/login");
        assert_eq!(joined("http://h/app/", "/login?a=1"), "http://h/app/login?a=1");
        assert_eq!(joined("/shop", "/"), "/shop/");
    }

    #[test]
    fn links_begin_with_a_scheme() {
        for link in ["https://a.b", "tel:123", "uixt-shop://product/3", "market://details?id=x"] {
            assert!(has_scheme(link), "{link}");
        }
        for other in ["a.b/c", "//a.b", "://x", "3x://y", "https:", "-a://b", ""] {
            assert!(!has_scheme(other), "{other}");
        }
    }
}
