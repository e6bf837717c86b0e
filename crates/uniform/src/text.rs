//! A model's text → the calls in it, in their order: `<server><tool>{…}</tool></server>`, among whatever else it says.
//!
//! Text around calls is left alone, code fences and wrappers such as `<tool_calls>` included. What looks like a call and cannot be read
//! refuses the whole text; what is passed over on purpose (a thought, a comment, an example) is noted.

use std::collections::HashSet;

use super::body::{self, Body};
use super::quote::Quotes;
use super::tag::{Form, Tag, tag};
use super::{LARGEST, MOST_CALLS, Object};

/// Names of elements in which a model thinks: what stands there is not said yet.
const THOUGHTS: [&str; 5] = ["think", "thinking", "reasoning", "reflection", "scratchpad"];
/// Names of elements in which calls are only shown.
const EXAMPLES: [&str; 2] = ["example", "examples"];
/// Names of elements that hold JSON and are no calls.
const ANSWERS: [&str; 6] = ["answer", "result", "output", "observation", "response", "tool_response"];

/// A call as it was written: nothing of it is checked yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub server: String,
    pub tool: String,
    pub arguments: Object,
    /// The line that it begins in, counted from 1.
    pub line: usize,
}

/// What was found in a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calls {
    /// In the order of the text; at least one.
    pub calls: Vec<Call>,
    /// What looks like a call and is none, in sentences.
    pub notes: Vec<String>,
}

/// Why a text is not read as calls.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct Refused {
    /// The line that it is about, counted from 1.
    pub line: usize,
    pub message: String,
}

/// Reads the calls of a text. `known` tells whether a name is one of a server or a tool.
pub fn read_calls(text: &str, known: &dyn Fn(&str) -> bool) -> Result<Calls, Refused> {
    if text.len() > LARGEST {
        return Err(Refused { line: 1, message: format!("the text is longer than {} MiB", LARGEST >> 20) });
    }
    let (found, quotes) = (Calls::default(), Quotes::default());
    let mut reader = Reader { text, at: 0, known, found, quotes, counted: (0, 1), absent: HashSet::new() };
    while reader.step()? {}
    if !reader.found.calls.is_empty() {
        return Ok(reader.found);
    }
    let notes: String = reader.found.notes.iter().map(|note| format!("; {note}")).collect();
    Err(Refused { line: 1, message: format!("no call `<server><tool>{{…}}</tool></server>` in the text{notes}") })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    known: &'a dyn Fn(&str) -> bool,
    found: Calls,
    quotes: Quotes,
    /// A place, and its line: lines are counted once.
    counted: (usize, usize),
    /// What was looked for further on and is not there: it is not looked for again.
    absent: HashSet<String>,
}

impl<'a> Reader<'a> {
    fn line(&mut self, at: usize) -> usize {
        let (from, line) = if at >= self.counted.0 { self.counted } else { (0, 1) };
        let line = line + self.text[from..at].matches('\n').count();
        self.counted = (at, line);
        line
    }

    fn refuse<T>(&mut self, at: usize, message: impl Into<String>) -> Result<T, Refused> {
        Err(Refused { line: self.line(at), message: message.into() })
    }

    fn note(&mut self, at: usize, what: &str) {
        if self.found.notes.len() < MOST_CALLS {
            let line = self.line(at);
            self.found.notes.push(format!("line {line}: {what}"));
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Returns the tag that follows, with nothing but space before it, and how much space that is.
    fn tag_behind(&self, at: usize) -> Option<(usize, Tag<'a>)> {
        let rest = &self.text[at..];
        let trimmed = rest.trim_start();
        tag(trimmed).map(|tag| (at + rest.len() - trimmed.len(), tag))
    }

    /// Finds a part of a rest of the text.
    fn find(&mut self, rest: &str, part: &str) -> Option<usize> {
        if self.absent.contains(part) {
            return None;
        }
        let found = rest.find(part);
        if found.is_none() {
            self.absent.insert(part.to_owned());
        }
        found
    }

    /// Goes to the next tag and past what begins there; tells whether there may be more.
    fn step(&mut self) -> Result<bool, Refused> {
        let Some(skipped) = self.rest().find('<') else { return Ok(false) };
        self.at += skipped;
        if let Some(comment) = self.rest().strip_prefix("<!--")
            && let Some(end) = self.find(comment, "-->")
        {
            self.pass_over(&comment[..end], "a comment");
            self.at += 4 + end + 3;
            return Ok(true);
        }
        match tag(self.rest()) {
            None => self.at += 1,
            Some(found) if found.form == Form::Close => {
                let from = self.at;
                self.close(found)?;
                self.quotes.pass(self.text, from, self.at);
            }
            Some(found) if found.form == Form::Open && THOUGHTS.contains(&found.name) => self.thought(found)?,
            Some(found) if found.form == Form::Open && self.is_example(&found) => self.example(found),
            Some(found) => self.open_or_show(found)?,
        }
        Ok(true)
    }

    /// Reads what begins with a tag, and makes no call of it where it is only shown.
    fn open_or_show(&mut self, tag: Tag<'a>) -> Result<(), Refused> {
        let (from, before) = (self.at, self.found.calls.len());
        let is_shown = self.quotes.shows(self.text, from);
        let read = self.open(tag);
        if is_shown {
            self.show(tag, from, before, read.is_err());
        } else {
            read?;
        }
        self.quotes.note(self.at, is_shown);
        Ok(())
    }

    /// Takes back the calls of an example, and goes on behind one that cannot be read: nobody has to.
    fn show(&mut self, tag: Tag<'a>, from: usize, before: usize, is_broken: bool) {
        let is_call = self.found.calls.len() > before;
        self.found.calls.truncate(before);
        if is_broken {
            let closing = format!("</{}>", tag.name);
            let inner = &self.text[from + tag.length..];
            let end = self.find(inner, &closing).map_or(0, |end| end + closing.len());
            self.at = from + tag.length + end;
        }
        if is_call || is_broken {
            self.note(from, &format!("`<{}>` in an example or a quotation is not called", tag.name));
        }
    }

    fn is_example(&self, tag: &Tag<'a>) -> bool {
        EXAMPLES.contains(&tag.name) && !(self.known)(tag.name)
    }

    /// Passes over an element of examples.
    fn example(&mut self, tag: Tag<'a>) {
        let closing = format!("</{}>", tag.name);
        let inner = &self.rest()[tag.length..];
        let end = self.find(inner, &closing);
        self.pass_over(&inner[..end.unwrap_or(0)], "an example");
        self.at += tag.length + end.map_or(0, |end| end + closing.len());
    }

    /// Notes that there are calls in a part which is not read.
    fn pass_over(&mut self, part: &str, what: &str) {
        let names = part.match_indices('<').filter_map(|(at, _)| tag(&part[at..]));
        let mut called = names.filter(|tag| tag.form == Form::Open && (self.known)(tag.name));
        if let Some(tag) = called.next() {
            let (name, at) = (tag.name.to_owned(), self.at);
            self.note(at, &format!("`<{name}>` within {what} is not called"));
        }
    }

    fn thought(&mut self, tag: Tag<'a>) -> Result<(), Refused> {
        let closing = format!("</{}>", tag.name);
        let inner = &self.rest()[tag.length..];
        let Some(end) = inner.find(&closing) else {
            return self.refuse(self.at, format!("`<{}>` is not closed", tag.name));
        };
        self.pass_over(&inner[..end], "a thought");
        self.at += tag.length + end + closing.len();
        Ok(())
    }

    /// A closing tag that nothing here has opened.
    fn close(&mut self, tag: Tag<'a>) -> Result<(), Refused> {
        let before = self.text[..self.at].trim_end();
        if THOUGHTS.contains(&tag.name) {
            // A model whose prompt opened the thought: all before was one.
            for call in std::mem::take(&mut self.found.calls) {
                self.found.notes.push(format!("line {}: `<{}>` within a thought is not called", call.line, call.tool));
            }
        } else if (self.known)(tag.name) || (before.ends_with('}') && !ANSWERS.contains(&tag.name)) {
            return self.refuse(self.at, format!("`</{}>` closes nothing", tag.name));
        }
        self.at += tag.length;
        Ok(())
    }

    /// An opening tag: a server, a wrapper around servers, a tool without a server, or no matter.
    fn open(&mut self, outer: Tag<'a>) -> Result<(), Refused> {
        let is_known = (self.known)(outer.name);
        let inside = self.at + outer.length;
        if outer.form == Form::Empty || outer.attributed {
            return self.pass_tag(outer, is_known);
        }
        let Some((_, inner)) = self.tag_behind(inside).filter(|(_, tag)| tag.form != Form::Close) else {
            return self.lone(outer, is_known);
        };
        let (at, _) = self.tag_behind(inside).unwrap_or((inside, inner));
        let is_wrapper = !is_known && self.tag_behind(at + inner.length).is_some_and(|(_, tag)| tag.form == Form::Open);
        let holds_json = inner.form == Form::Open && body::begins_json(&self.text[at + inner.length..]);
        if is_wrapper || !(is_known || (self.known)(inner.name) || holds_json) {
            self.at = inside;
            return Ok(());
        }
        self.server(outer)
    }

    /// A tag that is empty or has attributes: no call has either, outside of a server.
    fn pass_tag(&mut self, tag: Tag<'a>, is_known: bool) -> Result<(), Refused> {
        if is_known {
            let what = if tag.attributed { "attributes are not taken" } else { "there is no server around it" };
            return self
                .refuse(self.at, format!("`<{}>`: {what}; write `<server><tool>{{…}}</tool></server>`", tag.name));
        }
        self.at += tag.length;
        Ok(())
    }

    /// A tag with no tag behind it: a server after whose tag the model goes on talking, or a tool without a server.
    fn lone(&mut self, outer: Tag<'a>, is_known: bool) -> Result<(), Refused> {
        let inside = &self.text[self.at + outer.length..];
        if body::begins_json(inside) && !ANSWERS.contains(&outer.name) {
            let message = format!(
                "`<{0}>` has arguments and no server around it; write `<server><{0}>{{…}}</{0}></server>`",
                outer.name
            );
            return self.refuse(self.at, message);
        }
        // Without its end, the name is only mentioned.
        if is_known && self.find(inside, &format!("</{}>", outer.name)).is_some() {
            return self.server(outer);
        }
        self.at += outer.length;
        Ok(())
    }

    /// Reads the calls within a server's tags.
    fn server(&mut self, server: Tag<'a>) -> Result<(), Refused> {
        let opened = self.at;
        let before = self.found.calls.len();
        self.at += server.length;
        loop {
            let rest = self.rest();
            let gap = rest.find('<').unwrap_or(rest.len());
            if rest[..gap].contains(['{', '}']) {
                return self.refuse(self.at, format!("text that belongs to no tool stands in `<{}>`", server.name));
            }
            self.at += gap;
            match tag(self.rest()) {
                None if self.rest().is_empty() => {
                    return self.refuse(opened, format!("`<{}>` is not closed", server.name));
                }
                None => self.at += 1,
                Some(tag) if tag.form == Form::Close && tag.name == server.name => {
                    self.at += tag.length;
                    break;
                }
                Some(tag) if tag.form == Form::Close || tag.name == server.name => {
                    let written = &self.rest()[..tag.length];
                    return self.refuse(self.at, format!("`{written}` stands where `</{}>` is expected", server.name));
                }
                Some(tag) => self.tool(server.name, tag)?,
            }
        }
        match self.found.calls.len() == before {
            true => self.refuse(opened, format!("`<{}>` names no tool", server.name)),
            false => Ok(()),
        }
    }

    fn tool(&mut self, server: &str, tool: Tag<'a>) -> Result<(), Refused> {
        let opened = self.at;
        if tool.attributed {
            return self.refuse(
                opened,
                format!("`<{}>`: attributes are not taken; arguments are a JSON object in it", tool.name),
            );
        }
        self.at += tool.length;
        let arguments = match tool.form {
            Form::Empty => Object::new(),
            _ => match body::read(self.rest(), tool.name) {
                Ok(Body { arguments, length }) => {
                    self.at += length;
                    arguments
                }
                Err(message) => return self.refuse(opened, message),
            },
        };
        if self.found.calls.len() == MOST_CALLS {
            return self.refuse(opened, format!("more than {MOST_CALLS} calls"));
        }
        let line = self.line(opened);
        self.found.calls.push(Call { server: server.to_owned(), tool: tool.name.to_owned(), arguments, line });
        Ok(())
    }
}

#[cfg(test)]
mod tests;
