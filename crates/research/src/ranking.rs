//! Passages and what is asked → those that fit it best (BM25, by `SQLite`'s FTS5), in its order.

use rusqlite::{Connection, Result, params};

use crate::passage::Passage;
use crate::terms;

/// How much of what is asked a passage must know.
const LEAST_SHARE: f64 = 0.3;

/// How much a query counts, where the question itself counts 1.
const OF_QUERY: f64 = 0.8;

/// The table of terms, in whichever file. The terms are kept, and not the texts.
pub(crate) const TERMS: &str = "CREATE VIRTUAL TABLE terms USING fts5(words, content='', contentless_delete=1, \
    tokenize='porter unicode61 remove_diacritics 2')";

/// Tells whether a passage knows enough of a question.
pub(crate) fn fits(passage: &Passage, question: &[String]) -> bool {
    terms::share(question, &format!("{} {}", passage.document.title, passage.text)) >= LEAST_SHARE
}

/// Returns the line of a text that knows most of a question.
pub fn best_line<'a>(text: &'a str, question: &str) -> &'a str {
    let terms = terms::of_question(question);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    // Of two that know as much, the longer says more.
    let known = lines.map(|line| (line, terms::share(&terms, line)));
    let best = known.max_by(|(one, a), (other, b)| a.total_cmp(b).then(one.len().cmp(&other.len())));
    best.map_or("", |(line, _)| line)
}

/// Writes a question as FTS5 takes it: any of its terms.
pub(crate) fn query(question: &str) -> Option<String> {
    let terms = terms::of_question(question);
    let quoted: Vec<String> = terms.iter().map(|term| format!("\"{term}\"")).collect();
    (!quoted.is_empty()).then(|| quoted.join(" OR "))
}

/// Returns the places of up to `most` passages that fit what is asked, a question and queries for it, the best first, and not more than `of_one` of a document. One
/// that knows too little of every question is none; of two that know the same words, the one comes first that knows more of a question.
pub fn ranked(passages: &[Passage], asked: &[&str], most: usize, of_one: usize) -> Vec<usize> {
    let questions: Vec<Vec<String>> = asked.iter().map(|question| terms::of_question(question)).collect();
    let fit = |(at, score): (usize, f64)| {
        let passage = passages.get(at)?;
        let text = format!("{} {}", passage.document.title, passage.text);
        let shares = questions.iter().enumerate().map(|(at, question)| {
            let share = terms::share(question, &text);
            if at == 0 { share } else { share * OF_QUERY }
        });
        let share = shares.fold(0.0, f64::max);
        (share >= LEAST_SHARE).then_some((at, score * share * share))
    };
    let mut fitting: Vec<_> =
        scores(passages, &asked.join(" ")).unwrap_or_default().into_iter().filter_map(fit).collect();
    fitting.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    let mut kept: Vec<usize> = Vec::new();
    for (at, _) in fitting {
        let passage = &passages[at];
        let same = |other: &&usize| passages[**other].document.address == passage.document.address;
        let is_told = kept.iter().any(|other| passages[*other].text == passage.text);
        if !is_told && kept.iter().filter(same).count() < of_one {
            kept.push(at);
        }
        if kept.len() == most {
            break;
        }
    }
    kept
}

/// Returns the places of the passages that know anything of a question, and how well they fit it.
fn scores(passages: &[Passage], question: &str) -> Result<Vec<(usize, f64)>> {
    let Some(query) = query(question) else { return Ok(Vec::new()) };
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(TERMS)?;
    let mut insert = connection.prepare("INSERT INTO terms (rowid, words) VALUES (?, ?)")?;
    for (at, passage) in passages.iter().enumerate() {
        let words = format!("{} {}", terms::joined(&passage.document.title), terms::joined(&passage.text));
        insert.execute(params![at, words])?;
    }
    let mut rows = connection.prepare("SELECT rowid, -bm25(terms) FROM terms WHERE words MATCH ?")?;
    rows.query_map([query], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::passage::Document;

    #[test]
    fn the_passage_that_answers_comes_first_and_what_does_not_is_left_out() {
        let of = |address: &str, text: &str| Passage {
            document: Arc::new(Document { address: address.to_owned(), ..Document::default() }),
            text: text.to_owned(),
            lines: None,
        };
        let passages = [
            of("a", "The shop sells tea and coffee."),
            of("b", "Payments fail with E42 when the card has expired."),
            of("b", "A failed payment is tried again."),
            of("c", "登录失败通常是因为密码错误。"),
            of("d", "Payments fail with E42 when the card has expired."),
        ];
        assert_eq!(ranked(&passages, &["Why does a payment fail with E42?"], 5, 2), [1, 2]);
        assert_eq!(ranked(&passages, &["登录为什么失败"], 5, 2), [3]);
        assert_eq!(ranked(&passages, &["quantum gravity"], 5, 2), [0; 0]);
        assert_eq!(ranked(&passages, &["\" OR NOT ( *"], 5, 2), [0; 0]);
    }
}
