//! What a person does in a browser's own window → what the same on the studio's page would be.

use serde::Deserialize as _;
use serde_json::Value;
use uixt_locate::Error;

use crate::act::Act;
use crate::stage::Stage;

impl Stage {
    /// Does what was kept from a page, by the tool that a testcase has for it: whoever makes the calls of this stage records it.
    pub async fn act_for_person(&self, kept: &Value) -> Result<(), Error> {
        let act = Act::deserialize(kept).map_err(|error| Error::bad_argument(format!("{kept}: {error}")))?;
        self.measure().await?;
        if act.is_by_what_is_seen() {
            self.look().await;
        }
        act.recorded(self).await.map(drop)
    }
}
