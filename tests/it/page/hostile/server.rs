//! A server that means no good: tests/site, and paths that redirect for ever, never end, never answer or break off; and one whose
//! certificate nobody has signed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::counterparts::program;
use crate::support::site::{listen, send_file};

/// Bytes of the page that is far too large.
const HUGE: usize = 50_000_000;

/// Returns the address of a server that runs as long as the tests do.
pub(super) fn serve() -> String {
    // Whoever asked may have gone.
    listen(|stream| answer(stream).unwrap_or_default())
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let target = first.split(' ').nth(1).unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n<!doctype html>";
    match path {
        "/redirect" => {
            let next = query.parse::<u64>().unwrap_or_default() + 1;
            let head = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close";
            stream.write_all(format!("{head}\r\nLocation: /redirect?{next}\r\n\r\n").as_bytes())
        }
        "/huge" => huge(&mut stream, page),
        "/endless" => {
            stream.write_all(page.as_bytes())?;
            loop {
                stream.write_all(b"<p>more</p>")?;
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        "/file" => {
            let kind = "Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=x.bin";
            stream.write_all(format!("HTTP/1.1 200 OK\r\n{kind}\r\n\r\n").as_bytes())?;
            loop {
                stream.write_all(&[b'x'; 8_192])?;
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        "/never" => {
            std::thread::sleep(Duration::from_mins(2));
            Ok(())
        }
        "/nothing" => Ok(()),
        path => send_file(&mut stream, path),
    }
}

fn huge(stream: &mut TcpStream, page: &str) -> std::io::Result<()> {
    let row = "<div class=row><span>A cell of a page that holds far more than anybody reads</span> <b>x</b></div>\n";
    stream.write_all(format!("{page}<title>Huge</title><button>First</button>").as_bytes())?;
    let rows = row.repeat(1000);
    (0..HUGE / rows.len()).try_for_each(|_| stream.write_all(rows.as_bytes()))
}

/// A server that shows a certificate of its own making.
pub(super) struct Unsigned {
    process: Child,
    pub(super) address: String,
}

impl Unsigned {
    /// Starts it; its certificate and key are made in the folder.
    pub(super) fn start(folder: &Path) -> Self {
        let openssl = program("openssl");
        let make = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"];
        let mut command = Command::new(&openssl);
        command.args(make).args(["-keyout", "key.pem", "-out", "cert.pem"]).current_dir(folder);
        let made = command.stdin(Stdio::null()).stderr(Stdio::null()).status().expect("openssl starts");
        assert!(made.success(), "openssl made no certificate");
        let here = crate::support::nobody();
        let mut command = Command::new(openssl);
        command
            .args(["s_server", "-www", "-accept", &here, "-cert", "cert.pem", "-key", "key.pem"])
            .current_dir(folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn().expect("openssl starts");
        let end = Instant::now() + Duration::from_secs(10);
        while TcpStream::connect(&here).is_err() {
            assert!(Instant::now() < end, "openssl does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Self { process, address: format!("https://{here}/") }
    }
}

impl Drop for Unsigned {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
