//! One open page: what it is told and what it asks for, over a WebSocket. Pictures go one at a time: the next once the last was drawn.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{mpsc, watch};
use uixt_locate::{Error, Kind};

use crate::elements;
use crate::frames::Frame;
use crate::run::Decision;
use crate::said::{Said, What};
use crate::stage::Seen;
use crate::studio::Studio;

/// Bytes of what a page says at once: a testcase is the largest.
const LARGEST: usize = 8 << 20;
/// Messages on their way to a page; one that takes none for so long is left.
const WAITING: usize = 256;
const PATIENCE: Duration = Duration::from_secs(30);
/// How often a page is told that the server is there.
const HERE: Duration = Duration::from_secs(15);
/// A picture that a page does not say to have drawn, as one in the background, is followed by another after this time.
const DRAWN: Duration = Duration::from_secs(2);

/// The number of the next page.
static PAGES: AtomicU64 = AtomicU64::new(1);

pub(crate) async fn open(State(studio): State<Arc<Studio>>, upgrade: WebSocketUpgrade) -> Response {
    let upgrade = upgrade.max_message_size(LARGEST).max_frame_size(LARGEST);
    upgrade.on_upgrade(move |socket| {
        let sockets = studio.sockets.clone();
        sockets.track_future(serve(studio, socket))
    })
}

/// What is told to a page.
#[derive(Clone)]
struct Page {
    studio: Arc<Studio>,
    /// Its own, from 1.
    id: u64,
    out: mpsc::Sender<Message>,
    /// The number of the picture that was drawn last, of each device.
    drawn: Arc<[watch::Sender<u32>]>,
}

async fn serve(studio: Arc<Studio>, socket: WebSocket) {
    let (sink, stream) = socket.split();
    let (out, told) = mpsc::channel(WAITING);
    let drawn = studio.stages.iter().map(|_| watch::Sender::new(0)).collect();
    let id = PAGES.fetch_add(1, Ordering::Relaxed);
    let page = Page { studio, id, out, drawn };
    let studio = Arc::clone(&page.studio);
    let closing = page.studio.closing.clone();
    let shows: Vec<_> = (0..page.studio.stages.len()).map(|device| tokio::spawn(page.clone().show(device))).collect();
    let tells = tokio::spawn(page.clone().tell_events());
    tokio::select! {
        () = tell(sink, told) => {}
        () = hear(page, stream) => {}
        () = closing.cancelled() => {}
    }
    shows.iter().for_each(tokio::task::JoinHandle::abort);
    tells.abort();
    studio.turn_from(id);
}

async fn tell(mut sink: SplitSink<WebSocket, Message>, mut told: mpsc::Receiver<Message>) {
    loop {
        let message = match tokio::time::timeout(HERE, told.recv()).await {
            Ok(Some(message)) => message,
            Ok(None) => return,
            Err(_) => text(&json!({"event": "here"})),
        };
        if !matches!(tokio::time::timeout(PATIENCE, sink.send(message)).await, Ok(Ok(()))) {
            return;
        }
    }
}

async fn hear(page: Page, mut stream: SplitStream<WebSocket>) {
    // What is done on devices is done one after the other, in the order in which it was asked for; all else beside it.
    let (acts, mut waiting) = mpsc::unbounded_channel();
    let acting = page.clone();
    // What is dropped with the page would leave a device in the middle of something.
    tokio::spawn(async move {
        while let Some(said) = waiting.recv().await {
            acting.answer(said).await;
        }
    });
    while let Some(Ok(message)) = stream.next().await {
        let Message::Text(said) = message else { continue };
        match serde_json::from_str::<Said>(&said) {
            Ok(Said { what: What::Shown { device, sequence }, .. }) => {
                page.drawn.get(device).map(|drawn| drawn.send_replace(sequence));
            }
            Ok(said @ Said { what: What::Act { .. } | What::Assert { .. }, .. }) => _ = acts.send(said),
            Ok(said) => {
                let page = page.clone();
                tokio::spawn(async move { page.answer(said).await });
            }
            Err(error) => {
                let id = serde_json::from_str::<Value>(&said).ok().and_then(|said| said["id"].as_u64());
                let why = format!("this is nothing that the studio is asked: {error}");
                page.say(json!({"re": id, "error": {"kind": "BadArgument", "message": why}})).await;
            }
        }
    }
}

fn text(value: &Value) -> Message {
    Message::Text(value.to_string().into())
}

impl Page {
    async fn say(&self, value: Value) {
        // Whoever is gone hears nothing.
        let _ = self.out.send(text(&value)).await;
    }

    /// Tells what happens, from all there is on.
    async fn tell_events(self) {
        let mut events = self.studio.events();
        self.say(self.studio.hello()).await;
        loop {
            match events.recv().await {
                Ok(event) => {
                    let mut event = (*event).clone();
                    if event["event"] == "step_recorded" {
                        event["mine"] = self.studio.is_turned_to(self.id).into();
                    }
                    self.say(event).await;
                }
                Err(RecvError::Lagged(_)) => self.say(self.studio.hello()).await,
                Err(RecvError::Closed) => return,
            }
        }
    }

    /// Shows a device.
    async fn show(self, device: usize) {
        let Ok(stage) = self.studio.stage(device) else { return };
        let (mut frames, mut seen) = stage.watch();
        frames.mark_changed();
        seen.mark_changed();
        let pictures = async {
            while frames.changed().await.is_ok() {
                let frame: Option<Arc<Frame>> = frames.borrow_and_update().clone();
                let Some(frame) = frame else { continue };
                let mut drawn = self.drawn[device].subscribe();
                if self.out.send(Message::Binary(frame.message(device).into())).await.is_err() {
                    return;
                }
                let _ = tokio::time::timeout(DRAWN, drawn.wait_for(|number| *number == frame.number)).await;
            }
        };
        let elements = async {
            let mut last: Arc<Seen> = Arc::default();
            while seen.changed().await.is_ok() {
                let now = Arc::clone(&seen.borrow_and_update());
                self.tell_seen(device, &last, &now).await;
                last = now;
            }
        };
        tokio::join!(pictures, elements);
    }

    async fn tell_seen(&self, device: usize, last: &Seen, now: &Seen) {
        if now.dialog != last.dialog {
            self.say(json!({"event": "dialog", "device": device, "dialog": now.dialog})).await;
        }
        if now.tabs != last.tabs {
            self.say(json!({"event": "tabs", "device": device, "tabs": now.tabs})).await;
        }
        let screen = &now.screen;
        self.say(json!({
            "event": "screen", "device": device, "size": [screen.size.width, screen.size.height], "package": screen.package,
            "page": screen.page, "title": screen.notes.title, "keyboard": screen.keyboard.is_some(), "trouble": now.trouble,
            "elements": elements::told(screen),
        }))
        .await;
    }

    async fn answer(&self, said: Said) {
        let answer = match self.done(said.what).await {
            Ok(done) => json!({"re": said.id, "ok": done}),
            Err(error) => {
                json!({"re": said.id, "error": {"kind": error.kind.name(), "message": error.message, "details": error.details}})
            }
        };
        if said.id.is_some() {
            self.say(answer).await;
        }
    }

    async fn done(&self, what: What) -> Result<Value, Error> {
        let studio = &self.studio;
        let stage = |device: usize| studio.stage(device).map_err(Error::bad_argument);
        let told = |error: String| Error::new(Kind::Service, error);
        let done = json!({});
        if matches!(
            what,
            What::Act { .. } | What::Assert { .. } | What::Record { .. } | What::Open { .. } | What::Create { .. }
        ) {
            studio.turn_to(self.id);
        }
        Ok(match what {
            What::Shown { .. } => done,
            What::Act { device, act } => {
                if let Some(mut asked) = studio.act(stage(device)?, &act).await? {
                    asked["device"] = device.into();
                    self.say(asked).await;
                }
                done
            }
            What::Assert { device, kind, text, place } => studio.assert(stage(device)?, &place, (&kind, &text)).await?,
            What::Record { on } => studio.record_on(on),
            What::Take { on } => studio.take_over(on),
            What::Undo {} => studio.undo(),
            What::Want { device, on } => {
                stage(device)?.want(on);
                done
            }
            What::Look { device } => {
                stage(device)?.look().await;
                done
            }
            What::Point { device, place } => studio.point(stage(device)?, &place).await?,
            What::Try { device, target } => studio.try_target(stage(device)?, &target).await?,
            What::Picture { device, rect, file } => studio.picture(stage(device)?, rect, &file).await?,
            What::Open { path } => studio.open(&path).map_err(told)?,
            What::Text { path, text, version } => {
                studio.drafts.keep(&path, &text, &version).map_err(told)?;
                studio.checked(&path, &text)
            }
            What::Save { path, text, version } => {
                json!({"version": studio.save_over(&path, &text, version.as_deref())?})
            }
            What::Discard { path } => {
                studio.drafts.forget(&path).map_err(told)?;
                studio.open(&path).map_err(told)?
            }
            What::Create { path } => {
                studio.drafts.create(&path).map_err(told)?;
                studio.open(&path).map_err(told)?
            }
            What::Complete { text, line, column, .. } => studio.complete(&text, (line, column)),
            What::Explain { word } => studio.explain(&word),
            What::Run { device, path, text, version, from, only } => {
                studio.run_file(device, &path, (text, version), (from, only))?
            }
            What::RunCases { device, paths } => {
                studio.run_cases(device, &paths).map_err(told)?;
                done
            }
            What::Stop {} => {
                studio.stop();
                done
            }
            What::Goal { device, goal } => studio.reach(device, &goal).await.map_err(told)?,
            What::Accept { folder, baseline } => {
                studio.decide(&folder, Decision::Accept(baseline)).await.map_err(told)?
            }
            What::Mask { path, line, rect } => studio.mask(&path, line, rect).map_err(told)?,
            What::Repairs { folder } => studio.decide(&folder, Decision::Offer).await.map_err(told)?,
            What::Repair { folder, place, choice } => {
                studio.decide(&folder, Decision::Mend { place, choice }).await.map_err(told)?
            }
            What::Cases {} => json!({"cases": studio.workshop.cases().await}),
            What::Results {} => json!({"runs": crate::results::list(&studio.root)}),
            What::Result { folder } => studio.result(folder).await.map_err(told)?,
        })
    }
}
