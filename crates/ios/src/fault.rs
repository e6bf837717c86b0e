//! What went wrong between a request and its answer → errors that say what to do. Source: `FBCommandStatus.m` of appium/WebDriverAgent.

use serde_json::Value;
use uixt_lane::Answer;

use crate::driver::Error;
use crate::stream::Failure;

/// Letters of an answer that an error shows.
const SHOWN: usize = 200;

/// `WebDriverAgent`'s refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// What was asked for.
    pub(crate) what: String,
    /// WebDriver's word for it: `no such alert`; empty where it has none.
    pub(crate) code: String,
    pub(crate) message: String,
}

/// Why something that was asked for has no value.
#[derive(Clone, Debug)]
pub(crate) enum Miss {
    /// `WebDriverAgent` refused it, and did nothing.
    Refused(Fault),
    /// It is not known what came of it, or nobody could be asked.
    Broken(Error),
}

impl Fault {
    pub(crate) fn is(&self, code: &str) -> bool {
        self.code == code
    }

    /// Tells whether it knows no such request: another version does.
    pub(crate) fn is_unknown(&self) -> bool {
        let is_bare = || {
            self.code.is_empty() && ["it answered 404", "it answered 501"].iter().any(|it| self.message.starts_with(it))
        };
        matches!(self.code.as_str(), "unknown command" | "unknown method" | "unsupported operation") || is_bare()
    }

    /// Tells whether it is no answer of `WebDriverAgent`'s, but of something between.
    pub(crate) fn is_odd(&self) -> bool {
        self.code.is_empty() && !self.is_unknown()
    }

    /// Tells whether the session is not known: somebody else began one, or `WebDriverAgent` was started anew.
    pub(crate) fn is_of_session(&self) -> bool {
        matches!(self.code.as_str(), "invalid session id" | "no such driver")
    }

    /// Tells whether the tree lies too deep for the phone to tell.
    pub(crate) fn is_of_depth(&self) -> bool {
        ["kAXErrorIllegalArgument", "kAXErrorAPIDisabled", "Error -25201", "snapshot"]
            .iter()
            .any(|word| self.message.contains(word))
    }

    /// Says what was refused, in words that lead on.
    fn words(&self) -> String {
        let Self { what, code, message } = self;
        let said = if message.is_empty() { code.clone() } else { beginning(message) };
        if let Some(app) = crashed(message) {
            return format!(
                "the app {app} is not running any more: it crashed, or was ended; start it by `app_launch`"
            );
        }
        if is_of_lock(message) {
            return format!(
                "the phone is locked, so it did not {what}: call `unlock`; one with a passcode is unlocked by hand"
            );
        }
        format!("WebDriverAgent did not {what}: {said}")
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        if fault.is_unknown() {
            let said = if fault.message.is_empty() { &fault.code } else { &beginning(&fault.message) };
            let operation =
                format!("{}: its WebDriverAgent does not know that; build a newer one ({said})", fault.what);
            return Self::Unsupported { driver: crate::PLATFORM, operation };
        }
        Self::Device { message: fault.words() }
    }
}

impl From<Miss> for Error {
    fn from(miss: Miss) -> Self {
        match miss {
            Miss::Refused(fault) => fault.into(),
            Miss::Broken(error) => error,
        }
    }
}

/// Returns the app of which `WebDriverAgent` says that it is gone.
fn crashed(message: &str) -> Option<&str> {
    let app = message.split_once("bundle id '")?.1.split_once('\'')?.0;
    message.contains("is not running, possibly crashed").then_some(app)
}

fn is_of_lock(message: &str) -> bool {
    ["could not be, unlocked", "device is locked", "Device is locked", "(\"Locked\")"]
        .iter()
        .any(|words| message.contains(words))
}

/// Reads what an answer with an error says.
pub(crate) fn fault(what: &str, answer: &Answer) -> Fault {
    let read: Option<Value> = serde_json::from_slice(&answer.body).ok();
    let value = read.as_ref().map(|read| &read["value"]);
    let text = |key: &str| value.and_then(|value| value[key].as_str()).unwrap_or_default().to_owned();
    let (code, message) = (text("error"), text("message"));
    if !code.is_empty() {
        return Fault { what: what.to_owned(), code, message };
    }
    let shown = beginning(&String::from_utf8_lossy(&answer.body[..answer.body.len().min(4096)]));
    Fault { what: what.to_owned(), code, message: format!("it answered {}: {shown}", answer.status) }
}

/// Says what happened to a connection.
pub(crate) fn words(failure: &Failure) -> String {
    match failure {
        Failure::Unreached(_) => "it cannot be reached".to_owned(),
        Failure::Unanswered => "the connection ended without an answer".to_owned(),
        Failure::Late(limit) => format!("no answer within {} s", limit.as_secs_f64()),
        Failure::TooLong(most) => format!("the answer has more than {} MB", most >> 20),
        Failure::Garbage(how) => format!("what answers there is no WebDriverAgent ({})", beginning(how)),
    }
}

/// Returns the first letters of a text, in one line.
pub(crate) fn beginning(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16, body: &str) -> Fault {
        fault("list apps", &Answer { status, body: body.to_owned().into() })
    }

    #[test]
    fn refusals_say_what_to_do() {
        let crash = r#"{"value":{"error":"invalid element state","message":"The application under test with bundle id 'com.a.b' is not running, possibly crashed","traceback":""},"sessionId":"1"}"#;
        assert!(Error::from(of(400, crash)).to_string().contains("com.a.b is not running any more"));
        let unknown = of(404, r#"{"value":{"error":"unknown command","message":"Unhandled endpoint"}}"#);
        assert!(matches!(Error::from(unknown), Error::Unsupported { .. }));
        let locked = of(
            500,
            r#"{"value":{"error":"unknown error","message":"Unable to launch com.a because the device was not, or could not be, unlocked"}}"#,
        );
        assert!(Error::from(locked).to_string().contains("`unlock`"));
        assert_eq!(of(502, "<html>\n bad").message, "it answered 502: <html> bad");
        assert!(of(404, r#"{"value":{"error":"stale element reference","message":"Error kAXErrorIllegalArgument getting snapshot"}}"#).is_of_depth());
    }
}
