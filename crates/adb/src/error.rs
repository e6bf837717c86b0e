//! Why an adb server or a device did not answer as asked.

use std::time::Duration;

/// Why an adb server or a device did not answer as asked; each says what to do, where there is something to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error(
        "no adb server at {address} ({reason}): start one with `adb start-server`, name a phone that is \
         reached without it (`--adb-server none --device android:HOST:PORT`), or use `--device phone`"
    )]
    NoServer { address: String, reason: String },
    #[error("no device `{serial}` is connected; {}{}", present_devices(present), how_to_connect(serial))]
    NoDevice { serial: String, present: Vec<String> },
    #[error("device `{serial}` is offline: reconnect it, or try `adb reconnect offline`")]
    Offline { serial: String },
    #[error("device `{serial}` does not trust this computer yet: accept the dialog on the phone")]
    Unauthorized { serial: String },
    /// It is reached directly, and its dialog is on its screen now.
    #[error(
        "device `{serial}` asks on its screen whether to `Allow USB debugging` from this computer (RSA key \
         {fingerprint}): unlock it, tap `Allow`, and try again"
    )]
    Asking { serial: String, fingerprint: String },
    /// Nothing that is reached directly answers there.
    #[error(
        "no phone answers at {serial} ({reason}): is it in this network, with debugging over TCP on (`adb tcpip 5555` \
         over USB, once after each start of the phone)?"
    )]
    Unreachable { serial: String, reason: String },
    #[error(
        "device `{serial}` wants an encrypted connection (`Wireless debugging`), which needs an adb server: `adb pair` \
         and `adb connect`; or use its port for debugging over TCP, 5555"
    )]
    Encrypted { serial: String },
    #[error("the key by which phones know this computer, {file}: {reason}")]
    Key { file: String, reason: String },
    /// The connection closed before the answer was complete.
    #[error("the connection to {peer} closed midway: was it unplugged, or the adb server ended?")]
    Vanished { peer: String },
    #[error("no answer from adb within {} s: `adb kill-server` ends one that hangs", after.as_secs_f64())]
    Timeout { after: Duration },
    /// A device did not answer what it was asked; `what` names that in a word or two, without its arguments.
    #[error(
        "no answer to `{what}` from device `{serial}` within {} s: it hangs, or is very slow; see whether it does anything by \
         hand, and connect or start it anew", after.as_secs_f64()
    )]
    Silent { serial: String, what: String, after: Duration },
    /// The device ended the connection instead of a word; it may be on its way down, or up.
    #[error(
        "device `{serial}` closed the connection: is it starting anew? `adb wait-for-device` tells when it is there"
    )]
    Closed { serial: String },
    /// The server or the device said no; its own words.
    #[error("adb refused: {message}")]
    Refused { message: String },
    /// The answer was longer than is taken.
    #[error("the device answered with more than {} MB", limit >> 20)]
    TooMuch { limit: usize },
    /// A file of the host cannot be read, or not be written.
    #[error("the file on this computer: {message}")]
    File { message: String },
    /// What answered does not speak adb.
    #[error("this is not an adb server: {message}")]
    Protocol { message: String },
}

fn present_devices(present: &[String]) -> String {
    if present.is_empty() { "none is".to_owned() } else { format!("connected: {}", present.join(", ")) }
}

/// Signs of another's words that an error shows.
const LONGEST_REASON: usize = 400;

/// Says how a device over TCP comes back.
fn how_to_connect(serial: &str) -> String {
    if serial.contains(':') { format!("; `adb connect {serial}` connects it") } else { String::new() }
}

/// Reads the reason of a `FAIL` that came for the device `serial`.
pub(super) fn refusal(serial: &str, reason: &str) -> Error {
    let (text, serial) = (reason.to_ascii_lowercase(), serial.to_owned());
    if text.contains("unauthorized") || text.contains("still authorizing") {
        Error::Unauthorized { serial }
    } else if text.contains("device offline") || text.contains("still connecting") {
        Error::Offline { serial }
    } else if text.starts_with("device") && text.ends_with("not found") || text.starts_with("no devices") {
        Error::NoDevice { serial, present: Vec::new() }
    } else if text == "closed" {
        Error::Closed { serial }
    } else {
        Error::Refused { message: readable(reason) }
    }
}

/// Returns another's words as they may stand in an error: short, and without what would steer a terminal.
fn readable(words: &str) -> String {
    let kept: String = words.chars().take(LONGEST_REASON).map(|c| if c.is_control() { ' ' } else { c }).collect();
    kept.trim().to_owned()
}

/// Reads what went wrong on a stream to `peer`.
pub(super) fn broken(peer: &str, error: &std::io::Error) -> Error {
    use std::io::ErrorKind;
    if let Some(why) = error.get_ref().and_then(|why| why.downcast_ref::<Error>()) {
        return why.clone();
    }
    match error.kind() {
        ErrorKind::InvalidData | ErrorKind::InvalidInput => Error::Protocol { message: error.to_string() },
        ErrorKind::Other => Error::File { message: error.to_string() },
        _ => Error::Vanished { peer: peer.to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_told_apart() {
        let serial = || "X".to_owned();
        let none = Error::NoDevice { serial: serial(), present: Vec::new() };
        for (reason, error) in [
            ("device 'X' not found", none.clone()),
            ("device not found", none.clone()),
            ("no devices/emulators found", none),
            ("device offline", Error::Offline { serial: serial() }),
            ("device still connecting", Error::Offline { serial: serial() }),
            ("device still authorizing", Error::Unauthorized { serial: serial() }),
            (
                "device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set",
                Error::Unauthorized { serial: serial() },
            ),
            ("closed", Error::Closed { serial: serial() }),
            ("a\u{1b}[31mb\n", Error::Refused { message: "a [31mb".to_owned() }),
        ] {
            assert_eq!(refusal("X", reason), error, "{reason}");
        }
    }

    #[test]
    fn messages_say_what_to_do() {
        let error = Error::NoDevice { serial: "X".into(), present: vec!["A".into(), "B".into()] };
        assert_eq!(error.to_string(), "no device `X` is connected; connected: A, B");
        let error = Error::NoServer { address: "localhost:5037".into(), reason: "connection refused".into() };
        assert!(error.to_string().contains("adb start-server"), "{error}");
    }
}
