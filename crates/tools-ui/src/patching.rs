//! What changes UI instances: patches, actions, and taking back.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_locate::{Error, Kind, Object};
use uixt_toolkit::{Context, Reply, Tool};
use uixt_ui::{PatchRequest, Skipped};

use crate::{AUTHOR, about, apart, refused, skipped_patches};

/// Stand for an instance that is made, and for one that is removed.
const CREATE: &str = "__CREATE__";
const DELETE: &str = "__DELETE__";
/// Beyond the longest that a server may take.
const ACTION: Duration = Duration::from_secs(330);

/// Change a UI instance by patches, the only way to change one; make one with `__CREATE__`, remove one with `__DELETE__`. A patch that
/// cannot be applied is skipped and told. E.g. `{"instance_id": "__CREATE__", "new_instance_id": "lamp", "patches": [{"op": "add", "path":
/// "blocks", "value": {"id": "q", "type": "form", "bind": "state.params", "props": {"fields": [{"key": "on", "label": "On?", "type":
/// "checkbox"}]}}}]}`; `{"instance_id": "lamp", "patches": [{"op": "set", "path": "state.params.on", "value": true}]}`. Types of fields: text,
/// textarea, number, checkbox, date, datetime, json, file; select, radio, multiselect (need `options: [{label, value}]`); table (needs
/// `columns`); component (needs `target_instance`); only shown: html, tag, image, progress, badge, modal. An action:
/// `{id, label, style: primary|secondary|danger, handler_type, patches: {path: …}}`. Handlers: set (a value, or `{operation, params}`:
/// `append_to_list`, `prepend_to_list`, `remove_from_list`, `update_list_item`, `clear_all_params`, `append_block`, `prepend_block`,
/// `remove_block`, `update_block`, `merge`), increment, decrement (a number), toggle (true), template, template:all, template:state (a text
/// with `${state.params.KEY}`), external (`{url, method, body_template, response_mappings, error_mapping}`).
#[derive(Deserialize, JsonSchema)]
pub(crate) struct PatchUiState {
    /// Id of the instance; `__CREATE__` with `new_instance_id`; `__DELETE__` with `target_instance_id`.
    #[schemars(length(min = 1))]
    instance_id: String,
    /// {op: set|add|remove, path, value}; paths: `state.params.KEY`, `state.runtime.KEY`, `blocks`, `blocks.0.props.fields`,
    /// `blocks.0.props.fields.1.label`, `actions`. `add` appends to an array, `remove` takes out the element of the same id, key or value.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    patches: Vec<Object>,
    /// Id of the instance that is made.
    #[serde(default)]
    new_instance_id: Option<String>,
    /// Id of the instance that is removed.
    #[serde(default)]
    target_instance_id: Option<String>,
    /// Key of a field to change with `updates` or to take out with `remove_field`, rather than by a path.
    #[serde(default)]
    field_key: Option<String>,
    /// New properties of the field; null takes one away.
    #[serde(default)]
    updates: Option<Object>,
    /// Takes the field out.
    #[serde(default)]
    remove_field: bool,
    /// Number of the field's block, from 0.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100_000))]
    block_index: Option<u32>,
    /// All patches or none.
    #[serde(default)]
    atomic: bool,
    /// `__CREATE__` takes the place of an instance of the same id.
    #[serde(default)]
    replace: bool,
}

impl PatchUiState {
    fn request(&self) -> PatchRequest {
        PatchRequest {
            patches: self.patches.iter().cloned().map(Value::Object).collect(),
            atomic: self.atomic,
            field_key: self.field_key.clone(),
            updates: self.updates.clone(),
            remove_field: self.remove_field,
            block_index: self.block_index.unwrap_or(0) as usize,
        }
    }
}

impl Tool for PatchUiState {
    const NAME: &'static str = "patch_ui_state";
    const SET: Option<Toolset> = Some(Toolset::Ui);
    const KIND: ToolKind = ToolKind::Other;
    const VALUES: &'static [&'static str] = &["patches", "updates"];
    const PARAMS: Shape = Shape::Fields(&["instance_id", "patches"]);
    const VIEW: Option<&'static str> = Some(uixt_ui::page::URI);
    const NEEDS_DEVICE: bool = false;
    const ANSWER: &'static [&'static str] = &["status", "instance_id", "version", "patches_applied", "skipped_patches"];

    fn check(&self) -> Result<(), String> {
        let named = |name: &Option<String>| name.as_deref().is_some_and(|name| !name.is_empty());
        let says = |what: &str| Err(what.to_owned());
        match self.instance_id.as_str() {
            CREATE if !named(&self.new_instance_id) => {
                return says("`new_instance_id` is missing: `__CREATE__` makes the instance of that id");
            }
            DELETE if !named(&self.target_instance_id) => {
                return says("`target_instance_id` is missing: `__DELETE__` removes the instance of that id");
            }
            id if id != CREATE && self.replace => return says("`replace` goes with `instance_id: __CREATE__`"),
            id if id != CREATE && self.new_instance_id.is_some() => {
                return says("`new_instance_id` goes with `instance_id: __CREATE__`");
            }
            id if id != DELETE && self.target_instance_id.is_some() => {
                return says("`target_instance_id` goes with `instance_id: __DELETE__`");
            }
            _ => {}
        }
        match &self.field_key {
            None if self.updates.is_some() || self.remove_field => {
                says("`field_key` is missing: it names the field that `updates` and `remove_field` are about")
            }
            Some(_) if self.updates.is_some() == self.remove_field => {
                says("a `field_key` needs either `updates` or `remove_field: true`")
            }
            _ => Ok(()),
        }
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let (request, is_new) = (self.request(), self.instance_id == CREATE);
        let done = match self.instance_id.as_str() {
            DELETE => {
                let id = self.target_instance_id.unwrap_or_default();
                let named = id.clone();
                apart(cx, &id, move |ui| ui.delete(&named)).await?;
                return Ok(Reply::new(format!("{id} was removed")).with("status", "success").with("instance_id", id));
            }
            CREATE => {
                let id = self.new_instance_id.unwrap_or_default();
                let named = id.clone();
                apart(cx, &named, move |ui| ui.create(&id, &request, self.replace, AUTHOR)).await?
            }
            _ => {
                let (id, named) = (self.instance_id.clone(), self.instance_id);
                apart(cx, &named, move |ui| ui.patch(&id, &request, AUTHOR)).await?
            }
        };
        let report = &done.report;
        warn(cx, &report.skipped);
        let id = done.now.instance.id();
        let message = match (is_new, report.applied.len(), report.skipped.len()) {
            (true, _, 0) => format!("{id} was made"),
            (true, applied, skipped) => format!("{id} was made; {applied} patches were applied, {skipped} were not"),
            (_, applied, 0) => format!("{applied} patches of {id} were applied"),
            (_, applied, skipped) => format!("{applied} patches of {id} were applied, {skipped} were not"),
        };
        Ok(about(message, &done.now)
            .with("patches_applied", json!(report.applied))
            .with("skipped_patches", skipped_patches(&report.skipped)))
    }
}

/// Lets the report warn of what was not applied.
fn warn(cx: &Context, skipped: &[Skipped]) {
    for one in skipped {
        cx.options.used.warn(format!("a patch was not applied: {}", one.error));
    }
}

/// Run an action of a UI instance, as its button does.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct RunAction {
    /// Id of the instance.
    #[schemars(length(min = 1))]
    instance_id: String,
    /// Id of the action.
    #[schemars(length(min = 1))]
    action_id: String,
    /// The table's row that it is run for; it is set as `state.runtime.row`.
    #[serde(default)]
    row: Option<Object>,
}

impl Tool for RunAction {
    const NAME: &'static str = "run_action";
    const SET: Option<Toolset> = Some(Toolset::Ui);
    const KIND: ToolKind = ToolKind::Other;
    const VALUES: &'static [&'static str] = &["row"];
    const PARAMS: Shape = Shape::Fields(&["instance_id", "action_id"]);
    const NEEDS_DEVICE: bool = false;
    const ANSWER: &'static [&'static str] =
        &["status", "instance_id", "version", "patches_applied", "skipped_patches", "navigate"];

    fn limit(&self) -> Duration {
        ACTION
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let row = self.row.map(Value::Object);
        let ui = crate::instances(cx)?;
        let done = ui.act(&self.instance_id, &self.action_id, row, AUTHOR).await;
        let done = done.map_err(|error| refused(&error, &self.instance_id))?;
        let report = &done.outcome.report;
        let (action, id) = (&self.action_id, &self.instance_id);
        let facts = |error: Error| {
            error
                .with("status", "error")
                .with("instance_id", id.as_str())
                .with("version", done.now.version)
                .with("patches_applied", json!(report.applied))
                .with("skipped_patches", skipped_patches(&report.skipped))
        };
        if let Some(failure) = &done.outcome.failure {
            let error = Error::new(Kind::Service, format!("action {action} of {id}: {failure}"));
            return Err(facts(error.with("code", "ACTION_FAILED")));
        }
        if let Some(first) = report.skipped.first().filter(|_| report.applied.is_empty()) {
            let error =
                Error::new(Kind::BadArgument, format!("action {action} of {id} changed nothing: {}", first.error));
            return Err(facts(error.with("code", first.error.code())));
        }
        warn(cx, &report.skipped);
        Ok(about(format!("Action {action} of {id} was run"), &done.now)
            .with("patches_applied", json!(report.applied))
            .with("skipped_patches", skipped_patches(&report.skipped))
            .with("navigate", done.outcome.navigate.unwrap_or_default()))
    }
}

/// Take back the last change of a UI instance, whoever made it; of the last 50, one after the other.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct UndoPatch {
    /// Id of the instance.
    #[schemars(length(min = 1))]
    instance_id: String,
}

impl Tool for UndoPatch {
    const NAME: &'static str = "undo_patch";
    const SET: Option<Toolset> = Some(Toolset::Ui);
    const KIND: ToolKind = ToolKind::Other;
    const PARAMS: Shape = Shape::Fields(&["instance_id"]);
    const NEEDS_DEVICE: bool = false;
    const ANSWER: &'static [&'static str] = &["status", "instance_id", "version", "undone", "patches_undone"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let named = self.instance_id.clone();
        let undone = apart(cx, &named, move |ui| ui.undo(&self.instance_id, AUTHOR)).await?;
        let (id, version, author) = (undone.now.instance.id(), undone.version, &undone.author);
        let message = format!("Version {version} of {id}, made by {author}, was taken back");
        Ok(about(message, &undone.now).with("undone", version).with("patches_undone", undone.patches))
    }
}
