//! Whether somebody else writes the testcase that is shown: an editor, a checkout.

use std::sync::Weak;
use std::time::Duration;

use serde_json::json;

use crate::studio::Studio;

/// How often its file is looked at.
const EVERY: Duration = Duration::from_secs(1);

/// Tells pages of changes for as long as the studio is there.
pub(crate) async fn watch(studio: Weak<Studio>) {
    let mut last: Option<(String, String)> = None;
    loop {
        tokio::time::sleep(EVERY).await;
        let Some(studio) = studio.upgrade() else { return };
        let Some(path) = studio.shown_file() else { continue };
        let version = studio.drafts.version(&path);
        if last.as_ref().is_some_and(|(known, before)| *known == path && *before != version) {
            studio.tell(json!({"event": "file_changed", "path": path, "version": version}));
        }
        last = Some((path, version));
    }
}
