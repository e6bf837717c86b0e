use serde_json::json;

use super::*;

fn answer(elements: &Value) -> Value {
    json!({"v": 1, "w": 1280, "h": 800, "url": "http://localhost/form.html", "title": "Form", "doc": 7, "e": elements, "s": []})
}

fn roots(elements: &Value) -> Vec<Element> {
    screen(&answer(elements), &[]).expect("an answer").roots
}

#[test]
fn elements_lie_in_each_other_as_deep_as_they_say() {
    let roots = roots(&json!([
        [0, 1, "html", "group", 0, 0, 1280, 800, 256],
        [1, 2, "form", "form", 10, 10, 300, 200, 0],
        [2, 3, "input", "textfield", 20, 20, 100, 30, 14, "Ann", {"l": "Name", "h": "Your name", "i": "name", "t": "n"}],
        [1, 4, "button", "button", 10, 300, 80, 20, 1026, "Save"],
    ]));
    let [root] = &roots[..] else { panic!("{roots:?}") };
    assert!(root.scrollable && root.children.len() == 2);
    let field = &root.children[0].children[0];
    assert_eq!((field.role, field.class.as_str(), field.name()), ("textfield", "input", "Ann"));
    assert_eq!((field.label.as_str(), field.hint.as_str(), field.id.as_str()), ("Name", "Your name", "name"));
    assert_eq!(field.rect, Rect { left: 20, top: 20, right: 120, bottom: 50 });
    assert!(field.clickable && field.focusable && field.focused && field.enabled && !field.checked);
    assert_eq!(field.told.as_ref().map(|told| told.test_id.as_str()), Some("n"));
    let save = &root.children[1];
    assert_eq!(
        (save.index, save.key(), save.told.as_ref().and_then(|told| told.still)),
        (1, Some(7 << 32 | 4), Some(true))
    );
}

#[test]
fn what_covers_and_what_moves_is_told() {
    let roots = roots(&json!([
        [0, 1, "button", "button", 0, 0, 10, 10, 514, "Runs"],
        [0, 2, "button", "button", 0, 0, 10, 10, 1027, "Under", {"c": "div#veil"}],
        [0, 3, "label", "text", 0, 0, 10, 10, 1024, "Beside", {"a": [3, 9], "p": 2}],
    ]));
    let told = |at: usize| roots[at].told.as_deref().expect("told");
    assert_eq!((told(0).still, &told(0).reach), (Some(false), &Reach::Middle));
    assert_eq!((roots[1].enabled, &told(1).reach), (false, &Reach::Covered("div#veil".to_owned())));
    assert_eq!((&told(2).reach, told(2).part_of), (&Reach::At(Point { x: 3.0, y: 9.0 }), roots[1].key()));
}

#[test]
fn selectors_keep_their_answers_and_errors() {
    let mut whole = answer(&json!([[0, 1, "p", "text", 0, 0, 9, 9, 0, "a"]]));
    whole["s"] = json!([[1, 5], "'[[' is not a valid selector"]);
    whole["cut"] = json!(1);
    let selectors = ["p".to_owned(), "[[".to_owned(), "b".to_owned()];
    let screen = screen(&Value::String(whole.to_string()), &selectors).expect("an answer");
    assert!(screen.cut);
    assert_eq!(screen.selected[0].found, Ok(vec![7 << 32 | 1, 7 << 32 | 5]));
    assert!(screen.selected[1].found.as_ref().is_err_and(|error| error.contains("not a valid")));
    assert!(screen.selected[2].found.is_err(), "what was not answered is not taken for nothing found");
}

#[test]
fn what_no_script_writes_is_refused() {
    for wrong in
        [json!(null), json!(""), json!("{"), json!("\"x\""), json!({}), json!({"v": 2}), json!({"v": 1, "e": 1})]
    {
        assert!(screen(&wrong, &[]).is_err(), "{wrong}");
    }
    for wrong in [
        json!([1]),
        json!([[]]),
        json!([[0, 1, "p", "text", 0, 0, "9", 9, 0]]),
        json!([[0, 1, "p", "text", 0, 0, 1e12, 9, 0]]),
    ] {
        assert!(screen(&answer(&wrong), &[]).is_err(), "{wrong}");
    }
    let far = json!([[0, 1, "p", "news", 2_147_483_647, 0, 9, 9, 0]]);
    assert_eq!(roots(&far)[0].role, "group", "an unknown role is none");
    let deep: Vec<Value> = (0..5_000).map(|depth| json!([depth, depth, "p", "text", 0, 0, 1, 1, 0])).collect();
    let mut longest = 0;
    let mut inner = roots(&json!(deep));
    while let Some(next) = inner.pop() {
        inner = next.children;
        longest += 1;
    }
    assert!(longest <= DEEPEST + 1, "{longest}");
}
