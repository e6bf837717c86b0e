//! An acting call → what it changed on the screen, told beside its answer: an agent's step is one call.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use uixt_call::ToolKind;
use uixt_core::secrets::Secrets;
use uixt_driver::{Look, Screen};
use uixt_locate::motion::{MotionDetector, Settled};
use uixt_locate::refs::Book;
use uixt_locate::stability::SAMPLE;
use uixt_locate::{Error, Kind, snapshot};

use crate::look::PATIENT;
use crate::{ActionTool, Context, State};

/// How long a screen may go on moving before it is told as it is.
const REST: Duration = Duration::from_secs(2);
/// How long it is looked on where nothing has come or gone yet: an app may take a moment before it draws, and a touch itself moves the focus.
const REACTION: Duration = Duration::from_secs(1);
/// For how long only a small place may move, such as a carousel, so that the screen is taken as still.
const CALM: Duration = Duration::from_millis(400);
/// How long one look may take.
const LOOK: Duration = Duration::from_secs(10);

/// What calls of a session typed in secret: a difference tells of all that is on the screen, and not of them.
#[derive(Default)]
pub(super) struct TypedSecrets(Mutex<Secrets>);

impl State for TypedSecrets {}

impl TypedSecrets {
    pub(super) fn add(&self, secrets: &[String]) {
        let mut known = self.0.lock();
        secrets.iter().for_each(|secret| _ = known.add_marked(secret));
    }

    fn hide(&self, text: String) -> String {
        self.0.lock().text(text)
    }
}

/// Looks at the screen that a call is about to change; none where it cannot be seen, or nothing is to change.
pub(super) async fn before(tool: &ActionTool, cx: &Context) -> Option<Screen> {
    let look = Look { timeout: Some(LOOK), ..Look::default() };
    let acts = tool.kind != ToolKind::Wait;
    if acts { cx.driver().ok()?.look(&look).await.ok() } else { None }
}

/// Returns what differs from the last snapshot once the screen rests, or why that cannot be told: the call is over whatever becomes of
/// the look.
pub(super) async fn told(tool: &ActionTool, cx: &Context, before: Option<&Screen>) -> String {
    let reaction = if tool.kind == ToolKind::Wait { Duration::ZERO } else { REACTION };
    let changed = match tokio::time::timeout(REST + LOOK, changes(cx, reaction, before)).await {
        Ok(Ok(changed)) => changed,
        Ok(Err(error)) => format!("the screen could not be read: {error}"),
        Err(_) => format!("the screen could not be read within {} s", (REST + LOOK).as_secs()),
    };
    cx.session.state::<TypedSecrets>().hide(changed)
}

/// Returns what differs from the last snapshot, once the screen rests; all of it where there was none or another screen is shown.
async fn changes(cx: &Context, reaction: Duration, before: Option<&Screen>) -> Result<String, Error> {
    let (began, mut waiting) = (Instant::now(), cx.waiting());
    let device = cx.driver()?.info();
    let wanted = snapshot::Wanted { max_tokens: snapshot::MAX_TOKENS, diff: true, page: None, within: None };
    let write = |screen: &Screen, book: &mut Book| {
        snapshot::write(screen, device, book, &wanted).map_err(|message| Error::new(Kind::BadArgument, message))
    };
    loop {
        let settled = rest(cx, began).await?;
        let is_loading = began.elapsed() < REST && !settled.screen.notes.loading.is_empty();
        // Something else may have changed since the last snapshot: what counts is what came since the call began.
        let has_reacted = || {
            let Some(before) = before.filter(|before| **before != settled.screen) else { return Ok(false) };
            let mut book = cx.session.refs().as_ref().clone();
            write(before, &mut book)?;
            Ok::<_, Error>(write(&settled.screen, &mut book)?.came)
        };
        if is_loading || began.elapsed() < reaction && !has_reacted()? {
            waiting.pause(SAMPLE).await;
            continue;
        }
        let written = cx.session.change_refs(|book| write(&settled.screen, book))?;
        let moving = if settled.moving { "\n… still moving" } else { "" };
        return Ok(written.text + moving);
    }
}

/// Looks until two looks in a row agree.
async fn rest(cx: &Context, began: Instant) -> Result<Settled, Error> {
    let mut motion = MotionDetector::new(CALM, Some(REST.saturating_sub(began.elapsed())));
    let mut waiting = cx.waiting();
    loop {
        let asked = Instant::now();
        let look = Look { settled: true, timeout: Some(LOOK), ..Look::default() };
        let screen = cx.driver()?.look(&look).await?;
        if asked.elapsed() >= PATIENT {
            return Ok(Settled::whole(screen));
        }
        if let Some(settled) = motion.look(screen) {
            return Ok(settled);
        }
        waiting.until(asked + SAMPLE).await;
    }
}
