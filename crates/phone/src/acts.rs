//! Actions of the app in front: run, and followed to the page that they lead to.

use std::sync::Arc;

use serde_json::Value;

use crate::instance::{ActOutcome, Instance, Patch};

use super::apps::instances::LIST;
use super::keeper::Keeper;
use super::system::System;

/// How many pages may open one another as they open.
const HOPS: u8 = 8;

impl System {
    /// Runs an action of a page of the app in front.
    pub(super) async fn act(&mut self, instance: &str, action: &str) {
        if let Some(package) = self.front.clone() {
            self.note("UixtApp", format!("{package}: {action} on {instance}"));
        }
        if let Some(outcome) = self.outcome(instance, action, None).await {
            self.follow(instance, outcome).await;
        }
    }

    /// Runs an action with a table's row.
    pub(super) async fn act_on_row(&mut self, instance: &str, action: &str, row: Value) {
        if let Some(outcome) = self.outcome(instance, action, Some(row)).await {
            self.follow(instance, outcome).await;
        }
    }

    async fn outcome(
        &mut self,
        instance: &str,
        action: &str,
        row: Option<Value>,
    ) -> Option<Result<ActOutcome, String>> {
        if let Some(keeper) = self.kept(instance) {
            return Some(keeper.act(instance, action, row).await);
        }
        let services = self.services.clone();
        let page = self.page_mut(instance)?;
        let outcome = match row {
            Some(row) => page.act_on_row(action, row, &services).await,
            None => page.act(action, &services).await,
        };
        Some(outcome.map_err(|error| error.to_string()))
    }

    /// Returns who keeps a page of the app in front, where that is not the phone.
    fn kept(&mut self, instance: &str) -> Option<Arc<dyn Keeper>> {
        self.front_process()?.keeper.clone().filter(|_| instance != LIST)
    }

    fn page_mut(&mut self, instance: &str) -> Option<&mut Instance> {
        self.front_process().and_then(|process| process.pages.get_mut(instance))
    }

    /// Goes where an action leads; says on the page what went wrong where the page itself does not.
    async fn follow(&mut self, instance: &str, outcome: Result<ActOutcome, String>) {
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => return self.say(instance, &error),
        };
        if let Some(skipped) = outcome.report.skipped.first() {
            self.say(instance, &skipped.error.to_string());
        }
        if let Some(process) = self.front_process() {
            if let Err(why) = process.fetch(instance) {
                return self.say(instance, &why);
            }
            process.refresh_edit();
        }
        let shows = |page: &mut Instance| !page.runtime_text("error").is_empty();
        if let Some(why) = &outcome.failure
            && self.kept(instance).is_some()
            && !self.page_mut(instance).is_some_and(shows)
        {
            self.say(instance, why);
        }
        match outcome.navigate.as_deref() {
            None => {}
            Some("back") => {
                self.keyboard = None;
                self.back();
            }
            // A page's first action may lead on to another page, so this future is boxed.
            Some(target) => Box::pin(self.open(target)).await,
        }
    }

    /// Opens a page of the app in front and runs what it runs when it opens.
    pub(super) async fn open(&mut self, target: &str) {
        let now = self.now_ms();
        self.keyboard = None;
        let Some(package) = self.front.clone() else { return };
        if self.installed.get(&package).is_some_and(|installed| installed.live(target).is_some()) {
            // It is there.
            return drop(self.open_live(target));
        }
        self.note("ActivityTaskManager", format!("Displayed {package}/{target}"));
        let (Some(process), Some(installed)) = (self.running.get_mut(&package), self.installed.get(&package)) else {
            return;
        };
        if let Err(why) = process.fetch(target) {
            let top = process.stack.last().map(|opened| opened.instance.clone()).unwrap_or_default();
            return self.say(&top, &why);
        }
        process.push(target, now);
        let Some(page) = process.pages.get_mut(target) else { return };
        if let Some(own) = installed.pages.get(target) {
            page.apply(&[Patch::set("state.runtime.message", own.runtime_text("message"))]);
        }
        if let Some(action) = page.on_open().map(str::to_owned) {
            self.hops += 1;
            if self.hops <= HOPS {
                self.act(target, &action).await;
            }
            self.hops -= 1;
        }
    }
}
