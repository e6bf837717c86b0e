//! A goal in words → the steps by which a model reaches it, told to pages as they come.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use uixt_call::{CallRecord, Table};
use uixt_recorder::Take;

use crate::run::Goal;
use crate::studio::Studio;

/// The way so far.
struct Way {
    take: Take,
    /// The steps that pages were told.
    told: Vec<String>,
}

impl Way {
    fn new(table: &'static Table) -> Self {
        Self { take: Take::new(table), told: Vec::new() }
    }

    /// Adds what a call did; returns the steps that are others now, each with its number from 1.
    fn add(&mut self, record: &CallRecord, device: (&str, &str)) -> Vec<(usize, String)> {
        self.take.add(vec![CallRecord { is_part: false, ..record.clone() }], device);
        let made = self.take.steps().each;
        let steps: Vec<String> = made.iter().map(|step| step.trim_start_matches('\n').to_owned()).collect();
        let is_other = |(at, step): &(usize, &String)| self.told.get(*at) != Some(*step);
        let news = steps.iter().enumerate().filter(is_other).map(|(at, step)| (at + 1, step.clone())).collect();
        self.told = steps;
        news
    }
}

impl Studio {
    /// Has a model reach a goal on a device; while it does, nothing else runs.
    pub(crate) async fn reach(self: &Arc<Self>, device: usize, words: &str) -> Result<Value, String> {
        let stage = Arc::clone(self.stage(device)?);
        let (busy, stop) = self.claim(device, words)?;
        self.tell(json!({"event": "goal", "state": "started"}));
        let (way, studio) = (Mutex::new(Way::new(self.table)), Arc::clone(self));
        let hears = move |record: &CallRecord| {
            let info = stage.driver.info();
            for (number, text) in way.lock().add(record, (info.platform, &info.serial)) {
                studio.tell(json!({"event": "goal", "state": "step", "n": number, "text": text, "outcome": "passed"}));
            }
        };
        let goal = Goal { words: words.to_owned(), device, hears: Box::new(hears) };
        let ended = self.workshop.reach(goal, stop).await;
        drop(busy);
        let (outcome, message) = match &ended {
            Ok(message) => ("passed", message),
            Err(message) => ("failed", message),
        };
        self.tell(json!({"event": "goal", "state": "ended", "outcome": outcome, "message": message}));
        ended.map(|message| json!({"outcome": outcome, "message": message}))
    }
}
