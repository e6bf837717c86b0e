//! What stands before a call in a text → whether the call is made, or only shown: an example, or a quotation.
//!
//! A call is only shown where the sentence that leads to it says so ("for example:", "e.g.", "such as", 例如), also over the blank
//! lines and the opening of a code fence between them; and where it stands in inline code or in a quoted line (`> `). What follows in the
//! same sentence, in the same fence, or with nothing but space between is of the same kind.

use super::tag::tag;

/// How far back is looked, in bytes.
const LOOK: usize = 400;

/// What says that an example follows, wherever it stands in the sentence.
const ANYWHERE: [&str; 6] = ["e.g.", "例如", "比如", "譬如", "举例", "举个例子"];
/// The same, where a comma, a colon or nothing at all stands behind it.
const BEFORE_SIGN: [&str; 2] = ["for example", "for instance"];
/// The same at the sentence's end.
const LAST: [&str; 8] =
    ["example", "examples", "example call", "such as", "example of a call", "示例", "示例如下", "样例"];

/// Signs that end a sentence.
const ENDS: [&str; 6] = [". ", "! ", "? ", "。", "！", "？"];

/// The kind of what was found last: whether it was only shown, and where it ended.
#[derive(Debug, Default)]
pub(super) struct Quotes {
    last: Option<(usize, bool)>,
    /// The end of a code fence all of which is an example.
    fence: usize,
}

impl Quotes {
    /// Tells whether what begins at a byte of a text is only shown.
    pub(super) fn shows(&mut self, text: &str, at: usize) -> bool {
        if at < self.fence {
            return true;
        }
        let from = text.floor_char_boundary(at.saturating_sub(LOOK));
        let (from, before) = match self.last {
            Some((end, kind)) if end >= from => {
                let between = text.get(end..at).unwrap_or_default();
                if between.trim().is_empty() || (kind && !between.contains('\n') && !ends_sentence(between)) {
                    return kind;
                }
                (end, between)
            }
            _ => (from, &text[from..at]),
        };
        if is_inline(text, at) || is_quoted_line(&text[from..at]) {
            return true;
        }
        let (lead, is_fenced) = without_fence(before);
        let is_example = announces(lead);
        if is_example && is_fenced {
            self.fence = text[at..].find("\n```").map_or(text.len(), |end| at + end);
        }
        is_example
    }

    /// Takes what nothing but space parts from what was found last for a part of it.
    pub(super) fn pass(&mut self, text: &str, from: usize, end: usize) {
        if let Some((last, _)) = &mut self.last
            && text.get(*last..from).is_some_and(|between| between.trim().is_empty())
        {
            *last = end;
        }
    }

    /// Notes where something ended, and of which kind it was.
    pub(super) fn note(&mut self, end: usize, shown: bool) {
        self.last = Some((end, shown));
    }
}

/// Tells whether one or two backticks, and not the three of a fence, stand right before.
fn is_inline(text: &str, at: usize) -> bool {
    let ticks = text[..at].len() - text[..at].trim_end_matches('`').len();
    (1..=2).contains(&ticks)
}

fn is_quoted_line(before: &str) -> bool {
    before.rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with("> "))
}

/// Takes off the opening of a code fence that a text ends with.
fn without_fence(before: &str) -> (&str, bool) {
    let before = before.trim_end();
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let info = before[start..].trim_start().strip_prefix("```");
    match info.is_some_and(|info| !info.contains('`')) {
        true => (before[..start].trim_end(), true),
        false => (before, false),
    }
}

fn ends_sentence(text: &str) -> bool {
    let plain = text.to_lowercase().replace("e.g.", "").replace("i.e.", "");
    ENDS.iter().any(|end| plain.contains(end))
}

/// Tells whether the last sentence of a text says that an example follows.
fn announces(lead: &str) -> bool {
    let line = lead.trim_end().rsplit('\n').next().unwrap_or_default().to_lowercase().replace("e.g. ", "e.g.");
    let start = ENDS.iter().filter_map(|end| Some(line.rfind(end)? + end.len())).max().unwrap_or(0);
    // Tags are no words: a wrapper may stand between the words and the call.
    let sentence = without_tags(&line[start..]);
    let sentence = sentence.trim_end_matches(|c: char| c.is_whitespace() || ":,：，`*_(（\"'".contains(c));
    let at_sign = |phrase: &str| {
        sentence.match_indices(phrase).any(|(at, _)| {
            let behind = &sentence[at + phrase.len()..];
            behind.is_empty() || behind.starts_with([',', ':', '，', '：'])
        })
    };
    let is_last = |phrase: &str| {
        let before = sentence.strip_suffix(phrase);
        before.is_some_and(|before| !phrase.is_ascii() || !before.ends_with(|c: char| c.is_alphanumeric()))
    };
    ANYWHERE.iter().any(|phrase| sentence.contains(phrase))
        || BEFORE_SIGN.iter().any(|phrase| at_sign(phrase))
        || LAST.iter().any(|phrase| is_last(phrase))
}

fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let length = tag(&rest[at..]).map_or(0, |tag| tag.length);
        if length == 0 {
            out.push('<');
        }
        rest = &rest[at + length.max(1)..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_to_a_call_says_whether_it_is_an_example() {
        for lead in [
            "For example: ",
            "You can write, for example,\n\n",
            "It looks like this, e.g. ",
            "Here is an example:\n```xml\n",
            "An example call:\n",
            "Calls such as ",
            "**Example:**\n",
            "格式如下，例如：",
            "示例：\n```\n",
            "write `",
            "The manual says:\n> ",
            "(for instance ",
        ] {
            assert!(Quotes::default().shows(&format!("{lead}<a>"), lead.len()), "{lead}");
        }
        for lead in [
            "",
            "I search:\n```xml\n",
            "I open example.com: ",
            "I open the Example Domain page: ",
            "For example, the page may be slow. Now I search: ",
            "For example:\nnothing.\nNow: ",
            "I look for example sentences: ",
            "counterexample: ",
            "比如说页面很慢。现在搜索：",
            "```json\n{}\n```\n",
            "Call it:\n```",
        ] {
            assert!(!Quotes::default().shows(&format!("{lead}<a>"), lead.len()), "{lead}");
        }
    }
}
