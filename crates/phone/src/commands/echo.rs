//! `echo` and `printf`, as mksh and toybox have them.

use std::io;

use super::call::Call;

pub(super) async fn echo(call: &mut Call<'_>) -> io::Result<u8> {
    let (mut newline, mut escapes, mut skip) = (true, false, 0);
    for argument in &call.arguments {
        match argument.as_str() {
            "-n" => newline = false,
            "-e" => escapes = true,
            "-E" => escapes = false,
            _ => break,
        }
        skip += 1;
    }
    let mut text = call.arguments[skip..].join(" ");
    if escapes {
        text = unescaped(&text);
    }
    if newline {
        text.push('\n');
    }
    call.done(text).await
}

/// `printf FORMAT ARGUMENT…`: `%s`, `%d`, `%x`, `%c`, `%b`, `%%` with a width; the format repeats while arguments are left.
pub(super) async fn printf(call: &mut Call<'_>) -> io::Result<u8> {
    let Some((format, arguments)) = call.arguments.split_first() else {
        return call.fail(1, "printf: Needs 1 argument").await;
    };
    let format = unescaped(format);
    let mut rest = arguments;
    let mut text = String::new();
    loop {
        let before = rest.len();
        match filled(&format, &mut rest) {
            Ok(part) => text.push_str(&part),
            Err(message) => return call.fail(1, &format!("printf: {message}")).await,
        }
        if rest.is_empty() || rest.len() == before {
            return call.done(text).await;
        }
    }
}

fn filled(format: &str, arguments: &mut &[String]) -> Result<String, String> {
    let mut text = String::new();
    let mut characters = format.chars();
    while let Some(c) = characters.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        let mut flags = String::new();
        let kind = loop {
            match characters.next() {
                Some(c @ ('-' | '0'..='9')) if flags.len() < 4 => flags.push(c),
                Some(c) => break c,
                None => return Err("missing format".to_owned()),
            }
        };
        if kind == '%' {
            text.push('%');
            continue;
        }
        let argument = arguments.split_first().map_or("", |(first, rest)| {
            *arguments = rest;
            first
        });
        text.push_str(&padded(&shown(kind, argument)?, &flags));
    }
    Ok(text)
}

fn shown(kind: char, argument: &str) -> Result<String, String> {
    let number = || match argument {
        "" => Ok(0),
        _ => argument.parse::<i64>().map_err(|_| format!("bad integer '{argument}'")),
    };
    Ok(match kind {
        's' => argument.to_owned(),
        'b' => unescaped(argument),
        'c' => argument.chars().take(1).collect(),
        'd' | 'i' | 'u' => number()?.to_string(),
        'x' => format!("{:x}", number()?),
        _ => return Err(format!("bad format '%{kind}'")),
    })
}

fn padded(text: &str, flags: &str) -> String {
    let left = flags.starts_with('-');
    let digits = flags.trim_start_matches('-');
    let width = digits.parse::<usize>().unwrap_or(0);
    match (left, digits.starts_with('0')) {
        (true, _) => format!("{text:<width$}"),
        (false, true) => format!("{text:0>width$}"),
        (false, false) => format!("{text:>width$}"),
    }
}

/// Replaces `\n`, `\t`, `\r`, `\a`, `\\`, `\e` and `\0NNN`.
fn unescaped(text: &str) -> String {
    let mut result = String::new();
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let Some(next) = (c == '\\').then(|| characters.peek().copied()).flatten() else {
            result.push(c);
            continue;
        };
        characters.next();
        match next {
            'n' => result.push('\n'),
            't' => result.push('\t'),
            'r' => result.push('\r'),
            'a' => result.push('\u{7}'),
            'e' => result.push('\u{1b}'),
            '\\' => result.push('\\'),
            '0' => {
                let mut code = 0;
                for _ in 0..3 {
                    let Some(digit) = characters.peek().and_then(|c| c.to_digit(8)) else { break };
                    code = code * 8 + digit;
                    characters.next();
                }
                result.extend(char::from_u32(code & 0xff));
            }
            other => result.extend(['\\', other]),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_filled() {
        let arguments = ["a".to_owned(), "7".to_owned()];
        let mut rest = &arguments[..];
        assert_eq!(filled("%3s|%-3s|%03d|%%", &mut rest).unwrap(), "  a|7  |000|%");
        assert!(filled("%q", &mut rest).is_err());
        assert_eq!(unescaped(r"a\tb\\n\0101\q"), "a\tb\\nA\\q");
    }
}
