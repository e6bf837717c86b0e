//! A description → the ways in which it may be meant, the most literal first. Knows words and nothing of screens.

use super::tokens::is_chinese;
use super::words::{BESIDE, BESIDE_ZH, DIGITS_ZH, LINKS, ORDINALS, PLACES_ZH, SIDES, SORTS, Side, Sort};
use super::words::{TYPES, TYPES_INTO, TYPES_ZH, VERBS};

/// What is looked for: a sort of thing, its name, and which of several.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Phrase {
    pub sort: Sort,
    /// In small letters; empty where only the sort is told.
    pub name: String,
    /// From 0; -1 is the last.
    pub ordinal: Option<i32>,
    pub sides: Vec<Side>,
}

/// A way to read a description.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reading {
    /// All of it is a name.
    Literal(Phrase),
    /// A sort and a name, with no word left out.
    Named(Phrase),
    Full(Phrase),
    /// The one that is nearest to a neighbour, which is described too.
    Beside(Phrase, String),
    /// Inside of one of several things that are alike.
    InItem(Phrase, Phrase),
}

/// Returns the ways to read a description, in the order in which they are tried.
pub(super) fn readings(description: &str) -> Vec<Reading> {
    let text = tidy(description);
    let text = text.as_str();
    let mut readings = vec![Reading::Literal(named(Sort::Anything, text))];
    let text = where_typed(description).map_or_else(|| without_verb(text).to_owned(), |place| tidy(&place));
    let text = text.as_str();
    let literal = without_article(text);
    if let Some((sort, name)) = take_sort(literal) {
        readings.push(Reading::Named(named(sort, name)));
    }
    readings.extend(in_item(literal));
    readings.extend(beside(literal));
    let full = full(literal);
    if full.ordinal.is_some() || !full.sides.is_empty() || full.sort != Sort::Anything {
        readings.push(Reading::Full(full));
    }
    readings.push(Reading::Full(named(Sort::Anything, literal)));
    readings.extend(possessed(literal));
    readings
}

/// Returns the place that a command types into: `type "admin" into user name`, `在用户名字段输入 "admin"`.
fn where_typed(description: &str) -> Option<String> {
    let (before, rest) = description.trim().split_once(is_quote)?;
    let (_, after) = rest.split_once(is_quote)?;
    let (before, after) = (before.trim().to_lowercase(), after.trim().to_lowercase());
    let english = || {
        let verb = |verbs: &[&str]| verbs.contains(&before.as_str());
        let place = TYPES_INTO.iter().find_map(|link| after.strip_prefix(link)).filter(|_| verb(TYPES));
        let filled = || before.strip_prefix("fill ")?.trim_start_matches("in ").strip_suffix(" with");
        place.or_else(|| filled().filter(|_| is_end(&after))).map(str::to_owned)
    };
    let chinese = || {
        let place = TYPES_ZH.iter().find_map(|verb| before.strip_suffix(verb)).filter(|_| is_end(&after));
        let place = place.map(|place| place.trim_start_matches(['在', '向', '往', '给', '请']));
        let moved = || {
            let after = TYPES_ZH
                .iter()
                .find_map(|verb| after.strip_prefix(verb))
                .filter(|_| ["把", "将"].contains(&before.as_str()))?;
            Some(after.trim_start_matches(['到', '进', '至', '在']))
        };
        let place = place.or_else(moved)?.trim();
        Some(PLACES_ZH.iter().find_map(|end| place.strip_suffix(end)).unwrap_or(place).to_owned())
    };
    english().or_else(chinese).filter(|place| !place.is_empty())
}

/// Tells whether nothing but the end of a sentence is left.
fn is_end(text: &str) -> bool {
    text.chars().all(|c| !c.is_alphanumeric())
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '“' | '”' | '‘' | '’' | '「' | '」' | '《' | '》')
}

fn named(sort: Sort, name: &str) -> Phrase {
    Phrase { sort, name: name.to_owned(), ordinal: None, sides: Vec::new() }
}

/// Folds case and spaces, and takes out quotes and what ends a sentence.
fn tidy(text: &str) -> String {
    let kept: String = text.chars().map(|c| if is_quote(c) { ' ' } else { c }).collect();
    let words: Vec<&str> = kept.split_whitespace().collect();
    words.join(" ").trim_end_matches(['.', '。', '!', '！']).to_lowercase()
}

/// Takes a word off the front, where it ends there.
fn after<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(word)?;
    let ends = rest.is_empty() || rest.starts_with(' ') || rest.starts_with(is_chinese) || word.ends_with(is_chinese);
    ends.then(|| rest.trim_start())
}

/// Takes a word off the end, where it begins there.
fn before<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.strip_suffix(word)?;
    let begins = rest.is_empty() || rest.ends_with(' ') || rest.ends_with(is_chinese) || word.starts_with(is_chinese);
    begins.then(|| rest.trim_end())
}

fn without_verb(text: &str) -> &str {
    VERBS.iter().find_map(|verb| after(text, verb)).filter(|rest| !rest.is_empty()).unwrap_or(text)
}

fn without_article(text: &str) -> &str {
    let rest = ["the", "a", "an"].iter().find_map(|article| after(text, article)).unwrap_or(text);
    if rest.is_empty() { text } else { rest }
}

/// Splits the sort of thing off: `sign in button`, `登录按钮`, `field for the name`, `button save`.
fn take_sort(text: &str) -> Option<(Sort, &str)> {
    let last = SORTS.iter().filter_map(|(word, sort)| Some((word.len(), *sort, before(text, word)?)));
    if let Some((_, sort, name)) = last.max_by_key(|(length, ..)| *length) {
        return Some((sort, name.strip_suffix('的').unwrap_or(name)));
    }
    let first = SORTS.iter().filter(|(word, _)| word.is_ascii());
    let first = first.filter_map(|(word, sort)| Some((word.len(), *sort, after(text, word)?)));
    let (_, sort, rest) = first.max_by_key(|(length, ..)| *length)?;
    Some((sort, without_article(LINKS.iter().find_map(|link| after(rest, link)).unwrap_or(rest))))
}

/// Reads ordinals, sides and the sort off both ends until none is left.
fn full(text: &str) -> Phrase {
    let mut phrase = named(Sort::Anything, "");
    let mut rest = text;
    for _ in 0..4 {
        let length = rest.len();
        if let Some((ordinal, left)) = take_ordinal(rest).filter(|_| phrase.ordinal.is_none()) {
            (phrase.ordinal, rest) = (Some(ordinal), left);
        }
        if let Some((sides, left)) = take_sides(rest).filter(|_| phrase.sides.is_empty()) {
            (phrase.sides, rest) = (sides.to_vec(), left);
        }
        rest = without_article(rest.strip_prefix('的').unwrap_or(rest));
        if rest.len() == length {
            break;
        }
    }
    if let Some((sort, left)) = take_sort(rest) {
        (phrase.sort, rest) = (sort, left);
    }
    // `the last one`, `第二个` say nothing of what they count, and are taken for rows.
    if phrase.ordinal.is_some() && matches!(rest, "" | "one") && phrase.sort == Sort::Anything {
        (phrase.sort, rest) = (Sort::Item, "");
    }
    phrase.name = rest.to_owned();
    phrase
}

fn take_ordinal(text: &str) -> Option<(i32, &str)> {
    if let Some(found) = ORDINALS.iter().find_map(|(word, ordinal)| Some((*ordinal, after(text, word)?))) {
        return Some(found);
    }
    let last =
        ["最后一", "倒数第一", "最后", "末"].iter().find_map(|word| text.strip_prefix(word)).map(|rest| (-1, rest));
    let first = ["首"].iter().find_map(|word| text.strip_prefix(word)).map(|rest| (0, rest));
    let (ordinal, rest) = last.or_else(|| numbered(text)).or(first.filter(|(_, rest)| rest.starts_with('个')))?;
    let rest = ["个", "只", "件", "张", "位"].iter().find_map(|unit| rest.strip_prefix(unit)).unwrap_or(rest);
    Some((ordinal, rest.trim_start()))
}

/// Reads `第二` and `第 2`.
fn numbered(text: &str) -> Option<(i32, &str)> {
    let rest = text.strip_prefix('第')?.trim_start();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits > 0 {
        let number: i32 = rest[..digits].parse().ok().filter(|number| *number > 0)?;
        return Some((number - 1, rest[digits..].trim_start()));
    }
    let digit = rest.chars().next()?;
    let place = DIGITS_ZH.chars().position(|c| c == digit).or((digit == '两').then_some(1))?;
    Some((i32::try_from(place).ok()?, &rest[digit.len_utf8()..]))
}

fn take_sides(text: &str) -> Option<(&'static [Side], &str)> {
    SIDES.iter().find_map(|(word, sides)| Some((*sides, after(text, word).or_else(|| before(text, word))?)))
}

/// Reads `第二个商品的购买按钮` and `buy button of the second product`.
fn in_item(text: &str) -> Option<Reading> {
    let item =
        |part: &str| Some(full(without_article(part))).filter(|item| item.ordinal.is_some() && is_bare_item(item));
    let chinese = text.split_once('的').and_then(|(head, rest)| Some((item(head)?, rest)));
    let english = || {
        [" of the ", " in the ", " on the ", " for the "].iter().find_map(|link| {
            let (rest, tail) = text.split_once(link)?;
            Some((item(tail)?, rest))
        })
    };
    let (item, rest) = chinese.or_else(english)?;
    Some(Reading::InItem(full(without_article(rest)), item))
}

fn is_bare_item(phrase: &Phrase) -> bool {
    phrase.sort == Sort::Item && phrase.name.is_empty()
}

/// Reads `delete button next to milk`, `牛奶旁边的删除按钮` and `add button for milk`.
fn beside(text: &str) -> Option<Reading> {
    let neighbour = |thing: &str, neighbour: &str| {
        let thing = without_article(thing);
        (!thing.is_empty() && !neighbour.is_empty()).then(|| Reading::Beside(full(thing), neighbour.to_owned()))
    };
    let english = BESIDE.iter().find_map(|link| text.split_once(link)).and_then(|(thing, by)| neighbour(thing, by));
    let chinese =
        || BESIDE_ZH.iter().find_map(|link| text.split_once(link)).and_then(|(by, thing)| neighbour(thing, by));
    let of = || {
        let (thing, by) = [" for ", " of ", " in "].iter().find_map(|link| text.split_once(link))?;
        // `field for the name` names the field itself.
        take_sort(thing).filter(|(_, name)| !name.is_empty())?;
        neighbour(thing, without_article(by))
    };
    english.or_else(chinese).or_else(of)
}

/// Reads `牛奶的删除按钮`, where nothing else fits.
fn possessed(text: &str) -> Option<Reading> {
    let (owner, thing) = text.split_once('的')?;
    let fits = !owner.is_empty() && !thing.is_empty();
    fits.then(|| Reading::Beside(full(thing), owner.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last_full(text: &str) -> Phrase {
        full(without_article(&tidy(text)))
    }

    #[test]
    fn descriptions_fall_into_their_parts() {
        for (text, sort, name, ordinal) in [
            ("the Sign in button", Sort::Button, "sign in", None),
            ("用户名输入框", Sort::Field, "用户名", None),
            ("第二个商品", Sort::Item, "", Some(1)),
            ("第 3 行", Sort::Item, "", Some(2)),
            ("最后一个选项", Sort::Item, "", Some(-1)),
            ("second Add button", Sort::Button, "add", Some(1)),
            ("field labelled “Name”", Sort::Field, "name", None),
            ("checkbox", Sort::Checkbox, "", None),
            ("Wi-Fi的开关", Sort::Switch, "wi-fi", None),
            ("Display", Sort::Anything, "display", None),
            ("the last one", Sort::Item, "", Some(-1)),
        ] {
            let phrase = last_full(text);
            assert_eq!((phrase.sort, phrase.name.as_str(), phrase.ordinal), (sort, name, ordinal), "{text}");
        }
        assert_eq!(last_full("右上角的图标").sides, [Side::Top, Side::Right]);
        assert_eq!(last_full("the icon at the bottom right").sides, [Side::Bottom, Side::Right]);
    }

    #[test]
    fn what_is_typed_is_no_part_of_the_place() {
        for (text, place) in [
            ("在用户名字段输入 \"admin\"", "用户名字段"),
            ("向搜索框中填入“手机”。", "搜索框"),
            ("将 'admin' 输入到用户名", "用户名"),
            ("type \"admin\" into user name", "user name"),
            ("Enter 'a b' in the Email field.", "the email field."),
            ("fill in the name with \"Ann\"", "the name"),
        ] {
            assert_eq!(where_typed(text).as_deref(), Some(place), "{text}");
        }
        for text in [
            "the \"Save\" button",
            "click \"Save\"",
            "输入框",
            "type a name",
            "the field labelled \"Type\" in red",
            "\"type\" into",
        ] {
            assert_eq!(where_typed(text), None, "{text}");
        }
        let is_field =
            |reading: &Reading| matches!(reading, Reading::Named(it) if it.sort == Sort::Field && it.name == "用户名");
        assert!(readings("在用户名字段输入 \"admin\"").iter().any(is_field));
    }

    #[test]
    fn neighbours_and_rows_are_told_from_names() {
        let has = |text: &str, test: fn(&Reading) -> bool| readings(text).iter().any(test);
        assert!(has(
            "牛奶旁边的删除按钮",
            |reading| matches!(reading, Reading::Beside(thing, by) if thing.name == "删除" && by == "牛奶")
        ));
        assert!(has(
            "Add button for Green tea",
            |reading| matches!(reading, Reading::Beside(_, by) if by == "green tea")
        ));
        assert!(!has("field for the name", |reading| matches!(reading, Reading::Beside(..))));
        assert!(has(
            "第二个商品的购买按钮",
            |reading| matches!(reading, Reading::InItem(thing, _) if thing.name == "购买")
        ));
    }
}
