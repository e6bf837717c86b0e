//! `md5sum`, `sha256sum` and `base64`, in toybox's formats.

use std::fmt::Write as _;
use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest as _, Md5};

use super::Call;
use super::files::unknown_option;

pub(super) async fn md5sum(call: &mut Call<'_>) -> io::Result<u8> {
    sums(call, "md5sum", |bytes| hexadecimal(&Md5::digest(bytes))).await
}

pub(super) async fn sha256sum(call: &mut Call<'_>) -> io::Result<u8> {
    sums(call, "sha256sum", |bytes| hexadecimal(&sha256(bytes))).await
}

async fn sums(call: &mut Call<'_>, name: &str, sum: fn(&[u8]) -> String) -> io::Result<u8> {
    let switches = match call.switches("b") {
        Ok(switches) => switches,
        Err(unknown) => return unknown_option(call, name, unknown).await,
    };
    if call.arguments.is_empty() {
        call.arguments.push("-".to_owned());
    }
    let mut status = 0;
    for argument in &call.arguments {
        match call.content(argument).await {
            Ok(content) if switches.contains('b') => call.out(format!("{}\n", sum(&content))).await?,
            Ok(content) => call.out(format!("{}  {argument}\n", sum(&content))).await?,
            Err(error) => status = call.fail(1, &format!("{name}: {argument}: {error}")).await?,
        }
    }
    Ok(status)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// `base64 [-d] [-w COLUMNS] [FILE]`.
pub(super) async fn base64(call: &mut Call<'_>) -> io::Result<u8> {
    let (mut decode, mut width) = (false, 76);
    while let Some(first) = call.arguments.first().filter(|first| first.len() > 1 && first.starts_with('-')).cloned() {
        call.arguments.remove(0);
        match first.as_str() {
            "-d" | "-di" => decode = true,
            "-i" => {}
            "-w" if !call.arguments.is_empty() => width = call.arguments.remove(0).parse().unwrap_or(76),
            _ if first.starts_with("-w") => width = first[2..].parse().unwrap_or(76),
            _ => return call.fail(1, &format!("base64: Unknown option '{first}'")).await,
        }
    }
    let name = call.arguments.first().cloned().unwrap_or_else(|| "-".to_owned());
    let content = match call.content(&name).await {
        Ok(content) => content,
        Err(error) => return call.fail(1, &format!("base64: {name}: {error}")).await,
    };
    if !decode {
        return call.done(folded(&STANDARD.encode(content), width)).await;
    }
    let text: Vec<u8> = content.into_iter().filter(|byte| !byte.is_ascii_whitespace()).collect();
    match STANDARD.decode(text) {
        Ok(bytes) => call.done(bytes).await,
        Err(_) => call.fail(1, "base64: bad input").await,
    }
}

fn folded(text: &str, width: usize) -> String {
    if width == 0 {
        return text.to_owned();
    }
    let mut lines = String::with_capacity(text.len() + text.len() / width + 1);
    for (at, c) in text.chars().enumerate() {
        if at > 0 && at % width == 0 {
            lines.push('\n');
        }
        lines.push(c);
    }
    lines.push('\n');
    lines
}

/// SHA-256 as FIPS 180-4 defines it.
fn sha256(bytes: &[u8]) -> [u8; 32] {
    let constants = roots::<64>(3);
    let mut state = roots::<8>(2);
    let mut blocks = bytes.chunks_exact(64);
    for block in &mut blocks {
        compress(&mut state, block, &constants);
    }
    let mut rest = blocks.remainder().to_vec();
    rest.push(0x80);
    let padding = (120 - rest.len() % 64) % 64;
    rest.resize(rest.len() + padding, 0);
    rest.extend((bytes.len() as u64 * 8).to_be_bytes());
    for block in rest.chunks_exact(64) {
        compress(&mut state, block, &constants);
    }
    let mut sum = [0; 32];
    for (place, word) in sum.chunks_exact_mut(4).zip(state) {
        place.copy_from_slice(&word.to_be_bytes());
    }
    sum
}

fn compress(state: &mut [u32; 8], block: &[u8], constants: &[u32; 64]) {
    let mut w = [0_u32; 64];
    for (word, bytes) in w.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    for t in 16..64 {
        let (x, y) = (w[t - 15], w[t - 2]);
        let small0 = x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3;
        let small1 = y.rotate_right(17) ^ y.rotate_right(19) ^ y >> 10;
        w[t] = w[t - 16].wrapping_add(small0).wrapping_add(w[t - 7]).wrapping_add(small1);
    }
    let mut v = *state;
    for (word, constant) in w.into_iter().zip(constants) {
        let big1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
        let choice = v[4] & v[5] ^ !v[4] & v[6];
        let first = v[7].wrapping_add(big1).wrapping_add(choice).wrapping_add(*constant).wrapping_add(word);
        let big0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
        let majority = v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2];
        v.rotate_right(1);
        v[4] = v[4].wrapping_add(first);
        v[0] = first.wrapping_add(big0).wrapping_add(majority);
    }
    state.iter_mut().zip(v).for_each(|(word, new)| *word = word.wrapping_add(new));
}

/// The first 32 bits of the fractional parts of the square (2) or cube (3) roots of the first primes.
fn roots<const N: usize>(power: u32) -> [u32; N] {
    let mut primes = (2_u128..).filter(|number| (2..*number).all(|divisor| number % divisor != 0));
    std::array::from_fn(|_| {
        let prime = primes.next().unwrap_or(2);
        // The root of prime · 2^(32·power), searched bit by bit, is the root times 2^32; its low 32 bits are the fraction.
        let target = prime << (32 * power);
        let root = (0..37).rev().fold(0_u128, |root, bit| {
            let next = root | 1 << bit;
            if next.pow(power) <= target { next } else { root }
        });
        u32::try_from(root & 0xffff_ffff).unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_standard() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hexadecimal(&sha256(b"abc")), abc);
        let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(hexadecimal(&sha256(b"")), nothing);
        let long = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
        assert_eq!(hexadecimal(&sha256(&vec![b'a'; 1_000_000])), long);
    }

    #[test]
    fn lines_are_folded() {
        assert_eq!(folded("abcde", 2), "ab\ncd\ne\n");
        assert_eq!(folded("abcd", 0), "abcd");
    }
}
