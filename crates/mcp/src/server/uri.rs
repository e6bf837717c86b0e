//! URIs of a server's resources ↔ what they name: `uixt://android/SERIAL/screen`, with `%XX` for whatever a name may hold.

/// What all of them begin with.
const SCHEME: &str = "uixt://";
/// Stands for the device that calls go to which name none.
pub(super) const SESSION: &str = "session";

/// Returns a URI of segments, each escaped.
pub(super) fn of(segments: &[&str]) -> String {
    let segments: Vec<String> = segments.iter().map(|segment| escaped(segment)).collect();
    format!("{SCHEME}{}", segments.join("/"))
}

/// Returns the segments of a URI of ours.
pub(super) fn segments(uri: &str) -> Option<Vec<String>> {
    uri.strip_prefix(SCHEME)?.split('/').map(unescaped).collect()
}

/// Escapes what may not stand in a segment (RFC 3986 §3.3).
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b':' | b'@' => {
                escaped.push(byte.into());
            }
            _ => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

/// Returns a segment as it was meant; none where it is no text.
pub(crate) fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_names_what_it_was_made_of() {
        for serial in ["emulator-5554", "127.0.0.1:5555", "a/b c%", "设备"] {
            let uri = of(&["android", serial, "screen"]);
            assert!(uri.is_ascii() && !uri.contains(' '), "{uri}");
            assert_eq!(segments(&uri), Some(vec!["android".to_owned(), serial.to_owned(), "screen".to_owned()]));
        }
        assert_eq!(segments("uixt://a%2"), None);
        assert_eq!(segments("uixt://a%FF"), None);
        assert_eq!(segments("uixt://%2B1"), Some(vec!["+1".to_owned()]));
        assert_eq!(segments("file:///etc"), None);
    }
}
