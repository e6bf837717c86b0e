//! A text that was typed → whether it is in its field. Knows scripts, and not how they get to a page.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::backend::World;
use super::{Browser, page};
use crate::driver::{Error, TAKEN_BACK, Typed, Typing};

/// Notes what a field holds before anything is typed into it: a function of the field.
pub(super) const NOTE: &str = "(e) => { let selected = 0; try { selected = e.selectionEnd - e.selectionStart; } catch {} \
                               const held = typeof e.value === \"string\" ? e.value : e.isContentEditable ? e.textContent : null; \
                               window[Symbol.for(\"uixt typing\")] = { field: e, held, selected: selected || 0 }; }";

/// Compares the field that was named with what was noted: null where the text is there or nobody can tell, how many of its characters
/// had room, what the field holds as before, what the other field is called that got the text, in a list, all that an editor holds
/// that put the text beside what it was to replace, or what the page keeps of a text that it has cut. Notes what has arrived.
///
/// A page may write what it is given in another form, send it off at the end of a line, or make a sign of its own of it at a comma.
/// Fields that nobody sees are the inner parts of editors, which take out what they are given.
pub(super) const LEFT: &str = r#"(named, text, replaces, inTurn) => {
const noted = window[Symbol.for("uixt typing")];
if (!noted || typeof noted.held !== "string" || !noted.field.isConnected) return null;
const { field, held, selected } = noted;
const box = field.getBoundingClientRect();
if (box.width <= 2 || box.height <= 2 || field.checkVisibility?.({ opacityProperty: true }) === false) return null;
let outer = field;
while (outer && outer !== named) outer = outer.parentNode ?? outer.host ?? outer.defaultView?.frameElement;
if (!outer && !field.contains(named)) return [field.getAttribute("aria-label") || field.labels?.[0]?.textContent.trim() || field.placeholder || field.id || field.localName];
const holdsOf = (field) => (typeof field.value === "string" ? field.value : field.textContent);
const now = holdsOf(field);
const line = field.localName === "input" ? text.replace(/[\r\n]+/g, "") : text.replace(/\r\n?/g, "\n");
const room = Math.max(0, field.maxLength - (replaces ? 0 : held.length - selected));
const isLeft = inTurn && field.getRootNode().activeElement !== field;
if (field.maxLength >= 0 && line.length > room && !now.includes(line) && !isLeft) return [...line.slice(0, room)].length;
const isBeside = now === held + line || now === line + held;
if (replaces && held !== "" && now !== line && isBeside && typeof field.value !== "string") return { now };
const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
const took = () => {
    Object.assign(noted, { now, line, text });
    // For a while it is watched: what the page does to it without another act is noted, whatever is looked at meanwhile.
    const key = Symbol.for("uixt typed");
    const typed = window[key] ??= (() => {
        const typed = { watched: new Map(), lost: [], acted: -1, other: null };
        // Tells whether there is nothing more to watch of a field: something was done, or the page has taken its text back, which is noted.
        typed.judge = (noted) => {
            const { field } = noted;
            const next = window[Symbol.for("uixt typing")];
            const isTypedAnew = (next !== noted && next?.field === field) || typed.watched.get(field) !== noted;
            if (isTypedAnew || !field.isConnected || typed.acted >= noted.began) return true;
            const holds = holdsOf(field);
            if (holds === noted.now || !noted.isLost(holds)) return false;
            typed.watched.delete(field);
            typed.lost.push({ field, text: noted.text, now: holds });
            return true;
        };
        const note = (event) => {
            const isKey = event.type === "keydown" && !/^(Enter|Escape|Delete|Backspace|F\d+)$/.test(event.key) && !event.ctrlKey && !event.metaKey;
            if (event.isTrusted && !isKey) typed.acted = performance.now();
        };
        for (const kind of ["pointerdown", "mousedown", "touchstart", "keydown", "submit", "drop"]) addEventListener(kind, note, true);
        // What a page does to fields while another is typed into is meant: they are judged again by what they hold a moment after that.
        addEventListener("input", (event) => {
            const from = event.composedPath()[0];
            if (typed.other === null) typed.watched.forEach((noted, field) => { if (field !== from) typed.judge(noted); });
            const other = { from };
            typed.other = other;
            setTimeout(() => {
                typed.watched.forEach((noted, field) => { if (field !== from) noted.now = holdsOf(field); });
                if (typed.other === other) typed.other = null;
            }, 60);
        }, true);
        return typed;
    })();
    noted.began = performance.now();
    typed.watched.set(field, noted);
    const look = () => {
        const isMeant = typed.other !== null && typed.other.from !== field;
        if (!isMeant && typed.judge(noted)) return;
        if (performance.now() - noted.began < 700) setTimeout(look, 25);
        else typed.watched.delete(field);
    };
    noted.isLost = (holds) => {
        if (holds === "" && /[\r\n\t,;]$/.test(text)) return false;
        const forms = [line, noted.now].map(plain).filter((form) => form !== "");
        return !(forms.length > 0 ? forms.some((form) => plain(holds).includes(form)) : holds !== held);
    };
    setTimeout(look, 25);
    return null;
};
if (now !== held) {
    const part = replaces ? now : now.startsWith(held) ? now.slice(held.length) : "";
    const isCut = part !== "" && line.startsWith(part) && part.length < line.trimEnd().length && !/[.,]/.test(part);
    return isCut && field.getRootNode().activeElement === field ? { kept: now } : took();
}
if (line === "" || (now === "" && /[\r\n\t,;]$/.test(text))) return took();
if (replaces && (now === line || (plain(line) !== "" && plain(now).includes(plain(line))))) return took();
return now; }"#;

/// Returns what a field holds where the page has changed it since its text had arrived, by itself: `now`, and the `text`; null where it
/// has not, or only written it in another form, or nobody can tell. `last`: whether the field of the last text is looked at now; `ends`:
/// whether what follows may change any field; `next`: the number of the element that is
/// typed into next, whose text is given anew, below 0 what has the focus.
pub(super) const STILL: &str = r#"(last, ends, next) => {
const typed = window[Symbol.for("uixt typed")];
let field = next === null ? null : next < 0 ? document.activeElement : window[Symbol.for("uixt page memory")]?.nodes.get(next)?.deref();
while (next < 0 && field?.shadowRoot?.activeElement) field = field.shadowRoot.activeElement;
if (typed) typed.lost = typed.lost.filter((lost) => lost.field !== field);
const lost = typed?.lost.shift();
if (ends) typed?.watched.clear();
if (lost) return { text: lost.text, now: lost.now };
const noted = window[Symbol.for("uixt typing")];
if (!last || !noted?.isLost || !noted.field.isConnected) return null;
const { now: then, text } = noted;
const now = typeof noted.field.value === "string" ? noted.field.value : noted.field.textContent;
if (now === then || !noted.isLost(now)) return null;
typed?.watched.delete(noted.field);
return { text, now }; }"#;

/// How long after it was typed a text is held to be the field's: later, a page may have its reasons.
const LATEST: Duration = Duration::from_secs(2);

/// For how long it is asked what the page did to a text meanwhile: on a busy machine the next step comes late.
const ASKED: Duration = Duration::from_secs(10);

/// How long a field is watched where nothing else is done after the typing: a page that checks what was typed takes its time.
const WATCHED: Duration = Duration::from_millis(650);

/// The time between two looks at it, and how long one may take.
const PAUSE: Duration = Duration::from_millis(20);
const GLIMPSE: Duration = Duration::from_secs(1);

impl Browser {
    /// Notes that a text has arrived, or that something else was done.
    pub(super) fn note_typed(&self, is_typed: bool) {
        let now = is_typed.then(|| (self.wanted().0, Instant::now()));
        let mut typed = self.typed.lock();
        typed.last = now;
        typed.any = now.or(typed.any);
    }

    /// Fails where the page has changed by itself what was typed, before something else is done to it.
    pub(super) async fn verify_typed(&self) -> Result<(), Error> {
        self.verify(false, None).await
    }

    /// The same before something is typed into an element.
    pub(super) async fn verify_typed_before(&self, key: u64) -> Result<(), Error> {
        self.verify(false, Some(i64::from(page::number(key).0))).await
    }

    /// The same before something is typed into what has the focus.
    pub(super) async fn verify_typed_before_typing(&self) -> Result<(), Error> {
        self.verify(false, Some(-1)).await
    }

    /// The same before something that may change any field.
    pub(super) async fn verify_all_typed(&self) -> Result<(), Error> {
        self.verify(true, None).await
    }

    async fn verify(&self, ends: bool, next: Option<i64>) -> Result<(), Error> {
        let Noted { last, any } = self.take_typed();
        match last.or(any) {
            Some((case, _)) => self.is_still_there(case, last.is_some(), ends, next).await,
            None => Ok(()),
        }
    }

    /// Returns when the last text was typed that nothing was done after, and when any was, as far as that is not long ago.
    fn take_typed(&self) -> Noted {
        let mut typed = self.typed.lock();
        typed.any = typed.any.filter(|(_, at)| at.elapsed() < ASKED);
        Noted { last: typed.last.take().filter(|(_, at)| at.elapsed() < LATEST), any: typed.any }
    }

    /// Watches the same a moment, where nothing else is done.
    pub(super) async fn stays_typed(&self) -> Result<(), Error> {
        let Noted { last, any } = self.take_typed();
        let Some((case, at)) = last.or(any) else { return Ok(()) };
        loop {
            let is_last = at.elapsed() >= WATCHED;
            self.is_still_there(case, last.is_some(), false, None).await?;
            if is_last {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn is_still_there(&self, case: u64, last: bool, ends: bool, next: Option<i64>) -> Result<(), Error> {
        let Some(backend) = self.running.lock().await.begun_for(case) else { return Ok(()) };
        // What keeps the page from an answer is met by what is done next.
        match backend.call(World::Own, STILL, &[last.into(), ends.into(), json!(next)], GLIMPSE).await {
            Ok(lost @ Value::Object(_)) => {
                Err(Error::Rejected { code: TAKEN_BACK.to_owned(), message: lost.to_string() })
            }
            _ => Ok(()),
        }
    }
}

/// What was typed not long ago, by the case and the moment.
#[derive(Default)]
pub(super) struct Noted {
    /// The last text, where nothing was done after it.
    last: Option<(u64, Instant)>,
    any: Option<(u64, Instant)>,
}

/// Writes the arguments of [`LEFT`].
pub(super) fn arguments(typing: &Typing<'_>) -> [Value; 3] {
    [json!(typing.text), json!(typing.replaces), json!(typing.in_turn)]
}

/// Reads what [`LEFT`] answers.
pub(super) fn came(answer: Value) -> Typed {
    match answer {
        Value::String(held) => Typed::Refused(held),
        Value::Array(other) => Typed::Astray(other.first().and_then(Value::as_str).unwrap_or_default().to_owned()),
        Value::Object(held) if held.contains_key("kept") => {
            Typed::Kept(held["kept"].as_str().unwrap_or_default().to_owned())
        }
        Value::Object(held) => Typed::Beside(held["now"].as_str().unwrap_or_default().to_owned()),
        Value::Number(took) => {
            Typed::Cut(took.as_u64().and_then(|took| usize::try_from(took).ok()).unwrap_or_default())
        }
        _ => Typed::Arrived,
    }
}
