//! Lines of text → packets that are nearly always well formed, so that changed text goes beyond the framing.
//!
//! A line is `OPEN 1 0 shell:ls`: command, both numbers, payload. In a payload, `x*9000` stands for so many bytes, `=100` for a
//! number of four bytes, `\0` for zero. A line that begins otherwise is sent as it is.

use super::packet::{Command, MAX_PAYLOAD, Packet};

/// Lines of a script that are sent at most.
const MAX: usize = 400;

/// Returns the packets, or what stands in their place, in order.
pub(super) fn packets(script: &[u8]) -> Vec<Vec<u8>> {
    script.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).take(MAX).map(encode).collect()
}

fn encode(line: &[u8]) -> Vec<u8> {
    let mut words = line.splitn(4, |byte| *byte == b' ');
    let mut word = || words.next().unwrap_or_default();
    let (command, first, second, payload) = (word(), word(), word(), word());
    let commands = [
        (b"CNXN", Command::Connect),
        (b"AUTH", Command::Authorize),
        (b"STLS", Command::Encrypt),
        (b"OPEN", Command::Open),
        (b"OKAY", Command::Okay),
        (b"WRTE", Command::Write),
        (b"CLSE", Command::Close),
    ];
    match commands.into_iter().find(|(name, _)| name.as_slice() == command) {
        // The sum is there for those who look at it.
        Some((_, command)) => Packet::new(command, number(first), number(second), expanded(payload)).encode(true),
        None => line.to_vec(),
    }
}

/// Reads a number, decimal or `0x…`, of which only the lowest 32 bits are kept; what is none is 0.
fn number(word: &[u8]) -> u32 {
    let text = String::from_utf8_lossy(word);
    let read = text.strip_prefix("0x").map_or_else(|| text.parse(), |digits| i64::from_str_radix(digits, 16));
    let low = read.unwrap_or_default().to_le_bytes();
    u32::from_le_bytes([low[0], low[1], low[2], low[3]])
}

fn expanded(payload: &[u8]) -> Vec<u8> {
    if let Some(word) = payload.strip_prefix(b"=") {
        return number(word).to_le_bytes().to_vec();
    }
    if let [byte, b'*', times @ ..] = payload {
        // A little more than is taken, too.
        return vec![*byte; (number(times) as usize).min(MAX_PAYLOAD + 1)];
    }
    let mut bytes = Vec::with_capacity(payload.len());
    for byte in payload {
        match (byte, bytes.last()) {
            (b'0', Some(b'\\')) => drop(bytes.splice(bytes.len() - 1.., [0])),
            _ => bytes.push(*byte),
        }
    }
    bytes
}
