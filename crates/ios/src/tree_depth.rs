//! How deep a tree is told: deeper where the app's elements reach the end, less deep where the phone fails.

use parking_lot::Mutex;

use crate::fault::Miss;
use crate::options::MOST_DEPTH;
use crate::wda::Wda;

/// Depths that are tried one after the other where the phone cannot tell more.
const STEPS: [u32; 6] = [50, 40, 30, 22, 15, 10];

/// What is known of the depth that a phone can tell.
#[derive(Debug, Default)]
pub(crate) struct Depth {
    /// The least depth that failed.
    failed: Mutex<Option<u32>>,
}

impl Depth {
    /// Has the tree told less deep; tells whether there is something left to try.
    pub(crate) async fn step_down(&self, wda: &Wda) -> Result<bool, Miss> {
        let now = wda.depth();
        let Some(next) = STEPS.into_iter().find(|step| *step < now) else { return Ok(false) };
        *self.failed.lock() = Some(now);
        tracing::debug!(from = now, to = next, "the phone cannot tell so deep a tree");
        wda.set_depth(next).await?;
        Ok(true)
    }

    /// Tells whether a tree of so many levels may go on below; the next one is told deeper, where the phone can.
    pub(crate) async fn is_reached(&self, wda: &Wda, levels: u32) -> Result<bool, Miss> {
        let now = wda.depth();
        // Whoever tells more than was asked for cuts nothing off.
        if levels < now || levels > now + 1 {
            return Ok(false);
        }
        let failed = *self.failed.lock();
        if now < MOST_DEPTH && failed.is_none_or(|failed| failed > MOST_DEPTH) {
            match wda.set_depth(MOST_DEPTH).await {
                Err(Miss::Refused(fault)) if fault.is_unknown() => {}
                set => set?,
            }
        }
        Ok(true)
    }
}
