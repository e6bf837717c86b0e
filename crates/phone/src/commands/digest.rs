//! `md5sum`, `sha256sum` and `base64`, in toybox's formats.

use std::fmt::Write as _;
use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest as _, Md5};
use sha2::{Digest as _, Sha256};

use super::call::Call;
use super::files::unknown_option;

pub(super) async fn md5sum(call: &mut Call<'_>) -> io::Result<u8> {
    sums(call, "md5sum", |bytes| hexadecimal(&Md5::digest(bytes))).await
}

pub(super) async fn sha256sum(call: &mut Call<'_>) -> io::Result<u8> {
    sums(call, "sha256sum", |bytes| hexadecimal(&Sha256::digest(bytes))).await
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_folded() {
        assert_eq!(folded("abcde", 2), "ab\ncd\ne\n");
        assert_eq!(folded("abcd", 0), "abcd");
    }
}
