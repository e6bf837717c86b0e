//! `uixt convert`: a testcase in `HttpRunner`'s form → the same in the short form, as YAML.
//!
//! What it writes is read again and must mean the same requests, or nothing is written.

pub(in crate::cli) mod goals;
mod short;

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;

use super::goals as stored_goals;
use super::messages;
use super::vocabulary;
use crate::action::{MobileAction, Span};
use crate::cli::exit::{Done, Failure, print};
use crate::testcase::{self, Body, Hook, Overrides, Step, TestCase};
use crate::tools;
use crate::yaml;

#[derive(Args)]
pub(in crate::cli) struct Convert {
    /// Testcase in YAML or JSON.
    file: PathBuf,
    /// File to write; standard output by default. One that is there is not overwritten.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Writes the steps of stored goals in the place of their words, with what was new at the end as assertions.
    #[arg(long)]
    goals: bool,
}

impl Convert {
    pub(in crate::cli) fn run(self) -> Done {
        let case = load(&self.file)?;
        let source = testcase::read_value(&self.file).map_err(|errors| messages::failure(&errors))?;
        let mut short = short::file(source, &case);
        let text = if self.goals {
            self.write_out_goals(&mut short)?;
            let text = yaml::document(&short);
            again(&case, &text)?;
            text
        } else {
            let text = yaml::document(&short);
            same(&case, &again(&case, &text)?)?;
            text
        };
        if has_comments(&self.file) {
            eprintln!("note: comments of {} are not kept", self.file.display());
        }
        match &self.output {
            Some(path) => write(path, &text),
            None => print(text.trim_end()),
        }
    }
}

impl Convert {
    fn write_out_goals(&self, value: &mut Value) -> Result<(), Failure> {
        let file = stored_goals::file(&self.file);
        let stored = stored_goals::read(&file).map_err(|why| Failure::usage(format!("{}: {why}", file.display())))?;
        if stored.is_empty() {
            let message =
                format!("{} has no stored goals: `uixt run {}` stores them", file.display(), self.file.display());
            return Err(Failure::usage(message));
        }
        let (count, missing) = goals::write_out(value, &stored);
        for goal in &missing {
            eprintln!("note: {goal:?} is not stored and stays as it is");
        }
        match count {
            0 => Err(Failure::usage(format!("none of the goals in {} is stored", self.file.display()))),
            _ => Ok(()),
        }
    }
}

fn load(path: &Path) -> Result<TestCase, Failure> {
    let cases = testcase::load(&[path.to_path_buf()], &vocabulary(), &Overrides::default());
    let mut cases = cases.map_err(|errors| messages::failure(&errors))?;
    match (cases.pop(), cases.is_empty()) {
        (Some(case), true) => Ok(case),
        _ => Err(Failure::usage(format!("{} is a folder: convert one file at a time", path.display()))),
    }
}

/// Reads the text as if it stood beside the original.
fn again(case: &TestCase, text: &str) -> Result<TestCase, Failure> {
    let again = testcase::parse_in_place_of(case, text, &vocabulary(), &Overrides::default());
    again.map_err(|errors| {
        let reasons = errors.iter().map(|error| error.render(false)).collect::<Vec<_>>().join("\n");
        Failure::errored(format!("{} cannot be written in the short form; please report this\n{reasons}", case.file))
    })
}

/// What a case asks for, in the order in which it runs.
type Requests = Vec<(Span, Result<Value, String>)>;

/// Every request of a case, as far as it is known before variables are.
fn requests(case: &TestCase) -> Requests {
    let mut requests = Vec::new();
    of_hooks(&case.config.setup, &mut requests);
    case.steps.iter().for_each(|step| of_step(step, &mut requests));
    of_hooks(&case.config.on_failure, &mut requests);
    of_hooks(&case.config.teardown, &mut requests);
    requests
}

fn of_hooks(hooks: &[Hook], requests: &mut Requests) {
    for hook in hooks {
        if let Hook::Step(step) = hook {
            of_step(step, requests);
        }
    }
}

/// Adds what a step asks for: what stands in it goes before what must hold after it.
fn of_step(step: &Step, requests: &mut Requests) {
    let ask = |action: &MobileAction| {
        let request = tools::table().request(action).map_err(|error| error.message);
        let request = request.map(|mut request| {
            // What an option does not do is said of the one form and not of the other.
            request.options.warnings.clear();
            serde_json::to_value(&request).unwrap_or_default()
        });
        (action.span, request)
    };
    of_hooks(&step.setup, requests);
    match &step.body {
        Body::Actions(actions) => requests.extend(actions.iter().map(ask)),
        Body::Group(steps) => steps.iter().for_each(|step| of_step(step, requests)),
        Body::Choice { then, otherwise, .. } => then.iter().chain(otherwise).for_each(|step| of_step(step, requests)),
        Body::Case(case) => requests.extend(self::requests(case)),
        Body::Nothing { .. } => {}
    }
    if step.closes_popups {
        requests.push((step.place, Ok("pop-ups are closed".into())));
    }
    requests.extend(step.validate.iter().map(|check| ask(&check.action)));
    of_hooks(&step.teardown, requests);
}

fn same(before: &TestCase, after: &TestCase) -> Result<(), Failure> {
    let (was, is) = (requests(before), requests(after));
    let differs = was.iter().zip(&is).find(|((_, one), (_, other))| one != other);
    let (place, message) = match differs {
        Some(((place, one), (_, other))) => (Some(*place), format!("{} became {}", shown(one), shown(other))),
        None if was.len() == is.len() => return Ok(()),
        None => {
            let place = was.get(is.len()).map(|(place, _)| *place);
            (place, format!("{} requests became {}", was.len(), is.len()))
        }
    };
    let place = place.map_or_else(|| before.file.clone(), |at| format!("{}:{}:{}", before.file, at.line, at.column));
    Err(Failure::errored(format!("{place}: the short form would not mean the same; please report this: {message}")))
}

fn shown(request: &Result<Value, String>) -> String {
    request.as_ref().map_or_else(Clone::clone, Value::to_string)
}

fn has_comments(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    !is_json && text.lines().any(|line| line.trim_start().starts_with('#') || line.contains(" #"))
}

fn write(path: &Path, text: &str) -> Done {
    if path.exists() {
        return Err(Failure::usage(format!("{} already exists; nothing was written", path.display())));
    }
    std::fs::write(path, text)
        .map_err(|error| Failure::errored(format!("cannot write {}: {error}", path.display())))?;
    print(&format!("wrote {}", path.display()))
}
