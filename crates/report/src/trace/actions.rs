//! Steps → the actions of a trace: what was called, when, with what result, and what went wrong.

use std::io;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::super::{evidence, wording};
use super::Trace;
use crate::result::{ActionResult, Failure, Outcome, Place, StepResult};

/// One line of the list of actions.
struct Line<'a> {
    id: String,
    parent: Option<&'a str>,
    title: String,
    place: &'a Place,
    /// When it began and ended, on the trace's clock.
    time: (i64, i64),
    error: Option<&'a Failure>,
    /// What it called, where it called one tool.
    action: Option<&'a ActionResult>,
}

impl Trace<'_> {
    /// Writes every step as an action; where a step called several tools, these are below it.
    pub(super) fn actions(&mut self) -> io::Result<()> {
        let case = self.case;
        for step in &case.steps {
            let only = wording::only_action(step);
            let id = format!("step@{}", step.number);
            let own = step.error.as_deref().filter(|_| step.outcome >= Outcome::Failed);
            let error = own.or_else(|| only.and_then(|action| action.error.as_deref()));
            let (title, time) = (wording::title(step), self.time_of(step));
            let line = Line { id: id.clone(), parent: None, title, place: &step.place, time, error, action: only };
            self.line(&line)?;
            if only.is_none() {
                self.calls(step, &id)?;
            }
        }
        Ok(())
    }

    fn calls(&mut self, step: &StepResult, parent: &str) -> io::Result<()> {
        let several = step.attempts.len() > 1;
        for attempt in &step.attempts {
            for (number, action) in (1..).zip(&attempt.actions) {
                let call = wording::call(&action.tool, &action.arguments);
                let title = if several { format!("attempt {}: {call}", attempt.number) } else { call };
                let begin = self.time(action.at);
                let time = (begin, begin + milliseconds(action.elapsed_ms));
                let id = format!("{parent}.{}.{number}", attempt.number);
                let (error, parent) = (action.error.as_deref(), Some(parent));
                self.line(&Line { id, parent, title, place: &action.place, time, error, action: Some(action) })?;
            }
        }
        Ok(())
    }

    /// Returns when a step began and ended; one that was cut off ends with its last call, or with the case.
    fn time_of(&self, step: &StepResult) -> (i64, i64) {
        let begin = self.time(step.at);
        let calls = step.attempts.iter().flat_map(|attempt| &attempt.actions);
        let last = calls.map(|action| self.time(action.at) + milliseconds(action.elapsed_ms)).max().unwrap_or(begin);
        (begin, last.max(begin + milliseconds(step.elapsed_ms)))
    }

    fn line(&mut self, line: &Line<'_>) -> io::Result<()> {
        let (begin, end) = line.time;
        let (tool, arguments) = match line.action {
            Some(action) => (action.tool.as_str(), action.arguments.clone()),
            None => ("step", Map::new()),
        };
        let place = line.place;
        let mut before = json!({
            "type": "before", "callId": line.id, "startTime": begin, "title": line.title, "class": "uixt",
            "method": tool, "params": arguments, "pageId": super::PAGE,
            "stack": [{"file": place.file, "line": place.line, "column": place.column}],
        });
        if let Some(parent) = line.parent {
            before["parentId"] = parent.into();
        }
        self.push(&before);
        let mut attachments = Vec::new();
        if let Some(action) = line.action {
            self.pictures(&line.id, action, line.time)?;
            if !action.message.is_empty() {
                self.push(&json!({"type": "log", "callId": line.id, "time": end, "message": action.message}));
            }
            attachments = self.attachments(action)?;
        }
        let mut after = json!({"type": "after", "callId": line.id, "endTime": end, "attachments": attachments});
        if let Some(error) = line.error {
            after["error"] = json!({"name": error.kind, "message": error.message});
        }
        self.push(&after);
        Ok(())
    }

    /// Adds the files that were kept of a failure.
    fn attachments(&mut self, action: &ActionResult) -> io::Result<Vec<Value>> {
        let mut attachments = Vec::new();
        for (name, path) in evidence::of_action(action).into_iter().flatten() {
            let Some(path) = path.as_str().filter(|path| path.starts_with("evidence/")) else { continue };
            let is_json = Path::new(path).extension().is_some_and(|end| end == "json");
            let kind = if is_json { "application/json" } else { "text/plain" };
            if self.archive.file(self.dir, path)? {
                attachments.push(json!({"name": name, "contentType": kind, "file": path}));
            }
        }
        Ok(attachments)
    }
}

fn milliseconds(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX / 4)
}
