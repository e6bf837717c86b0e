//! What was gathered → the answer, made of nothing but what was read.

use serde_json::{Value, json};
use uixt_locate::{Error, Kind};
use uixt_research::{Passage, Said, Unread, best_line, hold};
use uixt_toolkit::Reply;

use super::inquiry::Gathered;

/// Most characters of the line that stands for a passage.
const LINE: usize = 240;

/// Most characters of what a query found, as the answer repeats it.
const CONTENT: usize = 300;

/// Most files that were not read that are named.
const FILES: usize = 10;

/// A query, and what was read of what it found.
pub(super) struct Asked {
    pub(super) query: String,
    pub(super) addresses: Vec<String>,
}

/// Tells what could not be asked or read; of the project's files the first, and how many others there are.
pub(super) fn skipped(gathered: &Gathered) -> Vec<Value> {
    let told = |Unread { what, why }: &Unread| json!({"url": what, "why": why});
    let mut all: Vec<Value> = gathered.failures.iter().chain(gathered.unread.iter().take(FILES)).map(told).collect();
    if gathered.unread.len() > FILES {
        let why = format!("{} more files are not read", gathered.unread.len() - FILES);
        all.push(json!({"url": "project", "why": why}));
    }
    all
}

/// The pages and files that an answer names, each with its number.
#[derive(Default)]
struct Sources<'a>(Vec<(&'a Passage, Vec<&'a Passage>)>);

impl<'a> Sources<'a> {
    /// Returns the number of a passage's page or file, from 1.
    fn number(&mut self, passage: &'a Passage) -> usize {
        let same = |(first, _): &(&Passage, Vec<&Passage>)| first.document.address == passage.document.address;
        let at = self.0.iter().position(same).unwrap_or_else(|| {
            self.0.push((passage, Vec::new()));
            self.0.len() - 1
        });
        let told = &mut self.0[at].1;
        if !told.contains(&passage) {
            told.push(passage);
        }
        at + 1
    }

    fn told(&self) -> Vec<Value> {
        let one = |(at, (first, passages)): (usize, &(&Passage, Vec<&Passage>))| {
            let document = &first.document;
            let passages: Vec<Value> = passages.iter().map(|passage| shown(passage)).collect();
            json!({"number": at + 1, "title": document.title, "url": document.address, "date": document.date, "read_at": document.read_at, "passages": passages})
        };
        self.0.iter().enumerate().map(one).collect()
    }
}

fn shown(passage: &Passage) -> Value {
    match passage.lines {
        Some((first, last)) => json!({"text": passage.text, "lines": [first, last]}),
        None => json!({"text": passage.text}),
    }
}

/// Makes an answer of statements, of which only those are told whose words stand in their passages; of the passages where none does.
pub(super) fn of_statements(gathered: &Gathered, shown: &[&Passage], said: &[Said]) -> Reply {
    let kept: Vec<&Said> = said.iter().filter(|said| hold(said, shown).is_ok()).collect();
    let dropped = said.len() - kept.len();
    if kept.is_empty() {
        let why =
            format!("no quote of the model's {dropped} statements stands in its passage; these are the passages alone");
        return of_passages(gathered, shown, Some(why)).with("dropped", dropped);
    }
    let mut sources = Sources::default();
    let (mut lines, mut statements) = (Vec::new(), Vec::new());
    for said in kept {
        let Some(passage) = shown.get(said.passage - 1) else { continue };
        let number = sources.number(passage);
        lines.push(format!("{} [{number}]", said.text));
        statements.push(json!({"text": said.text, "source": number, "quote": said.quote}));
    }
    let message = format!("{} from {}", counted(statements.len(), "statement"), counted(sources.0.len(), "source"));
    told(Reply::new(message), gathered, &lines.join("\n"), &sources)
        .with("statements", statements)
        .with("dropped", dropped)
}

/// Makes an answer of the passages alone, the best first: the line of each that says most of what was asked.
pub(super) fn of_passages(gathered: &Gathered, shown: &[&Passage], note: Option<String>) -> Reply {
    let asked: Vec<&str> = gathered.asked.iter().map(|asked| asked.query.as_str()).collect();
    let asked = asked.join(" ");
    let mut sources = Sources::default();
    let mut lines = Vec::new();
    for passage in shown {
        let number = sources.number(passage);
        let line: String = best_line(&passage.text, &asked).chars().take(LINE).collect();
        let at = passage.lines.map(|(first, last)| format!(":{first}-{last}")).unwrap_or_default();
        lines.push(format!("{line} [{number}{at}]"));
    }
    let note = note
        .unwrap_or_else(|| "no model is configured, so that these are passages, and no answer made of them".to_owned());
    let message = format!("{} from {}; {note}", counted(shown.len(), "passage"), counted(sources.0.len(), "source"));
    told(Reply::new(message), gathered, &lines.join("\n"), &sources).with("notes", vec![note])
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn told(reply: Reply, gathered: &Gathered, answer: &str, sources: &Sources<'_>) -> Reply {
    let queries: Vec<&str> = gathered.asked.iter().map(|asked| asked.query.as_str()).collect();
    let now = chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    let results: Vec<Value> = gathered.asked.iter().map(|asked| result(asked, gathered, &now)).collect();
    let reply = reply
        .with("answer", answer)
        .with("sources", sources.told())
        .with("search_queries", json!(queries))
        .with("query_count", queries.len())
        .with("research_loops", gathered.loops)
        .with("search_results", results)
        .with("timestamp", now.as_str());
    let skipped = skipped(gathered);
    if skipped.is_empty() { reply } else { reply.with("skipped", skipped) }
}

/// Tells what was read for a query.
fn result(asked: &Asked, gathered: &Gathered, now: &str) -> Value {
    let of = |address: &String| gathered.passages.iter().find(|passage| passage.document.address == *address);
    let read: Vec<&Passage> = asked.addresses.iter().filter_map(of).take(5).collect();
    let content: String = read.first().map(|passage| passage.text.chars().take(CONTENT).collect()).unwrap_or_default();
    let source = |passage: &&Passage| json!({"title": passage.document.title, "url": passage.document.address});
    let sources: Vec<Value> = read.iter().map(source).collect();
    json!({"query": asked.query, "content": content, "sources": sources, "timestamp": now})
}

/// Says that nothing fits.
pub(super) fn nothing(question: &str, gathered: &Gathered) -> Error {
    let queries: Vec<&str> = gathered.asked.iter().map(|asked| asked.query.as_str()).collect();
    let message = format!(
        "nothing that was read says anything of {question:?}; ask in other words, or name a search engine in `research:` of uixt.yaml"
    );
    Error::new(Kind::NotFound, message).with("search_queries", json!(queries)).with("skipped", skipped(gathered))
}

/// Adds what was found to an error of the model, so that it is not lost.
pub(super) fn unanswered(error: Error, shown: &[&Passage]) -> Error {
    let mut sources = Sources::default();
    for passage in shown {
        sources.number(passage);
    }
    error.with("sources", sources.told())
}
