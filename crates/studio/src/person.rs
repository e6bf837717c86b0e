//! What a person does in a browser's own window, or on a phone → what the same on the studio's page would be.

use serde::Deserialize as _;
use serde_json::Value;
use uixt_call::CallToolRequest;
use uixt_driver::Screen;
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

/// Returns the call by which a testcase says what a person did on a phone, told as the studio's page tells it, while the phone showed a screen; none
/// of what a testcase need not say.
pub fn call_of(told: &Value, screen: &Screen) -> Option<CallToolRequest> {
    Act::deserialize(told).ok()?.on_phone(screen)
}
