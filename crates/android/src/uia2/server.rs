//! The server's life: started, asked within a session, started anew where it ended, stopped.

use std::time::Duration;

use parking_lot::Mutex as Plain;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};
use uixt_lane::{Answer, Bytes, Call, Method};

use super::super::answer::beginning;
use super::super::leftover::Leftover;
use super::Options;
use super::instrumentation::Instrumentation;
use super::port::{Failure, Http, Port};
use crate::adb::{Device, Limits, quote};
use crate::driver::Error;

/// How long the server may take until it answers: its first start on a slow phone.
const START: Duration = Duration::from_secs(30);
/// How often it is asked meanwhile, and how long one answer may take.
const GLANCE: Duration = Duration::from_millis(50);
const GLANCE_LIMIT: Duration = Duration::from_secs(2);
/// How long stopping it may take.
const STOP: Duration = Duration::from_secs(5);
/// What every path begins with: older versions know no other, newer ones take it as well.
const BASE: &str = "/wd/hub";
/// Elements in each other that a tree may have: as many as are read of it. By itself, the server gives 70.
const DEPTH: u32 = 250;

/// Something that is asked within the session.
#[derive(Clone, Debug)]
pub(super) struct Ask<'a> {
    /// What it is, for errors.
    what: &'a str,
    method: Method,
    /// Behind that of the session.
    path: &'a str,
    body: Bytes,
    is_look: bool,
    duration: Duration,
}

impl<'a> Ask<'a> {
    pub(super) fn look(what: &'a str, path: &'a str) -> Self {
        Self { what, method: Method::GET, path, body: Bytes::new(), is_look: true, duration: Duration::ZERO }
    }

    pub(super) fn act(what: &'a str, path: &'a str, body: &Value) -> Self {
        let body = Bytes::from(body.to_string());
        Self { what, method: Method::POST, path, body, is_look: false, duration: Duration::ZERO }
    }

    /// Gives it as much more time as it takes by itself.
    pub(super) fn lasting(self, duration: Duration) -> Self {
        Self { duration, ..self }
    }
}

/// The server on a device.
#[derive(Debug)]
pub(super) struct Server {
    device: Device,
    options: Options,
    running: Mutex<Option<Running>>,
    /// Stops what was started, where nobody else does.
    left: Plain<Option<Leftover>>,
}

#[derive(Debug)]
struct Running {
    process: Instrumentation,
    http: Http,
    session: String,
}

/// What the server answered that is not what was asked for.
enum Refusal {
    /// It knows no such session: it was ended by somebody else.
    NoSession,
    Said(String),
}

impl Server {
    pub(super) fn new(device: Device, options: Options) -> Self {
        Self { device, options, running: Mutex::new(None), left: Plain::new(None) }
    }

    /// Starts the server and waits until it answers.
    pub(super) async fn start(&self) -> Result<(), Error> {
        let mut running = self.running.lock().await;
        *running = Some(self.started().await?);
        Ok(())
    }

    /// Asks something and returns the value of the answer.
    pub(super) async fn ask(&self, ask: Ask<'_>) -> Result<Value, Error> {
        let mut running = self.running.lock().await;
        let mut tries = 0;
        loop {
            tries += 1;
            let asked = self.alive(&mut running).await?;
            let refusal = match asked.ask(&ask, self.device.limits()).await {
                Ok(answer) => match value(&answer) {
                    Ok(value) => return Ok(value),
                    Err(refusal) => refusal,
                },
                // Nothing was sent: it ended unseen, and is started anew.
                Err(Failure::Unreached(_)) if tries == 1 => {
                    *running = None;
                    continue;
                }
                Err(failure) => {
                    let error = self.broken(&ask, &failure, asked).await;
                    if !matches!(failure, Failure::TooLong(_)) {
                        *running = None;
                        self.kill().await;
                    }
                    return Err(error);
                }
            };
            match refusal {
                Refusal::NoSession if tries == 1 => *running = None,
                Refusal::NoSession => return Err(self.error("takes no session: is something else using it?")),
                Refusal::Said(why) => return Err(self.error(&format!("refused {}: {why}", ask.what))),
            }
        }
    }

    /// Ends the session and the server.
    pub(super) async fn stop(&self) {
        let Some(running) = self.running.lock().await.take() else { return };
        let call = Call {
            method: Method::DELETE,
            path: &running.session,
            body: Bytes::new(),
            is_look: false,
            limit: STOP,
            most: self.device.limits().output,
        };
        // It ends all the same.
        let _ = running.http.ask(&call).await;
        self.kill().await;
    }

    async fn alive<'r>(&self, running: &'r mut Option<Running>) -> Result<&'r Running, Error> {
        if let Some(old) = running.take_if(|running| running.process.is_over()) {
            tracing::warn!(reason = old.process.reason(), "the UiAutomator2 server ended; it is started anew");
        }
        match running {
            Some(running) => Ok(running),
            none => Ok(none.insert(self.started().await?)),
        }
    }

    async fn started(&self) -> Result<Running, Error> {
        self.kill().await;
        self.left.lock().get_or_insert_with(|| Leftover::new(&self.device, stop_command(&self.options)));
        let process = Instrumentation::start(&self.device, &self.options).await?;
        let http = Http::new(Port { device: self.device.clone(), number: self.options.port });
        self.until_ready(&process, &http).await?;
        let session = self.session(&http).await?;
        Ok(Running { process, http, session })
    }

    async fn until_ready(&self, process: &Instrumentation, http: &Http) -> Result<(), Error> {
        let path = format!("{BASE}/status");
        let call = Call {
            method: Method::GET,
            path: &path,
            body: Bytes::new(),
            is_look: true,
            limit: GLANCE_LIMIT,
            most: self.device.limits().output,
        };
        let (began, mut last) = (Instant::now(), String::new());
        while began.elapsed() < START {
            let answer = tokio::select! {
                biased;
                () = process.ended() => return Err(self.error(&format!("did not start: {}", process.reason()))),
                answer = http.ask(&call) => answer,
            };
            last = match answer {
                Ok(answer) => match value(&answer) {
                    Ok(status) if status["ready"] != Value::Bool(false) => return Ok(()),
                    Ok(status) => status["message"].as_str().unwrap_or("it is not ready").to_owned(),
                    Err(refusal) => refusal.words(),
                },
                Err(failure) => words(&failure),
            };
            sleep(GLANCE).await;
        }
        let port = self.options.port;
        Err(self.error(&format!(
            "was started and is not ready on port {port} (`uia2_port`) after {} s: {last}",
            START.as_secs()
        )))
    }

    /// Begins a session and returns its path. Nothing in it waits: that is done by who looks.
    async fn session(&self, http: &Http) -> Result<String, Error> {
        let capabilities = json!({"capabilities": {"firstMatch": [{}], "alwaysMatch": {}}});
        let answer = self.set_up(http, &format!("{BASE}/session"), &capabilities).await?;
        let id = answer["value"]["sessionId"].as_str().or_else(|| answer["sessionId"].as_str()).unwrap_or_default();
        if id.is_empty() || !id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            return Err(self.error(&format!("began no session but answered {}", beginning(&answer.to_string()))));
        }
        let session = format!("{BASE}/session/{id}");
        // As `uiautomator dump --windows` has it: all windows, no toasts, as deep as it goes.
        let settings = json!({"settings": {
            "waitForIdleTimeout": 0, "enableNotificationListener": false, "enableMultiWindows": true, "snapshotMaxDepth": DEPTH,
        }});
        self.set_up(http, &format!("{session}/appium/settings"), &settings).await?;
        Ok(session)
    }

    async fn set_up(&self, http: &Http, path: &str, body: &Value) -> Result<Value, Error> {
        let body = Bytes::from(body.to_string());
        let call = Call {
            method: Method::POST,
            path,
            body,
            is_look: false,
            limit: self.device.limits().command,
            most: self.device.limits().output,
        };
        let answer =
            http.ask(&call).await.map_err(|failure| self.error(&format!("began no session: {}", words(&failure))))?;
        value(&answer).map_err(|refusal| self.error(&format!("began no session: {}", refusal.words())))?;
        serde_json::from_slice(&answer.body).map_err(|error| self.error(&format!("began no session: {error}")))
    }

    /// Ends whatever runs of the server, somebody else's as well: a device has room for one.
    async fn kill(&self) {
        let device = self.device.with_deadline(STOP.min(self.device.limits().command));
        let stopped = device.shell(&stop_command(&self.options)).await;
        if let (Ok(_), Some(left)) = (stopped, self.left.lock().take()) {
            left.forget();
        }
    }

    async fn broken(&self, ask: &Ask<'_>, failure: &Failure, asked: &Running) -> Error {
        let after = match failure {
            Failure::Late(_) | Failure::TooLong(_) => "",
            // Where it ended, its last words are on their way.
            _ => match tokio::time::timeout(Duration::from_millis(500), asked.process.ended()).await {
                Ok(()) => &asked.process.reason(),
                Err(_) => "",
            },
        };
        let why = if after.is_empty() { words(failure) } else { format!("{} ({after})", words(failure)) };
        let done = match (failure, ask.is_look) {
            (Failure::TooLong(_), _) | (_, true) => "",
            _ => "; whether that was done is not known, and it is not sent again",
        };
        let next = if matches!(failure, Failure::TooLong(_)) { "" } else { "; the next step starts the server anew" };
        let message =
            format!("the UiAutomator2 server on {}, asked for {}: {why}{done}{next}", self.device.serial(), ask.what);
        match failure {
            Failure::TooLong(_) | Failure::Garbage(_) => Error::Device { message },
            Failure::Unreached(_) | Failure::Unanswered | Failure::Late(_) => Error::Disconnected { message },
        }
    }

    fn error(&self, what: &str) -> Error {
        Error::Device { message: format!("the UiAutomator2 server on {} {what}", self.device.serial()) }
    }
}

impl Running {
    async fn ask(&self, ask: &Ask<'_>, limits: Limits) -> Result<Answer, Failure> {
        let path = format!("{}{}", self.session, ask.path);
        let (method, body) = (ask.method.clone(), ask.body.clone());
        let limit = limits.command + ask.duration;
        let call = Call { method, path: &path, body, is_look: ask.is_look, limit, most: limits.output };
        self.http.ask(&call).await
    }
}

fn words(failure: &Failure) -> String {
    match failure {
        Failure::Unreached(error) => error.to_string(),
        Failure::Garbage(how) => format!("another server answers there ({})", beginning(how)),
        Failure::Unanswered => "the connection ended without an answer".to_owned(),
        Failure::Late(limit) => format!("no answer within {} s", limit.as_secs_f64()),
        Failure::TooLong(most) => format!("the answer has more than {} MB", most >> 20),
    }
}

impl Refusal {
    fn words(&self) -> String {
        match self {
            Refusal::NoSession => "no such session".to_owned(),
            Refusal::Said(why) => why.clone(),
        }
    }
}

/// Reads `{"sessionId": …, "value": …}`; an error's value is `{"error": …, "message": …}`.
fn value(answer: &Answer) -> Result<Value, Refusal> {
    let read: Result<Value, _> = serde_json::from_slice(&answer.body);
    let shown = || beginning(&String::from_utf8_lossy(&answer.body[..answer.body.len().min(4096)]));
    let Ok(Value::Object(mut object)) = read else {
        return Err(Refusal::Said(format!("it answered {} and no JSON object: {}", answer.status, shown())));
    };
    let value = object.remove("value").unwrap_or_default();
    match (answer.status, value["error"].as_str()) {
        (200..300, _) => Ok(value),
        (_, Some("invalid session id" | "no such driver")) => Err(Refusal::NoSession),
        (_, Some(error)) => {
            let message = value["message"].as_str().unwrap_or_default();
            Err(Refusal::Said(beginning(&format!("{error}: {message}"))))
        }
        (status, None) => Err(Refusal::Said(format!("it answered {status}: {}", shown()))),
    }
}

fn stop_command(options: &Options) -> String {
    format!("am force-stop {}; am force-stop {}", quote(&options.test_package), quote(&options.package))
}
