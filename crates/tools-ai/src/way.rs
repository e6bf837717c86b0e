//! The way to a goal: what is stored of it is replayed, what is not is planned by a model, and what led to the goal is stored.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;
use uixt_ai::reading::Act;
use uixt_call::mask::MASK;
use uixt_call::{CallRecord, ToolKind, ToolRow, WrittenGoal};
use uixt_locate::{Error, Kind, Object, stable_text};
use uixt_toolkit::{Context, Reply};

use crate::asking::Asker;
use crate::models::Part;
use crate::policy::{self, Origin};
use crate::prompt;
use crate::replay::Replay;
use crate::screen_contents::ScreenContents;
use crate::step::{self, Done};
use crate::stored::{GoalKey, Goals, Kept, StoredGoal, StoredGoals, StoredStep};

/// How often in a row a planner may be misunderstood or fail.
const MISTAKES: usize = 3;
/// How often it may want the same on the same screen.
const AGAIN: usize = 3;
/// How long a screen is waited for on which something stored begins, and how long between two looks.
const CHOICE: Duration = Duration::from_secs(3);
const APART: Duration = Duration::from_millis(50);

/// What came of a turn.
pub(super) enum Turn {
    /// A step was taken, or something was learnt.
    Took,
    /// The goal is reached, as is said of it.
    Reached(String),
    /// Nothing could be done, with the reason if there is one.
    Stuck(Option<String>),
}

/// What was done on the way to a goal.
pub(super) struct Way {
    asker: Asker,
    goal: String,
    written: WrittenGoal,
    pub(super) done: Vec<Done>,
    /// How many of the last steps came to nothing.
    mistakes: usize,
    /// Screens and what was wanted on them.
    wanted: Vec<(String, String)>,
    /// What the field is called that the model typed into last.
    typed: String,
    /// What it would be stored as.
    steps: Vec<StoredStep>,
    /// What the model said that looks wrong.
    problems: Vec<String>,
    /// Why it is not to be stored.
    not_stored: Option<String>,
    /// What the screen showed before the model did anything, and whether it was asked again what it said to be finished.
    first_screen: Option<ScreenContents>,
    was_doubted: bool,
    /// What is stored, until it is chosen from.
    ways: Vec<StoredGoal>,
    replay: Option<Replay>,
}

impl Way {
    /// Begins at what is stored, or where the model is asked; `ends` where what must hold at the end is stored, too.
    pub(super) fn begin(cx: &Context, goal: &str, service: Option<&str>, ends: bool) -> Result<Self, Error> {
        let written = cx.options.written.clone();
        let written = written.unwrap_or_else(|| WrittenGoal { goal: goal.to_owned(), ..WrittenGoal::default() });
        let mut way = Self {
            asker: Asker::of(cx, Part::Planner).at(service),
            goal: goal.to_owned(),
            written,
            done: Vec::new(),
            mistakes: 0,
            wanted: Vec::new(),
            typed: String::new(),
            steps: Vec::new(),
            problems: Vec::new(),
            not_stored: None,
            first_screen: None,
            was_doubted: false,
            ways: Vec::new(),
            replay: None,
        };
        if let Some((goals, key)) = way.goals() {
            let stored = goals.stored(&key).map_err(|message| Error::new(Kind::BadArgument, message))?;
            let lacks_end =
                |goal: &&StoredGoal| goal.end == ScreenContents::default() && (ends || goal.steps.is_empty());
            if stored.iter().find(lacks_end).is_some() {
                let message = "the stored goal has no `end`: nothing would show that it is reached; delete it to have it stored anew";
                return Err(Error::new(Kind::BadArgument, message));
            }
            if !stored.is_empty() {
                way.ways = stored;
                return Ok(way);
            }
            if !goals.may_ask() {
                let message = "the goal is not stored, and `--ai-cache only` asks no model: run it once without, and commit the file";
                return Err(Error::new(Kind::Service, message));
            }
        }
        way.asker.model()?;
        Ok(way)
    }

    /// Says when answers are of no use any more.
    pub(super) fn end_at(&mut self, end: Instant) {
        self.asker.until = Some(end);
    }

    /// Chooses the stored way that begins on the screen as it is; waits for that where none does yet.
    async fn choose(&mut self) -> Result<(), Error> {
        let ways = std::mem::take(&mut self.ways);
        if ways.is_empty() {
            return Ok(());
        }
        let filled: Vec<StoredGoal> = ways
            .iter()
            .cloned()
            .map(|mut goal| {
                goal.fill(&self.written);
                goal
            })
            .collect();
        let (end, mut waiting) = (Instant::now() + CHOICE, self.asker.cx.waiting());
        loop {
            let shown = ScreenContents::of(&self.asker.look().await?);
            let begins = |goal: &StoredGoal| goal.begins_on(&shown);
            let same = filled
                .iter()
                .position(|goal| begins(goal) && goal.steps.first().is_some_and(|step| step.on.is_met_by(&shown)));
            let is_late = Instant::now() >= end;
            if let Some(at) = same.or_else(|| filled.iter().position(begins).filter(|_| is_late || ways.len() == 1)) {
                self.replay = Some(Replay::of(self.asker.cx.table, filled[at].clone(), ways[at].clone()));
                return Ok(());
            }
            if is_late {
                // What is stored begins elsewhere: this is another way.
                if !self.may_ask() {
                    let message = format!(
                        "the goal is stored, but from no screen {:?}; `--ai-cache only` asks no model",
                        shown.page
                    );
                    return Err(self.failed(Kind::Assertion, message));
                }
                return Ok(());
            }
            waiting.pause(APART).await;
        }
    }

    /// Returns where goals are stored, if anywhere, and what this one is found by.
    fn goals(&self) -> Option<(Arc<dyn Goals>, GoalKey<'_>)> {
        let cx = &self.asker.cx;
        let goals = StoredGoals::of(cx)?;
        let testcase = cx.options.testcase.as_deref()?;
        let platform = cx.device.as_ref()?.info().platform;
        Some((goals, GoalKey { testcase, goal: &self.written.goal, platform }))
    }

    /// Tells whether a model may be asked where nothing stored fits.
    fn may_ask(&self) -> bool {
        self.goals().is_none_or(|(goals, _)| goals.may_ask())
    }

    pub(super) fn last(&self) -> String {
        self.done.last().map_or_else(|| "looking".to_owned(), |done| done.tool.clone())
    }

    /// Tells whether what comes next is stored.
    pub(super) fn is_replayed(&self) -> bool {
        self.replay.as_ref().is_some_and(|replay| replay.next().is_some())
    }

    /// Takes the next stored step where it fits.
    pub(super) async fn replay(&mut self) -> Result<Turn, Error> {
        self.choose().await?;
        let Some(replay) = &mut self.replay else { return Ok(Turn::Stuck(None)) };
        let shown = match replay.fits(&self.asker).await? {
            Ok(shown) => shown,
            Err(why) => return Ok(Turn::Stuck(Some(why))),
        };
        let Some(step) = replay.next().cloned() else {
            if replay.differences.is_empty() {
                return Ok(Turn::Reached(replay.goal.content.clone()));
            }
            return Ok(Turn::Stuck(Some(format!("the app shows something else: {}", replay.differences.join("; ")))));
        };
        let act = Act { tool: step.tool.clone(), arguments: step.arguments.clone() };
        if policy::is_strict(&self.asker) {
            let screen = self.asker.look().await?;
            let checked = policy::check(&self.asker, &screen, &act, &self.goal, Origin::Stored).await;
            checked.map_err(|error| self.told(error))?;
        }
        let (outcome, records) = step::call(&self.asker, &step.tool, step.arguments.clone()).await?;
        let failure = outcome.as_ref().err().cloned();
        self.note(String::new(), &step.tool, step.arguments.clone(), outcome);
        if let Some(why) = failure {
            return Ok(Turn::Stuck(Some(why)));
        }
        if let Some(replay) = &mut self.replay {
            replay.at += 1;
            replay.replayed += 1;
        }
        let hits = records.iter().find_map(|record| hits(record, &step.arguments)).unwrap_or_default();
        self.steps.push(StoredStep { hits, on: shown, ..step });
        Ok(Turn::Took)
    }

    /// Has the model plan what comes next, and takes that; `resumes` where what is stored goes on behind it.
    pub(super) async fn plan(&mut self, why: Option<String>, resumes: bool) -> Result<Turn, Error> {
        if let Some(why) = &why
            && !self.may_ask()
        {
            let message = format!("the stored goal does not fit any more: {why}; `--ai-cache only` asks no model");
            return Err(self.failed(Kind::Assertion, message));
        }
        let is_picture = self.asker.sees_pictures().map_err(|error| self.tell(error))?;
        let screen = if is_picture { String::new() } else { self.asker.screen().await? };
        if self.first_screen.is_none() {
            self.first_screen = Some(ScreenContents::of(&self.asker.look().await?));
        }
        let differences = match &mut self.replay {
            Some(replay) => {
                replay.show(&ScreenContents::of(&self.asker.look().await?));
                std::mem::take(&mut replay.differences)
            }
            None => Vec::new(),
        };
        let asked = step::next(&mut self.asker, &self.goal, &self.done, &screen, &differences).await;
        let plan = match asked.map_err(|error| self.tell(error))? {
            Ok(plan) => plan,
            Err(why) => {
                self.note(String::new(), "(not understood)", Object::new(), Err(why.to_string()));
                self.mistake()?;
                return Ok(Turn::Stuck(Some(why.to_string())));
            }
        };
        let began = self.steps.len();
        for act in &plan.acts {
            let said = |key: &str| act.arguments.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let turn = match act.tool.as_str() {
                "finished" if resumes => match self.doubt().await? {
                    Some(doubt) => {
                        self.note(plan.thought.clone(), &act.tool, act.arguments.clone(), Err(doubt.clone()));
                        Turn::Stuck(Some(doubt))
                    }
                    None => Turn::Reached(said("content")),
                },
                "finished" => Turn::Reached(said("content")),
                "give_up" => {
                    let message = format!("the goal cannot be reached: {}", said("reason"));
                    return Err(self.failed(Kind::Assertion, message));
                }
                prompt::PROBLEM => self.take_problem(act, said("problem"))?,
                _ => self.take(act, &plan.thought, &screen).await?,
            };
            match (turn, &mut self.replay) {
                (Turn::Took, _) => {}
                (Turn::Reached(content), Some(replay)) => {
                    replay.end(why.unwrap_or_default());
                    return Ok(Turn::Reached(content));
                }
                (turn, _) => return Ok(turn),
            }
        }
        if let Some(replay) = &mut self.replay {
            let took = &self.steps[began..];
            match resumes {
                true => replay.resume(&self.asker, why.unwrap_or_default(), took).await?,
                false => replay.end(why.unwrap_or_default()),
            }
        }
        Ok(Turn::Took)
    }

    /// Says why a goal may not be reached that the model calls reached, so that it is asked once more. Where it insists, something must
    /// have been done, and the screen must have changed.
    async fn doubt(&mut self) -> Result<Option<String>, Error> {
        let table = self.asker.cx.table;
        let idles = |tool: &ToolRow| matches!(tool.kind, ToolKind::Pause | ToolKind::Model);
        let is_act = |done: &&Done| done.tool != prompt::PROBLEM && !table.find(&done.tool).is_some_and(idles);
        let acts = || self.done.iter().filter(is_act);
        let (all, failed) = (acts().count(), acts().filter(|done| done.outcome.is_err()).count());
        let is_last_failed = acts().next_back().is_some_and(|done| done.outcome.is_err());
        let why = match () {
            () if all == 0 => "nothing was done".to_owned(),
            () if is_last_failed || failed * 2 > all => format!("{failed} of {all} steps failed"),
            () => return Ok(None),
        };
        if !std::mem::replace(&mut self.was_doubted, true) {
            return Ok(Some(format!("{why}: look again whether the goal is reached, and go on where it is not")));
        }
        let shown = ScreenContents::of(&self.asker.look().await?);
        // A screen without a word says nothing of that.
        let is_told = shown != ScreenContents::default();
        let has_changed = !is_told || self.first_screen.as_ref().is_none_or(|first| *first != shown);
        if all > failed && has_changed {
            return Ok(None);
        }
        let and = if all > failed { ", and the screen shows what it showed before" } else { "" };
        let message = format!("the model says that the goal is reached, but {why}{and}");
        Err(self.failed(Kind::Assertion, message))
    }

    /// Takes in what looks wrong.
    fn take_problem(&mut self, act: &Act, problem: String) -> Result<Turn, Error> {
        if self.problems.contains(&problem) {
            self.mistake()?;
        }
        self.note(String::new(), &act.tool, act.arguments.clone(), Ok("noted".to_owned()));
        self.problems.push(problem);
        Ok(Turn::Took)
    }

    /// Does what the model wants, where it may.
    async fn take(&mut self, act: &Act, thought: &str, screen: &str) -> Result<Turn, Error> {
        let wanted = (screen.to_owned(), format!("{} {:?}", act.tool, act.arguments));
        self.wanted.push(wanted.clone());
        // Of a picture it is not known whether it is the same.
        if !screen.is_empty() && self.wanted.iter().filter(|known| **known == wanted).count() >= AGAIN {
            let message = format!("the model repeats itself: {} on the same screen, {AGAIN} times", act.tool);
            return Err(self.failed(Kind::Assertion, message));
        }
        let screen = self.asker.look().await?;
        let origin = Origin::Model { typed: &self.typed };
        policy::check(&self.asker, &screen, act, &self.goal, origin).await.map_err(|error| self.told(error))?;
        let on = ScreenContents::of(&screen);
        let (outcome, records) = step::act(&self.asker, act).await.map_err(|error| self.tell(error))?;
        let failure = outcome.as_ref().err().cloned();
        self.note(thought.to_owned(), &act.tool, act.arguments.clone(), outcome);
        if let Some(failure) = failure {
            // What was planned behind it was planned for another screen.
            self.mistake()?;
            return Ok(Turn::Stuck(Some(failure)));
        }
        self.mistakes = 0;
        if self.asker.cx.table.find(&act.tool).is_some_and(|tool| tool.kind == ToolKind::Typing) {
            let field = records.iter().rev().find_map(|record| Some(record.observation.as_ref()?.name.clone()));
            self.typed = field.unwrap_or_default();
        }
        self.keep(&records, &on);
        Ok(Turn::Took)
    }

    /// Keeps what was done as steps.
    fn keep(&mut self, records: &[CallRecord], on: &ScreenContents) {
        let Some((goals, _)) = self.goals() else { return };
        let steps: Vec<_> = records.iter().filter_map(|record| Some((record, goals.step(record)?))).collect();
        for (record, (tool, arguments)) in steps {
            let typed = arguments.get("text").and_then(Value::as_str).unwrap_or_default();
            let is_known = self.goal.contains(typed) && typed != MASK;
            if record.hides && !is_known {
                self.not_stored = Some("what was typed is a secret that the goal does not name".to_owned());
            }
            let hits = hits(record, &arguments).unwrap_or_default();
            self.steps.push(StoredStep { tool, arguments, hits, on: on.clone() });
        }
    }

    /// Ends with the goal reached.
    pub(super) async fn reached(self, content: String) -> Result<Reply, Error> {
        let count = self.done.len();
        let steps = format!("{count} {}", if count == 1 { "step" } else { "steps" });
        let said = if content.is_empty() { String::new() } else { format!(": {content}") };
        let message = match &self.replay {
            Some(replay) if replay.mended.is_empty() => format!("Replayed in {steps}{said}"),
            _ => format!("Reached in {steps}{said}"),
        };
        self.ended(message, Some(content)).await
    }

    /// Ends well: stores the way, and tells of it.
    pub(super) async fn ended(mut self, message: String, content: Option<String>) -> Result<Reply, Error> {
        let mut reply = Reply::new(message);
        let kept = match &self.replay {
            Some(replay) if replay.mended.is_empty() => Ok(Kept::Nothing),
            _ => self.store(content.clone()).await,
        };
        if let Some(content) = content {
            reply = reply.with("content", content);
        }
        if let Some(replay) = self.replay.take() {
            if !replay.mended.is_empty() {
                let words: Vec<String> = replay.mended.iter().map(crate::replay::Mended::words).collect();
                reply.message = format!("{}; mended: {}", reply.message, words.join("; "));
                let mended: Vec<Value> = replay.mended.iter().map(crate::replay::Mended::to_json).collect();
                reply = reply.with("mended", mended).with("healed", true);
            }
            reply = reply.with("replayed", replay.replayed);
        }
        match kept {
            Ok(Kept::Stored(file)) => {
                reply.message = format!("{}; stored in {file} once the case has passed", reply.message);
                reply = reply.with("stored", file);
            }
            Ok(Kept::Proposed(file)) => {
                reply.message = format!("{}; proposed in {file}", reply.message);
                reply = reply.with("proposed", file);
            }
            Ok(Kept::Nothing) => {}
            Err(why) => self.asker.cx.options.used.warn(format!("the goal was not stored: {why}")),
        }
        if !self.problems.is_empty() {
            reply = reply.with("problems", self.problems.clone());
        }
        Ok(self.asker.tells(reply.with("steps", self.told_steps())))
    }

    /// Stores the way; the error says why it is not.
    async fn store(&self, content: Option<String>) -> Result<Kept, String> {
        let Some((goals, key)) = self.goals() else { return Ok(Kept::Nothing) };
        if let Some(why) = &self.not_stored {
            return Err(why.clone());
        }
        let end = match content {
            Some(_) => ScreenContents::of(&self.asker.look().await.map_err(|error| error.message)?),
            None => ScreenContents::default(),
        };
        let mut goal = StoredGoal {
            goal: self.written.goal.clone(),
            platform: key.platform.to_owned(),
            steps: self.steps.clone(),
            end,
            content: content.unwrap_or_default(),
        };
        goal.hide(&self.written);
        goals.keep(&key, goal, self.replay.as_ref().map(|replay| &replay.stored))
    }

    fn note(&mut self, thought: String, tool: &str, arguments: Object, outcome: Result<String, String>) {
        self.done.push(Done { thought, tool: tool.to_owned(), arguments, outcome });
    }

    fn mistake(&mut self) -> Result<(), Error> {
        self.mistakes += 1;
        if self.mistakes < MISTAKES {
            return Ok(());
        }
        let why = self.done.last().and_then(|done| done.outcome.as_ref().err().cloned()).unwrap_or_default();
        let message = format!("{MISTAKES} model steps failed in a row; the last: {why}");
        Err(self.failed(Kind::Service, message))
    }

    fn told_steps(&self) -> Vec<Value> {
        self.done.iter().map(Done::to_json).collect()
    }

    fn tell(&self, error: Error) -> Error {
        error.with("steps", self.told_steps())
    }

    pub(super) fn failed(&self, kind: Kind, message: String) -> Error {
        self.told(Error::new(kind, message))
    }

    /// Tells beside an error what was spent, done and found on the way.
    fn told(&self, error: Error) -> Error {
        let error = self.asker.told(self.tell(error));
        if self.problems.is_empty() { error } else { error.with("problems", self.problems.clone()) }
    }
}

/// Returns what the element is called that a call hit, where its arguments do not say that.
fn hits(record: &CallRecord, arguments: &Object) -> Option<String> {
    let name = &record.observation.as_ref()?.name;
    let is_told = arguments.values().any(|value| value.to_string().contains(name.as_str()));
    (!is_told && stable_text::is_steady(name, None)).then(|| name.clone())
}
