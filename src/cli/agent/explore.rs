//! `uixt explore`: a model reaches a goal in an app, and how it did is written as a testcase, with what it found wrong.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use uixt_call::{Call, CallRecord, CallToolRequest, Caller as _};
use uixt_core::ai::Destructive;
use uixt_core::secrets::Secrets;

use crate::cli::data;
use crate::cli::device::devices::Devices;
use crate::cli::device::spec::DeviceArgs;
use crate::cli::device::uia2::Uia2Args;
use crate::cli::exit::{Done, Exit, Failure, print, runtime};
use crate::cli::run::model_limits::{consent, policy};
use crate::cli::shell::call::ending;
use crate::cli::testcases::convert::goals;
use crate::driver::tidy;
use crate::recorder::{self, Typed};
use crate::tools;
use crate::tools::{Audience, Local};
use uixt_tools_ai::{GoalKey, Goals, Guard, Kept, StoredGoal, StoredGoals};
use uixt_tools_ui::DataFile;

#[derive(Args)]
pub(in crate::cli) struct Explore {
    /// What to begin with: an app's package, or the address of a page.
    #[arg(value_name = "APP|URL")]
    app: String,
    /// What is to be reached.
    #[arg(long)]
    goal: String,
    /// Testcase to write; standard output by default. One that is there is not overwritten.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Most steps.
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..=200))]
    max_steps: u32,
    /// What the model may do that is hard to undo, such as pay, delete, uninstall and send.
    #[arg(long, value_name = "allow|deny|ask", value_parser = policy, default_value = "ask")]
    ai_policy: Destructive,
    #[command(flatten)]
    devices: DeviceArgs,
    #[command(flatten)]
    uia2: Uia2Args,
}

/// Takes in the way to the goal.
#[derive(Default)]
struct Explored {
    goal: Mutex<Option<StoredGoal>>,
    /// The calls on the way.
    records: Mutex<Vec<CallRecord>>,
}

impl Goals for Explored {
    fn stored(&self, _: &GoalKey<'_>) -> Result<Vec<StoredGoal>, String> {
        Ok(Vec::new())
    }

    fn keep(&self, _: &GoalKey<'_>, goal: StoredGoal, _: Option<&StoredGoal>) -> Result<Kept, String> {
        *self.goal.lock() = Some(goal);
        Ok(Kept::Nothing)
    }

    fn step(&self, record: &CallRecord) -> Option<(String, Map<String, Value>)> {
        self.records.lock().push(record.clone());
        recorder::step(tools::table(), record)
    }

    fn may_ask(&self) -> bool {
        true
    }

    fn wants_problems(&self) -> bool {
        true
    }
}

impl Explore {
    pub(in crate::cli) fn run(self) -> Done {
        if let Some(path) = self.output.as_ref().filter(|path| path.exists()) {
            return Err(Failure::usage(format!("{} already exists; name another file", path.display())));
        }
        runtime()?.block_on(async {
            let mut devices = Devices::default();
            let (registry, session) = devices.session(&self.devices.or_of_project()?, &self.uia2).await?;
            let explored = Arc::new(Explored::default());
            let mut guard = Guard { consent: consent(), ..Guard::default() };
            guard.policy.destructive = self.ai_policy;
            let session = session.with(DataFile(data::file(Path::new(".")))).with(guard);
            let session = session.with(StoredGoals(Some(Arc::clone(&explored) as _)));
            let caller = Local::new(registry, Arc::new(session), Audience::Testcase);
            let done = self.explore(&caller, &explored).await;
            devices.close().await;
            tidy::finish().await;
            done
        })
    }

    async fn explore(&self, caller: &Local, explored: &Explored) -> Done {
        let (tool, key) = if self.app.contains("://") { ("open_url", "url") } else { ("app_launch", "package_name") };
        let begun = ask(caller, tool, json!({key: self.app})).await;
        if ending::exit(&begun) != Exit::Passed {
            return Err(Failure::rendered(ending::exit(&begun), said(&begun)));
        }
        let reached = ask(caller, "start_to_goal", json!({"goal": self.goal, "max_steps": self.max_steps})).await;
        let details = reached.get("details").unwrap_or(&reached);
        let problems: Vec<&str> =
            details["problems"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for problem in &problems {
            eprintln!("found wrong: {problem}");
        }
        let goal = explored.goal.lock().take();
        let Some(goal) = goal.filter(|_| ending::exit(&reached) == Exit::Passed) else {
            return Err(Failure::rendered(ending::exit(&reached), said(&reached)));
        };
        let records = std::mem::take(&mut *explored.records.lock());
        let text = self.testcase(json!({tool: self.app}), &goal, records, &problems);
        match &self.output {
            None => print(text.trim_end()),
            Some(path) => {
                fs::write(path, text).map_err(|error| Failure::errored(format!("{}: {error}", path.display())))?;
                eprintln!("{}; written to {}", said(&reached), path.display());
                Ok(Exit::Passed)
            }
        }
    }

    fn testcase(&self, first: Value, goal: &StoredGoal, records: Vec<CallRecord>, problems: &[&str]) -> String {
        let mut secrets = Secrets::default();
        records
            .iter()
            .flat_map(|record| recorder::secrets(tools::table(), record))
            .for_each(|(secret, _)| _ = secrets.add_marked(&secret));
        let mut text: String = problems
            .iter()
            .map(|problem| format!("# Found wrong: {}\n", secrets.masked(&problem.replace('\n', " "))))
            .collect();
        let mut steps: Vec<Typed> = [first]
            .into_iter()
            .chain(goals::plain(goal))
            .filter_map(|step| Some(Typed { step: step.as_object()?.clone(), records: Vec::new() }))
            .collect();
        // What a call typed secretly is a variable in every step.
        steps[0].records = records;
        text.push_str(&recorder::testcase(tools::table(), &secrets.masked(&self.goal), &Map::new(), &steps));
        text
    }
}

/// Makes a call as a testcase here would.
async fn ask(caller: &Local, tool: &'static str, arguments: Value) -> Value {
    let mut request = CallToolRequest::new(tool);
    request.arguments = arguments.as_object().cloned();
    request.options.testcase = Some(PathBuf::from("explore.yaml"));
    let result = caller.call(request, Call::default()).await;
    result.structured_content.unwrap_or_default()
}

fn said(answer: &Value) -> String {
    answer["message"].as_str().unwrap_or_default().to_owned()
}
