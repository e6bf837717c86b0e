//! A PNG → the terminal, by the kitty graphics protocol (<https://sw.kovidgoyal.net/kitty/graphics-protocol/>) where it answers to that;
//! else a file, whose path is shown.

use std::io::{IsTerminal as _, Write as _, stdin, stdout};
use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

/// Asks whether a picture of one pixel could be shown, and then what every terminal answers.
const QUESTION: &str = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c";
/// What a terminal that can says to it.
const YES: &str = "\x1b_Gi=31;OK";
/// How long it may take to answer.
const ANSWER: Duration = Duration::from_millis(500);
/// Most bytes of a picture in one sequence.
const CHUNK: usize = 4096;
/// Lines of the terminal that a picture is scaled to.
const ROWS: u32 = 24;

/// Shows a picture, or says where it is.
pub(super) fn show(png: &[u8], file: &Path, is_terminal: bool) {
    if is_terminal && stdout().is_terminal() && can_show() {
        let mut out = stdout().lock();
        let _ = out.write_all(sequences(png).as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
        return;
    }
    let folder = file.parent().map_or(Ok(()), std::fs::create_dir_all);
    match folder.and_then(|()| std::fs::write(file, png)) {
        Ok(()) => println!("picture: {}", file.display()),
        Err(error) => eprintln!("cannot write {}: {error}", file.display()),
    }
}

/// Returns what shows a PNG.
fn sequences(png: &[u8]) -> String {
    let encoded = STANDARD.encode(png);
    let chunks: Vec<&str> =
        encoded.as_bytes().chunks(CHUNK).filter_map(|chunk| std::str::from_utf8(chunk).ok()).collect();
    let mut text = String::with_capacity(encoded.len() + chunks.len() * 16);
    for (position, chunk) in chunks.iter().enumerate() {
        let first = if position == 0 { format!("a=T,f=100,r={ROWS},q=2,") } else { String::new() };
        let more = u8::from(position + 1 < chunks.len());
        text.push_str(&format!("\x1b_G{first}m={more};{chunk}\x1b\\"));
    }
    text
}

/// Asks the terminal; what does not answer in time cannot.
fn can_show() -> bool {
    let input = stdin();
    let Ok(before) = tcgetattr(&input) else { return false };
    let mut raw = before.clone();
    raw.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
    if tcsetattr(&input, OptionalActions::Now, &raw).is_err() {
        return false;
    }
    let mut out = stdout().lock();
    let asked = out.write_all(QUESTION.as_bytes()).and_then(|()| out.flush());
    let answer = if asked.is_ok() { answer(Instant::now() + ANSWER) } else { String::new() };
    let _ = tcsetattr(&input, OptionalActions::Now, &before);
    answer.contains(YES)
}

/// Reads until the answer that every terminal gives, or the end of the time.
fn answer(end: Instant) -> String {
    let (input, mut answer) = (stdin(), Vec::new());
    // It begins with ESC [ ? and ends with c.
    let is_whole = |answer: &[u8]| answer.ends_with(b"c") && answer.windows(3).any(|part| part == b"\x1b[?");
    while !is_whole(&answer) {
        let left = end.saturating_duration_since(Instant::now());
        let Ok(left) = Timespec::try_from(left) else { break };
        match poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&left)) {
            Err(rustix::io::Errno::INTR) => continue,
            Ok(ready) if ready > 0 => {}
            _ => break,
        }
        let mut bytes = [0; 256];
        match rustix::io::read(&input, &mut bytes) {
            Ok(0) | Err(_) => break,
            Ok(read) => answer.extend_from_slice(&bytes[..read]),
        }
    }
    String::from_utf8_lossy(&answer).into_owned()
}
