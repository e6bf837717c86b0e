use serde_json::json;

use super::super::test_screens::{element, group, screen};
use super::*;

fn login() -> Screen {
    let field = |label: &str, id: &str, top| Element {
        label: label.to_owned(),
        id: id.to_owned(),
        ..element("textfield", "", top)
    };
    screen(vec![
        element("heading", "Welcome to the shop", 0),
        field("User name", "com.uixt.shop:id/user_name", 40),
        field("Password", "com.uixt.shop:id/password", 80),
        Element { id: "com.uixt.shop:id/btn_login".to_owned(), ..element("button", "Sign in", 120) },
        element("button", "Forgot password?", 160),
        element("text", "Item 2", 200),
    ])
}

fn suggested(target: Value, purpose: Purpose, screen: &Screen) -> Vec<(Value, f64, String)> {
    let target: Target = serde_json::from_value(target).expect("a target");
    assert!(pick(&target, purpose, screen, None).is_ok_and(|found| found.is_none()), "it is there");
    let of = of(&target, purpose, screen).into_iter();
    let part = |value: &Value, key: &str| value[key].clone();
    of.map(|one| {
        (part(&one, "target"), part(&one, "score").as_f64().unwrap_or_default(), part(&one, "why").to_string())
    })
    .collect()
}

#[test]
fn the_best_is_what_a_person_would_take() {
    let page = login();
    for (wanted, purpose, best) in [
        (json!({"text": "Sgin in"}), Purpose::Touch, json!("Sign in")),
        (json!({"text": "Log in"}), Purpose::Touch, json!("Sign in")),
        (json!({"text": "登录"}), Purpose::Touch, json!("Sign in")),
        (json!({"text": "SIGN-IN", "exact": true}), Purpose::Touch, json!({"text": "Sign in", "exact": true})),
        (json!({"role": "button", "text": "Sgin in"}), Purpose::Touch, json!({"role": "button", "text": "Sign in"})),
        (json!({"role": "link", "text": "Sgin in"}), Purpose::Touch, json!({"id": "btn_login"})),
        (json!({"id": "loginButton"}), Purpose::Touch, json!({"id": "btn_login"})),
        (json!({"selector": "#login_button"}), Purpose::Touch, json!({"id": "btn_login"})),
        (json!({"selector": "//android.widget.Button[@text='Sgin in']"}), Purpose::Touch, json!({"id": "btn_login"})),
        (json!({"text": "Usre name"}), Purpose::Type, json!("User name")),
        (json!({"id": "username"}), Purpose::Type, json!({"id": "user_name"})),
        (json!({"text": "Welcome to shop"}), Purpose::Look, json!("Welcome to the shop")),
        (json!({"text": "Sign  in.*now", "regex": true}), Purpose::Touch, json!({"text": "Sign in", "regex": true})),
        (json!({"text": "Sgin in", "index": 4}), Purpose::Touch, json!({"id": "btn_login"})),
    ] {
        let found = suggested(wanted.clone(), purpose, &page);
        assert_eq!(found.first().map(|(target, ..)| target), Some(&best), "{wanted}: {found:?}");
        assert!(found.iter().all(|(_, score, _)| (LEAST..=1.0).contains(score)), "{found:?}");
    }
}

#[test]
fn nothing_is_suggested_where_nothing_is_alike() {
    let page = login();
    for (wanted, purpose) in [
        (json!({"text": "Checkout"}), Purpose::Touch),
        (json!({"text": "Item 1"}), Purpose::Look),
        (json!({"text": "Sign up"}), Purpose::Touch),
        (json!({"id": "search_field"}), Purpose::Type),
        // Nothing can be typed into a button.
        (json!({"text": "Sgin in"}), Purpose::Type),
        (json!({"role": "slider"}), Purpose::Touch),
        (json!({"selector": "list > group"}), Purpose::Touch),
    ] {
        assert_eq!(suggested(wanted.clone(), purpose, &page), [], "{wanted}");
    }
}

#[test]
fn a_role_and_a_place_tell_one_from_another() {
    let row =
        |id: &str, top: i32| Element { id: id.to_owned(), ..group(top, vec![element("button", "Add to basket", top)]) };
    let page = screen(vec![row("tea", 0), row("milk", 40), element("text", "Add to basket", 80)]);
    let found = suggested(json!({"text": "Add to bag", "within": {"id": "milk"}}), Purpose::Touch, &page);
    assert_eq!(found[0].0, json!({"text": "Add to basket", "within": {"id": "milk"}}), "{found:?}");
    assert!(found[0].2.contains("in the same place"), "{found:?}");
    let found = suggested(json!({"text": "Add to bag", "role": "text"}), Purpose::Look, &page);
    assert_eq!(found[0].0, json!({"role": "text", "text": "Add to basket"}), "{found:?}");
    assert!(found[0].2.starts_with("\"same role, "), "{found:?}");
}

#[test]
fn several_are_ranked_and_a_row_is_not_told_twice() {
    let card =
        Element { clickable: true, label: "Green tea".to_owned(), ..group(0, vec![element("text", "Green tea", 0)]) };
    let page = screen(vec![card, element("button", "Green teas", 60), element("button", "Black coffee", 90)]);
    let found = suggested(json!({"text": "Gren tea"}), Purpose::Touch, &page);
    let targets: Vec<&Value> = found.iter().map(|(target, ..)| target).collect();
    assert_eq!(targets, [&json!("Green tea"), &json!("Green teas")], "{found:?}");
}

#[test]
fn a_screen_of_thousands_costs_little() {
    let page =
        screen((0..5_000).map(|row| element("button", &format!("Product {row} of the shop"), row % 2_300)).collect());
    let began = std::time::Instant::now();
    let found = suggested(json!({"text": "Product of teh shop"}), Purpose::Touch, &page);
    println!("5,000 elements: {:?}", began.elapsed());
    assert!(found.len() <= MOST);
    assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
}
