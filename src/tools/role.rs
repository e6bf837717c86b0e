//! The words that people use for what an element is → the roles that drivers give.

use super::arguments::nearest;
use crate::driver::element::ROLES;

/// Other words for a role.
const SYNONYMS: &[(&str, &str)] = &[
    ("textbox", "textfield"),
    ("edittext", "textfield"),
    ("input", "textfield"),
    ("field", "textfield"),
    ("label", "text"),
    ("statictext", "text"),
    ("img", "image"),
    ("picture", "image"),
    ("icon", "image"),
    ("dropdown", "combobox"),
    ("select", "combobox"),
    ("spinner", "combobox"),
    ("toggle", "switch"),
    ("title", "heading"),
];

/// Returns the role that a word means; a word that means none is an error, since nothing would ever have that role.
pub(super) fn of(word: &str) -> Result<&'static str, String> {
    let lower = word.to_ascii_lowercase();
    let meant = SYNONYMS.iter().find(|(synonym, _)| *synonym == lower).map_or(lower.as_str(), |(_, role)| role);
    ROLES.iter().find(|role| **role == meant).copied().ok_or_else(|| {
        let known = ROLES.iter().copied().chain(SYNONYMS.iter().map(|(synonym, _)| *synonym));
        let hint = nearest(&lower, known).map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
        format!("unknown role `{word}`{hint}; valid: {}", ROLES.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_mean_roles_or_are_refused() {
        assert_eq!(of("EditText"), Ok("textfield"));
        assert_eq!(of("button"), Ok("button"));
        assert!(of("buton").is_err_and(|message| message.contains("did you mean `button`")));
        assert!(of("").is_err());
        assert!(SYNONYMS.iter().all(|(synonym, role)| ROLES.contains(role) && !ROLES.contains(synonym)));
    }
}
