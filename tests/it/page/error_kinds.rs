//! Whose fault it is that a step on a page did not do what it says: what the page does not take fails the test, what the file says wrong
//! and what nobody can do are errors.

use crate::support::site::{on, on_view};
use crate::support::{Ran, Test, items};

/// A step that gives the page another body.
fn body(html: &str) -> String {
    format!("- evaluate: \"document.body.innerHTML = `{html}`\"\n")
}

const FIELDS: &str = "<input id=free aria-label=Free><input readonly aria-label=Locked value=x><input type=number \
                      aria-label=Count><input type=range min=1 max=9 aria-label=Level><input type=date aria-label=Day><div role=textbox contenteditable aria-label=Rich></div><select \
                      aria-label=Size><option>A<option>B</select><input type=file aria-label=File><input type=file multiple \
                      aria-label=Files><button>Plain</button><h1>Title</h1>";

#[test]
fn what_a_page_does_not_take_fails_the_test() {
    let right = "- input: {text: a, into: Free}
- input: {text: '7', into: Count}
- input: {text: 2024-12-31, into: Day}
- select_option: {option: B, from: Size}
- upload: {files: case.yaml, into: File}
- upload: {files: [case.yaml, case.yaml], into: Files}
- evaluate: document.title
";
    let wrong = [
        ("input: {text: a, into: Locked}", "only to be read (readonly)"),
        ("sim_input: {text: a, into: Locked}", "only to be read (readonly)"),
        ("clear_text: {into: Locked}", "only to be read (readonly)"),
        ("input: {text: abc, into: Count}", "does not take \"abc\": write a number"),
        ("input: {text: '12', into: Level}", "does not take \"12\": it takes"),
        ("input: {text: 31.12.2024, into: Day}", "write 2024-12-31"),
        ("select_option: {option: [A, B], from: Size}", "takes one option, not several"),
        ("select_option: {option: C, from: Size, timeout: 0.3}", "has no option \"C\""),
        ("select_option: {option: C, from: Plain, timeout: 0.3}", "is no `<select>`"),
        ("upload: {files: [case.yaml, case.yaml], into: File}", "takes one file, not 2"),
        ("upload: {files: case.yaml, into: Plain, timeout: 0.3}", "opened no file chooser"),
        ("evaluate: nothing.here", "the script threw: ReferenceError"),
        ("evaluate: JSON.parse('<html>')", "the script threw: SyntaxError"),
        ("evaluate: '() => Promise.reject(new Error(\"no\"))'", "the script threw: Error: no"),
        ("forward: {}", "there is no page after this one"),
    ];
    on("odd.html", &(body(FIELDS) + right)).code(0);
    for (step, said) in wrong {
        on("odd.html", &(body(FIELDS) + &format!("- {step}\n"))).code(1).says("step 3, ").says(said);
    }
    for (step, said) in [wrong[0], wrong[1], wrong[4], wrong[12], wrong[14]] {
        let steps = body(FIELDS) + &format!("- {step}\n");
        let said = said.split(": ").next().unwrap_or_default().replace("the script threw", "not valid JSON");
        on_view("driver: chromedriver, protocol: webdriver", "odd.html", &steps).code(1).says(&said);
    }
}

#[test]
fn what_the_file_says_wrong_and_what_cannot_be_done_are_errors() {
    for way in ["width: 900", "driver: chromedriver, protocol: webdriver"] {
        on_view(way, "odd.html", "- evaluate: let a = ;\n").code(3).says("step 2, ");
    }
    on("odd.html", "- evaluate: 1 / 0\n").code(3).says("for which JSON has no word");
    on("odd.html", &(body(FIELDS) + "- upload: {files: none.txt, into: File}\n")).code(3).says("none.txt");
    on("odd.html", &(body(FIELDS) + "- tap_element: {text: Plain}\n- set_ime: x\n")).code(3).says("cannot");
    on("odd.html", "- evaluate: \"while (true);\"\n").code(3);
}

/// Runs steps after a snapshot, to which refs are written as `{ref}`, with the one that the element of a name has.
fn by_ref(name: &str, step: &str) -> Ran {
    let steps = format!(
        "{}- snapshot: {{}}\n  save: seen\n- evaluate: {{script: '(seen, name) => Number(seen.split(/\\n/).find((line) => /^e\\d/.test(line) && line.includes(name)).match(/^e(\\d+)/)[1])', args: [$seen, {name}]}}\n  save: found\n- {step}\n",
        body(FIELDS)
    );
    on("odd.html", &steps)
}

#[test]
fn what_takes_no_text_is_refused_at_once_by_its_ref() {
    for step in [
        "browser_type: {ref: 'e${found}', text: hello}",
        "browser_type: {ref: 'e${found}', text: ''}",
        "browser_input_text: {index: $found, text: hello}",
        "input: {text: hello, into: {ref: 'e${found}'}}",
        "sim_input: {text: hello, into: {ref: 'e${found}'}}",
        "clear_text: {into: {ref: 'e${found}'}}",
    ] {
        let ran = by_ref("Title", step).code(1).says("takes no text");
        // Whoever waited for it to take text would wait 10 s.
        let summary = ran.json("r/summary.json");
        let took = items(&summary["cases"][0]["steps"]).last().and_then(|step| step["elapsed_ms"].as_u64());
        assert!(took.is_some_and(|took| took < 9000), "{step}: {took:?}");
        by_ref("Free", step).code(0);
    }
    by_ref("Plain", "browser_get_dropdown_options: {index: $found}").code(1).says("is not a drop-down menu");
    by_ref("Size", "browser_get_dropdown_options: {index: $found}").code(0);
    let test = Test::new(&["check", "case.yaml"])
        .file("case.yaml", "config: {name: X, browser: {width: 900}}\nteststeps:\n- input: {into: Free}\n");
    test.run().code(2).says("text");
}
