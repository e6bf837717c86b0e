//! Two names → how much they are alike, from 0 to 1, and in what. Knows nothing of elements.
//!
//! What a person would take for another thing is not alike, however few letters differ: `Item 1` and `Item 2`, `Sign in` and
//! `Sign up`, `Edit` and `Exit`.

use crate::description::{atoms, bare, is_generic, tokens};

/// Shorter words are only alike where they hold the same letters, or one more: another letter makes another word of them.
const SHORT_WORD: usize = 5;
/// How much two words must be alike at least to count as one.
const WORD: f64 = 0.7;
/// The letters of one word in another order.
const SHUFFLED: f64 = 0.85;
/// Longest name that is compared, in bytes.
const LONGEST: usize = 200;

/// How much something is alike, and in what.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Likeness {
    pub(super) score: f64,
    pub(super) why: String,
}

impl Likeness {
    fn new(score: f64, why: impl Into<String>) -> Self {
        Self { score, why: why.into() }
    }

    /// Returns the same with less weight.
    pub(super) fn times(self, factor: f64) -> Self {
        Self { score: self.score * factor, ..self }
    }
}

/// Compares two texts of a screen.
pub(super) fn of_texts(wanted: &str, text: &str) -> Option<Likeness> {
    if !is_comparable(wanted) || !is_comparable(text) {
        return None;
    }
    let (ours, theirs) = (bare(wanted), bare(text));
    if ours.is_empty() || theirs.is_empty() || numbers_differ(wanted, text) {
        return None;
    }
    if ours == theirs {
        return Some(Likeness::new(0.97, "same text but for case, spaces or signs"));
    }
    let meanings = (tokens(wanted), tokens(text));
    if meanings.0 == meanings.1 {
        return Some(Likeness::new(0.9, "same meaning"));
    }
    let (our_words, their_words) = (atoms(wanted), atoms(text));
    let words = of_words(&our_words, &their_words).max(of_words(&meanings.0, &meanings.1));
    // A space too much or too few moves the borders of words, not the letters; another letter makes another word.
    let is_one_more =
        ours.chars().count() != theirs.chars().count() && ours.chars().count().min(theirs.chars().count()) > SHORT_WORD;
    let is_by_letters =
        words_of(wanted) != words_of(text) || (is_one_more && strsim::damerau_levenshtein(&ours, &theirs) == 1);
    let letters = if is_by_letters { of_letters(&ours, &theirs) } else { 0.0 };
    let score = words.max(letters);
    let why = match () {
        () if score < 0.995 && letters < words && holds(&their_words, &our_words) => {
            "text has the same words and more".to_owned()
        }
        () if score < 0.995 && letters < words && holds(&our_words, &their_words) => {
            "text has some of the words".to_owned()
        }
        () => format!("text {:.0} % alike", (score * 100.0).round()),
    };
    Some(Likeness::new(score, why))
}

/// Compares two ids.
pub(super) fn of_ids(wanted: &str, id: &str) -> Option<Likeness> {
    if !is_comparable(wanted) || !is_comparable(id) || numbers_differ(wanted, id) {
        return None;
    }
    if bare(wanted) == bare(id) {
        return Some(Likeness::new(0.97, "same id but for its spelling"));
    }
    let sorted = |name: &str| {
        let mut words = told(tokens(name));
        words.sort();
        words
    };
    let (ours, theirs) = (sorted(wanted), sorted(id));
    if ours == theirs {
        return Some(Likeness::new(0.93, "same id's words"));
    }
    let score = of_words(&ours, &theirs).max(of_words(&told(atoms(wanted)), &told(atoms(id))));
    Some(Likeness::new(score, format!("id {:.0} % alike", (score * 100.0).round())))
}

/// Compares a text with an id, which may say the same: `Log in` and `login_button`.
pub(super) fn of_text_and_id(text: &str, id: &str) -> Option<Likeness> {
    if !is_comparable(text) || !is_comparable(id) || numbers_differ(text, id) {
        return None;
    }
    let (words, id) = (tokens(text), tokens(id));
    let is_same = |id: &[String]| words == id || words.concat() == id.concat();
    (!words.is_empty() && (is_same(&id) || is_same(&told(id.clone()))))
        .then(|| Likeness::new(0.8, "id and text say the same"))
}

fn is_comparable(name: &str) -> bool {
    !name.trim().is_empty() && name.len() <= LONGEST
}

/// Keeps the words of an id that tell it from others: `login` of `btnLogin`.
fn told(mut words: Vec<String>) -> Vec<String> {
    if words.iter().any(|word| !is_generic(word)) {
        words.retain(|word| !is_generic(word));
    }
    words
}

fn words_of(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Tells whether two names hold different numbers, which stand for different things.
fn numbers_differ(one: &str, other: &str) -> bool {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let (one, other) = (digits(one), digits(other));
    !one.is_empty() && one != other
}

/// Tells whether words hold all the others, and more.
fn holds(words: &[String], others: &[String]) -> bool {
    words.len() > others.len() && others.iter().all(|other| words.contains(other))
}

/// Returns the share of words that both have, each as far as it is alike; an order of their own costs nothing.
fn of_words(ours: &[String], theirs: &[String]) -> f64 {
    let mut left: Vec<&String> = theirs.iter().collect();
    let mut common = 0.0;
    for word in ours {
        let scored = left.iter().enumerate().map(|(at, other)| (at, of_word(word, other)));
        let Some((at, score)) = scored.max_by(|(_, a), (_, b)| a.total_cmp(b)).filter(|(_, score)| *score > 0.0) else {
            continue;
        };
        common += score;
        left.swap_remove(at);
    }
    ratio(2.0 * common, ours.len() + theirs.len())
}

fn of_word(one: &str, other: &str) -> f64 {
    if one == other {
        return 1.0;
    }
    let length = one.chars().count().min(other.chars().count());
    let score = strsim::normalized_damerau_levenshtein(one, other);
    match length {
        0..3 => 0.0,
        _ if is_shuffled(one, other) => score.max(SHUFFLED),
        3..SHORT_WORD if is_plural(one, other) => SHUFFLED,
        4 if one.chars().count() != other.chars().count() && strsim::damerau_levenshtein(one, other) == 1 => score,
        3..SHORT_WORD => 0.0,
        _ if score >= WORD => score,
        _ => 0.0,
    }
}

fn is_plural(one: &str, other: &str) -> bool {
    let is = |one: &str, other: &str| one.strip_suffix('s') == Some(other);
    is(one, other) || is(other, one)
}

/// Tells whether two words consist of the same letters and begin or end with the same one.
fn is_shuffled(one: &str, other: &str) -> bool {
    let letters = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    let ends = |word: &str| (word.chars().next(), word.chars().next_back());
    let (ours, theirs) = (ends(one), ends(other));
    (ours.0 == theirs.0 || ours.1 == theirs.1) && letters(one) == letters(other)
}

/// Compares letters alone; only what is nearly the same counts.
fn of_letters(one: &str, other: &str) -> f64 {
    let score = strsim::normalized_damerau_levenshtein(one, other);
    if score >= 0.8 { score } else { 0.0 }
}

#[expect(clippy::cast_precision_loss, reason = "counts of words")]
fn ratio(part: f64, whole: usize) -> f64 {
    part / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::super::LEAST;
    use super::*;

    fn score(found: Option<Likeness>) -> f64 {
        found.map_or(0.0, |found| found.score)
    }

    #[test]
    fn texts_are_alike_as_people_take_them_for_alike() {
        for (wanted, text) in [
            ("Sgin in", "Sign in"),
            ("Sign In", "sign in"),
            ("Login", "Log in"),
            ("Crat", "Cart"),
            ("Cart", "Carts"),
            ("Checkuot", "Checkout"),
            ("Add to cart", "Add to basket"),
            ("Add to cart", "Add to cart (2)"),
            ("Coffe beans", "Coffee beans"),
            ("登录", "Sign in"),
            ("加入购物车", "添加到购物车"),
            ("View cart", "View the cart"),
            ("Sign inn", "Sign in"),
        ] {
            let found = score(of_texts(wanted, text));
            assert!(found >= LEAST, "{wanted} and {text}: {found}");
        }
        for (wanted, text) in [
            ("Sign in", "Sign up"),
            ("Log in", "Log out"),
            ("Item 1", "Item 2"),
            ("¥99.60", "¥99.50"),
            ("Edit", "Exit"),
            ("Save", "Same"),
            ("OK", "On"),
            ("Remove Milk", "Remove Silk"),
            ("Enable", "Disable"),
            ("Open", "Close"),
            ("登录", "退出"),
            ("", "Save"),
            ("Thank you", "Shop"),
            ("Delete", "Select"),
        ] {
            let found = score(of_texts(wanted, text));
            assert!(found < LEAST, "{wanted} and {text}: {found}");
        }
    }

    #[test]
    fn ids_are_alike_by_their_words() {
        for (wanted, id, least) in [
            ("btn_login", "loginButton", 0.9),
            ("userName", "user_name", 0.95),
            ("user_nmae", "user_name", LEAST),
            ("cart_total", "total", LEAST),
        ] {
            let found = score(of_ids(wanted, id));
            assert!(found >= least, "{wanted} and {id}: {found}");
        }
        for (wanted, id) in [("user_name", "password"), ("row_1", "row_2"), ("btn_ok", "btn_cancel"), ("login", "logo")]
        {
            let found = score(of_ids(wanted, id));
            assert!(found < LEAST, "{wanted} and {id}: {found}");
        }
    }

    #[test]
    fn a_text_and_an_id_may_say_the_same() {
        assert!(of_text_and_id("Log in", "btn_login").is_some());
        assert!(of_text_and_id("View cart", "view_cart").is_some());
        assert!(of_text_and_id("View cart", "cart").is_none());
    }
}
