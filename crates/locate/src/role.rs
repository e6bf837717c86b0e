//! The words that people use for what an element is → the roles that drivers give.

use crate::driver::element::ROLES;
use uixt_schema::nearest;

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

/// Roles of ARIA that are no word of their own here, and what elements of them count as.
const COARSER: &[(&str, &str)] = &[
    ("searchbox", "textfield"),
    ("spinbutton", "textfield"),
    ("listbox", "list"),
    ("tree", "list"),
    ("grid", "table"),
    ("treegrid", "table"),
    ("treeitem", "listitem"),
    ("gridcell", "cell"),
    ("columnheader", "cell"),
    ("rowheader", "cell"),
    ("menubar", "menu"),
    ("menuitemcheckbox", "menuitem"),
    ("menuitemradio", "menuitem"),
    ("alertdialog", "dialog"),
    ("progressbar", "progress"),
    ("meter", "progress"),
    ("scrollbar", "slider"),
    ("search", "form"),
    ("paragraph", "text"),
    ("region", "group"),
    ("main", "group"),
    ("banner", "group"),
    ("article", "group"),
    ("figure", "group"),
    ("toolbar", "group"),
    ("tablist", "group"),
    ("tabpanel", "group"),
    ("radiogroup", "group"),
];

/// Returns the role that a word means; a word that means none is an error, since nothing would ever have that role.
pub(super) fn of(word: &str) -> Result<&'static str, String> {
    let lower = word.to_ascii_lowercase();
    let meant = SYNONYMS.iter().find(|(synonym, _)| *synonym == lower).map_or(lower.as_str(), |(_, role)| role);
    ROLES.iter().find(|role| **role == meant).copied().ok_or_else(|| {
        if let Some((_, role)) = COARSER.iter().find(|(fine, _)| *fine == lower) {
            return format!(
                "unknown role `{word}`: here such elements have the role `{role}`; `selector` tells them apart on pages"
            );
        }
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
        assert!(of("gridcell").is_err_and(|message| message.contains("have the role `cell`")));
        assert!(COARSER.iter().all(|(fine, role)| ROLES.contains(role) && of(fine).is_err()));
        let pages = include_str!("../../browser/src/page/naming.js");
        for (fine, role) in COARSER {
            assert!(pages.contains(&format!(" {fine}: \"{role}\",")), "pages tell {fine} by another role than {role}");
        }
        assert!(SYNONYMS.iter().all(|(synonym, role)| ROLES.contains(role) && !ROLES.contains(synonym)));
    }
}
