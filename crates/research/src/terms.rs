//! A text → what it is found by: its words in small letters, the parts of names as code writes them, and pairs of Chinese signs.

use std::collections::HashSet;

/// Words that stand in any text.
const EMPTY: &str = " a an the and or of to in on at for by with from is are was were be been it its this that these those i we you he she \
    they my our your as if then than do does did can could will would should what which when where who why how there here not no ";

/// Most bytes of a term; what is longer is no word that anybody looks for.
const LONGEST: usize = 64;

pub(crate) fn is_ideograph(sign: char) -> bool {
    matches!(sign, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}')
}

/// Shows each term of a text, in its order.
pub(crate) fn each(text: &str, show: &mut dyn FnMut(&str)) {
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        let fits: fn(char) -> bool = match sign {
            sign if is_ideograph(sign) => is_ideograph,
            sign if sign.is_alphanumeric() => |sign| (sign.is_alphanumeric() || sign == '_') && !is_ideograph(sign),
            _ => |sign| !sign.is_alphanumeric(),
        };
        let end = rest.find(|sign| !fits(sign)).unwrap_or(rest.len());
        let run = &rest[..end];
        match sign {
            sign if is_ideograph(sign) => pairs(run, show),
            sign if sign.is_alphanumeric() => words(run, show),
            _ => {}
        }
        rest = &rest[end..];
    }
}

/// Shows each pair of neighbours; a sign alone is a term of its own.
fn pairs(run: &str, show: &mut dyn FnMut(&str)) {
    let starts: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
    match starts.windows(3).len() {
        0 => show(run),
        _ => starts.windows(3).for_each(|at| show(&run[at[0]..at[2]])),
    }
}

/// Shows a word, and its parts where it is a name that is put together: `retryCount`, `retry_count`.
fn words(run: &str, show: &mut dyn FnMut(&str)) {
    if run.len() > LONGEST {
        return;
    }
    let lower = run.to_lowercase();
    show(&lower);
    let mut start = 0;
    let mut was_lower = false;
    let mut parts = Vec::new();
    for (at, sign) in run.char_indices() {
        if sign == '_' || (was_lower && sign.is_uppercase()) {
            parts.push(&run[start..at]);
            start = at + usize::from(sign == '_');
        }
        was_lower = sign.is_lowercase() || sign.is_ascii_digit();
    }
    if start > 0 {
        parts.push(&run[start..]);
        parts.iter().filter(|part| part.len() > 1).for_each(|part| show(&part.to_lowercase()));
    }
}

/// Returns a text's terms as the index takes them: one behind the other.
pub(crate) fn joined(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    each(text, &mut |term| {
        joined.push_str(term);
        joined.push(' ');
    });
    joined
}

/// Returns the terms that a question is found by, each once; words that say nothing are left out unless there are no others.
pub(crate) fn of_question(question: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut seen = HashSet::new();
    each(question, &mut |term| {
        if seen.insert(term.to_owned()) {
            all.push(term.to_owned());
        }
    });
    let says = |term: &String| !EMPTY.contains(&format!(" {term} "));
    match all.iter().any(says) {
        true => all.into_iter().filter(says).collect(),
        false => all,
    }
}

/// Tells how much of a question a text knows, from 0 to 1. Endings of words do not count.
pub(crate) fn share(question: &[String], text: &str) -> f64 {
    let mut known = vec![false; question.len()];
    each(text, &mut |term| {
        let of = question.iter().zip(&mut known).filter(|(asked, is_known)| !**is_known && alike(asked, term));
        of.for_each(|(_, is_known)| *is_known = true);
    });
    let count = |number: usize| u32::try_from(number).map_or(f64::MAX, f64::from);
    count(known.iter().filter(|is_known| **is_known).count()) / count(question.len().max(1))
}

/// Tells whether two words differ in their endings at most.
fn alike(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let common = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    one.is_ascii() && common >= 4 && common + 3 >= one.len().max(other.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_names_and_pairs_of_signs_are_terms() {
        assert_eq!(
            joined("The retryCount of 登录失败 is 3, ok_ay!").trim(),
            "the retrycount retry count of 登录 录失 失败 is 3 ok_ay ok ay"
        );
        assert_eq!(of_question("What is the 机器 of it?"), ["机器"]);
        assert_eq!(of_question("who is it"), ["who", "is", "it"]);
        assert!(share(&of_question("failing payments"), "The payment failed.") > 0.9);
        assert!(share(&of_question("quantum gravity"), "The payment failed.") < 0.1);
    }
}
