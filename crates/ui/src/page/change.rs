//! What a page's user does → a version of an instance, or why it is none.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Error, Ui};

/// Who changes an instance by a page, in its versions.
const AUTHOR: &str = "page";

/// `{type: set, id, seq, path, value}`, `{type: act, id, seq, action, row}` or `{type: undo, id, seq}`; `seq` is the page's own number.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Change {
    Set {
        id: String,
        seq: u64,
        path: String,
        value: Value,
    },
    Act {
        id: String,
        seq: u64,
        action: String,
        #[serde(default)]
        row: Option<Value>,
    },
    Undo {
        id: String,
        seq: u64,
    },
}

impl Change {
    /// Tells whether it may ask a server that takes long; others must stay in order.
    pub(super) fn may_take_long(&self) -> bool {
        matches!(self, Self::Act { .. })
    }

    /// Makes the change; returns what the page is told: `done` with the version, or `refused` with the error.
    pub(super) async fn made(self, ui: &Arc<Ui>) -> Value {
        let (id, seq, done) = match self {
            Self::Set { id, seq, path, value } => (id.clone(), seq, set(ui, id, path, value).await),
            Self::Act { id, seq, action, row } => (id.clone(), seq, act(ui, &id, &action, row).await),
            Self::Undo { id, seq } => (id.clone(), seq, undo(ui, id).await),
        };
        let mut told = done.unwrap_or_else(|error| json!({"type": "refused", "error": error.to_json()}));
        told["id"] = json!(id);
        told["seq"] = json!(seq);
        told
    }
}

async fn set(ui: &Arc<Ui>, id: String, path: String, value: Value) -> Result<Value, Error> {
    let version = ui.apart(move |ui| ui.edit(&id, &path, value, AUTHOR)).await?.version;
    Ok(json!({"type": "done", "version": version}))
}

async fn act(ui: &Arc<Ui>, id: &str, action: &str, row: Option<Value>) -> Result<Value, Error> {
    let acted = ui.act(id, action, row, AUTHOR).await?;
    let skipped: Vec<String> = acted.outcome.report.skipped.iter().map(|one| one.error.to_string()).collect();
    // What the page says already is not said again.
    let failure = acted.outcome.failure.filter(|_| acted.now.instance.runtime_text("error").is_empty());
    Ok(json!({
        "type": "done", "version": acted.now.version, "navigate": acted.outcome.navigate, "failure": failure, "skipped": skipped,
    }))
}

async fn undo(ui: &Arc<Ui>, id: String) -> Result<Value, Error> {
    let undone = ui.apart(move |ui| ui.undo(&id, AUTHOR)).await?;
    Ok(json!({"type": "done", "version": undone.now.version}))
}
