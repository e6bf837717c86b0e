//! Names that are known and in no table, held to the table of all tools.

use uixt_call::unsupported::{FOREIGN, GONE, foreign, known};

#[test]
fn what_is_in_the_table_is_not_gone() {
    for (name, _) in GONE {
        assert!(crate::groups::find(name).is_none(), "{name} is in the table and still called gone");
    }
}

#[test]
fn words_of_others_lead_to_tools_of_the_table() {
    for (word, instead) in FOREIGN {
        assert!(crate::groups::find(word).is_none(), "{word} is in the table and still called foreign");
        let named = instead.split('`').skip(1).step_by(2).map(|code| code.split(':').next().unwrap_or(code));
        let wrong: Vec<&str> =
            named.filter(|name| !name.starts_with('{') && crate::groups::find(name).is_none()).collect();
        assert!(wrong.is_empty() || wrong == ["testcase"], "{word}: {wrong:?}");
    }
    for spelling in ["tapOn", "tap_on", "uixt__tapOn", "page.click", "mobile: click", "driver.click", "page_click"] {
        assert_eq!(foreign(spelling), Some("`tap`"), "{spelling}");
    }
    assert_eq!((foreign("x_click_y"), foreign("")), (None, None));
}

#[test]
fn names_are_known_by_every_spelling() {
    for spelling in ["ai_action", "uixt__ai_action", "AiAction", "AI_ACTION"] {
        assert_eq!(known(crate::groups::table(), spelling), Some("ai_action"), "{spelling}");
    }
    assert_eq!(
        (
            known(crate::groups::table(), "uixt__tap_xy"),
            known(crate::groups::table(), "TapXY"),
            known(crate::groups::table(), "nope")
        ),
        (Some("tap_xy"), Some("tap_xy"), None)
    );
}
