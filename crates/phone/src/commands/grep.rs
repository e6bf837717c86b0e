//! `grep` with -E, -F, -i, -v, -c, -o, -q, -n, -l, -w, -x, -e; basic expressions are rewritten as extended ones.

use std::io;

use regex::{Regex, RegexBuilder};

use super::call::Call;

/// Bytes that a compiled expression may take.
const LARGEST_EXPRESSION: usize = 1 << 20;

#[derive(Default)]
struct Wish {
    patterns: Vec<String>,
    switches: String,
}

impl Wish {
    fn has(&self, switch: char) -> bool {
        self.switches.contains(switch)
    }
}

pub(super) async fn grep(call: &mut Call<'_>) -> io::Result<u8> {
    let expression = wish(&mut call.arguments).and_then(|wish| Ok((expression(&wish)?, wish)));
    let (expression, wish) = match expression {
        Ok(read) => read,
        Err(message) => return call.fail(2, &format!("grep: {message}")).await,
    };
    if call.arguments.is_empty() {
        call.arguments.push("-".to_owned());
    }
    let titled = call.arguments.len() > 1 && !wish.has('h');
    let (mut found, mut wrong) = (false, false);
    for name in &call.arguments {
        let content = match call.content(name).await {
            Ok(content) => content,
            Err(error) => {
                wrong = true;
                call.err(format!("grep: {name}: {error}\n")).await?;
                continue;
            }
        };
        let prefix = if titled { format!("{name}:") } else { String::new() };
        let (text, count) = matching(&String::from_utf8_lossy(&content), &expression, &wish, &prefix);
        found |= count > 0;
        if wish.has('q') {
            continue;
        }
        if wish.has('l') {
            call.out(if count > 0 { format!("{name}\n") } else { String::new() }).await?;
        } else if wish.has('c') {
            call.out(format!("{prefix}{count}\n")).await?;
        } else {
            call.out(text).await?;
        }
    }
    Ok(if wrong && !(found && wish.has('q')) { 2 } else { u8::from(!found) })
}

fn matching(content: &str, expression: &Regex, wish: &Wish, prefix: &str) -> (String, usize) {
    let (mut text, mut count) = (String::new(), 0);
    for (number, line) in content.lines().enumerate() {
        if expression.is_match(line) == wish.has('v') {
            continue;
        }
        count += 1;
        let place = if wish.has('n') { format!("{prefix}{}:", number + 1) } else { prefix.to_owned() };
        if wish.has('o') {
            for part in expression.find_iter(line).filter(|part| !part.is_empty()) {
                text.extend([&place, part.as_str(), "\n"]);
            }
        } else {
            text.extend([&place, line, "\n"]);
        }
    }
    (text, count)
}

/// Takes options and the pattern off the arguments.
fn wish(arguments: &mut Vec<String>) -> Result<Wish, String> {
    let mut wish = Wish::default();
    let mut files = Vec::new();
    let mut rest = std::mem::take(arguments).into_iter();
    while let Some(argument) = rest.next() {
        if argument == "--" {
            files.extend(rest.by_ref());
        } else if let Some(letters) = argument.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            for (at, letter) in letters.char_indices() {
                match letter {
                    'E' | 'F' | 'i' | 'v' | 'c' | 'o' | 'q' | 'n' | 'l' | 'w' | 'x' | 'h' | 'a' | 's' => {
                        wish.switches.push(letter);
                    }
                    'e' => {
                        let value = &letters[at + 1..];
                        let value = if value.is_empty() { rest.next() } else { Some(value.to_owned()) };
                        wish.patterns.push(value.ok_or("Missing argument to -e")?);
                        break;
                    }
                    _ => return Err(format!("Unknown option '{letter}' (see \"grep --help\")")),
                }
            }
        } else {
            files.push(argument);
        }
    }
    if wish.patterns.is_empty() {
        if files.is_empty() {
            return Err("no REGEX".to_owned());
        }
        wish.patterns.push(files.remove(0));
    }
    *arguments = files;
    Ok(wish)
}

fn expression(wish: &Wish) -> Result<Regex, String> {
    let one = |pattern: &str| {
        let text = if wish.has('F') {
            regex::escape(pattern)
        } else if wish.has('E') {
            pattern.to_owned()
        } else {
            extended(pattern)
        };
        match (wish.has('x'), wish.has('w')) {
            (true, _) => format!("^(?:{text})$"),
            (false, true) => format!(r"\b(?:{text})\b"),
            (false, false) => format!("(?:{text})"),
        }
    };
    let all: Vec<String> = wish.patterns.iter().flat_map(|pattern| pattern.lines()).map(one).collect();
    let pattern = if all.is_empty() { String::new() } else { all.join("|") };
    RegexBuilder::new(&pattern)
        .case_insensitive(wish.has('i'))
        .size_limit(LARGEST_EXPRESSION)
        .build()
        .map_err(|_| format!("bad REGEX '{}'", wish.patterns.join("|")))
}

/// Basic → extended: `\|`, `\(`, `\)`, `\{`, `\}`, `\+`, `\?` are operators, and without their backslash they are themselves.
fn extended(pattern: &str) -> String {
    const SWAPPED: &str = "|(){}+?";
    let mut text = String::new();
    let mut characters = pattern.chars();
    let mut in_class = false;
    while let Some(c) = characters.next() {
        match c {
            '[' | ']' => {
                in_class = c == '[';
                text.push(c);
            }
            _ if in_class => text.push(c),
            '\\' => match characters.next() {
                Some(next) if SWAPPED.contains(next) => text.push(next),
                Some(next) => text.extend(['\\', next]),
                None => text.push_str(r"\\"),
            },
            _ if SWAPPED.contains(c) => text.extend(['\\', c]),
            '*' if text.is_empty() => text.push_str(r"\*"),
            _ => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_expressions_become_extended() {
        assert_eq!(extended(r"a\|b"), "a|b");
        assert_eq!(extended("f(x)+"), r"f\(x\)\+");
        assert_eq!(extended("[(|)]*"), "[(|)]*");
    }

    #[test]
    fn options_may_stand_together() {
        let mut arguments = ["-io", "-e", "a", "-eb", "file"].map(str::to_owned).to_vec();
        let wish = wish(&mut arguments).unwrap();
        assert_eq!((wish.patterns.len(), wish.switches.as_str(), arguments), (2, "io", vec!["file".to_owned()]));
        assert_eq!(matching("xA\nc\nb", &expression(&wish).unwrap(), &wish, "").0, "A\nb\n");
    }
}
