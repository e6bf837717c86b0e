//! Steps that are laid out → their texts, with variables for secrets and a device where there are several.

use serde_json::Value;

use super::{Layout, Line, is_typing};
use crate::variables::Variables;
use crate::writer::Step;
use crate::{Device, candidate, short, writer};

/// A testcase to be written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    /// The steps' texts, in order.
    pub steps: Vec<String>,
    /// Names of variables and of the environment's.
    pub secrets: Vec<(String, String)>,
    /// Devices, where there are several.
    pub devices: Vec<Device>,
    /// Whether other servers' tools are called.
    pub calls_servers: bool,
    /// What is to be said after the last step.
    pub trailing: Vec<String>,
    /// How the session ended, where that was a failure.
    pub failure: Option<String>,
    /// Whether nothing asserts what the last step brought about.
    pub is_open: bool,
}

/// What a step's text depends on beside the step: how many variables there are, and whether it has to name its device.
pub(super) type Manner = (usize, bool);

impl Layout {
    /// Writes the steps as if nothing came after them.
    pub(crate) fn script(&mut self) -> Script {
        // Texts that were made are kept, for they are not made again.
        if self.wait.is_none() && self.open_end().is_none() {
            return self.write();
        }
        self.write();
        let mut ended = self.clone();
        if let Some(wait) = ended.wait.take() {
            ended.push_wait(wait);
        }
        ended.conclude();
        ended.write()
    }

    /// Returns the steps that were made so far, without what only the end adds.
    pub(crate) fn made(&mut self) -> Vec<String> {
        let mut ended = self.clone();
        if let Some(wait) = ended.wait.take() {
            ended.push_wait(wait);
        }
        ended.write().steps
    }

    fn write(&mut self) -> Script {
        let mut devices: Vec<Device> = Vec::new();
        for device in self.lines.iter().filter(|line| !line.is_idle).filter_map(|line| line.action.device.as_ref()) {
            if !devices.contains(device) {
                devices.push(device.clone());
            }
        }
        let manner = (self.variables.size(), devices.len() > 1);
        let lines = self.lines.iter_mut().filter(|line| !line.is_idle);
        let steps = lines.map(|line| line.text(&self.variables, manner)).collect();
        if devices.len() < 2 {
            devices.clear();
        }
        let masked = |text: &String| self.variables.masked(text);
        Script {
            steps,
            secrets: self.variables.secrets(),
            devices,
            calls_servers: self.lines.iter().any(|line| line.action.tool == candidate::OTHER),
            trailing: self.comments.iter().map(masked).collect(),
            failure: self.failed.as_ref().map(masked),
            is_open: self.is_open,
        }
    }
}

impl Line {
    fn text(&mut self, variables: &Variables, manner: Manner) -> String {
        if let Some((_, text)) = self.text.as_ref().filter(|(known, _)| *known == manner) {
            return text.clone();
        }
        let text = writer::step(&self.written(variables, manner.1));
        self.text = Some((manner, text.clone()));
        text
    }

    /// Writes the step: secrets as variables, dollar signs as the language wants them.
    fn written(&self, variables: &Variables, names_device: bool) -> Step {
        let action = &self.action;
        let mut value = short::value(action.table, &action.tool, &action.arguments);
        if let Some((_, serial)) = action.device.as_ref().filter(|_| names_device) {
            let mut arguments = action.arguments.clone();
            arguments.insert("serial".to_owned(), serial.as_str().into());
            value = Value::Object(arguments);
        }
        Step {
            comments: self.comments.iter().map(|comment| variables.masked(comment)).collect(),
            name: self.page.as_ref().map(|page| variables.written(page)),
            tool: action.tool.clone(),
            value: variables.write(&value, is_typing(action)),
            save: self.save.clone(),
        }
    }
}
