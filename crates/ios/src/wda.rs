//! `WebDriverAgent` on a phone: asked within a session that is begun when it is needed, and begun anew where it is gone.
//!
//! Only one session lives at a time, and anybody's ends ours. What is refused for that was not done, and is asked again; what may have
//! been done is never sent twice, unless it only looks.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use parking_lot::Mutex as Plain;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::time::Instant;
use uixt_lane::{Answer, Bytes, Call, Method};

use crate::advice;
use crate::driver::Error;
use crate::fault::{Miss, beginning, fault, words};
use crate::options::{Alerts, MOST_DEPTH, Options};
use crate::stream::{Failure, Http, Port, Way};

/// How long an answer may take: of what is asked in passing, of a touch or a key beside its own time, of a new session.
pub(crate) const GLANCE: Duration = Duration::from_secs(3);
pub(crate) const TOUCH: Duration = Duration::from_secs(10);
pub(crate) const LONG: Duration = Duration::from_secs(30);
/// Bytes of an answer, and of a picture.
const MOST: usize = 20 << 20;
const MOST_PICTURE: usize = 64 << 20;

/// Sessions that are begun for one request, one after the other.
const RENEWALS: u32 = 3;
/// How long a session that was taken may explain what is on the screen.
const LATELY: Duration = Duration::from_mins(1);
/// What is said of a session that others take.
pub(crate) const TAKEN: &str = "another client may be using the phone, and what it did may be what is on the screen";
/// What is said of something whose answer is lost.
const UNSURE: &str = "; it may have been done, and may not: it is not sent again";

/// Something that is asked.
#[derive(Clone, Debug)]
pub(crate) struct Ask<'a> {
    /// What it is to do, for errors: "tell its size".
    what: &'a str,
    method: Method,
    path: &'a str,
    body: Bytes,
    is_look: bool,
    in_session: bool,
    limit: Duration,
}

impl<'a> Ask<'a> {
    /// Something that changes nothing.
    pub(crate) fn look(what: &'a str, path: &'a str) -> Self {
        let (method, body) = (Method::GET, Bytes::new());
        Self { what, method, path, body, is_look: true, in_session: true, limit: TOUCH }
    }

    /// Something that is done, which is sent once.
    pub(crate) fn act(what: &'a str, path: &'a str, body: &Value) -> Self {
        let body = Bytes::from(body.to_string());
        Self { what, method: Method::POST, path, body, is_look: false, in_session: true, limit: TOUCH }
    }

    /// Something that is taken away, which is sent once.
    pub(crate) fn delete(what: &'a str, path: &'a str) -> Self {
        Self { method: Method::DELETE, is_look: false, ..Self::look(what, path) }
    }

    /// Something that is posted and changes nothing, or only what it is asked for a second time.
    pub(crate) fn again(self) -> Self {
        Self { is_look: true, ..self }
    }

    /// Asks outside of any session.
    pub(crate) fn bare(self) -> Self {
        Self { in_session: false, ..self }
    }

    /// Gives it so much time.
    pub(crate) fn within(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }
}

/// `WebDriverAgent` on one phone.
#[derive(Debug)]
pub(crate) struct Wda {
    way: Way,
    options: Options,
    /// For all but what may stand beside a long call.
    main: Http,
    side: Http,
    /// The session's identifier.
    session: Mutex<Option<String>>,
    /// When the session was lost last.
    lost: Plain<Option<Instant>>,
    /// Levels of elements that are told.
    depth: AtomicU32,
}

impl Wda {
    pub(crate) fn new(way: Way, options: Options) -> Self {
        let lane = || Http::new(Port { way: way.clone(), number: options.port });
        let (main, side) = (lane(), lane());
        let depth = AtomicU32::new(options.max_depth.clamp(5, MOST_DEPTH));
        Self { way, options, main, side, session: Mutex::new(None), lost: Plain::new(None), depth }
    }

    #[cfg(test)]
    pub(crate) fn main(&self) -> &Http {
        &self.main
    }

    pub(crate) fn way(&self) -> &Way {
        &self.way
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    pub(crate) fn depth(&self) -> u32 {
        self.depth.load(Ordering::Relaxed)
    }

    /// Asks something and returns the value of the answer.
    pub(crate) async fn ask(&self, ask: Ask<'_>) -> Result<Value, Miss> {
        let answer = self.answer(&ask).await?;
        let read: Result<Value, _> = serde_json::from_slice(&answer.body);
        if let Ok(Value::Object(mut object)) = read {
            return Ok(object.remove("value").unwrap_or_default());
        }
        let shown = beginning(&String::from_utf8_lossy(&answer.body[..answer.body.len().min(4096)]));
        let done = if ask.is_look { "" } else { UNSURE };
        let message = format!("WebDriverAgent, asked to {}, answered no JSON object: {shown}{done}", ask.what);
        Err(Miss::Broken(Error::Device { message }))
    }

    /// Asks something and returns the answer as it came.
    pub(crate) async fn answer(&self, ask: &Ask<'_>) -> Result<Answer, Miss> {
        let mut session = self.session.lock().await;
        let mut tries = 0;
        loop {
            tries += 1;
            let path = match ask.in_session {
                true => format!("/session/{}{}", self.alive(&mut session).await?, ask.path),
                false => ask.path.to_owned(),
            };
            let answer = self.send(&self.main, ask, &path, MOST).await?;
            if (200..300).contains(&answer.status) {
                return Ok(answer);
            }
            let fault = fault(ask.what, &answer);
            // It was refused before anything of it was done.
            if fault.is_of_session() && ask.in_session {
                tracing::warn!(
                    "WebDriverAgent knows the session no more: another client began one, or it was started anew"
                );
                (*session, *self.lost.lock()) = (None, Some(Instant::now()));
                if tries <= RENEWALS {
                    continue;
                }
                let message = format!(
                    "WebDriverAgent lost the session {tries} times in a row while asked to {}: {TAKEN}",
                    ask.what
                );
                return Err(Miss::Broken(Error::Device { message }));
            }
            // What is no answer of its own says nothing of what was done.
            if !ask.is_look && fault.is_odd() {
                let message = format!("WebDriverAgent, asked to {}: {}{UNSURE}", ask.what, fault.message);
                return Err(Miss::Broken(Error::Device { message }));
            }
            return Err(Miss::Refused(fault));
        }
    }

    /// Tells whether the session was lost lately: whoever took it may have done something.
    pub(crate) fn was_taken(&self) -> bool {
        self.lost.lock().is_some_and(|at| at.elapsed() < LATELY)
    }

    /// Asks for something outside of any session, beside whatever else is asked.
    pub(crate) async fn beside(&self, what: &str, path: &str, limit: Duration) -> Result<Answer, Miss> {
        let ask = Ask::look(what, path).bare().within(limit);
        let answer = self.send(&self.side, &ask, path, MOST_PICTURE).await?;
        match answer.status {
            200..300 => Ok(answer),
            _ => Err(Miss::Refused(fault(what, &answer))),
        }
    }

    /// Returns what `WebDriverAgent` says of itself.
    pub(crate) async fn status(&self) -> Result<Value, Miss> {
        let answer = self.beside("tell its status", "/status", GLANCE).await?;
        let read: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        Ok(read["value"].clone())
    }

    /// Has other levels of elements told.
    pub(crate) async fn set_depth(&self, depth: u32) -> Result<(), Miss> {
        self.depth.store(depth, Ordering::Relaxed);
        let settings = json!({"settings": {"snapshotMaxDepth": depth}});
        self.ask(Ask::act("set its depth", "/appium/settings", &settings).again()).await.map(drop)
    }

    /// Ends the session.
    pub(crate) async fn close(&self) {
        let Some(id) = self.session.lock().await.take() else { return };
        let path = format!("/session/{id}");
        let call =
            Call { method: Method::DELETE, path: &path, body: Bytes::new(), is_look: false, limit: GLANCE, most: MOST };
        // It ends all the same with the next one.
        let _ = self.main.ask(&call).await;
    }

    async fn alive<'s>(&self, session: &'s mut Option<String>) -> Result<&'s str, Miss> {
        if session.is_none() {
            *session = Some(self.begin().await?);
        }
        Ok(session.as_deref().unwrap_or_default())
    }

    /// Begins a session that ends no app and waits for nothing: whoever looks does that.
    async fn begin(&self) -> Result<String, Miss> {
        let mut wanted = json!({
            "shouldTerminateApp": false, "shouldWaitForQuiescence": false, "waitForIdleTimeout": 0, "eventloopIdleDelaySec": 0,
        });
        match self.options.alerts {
            Alerts::Leave => {}
            Alerts::Accept => wanted["defaultAlertAction"] = "accept".into(),
            Alerts::Dismiss => wanted["defaultAlertAction"] = "dismiss".into(),
        }
        let body = json!({"capabilities": {"alwaysMatch": wanted, "firstMatch": [{}]}});
        let what = "begin a session";
        let answer = self.set_up(what, "/session", &body).await?;
        let id = answer["value"]["sessionId"].as_str().or_else(|| answer["sessionId"].as_str()).unwrap_or_default();
        if id.is_empty() || !id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
            let message = format!("WebDriverAgent began no session but answered {}", beginning(&answer.to_string()));
            return Err(Miss::Broken(Error::Device { message }));
        }
        let mut settings = json!({
            "waitForIdleTimeout": 0, "animationCoolOffTimeout": 0, "snapshotMaxDepth": self.depth(),
            "mjpegServerFramerate": 10, "mjpegScalingFactor": 50, "mjpegServerScreenshotQuality": 40,
        });
        let buttons = [
            ("acceptAlertButtonSelector", &self.options().accept_button),
            ("dismissAlertButtonSelector", &self.options().dismiss_button),
        ];
        for (name, chain) in buttons {
            if let Some(chain) = chain {
                settings[name] = chain.as_str().into();
            }
        }
        let path = format!("/session/{id}/appium/settings");
        match self.set_up("take settings", &path, &json!({"settings": settings})).await {
            // An older one does not know all of them, and takes the others.
            Err(Miss::Refused(fault)) => tracing::warn!(fault.message, "WebDriverAgent did not take its settings"),
            other => drop(other?),
        }
        Ok(id.to_owned())
    }

    /// Posts something of which only the last time counts.
    async fn set_up(&self, what: &str, path: &str, body: &Value) -> Result<Value, Miss> {
        let ask = Ask::act(what, path, body).again().within(LONG);
        let answer = self.send(&self.main, &ask, path, MOST).await?;
        match answer.status {
            200..300 => Ok(serde_json::from_slice(&answer.body).unwrap_or_default()),
            _ => Err(Miss::Refused(fault(what, &answer))),
        }
    }

    async fn send(&self, lane: &Http, ask: &Ask<'_>, path: &str, most: usize) -> Result<Answer, Miss> {
        let (method, body) = (ask.method.clone(), ask.body.clone());
        let call = Call { method, path, body, is_look: ask.is_look, limit: ask.limit, most };
        match lane.ask(&call).await {
            Ok(answer) => Ok(answer),
            Err(failure) => Err(Miss::Broken(self.broken(ask, &failure).await)),
        }
    }

    /// Builds the error of a request that has no answer.
    async fn broken(&self, ask: &Ask<'_>, failure: &Failure) -> Error {
        if let Failure::Unreached(why) = failure {
            let message = advice::unreached(why, &self.way, self.options.port);
            return Error::Disconnected { message };
        }
        let why = words(failure);
        let is_late = matches!(failure, Failure::Late(_) | Failure::Unanswered);
        // One that answers in passing is at work; one that does not is gone, though what forwards its port is there.
        let gone = match is_late {
            true if ask.path == "/status" => Some(Failure::Unanswered),
            true => self.probe().await.err(),
            false => None,
        };
        let more = match gone {
            Some(Failure::Unreached(why)) => format!("; {}", advice::unreached(&why, &self.way, self.options.port)),
            Some(_) => format!("; it does not answer at all any more: {}", advice::start()),
            None => String::new(),
        };
        let done = match ask.is_look || matches!(failure, Failure::TooLong(_)) {
            true => "",
            false => UNSURE,
        };
        let message = format!("WebDriverAgent, asked to {}: {why}{done}{more}", ask.what);
        match failure {
            Failure::TooLong(_) | Failure::Garbage(_) => Error::Device { message },
            _ => Error::Disconnected { message },
        }
    }

    /// Asks for its status in passing.
    pub(crate) async fn probe(&self) -> Result<Answer, Failure> {
        let call =
            Call { method: Method::GET, path: "/status", body: Bytes::new(), is_look: true, limit: GLANCE, most: MOST };
        self.side.ask(&call).await
    }
}
