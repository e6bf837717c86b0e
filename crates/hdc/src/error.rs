//! Why an hdc server or a phone did not answer as asked: by the codes of the server's own answers.

use std::time::Duration;

/// Why an hdc server or a phone did not answer as asked; each says what to do, where there is something to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("no hdc server at {address} ({reason}): {}", crate::starter::advice(address))]
    NoServer { address: String, reason: String },
    #[error("{}; {}{}", absent(key), present_keys(present), how_to_connect(key))]
    NoDevice { key: String, present: Vec<String> },
    #[error("phone `{key}` does not trust this computer yet: unlock it and accept the dialog on its screen")]
    Unauthorized { key: String },
    #[error(
        "phone `{key}` refused this computer's key: take back its permissions for debugging in the developer options, connect it again, and accept the dialog"
    )]
    AuthFailed { key: String },
    #[error("phone `{key}` is offline: wake it up, or connect it again (`hdc kill -r` starts the server anew)")]
    Offline { key: String },
    /// It was still being set up for as long as was waited.
    #[error("phone `{key}` was not ready within {} s: connect it again, or `hdc kill -r`", after.as_secs_f64())]
    NotReady { key: String, after: Duration },
    #[error(
        "hdc on this computer does not fit the phone's (E000001): install a newer one, with DevEco Studio or OpenHarmony's command line tools"
    )]
    TooOld,
    /// The server or the phone said no; its own words.
    #[error("hdc refused: {message}")]
    Refused { code: String, message: String },
    /// The connection closed before the answer was complete.
    #[error("the connection to {peer} closed midway: was the phone unplugged, or the hdc server ended?")]
    Vanished { peer: String },
    /// There was no answer to what `what` names in a word or two, without its arguments.
    #[error("no answer to `{what}` from {peer} within {} s: it hangs, or is very slow; connect it again, or `hdc kill -r`", after.as_secs_f64())]
    Silent { peer: String, what: String, after: Duration },
    #[error("the phone answered with more than {} MB: ask for less, such as a log of one tag or level", limit >> 20)]
    TooMuch { limit: usize },
    #[error("the file on this computer: {message}: give another path, or make room and the right to use it")]
    File { message: String },
    /// What answered does not speak hdc's protocol.
    #[error("this is not an hdc server: {message}")]
    Protocol { message: String },
}

impl Error {
    /// Tells whether what was asked may have been done all the same.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Vanished { .. } | Self::Silent { .. })
    }
}

impl From<Error> for uixt_driver::Error {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::Silent { .. } | Error::Refused { .. } | Error::TooMuch { .. } | Error::File { .. } => {
                Self::Device { message }
            }
            _ => Self::Disconnected { message },
        }
    }
}

fn absent(key: &str) -> String {
    match key {
        "" => "hdc asks which HarmonyOS phone is meant: name it (`--device harmony:KEY`)".to_owned(),
        key => format!("no HarmonyOS phone `{key}` is connected"),
    }
}

fn present_keys(present: &[String]) -> String {
    if present.is_empty() { "none is".to_owned() } else { format!("connected: {}", present.join(", ")) }
}

/// Says how a phone over TCP comes back.
fn how_to_connect(key: &str) -> String {
    if key.contains(':') { format!("; `hdc tconn {key}` connects it") } else { String::new() }
}

/// Bytes at the beginning of an answer in which a refusal tells its code, and signs of it that an error shows.
const HEAD: usize = 400;

/// What a server said instead of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The way to the phone is still being made: it is asked again.
    NotReady,
    Final(Error),
}

/// Reads a refusal by its code, with or without brackets and a colon, or by its words; none where it is an answer.
pub(crate) fn refusal(key: &str, answer: &[u8]) -> Option<Refusal> {
    let head = String::from_utf8_lossy(&answer[..answer.len().min(HEAD)]);
    let head = head.trim_start();
    let code = code(head);
    if code.is_none() && !head.starts_with("[Fail]") {
        return None;
    }
    let key = key.to_owned();
    let says = |words: &str| head.contains(words);
    let none = || Error::NoDevice { key: key.clone(), present: Vec::new() };
    Some(Refusal::Final(match code.unwrap_or_default() {
        "E000004" => return Some(Refusal::NotReady),
        "E000002" | "E000003" => Error::Unauthorized { key },
        "E000010" => Error::AuthFailed { key },
        "E000001" => Error::TooOld,
        "E001005" => none(),
        "E002106" => Error::Offline { key },
        "" if says("Not match target") || says("need connect-key") => none(),
        "" if says("nauthorized") => Error::Unauthorized { key },
        code => Error::Refused { code: code.to_owned(), message: readable(head) },
    }))
}

/// Returns the code at the beginning of an answer: `E000004` of `[Fail][E000004]:`.
fn code(head: &str) -> Option<&str> {
    let rest = head.strip_prefix("[Fail]").unwrap_or(head).trim_start();
    let rest = rest.strip_prefix('[').unwrap_or(rest);
    let code = rest.get(..7)?;
    let is_code = code.starts_with('E') && code[1..].bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_end = !rest[7..].starts_with(|sign: char| sign.is_ascii_alphanumeric());
    (is_code && is_end).then_some(code)
}

/// Returns another's words as they may stand in an error: short, in one line, without what would steer a terminal.
pub(crate) fn readable(words: &str) -> String {
    let kept: String = words.chars().take(HEAD).map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_told_apart_by_their_codes() {
        let key = || "K".to_owned();
        let none = Error::NoDevice { key: key(), present: Vec::new() };
        for (answer, wanted) in [
            ("[Fail][E000002]: the device is unauthorized", Error::Unauthorized { key: key() }),
            ("[E000003]The sdk hdc.exe version…\r\n", Error::Unauthorized { key: key() }),
            ("[Fail][E000010]:Auth failed, cannot login the device.", Error::AuthFailed { key: key() }),
            ("[Fail][E000001]: too low", Error::TooOld),
            ("[Fail][E001005] Device not found or connected\r\n", none.clone()),
            ("[Fail]Not match target founded, check connect-key please", none.clone()),
            ("[Fail]ExecuteCommand need connect-key? please confirm a device by help info", none),
            ("E002106: no contact", Error::Offline { key: key() }),
            (
                "[Fail][E005200] bad\nfile",
                Error::Refused { code: "E005200".to_owned(), message: "[Fail][E005200] bad file".to_owned() },
            ),
            ("[Fail]odd", Error::Refused { code: String::new(), message: "[Fail]odd".to_owned() }),
        ] {
            assert_eq!(refusal("K", answer.as_bytes()), Some(Refusal::Final(wanted)), "{answer}");
        }
        for storm in ["[Fail][E000004]:The communication channel is being established.", "[E000004]", "E000004: wait"] {
            assert_eq!(refusal("K", storm.as_bytes()), Some(Refusal::NotReady), "{storm}");
        }
        for answer in ["", "hello", "E0000041", "[Empty]", "Forwardport result:OK", "E2E000 ok", "\u{e9}[Fail]"] {
            assert_eq!(refusal("K", answer.as_bytes()), None, "{answer}");
        }
    }
}
