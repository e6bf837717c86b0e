//! Running an action: its handler's patches are computed, applied, and the next page is named.
//!
//! In three parts, so that nobody has to hold an instance while a server thinks: [`Instance::prepare`] reads it, [`Prepared::resolve`]
//! does not need it, [`Instance::finish`] changes it. [`Instance::act`] is the three in one.

use chrono::SecondsFormat;
use serde_json::Value;

use super::handlers::external::{Call, Config};
use super::handlers::{self, Computed};
use super::patch::{Patch, PatchReport};
use super::reader::unknown;
use super::{ActionConfig, ActionType, Error, HandlerType, Instance, Services, template};

const NAVIGATE: &str = "state.runtime.navigate";
const TIMESTAMP: &str = "state.runtime.timestamp";

/// What an action did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActOutcome {
    pub report: PatchReport,
    /// The instance to open next: what the action left in `state.runtime.navigate`, else the target of a navigate action.
    pub navigate: Option<String>,
    /// Why an external call failed, where it did. What the page says about it is up to its error mapping.
    pub failure: Option<String>,
}

/// An action that was computed as far as possible without asking anybody.
#[derive(Debug)]
pub struct Prepared {
    /// What is applied before anything else.
    before: Vec<Patch>,
    work: Work,
    target: Option<String>,
}

#[derive(Debug)]
enum Work {
    Computed(Computed),
    Call(Box<Call>),
}

/// An action that only has to be applied.
#[derive(Debug)]
pub struct Resolved {
    before: Vec<Patch>,
    computed: Computed,
    target: Option<String>,
    failure: Option<String>,
}

impl Instance {
    /// Runs an action. Errors: there is no such action, or its templates would become too
    /// large. What could not be applied is in the report.
    pub async fn act(&mut self, action: &str, services: &Services) -> Result<ActOutcome, Error> {
        let resolved = self.prepare(action, services)?.resolve(services).await;
        Ok(self.finish(resolved))
    }

    /// Runs a table's `row_action` with the row that was chosen, which is set as `state.runtime.row`.
    pub async fn act_on_row(&mut self, action: &str, row: Value, services: &Services) -> Result<ActOutcome, Error> {
        self.apply(&[Patch::set("state.runtime.row", row)]);
        self.act(action, services).await
    }

    /// Computes what an action will do, from the state as it is now.
    pub fn prepare(&self, action: &str, services: &Services) -> Result<Prepared, Error> {
        let ids: Vec<&str> = self.actions().iter().map(|action| action.id.as_str()).collect();
        let found = self.actions().iter().find(|candidate| candidate.id == action);
        let action = found.ok_or_else(|| Error::PathNotFound {
            path: "actions".to_owned(),
            reason: unknown("action", action, &ids),
        })?;
        let mut seen = self.clone();
        let before = self.preparations(action, services);
        seen.apply(&before);
        let target = action.target_instance.clone().filter(|_| action.action_type == ActionType::Navigate);
        Ok(Prepared { before, work: seen.work(action)?, target })
    }

    /// Applies what an action computed.
    pub fn finish(&mut self, resolved: Resolved) -> ActOutcome {
        let mut report = self.apply(&resolved.before);
        let applied = self.apply(&resolved.computed.patches);
        report.applied.extend(applied.applied);
        report.skipped.extend(resolved.computed.skipped.into_iter().chain(applied.skipped));
        let named = Some(self.runtime_text("navigate")).filter(|id| !id.is_empty());
        let target = resolved.target.filter(|_| resolved.failure.is_none());
        ActOutcome { report, navigate: named.or(target), failure: resolved.failure }
    }

    /// Forgets where the last action led, and sets the time where the action refers to it.
    fn preparations(&self, action: &ActionConfig, services: &Services) -> Vec<Patch> {
        let mut patches = Vec::new();
        if !self.runtime_text("navigate").is_empty() {
            patches.push(Patch::set(NAVIGATE, ""));
        }
        if template::mentions(&Value::Object(action.patches.clone()), TIMESTAMP) {
            patches.push(Patch::set(TIMESTAMP, services.now().to_rfc3339_opts(SecondsFormat::Secs, true)));
        }
        patches
    }

    fn work(&self, action: &ActionConfig) -> Result<Work, Error> {
        let patches = Value::Object(action.patches.clone());
        template::check(&patches, self.state())?;
        if action.handler_type != Some(HandlerType::External) {
            return Ok(Work::Computed(handlers::compute(self, action)));
        }
        Ok(Work::Call(Box::new(Config::read(&patches, "patches")?.call(self.state()))))
    }
}

impl Prepared {
    /// Returns what is to be applied, where that takes no server; else itself.
    pub fn resolve_now(self) -> Result<Resolved, Self> {
        let Self { before, work, target } = self;
        match work {
            Work::Computed(computed) => Ok(Resolved { before, computed, target, failure: None }),
            call @ Work::Call(_) => Err(Self { before, work: call, target }),
        }
    }

    /// Asks the server, where the action has one.
    pub async fn resolve(self, services: &Services) -> Resolved {
        let Self { before, work, target } = self;
        match work {
            Work::Computed(computed) => Resolved { before, computed, target, failure: None },
            Work::Call(call) => {
                let answer = call.send(services).await;
                let computed = Computed { patches: answer.patches, skipped: Vec::new() };
                Resolved { before, computed, target, failure: answer.failure }
            }
        }
    }
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "a call with json!(…) reads better")]
mod tests {
    use chrono::DateTime;
    use serde_json::json;

    use super::*;

    fn services() -> Services {
        Services::new().unwrap().with_clock(|| DateTime::from_timestamp(1_800_000_000, 0).unwrap())
    }

    fn page(params: Value, actions: Value) -> Instance {
        Instance::from_value(&json!({
            "instance_id": "page", "state": {"params": params, "runtime": {"info": 7}},
            "blocks": [{"id": "form", "type": "form", "bind": "state.params", "props": {"fields": [
                {"key": "name", "label": "Name", "type": "text"},
                {"key": "list", "label": "", "type": "table", "columns": ["name"], "row_action": "open"}]}}],
            "actions": actions
        }))
        .unwrap()
    }

    fn action(id: &str, handler: &str, patches: Value) -> Value {
        json!({"id": id, "label": "Go", "style": "primary", "handler_type": handler, "patches": patches})
    }

    fn open() -> Value {
        action("open", "template", json!({"state.runtime.navigate": "${state.runtime.row.page}"}))
    }

    async fn act(params: Value, handler: &str, patches: Value) -> (Instance, ActOutcome) {
        let mut page = page(params, json!([open(), action("go", handler, patches)]));
        let outcome = page.act("go", &services()).await.unwrap();
        (page, outcome)
    }

    #[tokio::test]
    async fn set_replaces_values_and_runs_operations() {
        let patches = json!({
            "state.params.name": "", "state.runtime.status": "idle",
            "state.params.users": {"operation": "remove_from_list", "params": {"key": "id", "value": "5"}},
            "blocks": {"operation": "append_block", "params": {"block": {"id": "notification_block", "type": "form", "bind": "state.params",
                "props": {"fields": [{"label": "系统通知", "key": "notification", "type": "html", "description": "这是一条动态添加的通知"}]}}}}
        });
        let (page, outcome) = act(json!({"name": "x", "users": [{"id": 5}, {"id": 6}]}), "set", patches).await;
        assert!(outcome.report.skipped.is_empty(), "{:?}", outcome.report.skipped);
        assert_eq!(json!(page.state().params), json!({"name": "", "users": [{"id": 6}]}));
        assert_eq!(page.blocks()[1].id, "notification_block");
    }

    #[tokio::test]
    async fn what_cannot_be_done_is_reported() {
        let (page, outcome) =
            act(json!({"name": "x", "n": 1}), "increment", json!({"state.params.name": 1, "state.params.n": 1})).await;
        assert_eq!(json!(page.state().params), json!({"name": "x", "n": 2}));
        assert_eq!(outcome.report.skipped[0].error.code(), "INVALID_PATH");
    }

    #[tokio::test]
    async fn templates_see_the_state_and_the_time() {
        let patches = json!({
            "state.runtime.message": "姓名: ${state.params.name} ${state.runtime.timestamp}", "state.params.copy": "${state.runtime.info}",
            "blocks.0.props.fields.0.description": "${state.runtime.info}"
        });
        let (page, _) = act(json!({"name": "小明"}), "template:all", patches.clone()).await;
        assert_eq!(page.runtime_text("message"), "姓名: 小明 2027-01-15T08:00:00Z");
        assert_eq!(page.state().params["copy"], 7);
        assert_eq!(page.blocks()[0].props.fields[0].description.as_deref(), Some("7"));
        let (page, _) = act(json!({"name": "小明"}), "template:state", patches).await;
        assert_eq!(page.blocks()[0].props.fields[0].description.as_deref(), Some("${state.runtime.info}"));
    }

    #[tokio::test]
    async fn rows_lead_on_once() {
        let toggle = action("toggle", "toggle", json!({"state.params.on": true}));
        let mut page = page(json!({"on": true}), json!([open(), toggle]));
        let outcome = page.act_on_row("open", json!({"name": "b", "page": "page_b"}), &services()).await.unwrap();
        assert_eq!(outcome.navigate.as_deref(), Some("page_b"));
        let outcome = page.act("toggle", &services()).await.unwrap();
        assert_eq!((outcome.navigate, &page.state().params["on"]), (None, &json!(false)));
        assert_eq!(page.act("togle", &services()).await.unwrap_err().code(), "PATH_NOT_FOUND");
        assert_eq!(page.buttons().map(|action| action.id.as_str()).collect::<Vec<_>>(), ["toggle"]);
    }

    #[tokio::test]
    async fn navigates_unless_the_call_failed() {
        let go = json!({"id": "go", "label": "Go", "style": "secondary", "action_type": "navigate", "target_instance": "next"});
        let mut call = go.clone();
        call["id"] = json!("call");
        call["handler_type"] = json!("external");
        call["patches"] = json!({"url": "http://nowhere/"});
        let mut page = page(json!({}), json!([open(), go, call]));
        assert_eq!(page.act("go", &services()).await.unwrap().navigate.as_deref(), Some("next"));
        let outcome = page.act("call", &services()).await.unwrap();
        assert_eq!(outcome.navigate, None);
        assert_eq!(outcome.failure.as_deref(), Some("host `nowhere` is not allowed"));
    }
}
