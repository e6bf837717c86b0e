//! Where something is looked for, whatever it is; and the links in an answer of a search tool, whichever wrote it.

use std::pin::Pin;

use serde_json::Value;

use crate::passage::Passage;

/// Work that is under way; it ends where it is dropped.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A page that a search engine names, and that nobody has read yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    pub title: String,
    pub address: String,
    pub date: Option<String>,
}

/// What could not be asked or read, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The path of a file from the project's folder, the address of a page, or the name of a source.
    pub what: String,
    pub why: String,
}

/// What a source finds: passages that it has read, or pages that are still to be read.
pub enum Found {
    /// What was read that fits, and what was not read that might.
    Passages(Vec<Passage>, Vec<Unread>),
    Links(Vec<Link>),
}

/// A place where something is looked for.
pub trait Source: Send + Sync {
    /// What it is called in answers.
    fn name(&self) -> &str;

    /// Tells whether what is asked leaves this computer.
    fn is_of_web(&self) -> bool;

    /// Finds what fits each question, the best first. An error says why it cannot be asked.
    fn find<'a>(&'a self, questions: &'a [String]) -> Boxed<'a, Vec<Result<Found, String>>>;
}

/// Most characters of a title.
const TITLE: usize = 200;

/// Most links of an answer.
const MOST: usize = 20;

/// Returns the links in an answer: of JSON, each object with a `url`; else each line `URL: …` with the `Title: …` before it; else each
/// address that stands in it.
pub fn links(answer: &str) -> Vec<Link> {
    let mut links = Vec::new();
    for value in serde_json::Deserializer::from_str(answer).into_iter::<Value>().map_while(Result::ok) {
        of_value(&value, &mut links);
    }
    if links.is_empty() {
        of_lines(answer, &mut links);
    }
    if links.is_empty() {
        let is_address = |word: &&str| word.starts_with("http://") || word.starts_with("https://");
        let words =
            answer.split(|sign: char| sign.is_whitespace() || "()<>[]\"'，。".contains(sign)).filter(is_address);
        links.extend(words.map(|word| link("", word.trim_end_matches(['.', ',', ';']), None)));
    }
    let mut seen = std::collections::HashSet::new();
    links.retain(|link| seen.insert(link.address.clone()));
    links.truncate(MOST);
    links
}

fn link(title: &str, address: &str, date: Option<&str>) -> Link {
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(TITLE).collect();
    Link { title, address: address.trim().to_owned(), date: date.map(str::to_owned) }
}

fn of_value(value: &Value, links: &mut Vec<Link>) {
    let text = |keys: &[&str]| keys.iter().find_map(|key| value.get(key)?.as_str());
    match value {
        Value::Array(values) => values.iter().for_each(|value| of_value(value, links)),
        Value::Object(fields) => match text(&["url", "link", "href"]).filter(|url| url.starts_with("http")) {
            Some(url) => {
                let date = text(&["publishedDate", "published_date", "date", "page_age"]);
                links.push(link(text(&["title", "name"]).unwrap_or_default(), url, date));
            }
            None => fields.values().for_each(|value| of_value(value, links)),
        },
        _ => {}
    }
}

fn of_lines(answer: &str, links: &mut Vec<Link>) {
    let mut title = String::new();
    for line in answer.lines() {
        let line = line.replace("**", "");
        let Some((name, value)) = line.trim_start_matches(['-', '*', '#', ' ']).split_once(':') else { continue };
        match name.trim().to_ascii_lowercase().as_str() {
            "title" => value.trim().clone_into(&mut title),
            "url" | "link" if value.trim_start().starts_with("http") => {
                links.push(link(&std::mem::take(&mut title), value, None));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_from_whatever_a_search_tool_writes() {
        let of = |answer: &str| links(answer).into_iter().map(|link| (link.title, link.address)).collect::<Vec<_>>();
        let both = [("A b".to_owned(), "https://a.test/1".to_owned()), ("C".to_owned(), "http://c.test/".to_owned())];
        let json = r#"{"results": [{"title": "A\n b", "url": "https://a.test/1", "profile": {"url": "x"}}, {"name": "C", "link": "http://c.test/"}, {"url": "https://a.test/1"}]}"#;
        assert_eq!(of(json), both);
        assert_eq!(
            of("{\"url\": \"https://a.test/1\", \"title\": \"A b\"}\n{\"url\": \"http://c.test/\", \"title\": \"C\"}"),
            both
        );
        assert_eq!(
            of("Title: A b\nURL: https://a.test/1\nDescription: d\n\n**Title:** C\n- **URL:** http://c.test/\n"),
            both
        );
        let bare = of("see [it](https://a.test/1), and http://c.test/.");
        assert_eq!(
            bare.iter().map(|(_, address)| address.as_str()).collect::<Vec<_>>(),
            ["https://a.test/1", "http://c.test/"]
        );
        assert_eq!(of("nothing"), []);
    }
}
