//! Pages of tests/site in a real Chromium, driven by the real program: what is on them is found, waited for and acted on. What
//! happened is read from the page's own log.

use crate::support::items;
use crate::support::site::on;

#[test]
fn a_form_is_filled_by_what_its_fields_are_called() {
    on(
        "forms.html",
        "- input: {text: Alice Li, into: {label: Full name}}
- input: {text: alice@example.com, into: {placeholder: alice@example.com}}
- input: {text: secret123, into: Password, secret: true}
- tap_element: {text: Team}
- assert_state: {role: radio, text: Team, checked: true}
- assert_state: {role: radio, text: Free, checked: false}
- assert_state: {role: button, text: Not yet, enabled: false}
- tap_element: {test_id: save}
- assert_text: {id: error, equals: Please accept the terms}
- tap_element: {role: checkbox, text: I accept the terms}
- assert_state: {id: terms, checked: true}
- tap_element: {role: button, text: Save}
- assert_text: {id: result, equals: 'Saved: Alice Li'}
- assert_text: {selector: '#log > li:last-child', equals: saved}
- assert_text: {selector: \"//li[contains(., 'refused')]\", equals: 'refused: Please accept the terms'}
- assert_count: {selector: 'input:not([type=radio]):not([type=checkbox])', equals: 7}
",
    )
    .code(0);
    // What is never read equals nothing.
    let password = "- assert_text: {id: password, equals: '', timeout: 0.1}\n";
    on("forms.html", password).code(1).says("a password's field, whose value is not read");
}

#[test]
fn the_shop_of_the_phone_is_a_page_too() {
    on(
        "shop/index.html",
        "- input: {text: alice, into: User name}
- input: {text: secret12, into: Password, secret: true}
- tap_element: {role: button, text: Sign in}
- assert_visible: Wrong user name or password
- input: {text: 3, into: Password, secret: true}
- tap_element: {role: button, text: Sign in}
- assert_visible: Welcome, alice
- tap_element: Notebook
- assert_text: {id: price, equals: ¥8.90}
- tap_element: Add to cart
- assert_text: {id: cart, equals: 1 item in cart}
- back:
- input: {text: tea, into: Search}
- press_button: enter
- assert_text: {id: message, equals: 1 product}
- assert_not_visible: Notebook
- tap_element: Green tea
- tap_element: \"+\"
- tap_element: \"+\"
- assert_text: {id: quantity, equals: 3}
- tap_element: Add to cart
- assert_text: {id: cart, equals: 4 items in cart}
- tap_element: View cart
- assert_text: {id: total, equals: ¥46.40}
- tap_element: {text: One fewer, within: {test_id: row-green_tea}}
- assert_text: {id: total, equals: ¥33.90}
- tap_element: Checkout
- input: {text: Alice Li, into: Full name}
- input: {text: \"1 Main Street\\n上海\", into: Address}
- tap_element: Cash on delivery
- tap_element: Place order
- assert_visible: Please accept the terms
- tap_element: I accept the terms
- tap_element: Place order
- assert_text: {id: number, matches: '^UX-\\d{4}$'}
- assert_text: {id: total, equals: ¥33.90}
- assert_text: {id: payment, equals: Cash on delivery}
",
    )
    .code(0);
}

#[test]
fn what_comes_late_moves_or_is_replaced_is_acted_on_when_it_can_be() {
    on(
        "late.html",
        "- tap_element: Start
- tap_element: Enabled after a second
- tap_element: Late button
- assert_text: {selector: '#log li:last-child', matches: late button clicked|loaded}
- assert_visible: enabled button clicked
- assert_text: {id: state, equals: Loaded}
",
    )
    .code(0);
    on(
        "moving.html",
        "- tap_element: {id: short}
- tap_element: {id: script}
- assert_text: {selector: '#log li:nth-child(1)', equals: short clicked late}
- assert_text: {selector: '#log li:nth-child(2)', equals: script clicked late}
",
    )
    .code(0);
    let never = on("moving.html", "- tap_element: {id: never, timeout: 1}\n").code(1);
    // Where the machine is busy, it may have left its place between the look and the touch.
    let moved_on = never.stderr.contains("came over it") && never.stderr.contains("not touched within 1 s");
    assert!(moved_on || never.stderr.contains("did not stand still within 1 s"), "{}", never.stderr);
    on(
        "rerender.html",
        "- tap_element: {role: button, text: Add, within: {selector: 'li:nth-of-type(2)'}}
- tap_element: {role: button, text: Add, within: {selector: 'li:nth-of-type(2)'}}
- assert_text: {id: sum, equals: Total 2}
- assert_count: {text: added Coffee, equals: 2}
",
    )
    .code(0);
}

#[test]
fn a_snapshot_waits_for_what_the_page_fetches() {
    let steps = "- tap_element: News
- snapshot: {}
  save: seen
- assert_value: {value: $seen, contains: 'News: '}
- tap_element: Never
- snapshot: {}
";
    let ran = on("fetched.html", steps).code(0);
    let summary = ran.json("r/summary.json");
    let taken = items(&summary["cases"][0]["steps"]).last().and_then(|step| step["elapsed_ms"].as_f64());
    // The answer to the last request takes thirty seconds.
    assert!(taken.is_some_and(|taken| taken < 15_000.0), "{taken:?}");
}

#[test]
fn a_button_that_runs_away_is_hit_each_time() {
    let steps = "- tap_element: {id: run}\n".repeat(100) + "- assert_text: {id: told, equals: '100 hits, 0 misses'}\n";
    on("chase.html", &steps).code(0);
}

#[test]
fn what_comes_in_the_way_of_a_touch_is_not_touched() {
    let none = "- assert_not_visible: the offer heard\n";
    on("trap.html", &format!("- tap_element: {{id: twice}}\n- assert_visible: bought once\n{none}")).code(0);
    on("trap.html", &format!("- tap_element: {{id: within}}\n- assert_visible: bought within\n{none}")).code(0);
    on("trap.html", &format!("- long_press: {{id: twice, duration: 0.4}}\n- assert_visible: bought once\n{none}"))
        .code(0);
    let never = "- tap_element: {id: always, timeout: 1}\n";
    on("trap.html", never).code(1).says("touch blocked: div#offer \"Sale!\" came over it");
    // What was in its place is touched where that is meant.
    on("trap.html", "- hover: {id: stays}\n- tap_element: {id: offer}\n- assert_visible: {text: the offer heard click, present: true}\n")
        .code(0);
}

#[test]
fn a_field_is_filled_in_the_place_of_what_it_held_or_behind_that() {
    on(
        "counter.html",
        "- input: {text: first, into: {id: name}}
- tap_element: Greet
- assert_visible: Hello, first
- input: {text: ' and more', into: Name}
- tap_element: Greet
- assert_visible: Hello, first and more
- input: {text: second, into: Name, clear: true}
- tap_element: Greet
- assert_text: {id: said, equals: 'Hello, second'}
- clear_text: {into: Name}
- assert_text: {id: name, equals: ''}
",
    )
    .code(0);
    on(
        "counter.html",
        "- evaluate: \"document.getElementById('name').readOnly = true\"\n- input: {text: x, into: Name}\n",
    )
    .code(1)
    .says("only to be read");
    on("forms.html", "- input: {text: '4', into: Age, clear: true}\n- assert_text: {id: age, equals: '4'}\n").code(0);
}

#[test]
fn what_is_covered_is_named_or_touched_where_it_is_free() {
    on(
        "covered.html",
        "- tap_element: Half covered
- assert_visible: half clicked
- tap_element: At the bottom
- assert_visible: {text: bottom clicked, present: true}
- tap_element: {id: clear}
- tap_element: Under a veil
- assert_visible: {text: veiled clicked, present: true}
",
    )
    .code(0);
    on("covered.html", "- tap_element: {id: veiled, timeout: 0.5}\n")
        .code(1)
        .says("div#veil \"Please wait\" lies over it");
}

#[test]
fn frames_shadow_roots_and_single_pages_are_one_tree() {
    on(
        "frames.html",
        "- input: {text: typed, into: Inner field}
- tap_element: Inner button
- tap_element: Leaf button
- tap_element: Outer
- assert_visible: inner clicked
- assert_visible: leaf clicked
- assert_text: {selector: 'main > #log > li', index: -1, equals: outer clicked}
",
    )
    .code(0);
    on(
        "shadow.html",
        "- input: {text: Ali, into: Nickname}
- tap_element: Greet
- assert_text: {selector: '#said', equals: 'Hello, Ali'}
- tap_element: {test_id: deep}
- assert_visible: deep button clicked
- assert_visible: Nobody looks in here
",
    )
    .code(0);
    on(
        "spa.html?page=tasks",
        "- input: {text: Wash up, into: New task}
- press_button: enter
- assert_text: {selector: '#tasks > li', equals: Wash up}
- tap_element: {role: link, text: About}
- assert_visible: {role: heading, text: About this site}
- back:
- assert_visible: {role: heading, text: Your tasks}
",
    )
    .code(0);
}

#[test]
fn all_of_a_page_is_there_and_is_brought_into_view() {
    on(
        "list.html",
        "- assert_count: {selector: tbody tr, equals: 200}
- assert_visible: Row 150
- tap_element: {role: button, text: Open, within: {selector: 'tbody tr:nth-child(150)'}}
- assert_visible: opened 150
- tap_element: Quince
- assert_visible: picked Quince
- tap_element: Load more
- assert_text: {id: count, equals: 220 rows}
",
    )
    .code(0);
    on("list.html", "- assert_not_visible: {text: Row 150, timeout: 0.5}\n").code(1).says("still there");
}

#[test]
fn rows_are_found_by_what_stands_in_them() {
    let log = |number: usize, text: &str| {
        format!("- assert_text: {{selector: '#log li:nth-child({number})', equals: '{text}'}}\n")
    };
    let bob = r#"Bob "the builder""#;
    let steps = [
        ("- tap_element: {selector: 'tr:has-text(\"bob\") button:not(.plain)'}\n", format!("Edit {bob}")),
        (
            "- tap_element: {selector: 'tr.new:has-text(\"\\\"the\") > td > button:has-text(Remove)'}\n",
            format!("Remove {bob}"),
        ),
        ("- tap_element: {text: Edit, within: {role: row, text: Oslo}}\n", format!("Edit {bob}")),
        (
            "- tap_element: {text: Edit, within: {selector: 'tr:has-text(\"Chen, Wei\")'}}\n",
            "Edit Chen, Wei".to_owned(),
        ),
        ("- tap_element: {selector: 'tr:has-text(Ann) + tr:has-text(Oslo) button.plain'}\n", format!("Remove {bob}")),
        (
            "- tap_element: {selector: 'td:has-text(\"Rome\") ~ td button:not(.plain), h1:has-text(nobody)'}\n",
            "Edit Ann".to_owned(),
        ),
    ];
    let told = steps.iter().enumerate().map(|(at, (step, told))| format!("{step}{}", log(at + 1, told)));
    let counted = "- assert_count: {selector: 'tr:has-text(edit)', equals: 3}
- assert_count: {selector: ':has-text(Oslo) > td', equals: 3}
- assert_count: {selector: 'tbody tr:not(:has-text(Bob))', equals: 2}
- assert_count: {selector: 'tr:has(b:has-text(\"bob\")).new > td', equals: 3}
- assert_not_visible: {role: row, text: Paris}
";
    on("table.html", &(told.collect::<String>() + counted)).code(0);
    on("table.html", "- assert_visible: {selector: 'tr:has-text(\"Ann\"', timeout: 0.1}\n")
        .code(2)
        .says("tr:has-text(");
    on("table.html", "- assert_not_visible: {role: row, text: Oslo, timeout: 0.1}\n").code(1).says("still there");
}

#[test]
fn a_selector_that_the_browser_refuses_is_an_error() {
    let ran = on("forms.html", "- assert_not_visible: {selector: 'input:nth-child(x)', timeout: 0.5}\n");
    ran.says("nth-child(x)");
    let ran = on("forms.html", "- assert_not_visible: {selector: \"//input[foo(]\", timeout: 0.5}\n");
    ran.says("//input[foo(]");
    let ran = on("forms.html", "- assert_not_visible: {selector: \"//input[foo()]\", timeout: 0.5}\n");
    ran.says("//input[foo()]");
}

#[test]
fn hostile_pages_end_in_an_error_or_an_answer() {
    on(
        "hostile/prototypes.html",
        "- tap_element: Still here
- assert_visible: ok clicked
",
    )
    .code(0);
    on(
        "hostile/huge.html?rows=20000",
        "- tap_element: First button
- snapshot:
- assert_not_visible: {text: Nowhere at all, timeout: 3}
",
    )
    .code(1)
    .says("holds more than that");
    on("hostile/deep.html", "- assert_visible: {role: heading, text: Deep page}\n").code(0);
}
