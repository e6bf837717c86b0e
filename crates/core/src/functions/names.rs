//! The text of a Python file → the names that can be called in it, without running it.

use std::path::Path;

use super::Error;

/// Largest file, in bytes.
const LARGEST: u64 = 4 << 20;

/// What can be called in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// In the file's order.
    pub names: Vec<String>,
    /// Whether there are no others; `from … import *` brings names that only running it would tell.
    pub complete: bool,
}

impl Names {
    /// Tells whether a name may be called.
    pub fn may_have(&self, name: &str) -> bool {
        !self.complete || self.names.iter().any(|known| known == name)
    }
}

/// Reads the names that a Python file defines or imports outside its functions and classes.
pub fn names(path: &Path) -> Result<Names, Error> {
    let unreadable = |message: String| Error::Unreadable { path: path.display().to_string(), message };
    let size = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?.len();
    if size > LARGEST {
        return Err(unreadable(format!("it is larger than {} MiB", LARGEST >> 20)));
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    Ok(of(&String::from_utf8_lossy(&bytes)))
}

fn of(text: &str) -> Names {
    let mut found = Names { names: Vec::new(), complete: true };
    let mut body: Option<usize> = None;
    for line in logical_lines(text) {
        let indent = line.len() - line.trim_start().len();
        if body.is_some_and(|above| indent > above) {
            continue;
        }
        let statement = line.trim();
        body =
            statement.starts_with(|c: char| c.is_alphabetic()).then(|| definition(statement)).flatten().map(|name| {
                found.add(name);
                indent
            });
        if body.is_none() {
            statement.split(';').for_each(|part| found.read(part.trim()));
        }
    }
    found
}

/// Returns the name that a statement begins to define.
fn definition(statement: &str) -> Option<&str> {
    let rest = ["async def ", "def ", "class "].iter().find_map(|word| statement.strip_prefix(word))?;
    Some(identifier(rest.trim_start())).filter(|name| !name.is_empty())
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

impl Names {
    fn add(&mut self, name: &str) {
        if !name.is_empty() && !self.names.iter().any(|known| known == name) {
            self.names.push(name.to_owned());
        }
    }

    /// Reads an import or an assignment.
    fn read(&mut self, statement: &str) {
        // `try: from a import b` stands in one line.
        let one_line = ["try:", "else:", "finally:"].iter().find_map(|word| statement.strip_prefix(word));
        let statement = one_line.map_or(statement, str::trim);
        let imported = match statement.strip_prefix("from ").and_then(|rest| rest.split_once(" import")) {
            Some((_, names)) => Some(names.trim().trim_start_matches('(').trim_end_matches(')')),
            // A module is nothing that can be called.
            None if statement.starts_with("import ") => return,
            None => None,
        };
        let Some(imported) = imported else { return self.read_assignment(statement) };
        for item in imported.split(',').map(str::trim) {
            match item.split_once(" as ") {
                _ if item == "*" => self.complete = false,
                Some((_, name)) => self.add(identifier(name.trim())),
                None => self.add(identifier(item)),
            }
        }
    }

    fn read_assignment(&mut self, statement: &str) {
        let name = identifier(statement);
        let rest = statement[name.len()..].trim_start();
        let is_plain = rest.starts_with('=') && !rest.starts_with("==");
        let is_map =
            rest.split_once('=').is_some_and(|(_, value)| value.trim().starts_with('{') && value.ends_with('}'));
        if (is_plain || rest.starts_with(':') && rest.contains('=')) && !is_map {
            self.add(name);
        }
    }
}

/// Splits a file into statements: without comments and what stands in strings, what is broken over lines put together.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut depth = 0usize;
    let mut rest = text.trim_start_matches('\u{feff}');
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '#' => rest = rest.find('\n').map_or("", |end| &rest[end..]),
            '\\' => rest = rest.trim_start_matches('\r').strip_prefix('\n').unwrap_or(rest),
            '"' | '\'' => {
                rest = after_string(rest, c);
                line.push_str("\"\"");
            }
            '\n' if depth == 0 => lines.push(std::mem::take(&mut line)),
            '\n' | '\r' => line.push(' '),
            _ => {
                depth = match c {
                    '(' | '[' | '{' => depth + 1,
                    ')' | ']' | '}' => depth.saturating_sub(1),
                    _ => depth,
                };
                line.push(c);
            }
        }
    }
    lines.push(line);
    lines.retain(|line| !line.trim().is_empty());
    lines
}

/// Returns what follows a string whose first quote was read.
fn after_string(text: &str, quote: char) -> &str {
    let triple = quote.to_string().repeat(3);
    let (mut rest, end) = match text.strip_prefix(&triple[1..]) {
        Some(rest) => (rest, triple.as_str()),
        None => (text, &triple[..1]),
    };
    loop {
        if let Some(after) = rest.strip_prefix(end) {
            return after;
        }
        let mut chars = rest.chars();
        match chars.next() {
            None => return "",
            // An unended string ends with its line.
            Some('\n') if end.len() == 1 => return rest,
            Some('\\') => drop(chars.next()),
            Some(_) => {}
        }
        rest = chars.as_str();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        of(text).names
    }

    #[test]
    fn definitions_and_imports_are_found() {
        let text = "import os, sys as system\nfrom a.b import (c,\n    d as e,  # f\n)\n\n@wrap\ndef g(x,\n      y):\n    def inner(): pass\n\
                    \nasync def h(): return 1\nclass K:\n    def method(self): pass\nz = lambda: 1\nn: int = 2\nstate = {}\nif a == b:\n    pass\n";
        assert_eq!(found(text), ["c", "e", "g", "h", "K", "z", "n"]);
    }

    #[test]
    fn what_stands_in_strings_comments_and_bodies_is_not() {
        let text = "\"\"\"\ndef doc(): pass\n\"\"\"\n# def comment(): pass\ns = 'it\\'s # no\\\n def x'\n\
                    def real():\n    '''\ndef fake(): pass\n'''\n    y = 1\n";
        assert_eq!(found(text), ["s", "real"]);
    }

    #[test]
    fn blocks_that_are_always_run_are_seen_through() {
        let text = "try:\n    from fast import dumps\nexcept ImportError:\n    def dumps(x):\n        inner = 1\n        return x\n    other = 2\n";
        assert_eq!(found(text), ["dumps", "other"]);
    }

    #[test]
    fn a_star_leaves_it_open() {
        let names = of("from common import *\ndef a(): pass\n");
        assert!(!names.complete && names.may_have("anything"));
        let names = of("def a(): pass\n");
        assert!(names.may_have("a") && !names.may_have("b"));
    }

    #[test]
    fn nonsense_does_no_harm() {
        for text in ["\"\"\"", "'", "def", "def (", "((((", "\\", "from import *", "import", "\u{feff}def a(): pass"] {
            of(text);
        }
        assert_eq!(found("\u{feff}def 登录(): pass"), ["登录"]);
    }
}
