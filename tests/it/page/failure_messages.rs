//! What failures say: where two texts differ that look the same, which check it was, on which page, which of several there are.

use crate::support::site::{on, on_view};
use crate::support::{Ran, Test};

const WAYS: [&str; 2] = ["width: 900", "driver: chromedriver, protocol: webdriver"];

/// Runs one step after variables that look alike, and returns what it says.
fn value(check: &str) -> Ran {
    let case = format!(
        "config:\n  name: values\n  variables: {{a: 1, spaced: \"5\\u00a0€\", wide: \"5：0\", items: [1, 2], {}: x}}\nteststeps:\n- {check}\n",
        "n".repeat(300)
    );
    Test::new(&["run", "case.yaml"]).file("case.yaml", case).run()
}

#[test]
fn a_value_that_only_looks_the_same_is_told_by_its_characters() {
    value("assert_value: {value: \"${spaced}\", equals: \"5\\u00a0€\"}").code(0);
    value("assert_value: {value: \"${spaced}\", equals: 5 €}")
        .code(1)
        .says("they differ at character 2: a no-break space (U+00A0) instead of a space (U+0020)");
    value("assert_value: {value: $wide, equals: \"5：0\"}").code(0);
    value("assert_value: {value: $wide, contains: \":0\"}").code(1).says("\"：\" (U+FF1A) instead of \":\" (U+003A)");
    let long = "0123456789".repeat(200);
    value(&format!("assert_value: {{value: \"{long}a\", equals: \"{long}a\"}}")).code(0);
    value(&format!("assert_value: {{value: \"{long}a\", equals: \"{long}b\"}}"))
        .code(1)
        .says("they differ at character 2001: \"…890123456789a\" instead of \"…890123456789b\"");
}

#[test]
fn a_check_is_named_as_it_is_written() {
    value("assert_value: {value: \"${a == 1}\", equals: true}").code(0);
    value("assert_value: {value: \"${a == 2}\", equals: true}")
        .code(1)
        .says("${a == 2}: expected equals true but was false");
    let validate = "log: x\n  validate: [{check: \"${a == 2}\", assert: equals, expect: true}]";
    value(validate).code(1).says("${a == 2}: expected equals true but was false");
    let length = "log: x\n  validate: [{check: $items, assert: length_equals, expect: 3}]";
    value(&length.replace('3', "2")).code(0);
    value(length).code(1).says("$items has 2 items: expected length_equals 3; it is [1,2]");
    let name = format!("${}", "n".repeat(300));
    value(&format!("assert_value: {{value: {name}, equals: y}}"))
        .code(1)
        .says(&format!("\n  ${}…: expected equals \"y\" but was \"x\"", "n".repeat(79)));
}

#[test]
fn a_file_is_not_called_a_folder() {
    let test = Test::new(&["run", "case.yaml", "--report-dir", "/dev/full"]);
    let test = test.file("case.yaml", "config: {name: file}\nteststeps:\n- log: x\n");
    test.run().code(2).says("/dev/full is a file: name a folder");
}

#[test]
fn a_page_is_told_by_its_title_and_what_stands_on_it_by_its_place() {
    let page = "- evaluate: \"() => { document.title = 'Cart — Shop'; document.body.innerHTML = `<h1>Sum：5&nbsp;€</h1><p><button>Add</button></p>\\
        <div style='margin-top: 100px'><button>Add</button></div><div inert id=main><button>Buy</button></div><p><button>Pay</button></p>\\
        <p id=lines></p>`; lines.textContent = '0123456789'.repeat(200) + 'a'; }\"\n";
    let right = "- tap_element: Pay\n- assert_visible: {selector: button, index: 0}\n- assert_text: {selector: '#lines', matches: 89a$}
- assert_text: {selector: h1, equals: \"Sum：5\\u00a0€\", contains: 5 €}\n- tap_element: {text: Add, index: 1}\n- assert_state: {text: Buy, enabled: false}\n";
    let long = "0123456789".repeat(200);
    let wrong = [
        (
            "assert_visible: {selector: '#nope', timeout: 0.2}".to_owned(),
            "nothing like it on the page \"Cart — Shop\" (http://127.0.0.1:",
        ),
        ("tap_element: {text: Add, timeout: 0.2}".to_owned(), "2 elements match: button \"Add\" at "),
        (
            "tap_element: {text: Buy, timeout: 0.2}".to_owned(),
            "there, but it is inert, as all of #main is (button \"Buy\")",
        ),
        (
            "assert_text: {selector: h1, equals: 'Sum:5 €', timeout: 0.2}".to_owned(),
            "\"：\" (U+FF1A) instead of \":\" (U+003A)",
        ),
        (
            format!("assert_text: {{selector: '#lines', equals: {long}b, timeout: 0.2}}"),
            "they differ at character 2001: \"…890123456789a\"",
        ),
        (
            "assert_text: {selector: h1, contains: ':5 €', timeout: 0.2}".to_owned(),
            "what looks like it stands at character 4",
        ),
    ];
    for way in WAYS {
        on_view(way, "odd.html", &format!("{page}{right}")).code(0);
    }
    for (step, said) in &wrong {
        on("odd.html", &format!("{page}- {step}\n")).code(1).says(said);
    }
    for (step, said) in &wrong[..3] {
        on_view(WAYS[1], "odd.html", &format!("{page}- {step}\n")).code(1).says(said);
    }
}
