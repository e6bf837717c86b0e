//! `uixt report --trace`, held to Playwright's own trace viewer: its files are served on loopback and opened in Chromium.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::counterparts::program;
use crate::support::{Ran, Test, items, text};

/// Returns the viewer's folder; says so where `tests/all.sh` could not fetch it.
fn viewer() -> Option<PathBuf> {
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/mcp-clients/node_modules/playwright-core");
    let viewer = core.join("lib/vite/traceViewer");
    if !viewer.join("index.html").is_file() {
        eprintln!("skipped: tests/all.sh could not install npm's playwright-core into target/mcp-clients");
        return None;
    }
    Some(viewer)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("files").flatten() {
        let target = to.join(entry.file_name());
        match entry.file_type().expect("a kind").is_dir() {
            true => copy(&entry.path(), &target),
            false => _ = fs::copy(entry.path(), target).expect("a copy"),
        }
    }
}

fn run_in_browser(test: &Test) -> std::process::Output {
    test.web_command().output().expect("the program starts")
}

/// What the viewer is asked once a trace is open.
const TITLES: &str = "(() => [...document.querySelectorAll('.action-title')].map((title) => title.textContent))()";
const FRAMES: &str = "(() => document.querySelectorAll('.film-strip-frame').length)()";
const SHOWN: &str = "(() => document.querySelector('.aria-mode-screenshot img')?.naturalWidth ?? 0)()";

/// Opens a trace in the viewer; returns what it shows: titles, pictures in its strip, the width of the picture of the last action, and
/// what its tab of sources says.
fn shown(viewer: &Path, trace: &Path) -> Value {
    let steps = format!(
        "config: {{name: Look, browser: {{width: 1400, height: 900}}, export: [titles, frames, width]}}\nteststeps:\n\
         - open_url: /index.html?trace=/trace.zip\n- wait_for: {{selector: .action-title, timeout: 30}}\n\
         - evaluate: {titles}\n  save: titles\n- tap_element: {{selector: .action-title, index: -1}}\n\
         - tap_element: Source\n- wait_for: {{text: 'teststeps:', timeout: 30}}\n- evaluate: {frames}\n  save: frames\n\
         - evaluate: {shown}\n  save: width\n",
        titles = json!(TITLES),
        frames = json!(FRAMES),
        shown = json!(SHOWN),
    );
    let test = Test::new(&["run", "look.yaml", "--report-dir", "r"])
        .file("look.yaml", steps)
        .file("uixt.yaml", "device: browser\nserve: site\n");
    copy(viewer, &test.path("site"));
    fs::copy(trace, test.path("site/trace.zip")).expect("a trace");
    let output = run_in_browser(&test);
    let ran = test.ran(&output).code(0);
    ran.json("r/summary.json")["cases"][0]["exports"].clone()
}

/// Runs a testcase of pages and makes its trace.
fn traced(case: &str) -> Ran {
    let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/site");
    let test = Test::new(&["run", "case.yaml", "--screenshots", "step", "--report-dir", "r"])
        .file("case.yaml", case)
        .file("uixt.yaml", "device: browser\nserve: site\n");
    copy(&site, &test.path("site"));
    let output = run_in_browser(&test);
    test.ran(&output)
}

const FORM: &str = "config: {name: Does not save}
teststeps:
- open_url: /forms.html
- input: {text: s3cret-word, into: Password, secret: true}
- name: Send it
  tap_element: Save
- get_text: {role: heading}
  save: title
  validate: [{equals: [$title, Registration]}]
- assert_visible: {text: Saved by nobody, timeout: 0.5}
";

#[test]
fn playwright_s_viewer_shows_the_steps_of_a_run() {
    program("chromium");
    let Some(viewer) = viewer() else { return };
    let ran = traced(FORM).code(1).then(&["report", "r", "--trace", "--output", "one.zip"]).code(0).prints("one.zip");
    let bytes = fs::read(ran.path("one.zip")).expect("a trace");
    assert!(!bytes.windows(11).any(|part| part == b"s3cret-word"), "a secret stands in the trace");
    let summary = ran.json("r/summary.json");
    let steps = items(&summary["cases"][0]["steps"]);
    let told = shown(&viewer, &ran.path("one.zip"));
    assert_eq!(steps.len(), 5, "{steps:?}");
    // What a step called stands below it, and is folded where all of it passed.
    let titles = items(&told["titles"]);
    assert_eq!(titles.len(), steps.len(), "{titles:?}");
    let expected = [
        "open_url /forms.html",
        "input text=\"••••••\" into=Password",
        "Send it: tap_element Save",
        "get_text role",
        "assert_visible",
    ];
    for (title, begin) in titles.iter().zip(expected) {
        assert!(text(title).starts_with(begin), "{title} is not {begin}");
    }
    assert!(told["frames"].as_u64().is_some_and(|frames| frames > 0), "no picture in the strip: {told:?}");
    assert_eq!(told["width"], 1280, "the picture of the failure: {told:?}");
}

#[test]
fn a_phone_s_case_is_a_trace_and_errors_say_what_to_name() {
    let case = |name: &str| {
        format!("config: {{name: {name}}}\nteststeps:\n- app_launch: com.uixt.shop\n- assert_visible: Sign in\n")
    };
    let ran =
        Test::new(&["run", "a.yaml", "b.yaml", "--device", "phone", "--screenshots", "step", "--report-dir", "r"])
            .file("a.yaml", case("A"))
            .file("b.yaml", case("B"))
            .run()
            .code(0);
    let ran =
        ran.then(&["report", "r", "--trace"]).code(0).prints("r/traces/a-yaml-0.zip").prints("r/traces/b-yaml-0.zip");
    let ran = ran
        .then(&["report", "r", "--trace", "--output", "x.zip"])
        .code(2)
        .says("2 cases have steps: a.yaml#0, b.yaml#0");
    let ran = ran.then(&["trace", "r", "--output", "x.zip", "--case", "c"]).code(2).says("valid: a.yaml#0, b.yaml#0");
    let ran = ran.then(&["report", "r", "--trace", "--output", "x.zip", "--case", "b.yaml#0"]).code(0);
    if let Some(viewer) = viewer() {
        program("chromium");
        let told = shown(&viewer, &ran.path("x.zip"));
        assert_eq!(items(&told["titles"]).len(), 2, "{told:?}");
        assert_eq!(told["width"], 1080, "the phone's picture: {told:?}");
    }
    ran.then(&["report", "nowhere", "--trace"]).code(2).says("name the report folder of a run");
}
