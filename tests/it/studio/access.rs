//! Who gets in: who names the token, from the studio's own page.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;

use super::served::Served;
use crate::support::Test;

/// Sends a request by hand, and returns the answer.
fn got(served: &Served, path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(&served.address).expect("a server");
    let host = if headers.contains("Host:") { String::new() } else { format!("Host: {}\r\n", served.address) };
    write!(stream, "GET {path} HTTP/1.1\r\n{host}{headers}Connection: close\r\n\r\n").expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn only_who_names_the_token_gets_in_and_nothing_outside_of_the_project_is_given() {
    let test = Test::new(&["studio", "--device", "phone", "--port", "0"])
        .file("outside.txt", "none of this")
        .file("results/1/summary.json", "{}")
        .file("results/1/report.html", "<script>alert(1)</script>");
    std::os::unix::fs::symlink(test.path("outside.txt"), test.path("results/1/link.txt")).expect("a link");
    let served = Served::start(&test);
    let bearer = format!("Authorization: Bearer {}\r\n", served.token);
    let status = |path: &str, headers: &str| got(&served, path, headers)[9..12].to_owned();
    let upgrade = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    for path in ["/studio/", "/studio/page/app.js", "/studio/results/1/summary.json", "/studio/live"] {
        assert_eq!(status(path, ""), "401", "{path}");
        assert_eq!(status(path, "Authorization: Bearer wrong\r\n"), "401", "{path}");
        assert_eq!(status(path, &format!("{bearer}Origin: http://evil.test\r\n")), "403", "{path}");
        assert_eq!(status(path, &format!("{bearer}Host: evil.test\r\n")), "403", "{path}");
    }
    assert_eq!(status("/studio/live", upgrade), "401");
    let entered = got(&served, &format!("/studio/?token={}", served.token), "");
    assert!(entered.contains("HttpOnly; SameSite=Strict") && entered.contains("location: /studio/"), "{entered}");
    let page = got(&served, "/studio/", &bearer);
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("content-security-policy: default-src 'none'"), "{page}");
    assert!(got(&served, "/studio/results/1/summary.json", &bearer).ends_with("{}"));
    // A report of its own is a text here: nothing of it runs.
    assert!(got(&served, "/studio/results/1/report.html", &bearer).contains("content-type: text/plain"));
    for path in [
        "1/link.txt",
        "../outside.txt",
        "1/../../outside.txt",
        "%2e%2e/outside.txt",
        "1%2F..%2F..%2Foutside.txt",
        "/etc/passwd",
    ] {
        assert_eq!(status(&format!("/studio/results/{path}"), &bearer), "404", "{path}");
    }
    let kept = test.path("data").join("studio/token");
    let mode = std::fs::metadata(&kept).expect("a token").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
