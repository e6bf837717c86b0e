//! Texts, counted in tokens of models.

use uixt_locate::snapshot::tokens;

/// Returns as much of a text's beginning as there is room for in tokens, and what to say of the rest, if any.
pub fn beginning(text: &str, most: usize) -> Option<(String, String)> {
    if tokens(text) <= most {
        return None;
    }
    let mut quarters = 0;
    let fits = |sign: &char| {
        quarters += if sign.is_ascii() { 1 } else { 4 };
        quarters <= most * 4
    };
    let begun: String = text.chars().take_while(fits).collect();
    let (shown, all) = (begun.chars().count(), text.chars().count());
    Some((begun, format!("the first {shown} of {all} characters")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_counted_by_script() {
        assert_eq!([tokens(""), tokens("abcd"), tokens("abcde"), tokens("登录"), tokens("ab登")], [0, 1, 2, 2, 2]);
        assert_eq!(beginning("abcdefgh", 2), None);
        let cut = beginning("登abcdefgh", 2).expect("it is cut");
        assert_eq!(cut, ("登abcd".to_owned(), "the first 5 of 9 characters".to_owned()));
    }
}
