//! Goals in words: steps are planned and taken until the screen shows that the goal is reached.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;

use super::asking::Asker;
use super::models::Part;
use super::step::{self, Done};
use crate::{Context, Error, Kind, Object, Reply, Shape, Tool};

/// Steps of a goal where nothing is said.
const STEPS: u32 = 25;
/// Seconds of a goal where nothing is said.
const SECONDS: f64 = 300.0;
/// How often in a row a planner may be misunderstood or fail.
const MISTAKES: usize = 3;
/// How often it may want the same on the same screen.
const AGAIN: usize = 3;
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
}

/// Do what is told in words on the present screen: a model plans it, and it is done once.
#[derive(Deserialize, JsonSchema)]
pub(super) struct AiAction {
    /// What is to be done.
    #[schemars(length(min = 1))]
    prompt: String,
}

impl Tool for StartToGoal {
    const NAME: &'static str = "start_to_goal";
    const PARAMS: Shape = Shape::Fields(&["goal"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] =
        &[("prompt", "goal"), ("max_retry_times", "max_steps")];

    fn limit(&self) -> Duration {
        Duration::from_secs_f64(self.time_limit.unwrap_or(SECONDS)) + GRACE
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let mut asker = Asker::of(cx, Part::Planner)?;
        let most = self.max_steps.unwrap_or(STEPS) as usize;
        let seconds = self.time_limit.unwrap_or(SECONDS);
        let end = Instant::now() + Duration::from_secs_f64(seconds);
        let mut way = Way::default();
        loop {
            if way.done.len() >= most {
                return Err(way.failed(
                    &asker,
                    Kind::Assertion,
                    format!("the goal was not reached within {most} steps"),
                ));
            }
            if Instant::now() >= end {
                return Err(way.failed(
                    &asker,
                    Kind::Assertion,
                    format!("the goal was not reached within {seconds} s"),
                ));
            }
            cx.progress.begin(way.done.len(), most, || format!("step {}: {}", way.done.len() + 1, way.last()));
            if let Some(content) = way.step(&mut asker, &self.goal).await? {
                let count = way.done.len();
                let message = format!("Reached in {count} {}: {content}", if count == 1 { "step" } else { "steps" });
                return Ok(way.tells(&asker, Reply::new(message).with("content", content)));
            }
        }
    }
}

impl Tool for AiAction {
    const NAME: &'static str = "ai_action";
    const PARAMS: Shape = Shape::Fields(&["prompt"]);

    fn limit(&self) -> Duration {
        Duration::from_mins(3)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let mut asker = Asker::of(cx, Part::Planner)?;
        let mut way = Way::default();
        let finished = way.step(&mut asker, &self.prompt).await?;
        if let Some(Done { outcome: Err(why), .. }) = way.done.last() {
            let message = format!("{:?} was not done: {why}", self.prompt);
            return Err(way.failed(&asker, Kind::NotFound, message));
        }
        let did: Vec<&str> = way.done.iter().filter_map(|done| done.outcome.as_deref().ok()).collect();
        let message = match (&did[..], finished) {
            ([], Some(content)) => format!("Nothing was to be done: {content}"),
            (did, _) => did.join("; "),
        };
        Ok(way.tells(&asker, Reply::new(message)))
    }
}

/// What was done on the way to a goal.
#[derive(Default)]
struct Way {
    done: Vec<Done>,
    /// How many of the last steps came to nothing.
    mistakes: usize,
    /// Screens and what was wanted on them.
    wanted: Vec<(String, String)>,
}

impl Way {
    fn last(&self) -> String {
        self.done.last().map_or_else(|| "looking".to_owned(), |done| done.tool.clone())
    }

    /// Plans and takes the next step; returns what the planner says once the goal is reached.
    async fn step(&mut self, asker: &mut Asker<'_>, goal: &str) -> Result<Option<String>, Error> {
        let screen = if asker.sees_pictures() { String::new() } else { asker.screen().await? };
        let plan = match step::next(asker, goal, &self.done, &screen).await.map_err(|error| self.tell(error))? {
            Ok(plan) => plan,
            Err(why) => {
                self.note(String::new(), "(not understood)", Object::new(), Err(why.to_string()));
                self.mistake(asker)?;
                return Ok(None);
            }
        };
        for act in &plan.acts {
            let said = |key: &str| act.arguments.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            match act.tool.as_str() {
                "finished" => return Ok(Some(said("content"))),
                "give_up" => {
                    let message = format!("the goal cannot be reached: {}", said("reason"));
                    return Err(self.failed(asker, Kind::Assertion, message));
                }
                _ => {}
            }
            let wanted = (screen.clone(), format!("{} {:?}", act.tool, act.arguments));
            self.wanted.push(wanted.clone());
            let is_picture = asker.sees_pictures();
            if !is_picture && self.wanted.iter().filter(|known| **known == wanted).count() >= AGAIN {
                let message =
                    format!("the model goes round in circles: {} on the same screen, {AGAIN} times", act.tool);
                return Err(self.failed(asker, Kind::Assertion, message));
            }
            let outcome = step::act(asker, act).await.map_err(|error| self.tell(error))?;
            let is_done = outcome.is_ok();
            self.note(plan.thought.clone(), &act.tool, act.arguments.clone(), outcome);
            if !is_done {
                // What was planned behind it was planned for another screen.
                self.mistake(asker)?;
                return Ok(None);
            }
            self.mistakes = 0;
        }
        Ok(None)
    }

    fn note(&mut self, thought: String, tool: &str, arguments: Object, outcome: Result<String, String>) {
        self.done.push(Done { thought, tool: tool.to_owned(), arguments, outcome });
    }

    fn mistake(&mut self, asker: &Asker<'_>) -> Result<(), Error> {
        self.mistakes += 1;
        if self.mistakes < MISTAKES {
            return Ok(());
        }
        let why = self.done.last().and_then(|done| done.outcome.as_ref().err().cloned()).unwrap_or_default();
        Err(self.failed(
            asker,
            Kind::Service,
            format!("{MISTAKES} steps of the model in a row came to nothing; the last: {why}"),
        ))
    }

    fn steps(&self) -> Vec<Value> {
        self.done.iter().map(Done::to_json).collect()
    }

    fn tell(&self, error: Error) -> Error {
        error.with("steps", self.steps())
    }

    fn failed(&self, asker: &Asker<'_>, kind: Kind, message: String) -> Error {
        asker.told(self.tell(Error::new(kind, message)))
    }

    fn tells(&self, asker: &Asker<'_>, reply: Reply) -> Reply {
        asker.tells(reply.with("steps", self.steps()))
    }
}
