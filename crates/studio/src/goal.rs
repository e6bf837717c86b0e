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
        let steps = steps(&self.take.steps().text);
        let is_other = |(at, step): &(usize, &String)| self.told.get(*at) != Some(*step);
        let news = steps.iter().enumerate().filter(is_other).map(|(at, step)| (at + 1, step.clone())).collect();
        self.told = steps;
        news
    }
}

/// Takes steps apart that stand below each other.
fn steps(text: &str) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    for line in text.split_inclusive('\n') {
        match steps.last_mut() {
            Some(step) if !line.starts_with("- ") => step.push_str(line),
            _ => steps.push(line.to_owned()),
        }
    }
    steps
}

impl Studio {
    /// Has a model reach a goal on a device; while it does, nothing else runs.
    pub(crate) async fn reach(self: &Arc<Self>, device: usize, words: &str) -> Result<Value, String> {
        let stage = Arc::clone(self.stage(device)?);
        let stop = self.claim(words)?;
        stage.occupy(true);
        self.tell(json!({"event": "goal", "state": "started"}));
        let (way, studio) = (Mutex::new(Way::new(self.table)), Arc::clone(self));
        let shown = Arc::clone(&stage);
        let hears = move |record: &CallRecord| {
            let info = shown.driver.info();
            for (number, text) in way.lock().add(record, (info.platform, &info.serial)) {
                studio.tell(json!({"event": "goal", "state": "step", "n": number, "text": text, "outcome": "passed"}));
            }
        };
        let goal = Goal { words: words.to_owned(), device, hears: Box::new(hears) };
        let ended = self.workshop.reach(goal, stop).await;
        *self.running.lock() = None;
        stage.occupy(false);
        let (outcome, message) = match &ended {
            Ok(message) => ("passed", message),
            Err(message) => ("failed", message),
        };
        self.tell(json!({"event": "goal", "state": "ended", "outcome": outcome, "message": message}));
        ended.map(|message| json!({"outcome": outcome, "message": message}))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn steps_are_taken_apart() {
        let text = "- tap: Sign in\n# Then\n- input:\n    text: a\n";
        assert_eq!(super::steps(text), ["- tap: Sign in\n# Then\n", "- input:\n    text: a\n"]);
        assert!(super::steps("").is_empty());
    }
}
