//! Pages on which it is easy to say something untrue: touches that go through, lines that are broken, styled controls, lists that fill
//! late, and frames under transforms.

use crate::support::counterparts::program;
use crate::support::site::serve;
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
    let output = test.web_command().output().expect("the program starts");
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
- assert_attribute: {id: link, attribute: hrefx, exists: true, timeout: 0.2}
",
    );
    for said in [
        "\"Through\": there, but touches go through it to body",
        "\"Linked through\": there, but touches go through it to body",
        "\"Hello world\": still there",
        "id alone: is there, but",
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
- assert_count: {{selector: .r, equals: 6000, timeout: 1}}
"
    );
    // What is far behind is found where its selector says which it is.
    let far = "const last = document.createElement('button'); last.id = 'last'; last.innerHTML = '<i>The</i> last'; document.body.append(last); \
               last.onclick = () => document.title = 'far touched'";
    let reached = format!(
        "- evaluate: \"{rows}\"
- evaluate: \"(() => {{ {far} }})()\"
- assert_visible: {{selector: '#last'}}
- assert_text: {{selector: 'p:has-text(\\\"Row 8990\\\")', equals: Row 8990}}
- tap_element: {{selector: 'body > button'}}
- assert_title: far touched
- assert_count: {{selector: .r, at_least: 5000, timeout: 20}}
- assert_count: {{selector: .r, at_least: 8000, timeout: 1}}
"
    );
    on("odd.html", &reached).code(1).says("step 9, ").says("selector .r: not among what was told of the page");
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

#[test]
fn a_box_that_is_checked_in_part_is_neither_on_nor_off() {
    let boxes = "<label><input type=checkbox id=all> All</label><button aria-pressed=mixed>Bold</button>";
    let steps = format!(
        "- evaluate: \"(() => {{ document.body.innerHTML = `{boxes}`; document.getElementById('all').indeterminate = true }})()\"
- snapshot: {{}}
  save: seen
- assert_value: {{value: $seen, contains: 'checkbox \"All\" #all mixed'}}
- assert_state: {{text: All, checked: false, timeout: 0.2}}
- assert_state: {{text: Bold, checked: true, timeout: 0.2}}
- set_cookie: {{name: a, value: b, expires: 1000}}
"
    );
    on("odd.html", &steps)
        .code(3)
        .says("checkbox \"All\" #all is checked in part (mixed)")
        .says("button \"Bold\" is checked in part (mixed)")
        .says("step 7, case.yaml:10:3: set_cookie")
        .says("`expires` has passed (1000; now it is");
}

#[test]
fn what_html_says_of_controls_and_texts_is_so() {
    let fieldset = "<fieldset disabled><legend><button onclick=document.title=1>Leg</button></legend><button>Off</button></fieldset>";
    let lists = "<p id=h>x<span style=display:block>y</span>z</p><ul><li>Milk <button onclick=document.title=2>Add</button></li><li>Milk shake \
                 <button onclick=document.title=3>Add</button></li></ul>";
    let bar = "<div style='position:fixed;top:0;left:0;right:0;height:70%;background:#eee'>Bar</div><p style=height:2000px></p><button \
               onclick=document.title=4>Under</button><p style=height:2000px></p>";
    let set = |html: &str| format!("- evaluate: \"document.body.innerHTML = `{html}`\"\n");
    on(
        "odd.html",
        &[
            set(fieldset),
            "- tap_element: Leg\n- assert_title: '1'\n- assert_state: {text: 'Off', enabled: false}\n".to_owned(),
            set(lists),
            "- assert_text: {id: h, equals: x y z}\n- tap_element: {text: Add, near: Milk}\n- assert_title: '2'\n"
                .to_owned(),
            "- tap_element: {text: Add, within: {role: listitem, index: 1}}\n- assert_title: '3'\n".to_owned(),
            "- evaluate: \"setTimeout(() => document.title = [confirm(1), confirm(2), prompt(3)].join())\"\n- accept_dialog: {}\n- \
             dismiss_dialog: {}\n- accept_dialog: {text: five}\n- assert_title: 'true,false,five'\n".to_owned(),
            set(bar),
            "- tap_element: {text: Under, timeout: 3}\n- assert_title: '4'\n".to_owned(),
        ]
        .concat(),
    )
    .code(0);
}

#[test]
fn a_text_goes_into_the_field_that_is_named_or_nowhere() {
    let set = |html: &str| format!("- evaluate: \"document.body.innerHTML = `{html}`\"\n");
    let fields = "<input role=combobox aria-label=Cb id=cb><input aria-label=Ot id=ot><input list=dl aria-label=Li id=li><input aria-label=Pw \
                  type=password><datalist id=dl><option>x</datalist>";
    let steps = "- input: {text: bb, into: Cb}\n- input: {text: ll, into: {id: li}}\n- assert_text: {id: cb, equals: bb}
- assert_text: {id: ot, equals: ''}\n- assert_text: {id: li, equals: ll}\n- clear_text: {into: Cb}\n- assert_text: {id: cb, equals: ''}\n";
    on("odd.html", &(set(fields) + steps)).code(0);
    let others = "<p id=p>Pa</p><input aria-label=One><button>Go</button><input aria-label=Two><select id=s aria-label=Se><option>a</select><input \
                  aria-label=Three>";
    let refused = "- input: {text: x, into: {id: p}, timeout: 0.2}\n- input: {text: y, into: Go, timeout: 0.2}
- input: {text: z, into: Se, timeout: 0.2}\n- evaluate: \"[...document.querySelectorAll('input')].map((it) => it.value).join('')\"\n  save: held
- assert_value: {value: $held, equals: ''}\n";
    let ran = on("odd.html", &(set(others) + refused)).code(1);
    for said in ["step 3, ", "step 4, ", "step 5, ", "takes no text"] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    assert!(!ran.stderr.contains("step 7, "), "{}", ran.stderr);
    on(
        "odd.html",
        &(set("<p>Name</p><input id=n>") + "- input: {text: a, into: Name}\n- assert_text: {id: n, equals: a}\n"),
    )
    .code(0);
}

#[test]
fn numbers_that_json_has_no_word_for_are_not_given_as_null() {
    let ran =
        on("odd.html", "- evaluate: 10n\n- evaluate: '() => Promise.resolve(0 / 0)'\n- evaluate: String(1 / 0)\n")
            .code(3);
    for said in ["step 2, ", "it gives 10,", "step 3, ", "it gives NaN, for which JSON has no word"] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    assert!(!ran.stderr.contains("step 4, "), "{}", ran.stderr);
}

#[test]
fn what_a_selector_alone_selects_is_counted_on_any_page() {
    let table = "document.body.innerHTML = '<table>' + Array.from({length: 5000}, (_, i) => '<tr class=r><td>Name ' + i + '</td><td>Row</td></tr>').join('') \
                 + '</table>'";
    let rows = format!("- evaluate: \"{table}\"\n");
    let holds = "- assert_count: {selector: .r, equals: 5000}\n- assert_count: {selector: '.r:nth-child(2n)', equals: 2500}\n- assert_not_visible: \
                 {selector: .r.gone}\n";
    on("odd.html", &(rows.clone() + holds)).code(0);
    let fails = "- assert_count: {selector: .r, equals: 4999, timeout: 0.3}\n- assert_not_visible: {selector: 'tr:last-child', timeout: 0.3}
- assert_not_visible: {text: Name 4990, timeout: 0.3}\n- assert_visible: {text: Row, within: {role: row, text: Name 4990}, timeout: 0.3}
- assert_not_visible: {selector: '.r.gone:has-text(\"x\")', timeout: 0.3}\n";
    let ran =
        on("odd.html", &(rows + fails)).code(1).says("selector .r: 5000 there within 0.3 s, not 4999").says("step 4, ");
    let ran =
        ran.says("step 5, ").says("name it by `selector` alone").says("is not there among what was told of the page");
    ran.says("a selector alone, of fewer elements, tells for certain");
}
