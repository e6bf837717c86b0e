//! Looking, swiping and looking again: over a screen that scrolls, until something is there.
//!
//! Waits for the screen to stand still instead of sleeping: what flies past is neither found nor missed.

use std::time::{Duration, Instant};

use uixt_driver::{Gesture, Look, Screen};
use uixt_locate::motion::{MotionDetector, Settled};
use uixt_locate::stability::SAMPLE;
use uixt_locate::{Error, Kind};
use uixt_toolkit::{Context, PATIENT};

/// How long a screen may move before it is taken as it is.
const MOTION: Duration = Duration::from_secs(3);
/// For how long only a small place may move, such as a carousel, so that the screen is taken as still.
const CALM: Duration = Duration::from_millis(600);
/// How long a page may take to show more at its end, beside what it takes to fetch it.
const GROWTH: Duration = Duration::from_secs(1);
/// What one swipe and the looks after it may take.
pub(crate) const TURN: Duration = Duration::from_secs(10);

/// How to go on looking.
pub(crate) struct ScrollSearch {
    /// How many swipes at most.
    pub most: u32,
    /// A pause after each swipe that was asked for.
    pub interval: Duration,
    /// After how many swipes in a row that changed nothing the end is reached; none never gives up before `most`.
    pub max_unchanged: Option<u32>,
}

/// How a search ended.
pub(crate) struct SearchEnd<T> {
    /// What was looked for, where it was found.
    pub found: Option<T>,
    pub swipes: u32,
    /// The last look.
    pub screen: Screen,
    /// Whether the last swipes changed nothing.
    pub at_end: bool,
}

/// Looks at the screen until it stands still, but perhaps for a place that never does.
pub(crate) async fn settled(cx: &Context) -> Result<Settled, Error> {
    let (mut motion, mut waiting) = (MotionDetector::new(CALM, Some(MOTION)), cx.waiting());
    loop {
        let asked = Instant::now();
        let screen = cx.look(None, false).await?;
        if asked.elapsed() >= PATIENT {
            return Ok(Settled::whole(screen));
        }
        if let Some(settled) = motion.look(screen) {
            return Ok(settled);
        }
        waiting.until(asked + SAMPLE).await;
    }
}

/// Looks again at a page that a swipe did not change: some show more only a while after their end has come into view.
async fn grown(cx: &Context, before: Settled) -> Result<Settled, Error> {
    if before.screen.page.is_empty() {
        return Ok(before);
    }
    cx.look_with(Look { settled: true, ..Look::default() }).await?;
    let (end, mut waiting) = (Instant::now() + GROWTH, cx.waiting());
    loop {
        let now = settled(cx).await?;
        if now.differs_from(&before) || Instant::now() > end {
            return Ok(now);
        }
        waiting.pause(SAMPLE).await;
    }
}

impl ScrollSearch {
    /// Returns the longest time that it may take.
    pub(crate) fn limit(&self) -> Duration {
        (TURN + self.interval) * (self.most + 1)
    }

    /// Looks; swipes and looks again until `look` finds what it looks for. What `look` cannot find for a reason of its own,
    /// such as a container that is not there, may be there after the next swipe; the last reason is told.
    pub(crate) async fn go<T: Send>(
        &self,
        cx: &Context,
        swipe: impl Fn(&Screen) -> Result<Gesture, Error> + Send,
        mut look: impl FnMut(&Screen) -> Result<Option<T>, Error> + Send,
    ) -> Result<SearchEnd<T>, Error> {
        let mut screen = settled(cx).await?;
        let (mut swipes, mut unchanged) = (0, 0);
        loop {
            let trouble = match look(&screen) {
                Ok(Some(found)) => {
                    return Ok(SearchEnd { found: Some(found), swipes, screen: screen.screen, at_end: false });
                }
                Ok(None) => None,
                Err(error) if error.kind == Kind::NotFound => Some(error),
                Err(error) => return Err(error),
            };
            let at_end = self.max_unchanged.is_some_and(|max| unchanged >= max);
            if at_end || swipes == self.most {
                let arrival = SearchEnd { found: None, swipes, screen: screen.screen, at_end: unchanged > 0 };
                return trouble.map_or(Ok(arrival), Err);
            }
            cx.perform(swipe(&screen)?, screen.display()).await?;
            swipes += 1;
            cx.waiting().pause(self.interval).await;
            let mut after = settled(cx).await?;
            if self.max_unchanged.is_some() && unchanged == 0 && !after.differs_from(&screen) {
                after = grown(cx, after).await?;
            }
            unchanged = if after.differs_from(&screen) { 0 } else { unchanged + 1 };
            screen = after;
        }
    }
}

/// Writes a number of swipes in words.
pub(crate) fn swipes(count: u32) -> String {
    match count {
        0 => "without a swipe".to_owned(),
        1 => "after 1 swipe".to_owned(),
        _ => format!("after {count} swipes"),
    }
}
