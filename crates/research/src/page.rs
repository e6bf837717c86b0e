//! The HTML of a page → its title, its date and the text that a reader sees. Nothing of it is run or fetched.

use std::cell::RefCell;

use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};

/// Elements whose content is no text of the page.
const UNREAD: [&str; 10] =
    ["script", "style", "noscript", "template", "svg", "iframe", "select", "textarea", "nav", "footer"];

/// Elements that hold nothing and are never closed.
const VOID: &str = " area base br col embed hr img input link meta source track wbr ";

/// Elements that begin and end a line.
const LINES: &str = " p div br li ul ol tr table h1 h2 h3 h4 h5 h6 section article header main aside blockquote pre dl dt dd hr form figure \
    figcaption details summary td th option ";

/// Elements behind which stands an empty line.
const PARTS: &str = " p h1 h2 h3 h4 h5 h6 section article table blockquote pre ul ol dl ";

/// Names of what says when a page was written, the surest first.
const DATES: [&str; 7] =
    ["article:modified_time", "article:published_time", "last-modified", "datepublished", "dc.date", "date", "pubdate"];

/// What a page says.
#[derive(Default)]
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) date: Option<String>,
    pub(crate) text: String,
}

/// Reads a page.
pub(crate) fn read(html: &str) -> Page {
    let sink = Sink(RefCell::default());
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    // It stops only where a script is to be run.
    while let TokenizerResult::Script(()) = tokenizer.feed(&input) {}
    tokenizer.end();
    let seen = tokenizer.sink.0.take();
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut text = String::with_capacity(seen.text.len());
    let mut gap = 0;
    for line in seen.text.split('\n').map(squeezed) {
        if line.is_empty() {
            gap += 1;
            continue;
        }
        if !text.is_empty() {
            text.push_str(if gap > 0 { "\n\n" } else { "\n" });
        }
        text.push_str(&line);
        gap = 0;
    }
    let date = seen.dates.into_iter().min_by_key(|(rank, _)| *rank).map(|(_, date)| date);
    Page { title: squeezed(&seen.title), date, text }
}

/// Returns what the beginning of a page says of its encoding.
pub(crate) fn charset(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(2048)]).to_ascii_lowercase();
    let (_, named) = head.split_once("charset=")?;
    let named = named.trim_start_matches(['"', '\'']);
    let end = named.find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '-' && sign != '_')?;
    Some(named[..end].to_owned())
}

#[derive(Default)]
struct Seen {
    text: String,
    title: String,
    dates: Vec<(usize, String)>,
    is_title: bool,
    /// The element whose content is not read, and how often it is open.
    unread: Option<(String, usize)>,
}

struct Sink(RefCell<Seen>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut seen = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) if seen.unread.is_none() => match seen.is_title {
                true => seen.title.push_str(&text),
                false => seen.text.push_str(&text.replace('\n', " ")),
            },
            Token::TagToken(tag) => return seen.tag(&tag),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Seen {
    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name = &*tag.name;
        let begins = tag.kind == TagKind::StartTag;
        self.skip(tag);
        if self.unread.is_none() {
            self.read(name, tag);
        }
        match name {
            "title" | "textarea" if begins => TokenSinkResult::RawData(RawKind::Rcdata),
            "script" if begins => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" | "iframe" | "noscript" if begins => TokenSinkResult::RawData(RawKind::Rawtext),
            _ => TokenSinkResult::Continue,
        }
    }

    /// Takes in that what follows is read, or is not.
    fn skip(&mut self, tag: &Tag) {
        let name = &*tag.name;
        let begins = tag.kind == TagKind::StartTag && !tag.self_closing && !is_of(VOID, name);
        // What ends a paragraph need not say so.
        self.unread.take_if(|(open, _)| open == "p" && is_of(LINES, name));
        match &mut self.unread {
            None if begins && (UNREAD.contains(&name) || is_hidden(tag)) => self.unread = Some((name.to_owned(), 1)),
            Some((open, count)) if open == name => {
                *count = if begins { *count + 1 } else { *count - usize::from(tag.kind == TagKind::EndTag) };
                if *count == 0 {
                    self.unread = None;
                }
            }
            _ => {}
        }
    }

    fn read(&mut self, name: &str, tag: &Tag) {
        let attribute = |wanted: &str| attribute(tag, wanted);
        let begins = tag.kind == TagKind::StartTag;
        match name {
            // That of a picture in the page is none.
            "title" => self.is_title = begins && self.title.is_empty(),
            "meta" => self.dates.extend(meta(&attribute)),
            "time" if begins => self.dates.extend(attribute("datetime").and_then(|date| dated(DATES.len(), &date))),
            "img" if !is_hidden(tag) => self.text.extend(attribute("alt").iter().flat_map(|alt| [" ", alt, " "])),
            _ => {}
        }
        if is_of(LINES, name) {
            self.text.push('\n');
        }
        if !begins && is_of(PARTS, name) {
            self.text.push('\n');
        }
    }
}

fn is_of(names: &str, name: &str) -> bool {
    names.contains(&format!(" {name} "))
}

fn attribute(tag: &Tag, wanted: &str) -> Option<String> {
    tag.attrs.iter().find(|one| &*one.name.local == wanted).map(|one| one.value.to_string())
}

/// Tells whether an element says of itself that no reader sees it.
fn is_hidden(tag: &Tag) -> bool {
    let style = attribute(tag, "style").unwrap_or_default().to_ascii_lowercase().replace([' ', '\t', '\n'], "");
    let hides = |part: &str| matches!(part.trim_end_matches("!important"), "display:none" | "visibility:hidden");
    attribute(tag, "hidden").is_some() || style.split(';').any(hides)
}

/// Returns the date that a `meta` says, and how sure it is.
fn meta(attribute: &dyn Fn(&str) -> Option<String>) -> Option<(usize, String)> {
    let name = ["property", "name", "itemprop", "http-equiv"].iter().find_map(|key| attribute(key))?;
    let rank = DATES.iter().position(|known| name.eq_ignore_ascii_case(known))?;
    dated(rank, &attribute("content")?)
}

/// Returns the day that a date begins with; none where it is written otherwise.
fn dated(rank: usize, date: &str) -> Option<(usize, String)> {
    let day = date.trim().get(..10)?;
    chrono::NaiveDate::parse_from_str(day, "%Y-%m-%d").ok().map(|day| (rank, day.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_as_its_reader_sees_it() {
        let page = read(
            "<!doctype html><html><head><title>E42 &amp;\n more</title><meta property='article:published_time' content='2026-03-04T05:06:07Z'>\
             <style>p { color: red }</style><script>if (a < b) document.write('<p>never</p>')</script></head>\
             <body><nav><ul><li>Home</li></ul></nav><h1>Error&nbsp;E42</h1><p>The <b>card</b>\nhas expired.</p><ul><li>one<li>two</ul>\
             <svg><title>icon</title><text>x</text></svg><noscript>turn it on</noscript><img src=a alt='a card'>\
             <p>5 < 6<br>end<time datetime='2020-01-01'>long ago</time></body>",
        );
        assert_eq!((page.title.as_str(), page.date.as_deref()), ("E42 & more", Some("2026-03-04")));
        assert_eq!(page.text, "Error E42\n\nThe card has expired.\n\none\ntwo\n\na card\n5 < 6\nendlong ago");
        assert_eq!(
            read("<div style='color: red; display: none !important'>a<div>b</div>c</div>d<p hidden>e<p hidden>e<p>f<img hidden alt=x>g<li style=visibility:hidden>h</li>i").text,
            "d\nfg\ni"
        );
        assert_eq!(read("no html").text, "no html");
        assert_eq!(read("<script>never ends").text, "");
        assert_eq!(charset(b"<meta charset=\"GBK\">").as_deref(), Some("gbk"));
    }
}
