//! An acting call → what it changed on the screen, told beside its answer: an agent's step is one call.

use std::time::{Duration, Instant};

use uixt_call::DIFF;
use uixt_core::secrets::Secrets;
use uixt_locate::stability::SAMPLE;

use super::motion::{MotionDetector, Settled};
use super::refs::Book;
use super::scroll_search::PATIENT;
use super::{ActionTool, Context, Error, Kind, Reply, ToolKind, snapshot};
use crate::driver::Look;

/// How long a screen may go on moving before it is told as it is.
const REST: Duration = Duration::from_secs(2);
/// How long it is looked on where nothing has come or gone yet: an app may take a moment before it draws, and a touch itself moves the focus.
const REACTION: Duration = Duration::from_secs(1);
/// For how long only a small place may move, such as a carousel, so that the screen is taken as still.
const CALM: Duration = Duration::from_millis(400);
/// How long one look may take.
const LOOK: Duration = Duration::from_secs(10);

/// Adds what changed, without secrets, to the answer of a call that passed. It passed whatever becomes of the look.
pub(super) async fn add(tool: &ActionTool, cx: &Context, reply: Reply, secrets: &[String]) -> Reply {
    let reaction = if tool.kind == ToolKind::Wait { Duration::ZERO } else { REACTION };
    let changed = match tokio::time::timeout(REST + LOOK, changes(cx, reaction)).await {
        Ok(Ok(changed)) => changed,
        Ok(Err(error)) => format!("the screen could not be read: {error}"),
        Err(_) => format!("the screen could not be read within {} s", (REST + LOOK).as_secs()),
    };
    let mut hidden = Secrets::default();
    secrets.iter().for_each(|secret| _ = hidden.add_anywhere(secret));
    reply.with(DIFF, hidden.text(changed))
}

/// Returns what differs from the last snapshot, once the screen rests; all of it where there was none or another screen is shown.
async fn changes(cx: &Context, reaction: Duration) -> Result<String, Error> {
    let began = Instant::now();
    let device = cx.driver()?.info();
    let wanted = snapshot::Wanted { max_tokens: snapshot::MAX_TOKENS, diff: true, page: None, within: None };
    let is_first = !cx.session.refs().has_shown(device);
    loop {
        let settled = rest(cx, began).await?;
        let write = |book: &mut Book| {
            snapshot::write(&settled.screen, device, book, &wanted)
                .map_err(|message| Error::new(Kind::BadArgument, message))
        };
        let is_loading = began.elapsed() < REST && !settled.screen.notes.loading.is_empty();
        let may_react = began.elapsed() < reaction;
        // Only what is told is entered into the book, or the next difference would lack it.
        if is_loading || may_react && (is_first || !write(&mut cx.session.refs().as_ref().clone())?.came) {
            tokio::time::sleep(SAMPLE).await;
            continue;
        }
        let written = cx.session.change_refs(write)?;
        let moving = if settled.moving { "\n… still moving after 2 s" } else { "" };
        return Ok(written.text + moving);
    }
}

/// Looks until two looks in a row agree.
async fn rest(cx: &Context, began: Instant) -> Result<Settled, Error> {
    let mut motion = MotionDetector::new(CALM, Some(REST.saturating_sub(began.elapsed())));
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
        tokio::time::sleep_until((asked + SAMPLE).into()).await;
    }
}
