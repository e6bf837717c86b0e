//! What a page does a moment after a step, and what libraries make of labels, drags and scrolling: each page passes as it should, and its
//! twin fails, in one browser by `DevTools` and one by chromedriver.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::{Test, items, text};

/// A page that shows, a moment after a tap, what `late` does; without it, nothing.
const LATER: &str = "<button id=go onclick=\"setTimeout(()=>{LATE},350)\">Go</button><div id=out></div><button id=send disabled>Send</button>\
    <label><input type=checkbox id=agree>Agree</label><ul><li>One</li><li>Two</li></ul>";
const SHOW: &str = "out.innerHTML='<p>Late error</p>'";

/// Name, page with `LATE`, what `LATE` is where the step must fail, the step.
const LATE: &[(&str, &str, &str)] = &[
    ("absence", SHOW, "assert_not_visible: {text: Late error, timeout: 1.5}"),
    ("none", SHOW, "assert_count: {text: Late error, equals: 0, timeout: 1.5}"),
    (
        "at most",
        "document.querySelector('ul').append(document.querySelector('li').cloneNode(true))",
        "assert_count: {selector: li, at_most: 2, timeout: 1.5}",
    ),
    ("exactly", "document.querySelector('li').remove()", "assert_count: {selector: li, equals: 2, timeout: 1.5}"),
    ("disabled", "send.disabled=false", "assert_state: {id: send, enabled: false, timeout: 1.5}"),
    ("unchecked", "agree.checked=true", "assert_state: {id: agree, checked: false, timeout: 1.5}"),
    (
        "attribute",
        "send.setAttribute('data-x','1')",
        "assert_attribute: {selector: '#send', attribute: data-x, present: false, timeout: 1.5}",
    ),
    (
        "value",
        "send.setAttribute('type','reset')",
        "assert_attribute: {selector: '#go', attribute: id, equals: go, timeout: 1.5}",
    ),
    ("gone", SHOW, "wait_for: {text: Late error, gone: true, timeout: 1.5}"),
];

const ROWS: &str = "<p style=height:3000px>Top</p><button onclick=\"document.title='got'\">Bottom</button>";
const LABEL: &str = "<style>label,span{display:inline-flex;cursor:pointer}</style><label><span><input type=checkbox id=box></span><span>Full</span></label>";
const DRAG: &str = "<style>div{width:90px;height:40px;background:#ccc;margin:9px}</style><div id=a>Alpha</div><div id=b>Beta</div><script>SCRIPT</script>";
/// Begins only after a hold of a quarter of a second.
const HELD: &str =
    "let at;a.onpointerdown=()=>at=performance.now();b.onpointerup=()=>{if(performance.now()-at>250)b.after(a)};";

/// Name, page, steps, whether they pass.
fn others() -> Vec<(&'static str, String, &'static str, bool)> {
    let html = |root: &str, body: &str| {
        format!("<!doctype html><html style=\"{root}\"><body style=\"{body};margin:0\">{ROWS}")
    };
    let tap = "- tap_element: {text: Bottom, timeout: 3}\n- assert_title: got\n";
    let drag = |script: &str| DRAG.replace("SCRIPT", script);
    vec![
        ("the body scrolls", html("height:100%;overflow:hidden", "height:100%;overflow:auto"), tap, true),
        ("nothing scrolls", html("height:100%", "height:100%;overflow:hidden"), tap, false),
        (
            "words of a label",
            LABEL.to_owned(),
            "- tap_element: {text: Full, timeout: 3}\n- assert_state: {id: box, checked: true}\n",
            true,
        ),
        ("a drag after a hold", drag(HELD), "- drag_to: {from: Alpha, to: Beta}\n", true),
        ("a drag to nowhere", drag(""), "- drag_to: {from: Alpha, to: Beta}\n", false),
    ]
}

fn case(name: &str, browser: &str, page: &str, steps: &str) -> String {
    let mut page_in_address = String::new();
    for byte in page.bytes() {
        let _ = write!(page_in_address, "%{byte:02x}");
    }
    format!(
        "config: {{name: {name}, browser: {browser}}}\nteststeps:\n- open_url: \"data:text/html;charset=utf-8,{page_in_address}\"\n{steps}"
    )
}

/// Runs all pages, and returns each case's name and whether it passed.
fn outcomes(config: &str) -> Vec<(String, bool, bool)> {
    let mut test = Test::new(&["run", "cases", "--device", "browser", "--report-dir", "r"]);
    let mut wanted = Vec::new();
    let mut add = |test: Test, name: String, page: &str, steps: &str, passes: bool| {
        let test = test.file(&format!("cases/{:02}.yaml", wanted.len()), case(&name, config, page, steps));
        wanted.push((name, passes));
        test
    };
    for (name, late, step) in LATE {
        // The page has been there for a while, as most are that are tapped.
        let steps = format!("- assert_visible: Go\n- sleep: 0.6\n- tap_element: Go\n- {step}\n");
        let passes = *name == "value";
        test = add(test, format!("{name} late"), &LATER.replace("LATE", late), &steps, passes);
        test = add(test, format!("{name} never"), &LATER.replace("LATE", ""), &steps, true);
    }
    for (name, page, steps, passes) in others() {
        test = add(test, name.to_owned(), &page, steps, passes);
    }
    let output = test.command().env_remove("UIXT_BROWSER").output().expect("the program starts");
    let summary = test.ran(&output).code(1).json("r/summary.json");
    let outcome = |name: &str| {
        let case = items(&summary["cases"]).iter().find(|case| text(&case["name"]) == name);
        case.map_or(Value::Null, |case| case["outcome"].clone())
    };
    let told = |(name, passes): (String, bool)| {
        let has_passed = outcome(&name) == "passed";
        (name, passes, has_passed)
    };
    wanted.into_iter().map(told).collect()
}

fn assert_as_wanted(config: &str) {
    let wrong: Vec<_> = outcomes(config).into_iter().filter(|(_, wanted, passed)| wanted != passed).collect();
    assert!(wrong.is_empty(), "name, whether it must pass, whether it did: {wrong:#?}");
}

#[test]
fn what_comes_a_moment_later_is_waited_for_by_devtools() {
    assert_as_wanted("{width: 600}");
}

#[test]
fn what_comes_a_moment_later_is_waited_for_by_webdriver() {
    assert_as_wanted("{width: 600, driver: chromedriver, protocol: webdriver}");
}
