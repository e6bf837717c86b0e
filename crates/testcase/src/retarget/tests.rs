use serde_json::json;

use super::*;

const KEYS: [&str; 7] = ["text", "id", "role", "index", "selector", "within", "exact"];

/// Changes the action that begins where `§` stands.
fn changed(text: &str, pointer: &str, target: Value) -> Result<String, Unchanged> {
    let at = text.find('§').expect("a mark");
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |line| line.trim_start_matches('\u{feff}').chars().count()) + 1;
    let text = text.replace('§', "");
    let number = |value: usize| u32::try_from(value).expect("a small number");
    let (path, action) = action_at(&text, number(line), number(column)).expect("an action");
    assert_eq!(action_of(&text, &path), Some(action));
    let Value::Object(target) = target else { panic!("a target is a map") };
    let is_key = |key: &str| KEYS.contains(&key);
    retarget(&text, &path, TargetAt { pointer, bare: "text", is_key: &is_key }, &target)
}

#[test]
fn only_the_target_changes() {
    let id = json!({"id": "go"});
    let text = json!({"text": "Sign in"});
    for (before, pointer, target, after) in [
        (
            "- §tap_element: Sgin in   # why\r\n- home:\r\n",
            "/params",
            &text,
            "- tap_element: Sign in   # why\r\n- home:\r\n",
        ),
        ("\u{feff}- §tap_element: Sgin in\n", "/params", &text, "\u{feff}- tap_element: Sign in\n"),
        ("- §tap_element: 'Sgin in'\n", "/params", &text, "- tap_element: 'Sign in'\n"),
        ("- §tap_element: \"登录\" # 中\n", "/params", &text, "- tap_element: \"Sign in\" # 中\n"),
        ("- §tap_element: Sgin in\n", "/params", &id, "- tap_element: {id: go}\n"),
        ("[{§tap_element: Sgin in}, home: ]", "/params", &id, "[{tap_element: {id: go}}, home: ]"),
        ("- §input: {text: a, into: Usr}\n", "/params/into", &id, "- input: {text: a, into: {id: go}}\n"),
        ("- §input: [a, Usr]\n", "/params/1", &text, "- input: [a, Sign in]\n"),
        (
            "- §tap_element: {timeout: 3, text: Sgin in}\n",
            "/params",
            &text,
            "- tap_element: {timeout: 3, text: Sign in}\n",
        ),
        (
            "- §tap_element: {text: Sgin in, index: 1, timeout: 3}\n",
            "/params",
            &id,
            "- tap_element: {id: go, timeout: 3}\n",
        ),
        (
            "- §tap_element: {text: Sgin in, timeout: 3, index: 1}\n",
            "/params",
            &id,
            "- tap_element: {id: go, timeout: 3}\n",
        ),
        (
            "- §tap_element:\n    text: Sgin in  # a\n    timeout: 3\n    index: 1\n- home:\n",
            "/params",
            &id,
            "- tap_element:\n    id: go  # a\n    timeout: 3\n- home:\n",
        ),
        (
            "- android:\n    actions:\n    - §method: tap_ocr\n      params: Sgin in\n      index: -1\n",
            "/params",
            &text,
            "- android:\n    actions:\n    - method: tap_ocr\n      params: Sign in\n      index: -1\n",
        ),
        (
            "{\"teststeps\": [{\"android\": {\"actions\": [\n §{\"method\": \"tap_element\", \"params\": \"Sgin\"}]}}]}",
            "/params",
            &id,
            "{\"teststeps\": [{\"android\": {\"actions\": [\n {\"method\": \"tap_element\", \"params\": {\"id\":\"go\"}}]}}]}",
        ),
        ("- §tap_element: &a Sgin in\n- home:\n", "/params", &text, "- tap_element: &a Sign in\n- home:\n"),
    ] {
        assert_eq!(changed(before, pointer, target.clone()).as_deref(), Ok(after), "{before}");
    }
    let both = json!({"role": "button", "text": "Sign in"});
    let after = changed("- §tap_element: {text: Sgin in}\n", "/params", both.clone());
    assert_eq!(after.as_deref(), Ok("- tap_element: {text: Sign in, role: button}\n"));
    let after = changed("- §tap_element:\r\n    text: Sgin in\r\n", "/params", both);
    assert_eq!(after.as_deref(), Ok("- tap_element:\r\n    text: Sign in\r\n    role: button\r\n"));
}

#[test]
fn what_cannot_be_changed_alone_is_refused() {
    let text = json!({"text": "Sign in"});
    for (before, pointer, why) in [
        ("- §tap_element: &a Sgin in\n- tap_element: *a\n", "/params", Unchanged::Shared),
        ("- §tap_element: |\n    Sgin\n    in\n", "/params", Unchanged::SeveralLines),
        ("- §tap_element: \"Sgin\n    in\"\n", "/params", Unchanged::SeveralLines),
        ("- §tap_element: [a]\n", "/params", Unchanged::Elsewhere),
        ("- §tap_element: {id: a}\n", "/params/into", Unchanged::Gone),
        ("- §tap_element: {id: a,\n    within: {id: b}}\n", "/params", Unchanged::Nested),
    ] {
        assert_eq!(changed(before, pointer, text.clone()), Err(why), "{before}");
    }
}

#[test]
fn an_action_is_where_it_begins() {
    let text = "teststeps:\n- name: a\n  tap_element: b\n- android: {method: home, index: 1}\n";
    let at = |line, column| action_at(text, line, column).map(|(_, action)| action.method);
    assert_eq!(at(3, 3).as_deref(), Some("tap_element"));
    assert_eq!(at(4, 12).as_deref(), Some("home"));
    assert_eq!((at(3, 4), at(9, 1)), (None, None));
    let checks = "teststeps:\n- validate:\n  - {check: ui_ocr, assert: exists, expect: a}\n  - assert_visible: check\n";
    assert!(is_check_at(checks, 3, 5) && !is_check_at(checks, 4, 5) && !is_check_at(checks, 1, 1));
}
