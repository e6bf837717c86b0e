//! Flows that are recorded by a mouse and keys alone, on the studio's page: they read as a person writes them, pass whenever they are run, and fail where
//! the page is another.

use std::path::Path;

use serde_json::{Value, json};

use super::served::Served;
use crate::support::counterparts::program;
use crate::support::goals::{phone, with_texts};
use crate::support::npm::{clients, node};
use crate::support::{Test, items, text};

pub(super) const PROJECT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/");

/// Returns how often each testcase is run: `UIXT_REPLAYS`, or once.
fn replays() -> String {
    std::env::var("UIXT_REPLAYS").unwrap_or_else(|_| "1".to_owned())
}

/// Records the flows of a file on a page of the studio, which axe judges where that is asked for; none where there is no Playwright.
fn recorded(test: &Test, flows: &str, judge: &str) -> Option<Value> {
    program("chromium");
    let folder = clients()?;
    let served = Served::start(test);
    let address = format!("http://{}/studio/?token={}", served.address, served.token);
    let script = format!("{PROJECT}tests/clients/studio.mjs");
    let flows = format!("{PROJECT}tests/it/studio/{flows}");
    let (is_content, stdout, stderr) =
        node(&folder, &[&script, &folder.display().to_string(), &address, &flows, judge]);
    assert!(is_content, "{stdout}{stderr}");
    let seen: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"));
    assert_eq!((&seen["violations"], &seen["errors"]), (&json!([]), &json!([])), "{seen:#}");
    for (file, testcase) in seen["recorded"].as_object().expect("testcases") {
        let written = std::fs::read_to_string(test.path(file)).expect("it was saved");
        assert_eq!(written, text(testcase), "{file}");
        assert!(!written.contains("{x:") && !written.contains("sleep"), "{written}");
    }
    Some(seen)
}

/// Runs what was recorded, from its project; returns the exit code and what was told.
fn replayed(test: &Test, arguments: &[&str]) -> (i32, String) {
    let runs = Test::new(&[&["run"], arguments].concat());
    let mut command = runs.command();
    command.current_dir(test.path("")).env("UIXT_DATA_DIR", test.path("data")).env("PASSWORD", "secret123");
    command.env_remove("UIXT_BROWSER");
    let output = command.output().expect("the program starts");
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Reads the flows of a file.
fn flows(file: &str) -> Value {
    let flows = std::fs::read_to_string(format!("{PROJECT}tests/it/studio/{file}")).expect("flows");
    serde_json::from_str(&flows).expect("JSON")
}

/// Runs everything where the app is another, and sees that nothing passes.
fn tells_mutants(test: &Test, flows: &Value, more: &[&str]) {
    let arguments = [&["testcases", "--no-history", "--report-dir", "mutants"], more].concat();
    let (code, told) = replayed(test, &arguments);
    let summary = std::fs::read_to_string(test.path("mutants/summary.json")).expect("a summary");
    let summary: Value = serde_json::from_str(&summary).expect("JSON");
    assert_eq!((code, &summary["totals"]["failed"]), (1, &json!(items(flows).len())), "a mutant passes: {told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_clicked_on_a_phone_is_a_testcase() {
    for (file, step) in [("phone.json", "scroll_to: About phone"), ("phone_zh.json", "assert_visible: \"欢迎，小明\"")]
    {
        let test = Test::new(&["studio", "--port", "0"]).file("uixt.yaml", "device: phone\n");
        let Some(seen) = tokio::task::block_in_place(|| recorded(&test, file, "")) else { return };
        assert!(seen["recorded"].to_string().contains(&step.replace('"', "\\\"")), "{seen:#}");
        let (code, told) = tokio::task::block_in_place(|| replayed(&test, &["testcases", "--repeat", &replays()]));
        assert_eq!(code, 0, "{told}{seen:#}");
        let flows = flows(file);
        let changes: Vec<[&str; 3]> =
            items(&flows).iter().map(|flow| [0, 1, 2].map(|at| text(&flow["mutant"][at]))).collect();
        let other = phone(&with_texts(&changes)).await;
        let server = other.address().to_string();
        let device = ["--device", "android:uixt-phone", "--adb-server", &server];
        tokio::task::block_in_place(|| tells_mutants(&test, &flows, &device));
    }
}

/// Puts tests/site into a test's folder, from where its project serves it, and a file that pages are given.
pub(super) fn with_site(mut test: Test) -> Test {
    test = test.file("uixt.yaml", "device: browser\nserve: site\n").file("notes.txt", "a note");
    for entry in std::fs::read_dir(format!("{PROJECT}tests/site")).expect("a site") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            test = test.file(&format!("site/{name}"), std::fs::read_to_string(&path).expect("a text"));
        }
    }
    test
}

/// Checks that the testcases of flows pass, and that each fails where its page is another.
pub(super) fn judge(test: &Test, flows: &str, seen: &Value) {
    let (code, told) = replayed(test, &["testcases", "--repeat", &replays(), "-j", "2"]);
    assert_eq!(code, 0, "{told}{seen:#}");
    let flows = self::flows(flows);
    for flow in items(&flows) {
        let [page, before, after] = [0, 1, 2].map(|at| text(&flow["mutant"][at]));
        let place = test.path("site").join(Path::new(page));
        let whole = std::fs::read_to_string(&place).expect("a page");
        assert!(whole.contains(before), "{page}: {before}");
        std::fs::write(&place, whole.replace(before, after)).expect("a page");
    }
    tells_mutants(test, &flows, &["-j", "4"]);
}

#[test]
fn what_is_clicked_on_pages_is_a_testcase_that_tells_other_pages() {
    let test = with_site(Test::new(&["studio", "--port", "0"]));
    let Some(seen) = recorded(&test, "pages.json", "axe") else { return };
    let dragged = "- name: Drag and drop\n  drag_to: {from: {id: item}, to: Drop the parcel here}\n";
    assert!(text(&seen["recorded"]["testcases/drag.yaml"]).contains(dragged), "{seen:#}");
    judge(&test, "pages.json", &seen);
}

#[test]
fn what_is_drawn_on_a_canvas_is_a_testcase() {
    let test = with_site(Test::new(&["studio", "--port", "0"]));
    let Some(seen) = recorded(&test, "canvas.json", "") else { return };
    let bought = "- tap: {text: 立即购买, source: pixels}\n- assert_visible: {text: 订单已提交, source: pixels}\n";
    assert!(text(&seen["recorded"]["testcases/canvas.yaml"]).ends_with(bought), "{seen:#}");
    judge(&test, "canvas.json", &seen);
}
