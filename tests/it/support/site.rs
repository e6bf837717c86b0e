//! tests/site on loopback, and steps on its pages by the real program.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::Duration;

use crate::support::counterparts::program;
use crate::support::{Ran, Test};

/// Serves tests/site on loopback, as long as the tests run; returns its address.
pub(crate) fn serve() -> String {
    listen(answer)
}

/// Answers connections on loopback, each beside the others, as long as the tests run; returns the address.
pub(crate) fn listen(answer: impl Fn(TcpStream) + Copy + Send + 'static) -> String {
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
    let mut first = String::new();
    let mut lines = BufReader::new(stream.try_clone().expect("a stream"));
    let _ = lines.read_line(&mut first);
    let mut line = String::new();
    while lines.read_line(&mut line).is_ok_and(|read| read > 2) {
        line.clear();
    }
    let path = first.split(' ').nth(1).unwrap_or_default().split(['?', '#']).next().unwrap_or_default();
    // What a page waits for: `/after/300/style.css` comes after 300 ms.
    let late = path.strip_prefix("/after/").and_then(|rest| rest.split_once('/'));
    if let Some((Ok(wait), _)) = late.map(|(wait, rest)| (wait.parse(), rest)) {
        std::thread::sleep(Duration::from_millis(wait));
    }
    let _ = send_file(&mut stream, late.map_or(path, |(_, rest)| rest));
}

/// Answers a request for a file of the site.
pub(crate) fn send_file(stream: &mut TcpStream, path: &str) -> std::io::Result<()> {
    let path = path.trim_start_matches('/');
    let is_inside = !path.split('/').any(|part| part == "..");
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/site").join(path);
    let body = std::fs::read(&place).ok().filter(|_| is_inside);
    let kind = match place.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("bin") => "application/octet-stream",
        _ => "text/plain",
    };
    let status = if body.is_some() { "200 OK" } else { "404 Not Found" };
    let body = body.unwrap_or_default();
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n", body.len());
    stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes())?;
    stream.write_all(&body)
}

/// Runs steps on a page.
pub(crate) fn on(page: &str, steps: &str) -> Ran {
    on_view("width: 1280, height: 800", page, steps)
}

/// Runs steps on a page of a browser of these settings.
pub(crate) fn on_view(view: &str, page: &str, steps: &str) -> Ran {
    program("chromium");
    let case =
        format!("config: {{name: Page, browser: {{{view}}}}}\nteststeps:\n- open_url: {}/{page}\n{steps}", serve());
    let test = Test::new(&["run", "case.yaml", "--report-dir", "r", "--device", "browser"]).file("case.yaml", case);
    let output = test.web_command().output().expect("the program starts");
    test.ran(&output)
}
