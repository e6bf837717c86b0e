//! `--video`: what is filmed of phones and of pages, what is kept of it, and how the report plays it.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::counterparts::program;
use crate::support::{Ran, Test};

/// A page whose text changes ten times a second.
const PAGE: &str = "<!doctype html><title>Clock</title><style>p{font-size:90px}</style><p id=p>0</p><button>Go</button>\
    <script>let n = 0; setInterval(() => { p.textContent = ++n }, 100)</script>";

fn of_page(name: &str, last: &str) -> String {
    format!(
        "config: {{name: {name}}}\nteststeps:\n- open_url: /clock.html\n- sleep: 0.7\n- tap_element: Go\n- {last}\n"
    )
}

fn in_browser(test: &Test) -> std::process::Command {
    let mut command = test.command();
    command.env_remove("UIXT_BROWSER");
    command
}

fn pages(arguments: &[&str]) -> Test {
    Test::new(arguments)
        .file("uixt.yaml", "device: browser\nserve: site\n")
        .file("site/clock.html", PAGE)
        .file("bad.yaml", of_page("Bad", "assert_visible: {text: Nobody, timeout: 0.5}"))
        .file("good.yaml", of_page("Good", "assert_visible: Go"))
}

/// Returns the lines of a video's index.
fn index(ran: &Ran, case: &str) -> Vec<Value> {
    let text = ran.read(&format!("r/videos/{case}/index.jsonl"));
    text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect()
}

/// Returns the first bytes of a file.
fn head(path: &Path) -> [u8; 12] {
    let mut head = [0; 12];
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut head)).expect("a file");
    head
}

#[test]
fn pages_are_filmed_and_only_what_failed_is_kept() {
    program("chromium");
    let test = pages(&["run", "bad.yaml", "good.yaml", "--video", "failed", "--report-dir", "r"]);
    let output = in_browser(&test).output().expect("the program starts");
    let ran = test.ran(&output).code(1);
    let lines = index(&ran, "bad-yaml-0");
    assert_eq!(lines[0], json!({"case": "bad.yaml#0"}));
    let frames: Vec<&str> = lines.iter().filter_map(|line| line["frame"][0].as_str()).collect();
    assert!(frames.len() >= 5, "{lines:?}");
    for frame in frames {
        assert_eq!(head(&ran.path(&format!("r/videos/bad-yaml-0/{frame}")))[..3], [0xff, 0xd8, 0xff]);
    }
    assert!(!ran.path("r/videos/good-yaml-0").exists());
    assert!(ran.read("r/report.html").contains("videos/bad-yaml-0"));
}

/// What a report's page is asked about its film: how many moments, where it stands, whether it plays, what its video is.
const ASKED: &str = "(() => { const film = document.querySelector('.film'), range = film.querySelector('[type=range]'), \
    video = film.querySelector('video'); return [film.querySelectorAll('.thumbs button').length, Number(range.value), \
    film.querySelector('output').textContent, video && [video.videoWidth, video.videoHeight, Math.round(video.duration * 10)], \
    document.querySelector('.here')?.value ?? 0] })()";

/// Opens a report's page and goes through its film by keys; returns what it says before and after.
fn played(report: &Path) -> (Value, Value) {
    let address = format!("file://{}/report.html", report.display());
    let steps = format!(
        "config: {{name: Look, export: [before, after]}}\nteststeps:\n- open_url: {address}\n- wait_for: {{selector: .film, timeout: 10}}\n\
         - evaluate: {seek}\n- evaluate: {asked}\n  save: before\n- evaluate: {focus}\n- press_key: ArrowLeft\n- evaluate: {asked}\n  save: after\n",
        // A video tells its size once it has come.
        seek = json!(
            "new Promise((done) => { const v = document.querySelector('.film video'); if (!v || v.readyState > 0) done(1); else v.addEventListener('loadedmetadata', () => done(1)) })"
        ),
        asked = json!(ASKED),
        focus = json!("document.querySelector('.film').focus()"),
    );
    let test = Test::new(&["run", "look.yaml", "--device", "browser", "--report-dir", "r"]).file("look.yaml", steps);
    let output = in_browser(&test).output().expect("the program starts");
    let ran = test.ran(&output).code(0);
    let exports = &ran.json("r/summary.json")["cases"][0]["exports"];
    (exports["before"].clone(), exports["after"].clone())
}

#[test]
fn phones_side_by_side_are_filmed_and_the_report_plays_it() {
    program("chromium");
    let case = |name: &str, end: &str| {
        format!(
            "config: {{name: {name}}}\nteststeps:\n- app_launch: com.uixt.shop\n- input: {{text: ming, into: User name}}\n- sleep: 0.5\n- {end}\n"
        )
    };
    let arguments = [
        "run",
        "a.yaml",
        "b.yaml",
        "--device",
        "phone",
        "-j",
        "2",
        "--video",
        "all",
        "--screenshots",
        "step",
        "--report-dir",
        "r",
    ];
    let ran = Test::new(&arguments)
        .file("a.yaml", case("A", "assert_visible: {text: Nobody, timeout: 0.5}"))
        .file("b.yaml", case("B", "assert_visible: Sign in"))
        .run()
        .code(1);
    for case in ["a-yaml-0", "b-yaml-0"] {
        let lines = index(&ran, case);
        let part = &lines[1]["part"];
        assert!(part[2].as_u64().is_some_and(|ms| ms >= 500), "{lines:?}");
        let file = format!("r/videos/{case}/{}", part[0].as_str().expect("a file"));
        assert_eq!(&head(&ran.path(&file))[4..8], b"ftyp");
    }
    let (before, after) = played(&ran.path("r"));
    assert_eq!((&before[3][0], &before[3][1]), (&json!(1080), &json!(2400)), "{before}");
    assert!(before[3][2].as_u64().is_some_and(|tenths| tenths >= 5), "{before}");
    // It stands at what failed, the last step; an arrow goes one back, and marks its row.
    assert_eq!(before[0].as_u64(), Some(4), "{before}");
    assert_eq!(
        (before[1].as_u64(), after[1].as_u64(), after[4].as_u64()),
        (Some(3), Some(2), Some(3)),
        "{before} {after}"
    );
    // A report of several runs, here of one, plays it as well.
    let ran = ran.then(&["report", "r", "--output", "all"]).code(1);
    assert_eq!(played(&ran.path("all")), (before, after));
}

#[test]
fn a_run_that_is_killed_leaves_what_it_has_filmed() {
    program("chromium");
    let test = Test::new(&["run", "long.yaml", "--video", "all", "--report-dir", "r"])
        .file("uixt.yaml", "device: browser\nserve: site\n")
        .file("site/clock.html", PAGE)
        .file("long.yaml", "teststeps:\n- open_url: /clock.html\n- sleep: 60\n");
    let mut running =
        in_browser(&test).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    let index_file = test.path("r/videos/long-yaml-0/index.jsonl");
    let end = Instant::now() + Duration::from_secs(30);
    while fs::read_to_string(&index_file).map_or(0, |text| text.lines().count()) < 6 {
        assert!(Instant::now() < end, "nothing was filmed");
        std::thread::sleep(Duration::from_millis(50));
    }
    running.kill().expect("it ends");
    running.wait().expect("it has ended");
    let ran = test.then(&["report", "r"]).code(3);
    assert!(index(&ran, "long-yaml-0").len() >= 6);
    assert!(ran.read("r/report.html").contains("data-film="));
}

#[test]
fn what_cannot_be_filmed_is_a_warning_and_no_failure() {
    program("chromedriver");
    let test = Test::new(&["run", "a.yaml", "--video", "all", "--report-dir", "r"])
        .file("uixt.yaml", "device: browser\nserve: site\n")
        .file("site/clock.html", PAGE)
        .file("a.yaml", "config: {name: A, browser: {driver: chromedriver, protocol: webdriver}}\nteststeps:\n- open_url: /clock.html\n- assert_visible: Go\n");
    let output = in_browser(&test).output().expect("the program starts");
    let ran = test.ran(&output).code(0);
    assert!(ran.read("r/journal.jsonl").contains("no video, or not all of it: browser cannot film pages by WebDriver"));
    assert!(!ran.read("r/report.html").contains("data-film="));
}
