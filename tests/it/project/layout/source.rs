//! A file of Rust's text → what it defines, uses and names, tests left out. As much of the language as this repository has.

use std::collections::HashSet;

/// What stands in a file: what it defines, what `use` brings in under which name, and the paths in the rest of it.
#[derive(Default)]
pub(super) struct File {
    pub(super) defined: HashSet<String>,
    pub(super) used: Vec<(Vec<String>, String)>,
    pub(super) paths: Vec<Vec<String>>,
    /// The modules that are there for tests alone.
    pub(super) tests: Vec<String>,
}

impl File {
    pub(super) fn parse(text: &str) -> Self {
        let mut file = Self::default();
        let tokens = file.without_tests(&tokens(text));
        let mut rest = tokens.as_slice();
        while let [first, after @ ..] = rest {
            rest = after;
            match (*first, after.first().copied()) {
                ("use", Some(next)) if is_word(next) || matches!(next, "{" | "::") => {
                    use_tree(&[], &mut rest, &mut file.used);
                }
                ("fn" | "struct" | "enum" | "const" | "static" | "type" | "trait" | "union", Some(name))
                    if is_word(name) =>
                {
                    file.defined.insert(name.to_owned());
                }
                ("macro_rules", Some("!")) => {
                    file.defined.insert(after[1].to_owned());
                }
                // A path that says who may see a thing takes nothing.
                ("pub", Some("(")) => {
                    rest = &after[after.iter().position(|token| *token == ")").expect("an end of a path")..];
                }
                ("::", Some(_)) => rest = &after[1..],
                (word, Some("::")) if is_word(word) => {
                    let mut path = vec![word.to_owned()];
                    while let ["::", name, more @ ..] = rest
                        && is_word(name)
                    {
                        path.push((*name).to_owned());
                        rest = more;
                    }
                    file.paths.push(path);
                }
                _ => {}
            }
        }
        file.paths.retain(|path| path.len() > 1);
        file
    }

    /// The tokens of what is not there for tests alone; notes the modules that are.
    fn without_tests<'a>(&mut self, tokens: &[&'a str]) -> Vec<&'a str> {
        let mut left = Vec::new();
        let mut rest = tokens;
        while let [first, after @ ..] = rest {
            let Some(item) = rest.strip_prefix(&["#", "[", "cfg", "(", "test", ")", "]"]) else {
                left.push(*first);
                rest = after;
                continue;
            };
            let end = item.iter().position(|token| matches!(*token, "{" | ";")).expect("an end of an item");
            if let [.., "mod", name, ";"] = item[..=end] {
                self.tests.push(name.to_owned());
            }
            let mut depth = 0;
            let length = item[end..].iter().position(|token| {
                depth += i32::from(*token == "{") - i32::from(*token == "}");
                depth == 0
            });
            rest = &item[end + length.expect("a brace that closes") + 1..];
        }
        left
    }
}

/// Reads one tree of a `use` up to what ends it: each of its paths, and the name that it gets.
fn use_tree(before: &[String], rest: &mut &[&str], used: &mut Vec<(Vec<String>, String)>) {
    let mut path = before.to_vec();
    let mut name = None;
    while let [first, after @ ..] = *rest {
        match *first {
            "{" => {
                *rest = after;
                while rest.first().is_some_and(|token| *token != "}") {
                    use_tree(&path, rest, used);
                    *rest = rest.strip_prefix(&[","]).unwrap_or(rest);
                }
                *rest = &rest[1..];
                return;
            }
            "," | "}" | ";" => break,
            "::" => {}
            "as" => name = Some(after[0].to_owned()),
            word if name.is_none() && (word != "self" || path.is_empty()) => path.push(word.to_owned()),
            _ => {}
        }
        *rest = after;
    }
    let last = path.last().expect("a name").clone();
    used.push((path, name.unwrap_or(last)));
}

fn is_word(token: &str) -> bool {
    token == "*" || token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// The words and marks of Rust's text, `::` as one, without comments, texts and lifetimes.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").expect("an end of a comment") + 2,
            '"' => quoted(rest, '"'),
            '\'' if rest.starts_with("'\\") => quoted(rest, '\''),
            '\'' => match rest.char_indices().nth(2) {
                Some((end, '\'')) => end + 1,
                _ => 1,
            },
            _ if first.is_alphanumeric() || first == '_' => {
                let word =
                    &rest[..rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len())];
                raw(rest, word).unwrap_or_else(|| {
                    found.push(word);
                    word.len()
                })
            }
            _ if first.is_whitespace() => first.len_utf8(),
            _ => {
                let mark = if rest.starts_with("::") { "::" } else { &rest[..first.len_utf8()] };
                found.push(mark);
                mark.len()
            }
        };
        rest = &rest[length..];
    }
    found
}

/// The bytes from a quotation mark to the one that closes it.
fn quoted(text: &str, mark: char) -> usize {
    let mut escaped = false;
    let end = text[1..].find(|letter| {
        let closes = letter == mark && !escaped;
        escaped = letter == '\\' && !escaped;
        closes
    });
    end.expect("an end of a text") + 2
}

/// The bytes of a raw text, if one begins with this word.
fn raw(text: &str, word: &str) -> Option<usize> {
    let open = text.strip_prefix(word).filter(|_| matches!(word, "r" | "br"))?;
    let fence = &open[..open.find(|letter| letter != '#')?];
    let inside = open[fence.len()..].strip_prefix('"')?;
    Some(word.len() + fence.len() + 1 + inside.find(&format!("\"{fence}")).expect("an end of a text") + 1 + fence.len())
}
