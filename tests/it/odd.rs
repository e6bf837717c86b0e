//! Pages on which it is easy to say something untrue: touches that go through, lines that are broken, styled controls, lists that fill
//! late, and frames under transforms.

use crate::counterparts::program;
use crate::site::serve;
use crate::support::{Ran, Test};

/// Runs all steps on a page, also behind one that failed.
fn on(page: &str, steps: &str) -> Ran {
    program("chromium");
    let case = format!(
        "config: {{name: Odd, browser: {{width: 1280, height: 800}}}}\nteststeps:\n- open_url: {}/{page}\n{steps}",
        serve()
    );
    let arguments = ["run", "case.yaml", "--report-dir", "r", "--device", "browser", "--continue-on-failure"];
    let test = Test::new(&arguments).file("case.yaml", case);
    let output = test.command().env_remove("UIXT_BROWSER").output().expect("the program starts");
    test.ran(&output)
}

#[test]
fn what_people_see_and_touch_is_found_and_touched() {
    on(
        "odd.html",
        "- assert_visible: Hello world
- tap_element: Part of it
- assert_visible: whole whole
- tap_element: {id: flipped}
- assert_state: {id: flipped, checked: true}
- tap_element: Styled
- assert_state: {id: styled, checked: true}
- tap_element: {id: agree}
- assert_state: {id: agree, checked: true}
- select_option: {option: b, from: Late}
- assert_visible: late b
- tap_by_selector: {selector: \"a[href='/b.html']\"}
",
    )
    .code(0);
}

#[test]
fn what_is_not_so_is_refused_and_says_why() {
    let mut ran = on(
        "odd.html",
        "- tap_element: {text: Through, timeout: 0.5}
- tap_element: {text: Linked through, timeout: 0.5}
- assert_not_visible: {text: Hello world, timeout: 0.2}
- assert_state: {id: alone, checked: false, timeout: 0.2}
- assert_count: {selector: ..bad, equals: 1, timeout: 0.2}
- select_option: {index: 99, from: Many, timeout: 0.2}
- assert_attribute: {id: link, attribute: hrefx, present: true, timeout: 0.2}
",
    );
    for said in [
        "\"Through\": there, but touches go through it to body",
        "\"Linked through\": there, but touches go through it to body",
        "\"Hello world\": still there",
        "id alone: not there",
        "'..bad' is not a valid selector",
        "no option number 99: it has 30, from 0 to 29",
        "no attribute `hrefx` within 0.2 s; it has: id, href",
    ] {
        ran = ran.says(said);
    }
}

#[test]
fn frames_under_transforms_are_touched_where_they_are_or_not_at_all() {
    let mut steps = String::new();
    for name in ["half", "askew", "upright", "zoomed", "round"] {
        for side in ["near", "far"] {
            steps +=
                &format!("- tap_element: {{role: button, text: {side} {name}}}\n- assert_visible: hit {side} {name}\n");
        }
    }
    on("frames_turned.html", &steps).code(0);
    let steps = "- tap_element: {role: button, text: near deep, timeout: 0.5}\n- tap_element: {role: button, text: far deep, timeout: 0.5}\n";
    let ran = on("frames_turned.html", steps).says("\"near deep\": there, but its frame is transformed");
    ran.says("\"far deep\": there, but its frame is transformed");
}

#[test]
fn what_is_too_much_or_never_comes_is_told_as_that() {
    let rows =
        "document.body.innerHTML = Array.from({length: 9000}, (_, i) => '<p class=r>Row ' + i + '</p>').join('')";
    let bytes = "document.body.innerHTML = '<button aria-label=\\\"Close\\\">\\u00d7</button><p>a\\u202eb</p>'";
    let steps = format!(
        "- evaluate: {{script: 'new Promise(() => 0)', timeout: 1}}
- evaluate: \"{rows}\"
- assert_visible: {{text: Row 8990, timeout: 0.3}}
- assert_count: {{selector: .r, equals: 6000, timeout: 5}}
"
    );
    let told = format!(
        "- evaluate: \"{bytes}\"
- snapshot: {{}}
  save: seen
- assert_value: {{value: $seen, contains: 'button \"Close\"'}}
- assert_value: {{value: $seen, contains: '\"a b\"'}}
"
    );
    on("odd.html", &told).code(0);
    on("odd.html", &steps)
        .code(3)
        .says("step 2, case.yaml:4:3: evaluate")
        .says("did not answer a script within 1 s: what it promised did not come")
        .says("\"Row 8990\": not there within 0.3 s; nearest text")
        .says("the page holds more than was told of it, so that it may be there all the same")
        .says("selector .r: not among what was told of the page");
}
