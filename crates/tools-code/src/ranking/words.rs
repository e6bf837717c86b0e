//! Text → the words in it that mean something, each with what else it is called.

use super::synonyms::{CHINESE, meanings};

/// A word that means something.
#[derive(Clone, Debug)]
pub(super) struct Word {
    /// As it stands in the text.
    pub(super) written: String,
    pub(super) stem: String,
    /// The meanings that it shares with others.
    pub(super) meanings: Vec<String>,
}

/// Words that say nothing of what is to be done.
const EMPTY: &str = " a an the and or of to in on at for by with from into onto is are was be been it its this that these those i we you he she \
    they me my our your as if then than so do does did done can could will would should shall may might must have has had not no \
    there here which what when where who how why all any each every some one two three up out over under about after before until \
    while during just only very also again please want need needs needed let lets make makes made get gets got use uses using used \
    them their us him her his once via per etc now already still like such same other another first second last next new current \
    currently given certain whether but because both either neither more most less least many much several something anything \
    everything nothing someone able task step way without within between through against s t re ve ll d ";

/// The same of Chinese: signs that join others.
const EMPTY_CHINESE: &str = "的了在把将和与到给我要请一个这那是有着就都也还被从向对为以及或并让使用其中所后前再又个些们它他她你您吗呢吧啊呀嘛之于而且但不没能会可以需想帮下上里内外时候某该";

/// Words of several signs that say nothing.
const EMPTY_WORDS: [&str; 14] =
    ["获取", "进行", "通过", "然后", "是否", "一段", "已经", "哪些", "如何", "怎么", "怎样", "当前", "一个", "所有"];

/// Tells whether a text is Chinese.
pub(crate) fn is_chinese(text: &str) -> bool {
    text.chars().any(is_ideograph)
}

fn is_ideograph(sign: char) -> bool {
    ('\u{3400}'..='\u{9fff}').contains(&sign)
}

/// Returns the words of a text. What stands in quotes is what something says, and not what is to be done.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let text = without_quotes(text);
    let mut rest = text.as_str();
    while let Some(sign) = rest.chars().next() {
        let fits: fn(char) -> bool = if is_ideograph(sign) {
            is_ideograph
        } else if sign.is_alphanumeric() {
            |sign| sign.is_alphanumeric() && !is_ideograph(sign)
        } else {
            |sign| !sign.is_alphanumeric()
        };
        let end = rest.find(|sign| !fits(sign)).unwrap_or(rest.len());
        let (run, behind) = rest.split_at(end);
        match sign {
            sign if is_ideograph(sign) => chinese(run, &mut found),
            sign if sign.is_alphabetic() => english(run, &mut found),
            _ => {}
        }
        rest = behind;
    }
    found
}

/// Pairs of quotes; an apostrophe is none.
const QUOTES: [(char, char); 5] = [('"', '"'), ('“', '”'), ('「', '」'), ('『', '』'), ('`', '`')];

fn without_quotes(text: &str) -> String {
    let (mut kept, mut rest) = (String::new(), text);
    while let Some((at, sign)) = rest.char_indices().find(|(_, sign)| QUOTES.iter().any(|(open, _)| open == sign)) {
        let close = QUOTES.iter().find(|(open, _)| *open == sign).map_or(sign, |(_, close)| *close);
        let inner = &rest[at + sign.len_utf8()..];
        let Some(end) = inner.find(close) else { break };
        kept.push_str(&rest[..at]);
        kept.push(' ');
        rest = &inner[end + close.len_utf8()..];
    }
    kept + rest
}

/// Adds a word of English, unless it says nothing.
fn english(run: &str, found: &mut Vec<Word>) {
    let written = run.to_lowercase();
    // `log in` is one word to those who write `login`.
    if let Some(last) = found.last_mut().filter(|last| written == "in" && ["log", "sign"].contains(&last.stem.as_str()))
    {
        let meanings = meanings("login", "login");
        *last = Word { written: format!("{} in", last.written), stem: "login".to_owned(), meanings };
        return;
    }
    // A letter alone is part of a shortened word: `e-mail`, `e.g.`.
    if written.chars().count() == 1 || EMPTY.contains(&format!(" {written} ")) {
        return;
    }
    let stem = stem(&written);
    found.push(Word { meanings: meanings(&written, &stem), written, stem });
}

/// Takes the endings of English words off.
pub(super) fn stem(word: &str) -> String {
    let long = |rest: &str| rest.len() >= 3;
    let doubled = |rest: &str| {
        let bytes = rest.as_bytes();
        let is_double = bytes.len() > 3 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2];
        if is_double && !rest.ends_with(['l', 's', 'z']) { rest[..rest.len() - 1].to_owned() } else { rest.to_owned() }
    };
    let word = match word {
        word if word.ends_with("ies") && word.len() > 4 => format!("{}y", &word[..word.len() - 3]),
        word if word.ends_with("sses") || word.ends_with("xes") || word.ends_with("ches") || word.ends_with("shes") => {
            word[..word.len() - 2].to_owned()
        }
        word if word.ends_with('s')
            && !word.ends_with("ss")
            && !word.ends_with("us")
            && !word.ends_with("is")
            && word.len() > 3 =>
        {
            word[..word.len() - 1].to_owned()
        }
        word => word.to_owned(),
    };
    for ending in ["ing", "ed"] {
        if let Some(rest) =
            word.strip_suffix(ending).filter(|rest| long(rest) && rest.contains(['a', 'e', 'i', 'o', 'u', 'y']))
        {
            return doubled(rest).trim_end_matches('e').to_owned();
        }
    }
    word.strip_suffix('e').filter(|rest| rest.len() >= 3).map_or(word.clone(), str::to_owned)
}

/// Adds the words of a run of Chinese, which are known by the synonyms; what is not known is one word.
fn chinese(run: &str, found: &mut Vec<Word>) {
    let (mut rest, mut unknown) = (run, String::new());
    while let Some(sign) = rest.chars().next() {
        let known = CHINESE.iter().find(|(word, _)| rest.starts_with(word.as_str()));
        if let Some((word, meanings)) = known {
            push_unknown(&mut unknown, found);
            found.push(Word { written: word.clone(), stem: word.clone(), meanings: meanings.clone() });
            rest = &rest[word.len()..];
            continue;
        }
        if let Some(word) = EMPTY_WORDS.iter().find(|word| rest.starts_with(**word)) {
            push_unknown(&mut unknown, found);
            rest = &rest[word.len()..];
            continue;
        }
        if EMPTY_CHINESE.contains(sign) {
            push_unknown(&mut unknown, found);
        } else {
            unknown.push(sign);
        }
        rest = &rest[sign.len_utf8()..];
    }
    push_unknown(&mut unknown, found);
}

fn push_unknown(unknown: &mut String, found: &mut Vec<Word>) {
    // A single sign is mostly a part of a word that is split wrongly.
    if unknown.chars().count() > 1 {
        found.push(Word { written: unknown.clone(), stem: unknown.clone(), meanings: Vec::new() });
    }
    unknown.clear();
}
