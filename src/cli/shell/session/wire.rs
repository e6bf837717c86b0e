//! What goes over a session's socket: one line of JSON that asks, one that says who answers, one with the answer.

use crate::tools::Audience;
use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde_json::{Value, json};
use uixt_call::{CallToolRequest, CallToolResult, Content};

/// Longest line, in bytes.
pub(super) const MAX_LEN: u64 = 256 << 20;
/// How long a session may take to say that it is there.
const GREETING: Duration = Duration::from_secs(5);

/// What a session is asked.
pub(super) enum Ask {
    /// A call, from a folder.
    Call { request: CallToolRequest, audience: Audience, folder: String, with_picture: bool },
    /// What it is.
    About,
    /// To end.
    Stop,
}

impl Ask {
    pub(super) fn line(&self) -> String {
        let line = match self {
            Self::Call { request, audience, folder, with_picture } => json!({
                "build": build(), "call": request, "text": *audience == Audience::Text, "folder": folder, "picture": with_picture,
            }),
            Self::About => json!({"about": true}),
            Self::Stop => json!({"stop": true}),
        };
        format!("{line}\n")
    }

    /// Reads a line; an error says why this program does not answer it.
    pub(super) fn read(line: &str, build: &str) -> Result<Self, String> {
        let mut line: Value =
            serde_json::from_str(line).map_err(|error| format!("that is not a line of JSON: {error}"))?;
        if line["about"] == true {
            return Ok(Self::About);
        }
        if line["stop"] == true {
            return Ok(Self::Stop);
        }
        if line["build"] != build {
            return Err(OTHER.to_owned());
        }
        let request =
            serde_json::from_value(line["call"].take()).map_err(|error| format!("that is not a call: {error}"))?;
        let audience = if line["text"] == true { Audience::Text } else { Audience::Testcase };
        let folder = line["folder"].as_str().unwrap_or_default().to_owned();
        Ok(Self::Call { request, audience, folder, with_picture: line["picture"] == true })
    }
}

/// Says why two programs do not talk.
const OTHER: &str = "it was started by another build of uixt; start it again with this one";

/// Tells this build from others, also from those of the same version: by its file's size and the time it was written.
pub(super) fn build() -> String {
    let file = std::env::current_exe().and_then(std::fs::metadata).ok();
    let written = file.as_ref().and_then(|file| file.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok());
    let size = file.as_ref().map_or(0, std::fs::Metadata::len);
    format!("{} {size} {}", env!("CARGO_PKG_VERSION"), written.unwrap_or_default().as_nanos())
}

/// The answer to a call, as far as it is told.
pub(in crate::cli) struct Answer {
    pub(in crate::cli) object: Value,
    /// The picture, in base64.
    pub(in crate::cli) picture: Option<String>,
}

impl From<CallToolResult> for Answer {
    fn from(result: CallToolResult) -> Self {
        let picture = result.content.into_iter().find_map(|content| match content {
            Content::Image { data, .. } => Some(data),
            _ => None,
        });
        Self { object: result.structured_content.unwrap_or_default(), picture }
    }
}

impl Answer {
    pub(super) fn line(self) -> Value {
        json!({"object": self.object, "picture": self.picture})
    }

    pub(super) fn read(mut line: Value) -> Self {
        Self { object: line["object"].take(), picture: line["picture"].as_str().map(str::to_owned) }
    }
}

/// Why a session gives no answer.
pub(super) enum Silence {
    /// It says so itself.
    Refused(String),
    /// It does not answer, or ended.
    Gone(io::Error),
}

/// A question that was asked, and the session that says it is there.
pub(super) struct Asked {
    input: BufReader<UnixStream>,
    pub(super) pid: u64,
}

/// Asks, and waits until the session says that it is there.
pub(super) fn ask(mut stream: UnixStream, ask: &Ask) -> Result<Asked, Silence> {
    let line = ask.line();
    let sent = stream.set_write_timeout(Some(GREETING)).and_then(|()| stream.write_all(line.as_bytes()));
    sent.and_then(|()| stream.set_read_timeout(Some(GREETING))).map_err(Silence::Gone)?;
    let mut asked = Asked { input: BufReader::new(stream), pid: 0 };
    asked.pid = asked.line()?["pid"].as_u64().unwrap_or_default();
    Ok(asked)
}

impl Asked {
    /// Waits for the answer, for ever where nothing else is said.
    pub(super) fn answer(&mut self, timeout: Option<Duration>) -> Result<Value, Silence> {
        self.input.get_ref().set_read_timeout(timeout).map_err(Silence::Gone)?;
        self.line()
    }

    /// Waits until its process has ended, which closes the connection, as long as for the answer.
    pub(super) fn end(mut self) {
        let _ = self.input.read_to_end(&mut Vec::new());
    }

    fn line(&mut self) -> Result<Value, Silence> {
        let mut line = Vec::new();
        self.input.by_ref().take(MAX_LEN).read_until(b'\n', &mut line).map_err(Silence::Gone)?;
        if line.is_empty() {
            return Err(Silence::Gone(io::ErrorKind::UnexpectedEof.into()));
        }
        let line: Value = serde_json::from_slice(&line).map_err(|error| Silence::Gone(error.into()))?;
        match line["refused"].as_str() {
            Some(why) => Err(Silence::Refused(why.to_owned())),
            None => Ok(line),
        }
    }
}
