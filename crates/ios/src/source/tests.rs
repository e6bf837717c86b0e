//! Trees as phones write them, in JSON and in XML → what a person finds on their screens.

use super::{Source, Tree, document};
use crate::driver::{Element, Rect};

/// A tree in both forms, made after what `dictionaryForElement` and `FBXPath.m` write.
struct Dump {
    name: &'static str,
    json: &'static str,
    xml: &'static str,
}

macro_rules! dump {
    ($name:literal) => {
        Dump {
            name: $name,
            json: include_str!(concat!("dumps/", $name, ".json")),
            xml: include_str!(concat!("dumps/", $name, ".xml")),
        }
    };
}

fn tree(source: Source<'_>) -> Tree {
    let window = source.window().expect("a window");
    source.tree(window, 3.0, "com.test")
}

/// Says what an element is, in one line: its role, what it shows, what it is called, its state.
fn line(element: &Element) -> String {
    let mut line = element.role.to_owned();
    for (sign, text) in [("", &element.text), ("/", &element.label), ("?", &element.hint)] {
        if !text.is_empty() {
            line.push_str(&format!(" {sign}{text}"));
        }
    }
    let states = [
        (element.checkable && element.checked, "on"),
        (element.checkable && !element.checked, "off"),
        (element.selected, "selected"),
        (element.focused, "focused"),
        (element.password, "secret"),
        (!element.enabled, "disabled"),
        (element.repeats, "repeats"),
    ];
    for (_, word) in states.iter().filter(|(is_set, _)| *is_set) {
        line.push_str(&format!(" [{word}]"));
    }
    line
}

/// Lists all that says something or is touched.
fn lines(roots: &[Element]) -> Vec<String> {
    let mut found = Vec::new();
    for root in roots {
        root.walk(&mut |element| {
            if !element.name().is_empty() || element.clickable {
                found.push(line(element));
            }
        });
    }
    found
}

fn find(roots: &[Element], name: &str) -> Option<Element> {
    let mut found = None;
    for root in roots {
        root.walk(&mut |element| {
            if element.name() == name && found.is_none() {
                found = Some(element.clone());
            }
        });
    }
    found
}

/// Compares what both forms tell with what is wanted; returns the tree of the JSON.
fn check(dump: &Dump, wanted: &[&str]) -> Tree {
    let of_json = tree(Source::of_json(dump.json).expect(dump.name));
    assert_eq!(lines(&of_json.roots), wanted, "{}.json", dump.name);
    let document = document(dump.xml).expect(dump.name);
    let of_xml = tree(Source::of_xml(&document).expect(dump.name));
    // XML tells of no focus.
    let wanted: Vec<String> = wanted.iter().map(|line| line.replace(" [focused]", "")).collect();
    assert_eq!(lines(&of_xml.roots), wanted, "{}.xml", dump.name);
    assert_eq!(of_json.keyboard, of_xml.keyboard);
    of_json
}

#[test]
fn rows_of_settings_are_read_as_a_person_reads_them() {
    let wanted = [
        "button Back",
        "heading Settings",
        "listitem /Wi-Fi, HomeNet",
        "text Wi-Fi [repeats]",
        "text HomeNet [repeats]",
        "listitem",
        "text Bluetooth",
        "switch Bluetooth [on]",
        "listitem",
        "text Mobile Data",
        "text Off",
        "listitem General",
        "navigation /Tab Bar",
        "tab Home [selected]",
        "tab Search /2 new",
    ];
    let tree = check(&dump!("settings"), &wanted);
    let mended = find(&tree.roots, "Mobile Data").unwrap();
    assert_eq!(mended.rect.top, 188 * 3, "where its row is");
    assert_eq!(find(&tree.roots, "Wi-Fi, HomeNet").unwrap().id, "com.apple.settings.wifi");
}

#[test]
fn fields_tell_their_text_their_hint_and_their_label_apart() {
    let wanted = [
        "heading Sign in",
        "textfield ?Email",
        "textfield Köln /City ?Town [focused]",
        "textfield •••••• ?Password [secret]",
        "button Sign in [disabled]",
        "button Forgot password?",
        "text Terms apply",
        "button Done",
    ];
    let tree = check(&dump!("login"), &wanted);
    assert_eq!(tree.keyboard, Some(Rect { left: 0, top: 553 * 3, right: 1170, bottom: 2532 }));
    assert_eq!(find(&tree.roots, "Email").unwrap().id, "user");
}

#[test]
fn a_keyboard_that_has_gone_is_none() {
    let tree = check(&dump!("keyboard_gone"), &["heading Search", "textfield ?Search"]);
    assert_eq!(tree.keyboard, None);
}

#[test]
fn an_alert_is_a_window_of_its_own_in_front() {
    let wanted = [
        "alert /Delete all items?",
        "text Delete all items?",
        "text This cannot be undone.",
        "button Cancel",
        "button Delete",
    ];
    let tree = check(&dump!("alert"), &wanted);
    let alert = tree.roots.last().unwrap();
    assert_eq!((alert.role, alert.rect.left, tree.has_alert), ("alert", 180, true));
}

#[test]
fn names_that_containers_repeat_are_told_once() {
    let wanted = [
        "heading Shop",
        "button /Red shoes $ 20",
        "text Red shoes [repeats]",
        "text $ 20 [repeats]",
        "button /Blue shoes $ 30",
        "text Blue shoes [repeats]",
        "text $ 30 [repeats]",
        "button Pay now",
        "button",
    ];
    let tree = check(&dump!("react_native"), &wanted);
    assert_eq!(find(&tree.roots, "Pay now").unwrap().id, "pay-button");
}

#[test]
fn a_page_in_a_browser_has_links_boxes_and_fields() {
    let wanted = [
        "group /Shop page",
        "heading Welcome",
        "link Read more",
        "checkbox I agree [off]",
        "text I agree",
        "checkbox Express [on]",
        "textfield Ann /Your name",
        "button Send",
        "image /A cat",
        "textfield example.com /Address ?Search or enter website name",
    ];
    check(&dump!("web"), &wanted);
}

#[test]
fn a_former_page_of_a_stack_is_gone() {
    check(
        &dump!("stack"),
        &["text Order 3", "text Red shoes", "text Blue shoes", "text Total", "text Pay", "text Cancel"],
    );
}

#[test]
fn the_home_screen_has_icons() {
    let wanted = ["slider page 1 of 2 /Page 1 of 2", "button Shop", "button Messages /3 new items", "button Safari"];
    check(&dump!("springboard"), &wanted);
}

#[test]
fn controls_have_their_values_and_states() {
    let wanted = [
        "text In nowhere",
        "slider 50% /Volume",
        "slider 3 /Count",
        "button Decrement",
        "button Increment",
        "slider May /Month",
        "progress 30% /Upload",
        "progress /In progress",
        "button Day [selected]",
        "button Week",
        "text Seen all the same",
        "image /Logo",
        "switch Dark mode [off]",
        "switch Notify me [on]",
        "textfield two\nlines \"here\" & <there> /Notes",
        "button",
    ];
    let tree = check(&dump!("controls"), &wanted);
    assert_eq!(find(&tree.roots, "Notify me").unwrap().rect.left, 319 * 3, "where a touch turns it");
}

#[test]
fn a_screen_may_be_wide() {
    let tree = check(&dump!("landscape"), &["heading Wide", "button Far right"]);
    assert_eq!(find(&tree.roots, "Far right").unwrap().rect, Rect { left: 2100, top: 990, right: 2460, bottom: 1122 });
}

/// A look of 400 elements takes 3 ms in what is released; nothing is released without optimization.
#[test]
fn a_large_tree_is_read_in_no_time() {
    let row = r#"{"type":"Cell","rawIdentifier":"row","name":"row","label":"Red shoes, $ 20","value":null,"rect":{"x":0,"y":100,"width":390,"height":44},"isEnabled":"1","isVisible":"1","isAccessible":"1","isFocused":"0","traits":"","children":[{"type":"StaticText","rawIdentifier":null,"name":"Red shoes","label":"Red shoes","value":"Red shoes","rect":{"x":20,"y":110,"width":90,"height":20},"isEnabled":"1","isVisible":"1","isAccessible":"0","isFocused":"0","traits":"StaticText"},{"type":"StaticText","rawIdentifier":null,"name":"$ 20","label":"$ 20","value":"$ 20","rect":{"x":200,"y":110,"width":90,"height":20},"isEnabled":"1","isVisible":"1","isAccessible":"0","isFocused":"0","traits":"StaticText"},{"type":"Image","rawIdentifier":null,"name":null,"label":null,"value":null,"rect":{"x":300,"y":110,"width":20,"height":20},"isEnabled":"1","isVisible":"1","isAccessible":"0","isFocused":"0","traits":"Image"}]}"#;
    let rows = vec![row; 100].join(",");
    let text = format!(
        r#"{{"value":{{"type":"Application","label":"Shop","rect":{{"x":0,"y":0,"width":390,"height":844}},"children":[{{"type":"Window","rect":{{"x":0,"y":0,"width":390,"height":844}},"children":[{rows}]}}]}}}}"#
    );
    let began = std::time::Instant::now();
    for _ in 0..10 {
        let tree = tree(Source::of_json(&text).unwrap());
        assert_eq!(lines(&tree.roots).len(), 300);
    }
    let each = began.elapsed() / 10;
    assert!(each.as_millis() < if cfg!(debug_assertions) { 200 } else { 3 }, "{each:?}");
}

/// Trees that are cut off, or whose numbers and flags are others, are read or refused, and nothing else happens.
#[test]
fn no_tree_is_too_broken_to_be_refused() {
    let texts =
        [include_str!("dumps/settings.json"), include_str!("dumps/login.json"), include_str!("dumps/stack.json")];
    for text in texts {
        for (end, _) in text.char_indices().step_by(61) {
            assert!(Source::of_json(&text[..end]).is_err(), "{end} bytes");
        }
        for (was, is) in [
            ("390", "1e308"),
            ("\"x\": 0", "\"x\": -1e9"),
            ("\"1\"", "null"),
            ("\"0\"", "[]"),
            ("\"Cell\"", "{\"a\": [1, {}]}"),
            ("\"Window\"", "\"Application\""),
            ("44", "-44"),
            ("{\"y\"", "{\"x\": \"nan\", \"y\""),
            ("null", "true"),
        ] {
            let changed = text.replace(was, is);
            if let Ok(source) = Source::of_json(&changed) {
                let tree = source.tree((390.0, 844.0), 3.0, "com.test");
                let mut places = Vec::new();
                tree.roots.iter().for_each(|root| root.walk(&mut |element| places.push(element.rect.center())));
                assert!(places.iter().all(|place| place.x.abs() <= 1e7 && place.y.abs() <= 1e7), "{was}");
            }
        }
    }
    for xml in [include_str!("dumps/settings.xml"), include_str!("dumps/alert.xml")] {
        for (end, _) in xml.char_indices().step_by(61) {
            assert!(document(&xml[..end]).is_err(), "{end} bytes");
        }
    }
}
