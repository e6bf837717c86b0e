//! Goals in words: a model's steps on a device that is on show.

use serde_json::{Map, Value};
use uixt_call::CallRecord;
use uixt_tools_ai::{GoalKey, Goals, Kept, StoredGoal};

use crate::recorder;
use crate::tools;

/// Hears of what a model does on its way; nothing of it is stored.
pub(super) struct Heard(pub(super) Box<dyn Fn(&CallRecord) + Send + Sync>);

impl Goals for Heard {
    fn stored(&self, _: &GoalKey<'_>) -> Result<Vec<StoredGoal>, String> {
        Ok(Vec::new())
    }

    fn keep(&self, _: &GoalKey<'_>, _: StoredGoal, _: Option<&StoredGoal>) -> Result<Kept, String> {
        Ok(Kept::Nothing)
    }

    fn step(&self, record: &CallRecord) -> Option<(String, Map<String, Value>)> {
        (self.0)(record);
        recorder::step(tools::table(), record)
    }

    fn may_ask(&self) -> bool {
        true
    }
}
