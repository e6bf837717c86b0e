//! The agent: what listens within the phone while `uitest start-daemon singleness` runs. Connections → calls, and their answers.
//!
//! It reads both forms that its clients write: one JSON a line, or one between a head, with a number and a length, and a tail. It
//! answers as it was asked. Pictures of the screen come under the number of the call that began them.

mod calls;
mod components;
mod matrix;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use self::calls::Session;
use super::super::handset::Handset;
use crate::jobs::off_thread;
use uixt_canvas::jpeg;

const HEAD: &[u8] = b"_uitestkit_rpc_message_head_";
const TAIL: &[u8] = b"_uitestkit_rpc_message_tail_";
/// Bytes of a call at most.
const LARGEST: usize = 4 << 20;
/// How often the screen is looked at for a moving picture.
const FRAME: Duration = Duration::from_millis(50);
const QUALITY: u32 = 80;

/// A call: its number where it has one, and its text.
type Message = (Option<u32>, Vec<u8>);

/// Takes the first whole message off what was read. Errors: it is none.
fn take(read: &mut Vec<u8>) -> Result<Option<Message>, ()> {
    if !read.starts_with(&HEAD[..read.len().min(HEAD.len())]) {
        let Some(end) = read.iter().position(|byte| *byte == b'\n') else {
            // Some clients write no line's end: a whole JSON is enough.
            let is_whole = serde_json::from_slice::<Value>(read).is_ok_and(|value| value.is_object());
            return Ok(is_whole.then(|| (None, std::mem::take(read))));
        };
        let line: Vec<u8> = read.drain(..=end).collect();
        return Ok(Some((None, line)));
    }
    let number = |at: usize| read.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    let (Some(id), Some(length)) = (number(HEAD.len()), number(HEAD.len() + 4)) else { return Ok(None) };
    let start = HEAD.len() + 8;
    let end = start + length as usize;
    if length as usize > LARGEST {
        return Err(());
    }
    let Some(tail) = read.get(end..end + TAIL.len()) else { return Ok(None) };
    if tail != TAIL {
        return Err(());
    }
    let message = read[start..end].to_vec();
    read.drain(..end + TAIL.len());
    Ok(Some((Some(id), message)))
}

/// Puts an answer, or a picture, into the form that it was asked for in.
fn framed(id: Option<u32>, message: &[u8], is_text: bool) -> Vec<u8> {
    match id {
        Some(id) => {
            let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
            [HEAD, &id.to_be_bytes(), &length.to_be_bytes(), message, TAIL].concat()
        }
        None if is_text => [message, b"\n"].concat(),
        None => message.to_vec(),
    }
}

/// Serves one client to its end, or until the daemon ends.
pub(super) async fn serve(handset: Arc<Handset>, mut stream: TcpStream) {
    if handset.harmony.faults.take("agent_resets") {
        // Nothing is waited for: the client reads a reset.
        let _ = stream.set_zero_linger();
        return;
    }
    let mut session = Session::new(handset.clone());
    let (mut read, mut seen) = (Vec::new(), Vec::new());
    let daemon = handset.harmony.daemon();
    while daemon.is_some() && handset.harmony.daemon() == daemon {
        let Ok(message) = take(&mut read) else { return };
        let Some((id, text)) = message else {
            if read.len() > LARGEST + 100 {
                return;
            }
            tokio::select! {
                count = stream.read_buf(&mut read) => if !count.is_ok_and(|count| count > 0) { return },
                () = tokio::time::sleep(FRAME) => {}
            }
            if session.captures
                && let Some(picture) = picture(&handset, &mut seen).await
                && stream.write_all(&framed(session.capture, &picture, false)).await.is_err()
            {
                return;
            }
            continue;
        };
        let answer = match serde_json::from_slice(&text) {
            Ok(call) => session.answer(&call, id).await,
            Err(error) => json!({"exception": {"code": 401, "message": format!("Illegal call: {error}")}}),
        };
        if stream.write_all(&framed(id, answer.to_string().as_bytes(), true)).await.is_err() {
            return;
        }
    }
}

/// Returns the screen as a picture, where it has changed.
async fn picture(handset: &Handset, seen: &mut Vec<u8>) -> Option<Vec<u8>> {
    let (width, height, pixels) = handset.system.lock().await.pixels();
    if *seen == pixels {
        return None;
    }
    seen.clone_from(&pixels);
    off_thread(Box::new(move || Ok(jpeg::encoded((width, height), &pixels, QUALITY)))).await.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_come_in_two_forms_and_in_parts() {
        let framed = framed(Some(7), b"{\"a\":1}", true);
        let mut read = framed[..20].to_vec();
        assert_eq!(take(&mut read), Ok(None));
        read.extend_from_slice(&framed[20..]);
        read.extend_from_slice(b"{\"b\":2}\n{\"c\"");
        assert_eq!(take(&mut read), Ok(Some((Some(7), b"{\"a\":1}".to_vec()))));
        assert_eq!(take(&mut read), Ok(Some((None, b"{\"b\":2}\n".to_vec()))));
        assert_eq!(take(&mut read), Ok(None));
        read.extend_from_slice(b":3}");
        assert_eq!(take(&mut read), Ok(Some((None, b"{\"c\":3}".to_vec()))));
        let mut broken = [HEAD, &[0; 8], b"no tail, which is as long as one"].concat();
        assert_eq!(take(&mut broken), Err(()));
    }
}
