//! Which element a target picks, and what is said where it picks none.

use serde_json::json;

use super::texts::normal;
use super::*;
use crate::target::Place;
use crate::test_screens::{element, screen};

fn picked(target: &Target, purpose: Purpose, screen: &Screen) -> Result<Option<String>, Kind> {
    pick(target, purpose, screen, None).map(|found| found.map(describe)).map_err(|error| error.kind)
}

#[test]
fn a_text_is_matched_whole_and_the_same_letters_win() {
    let screen = screen(vec![element("text", "save", 0), element("text", "Save", 30), element("text", "Save all", 60)]);
    assert_eq!(picked(&Target::text("Save"), Purpose::Read, &screen), Ok(Some("text \"Save\"".to_owned())));
    assert_eq!(picked(&Target::text("SAVE  ALL"), Purpose::Read, &screen), Ok(Some("text \"Save all\"".to_owned())));
    assert_eq!(picked(&Target { exact: true, ..Target::text("SAVE ALL") }, Purpose::Read, &screen), Ok(None));
    assert_eq!(picked(&Target::text("Sav"), Purpose::Look, &screen), Ok(None));
    assert_eq!(
        picked(&Target { regex: true, ..Target::text("all$") }, Purpose::Look, &screen),
        Ok(Some("text \"Save all\"".to_owned()))
    );
}

#[test]
fn what_can_be_touched_is_meant_before_what_cannot() {
    let screen = screen(vec![element("heading", "Log in", 0), element("button", "Log in", 100)]);
    assert_eq!(picked(&Target::text("Log in"), Purpose::Touch, &screen), Ok(Some("button \"Log in\"".to_owned())));
    assert_eq!(picked(&Target::text("Log in"), Purpose::Read, &screen), Err(Kind::NotFound));
    let second = Target { index: Some(-1), ..Target::text("Log in") };
    assert_eq!(picked(&second, Purpose::Read, &screen), Ok(Some("button \"Log in\"".to_owned())));
}

#[test]
fn two_buttons_alike_are_an_error_that_lists_them() {
    let screen = screen(vec![element("button", "Delete", 0), element("button", "Delete", 100)]);
    let error = pick(&Target::text("Delete"), Purpose::Touch, &screen, None).expect_err("two match");
    assert!(error.message.contains("2 elements match"), "{}", error.message);
    assert_eq!(error.details["code"], "AMBIGUOUS");
    assert_eq!(error.details["candidates"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_label_leads_to_its_field() {
    let screen =
        screen(vec![element("text", "User name", 0), element("textfield", "", 22), element("textfield", "", 90)]);
    let found = pick(&Target::text("User name"), Purpose::Type, &screen, None).expect("found").expect("one");
    assert_eq!(found.rect.top, 22);
}

#[test]
fn a_field_is_called_by_its_label_and_never_by_a_password() {
    let typed = Element { label: "User".to_owned(), ..element("textfield", "alice", 0) };
    assert_eq!(describe(&typed), "textfield \"User\"");
    assert_eq!(describe(&Element { password: true, ..element("textfield", "•••", 0) }), "textfield");
}

#[test]
fn a_label_is_known_without_what_marks_it() {
    let user = Element { label: "User *".to_owned(), ..element("textfield", "", 0) };
    let row = Element { children: vec![element("text", "Bob", 1)], ..element("row", "", 1) };
    let screen = screen(vec![user, element("text", "City:", 2), row]);
    let picked = |target: &Target| picked(target, Purpose::Look, &screen);
    assert!(picked(&Target::text("User")).is_ok_and(|found| found.is_some()));
    assert_eq!(picked(&Target::text("City")), Ok(None), "only fields are marked");
    let row = |text: &str| Target { role: Some("row".to_owned()), ..Target::text(text) };
    assert!(picked(&row("Bob")).is_ok_and(|found| found.is_some()));
    assert_eq!(picked(&row("Ann")), Ok(None));
}

#[test]
fn an_element_of_another_role_is_named() {
    let screen = screen(vec![element("text", "Display", 0)]);
    let heading = Target { role: Some("heading".to_owned()), ..Target::text("Display") };
    assert_eq!(alike(&heading, &screen).as_deref(), Some("text \"Display\""));
    assert_eq!(alike(&Target::text("Displ"), &screen), None);
    assert_eq!(alike(&Target { text: None, ..heading }, &screen), None);
}

#[test]
fn what_takes_no_text_is_not_typed_into() {
    let screen = screen(vec![element("button", "Delete", 0), element("textfield", "", 500)]);
    let error = pick(&Target::text("Delete"), Purpose::Type, &screen, None).expect_err("a button");
    assert_eq!(error.message, "\"Delete\": button \"Delete\" takes no text");
    let by_index = Target { index: Some(0), ..Target::text("Delete") };
    assert_eq!(picked(&by_index, Purpose::Type, &screen), Err(Kind::NotFound));
}

#[test]
fn a_target_is_neither_there_nor_absent_where_its_container_is_not() {
    let screen = screen(vec![element("list", "Rows", 0), element("text", "A", 100)]);
    let within = |name: &str| Target { within: Some(Box::new(Place(Target::text(name)))), ..Target::text("A") };
    assert_eq!(picked(&within("Rows"), Purpose::Look, &screen), Ok(None));
    assert_eq!(picked(&within("A"), Purpose::Look, &screen), Ok(None), "nothing stands in itself");
    let error = pick(&within("Rosw"), Purpose::Look, &screen, None).expect_err("no container");
    assert_eq!(error.message, "\"A\", within \"Rosw\": what it stands in, \"Rosw\", is not there");
    assert_eq!((error.kind, &error.details[NO_CONTAINER]), (Kind::NotFound, &json!(true)));
}

#[test]
fn what_stands_in_a_place_known_by_its_look_is_told_by_where_it_stands() {
    let line = |text: &str, top| Element { class: "drawn text".to_owned(), ..element("text", text, top) };
    let card = |top, bottom| Element {
        class: "image match".to_owned(),
        label: "card.png".to_owned(),
        rect: Rect { left: 0, top, right: 400, bottom },
        ..Element::default()
    };
    let of = |within: Target, text: &str| Target { within: Some(Box::new(Place(within))), ..Target::text(text) };
    let image = || Target { image: Some("card.png".to_owned()), ..Target::default() };
    let page = screen(vec![line("Plums", 20), line("Remove", 60), line("Pears", 220), card(200, 300)]);
    assert_eq!(picked(&of(image(), "Pears"), Purpose::Touch, &page), Ok(Some("text \"Pears\"".to_owned())));
    assert_eq!(picked(&of(image(), "Remove"), Purpose::Look, &page), Ok(None));
    let error =
        pick(&of(Target::text("Plums"), "Remove"), Purpose::Look, &page, None).expect_err("a text holds nothing");
    assert!(error.kind == Kind::BadArgument && error.message.contains("use `near`"), "{}", error.message);
}

#[test]
fn a_crowded_screen_costs_little() {
    let many = |text: &dyn Fn(i32) -> String| {
        let row = |i: i32| Element { clickable: true, ..element("text", &text(i), i % 800) };
        screen((0..60_000).map(row).collect())
    };
    let began = std::time::Instant::now();
    nearest_names(&Target::text("number 60001"), &many(&|i| format!("number {i}")));
    nearest_names(&Target::text(&"a".repeat(100_000)), &many(&|i| i.to_string().repeat(50)));
    let same = many(&|_| "same".to_owned());
    assert_eq!(picked(&Target::text("same"), Purpose::Touch, &same), Err(Kind::NotFound));
    assert_eq!(picked(&Target::text("same"), Purpose::Type, &same), Err(Kind::NotFound));
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
}

#[test]
fn near_misses_are_named() {
    let screen = screen(vec![element("text", "Welcome, guest", 0), element("text", "Cart", 30)]);
    assert_eq!(nearest_names(&Target::text("Welcome, 小明"), &screen), ["Welcome, guest"]);
}

#[test]
fn what_nobody_sees_needs_not_be_written() {
    let accents = [("Cafe\u{301}", "CAFÉ"), ("Café", "cafe\u{301}"), ("Straße", "STRASSE"), ("ﬁn", "FIN")];
    let marks = [("\u{200f}שמור  קובץ\u{200e}", "שמור קובץ"), ("\u{2068}Ann\u{2069} (2)", "ann (2)")];
    for (shown, written) in marks.into_iter().chain(accents) {
        assert_eq!(normal(shown), normal(written));
    }
    assert_ne!(normal("👨\u{200d}👩"), normal("👨👩"), "a joiner is seen");
    let marks = Element { text: "\u{200f} ".to_owned(), ..Element::default() };
    assert!(with_text("\u{200e}", &Target::default(), &[&marks], false).is_ok_and(|found| found.is_empty()));
}

#[test]
fn a_pattern_that_does_not_match_its_own_letters_is_told_from_one_that_is_absent() {
    let screen = screen(vec![element("text", "Sum: Total (EUR)", 0), element("text", "ab", 30)]);
    let said = |text: &str, regex| literally(&Target { regex, ..Target::text(text) }, &screen, None);
    assert!(said("Total (EUR)", true).is_some_and(|said| said.contains(r"Total \(EUR\)")));
    assert_eq!((said("Total (EUR)", false), said("Total (USD)", true)), (None, None));
}
