//! Goals in words: steps are planned and taken until the screen shows that the goal is reached. A goal that was reached before is
//! replayed, and planned only from where it no longer fits.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::Instant;
use uixt_call::{Aim, Shape, ToolKind, Toolset};
use uixt_locate::{Error, Kind};
use uixt_toolkit::{Context, Reply, Tool};

use crate::way::{Turn, Way};

/// Steps of a goal where nothing is said.
const STEPS: u32 = 25;
/// Steps of a task where nothing is said.
const TASK_STEPS: u32 = 50;
/// Seconds of a goal where nothing is said.
const SECONDS: f64 = 300.0;
/// How much longer than its time a goal may take, for the call in flight.
const GRACE: Duration = Duration::from_mins(2);

/// Reach a goal that is told in words: a model plans each step by the screen, until it shows that the goal is reached.
#[derive(Deserialize, JsonSchema)]
pub(super) struct StartToGoal {
    /// What is to be reached.
    #[schemars(length(min = 1))]
    goal: String,
    /// Most steps; 25 by default.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    max_steps: Option<u32>,
    /// Most seconds; 300 by default.
    #[serde(default)]
    #[schemars(range(min = 1, max = 3600))]
    time_limit: Option<f64>,
    /// The service that is asked, in the place of the config's.
    #[serde(default)]
    #[schemars(length(min = 1), extend("x-unpublished" = true))]
    llm_service: Option<String>,
}

/// Do what is told in words on the present screen: a model plans it, and it is done once.
#[derive(Deserialize, JsonSchema)]
pub(super) struct AiAction {
    /// What is to be done.
    #[schemars(length(min = 1))]
    prompt: String,
    /// The service that is asked, in the place of the config's.
    #[serde(default)]
    #[schemars(length(min = 1), extend("x-unpublished" = true))]
    llm_service: Option<String>,
}

impl Tool for StartToGoal {
    const NAME: &'static str = "start_to_goal";
    const SET: Option<Toolset> = Some(Toolset::Ai);
    const KIND: ToolKind = ToolKind::Model;
    const AIM: Aim = Aim::Goal("goal");
    const PARAMS: Shape = Shape::Fields(&["goal"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] =
        &[("prompt", "goal"), ("max_retry_times", "max_steps")];
    const ANSWER: &'static [&'static str] =
        &["content", "steps", "replayed", "healed", "mended", "stored", "proposed", "problems", "usage", "model"];

    fn limit(&self) -> Duration {
        Duration::from_secs_f64(self.time_limit.unwrap_or(SECONDS)) + GRACE
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let mut way = Way::begin(cx, &self.goal, self.llm_service.as_deref(), true)?;
        let most = self.max_steps.unwrap_or(STEPS) as usize;
        let seconds = self.time_limit.unwrap_or(SECONDS);
        let end = Instant::now() + Duration::from_secs_f64(seconds);
        way.end_at(end);
        loop {
            let over = match () {
                () if way.done.len() >= most && !way.is_replayed() => Some(format!("{most} steps")),
                () if Instant::now() >= end => Some(format!("{seconds} s")),
                () => None,
            };
            if let Some(over) = over {
                return Err(way.failed(Kind::Assertion, format!("the goal was not reached within {over}")));
            }
            cx.progress.begin(way.done.len(), most, || format!("step {}: {}", way.done.len() + 1, way.last()));
            let why = match way.replay().await? {
                Turn::Took => continue,
                Turn::Reached(content) => return way.reached(content).await,
                Turn::Stuck(why) => why,
            };
            if let Turn::Reached(content) = way.plan(why, true).await? {
                return way.reached(content).await;
            }
        }
    }
}

/// Carry out a task on a page that is told in words: a model plans each step, until the page shows that it is done.
#[derive(Deserialize, JsonSchema)]
pub(super) struct BrowserUseExecuteTask {
    /// What is to be done.
    #[schemars(length(min = 1))]
    task: String,
    /// Most steps; 50 by default.
    #[serde(default = "task_steps")]
    #[schemars(range(min = 1, max = 200))]
    max_steps: u32,
    /// Accepted for other programs' sake: a model is shown the page's elements, and a picture where it can do no more than look.
    #[serde(default)]
    #[allow(dead_code, reason = "it changes nothing")]
    use_vision: Option<bool>,
}

fn task_steps() -> u32 {
    TASK_STEPS
}

/// Say that a goal is reached: what a planner ends with; in a testcase a line of the log.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Finished {
    /// What was reached.
    #[serde(default)]
    content: String,
}

impl Tool for BrowserUseExecuteTask {
    const NAME: &'static str = "browser_use_execute_task";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Model;
    const PARAMS: Shape = Shape::Fields(&["task"]);
    const ANSWER: &'static [&'static str] =
        &["content", "steps", "replayed", "healed", "mended", "stored", "proposed", "problems", "usage", "model"];

    fn limit(&self) -> Duration {
        Duration::from_secs_f64(SECONDS) + GRACE
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let max_steps = Some(self.max_steps);
        StartToGoal { goal: self.task, max_steps, time_limit: None, llm_service: None }.call(cx).await
    }
}

impl Tool for Finished {
    const NAME: &'static str = "finished";
    const SET: Option<Toolset> = Some(Toolset::Ai);
    const KIND: ToolKind = ToolKind::Model;
    const PARAMS: Shape = Shape::Fields(&["content"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("text", "content")];
    const NEEDS_DEVICE: bool = false;
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["content"];

    async fn call(self, _: &Context) -> Result<Reply, Error> {
        Ok(Reply::new(format!("Finished: {}", self.content)).with("content", self.content))
    }
}

impl Tool for AiAction {
    const NAME: &'static str = "ai_action";
    const SET: Option<Toolset> = Some(Toolset::Ai);
    const KIND: ToolKind = ToolKind::Model;
    const AIM: Aim = Aim::Goal("prompt");
    const PARAMS: Shape = Shape::Fields(&["prompt"]);
    const ANSWER: &'static [&'static str] =
        &["content", "steps", "replayed", "healed", "mended", "stored", "proposed", "problems", "usage", "model"];

    fn limit(&self) -> Duration {
        Duration::from_mins(3)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let mut way = Way::begin(cx, &self.prompt, self.llm_service.as_deref(), false)?;
        let finished = loop {
            match way.replay().await? {
                Turn::Took => {}
                Turn::Reached(content) => break Turn::Reached(content),
                Turn::Stuck(why) => break way.plan(why, false).await?,
            }
        };
        if let Turn::Stuck(Some(why)) = finished {
            let message = format!("{:?} was not done: {why}", self.prompt);
            return Err(way.failed(Kind::NotFound, message));
        }
        let did =
            way.done.iter().filter(|done| cx.table.find(&done.tool).is_none_or(|tool| tool.kind != ToolKind::Pause));
        let did: Vec<&str> = did.filter_map(|done| done.outcome.as_deref().ok()).collect();
        if did.is_empty() {
            let said = if let Turn::Reached(content) = finished { content } else { String::new() };
            let message = format!("{:?} was not done: the model did nothing {said}", self.prompt);
            return Err(way.failed(Kind::NotFound, message.trim_end().to_owned()));
        }
        let message = did.join("; ");
        way.ended(message, None).await
    }
}
