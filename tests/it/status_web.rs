//! What a page's server answers: a status that nobody expects fails `open_url`, and a download that is refused fails the test.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};

use crate::site::{on, on_view};
use crate::support::{Ran, Test};

/// Serves pages of these statuses: `/404`, `/500`; `/empty` without anything to show, `/moved` to one of them.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    address
}

fn answer(mut stream: TcpStream) {
    let mut lines = BufReader::new(stream.try_clone().expect("a stream")).lines();
    let first = lines.next().and_then(Result::ok).unwrap_or_default();
    while lines.next().and_then(Result::ok).is_some_and(|line| !line.is_empty()) {}
    let (status, body) = match first.split(' ').nth(1).unwrap_or_default() {
        "/404" => ("404 Not Found", "<title>Gone</title><h1>Nothing here</h1>"),
        "/500" => ("500 Internal Server Error", "<title>Broken</title><h1>Sorry</h1>"),
        "/empty" => ("404 Not Found", ""),
        "/moved" => ("302 Found\r\nLocation: /404", ""),
        "/here" => ("302 Found\r\nLocation: /fine", ""),
        _ => ("200 OK", "<title>Fine</title><h1>Fine</h1>"),
    };
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\n", body.len());
    let _ = stream.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes());
}

fn run(way: &str, steps: &str) -> Ran {
    let case = format!("config: {{name: Page, base_url: {}, browser: {{{way}}}}}\nteststeps:\n{steps}", serve());
    let test = Test::new(&["run", "case.yaml", "--report-dir", "r", "--device", "browser"]).file("case.yaml", case);
    let output = test.command().env_remove("UIXT_BROWSER").output().expect("the program starts");
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
            ("{url: 'about:blank', status: 200}", "no server answered for about:blank"),
        ] {
            run(way, &format!("- open_url: {step}\n")).code(1).says("step 1, ").says(said);
        }
    }
    run(WAYS[0], "- open_url: {url: /404, status: missing}\n").code(2).says("a number from 100 to 599, or any");
    run(WAYS[0], "- browser_navigate: /404\n").code(1).says("the server answered 404");
}

#[test]
fn a_download_that_nothing_says_the_place_of_fails_the_test() {
    let link = |how: &str| {
        format!(
            "- evaluate: \"document.body.innerHTML = `<a href=files/report.bin {how}>Report</a>`\"\n- tap_element: Report\n"
        )
    };
    for how in ["download", "target=_blank", ""] {
        for then in ["", "- assert_title: Odd\n", "- sleep: 0.3\n- assert_title: Odd\n"] {
            let ran = on("odd.html", &(link(how) + then)).code(1);
            ran.says("a download that the page began was refused: http").says("`downloads` in the config's `browser`");
        }
        on_view("downloads: got", "odd.html", &(link(how) + "- sleep: 0.3\n- assert_title: Odd\n")).code(0);
    }
}
