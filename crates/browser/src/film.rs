//! The page in front as a film: pictures that the browser sends as the page changes, each with its time.
//!
//! The browser sends the next picture once the last was acknowledged, which is how there are no more than [`Manner::every`] allows.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::Browser;
use super::cdp::{Cdp, decoded};
use super::tabs::Filmed;
use crate::driver::{Error, Manner, Reel};

impl Browser {
    /// Films the pages of a case, from when there are any, and again where they are gone and others come.
    pub(super) async fn filmed(&self, reel: &dyn Reel) -> Result<(), Error> {
        let case = self.wanted().0;
        loop {
            let begun = self.begun.notified();
            tokio::pin!(begun);
            begun.as_mut().enable();
            let backend = self.running.lock().await.begun_for(case);
            if let Some(backend) = backend
                && backend.film(reel).await?
            {
                return Ok(());
            }
            tokio::select! {
                biased;
                () = reel.ended() => return Ok(()),
                () = begun => {}
            }
        }
    }
}

/// A picture that the browser waits for the acknowledgement of.
struct Owed {
    session: String,
    number: Value,
    due: Instant,
}

impl Cdp {
    /// Films the page in front, whichever that is; returns false where the browser is gone before the film is to end.
    pub(super) async fn filmed(&self, reel: &dyn Reel) -> bool {
        let (to, mut pictures) = mpsc::unbounded_channel();
        self.tabs.film_to(Some(to));
        let is_ended = self.film_all(reel, &mut pictures).await;
        self.tabs.film_to(None);
        is_ended
    }

    async fn film_all(&self, reel: &dyn Reel, pictures: &mut mpsc::UnboundedReceiver<Filmed>) -> bool {
        let (mut front, mut owed): (Option<String>, Option<Owed>) = (None, None);
        let mut last = Vec::new();
        let manner = reel.manner();
        loop {
            let due = owed.as_ref().map(|owed| owed.due);
            tokio::select! {
                biased;
                () = reel.ended() => {
                    self.end_film(front.as_deref());
                    return true;
                }
                () = self.connection.gone() => return false,
                now = self.front_other_than(front.as_deref()) => {
                    self.end_film(front.as_deref());
                    self.begin_film(&now, manner);
                    (front, owed) = (Some(now), None);
                }
                () = tokio::time::sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    if let Some(Owed { session, number, .. }) = owed.take() {
                        let params = json!({"sessionId": number});
                        drop(self.connection.send(Some(&session), "Page.screencastFrameAck", &params));
                    }
                }
                Some(Filmed { session, params }) = pictures.recv() => {
                    let has_room = take(reel, &params, &mut last);
                    owed = Some(Owed { session, number: params["sessionId"].clone(), due: Instant::now() + manner.every });
                    if !has_room {
                        self.end_film(front.as_deref());
                        return true;
                    }
                }
            }
        }
    }

    /// Waits until a page is in front that is another than before, and returns its session.
    async fn front_other_than(&self, before: Option<&str>) -> String {
        let mut now = None;
        let context = self.context.as_deref();
        self.tabs
            .until(|state| {
                let front = state.front(context).filter(|tab| tab.is_prepared && Some(tab.session.as_str()) != before);
                now = front.map(|tab| tab.session.clone());
                now.is_some()
            })
            .await;
        match now {
            Some(session) => session,
            None => std::future::pending().await,
        }
    }

    fn begin_film(&self, session: &str, Manner { side, quality, .. }: Manner) {
        let params =
            json!({"format": "jpeg", "quality": quality, "maxWidth": side, "maxHeight": side, "everyNthFrame": 1});
        drop(self.connection.send(Some(session), "Page.startScreencast", &params));
    }

    fn end_film(&self, session: Option<&str>) {
        if let Some(session) = session {
            drop(self.connection.send(Some(session), "Page.stopScreencast", &json!({})));
        }
    }
}

/// Puts a picture on the reel unless it shows the same as the last; false where there is no room for more.
fn take(reel: &dyn Reel, params: &Value, last: &mut Vec<u8>) -> bool {
    let Ok(jpeg) = decoded(&params["data"]) else { return true };
    if jpeg == *last {
        return true;
    }
    let since_1970 = params["metadata"]["timestamp"].as_f64().and_then(|at| Duration::try_from_secs_f64(at).ok());
    let at = since_1970.map_or_else(SystemTime::now, |since| SystemTime::UNIX_EPOCH + since);
    let has_room = reel.frame(&jpeg, at);
    *last = jpeg;
    has_room
}
