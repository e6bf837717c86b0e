//! A `WebDriverAgent` that a test makes up: each request is answered by a script, and all of them are counted.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::driver::DeviceInfo;
use crate::options::Options;
use crate::phone::Phone;
use crate::stream::Way;

/// How a request is answered.
pub(crate) enum Answer {
    Value(Value),
    Error(u16, &'static str, &'static str),
    /// The value, and then the connection closes without having said so.
    Last(Value),
    /// These bytes, and the connection closes.
    Raw(String),
    Close,
    Silence,
    /// What every server answers the same.
    Usual,
}

/// What came to the server.
#[derive(Default)]
pub(crate) struct Log {
    /// `connect`, `POST /session`, `GET S/source`, … without what is asked for in the path.
    pub(crate) lines: Mutex<Vec<String>>,
    pub(crate) bodies: Mutex<Vec<(String, Value)>>,
    session: Mutex<u32>,
}

impl Log {
    pub(crate) fn count(&self, line: &str) -> usize {
        self.lines.lock().iter().filter(|known| *known == line).count()
    }

    /// Returns the bodies that came to a path.
    pub(crate) fn bodies(&self, line: &str) -> Vec<Value> {
        self.bodies.lock().iter().filter(|(known, _)| known == line).map(|(_, body)| body.clone()).collect()
    }

    /// Ends the session, as another client's does.
    pub(crate) fn end_session(&self) {
        *self.session.lock() += 1;
    }
}

/// Answers the request of this line; the number tells how often it came before.
type Script = dyn Fn(&str, usize) -> Answer + Send + Sync;

/// Starts a server, and opens a phone by it.
pub(crate) async fn phone(script: impl Fn(&str, usize) -> Answer + Send + Sync + 'static) -> (Phone, Arc<Log>) {
    let (port, log) = serve(script).await;
    (at(port), log)
}

/// Opens a phone on a port of this computer.
pub(crate) fn at(port: u16) -> Phone {
    let options = Options { port, ..Options::default() };
    let info = DeviceInfo { platform: "ios", serial: "test".to_owned(), ..DeviceInfo::default() };
    Phone::new(info, Way::Host("127.0.0.1".to_owned()), options, None)
}

/// Starts a server; returns its port.
pub(crate) async fn serve(script: impl Fn(&str, usize) -> Answer + Send + Sync + 'static) -> (u16, Arc<Log>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (log, script): (Arc<Log>, Arc<Script>) = (Arc::default(), Arc::new(script));
    let known = Arc::clone(&log);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(talk(stream, Arc::clone(&known), Arc::clone(&script)));
        }
    });
    (port, log)
}

async fn talk(stream: TcpStream, log: Arc<Log>, script: Arc<Script>) {
    log.lines.lock().push("connect".to_owned());
    let mut stream = BufReader::new(stream);
    loop {
        let (mut head, mut length) = (String::new(), 0);
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head).await.is_ok_and(|count| count == 0) {
                return;
            }
        }
        assert!(!head.to_ascii_lowercase().contains("transfer-encoding"), "{head}");
        for line in head.to_ascii_lowercase().lines() {
            length = line.strip_prefix("content-length: ").map_or(length, |count| count.parse().unwrap());
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.unwrap();
        let mut words = head.split(' ');
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        assert!(!path.ends_with('/'), "{path}");
        let path = path.split('?').next().unwrap();
        let session = format!("/session/s{}", log.session.lock());
        let in_session = path.strip_prefix(&session);
        let line = match (in_session, path.starts_with("/session/")) {
            (Some(rest), _) => format!("{method} S{rest}"),
            (None, true) => "lost".to_owned(),
            (None, false) => format!("{method} {path}"),
        };
        let before = log.count(&line);
        log.lines.lock().push(line.clone());
        log.bodies.lock().push((line.clone(), serde_json::from_slice(&body).unwrap_or_default()));
        let answer = match script(&line, before) {
            Answer::Usual => usual(&line, &log),
            other => other,
        };
        let (status, value, goes_on) = match answer {
            Answer::Value(value) => (200, value, true),
            Answer::Error(status, error, message) => (status, json!({"error": error, "message": message}), true),
            Answer::Last(value) => (200, value, false),
            Answer::Raw(text) => return stream.write_all(text.as_bytes()).await.unwrap(),
            Answer::Close => return,
            Answer::Silence | Answer::Usual => {
                tokio::time::sleep(Duration::from_mins(10)).await;
                return;
            }
        };
        let body = json!({"sessionId": format!("s{}", log.session.lock()), "value": value}).to_string();
        let answer = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: application/json;charset=UTF-8\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        if stream.write_all(answer.as_bytes()).await.is_err() || !goes_on {
            return;
        }
    }
}

/// A picture of 1170×2532 pixels: its header alone.
pub(crate) fn picture() -> Value {
    use base64::Engine as _;
    let header = [
        &b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"[..],
        &1170_u32.to_be_bytes(),
        &2532_u32.to_be_bytes(),
        &[8, 6, 0, 0, 0, 0, 0, 0, 0],
    ]
    .concat();
    json!(base64::engine::general_purpose::STANDARD.encode(header))
}

fn usual(line: &str, log: &Log) -> Answer {
    let none = || {
        Answer::Error(404, "no such alert", "An attempt was made to operate on a modal dialog when one was not open")
    };
    match line {
        "POST /session" => {
            log.end_session();
            Answer::Value(json!({"sessionId": format!("s{}", log.session.lock()), "capabilities": {}}))
        }
        "lost" => Answer::Error(404, "invalid session id", "Session does not exist"),
        "GET /status" => {
            Answer::Value(json!({"ready": true, "os": {"name": "iOS", "version": "18.5"}, "device": "iphone"}))
        }
        "GET S/window/size" => Answer::Value(json!({"width": 390, "height": 844})),
        "GET /screenshot" => Answer::Value(picture()),
        "GET S/wda/activeAppInfo" => Answer::Value(json!({"pid": 7, "bundleId": "com.uixt.shop", "name": ""})),
        "GET S/wda/locked" => Answer::Value(json!(false)),
        "GET S/alert/text" => none(),
        "GET S/element/active" => Answer::Error(404, "no such element", "nothing has the focus"),
        "GET S/source" => Answer::Value(tree()),
        _ => Answer::Value(Value::Null),
    }
}

/// An app with a button.
pub(crate) fn tree() -> Value {
    let rect = |x, y, width, height| json!({"x": x, "y": y, "width": width, "height": height});
    let button = json!({"type": "Button", "label": "Pay", "name": "pay", "rawIdentifier": "pay", "rect": rect(20, 700, 350, 50), "isEnabled": "1"});
    let window = json!({"type": "Window", "rect": rect(0, 0, 390, 844), "children": [button]});
    json!({"type": "Application", "label": "Shop", "rect": rect(0, 0, 390, 844), "children": [window]})
}
