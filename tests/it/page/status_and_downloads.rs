//! What a page's server answers: a status that nobody expects fails `open_url`, and a download comes whole or fails the test.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

use crate::support::site::listen;
use crate::support::{Ran, Test, items, text};

/// Serves pages of these statuses: `/404`, `/500`; `/empty` without anything to show, `/moved` to one of them.
fn serve() -> String {
    listen(answer)
}

fn answer(mut stream: TcpStream) {
    let mut lines = BufReader::new(stream.try_clone().expect("a stream")).lines();
    let first = lines.next().and_then(Result::ok).unwrap_or_default();
    while lines.next().and_then(Result::ok).is_some_and(|line| !line.is_empty()) {}
    let path = first.split(' ').nth(1).unwrap_or_default();
    let long = format!("200 OK\r\nContent-Disposition: attachment; filename=\"{}.csv\"", "n".repeat(400));
    let (status, body) = match path {
        "/404" => ("404 Not Found", "<title>Gone</title><h1>Nothing here</h1>"),
        "/500" => ("500 Internal Server Error", "<title>Broken</title><h1>Sorry</h1>"),
        "/empty" | "/404?ask" => ("404 Not Found", ""),
        "/moved" => ("302 Found\r\nLocation: /404", ""),
        "/here" => ("302 Found\r\nLocation: /fine", ""),
        "/files" => ("200 OK", FILES),
        "/report.csv" => ("200 OK\r\nContent-Disposition: attachment", "abc"),
        "/long" => (long.as_str(), "abc"),
        "/lost" => ("404 Not Found", "<title>Gone</title>"),
        // Says that more comes, and ends.
        "/cut" => ("200 OK\r\nContent-Length: 100000", "abc"),
        "/faults" => ("200 OK", FAULTS),
        "/kept" => ("200 OK", KEPT),
        "/a.pdf" => ("200 OK\r\nContent-Type: application/pdf", PDF),
        "/pdf-frame" => ("200 OK", "<h1>Doc</h1><iframe src=/a.pdf></iframe>"),
        "/pdf-embed" => ("200 OK", "<h1>Doc</h1><embed type=application/pdf src=/a.pdf>"),
        "/pdf-object" => ("200 OK", "<h1>Doc</h1><object type=application/pdf data=/a.pdf></object>"),
        "/pdf-hidden" => ("200 OK", "<h1>Doc</h1><embed type=application/pdf src=/a.pdf style=display:none>"),
        "/500?ask" => ("500 Internal Server Error", ""),
        _ => ("200 OK", "<title>Fine</title><h1>Fine</h1>"),
    };
    let length = if path == "/cut" { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
    let kind = if status.contains("Content-Type") { "" } else { "Content-Type: text/html\r\n" };
    let head = format!("HTTP/1.1 {status}\r\n{kind}{length}");
    let _ = stream.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes());
}

fn run(way: &str, steps: &str) -> Ran {
    let case = format!("config: {{name: Page, base_url: {}, browser: {{{way}}}}}\nteststeps:\n{steps}", serve());
    let test = Test::new(&["run", "case.yaml", "--report-dir", "r", "--device", "browser"]).file("case.yaml", case);
    let output = test.web_command().output().expect("the program starts");
    test.ran(&output)
}

const WAYS: [&str; 2] = ["width: 900", "driver: chromedriver, protocol: webdriver"];

#[test]
fn a_page_that_its_server_answers_with_an_error_fails_unless_that_is_expected() {
    let right = "- open_url: {url: /404, status: 404}
- assert_visible: Nothing here
- open_url: {url: /500, status: any}
- open_url: {url: /empty, status: 404}
- open_url: {url: /moved, status: 404}
- assert_title: Gone
- open_url: {url: /here, status: 200}
- open_url: about:blank
- open_url: \"data:text/html,<title>Data</title>\"
- open_url: {url: /500, status: 500}
";
    for way in WAYS {
        let ran = run(way, right).code(0);
        assert!(!ran.stderr.contains("went wrong"), "{}", ran.stderr);
        for (step, said) in [
            ("/404", "the server answered 404 for http"),
            ("/500", "write `status: 500`"),
            ("/empty", "the server answered 404"),
            ("/moved", "the server answered 404"),
            ("{url: /fine, status: 404}", "the server answered 200 for"),
            ("{url: /404, status: 500}", "the server answered 404 for"),
            ("{url: 'about:blank', status: 200}", "the HTTP status of about:blank is not known"),
        ] {
            run(way, &format!("- open_url: {step}\n")).code(1).says("step 1, ").says(said);
        }
    }
    run(WAYS[0], "- open_url: {url: /404, status: missing}\n").code(2).says("a number from 100 to 599, or any");
    run(WAYS[0], "- browser_navigate: /404\n").code(1).says("the server answered 404");
}

const FILES: &str = "<title>Files</title><a href=/report.csv>Report</a> <a download href=/lost>Lost</a> <a download href=/cut>Cut</a> \
<a target=_blank href=/long>Long</a> <a download=notes.txt id=own>Notes</a> <button onclick=\"fetch('/404?ask')\">Ask</button> \
<button onclick=\"setTimeout(() => document.links[0].click(), 300)\">Later</button> <button>Idle</button>\
<script>own.href = URL.createObjectURL(new Blob(['my notes']))</script>";

const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#[test]
fn a_file_that_was_downloaded_is_waited_for_and_kept_in_the_report() {
    let save = |name: &str| {
        format!("- wait_for: {{download: '{name}'}}\n  save: {{path: path, name: name, size: size, sum: sha256}}\n")
    };
    let report = format!(
        "- open_url: /files\n- tap_element: Later\n{}- assert_value: {{value: $name, equals: report.csv}}\n\
         - assert_value: {{value: $size, equals: 3}}\n- assert_value: {{value: $sum, equals: {ABC}}}\n\
         - shell: 'cmp \"$path\" abc'\n",
        save("*.csv")
    );
    let again = "- tap_element: Report\n- wait_for: {download: report.csv}\n  save: {path: path}\n- assert_value: {value: $path, matches: '1-case/report [(]2[)].csv$'}\n";
    let notes = format!("- tap_element: Notes\n{}- assert_value: {{value: $size, equals: 8}}\n", save("notes.txt"));
    let long = format!(
        "- tap_element: Long\n{}- assert_value: {{value: $path, matches: 'n{{200}}n*[.]csv$'}}\n",
        save("n*.csv")
    );
    let case = |steps: &str| {
        format!("config: {{name: Page, base_url: {}, browser: {{width: 900}}}}\nteststeps:\n{steps}", serve())
    };
    let test = Test::new(&["run", "case.yaml", "other.yaml", "--report-dir", "r", "--device", "browser"]);
    let test = test.file("abc", "abc").file("case.yaml", case(&format!("{report}{again}{notes}{long}")));
    // What another case downloaded is nowhere in this one.
    let other = "- open_url: /files\n- wait_for: {download: '*', since: start, timeout: 0.3}\n";
    let test = test.file("other.yaml", case(other));
    let output = test.web_command().output().expect("the program starts");
    let ran = test.ran(&output).code(1).says("no file \"*\" was downloaded").says("the page began no download");
    assert_eq!(ran.read("r/files/downloads/1-case/report.csv"), "abc");
    assert!(!ran.stderr.contains("case.yaml › step"), "{}", ran.stderr);
}

#[test]
fn what_a_refused_request_lacks_is_told_with_its_status() {
    let step = "- request: {method: GET, url: /404}\n  extract: {id: body.id}\n";
    run("", step).code(1).says("has no `body.id`").says("; the server answered 404");
    assert!(!run("", &step.replace("/404", "/fine")).code(1).stderr.contains("the server answered"));
}

#[test]
fn a_download_that_comes_to_nothing_fails_the_step_that_began_it_or_the_next() {
    for (way, name, said) in [
        (WAYS[0], "Lost", "answered with an error, such as 404"),
        (WAYS[0], "Cut", "it was cut off after"),
        ("driver: chromedriver", "Report", "`downloads` in the config's `browser`"),
    ] {
        for then in
            ["", "- assert_title: Files\n", "- sleep: 0.3\n- assert_title: Files\n", "- wait_for: {download: '*'}\n"]
        {
            let ran = run(way, &format!("- open_url: /files\n- tap_element: {name}\n{then}"));
            let ran = ran.code(1);
            assert!(
                ran.stderr.contains(said) && ran.stderr.contains("download failed: http"),
                "{name} {then}: {}",
                ran.stderr
            );
            assert_eq!(ran.stderr.matches(said).count(), 1, "{name} {then}: it is told once: {}", ran.stderr);
        }
    }
    run(
        "driver: chromedriver, downloads: got",
        "- open_url: /files\n- tap_element: Report\n- wait_for: {download: report.csv}\n",
    )
    .code(0);
    let plain = "- open_url: /files\n- wait_for: {download: report.csv}\n";
    run(WAYS[1], plain).code(3).says("cannot tell a page's downloads by WebDriver");
}

#[test]
fn requests_and_downloads_count_from_the_last_act() {
    for (before, waits, said) in [
        ("tap_element: Ask", "request: /404", "asked for before the last act: `since: start`"),
        ("tap_element: Report", "download: '*.csv'", "downloads that began before the last act: report.csv"),
        ("tap_element: Report", "download: '*.txt'", "no file \"*.txt\" was downloaded"),
    ] {
        let steps = |since: &str| {
            format!(
                "- open_url: /files\n- {before}\n- sleep: 1\n- tap_element: Idle\n- wait_for: {{{waits}{since}, timeout: 1}}\n"
            )
        };
        run(WAYS[0], &steps("")).code(1).says(said);
        let code = i32::from(waits.contains("txt"));
        run(WAYS[0], &steps(", since: start")).code(code);
        // What is read or waited for between them is no act.
        let timeout = if code == 0 { 20 } else { 1 };
        let steps = format!(
            "- open_url: /files\n- {before}\n- assert_visible: Idle\n- wait_for: {{{waits}, timeout: {timeout}}}\n"
        );
        run(WAYS[0], &steps).code(code);
    }
    run(WAYS[0], "- wait_for: {idle: true, since: start}\n").code(2).says("`since` goes with request or download");
}

const FAULTS: &str = "<title>Faults</title><button onclick=\"setTimeout(() => { throw new Error('oh') }, 200)\">page_error</button>\
<button onclick=\"setTimeout(() => console.error('oh'), 200)\">console_error</button>\
<button onclick=\"setTimeout(() => fetch('/500?ask'), 200)\">http_5xx</button>\
<button onclick=\"setTimeout(() => fetch('/404?ask'), 200)\">http_4xx</button><button>Idle</button>";

#[test]
fn what_goes_wrong_beside_the_steps_fails_a_case_that_says_so() {
    const KINDS: [&str; 4] = ["page_error", "console_error", "http_5xx", "http_4xx"];
    for way in WAYS {
        for then in ["", "- assert_visible: Idle\n- sleep: 0.3\n- assert_visible: Idle\n"] {
            // Plain WebDriver tells faults the same way, whatever comes behind them.
            if way == WAYS[1] && then.is_empty() {
                continue;
            }
            let case = |wanted: &str, done: &str| {
                format!(
                    "config: {{name: {wanted} {done}, base_url: {}, fail_on: [{wanted}], browser: {{{way}}}}}\nteststeps:\n\
                     - open_url: /faults\n- tap_element: {done}\n{then}",
                    serve()
                )
            };
            let mut test = Test::new(&["run", "cases", "--report-dir", "r", "--device", "browser"]);
            for (at, wanted) in KINDS.iter().enumerate() {
                // What the browser itself writes to the console of a request is no second fault.
                let other = KINDS[(at + 1) % KINDS.len()];
                test = test.file(&format!("cases/{wanted}.yaml"), case(wanted, wanted));
                test = test.file(&format!("cases/{wanted}_other.yaml"), case(wanted, other));
            }
            let output = test.web_command().output().expect("the program starts");
            let ran = test.ran(&output).code(1);
            let summary = ran.json("r/summary.json");
            for case in items(&summary["cases"]) {
                let name = text(&case["name"]);
                let (wanted, done) = name.split_once(' ').expect("two words");
                let outcome = if wanted == done { "failed" } else { "passed" };
                assert_eq!(text(&case["outcome"]), outcome, "{way}, {then}: {name}: {}", ran.stderr);
            }
            assert!(ran.stderr.contains("`fail_on: page_error` fails the case"), "{}", ran.stderr);
        }
    }
    let project = "fail_on: [http_4xx]\n";
    let case = |config: &str| {
        let config = format!("config: {{base_url: {}, {config}}}", serve());
        let test = Test::new(&["run", "case.yaml", "--device", "browser"]).file("uixt.yaml", project);
        let test = test.file("case.yaml", format!("{config}\nteststeps:\n- open_url: /faults\n- tap_element: http_4xx\n- sleep: 0.4\n- assert_visible: Idle\n"));
        let output = test.web_command().output().expect("the program starts");
        test.ran(&output)
    };
    case("name: Page").code(1);
    case("fail_on: []").code(0);
    case("fail_on: [http]")
        .code(2)
        .says("`fail_on` holds any of page_error, console_error, http_5xx, http_4xx, crash, not `http`");
    // A status that a step itself says is no fault.
    run("width: 900", "- open_url: {url: /404, status: 404}\n").code(0);
}

#[test]
fn an_app_that_crashes_fails_a_case_that_says_so() {
    let crash = "- open_url: uixt-trouble://crash\n- tap_element: Crash\n";
    for (config, then, code) in [
        ("fail_on: [crash]", "", 1),
        ("fail_on: [crash]", "- home:\n- home:\n", 1),
        ("fail_on: [page_error]", "", 0),
        ("name: Crash", "", 0),
    ] {
        let case = format!("config: {{{config}}}\nteststeps:\n{crash}{then}");
        let ran = Test::new(&["run", "a.yaml", "--device", "phone", "--report-dir", "r"])
            .file("a.yaml", case)
            .run()
            .code(code);
        assert_eq!(ran.stderr.contains("com.uixt.trouble crashed"), code == 1, "{config}: {}", ran.stderr);
    }
}

const KEPT: &str = "<title>Kept</title><input aria-label=Note><button onclick=\"alert('now')\">Alert</button>\
<button onclick=\"setTimeout(() => document.title = confirm('sure?'), 300)\">Confirm</button>\
<a href=/404>Gone</a><script>onbeforeunload = (event) => { event.preventDefault() }</script>";

#[test]
fn a_page_that_asks_whether_it_may_be_left_is_answered_by_the_next_step_or_beforehand() {
    // Pages ask only where something was done in them.
    let begin = "- open_url: /kept\n- input: {text: x, into: Note}\n";
    let run = |config: &str, steps: &str| {
        let case = format!(
            "config: {{name: Page, base_url: {}, browser: {{width: 900}}, {config}}}\nteststeps:\n{begin}{steps}",
            serve()
        );
        let test = Test::new(&["run", "case.yaml", "--report-dir", "r", "--device", "browser"]).file("case.yaml", case);
        let output = test.web_command().output().expect("the program starts");
        test.ran(&output)
    };
    let asks = "the page asks whether it may be left";
    for (steps, code, said) in [
        ("- open_url: /fine\n- accept_dialog: {}\n- assert_title: Fine\n", 0, ""),
        ("- open_url: /fine\n- dismiss_dialog: {}\n- assert_title: Kept\n", 0, ""),
        ("- open_url: /fine\n- assert_title: Fine\n", 1, asks),
        ("- open_url: /fine\n", 1, asks),
        ("- open_url: /fine\n- open_url: /fine\n", 1, asks),
        // What comes is held against what was asked for.
        ("- open_url: /404\n- accept_dialog: {}\n", 1, "the server answered 404"),
        ("- open_url: {url: /404, status: 404}\n- accept_dialog: {}\n- assert_title: Gone\n", 0, ""),
        ("- open_url: {url: /fine, status: 404}\n- accept_dialog: {}\n", 1, "the server answered 200"),
        ("- open_url: 'http://127.0.0.1:9/'\n- accept_dialog: {}\n", 1, "cannot be opened"),
        ("- open_url: {url: /fine, leave: true}\n- assert_title: Fine\n", 0, ""),
        ("- open_url: {url: /404, leave: true}\n", 1, "the server answered 404"),
        (
            "- reload:\n- accept_dialog:\n- assert_value: {value: 1, equals: 1}\n- get_text: Note\n  save: note\n- assert_value: {value: $note, equals: ''}\n",
            0,
            "",
        ),
        ("- reload:\n", 1, asks),
        (
            "- open_url: {url: /fine, leave: true}\n- back:\n- input: {text: x, into: Note}\n- tap_element: Gone\n- accept_dialog:\n- assert_title: Gone\n",
            0,
            "",
        ),
    ] {
        let ran = run("tags: [a]", steps).code(code);
        assert!(ran.stderr.contains(said), "{steps}: {}", ran.stderr);
    }
    for (dialogs, steps, code) in [
        ("accept", "- open_url: /fine\n- assert_title: Fine\n", 0),
        ("accept", "- open_url: /404\n", 1),
        ("accept", "- tap_element: Alert\n- assert_title: Kept\n", 0),
        ("accept", "- tap_element: Alert\n", 0),
        ("dismiss", "- tap_element: Alert\n", 0),
        ("fail", "- tap_element: Alert\n", 1),
        ("accept", "- tap_element: Confirm\n- assert_title: 'true'\n", 0),
        ("dismiss", "- tap_element: Confirm\n- assert_title: 'false'\n", 0),
        ("fail", "- tap_element: Confirm\n- assert_title: 'true'\n", 1),
        // A step that answers it is before that.
        ("accept", "- tap_element: Confirm\n- dismiss_dialog: {contains: sure}\n- assert_title: 'false'\n", 0),
    ] {
        let ran = run(&format!("dialogs: {dialogs}"), steps);
        assert_eq!(ran.code, Some(code), "{dialogs}: {steps}: {}", ran.stderr);
        // What was answered unasked, where a step met it, is told.
        let is_met = code == 0 && steps.ends_with("Kept\n");
        assert!(!is_met || ran.read("r/summary.json").contains("answered the page's dialog"), "{dialogs}: {steps}");
    }
    run("dialogs: yes", "").code(2).says("`dialogs` is accept, dismiss or fail");
}

const PDF: &str = "%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj \
                   3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj trailer<</Root 1 0 R>>";

#[test]
fn what_a_viewer_of_the_browser_shows_is_not_absent() {
    // The headless shell has no viewers.
    let whole = "/usr/lib/chromium/chromium";
    if !std::path::Path::new(whole).exists() {
        println!("skipped: there is no {whole}");
        return;
    }
    let way = format!("binary: {whole}");
    for path in ["/a.pdf", "/pdf-frame", "/pdf-embed", "/pdf-object"] {
        let steps = format!("- open_url: {path}\n- assert_not_visible: {{text: Total, timeout: 0.5}}\n");
        run(&way, &steps).code(1).says("holds more than that: it may be there all the same");
    }
    run(&way, "- open_url: /pdf-hidden\n- assert_not_visible: Total\n").code(0);
}
