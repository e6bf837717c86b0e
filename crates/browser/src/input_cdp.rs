//! Movements of a mouse or a finger, texts and keys → events of the DevTools protocol, and whether they have arrived.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::backend::{Act, Backend, World};
use super::cdp::{CallEnd, Cdp, TWO_FRAMES};
use super::cdp_errors::{crashed, failed, is_about_leaving, not_taken};
use super::connection::{Refusal, Reply};
use super::keyboard::{DomKey, MODIFIERS, Stroke};
use super::page::ACTED;
use super::tabs::Tab;
use super::typing::NOTE;
use crate::driver::{Error, Point};

/// How long an input may take: a page's script hears of it first.
const INPUT: Duration = Duration::from_secs(10);

/// Tells, after it called a function with it, what has the focus: nothing, what is only to be read, something else, or a frame of another site that keeps to itself what.
const FOCUSED: &str = concat!(
    "(note) => { ",
    deepest_active!(),
    "if (!e || e === document.body || e === document.documentElement) return \"nothing\"; \
                       if (e.localName === \"iframe\" && !e.contentDocument) return \"frame\"; \
                       if (e.readOnly === true) return \"locked\"; note(e); const box = e.getBoundingClientRect(); \
                       return e.editContext || ((e.localName === \"textarea\" || e.isContentEditable) && (box.width <= 2 || box.height <= 2)) ? \"inner\" : \"something\"; }"
);

/// Notes, before a wheel is turned at a point, when the page scrolls by it, if something there can: a busy machine scrolls long after the
/// wheel was answered. What the page does itself with the wheel, or within a frame, is not waited for.
const BEFORE_WHEEL: &str = "(x, y, dx, dy) => { const root = document.scrollingElement; \
                            const moves = (by, at, most, kind, is_root) => by !== 0 && (is_root ? kind !== \"hidden\" && kind !== \"clip\" : kind === \"auto\" || kind === \"scroll\") \
                            && (by < 0 ? at > 0 : at < most - 1); \
                            const able = (e) => { const style = getComputedStyle(e); return moves(dy, e.scrollTop, e.scrollHeight - e.clientHeight, style.overflowY, e === root) \
                            || moves(dx, e.scrollLeft, e.scrollWidth - e.clientWidth, style.overflowX, e === root); }; \
                            let e = document.elementFromPoint(x, y), inner; \
                            while (e && e.shadowRoot && (inner = e.shadowRoot.elementFromPoint(x, y)) && inner !== e) e = inner; \
                            let can = e && e.localName !== \"iframe\" && root && able(root) && getComputedStyle(document.body || root).overflowY !== \"hidden\"; \
                            for (; e && !can && e.localName !== \"iframe\"; e = e.parentElement || e.getRootNode().host) can = e !== root && e !== document.body && able(e); \
                            globalThis.wheeled = can ? new Promise((done) => { const gone = new AbortController(), end = () => { gone.abort(); done(true); }; \
                            addEventListener(\"scroll\", end, { capture: true, signal: gone.signal }); setTimeout(end, 2000); \
                            addEventListener(\"wheel\", (event) => setTimeout(() => event.defaultPrevented && end()), { capture: true, passive: true, signal: gone.signal }); }) : undefined; }";

/// What editors close as it is typed.
const CLOSED: [char; 8] = ['(', '[', '{', '<', '"', '\'', '`', '\n'];

impl Cdp {
    pub(super) async fn press_at(&self, acts: &[Act]) -> Result<(), Error> {
        let tab = self.usable()?;
        let _gate = self.let_through("mouse").await;
        let mut began = Instant::now();
        let (mut at, mut pressed, mut sent) = (Point::default(), 0, Vec::new());
        for act in acts {
            if let Act::Rest(rest) = act {
                self.arrive(&tab, began, std::mem::take(&mut sent)).await?;
                tokio::time::sleep(*rest).await;
                began = Instant::now();
                continue;
            }
            match act {
                Act::Move(to) => at = *to,
                Act::Press(count) => pressed = *count,
                Act::Held(point) => (at, pressed) = (*point, 1),
                Act::Release | Act::Rest(_) => {}
            }
            sent.extend(self.act(&tab, *act, at, pressed));
            if matches!(act, Act::Release) {
                pressed = 0;
            }
        }
        self.arrive(&tab, began, sent).await
    }

    pub(super) async fn wheel(&self, at: Point, x: f64, y: f64) -> Result<(), Error> {
        let tab = self.usable()?;
        let asked = |answer: Result<Value, Error>| match answer {
            Ok(_) | Err(Error::Rejected { .. }) => Ok(()),
            Err(error) => Err(error),
        };
        let numbers = [at.x, at.y, x, y].map(Value::from);
        asked(self.call(World::Own, BEFORE_WHEEL, &numbers, INPUT).await)?;
        let params = json!({"type": "mouseWheel", "x": at.x, "y": at.y, "deltaX": x, "deltaY": y});
        let began = Instant::now();
        let sent = self.send(&tab, "Input.dispatchMouseEvent", &params);
        self.arrive(&tab, began, vec![sent]).await?;
        // The wheel is answered before the page has moved.
        let moved = format!("async () => {{ await globalThis.wheeled; return ({TWO_FRAMES})(); }}");
        asked(self.call(World::Own, &moved, &[], INPUT).await)
    }

    pub(super) async fn put_in(&self, text: &str, is_first: bool) -> Result<(), Error> {
        let is_inner = self.begin_typing(is_first).await?;
        let (tab, _gate) = (self.usable()?, self.let_through("text").await);
        let began = Instant::now();
        let mut sent = Vec::new();
        if is_inner && text.contains(CLOSED) {
            // Editors close brackets and quotes as these are typed: what an input method gives them, they take as it is.
            let end = text.encode_utf16().count();
            let composed = json!({"text": text, "selectionStart": end, "selectionEnd": end});
            sent.push(self.send(&tab, "Input.imeSetComposition", &composed));
        }
        sent.push(self.send(&tab, "Input.insertText", &json!({"text": text})));
        if !is_inner {
            // Pages that listen for keys alone hear of the text, as of an input method's: "Process", whose number is 229.
            let key = json!({"type": "keyUp", "key": "Process", "code": "", "windowsVirtualKeyCode": 229});
            sent.push(self.send(&tab, "Input.dispatchKeyEvent", &key));
        }
        self.arrive(&tab, began, sent).await
    }

    /// Makes sure that something takes text, and notes what stands there at first; tells whether it is the inner part of an editor, which
    /// nobody sees.
    pub(super) async fn begin_typing(&self, is_first: bool) -> Result<bool, Error> {
        let asked = format!("() => ({FOCUSED})({})", if is_first { NOTE } else { "() => {}" });
        let mut focused = self.call(World::Own, &asked, &[], INPUT).await?;
        if focused == "frame" {
            focused = self.focused_in_frame(&asked, INPUT).await?;
        }
        let nowhere = match focused.as_str() {
            Some("something") => return Ok(false),
            Some("inner") => return Ok(true),
            Some("locked") => "the field that has the focus is only to be read (readonly): it takes no text",
            _ => "no element of the page has the focus: tap a field first",
        };
        Err(not_taken(nowhere))
    }

    pub(super) async fn press_keys(&self, strokes: &[Stroke]) -> Result<(), Error> {
        let (tab, _gate) = (self.usable()?, self.let_through("keys").await);
        let began = Instant::now();
        let mut sent = Vec::new();
        for stroke in strokes {
            let (held, bits) = self.hold(&tab, &stroke.held);
            sent.extend(held);
            let kind = if stroke.key.text.is_some() { "keyDown" } else { "rawKeyDown" };
            sent.push(self.key(&tab, kind, &stroke.key, bits));
            sent.push(self.key(&tab, "keyUp", &stroke.key, bits));
            sent.extend(self.let_go(&tab, &stroke.held, bits));
        }
        self.arrive(&tab, began, sent).await
    }

    /// Holds keys, by their positions in [`MODIFIERS`]; returns their bits, too.
    pub(super) fn hold(&self, tab: &Tab, held: &[usize]) -> (Vec<Reply>, u32) {
        let (mut sent, mut bits) = (Vec::new(), 0);
        for modifier in held.iter().map(|held| &MODIFIERS[*held]) {
            bits |= modifier.bit;
            sent.push(self.key(tab, "rawKeyDown", &modifier.as_key(), bits));
        }
        (sent, bits)
    }

    /// Lets go of keys that are held.
    pub(super) fn let_go(&self, tab: &Tab, held: &[usize], mut bits: u32) -> Vec<Reply> {
        let mut sent = Vec::new();
        for modifier in held.iter().rev().map(|held| &MODIFIERS[*held]) {
            bits &= !modifier.bit;
            sent.push(self.key(tab, "keyUp", &modifier.as_key(), bits));
        }
        sent
    }

    /// Waits until inputs have arrived that were sent since `began`; a dialog that one of them opens is an effect of it. What the page does
    /// of them may be told before this is called.
    pub(super) async fn arrive(&self, tab: &Tab, began: Instant, inputs: Vec<Reply>) -> Result<(), Error> {
        let all = async {
            let answers = join_all(inputs.into_iter().map(|input| input.within(INPUT))).await;
            answers.into_iter().collect::<Result<Vec<_>, _>>().map(Value::from)
        };
        let came = self.came(&tab.session, all).await;
        self.tell_acted(tab, began);
        match came {
            CallEnd::Answer(Ok(_)) | CallEnd::Dialog => Ok(()),
            // A page that closes itself or is left took the input.
            CallEnd::Answer(Err(Refusal::Said(said))) if is_about_leaving(&said) => Ok(()),
            CallEnd::Answer(Err(Refusal::Late(_))) => {
                self.note_busy(tab, true);
                let message =
                    format!("the page did not take an input within {} s: its script is busy", INPUT.as_secs());
                Err(Error::Device { message })
            }
            CallEnd::Answer(Err(refusal)) => Err(failed("Input", &refusal)),
            CallEnd::Crashed => Err(crashed()),
        }
    }

    /// Notes whether a page's own script is what keeps us waiting.
    pub(super) fn note_busy(&self, tab: &Tab, is_busy: bool) {
        let was_busy = self.tabs.look(|state| state.tab(&tab.session).is_some_and(|tab| tab.is_busy));
        if was_busy != is_busy {
            self.tabs.change(&tab.session, |tab| tab.is_busy = is_busy);
        }
    }

    /// Tells what looks at the page that something was done to it, so that it waits for what that sets going. Where it has never
    /// looked, it waits anyway.
    pub(super) fn tell_acted(&self, tab: &Tab, since: Instant) {
        self.tabs.requests.acted(&tab.session, since);
        let world = self.tabs.look(|state| state.tab(&tab.session).and_then(|tab| tab.world));
        if let Some(world) = world {
            // The answer is of no interest, but the next look comes behind it.
            drop(self.send(tab, "Runtime.evaluate", &json!({"expression": ACTED, "contextId": world})));
        }
    }

    fn mouse(&self, tab: &Tab, kind: &str, at: Point, count: u32) -> Reply {
        let button = if kind == "mouseMoved" && count == 0 { "none" } else { "left" };
        let pressed = u32::from(kind == "mousePressed" || (kind == "mouseMoved" && count > 0));
        let params = json!({
            "type": kind, "x": at.x, "y": at.y, "button": button, "buttons": pressed, "clickCount": count,
            "pointerType": "mouse",
        });
        self.send(tab, "Input.dispatchMouseEvent", &params)
    }

    fn touch(&self, tab: &Tab, kind: &str, at: Option<Point>) -> Reply {
        let points: Vec<Value> = at.iter().map(|at| json!({"x": at.x, "y": at.y})).collect();
        self.send(tab, "Input.dispatchTouchEvent", &json!({"type": kind, "touchPoints": points}))
    }

    /// Sends what an act is, unless it is nothing to be told of.
    fn act(&self, tab: &Tab, act: Act, at: Point, pressed: u32) -> Option<Reply> {
        match (act, self.touches) {
            (Act::Rest(_) | Act::Held(_), _) => None,
            (Act::Move(_), false) => Some(self.mouse(tab, "mouseMoved", at, pressed)),
            (Act::Press(count), false) => Some(self.mouse(tab, "mousePressed", at, count)),
            (Act::Release, false) => Some(self.mouse(tab, "mouseReleased", at, pressed)),
            (Act::Move(_), true) => (pressed > 0).then(|| self.touch(tab, "touchMove", Some(at))),
            (Act::Press(_), true) => Some(self.touch(tab, "touchStart", Some(at))),
            (Act::Release, true) => Some(self.touch(tab, "touchEnd", None)),
        }
    }

    fn key(&self, tab: &Tab, kind: &str, key: &DomKey, modifiers: u32) -> Reply {
        let mut params = json!({
            "type": kind, "key": key.key, "code": key.code, "windowsVirtualKeyCode": key.number,
            "nativeVirtualKeyCode": key.number, "modifiers": modifiers,
        });
        // A key that is held with Ctrl, Alt or Meta types nothing.
        if let Some(text) = key.text.filter(|_| kind == "keyDown" && modifiers.trailing_zeros() >= 3) {
            params["text"] = text.to_string().into();
            params["unmodifiedText"] = text.to_string().into();
        }
        self.send(tab, "Input.dispatchKeyEvent", &params)
    }
}
