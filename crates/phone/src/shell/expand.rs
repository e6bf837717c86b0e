//! A word of the tree → the arguments it stands for: variables, outputs of commands, blanks, file names.

use std::io;

use super::syntax::{Piece, Script, Word};
use super::{Channel, Input, Io, Output, Shell, pipe};
use crate::files::clean;

/// Bytes that one word may become.
const MAX_LEN: usize = 1 << 20;
/// Arguments that a pattern may become.
const MATCHES: usize = 10_000;

/// An argument while it grows; each character knows whether it may be part of a pattern.
#[derive(Default)]
struct Field {
    characters: Vec<(char, bool)>,
    /// Quotes make an argument even where there is nothing in them.
    stands: bool,
}

impl Shell {
    /// Returns the arguments that words stand for.
    pub(super) async fn expand(&mut self, words: &[Word], io: &Io) -> io::Result<Vec<String>> {
        let (mut arguments, mut length) = (Vec::new(), 0);
        for word in words {
            for field in self.fields(word, io).await? {
                let names = self.file_names(field);
                length += names.iter().map(String::len).sum::<usize>();
                arguments.extend(names);
            }
            if length > 2 * MAX_LEN {
                return Err(too_long());
            }
        }
        Ok(arguments)
    }

    /// Returns what a word stands for where exactly one is wanted: a redirect, an assignment.
    pub(super) async fn expand_one(&mut self, word: &Word, io: &Io) -> io::Result<String> {
        let fields = self.fields(word, io).await?;
        let texts: Vec<String> = fields.into_iter().map(Field::into_text).collect();
        Ok(texts.join(" "))
    }

    async fn fields(&mut self, word: &Word, io: &Io) -> io::Result<Vec<Field>> {
        let mut fields = vec![Field::default()];
        let mut length = 0;
        for piece in &word.pieces {
            let (text, quoted, splits) = match piece {
                Piece::Variable { name, quoted: true, .. } if name == "@" => {
                    add_each(&mut fields, self.arguments());
                    continue;
                }
                Piece::Text { text, quoted } => (text.clone(), *quoted, false),
                Piece::Variable { name, default, quoted } => {
                    (self.variable(name, default.as_deref()), *quoted, !quoted)
                }
                Piece::Output { script, quoted } => (self.output_of(script, io).await?, *quoted, !quoted),
            };
            length += text.len();
            if length > MAX_LEN {
                return Err(too_long());
            }
            add(&mut fields, &text, quoted, splits);
        }
        fields.retain(|field| field.stands || !field.characters.is_empty());
        Ok(fields)
    }

    fn variable(&self, name: &str, default: Option<&str>) -> String {
        let value = match name {
            "?" => Some(self.status.to_string()),
            "$" => Some("4242".to_owned()),
            "#" => Some(self.arguments().len().to_string()),
            "@" | "*" => Some(self.arguments().join(" ")),
            "PWD" => Some(self.folder.clone()),
            _ => match name.parse::<usize>() {
                Ok(number) => self.positional.get(number).cloned(),
                Err(_) => self.variables.get(name).cloned().or_else(|| self.tty.as_ref()?.variable(name)),
            },
        };
        value.filter(|value| default.is_none() || !value.is_empty()).or(default.map(str::to_owned)).unwrap_or_default()
    }

    /// Returns what the script was called with.
    fn arguments(&self) -> &[String] {
        self.positional.get(1..).unwrap_or_default()
    }

    /// Runs a script and returns what it wrote, without the line ends behind it.
    async fn output_of(&mut self, script: &Script, io: &Io) -> io::Result<String> {
        let (to, from) = pipe();
        let inner = Io { out: Output::Send { to, channel: Channel::Out, to_client: false }, ..io.clone() };
        let written = Input::from_pipe(from);
        let mut shell = self.clone();
        let run = async move {
            let status = shell.script(script, &inner).await;
            shell.leaving.map_or(status, Ok)
        };
        let (status, text) = tokio::join!(run, written.all(MAX_LEN));
        self.set_status(status?);
        Ok(String::from_utf8_lossy(&text?).trim_end_matches('\n').to_owned())
    }

    /// Returns the files that a pattern matches, or the argument as it is.
    fn file_names(&self, field: Field) -> Vec<String> {
        let pattern = field.characters.iter().any(|(c, active)| *active && matches!(c, '*' | '?'));
        if !pattern {
            return vec![field.into_text()];
        }
        let absolute = field.characters.first().is_some_and(|(c, _)| *c == '/');
        let prefix = if absolute { String::new() } else { format!("{}/", self.folder.trim_end_matches('/')) };
        let mut full: Vec<(char, bool)> = prefix.chars().map(|c| (c, false)).collect();
        full.extend(&field.characters);
        let files = self.handset.files.lock();
        let found = files.paths().filter(|path| matches(&full, path)).take(MATCHES);
        let names: Vec<String> = found.map(|path| path[prefix.len()..].to_owned()).collect();
        if names.is_empty() { vec![field.into_text()] } else { names }
    }

    /// Returns the clean absolute path of an argument.
    pub(crate) fn path(&self, argument: &str) -> String {
        clean(&self.folder, argument)
    }
}

fn add(fields: &mut Vec<Field>, text: &str, quoted: bool, splits: bool) {
    for c in text.chars() {
        if splits && c.is_ascii_whitespace() {
            fields.push(Field::default());
        } else if let Some(field) = fields.last_mut() {
            field.characters.push((c, !quoted));
        }
    }
    if let Some(field) = fields.last_mut() {
        field.stands |= quoted;
    }
}

/// Adds `"$@"`: each argument stays one, and where there is none, nothing stands for it.
fn add_each(fields: &mut Vec<Field>, arguments: &[String]) {
    for (number, argument) in arguments.iter().enumerate() {
        if number > 0 {
            fields.push(Field::default());
        }
        add(fields, argument, true, false);
    }
    if let Some(field) = fields.last_mut().filter(|_| arguments.is_empty()) {
        field.stands &= !field.characters.is_empty();
    }
}

impl Field {
    fn into_text(self) -> String {
        self.characters.into_iter().map(|(c, _)| c).collect()
    }
}

/// Whether a path is what a pattern describes; `*` and `?` stop at a slash and do not begin with a dot.
fn matches(pattern: &[(char, bool)], path: &str) -> bool {
    let path: Vec<char> = path.chars().collect();
    let (mut p, mut at) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    let hidden = |at: usize| path[at] == '.' && at > 0 && path[at - 1] == '/';
    while at < path.len() {
        match pattern.get(p) {
            Some(('*', true)) if !hidden(at) => {
                star = Some((p + 1, at));
                p += 1;
            }
            Some(('?', true)) if path[at] != '/' && !hidden(at) => {
                p += 1;
                at += 1;
            }
            Some((c, active)) if *c == path[at] && !(*active && matches!(c, '*' | '?')) => {
                p += 1;
                at += 1;
            }
            _ => match star {
                Some((after, from)) if path[from] != '/' => {
                    star = Some((after, from + 1));
                    p = after;
                    at = from + 1;
                }
                _ => return false,
            },
        }
    }
    pattern[p..].iter().all(|(c, active)| *c == '*' && *active)
}

fn too_long() -> io::Error {
    io::Error::other("Argument list too long")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, path: &str) -> bool {
        matches(&pattern.chars().map(|c| (c, true)).collect::<Vec<_>>(), path)
    }

    #[test]
    fn patterns_stop_at_slashes() {
        assert!(fits("/sdcard/*.png", "/sdcard/a.png"));
        assert!(!fits("/sdcard/*.png", "/sdcard/d/a.png"));
        assert!(fits("/sdcard/*/a?c", "/sdcard/d/abc"));
        assert!(!fits("/sdcard/*", "/sdcard/.hidden"));
        assert!(!fits("/sdcard/*a*b*c", "/sdcard/aaaabbbbd"));
        assert!(!matches(&[('*', false)], "x"));
    }
}
