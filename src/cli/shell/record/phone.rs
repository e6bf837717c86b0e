//! A phone on which a person acts with their own fingers: it has done by itself what they mean, so that what they met is looked up on the screen as it was
//! read last before.
//!
//! What is typed on the phone's keyboard is what the field holds afterwards. A screen that was not read in time names nothing: the step is by its
//! place then, and the person is told.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use uixt_call::{CallRecord, CallToolRequest, Observation};
use uixt_locate::finder::{Purpose, takes_text};
use uixt_locate::{Object, naming};
use uixt_studio::call_of;
use uixt_toolkit::traces::call_trace::{overall, touched};

use crate::driver::{Driver, Element, Key, Look, Point, Screen, Way};
use crate::recorder::Recorder;

/// Screens that are kept: a touch that took long met an older one.
const KEPT: usize = 8;
/// How long the phone is left alone between two looks.
const APART: Duration = Duration::from_millis(200);
/// How long the screen after an act is waited for, and how often it is looked at until it stands still.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOKS: usize = 16;
/// How long a phone may take before it shows what an act leads to.
const REACTION: Duration = Duration::from_millis(500);
/// A finger that rests as long presses long (AOSP `ViewConfiguration`), in milliseconds.
const LONG: f64 = 400.0;
/// A second tap within as many milliseconds makes one gesture with the first.
const DOUBLE: Duration = Duration::from_millis(300);
/// How far a finger strays in a tap, and two taps lie apart, as a part of the screen's shorter side.
const SLOP: f64 = 0.03;
const NEAR: f64 = 0.12;

/// A screen, and when it was read.
struct Read {
    screen: Screen,
    began: Instant,
    ended: Instant,
}

type Reads = VecDeque<Arc<Read>>;

pub(super) struct Phone {
    recorder: Arc<Recorder>,
    device: (String, String),
    reads: watch::Receiver<Reads>,
    reading: JoinHandle<()>,
    /// When the last act ended: a screen that was read before is another one.
    acted: Instant,
    /// The screen before the swipes since the last act that was none.
    swiped: Option<Arc<Read>>,
    typing: Option<Typing>,
    /// What a step lacks that was made while the screen was waited for.
    lack: Option<String>,
    /// The last act, where it was a tap.
    tapped: Option<Tapped>,
}

/// A tap that may become the first of two.
struct Tapped {
    at: [f64; 2],
    /// When the finger was lifted, by the phone's clock.
    ended: Duration,
    /// The screen that it met.
    read: Arc<Read>,
}

/// A field that is typed into on the phone's keyboard.
struct Typing {
    /// The target that means it; none where no field had the focus.
    into: Option<Object>,
    is_secret: bool,
    /// What it held before, and holds now.
    before: String,
    now: String,
    /// Whether there is a step of it.
    is_noted: bool,
    /// Keys that were pressed, and those of them since the field was seen last.
    keys: u32,
    unseen: u32,
    seen: Arc<Read>,
}

impl Drop for Phone {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

impl Phone {
    /// Reads the screen from here on, and records with `recorder`.
    pub(super) fn watch(driver: &Arc<dyn Driver>, recorder: &Arc<Recorder>) -> Self {
        let (told, reads) = watch::channel(Reads::new());
        let acted = Instant::now();
        let info = driver.info();
        Self {
            recorder: Arc::clone(recorder),
            device: (info.platform.to_owned(), info.serial.clone()),
            reading: tokio::spawn(read(Arc::clone(driver), told)),
            reads,
            acted,
            swiped: None,
            typing: None,
            lack: None,
            tapped: None,
        }
    }

    /// Waits until the screen has been read; the error says that it cannot be.
    pub(super) async fn seen(&mut self) -> Result<(), String> {
        let read = self.reads.wait_for(|reads| !reads.is_empty());
        match tokio::time::timeout(PATIENCE, read).await {
            Ok(_) => Ok(()),
            Err(_) => Err("the screen cannot be read, so that no element can be named: see `uixt snapshot`".to_owned()),
        }
    }

    /// Makes a step of what fingers did from a time of the phone's clock on; that the last was lifted was told at `lifted`. The error says what the
    /// step lacks.
    pub(super) fn touch(&mut self, ways: &[Way], began: Duration, lifted: Instant) -> Result<(), String> {
        let Some([x, y, _]) = ways.first().and_then(|way| way.first()).copied() else { return Ok(()) };
        let (at, lasted) = ([x, y], lasted(ways));
        let down = lifted.checked_sub(lasted).unwrap_or(lifted);
        let read = self.reads.borrow().iter().rev().find(|read| read.ended <= down).cloned();
        let is_fresh = read.as_ref().is_some_and(|read| read.began >= self.acted);
        let tapped = self.tapped.take();
        self.acted = lifted;
        let Some(read) = read else {
            return Err("the screen had not been read when it was touched: no step was made of it".to_owned());
        };
        if read.screen.keyboard.is_some_and(|keys| keys.contains(Point { x, y })) {
            self.type_on(&read);
            return Ok(());
        }
        let side = f64::from(read.screen.size.width.min(read.screen.size.height));
        let told = meant(ways, side * SLOP)?;
        let is_tap = told.get("tap").is_some();
        let is_second =
            |first: &Tapped| began.saturating_sub(first.ended) <= DOUBLE && apart(first.at, at) <= side * NEAR;
        if let Some(first) = tapped.filter(|first| is_tap && is_second(first)) {
            self.recorder.undo();
            return self.make(&json!({"double_tap": at}), &[Point { x, y }], (&first.read, true));
        }
        let typed = self.end_typing(is_fresh.then_some(&read));
        let ends: Vec<Point> = match told.get("path") {
            Some(_) => {
                ways[0].first().into_iter().chain(ways[0].last()).map(|[x, y, _]| Point { x: *x, y: *y }).collect()
            }
            None => vec![Point { x, y }],
        };
        if is_tap {
            self.tapped = Some(Tapped { at, ended: began + lasted, read: Arc::clone(&read) });
        }
        self.make(&told, &ends, (&read, is_fresh)).and(typed)
    }

    /// Makes a step of what was done on a screen, which may have been another one since it was read.
    fn make(&mut self, told: &Value, ends: &[Point], (read, is_fresh): (&Arc<Read>, bool)) -> Result<(), String> {
        let Some(request) = call_of(told, &read.screen) else { return Ok(()) };
        let before = self.swiped.as_ref().map(|read| &read.screen);
        let mut observation = touched(&read.screen, ends, before);
        if !is_fresh {
            observation.target = None;
            "the screen had not been read again before".clone_into(&mut observation.why);
        }
        match request.name.as_ref() {
            "swipe" => _ = self.swiped.get_or_insert_with(|| Arc::clone(read)),
            _ => self.swiped = None,
        }
        self.note(request, observation);
        if is_fresh {
            return Ok(());
        }
        Err("the screen was touched before it had been read again: look at the step, and wait until it is printed before the next".to_owned())
    }

    /// Makes a step of a button of the phone; a key of a keyboard types.
    pub(super) fn press(&mut self, key: Option<Key>, at: Instant) -> Result<(), String> {
        let newest = self.reads.borrow().back().cloned();
        let is_fresh = newest.as_ref().is_some_and(|read| read.began >= self.acted);
        self.acted = at;
        let Some(read) = newest else { return Err("the screen had not been read when a key was pressed".to_owned()) };
        let Some((tool, arguments)) = key.map(button) else {
            self.type_on(&read);
            return Ok(());
        };
        let done = self.end_typing(is_fresh.then_some(&read));
        self.swiped = None;
        self.note(request(tool, &arguments), overall(&read.screen));
        done
    }

    /// Waits for the screen after the last act until it stands still, or something more was done; tells the recorder what it shows, and whether nothing
    /// more was done.
    pub(super) async fn settle(&mut self, has_more: impl Fn() -> bool) -> bool {
        let mut last: Option<Arc<Read>> = None;
        for _ in 0..LOOKS {
            let since = last.as_ref().map_or(self.acted, |last| last.ended);
            let Some(read) = self.next_read(since, &has_more).await else { return !has_more() };
            if last.as_ref().is_some_and(|last| last.screen == read.screen) {
                if read.began >= self.acted + REACTION {
                    return true;
                }
                last = Some(read);
                continue;
            }
            self.update_typing(&read.screen);
            self.see_left(&read.screen);
            // What is typed is no news of the screen.
            if self.typing.is_none() {
                self.note(request("snapshot", &json!({})), overall(&read.screen));
            }
            last = Some(read);
        }
        true
    }

    /// Returns the first screen that was read after a moment; none where something more was done meanwhile, or nothing can be read.
    async fn next_read(&mut self, since: Instant, has_more: &impl Fn() -> bool) -> Option<Arc<Read>> {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end && !has_more() {
            let newer = self.reads.borrow_and_update().iter().find(|read| read.began >= since).cloned();
            if newer.is_some() {
                return newer;
            }
            // Whether something more was done is looked at in between.
            let _ = tokio::time::timeout(APART, self.reads.changed()).await;
        }
        None
    }

    /// Begins to type into the field that has the focus, or goes on.
    fn type_on(&mut self, read: &Arc<Read>) {
        if let Some(typing) = &mut self.typing {
            typing.keys += 1;
            typing.unseen += 1;
            return;
        }
        self.swiped = None;
        let field = focused(&read.screen);
        let into = field.and_then(|field| naming::target(field, &read.screen, Purpose::Type));
        let text = field.map(|field| field.text.clone()).unwrap_or_default();
        let is_secret = field.is_some_and(|field| field.password);
        self.typing = Some(Typing {
            into,
            is_secret,
            before: text.clone(),
            now: text,
            is_noted: false,
            keys: 1,
            unseen: 1,
            seen: Arc::clone(read),
        });
    }

    /// Makes a step of what the field holds on a screen.
    fn update_typing(&mut self, screen: &Screen) {
        let Some(typing) = &mut self.typing else { return };
        let Some(into) = &typing.into else { return };
        let Some(field) = naming::found(into, screen).first().copied() else { return };
        typing.unseen = 0;
        // What a field hides is a variable of the testcase, whatever stands for it here.
        let now = if typing.is_secret { format!("unseen in {}", json!(into)) } else { field.text.clone() };
        if now == typing.now {
            return;
        }
        typing.now = now;
        if std::mem::take(&mut typing.is_noted) {
            self.recorder.undo();
        }
        let mut arguments = json!({"into": naming::short_target(into)});
        match typing.now.strip_prefix(&typing.before) {
            Some("") if !typing.is_secret => return,
            _ if typing.is_secret => {
                arguments["text"] = json!(typing.now);
                arguments["secret"] = json!(true);
            }
            Some(more) => arguments["text"] = json!(more),
            None => {
                arguments["text"] = json!(typing.now);
                arguments["clear"] = json!(true);
            }
        }
        typing.is_noted = true;
        let observation = Observation { target: Some(into.clone()), ..overall(&typing.seen.screen) };
        let record = record(request("input", &arguments), observation);
        self.recorder.note(record, (&self.device.0, &self.device.1));
    }

    /// Ends typing where the keyboard's own key led on: the field is gone, or another one has the focus.
    fn see_left(&mut self, screen: &Screen) {
        let Some(into) = self.typing.as_ref().and_then(|typing| typing.into.clone()) else { return };
        let field = naming::found(&into, screen).first().copied();
        let is_left = field.is_none_or(|field| !field.focused && focused(screen).is_some());
        if !is_left || self.type_elsewhere(screen) {
            return;
        }
        let Some(typing) = self.typing.take() else { return };
        // The last of the keys is the one that led on.
        if typing.unseen > 1 && !typing.is_secret {
            self.lack = Some(format!(
                "{}: what was typed last was not seen before the screen was another one; look at the step, and wait until it is printed before Enter",
                json!(into)
            ));
        }
        self.note(request("press_button", &json!({"button": "enter"})), overall(&typing.seen.screen));
    }

    /// Tells whether it was another field that was typed into: it had not been seen in time that the focus had gone there.
    fn type_elsewhere(&mut self, screen: &Screen) -> bool {
        let Some(typing) = self.typing.as_mut().filter(|typing| !typing.is_noted) else { return false };
        let Some(field) = focused(screen) else { return false };
        let Some(into) = naming::target(field, screen, Purpose::Type) else { return false };
        let before =
            naming::found(&into, &typing.seen.screen).first().map(|field| field.text.clone()).unwrap_or_default();
        // Of what a field hides, only the number of keys tells.
        let is_it = if field.password { typing.keys > 1 } else { field.text != before };
        if !is_it {
            return false;
        }
        (typing.into, typing.is_secret) = (Some(into), field.password);
        (typing.before, typing.now) = (before.clone(), before);
        self.update_typing(screen);
        true
    }

    /// Ends typing before something else is done, with the screen as it was then; the error says that what was typed may not be all.
    fn end_typing(&mut self, read: Option<&Arc<Read>>) -> Result<(), String> {
        if self.typing.is_none() {
            return Ok(());
        }
        if let Some(read) = read {
            self.update_typing(&read.screen);
        }
        let typing = self.typing.take();
        let into = typing.and_then(|typing| typing.into);
        match (into, read) {
            (None, _) => Err("something was typed where no field had the focus: no step was made of it".to_owned()),
            (Some(_), None) => {
                Err("what was typed last was not seen: look at the step, and wait until it is printed before the next"
                    .to_owned())
            }
            (Some(_), Some(_)) => Ok(()),
        }
    }

    /// Ends typing, since something else is recorded now; the error says that what was typed may not be all.
    pub(super) fn rest(&mut self) -> Result<(), String> {
        let newest = self.reads.borrow().back().cloned().filter(|read| read.began >= self.acted);
        self.end_typing(newest.as_ref())
    }

    /// Returns what the last steps lack, once.
    pub(super) fn take_lack(&mut self) -> Option<String> {
        self.lack.take()
    }

    fn note(&self, request: CallToolRequest, observation: Observation) {
        self.recorder.note(record(request, observation), (&self.device.0, &self.device.1));
    }
}

/// Reads the screen again and again.
async fn read(driver: Arc<dyn Driver>, told: watch::Sender<Reads>) {
    let look = Look { present: true, ..Look::default() };
    loop {
        let began = Instant::now();
        if let Ok(screen) = driver.look(&look).await {
            told.send_modify(|reads| {
                reads.push_back(Arc::new(Read { screen, began, ended: Instant::now() }));
                if reads.len() > KEPT {
                    reads.pop_front();
                }
            });
        }
        tokio::time::sleep(APART).await;
    }
}

/// Says what fingers meant, as the studio's page does; the error says that they meant nothing that a testcase can say.
fn meant(ways: &[Way], slop: f64) -> Result<Value, String> {
    let ends = |way: &Way| way.first().zip(way.last()).map(|([x, y, _], [to_x, to_y, _])| ([*x, *y], [*to_x, *to_y]));
    match ways {
        [way] => {
            let [x, y, _] = way.first().copied().unwrap_or_default();
            let strays = way.iter().any(|[to_x, to_y, _]| apart([x, y], [*to_x, *to_y]) > slop);
            let held = way.last().map_or(0.0, |[.., at]| *at);
            Ok(match (strays, held >= LONG) {
                (true, _) => json!({"path": way}),
                (false, true) => json!({"long_press": [x, y], "ms": held}),
                (false, false) => json!({"tap": [x, y]}),
            })
        }
        [one, other] => {
            let ((from, to), (other_from, other_to)) =
                ends(one).zip(ends(other)).ok_or_else(|| "two fingers went nowhere".to_owned())?;
            let scale = apart(to, other_to) / apart(from, other_from).max(1.0);
            if (0.9..1.1).contains(&scale) {
                return Err("two fingers that neither come together nor part are no step of a testcase".to_owned());
            }
            let middle = [from[0].midpoint(other_from[0]), from[1].midpoint(other_from[1])];
            Ok(json!({"pinch": middle, "scale": scale}))
        }
        _ => Err(format!("{} fingers at once are no step of a testcase", ways.len())),
    }
}

/// Returns how long it was from the first finger that came down to the last that was lifted.
fn lasted(ways: &[Way]) -> Duration {
    let last = ways.iter().filter_map(|way| way.last()).map(|[.., at]| *at).fold(0.0, f64::max);
    Duration::from_secs_f64(last.clamp(0.0, 3.6e6) / 1000.0)
}

fn apart(one: [f64; 2], other: [f64; 2]) -> f64 {
    (one[0] - other[0]).hypot(one[1] - other[1])
}

/// Returns the field that has the focus.
fn focused(screen: &Screen) -> Option<&Element> {
    let mut field = None;
    for root in &screen.roots {
        root.walk(&mut |element| field = field.or(Some(element).filter(|it| it.focused && takes_text(it))));
    }
    field
}

/// Returns the tool that presses a button of a phone.
fn button(key: Key) -> (&'static str, Value) {
    let name = match key {
        Key::Back => return ("back", json!({})),
        Key::Home => return ("home", json!({})),
        Key::Enter => "enter",
        Key::Delete => "delete",
        Key::ForwardDelete => "forward_delete",
        Key::Tab => "tab",
        Key::Escape => "escape",
        Key::Menu => "menu",
        Key::AppSwitch => "app_switch",
        Key::Power => "power",
        Key::VolumeUp => "volume_up",
        Key::VolumeDown => "volume_down",
        Key::Search => "search",
        Key::Up => "up",
        Key::Down => "down",
        Key::Left => "left",
        Key::Right => "right",
    };
    ("press_button", json!({"button": name}))
}

fn request(tool: &'static str, arguments: &Value) -> CallToolRequest {
    CallToolRequest::new(tool).with_arguments(arguments.as_object().cloned().unwrap_or_default())
}

fn record(request: CallToolRequest, observation: Observation) -> CallRecord {
    let arguments = request.arguments.unwrap_or_default();
    CallRecord { observation: Some(observation), ..CallRecord::new(request.name.to_string(), arguments) }
}
