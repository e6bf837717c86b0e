//! UI instances: small interfaces that an agent or a testcase makes and changes by patches, and that people use in a browser.
//!
//! Names, arguments and answers are those of the manual of such tools that uixt follows; `docs/ui-instances.md` says what was added.

mod patching;
mod waiting;

use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_locate::{Error, Kind, Object};
use uixt_toolkit::{ActionTool, Context, Reply, Tool};
use uixt_ui::{Skipped, Summary, Ui, Versioned};

/// The rows of all of them.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<patching::PatchUiState>(),
    ActionTool::of::<GetSchema>(),
    ActionTool::of::<ListInstances>(),
    ActionTool::of::<ValidateCompletion>(),
    ActionTool::of::<AccessInstance>(),
    ActionTool::of::<patching::RunAction>(),
    ActionTool::of::<patching::UndoPatch>(),
    ActionTool::of::<waiting::WaitForInstance>(),
];

/// Who changes an instance by a tool, in its versions.
const AUTHOR: &str = "tool";

/// Where the UI instances of a session are kept; nowhere by default.
#[derive(Default)]
pub struct DataFile(pub Option<PathBuf>);

/// Returns the UI instances, which all sessions of this process with the same file share.
fn instances(cx: &Context) -> Result<Arc<Ui>, Error> {
    let nowhere = "UI instances have no place to be kept: set UIXT_DATA_DIR to a folder for them";
    let file = cx.session.setting::<DataFile>();
    let data = file.0.as_deref().ok_or_else(|| Error::new(Kind::Service, nowhere))?;
    Ui::shared(data).map_err(|error| Error::new(Kind::Service, error.to_string()).with("code", error.code()))
}

/// Does what waits for the disk beside what else goes on; `id` is the instance that it is about.
async fn apart<T: Send + 'static>(
    cx: &Context,
    id: &str,
    work: impl FnOnce(&Ui) -> Result<T, uixt_ui::Error> + Send + 'static,
) -> Result<T, Error> {
    instances(cx)?.apart(work).await.map_err(|error| refused(&error, id))
}

async fn get(cx: &Context, id: String) -> Result<Versioned, Error> {
    let named = id.clone();
    apart(cx, &named, move |ui| ui.get(&id)).await
}

/// Turns an error about an instance into a call's: with its code, and what to do.
fn refused(error: &uixt_ui::Error, id: &str) -> Error {
    let code = error.code();
    let kind = match code {
        "STORE" => Kind::Service,
        "INVALID_INSTANCE" => Kind::NotFound,
        _ => Kind::BadArgument,
    };
    let (path, advice) = error.place_and_advice();
    let message = if advice.is_empty() { error.to_string() } else { format!("{error} ({advice})") };
    let told = Error::new(kind, message).with("status", "error").with("error", error.to_string()).with("code", code);
    let told = if id.is_empty() { told } else { told.with("instance_id", id) };
    let told = if path.is_empty() { told } else { told.with("path", path) };
    match error {
        uixt_ui::Error::Refused(skipped) => told.with("skipped_patches", skipped_patches(skipped)),
        _ => told,
    }
}

/// Tells of patches that were not applied, each with the reason.
fn skipped_patches(skipped: &[Skipped]) -> Value {
    let told = |one: &Skipped| {
        let Skipped { patch, error } = one;
        json!({"patch": patch, "reason": error.to_string(), "code": error.code(), "path": error.path(), "advice": error.advice()})
    };
    skipped.iter().map(told).collect()
}

/// Begins an answer about an instance.
fn about(message: String, now: &Versioned) -> Reply {
    Reply::new(message).with("status", "success").with("instance_id", now.instance.id()).with("version", now.version)
}

/// Return a UI instance as JSON: `state` (`params`: values of fields; `runtime`: status, progress), `blocks` with `props.fields`, `actions`.
/// Look at it before a patch, for paths and keys, and after it. E.g. `{"instance_id": "lamp"}`;
/// `{"instance_id": "order_form"}`: then `blocks.0.props.fields.1.label` is the label of the second field.
#[derive(Deserialize, JsonSchema)]
struct GetSchema {
    /// Id of the instance.
    #[schemars(length(min = 1))]
    instance_id: String,
}

impl Tool for GetSchema {
    const NAME: &'static str = "get_schema";
    const SET: Option<Toolset> = Some(Toolset::Ui);
    const KIND: ToolKind = ToolKind::Read;
    const PARAMS: Shape = Shape::Fields(&["instance_id"]);
    const MAIN: Option<&'static str> = Some("schema");
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;
    const ANSWER: &'static [&'static str] = &["status", "instance_id", "version", "schema"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let now = get(cx, self.instance_id).await?;
        let message = format!("{} is in version {}", now.instance.id(), now.version);
        Ok(about(message, &now).with("schema", now.instance.to_json()))
    }
}

/// List the UI instances there are: id, title, version, counts of blocks and fields, ids of actions, and which is active (accessed last).
/// Takes no arguments, e.g. `{}`. Call it when you do not know an id, e.g. before `get_schema` or after `INVALID_INSTANCE`.
#[derive(Deserialize, JsonSchema)]
struct ListInstances {}

impl Tool for ListInstances {
    const NAME: &'static str = "list_instances";
    const SET: Option<Toolset> = Some(Toolset::Ui);
    const KIND: ToolKind = ToolKind::Read;
    const MAIN: Option<&'static str> = Some("instances");
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;
    const ANSWER: &'static [&'static str] = &["status", "instances", "count"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let list = apart(cx, "", Ui::list).await?;
        let told = |summary: &Summary| {
            let instance = &summary.now.instance;
            json!({
                "instance_id": instance.id(), "title": instance.title(), "version": summary.now.version,
                "blocks": instance.blocks().len(), "fields": instance.fields().count(),
                "actions": instance.actions().iter().map(|action| action.id.as_str()).collect::<Vec<_>>(),
                "active": summary.is_active,
            })
        };
        let instances: Vec<Value> = list.iter().map(told).collect();
        let message = format!("{} UI instances", instances.len());
        Ok(Reply::new(message).with("status", "success").with("count", instances.len()).with("instances", instances))
    }
}

/// Look at criteria of completion: which hold, with what was found, a score from 0 to 1 and the next step. Changes nothing; whether it is
/// done, you decide. E.g. `{"instance_id": "lamp", "completion_criteria": [{"type": "field_filled", "path": "on"}]}`;
/// `{"instance_id": "lamp", "intent": "answered", "completion_criteria": [{"type": "custom", "condition": "state.params.on == true"}]}`.
#[derive(Deserialize, JsonSchema)]
struct ValidateCompletion {
    /// Id of the instance.
    #[schemars(length(min = 1))]
    instance_id: String,
    /// What is to be reached, in words; it is repeated in the answer.
    #[serde(default)]
    intent: Option<String>,
    /// {type, path, value, description, weight}; types: `field_exists`, `field_filled`, `field_value`, `state_value`, `block_exists` and
    /// `action_exists` {id}, `block_count` {count, min, max}, `custom` {condition: "state.params.count >= 3"}.
    #[schemars(length(max = 200))]
    completion_criteria: Vec<Object>,
}

impl Tool for ValidateCompletion {
    const NAME: &'static str = "validate_completion";
    const SET: Option<Toolset> = Some(Toolset::Ui);
    const KIND: ToolKind = ToolKind::Read;
    const VALUES: &'static [&'static str] = &["completion_criteria"];
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("criteria", "completion_criteria")];
    const ANSWER: &'static [&'static str] =
        &["status", "instance_id", "version", "intent", "score", "held", "count", "findings", "next_step"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let now = get(cx, self.instance_id).await?;
        let criteria: Vec<Value> = self.completion_criteria.into_iter().map(Value::Object).collect();
        let evaluation = now.instance.evaluate(&criteria).map_err(|error| refused(&error.into(), now.instance.id()))?;
        let findings: Vec<Value> = evaluation.findings.iter().map(finding).collect();
        let next = evaluation.next().map(uixt_ui::Finding::wanted);
        let (held, all) = (evaluation.held(), findings.len());
        let message = match &next {
            Some(next) => format!("{held} of {all} criteria hold; next: {next}"),
            None => format!("{held} of {all} criteria hold"),
        };
        Ok(about(message, &now)
            .with("intent", self.intent.unwrap_or_default())
            .with("score", (evaluation.score * 10_000.0).round() / 10_000.0)
            .with("held", held)
            .with("count", all)
            .with("findings", findings)
            .with("next_step", next.unwrap_or_default()))
    }
}

fn finding(finding: &uixt_ui::Finding) -> Value {
    let mut told = json!({
        "criterion": finding.criterion, "wanted": finding.wanted(), "holds": finding.holds, "found": finding.found,
    });
    if let Some(error) = &finding.error {
        told["error"] = json!({"code": error.code(), "message": error.to_string(), "advice": error.advice()});
    }
    told
}

/// Turn to a UI instance: it becomes the active one, which people see first, and its schema is returned. `get_schema` only looks.
/// E.g. `{"instance_id": "lamp"}`; `{"instance_id": "order_form"}`.
#[derive(Deserialize, JsonSchema)]
struct AccessInstance {
    /// Id of the instance.
    #[schemars(length(min = 1))]
    instance_id: String,
}

impl Tool for AccessInstance {
    const NAME: &'static str = "access_instance";
    const SET: Option<Toolset> = Some(Toolset::Ui);
    const KIND: ToolKind = ToolKind::Other;
    const PARAMS: Shape = Shape::Fields(&["instance_id"]);
    const MAIN: Option<&'static str> = Some("schema");
    const VIEW: Option<&'static str> = Some(uixt_ui::page::URI);
    const DESTRUCTIVE: bool = false;
    const IDEMPOTENT: bool = true;
    const NEEDS_DEVICE: bool = false;
    const ANSWER: &'static [&'static str] = &["status", "instance_id", "version", "schema"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let id = self.instance_id.clone();
        let now = apart(cx, &id, move |ui| ui.access(&self.instance_id)).await?;
        let message = format!("{} is active, in version {}", now.instance.id(), now.version);
        Ok(about(message, &now).with("schema", now.instance.to_json()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_teach_a_model_and_stay_short() {
        let described = |name: &str| {
            let tool = TOOLS.iter().find(|tool| tool.name == name).expect("a tool");
            tool.schema().description.clone()
        };
        let names = ["patch_ui_state", "get_schema", "list_instances", "validate_completion", "access_instance"];
        let all: Vec<String> = names.into_iter().map(described).collect();
        assert!(uixt_locate::snapshot::tokens(&all.concat()) <= 900, "{}", all.concat());
        let types = "text number textarea checkbox select radio multiselect json image table component date datetime file html tag progress badge modal";
        let handlers = "set increment decrement toggle template template:all template:state external";
        let operations = "append_to_list prepend_to_list remove_from_list update_list_item clear_all_params append_block prepend_block remove_block update_block merge";
        let words: Vec<&str> = all[0].split(|sign: char| !(sign.is_alphanumeric() || "_:".contains(sign))).collect();
        let words: Vec<&str> = words.iter().map(|word| word.trim_end_matches(':')).collect();
        for word in [types, handlers, operations].iter().flat_map(|list| list.split(' ')) {
            assert!(words.contains(&word), "{word}");
        }
        for (name, description) in names.iter().zip(&all) {
            let examples: Vec<&str> = description.split('`').filter(|part| part.starts_with("{\"")).collect();
            assert!(examples.len() == if *name == "list_instances" { 0 } else { 2 }, "{name}: {examples:?}");
            for example in examples {
                assert!(serde_json::from_str::<Value>(example).is_ok(), "{name}: {example}");
            }
        }
    }
}
