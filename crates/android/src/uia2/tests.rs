//! The driver against servers that a test makes up: dead ones, silent ones, and what is no such server at all.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use super::Options;
use crate::Android;
use crate::adb::Limits;
use crate::adb::fake::{Fake, Reply};
use crate::driver::{Driver as _, Error, Gesture, Key, Point};

const PACKAGES: &str = "package:io.appium.uiautomator2.server\npackage:io.appium.uiautomator2.server.test\n";
const SIZE: &str =
    "Physical size: 10x20\n  Display: mDisplayId=0\n  init=10x20 420dpi cur=10x20 app=1x1\n    mAwake=true\n";
const XML: &str = r#"<hierarchy index="0" class="hierarchy"><android.widget.Button index="0" package="p" class="android.widget.Button" text="Go" bounds="[0,0][9,9]" displayed="true" /></hierarchy>"#;
const TAP: Gesture = Gesture::Tap { at: Point { x: 5.0, y: 6.0 }, hold: Duration::ZERO };

/// How a request is answered.
enum Answer {
    Value(Value),
    Error(u16, Value),
    /// The value, and then the connection closes without having said so.
    Last(Value),
    /// These bytes, and the connection closes.
    Raw(&'static str),
    Close,
    Silence,
}

/// What came to the device: `connect`, `start`, `stop`, `GET /source`, …
#[derive(Default)]
struct Log {
    lines: Mutex<Vec<String>>,
    /// Ends the instrumentation.
    end: Notify,
}

impl Log {
    fn add(&self, line: &str) {
        self.lines.lock().push(line.to_owned());
    }

    fn count(&self, line: &str) -> usize {
        self.lines.lock().iter().filter(|known| *known == line).count()
    }
}

/// Answers the request of this line; the number tells how often it came before.
type Script = dyn Fn(&str, usize) -> Answer + Send + Sync;

async fn talk(stream: TcpStream, log: Arc<Log>, script: Arc<Script>) {
    log.add("connect");
    let mut stream = BufReader::new(stream);
    loop {
        let (mut head, mut length) = (String::new(), 0);
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head).await.is_ok_and(|count| count == 0) {
                return;
            }
        }
        for line in head.to_ascii_lowercase().lines() {
            length = line.strip_prefix("content-length: ").map_or(length, |count| count.parse().unwrap());
        }
        stream.read_exact(&mut vec![0; length]).await.unwrap();
        let mut words = head.split(' ');
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        let line = format!("{method} {}", path.replace("/wd/hub", "").replace("/session/abc", ""));
        let before = log.count(&line);
        log.add(&line);
        let (status, value, goes_on) = match usual(&line).unwrap_or_else(|| script(&line, before)) {
            Answer::Value(value) => (200, value, true),
            Answer::Error(status, value) => (status, value, true),
            Answer::Last(value) => (200, value, false),
            Answer::Raw(text) => return stream.write_all(text.as_bytes()).await.unwrap(),
            Answer::Close => return,
            Answer::Silence => std::future::pending().await,
        };
        let body = json!({"sessionId": "abc", "value": value}).to_string();
        let answer =
            format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: keep-alive\r\n\r\n{body}", body.len());
        stream.write_all(answer.as_bytes()).await.unwrap();
        if !goes_on {
            return;
        }
    }
}

/// Answers what every server answers the same.
fn usual(line: &str) -> Option<Answer> {
    match line {
        "GET /status" => Some(Answer::Value(json!({"ready": true}))),
        "POST /session" | "POST /appium/settings" | "DELETE " => Some(Answer::Value(Value::Null)),
        _ => None,
    }
}

/// Opens a device whose server answers by `script`.
async fn open(script: impl Fn(&str, usize) -> Answer + Send + Sync + 'static) -> (Android, Arc<Log>) {
    let (log, script) = (Arc::<Log>::default(), Arc::new(script));
    let known = log.clone();
    let fake = Fake::start(move |request| {
        let (log, script) = (known.clone(), script.clone());
        match request.split_once(':')? {
            ("tcp", _) => Some(Reply::talk(move |stream| talk(stream, log.clone(), script.clone()))),
            ("exec", _) => {
                log.add("start");
                Some(Reply::talk(move |mut stream| {
                    let log = log.clone();
                    async move {
                        log.end.notified().await;
                        let _ = stream.write_all(b"INSTRUMENTATION_RESULT: shortMsg=Process crashed.\n").await;
                    }
                }))
            }
            ("shell,v2,raw", command) => Some(shell(command, &log)),
            _ => None,
        }
    })
    .await;
    let limits = Limits { command: Duration::from_millis(400), output: 4096, ..Limits::default() };
    let android = Android::open(fake.server.with_limits(limits), "X", None).await.unwrap();
    (android.by_server(&Options::default()).await.unwrap(), log)
}

fn shell(command: &str, log: &Log) -> Reply {
    Reply::stdout(match command.split(' ').next().unwrap_or_default() {
        "pm" => PACKAGES,
        "am" => {
            log.add("stop");
            ""
        }
        "dumpsys" => "    versionName=10.6.6\n",
        "input" => {
            log.add("input");
            ""
        }
        _ => SIZE,
    })
}

fn done(_: &str, _: usize) -> Answer {
    Answer::Value(Value::Null)
}

#[tokio::test]
async fn one_connection_serves_all() {
    let (android, log) =
        open(|line, _| if line == "GET /source" { Answer::Value(XML.into()) } else { done("", 0) }).await;
    android.perform(TAP).await.unwrap();
    android.press_all(&[Key::Back, Key::Home]).await.unwrap();
    android.type_text("a b").await.unwrap();
    let screen = android.screen().await.unwrap();
    assert_eq!((screen.package.as_str(), screen.roots[0].text.as_str(), screen.size.width), ("p", "Go", 10));
    assert!(android.source().await.unwrap().0.contains("<node index=\"0\""));
    assert_eq!((log.count("connect"), log.count("POST /actions")), (1, 2));
    // Many keys are one program of the shell.
    android.press_all(&[Key::Delete; 30]).await.unwrap();
    assert_eq!((log.count("POST /appium/device/press_keycode"), log.count("input")), (2, 1));
    android.close().await;
    assert_eq!((log.count("DELETE "), log.count("start"), log.count("stop")), (1, 1, 2));
}

#[tokio::test]
async fn a_device_without_the_server_says_how_to_get_it() {
    let fake = Fake::shell(|_| Reply::stdout("package:io.appium.uiautomator2.server\n")).await;
    let android = Android::open(fake.server.clone(), "X", None).await.unwrap();
    let error = android.by_server(&Options::default()).await.unwrap_err().to_string();
    assert!(error.contains("npm install appium-uiautomator2-server") && error.contains("--uia2-apks"), "{error}");
    let fake =
        Fake::shell(|command| Reply::stdout(if command.starts_with("pm") { PACKAGES } else { "versionName=4.9.1\n" }));
    let android = Android::open(fake.await.server.clone(), "X", None).await.unwrap();
    let error = android.by_server(&Options::default()).await.unwrap_err().to_string();
    assert!(error.contains("is 4.9.1, and `uia2` needs 5.12.0"), "{error}");
}

#[tokio::test]
async fn an_instrumentation_that_fails_is_told_in_its_words() {
    let fake = Fake::shell(|command| {
        Reply::stdout(match command {
            _ if command.starts_with("pm") => PACKAGES,
            _ if command.starts_with("am instrument") => {
                "INSTRUMENTATION_STATUS: id=x\nINSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: x\n"
            }
            _ => "",
        })
    });
    let android = Android::open(fake.await.server.clone(), "X", None).await.unwrap();
    let error = android.by_server(&Options::default()).await.unwrap_err().to_string();
    assert!(error.contains("did not start") && error.contains("Unable to find instrumentation info"), "{error}");
}

#[tokio::test]
async fn a_touch_without_an_answer_is_never_sent_again() {
    let (android, log) = open(|line, before| match (line, before) {
        ("POST /actions", 0) => Answer::Close,
        ("POST /actions", 1) => Answer::Silence,
        _ => done("", 0),
    })
    .await;
    for (count, part) in [(1, "without an answer"), (2, "within 0.42 s")] {
        let error = android.perform(TAP).await.unwrap_err();
        assert!(matches!(error, Error::Disconnected { .. }), "{error}");
        let error = error.to_string();
        assert!(
            error.contains(part) && error.contains("not sent again") && error.contains("starts the server anew"),
            "{error}"
        );
        assert_eq!(log.count("POST /actions"), count);
    }
    // Each time the next step has started it anew, and works once it does.
    android.perform(TAP).await.unwrap();
    assert_eq!((log.count("POST /actions"), log.count("start")), (3, 3));
}

#[tokio::test]
async fn a_connection_that_was_closed_meanwhile_costs_nothing() {
    let (android, log) = open(|line, before| match line {
        "GET /source" if before < 3 => Answer::Last(XML.into()),
        "GET /source" => Answer::Close,
        _ => Answer::Last(Value::Null),
    })
    .await;
    for _ in 0..3 {
        android.source().await.unwrap();
        android.perform(TAP).await.unwrap();
    }
    assert_eq!((log.count("POST /actions"), log.count("start")), (3, 1));
    // A look is tried on a new connection once, and no more.
    let error = android.source().await.unwrap_err().to_string();
    assert!(error.contains("the screen's tree: the connection ended") && !error.contains("sent again"), "{error}");
}

#[tokio::test]
async fn a_server_that_ended_between_steps_is_started_anew() {
    let (android, log) = open(done).await;
    android.perform(TAP).await.unwrap();
    log.end.notify_one();
    tokio::time::sleep(Duration::from_millis(50)).await;
    android.perform(TAP).await.unwrap();
    assert_eq!((log.count("POST /actions"), log.count("start")), (2, 2));
}

#[tokio::test]
async fn what_is_no_such_server_is_told() {
    for (answer, part) in [
        ("SSH-2.0-OpenSSH_9.6\r\n\r\n", "another server answers"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi", "no JSON object: hi"),
        ("HTTP/1.1 500 X\r\ncontent-length: 0\r\n\r\n", "no JSON object"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"value\":", "without an answer"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n", "has more than"),
    ] {
        let (android, log) =
            open(move |line, _| if line == "POST /actions" { Answer::Raw(answer) } else { done("", 0) }).await;
        let error = android.perform(TAP).await.unwrap_err().to_string();
        assert!(error.contains(part), "{answer}: {error}");
        assert_eq!(log.count("POST /actions"), 1, "{answer}");
    }
    let (android, _log) = open(|_, _| Answer::Value(json!({"no": "tree"}))).await;
    assert!(android.screen().await.is_err());
}

#[tokio::test]
async fn refusals_are_told_and_a_lost_session_is_begun_anew() {
    let (android, log) = open(|line, before| match (line, before) {
        ("POST /actions", 0) => Answer::Error(404, json!({"error": "invalid session id", "message": "gone"})),
        ("POST /actions", _) => Answer::Value(Value::Null),
        _ => Answer::Error(500, json!({"error": "unknown error", "message": "Timed out\nafter 10000ms"})),
    })
    .await;
    android.perform(TAP).await.unwrap();
    assert_eq!((log.count("POST /actions"), log.count("POST /session")), (2, 2));
    let error = android.source().await.unwrap_err();
    let message = "the UiAutomator2 server on X refused the screen's tree: unknown error: Timed out after 10000ms";
    assert_eq!(error, Error::Device { message: message.to_owned() });
}
