//! What is done on a device while it is recorded → steps, told as one text that grows.

use serde_json::{Value, json};
use uixt_call::{CallRecord, Table};
use uixt_locate::{Error, Kind};
use uixt_recorder::{Secret, Take};

use crate::act::{Act, asked};
use crate::said::Place;
use crate::stage::Stage;
use crate::studio::Studio;
use crate::{drawn, picker, point};

/// What is recorded.
pub(crate) struct Recording {
    pub(crate) is_on: bool,
    table: &'static Table,
    take: Take,
    /// The steps that pages were told last.
    told: String,
    /// What was typed secretly since the studio began, each with its name in the environment.
    secrets: Vec<Secret>,
}

impl Recording {
    pub(crate) fn new(table: &'static Table) -> Self {
        Self { is_on: false, table, take: Take::new(table), told: String::new(), secrets: Vec::new() }
    }

    /// Begins anew, behind what was recorded before.
    pub(crate) fn begin(&mut self, is_on: bool) {
        self.is_on = is_on;
        self.take = Take::new(self.table).beside(self.secrets.clone());
        self.told.clear();
    }

    /// Returns what was typed secretly, by the names of the environment.
    pub(crate) fn secrets(&self) -> Vec<(String, String)> {
        self.secrets.iter().map(|secret| (secret.environment.clone(), secret.value.clone())).collect()
    }

    /// Returns the steps that pages were told last.
    pub(crate) fn told(&self) -> &str {
        &self.told
    }

    /// Returns what pages are told where the steps are others than before.
    fn news(&mut self) -> Option<Value> {
        let steps = self.take.steps();
        let text = steps.text();
        if text == self.told {
            return None;
        }
        let replaces = !self.told.is_empty();
        self.told.clone_from(&text);
        let variables: Vec<Value> = steps
            .secrets
            .iter()
            .map(|secret| json!({"name": secret.variable, "environment": secret.environment}))
            .collect();
        for secret in steps.secrets {
            self.secrets.retain(|known| known.environment != secret.environment);
            self.secrets.push(secret);
        }
        Some(json!({"event": "step_recorded", "text": text, "replaces": replaces, "variables": variables}))
    }
}

impl Studio {
    /// Does something on a device; while it is recorded it becomes a step. What is to be chosen first is returned instead.
    pub(crate) async fn act(&self, stage: &Stage, act: &Act) -> Result<Option<Value>, Error> {
        self.free(stage)?;
        stage.measure().await?;
        if let Some(at) = act.tapped()
            && let Some(asked) = picker::opened(stage, at, &self.root).await
        {
            return Ok(Some(asked));
        }
        self.act_on(stage, act).await.map(|()| None)
    }

    async fn act_on(&self, stage: &Stage, act: &Act) -> Result<(), Error> {
        if !self.recording.lock().is_on {
            let done = act.done(stage).await;
            stage.stir();
            return done;
        }
        let records = act.recorded(stage).await?;
        self.record(stage, records);
        Ok(())
    }

    /// Makes steps of what calls did.
    pub(crate) fn record(&self, stage: &Stage, records: Vec<CallRecord>) {
        let info = stage.driver.info();
        self.record_with(|recording| recording.take.add(records, (info.platform, &info.serial)));
    }

    fn record_with(&self, change: impl FnOnce(&mut Recording)) {
        let news = {
            let mut recording = self.recording.lock();
            change(&mut recording);
            recording.news()
        };
        if let Some(news) = news {
            self.tell(news);
        }
    }

    /// Begins to record, or ends.
    pub(crate) fn record_on(&self, is_on: bool) -> Value {
        self.recording.lock().begin(is_on);
        self.tell(json!({"event": "recording", "on": is_on}));
        json!({})
    }

    pub(crate) fn undo(&self) -> Value {
        self.record_with(|recording| recording.take.undo());
        json!({})
    }

    /// Asserts one thing of an element, which becomes a step.
    pub(crate) async fn assert(&self, stage: &Stage, place: &Place, chosen: (&str, &str)) -> Result<Value, Error> {
        self.free(stage)?;
        let seen = stage.look().await;
        let line = drawn::read(stage, &seen.screen, place).await;
        let mut offers = line.map(|line| line.assertions()).unwrap_or_default();
        let element = point::element(&seen.screen, place);
        offers.extend(element.into_iter().flat_map(|(_, element)| point::assertions(&seen.screen, element)));
        let request = point::assertion(offers, chosen, self.table);
        let gone = || Error::new(Kind::NotFound, "the screen is another by now: choose again");
        let request = request.ok_or_else(gone)?;
        let answer = asked(stage, request).await?;
        self.record(stage, answer.records);
        Ok(json!({"message": answer.told.get("message")}))
    }

    /// Refuses what would come between the steps of a run, or the calls of an agent.
    fn free(&self, stage: &Stage) -> Result<(), Error> {
        if stage.is_busy() {
            return Err(Error::new(Kind::Device, "a run has the device: stop it first"));
        }
        self.is_ours().map_err(|why| Error::new(Kind::Device, why))
    }
}
