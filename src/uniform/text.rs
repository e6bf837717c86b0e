//! A model's text → the calls in it, in their order: `<server><tool>{…}</tool></server>`, among whatever else it says.
//!
//! Text around calls is left alone, code fences and wrappers such as `<tool_calls>` included. What looks like a call and cannot be read
//! refuses the whole text; what is passed over on purpose (a thought, a comment) is noted.

use std::collections::HashSet;

use super::body::{self, Body};
use super::{LARGEST, MOST_CALLS, Object};

/// Names of elements in which a model thinks: what stands there is not said yet.
const THOUGHTS: [&str; 5] = ["think", "thinking", "reasoning", "reflection", "scratchpad"];
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
    let mut reader = Reader { text, at: 0, known, found: Calls::default(), counted: (0, 1), absent: HashSet::new() };
    while reader.step()? {}
    match reader.found.calls.is_empty() {
        false => Ok(reader.found),
        true => {
            let notes: String = reader.found.notes.iter().map(|note| format!("; {note}")).collect();
            Err(Refused {
                line: 1,
                message: format!("no call `<server><tool>{{…}}</tool></server>` in the text{notes}"),
            })
        }
    }
}

/// A tag: `<name>`, `</name>` or `<name/>`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tag<'a> {
    pub(super) name: &'a str,
    pub(super) form: Form,
    /// Whether something stands in it beside its name.
    attributed: bool,
    /// Where it ends, in bytes from its `<`.
    pub(super) length: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Open,
    Close,
    Empty,
}

/// Reads the tag that a text begins with.
pub(super) fn tag(text: &str) -> Option<Tag<'_>> {
    /// Longest tag, in bytes.
    const LONGEST: usize = 400;
    let inner = text.strip_prefix('<')?;
    let window = &inner.as_bytes()[..inner.len().min(LONGEST)];
    let end = window.iter().position(|byte| matches!(byte, b'>' | b'<')).filter(|end| window[*end] == b'>')?;
    let inside = &inner[..end];
    let (form, inside) = match (inside.strip_prefix('/'), inside.strip_suffix('/')) {
        (Some(name), _) => (Form::Close, name),
        (None, Some(name)) => (Form::Empty, name),
        (None, None) => (Form::Open, inside),
    };
    let length = inside.find(|c: char| !(c.is_alphanumeric() || "_-.:".contains(c))).unwrap_or(inside.len());
    let (name, rest) = inside.split_at(length);
    let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let attributed = !rest.trim().is_empty();
    (begins && (!attributed || rest.starts_with(char::is_whitespace))).then_some(Tag {
        name,
        form,
        attributed,
        length: end + 2,
    })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    known: &'a dyn Fn(&str) -> bool,
    found: Calls,
    /// A place, and its line: lines are counted once.
    counted: (usize, usize),
    /// What was looked for further on and is not there: it is not looked for again.
    absent: HashSet<String>,
}

impl<'a> Reader<'a> {
    fn line(&mut self, at: usize) -> usize {
        let (from, line) = if at >= self.counted.0 { self.counted } else { (0, 1) };
        let line = line + self.text.as_bytes()[from..at].iter().filter(|byte| **byte == b'\n').count();
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
            Some(found) if found.form == Form::Close => self.close(found)?,
            Some(found) if found.form == Form::Open && THOUGHTS.contains(&found.name) => self.thought(found)?,
            Some(found) => self.open(found)?,
        }
        Ok(true)
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
mod tests {
    use serde_json::json;

    use super::*;

    fn is_known(name: &str) -> bool {
        ["web", "go", "back", "uixt"].contains(&name)
    }

    /// Returns the calls as `server.tool {…}`.
    fn read(text: &str) -> Result<Vec<String>, String> {
        let found = read_calls(text, &is_known).map_err(|refused| refused.to_string())?;
        let written = |call: &Call| format!("{}.{} {}", call.server, call.tool, json!(call.arguments));
        Ok(found.calls.iter().map(written).collect())
    }

    #[test]
    fn calls_are_found_among_whatever_else_is_said() {
        let go = "web.go {\"u\":1}";
        for (text, calls) in [
            ("<web><go>{\"u\": 1}</go></web>", vec![go]),
            ("<web>\n  <go>\n    {\n\"u\": 1\n}\n  </go>\n</web>\n", vec![go]),
            ("Sure! 1 < 2 & <b>x</b>:\n```xml\n<web><go>{\"u\": 1}</go></web>\n```\nDone <ok>.", vec![go]),
            ("<web><go>```json\n{\"u\": 1}\n```</go></web>", vec![go]),
            ("<web> I go <go>{\"u\": 1}</go> now </web>", vec![go]),
            ("<web><go>{\"u\": 1}</go></web> and <web> is done.", vec![go]),
            ("<web><go>{\"u\": 1}</go>\n<back></back><back/></web>", vec![go, "web.back {}", "web.back {}"]),
            (
                "<web><back>{}</back></web> then <uixt><go>\"{\\\"u\\\": 1}\"</go></uixt>",
                vec!["web.back {}", "uixt.go {\"u\":1}"],
            ),
            ("<tool_calls><web><go>{\"u\": 1}</go></web></tool_calls>", vec![go]),
            ("<think>maybe <x><y>{\"a\": 1}</y></x></think><web><go>{\"u\": 1}</go></web>", vec![go]),
            ("<answer>{\"u\": 2}</answer><web><go>{\"u\": 1}</go></web>", vec![go]),
            ("<ul><li>one</li><li>two</li></ul><p><br/></p><web><go>{\"u\": 1}</go></web>", vec![go]),
            ("<web><go>{\"u\": \"</go></web>\"}</go></web>", vec!["web.go {\"u\":\"</go></web>\"}"]),
            ("<web><go>{&quot;u&quot;: 1}</go></web>", vec![go]),
            // Nobody knows these names: whoever sends calls says so.
            ("<wbe><og>{\"u\": 1}</og></wbe>", vec!["wbe.og {\"u\":1}"]),
            ("<wbe><back></back></wbe>", vec!["wbe.back {}"]),
            ("<mcp-search.tool><list_x>{}</list_x></mcp-search.tool>", vec!["mcp-search.tool.list_x {}"]),
        ] {
            assert_eq!(read(text), Ok(calls.into_iter().map(str::to_owned).collect()), "{text}");
        }
    }

    #[test]
    fn what_looks_like_a_call_and_is_none_refuses_the_text() {
        let good = "<web><back>{}</back></web>\n";
        for (text, words) in [
            ("<web><go>{\"u\": 1}", "`<go>`: is not closed"),
            ("<web><go>{\"u\": 1", "`<go>`: the arguments are no JSON: EOF"),
            ("<web><go>", "`<go>` is not closed"),
            ("<web><go>{\"u\": 1}</go>", "`<web>` is not closed"),
            ("<web>", "no call"),
            ("<web><go>{\"u\": 1}</web></go>", "`</web>` stands where `</go>` is expected"),
            ("<web><go>{\"u\": 1}</go></wbe>", "`</wbe>` stands where `</web>` is expected"),
            ("<web><go>{\"u\": 1}</go><web><go>{}</go></web>", "`<web>` stands where `</web>` is expected"),
            ("<web><go>{\"u\": 1} or so</go></web>", "`<go>`: there is text after the arguments: `or so`"),
            ("<web><go>{\"u\": 1}{\"u\": 2}</go></web>", "text after the arguments"),
            ("<web><go>{\"u\": 1, \"u\": 2}</go></web>", "`u` is given twice"),
            ("<web><go>{'u': 1}</go></web>", "strings stand in double quotes"),
            ("<web><go>[1]</go></web>", "must be a JSON object, not [1]"),
            ("<web><go>http://a/</go></web>", "`<go>`: the arguments are no JSON"),
            ("<web><go><u>1</u></go></web>", "no JSON"),
            ("<web><go u=\"1\">{}</go></web>", "attributes are not taken"),
            ("<web>{\"u\": 1}</web>", "`<web>` has arguments and no server around it"),
            ("<web><go>{}</go>{\"u\": 1}</web>", "belongs to no tool"),
            ("<go>{\"u\": 1}</go>", "`<go>` has arguments and no server around it"),
            ("<tool_call>{\"name\": \"go\"}</tool_call>", "no server around it"),
            ("go>{\"u\": 1}</go></web>", "`</go>` closes nothing"),
            ("go http://a/</go>", "`</go>` closes nothing"),
            ("<go>http://a/</go>", "`<go>` names no tool"),
            ("{\"u\": 1}</xyz>", "`</xyz>` closes nothing"),
            ("<think>I might <web><go>{}</go></web>", "`<think>` is not closed"),
            ("<web/>", "there is no server around it"),
        ] {
            for text in [text.to_owned(), format!("{good}{text}")] {
                if words == "no call" && text.starts_with(good) {
                    continue;
                }
                let message = read(&text).expect_err(&text);
                assert!(message.contains(words), "{text}: {message}");
            }
        }
        assert_eq!(
            read("a\n\n<web>\n<go>{</go></web>").expect_err("broken").split_once(':').expect("two parts").0,
            "line 4"
        );
    }

    #[test]
    fn what_is_passed_over_is_noted() {
        let found = read_calls("<think><web><go>{}</go></web></think><!-- <web> --><web><back/></web>", &is_known)
            .expect("one call");
        assert_eq!(
            found.notes,
            ["line 1: `<web>` within a thought is not called", "line 1: `<web>` within a comment is not called"]
        );
        let found = read_calls("<web><go>{}</go></web>\nno</think>\n<web><back/></web>", &is_known).expect("one call");
        assert_eq!((found.calls.len(), found.calls[0].line), (1, 3));
        assert_eq!(found.notes, ["line 1: `<go>` within a thought is not called"]);
        let none = read("<think><web><go>{}</go></web></think>").expect_err("no call");
        assert_eq!(
            none,
            "line 1: no call `<server><tool>{…}</tool></server>` in the text; line 1: `<web>` within a thought is not called"
        );
        assert!(read("nothing to do").is_err() && read("").is_err());
    }

    #[test]
    fn sizes_are_bounded() {
        let many = "<web><back/></web>".repeat(MOST_CALLS + 1);
        assert!(read(&many).expect_err("too many").contains("more than 100 calls"));
        assert!(read(&" ".repeat(LARGEST + 1)).expect_err("too long").contains("longer than 1 MiB"));
    }
}
