//! Frames of other sites, and choosers for files that scripts open: 127.0.0.1 and localhost are two sites, and a port is another
//! origin of the same one. What happened is read from the log of the page around them.

use crate::support::counterparts::program;
use crate::support::site::serve;
use crate::support::{Ran, Test};

/// Runs steps in a browser that is driven as `config` says, beside files.
fn ran(config: &str, steps: &str) -> Ran {
    program("chromium");
    let case = format!("config: {{name: Far, browser: {{width: 1000, height: 700, {config}}}}}\nteststeps:\n{steps}");
    let test = Test::new(&["run", "case.yaml", "--report-dir", "r", "--device", "browser"]).file("case.yaml", case);
    let test = test.file("a.txt", "first").file("b.txt", "second");
    let output = test.web_command().output().expect("the program starts");
    test.ran(&output)
}

/// Returns the address of the page whose frames are of other sites, and the steps that use what is in them.
fn far_steps() -> String {
    let (site, near) = (serve(), serve());
    let port = near.rsplit(':').next().unwrap_or_default();
    format!(
        "- open_url: {site}/frames_far.html?near={port}
- assert_visible: {{role: button, text: Far button}}
- input: {{text: 张三 😀, into: Far field}}
- tap_element: Far button
- assert_visible: far clicked 张三 😀
- tap_element: {{role: button, text: Nested button}}
- assert_visible: Nested clicked
- tap_element: Near button
- assert_visible: Near clicked
- select_option: [Two, Far choice]
- assert_visible: chose Two
- assert_text: {{label: Far choice, equals: Two}}
- assert_count: {{selector: button.far, equals: 4}}
- get_attribute: {{attribute: readonly, selector: '#locked'}}
- input: {{text: ' and more', into: Far field}}
- tap_element: Far button
- assert_visible: far clicked 张三 😀 and more
- clear_text: {{into: Far field}}
- assert_text: {{label: Far field, equals: ''}}
- upload: [a.txt, Far file]
- assert_visible: file a.txt
- input: {{text: here, into: Outer field}}
- input: {{text: ' too'}}
- assert_text: {{label: Outer field, equals: here too}}
- tap_element: {{role: button, text: Far deep}}
- assert_visible: deep clicked
- assert_not_visible: Nothing of the kind
"
    )
}

#[test]
fn what_stands_in_frames_of_other_sites_is_found_and_acted_on() {
    let more = "- upload: {files: b.txt, into: Far chooser}\n- assert_visible: file b.txt\n";
    ran("", &(far_steps() + more)).code(0);
    let ran = ran("", &(far_steps() + "- input: {text: x, into: Far locked}\n")).code(1);
    ran.says("only to be read");
}

#[test]
fn webdriver_alone_looks_into_frames_of_other_sites_too() {
    program("chromedriver");
    ran("driver: chromedriver, protocol: webdriver", &far_steps()).code(0);
}

#[test]
fn what_lies_over_a_frame_of_another_site_is_named() {
    let steps = format!(
        "- open_url: {}/frames_far.html\n- assert_visible: Far button\n- tap_element: Cover\n- tap_element: {{role: button, text: Far button, timeout: 0.5}}\n",
        serve()
    );
    ran("", &steps).code(1).says("div#veil \"Please wait\" lies over it");
}

#[test]
fn a_frame_that_does_not_answer_holds_up_nothing_and_is_told() {
    let steps = format!(
        "- open_url: {}/frames_far.html?hung
- sleep: 0.5
- assert_visible: Outer field
- snapshot:
  save: {{told: snapshot}}
- assert_value: {{value: $told, contains: 'frame of another site: not readable by this driver'}}
- input: {{text: works, into: Outer field}}
- assert_not_visible: {{text: Hung text, timeout: 1}}
",
        serve()
    );
    let began = std::time::Instant::now();
    let ran = ran("", &steps).code(1);
    ran.says("holds more than that");
    assert!(began.elapsed().as_secs() < 25, "{:?}", began.elapsed());
}

#[test]
fn files_are_chosen_by_what_opens_a_chooser() {
    let steps = format!(
        "- open_url: {}/upload_script.html
- tap_element: Pick one
- upload: {{files: a.txt, into: Pick one}}
- assert_visible: 'a.txt: first'
- upload: {{files: [a.txt, b.txt], into: Pick several}}
- assert_visible: 'b.txt: second'
- upload: {{files: [b.txt, a.txt], into: Pick by picker}}
- assert_count: {{selector: '#log > li', equals: 5}}
- tap_element: Pick by picker
- assert_visible: 'none: AbortError'
",
        serve()
    );
    ran("", &(steps.clone() + "- upload: {files: [a.txt, b.txt], into: Pick one}\n")).code(1).says("takes one file");
    let ran = ran("", &(steps + "- upload: {files: a.txt, into: Pick nothing}\n")).code(1);
    ran.says("opened no file chooser");
}
