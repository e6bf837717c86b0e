//! A stored goal → whether its next step fits the screen, without a model; and after a model mended it, from which step on it fits again.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;
use uixt_call::{Table, ToolKind, ToolRow};
use uixt_driver::Screen;
use uixt_locate::{Error, finder, naming};

use crate::asking::Asker;
use crate::screen_contents::{Changes, ScreenContents};
use crate::stored::{StoredGoal, StoredStep};

/// How long a screen may take to show what a step waits for.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a screen must have shown the same before it is said that it shows something else.
const STILL: Duration = Duration::from_millis(1_500);
/// The same where it shows more than it did: a message may go by itself.
const PASSING: Duration = Duration::from_secs(4);
/// How long what must be there at the end has to stay there.
const STAYS: Duration = Duration::from_millis(250);
/// How long between two looks.
const APART: Duration = Duration::from_millis(50);

/// A stored goal that is replayed.
pub(super) struct Replay {
    table: &'static Table,
    pub(super) goal: StoredGoal,
    /// As it is stored, with variables.
    pub(super) stored: StoredGoal,
    /// The step that is next.
    pub(super) at: usize,
    /// How many were taken as they are stored.
    pub(super) replayed: usize,
    /// What screens showed otherwise than they did, and no model has seen.
    pub(super) differences: Vec<String>,
    /// What the last screen showed otherwise.
    known: Option<String>,
    /// What a model has seen to differ, which is no news on another screen.
    seen: Changes,
    pub(super) mended: Vec<Mended>,
}

/// What a model mended.
pub(super) struct Mended {
    /// The stored step that did not fit, from 1.
    step: usize,
    why: String,
    was: Vec<String>,
    now: Vec<String>,
}

impl Mended {
    pub(super) fn to_json(&self) -> Value {
        json!({"step": self.step, "why": self.why, "was": self.was, "now": self.now})
    }

    pub(super) fn words(&self) -> String {
        let list = |steps: &[String]| if steps.is_empty() { "nothing".to_owned() } else { steps.join(", ") };
        match (self.was.is_empty(), self.now.is_empty()) {
            (true, true) => format!("step {}: {}", self.step, self.why),
            _ => format!("step {}: {} → {} ({})", self.step, list(&self.was), list(&self.now), self.why),
        }
    }
}

/// What a look says of a step.
enum Fit {
    /// The screen shows what it did.
    Same,
    /// The step can be taken, and something else is different, as is said.
    Possible(String),
    No(String),
}

impl Replay {
    pub(super) fn of(table: &'static Table, goal: StoredGoal, stored: StoredGoal) -> Self {
        Self {
            table,
            goal,
            stored,
            at: 0,
            replayed: 0,
            differences: Vec::new(),
            known: None,
            seen: Changes::default(),
            mended: Vec::new(),
        }
    }

    pub(super) fn next(&self) -> Option<&StoredStep> {
        self.goal.steps.get(self.at)
    }

    /// Waits until the next step fits the screen, or what it must show at the end; the inner error says why it does not.
    /// Returns what the screen shows.
    pub(super) async fn fits(&mut self, asker: &Asker) -> Result<Result<ScreenContents, String>, Error> {
        if self.next().is_some_and(|step| self.begins_anywhere(step)) {
            return Ok(Ok(ScreenContents::default()));
        }
        let (mut watch, mut waiting) = (Watch::begin(), asker.cx.waiting());
        loop {
            let screen = asker.look().await?;
            let shown = ScreenContents::of(&screen);
            let fit = self.fit(self.at, &screen, &shown);
            let wanted = self.wanted();
            let is_over = watch.is_over(&shown, if wanted.is_part_of(&shown) { PASSING } else { STILL });
            match fit {
                Fit::Same if self.next().is_some() || watch.has_stayed(&shown) => return Ok(Ok(shown)),
                Fit::Possible(difference) => {
                    // What was said of the screen before is not waited for again.
                    let is_known = self.known.as_ref() == Some(&difference);
                    if is_known || is_over {
                        if !is_known {
                            self.differences.push(format!("before step {}: {difference}", self.at + 1));
                        }
                        self.known = Some(difference);
                        return Ok(Ok(shown));
                    }
                }
                Fit::No(why) if is_over => return Ok(Err(why)),
                Fit::Same | Fit::No(_) => {}
            }
            waiting.pause(APART).await;
        }
    }

    /// Goes on where the screen fits again after a model has taken steps in the place of those that did not.
    pub(super) async fn resume(&mut self, asker: &Asker, why: String, took: &[StoredStep]) -> Result<(), Error> {
        let from = self.at;
        let is_taken = |stored: &StoredStep| {
            took.iter().any(|step| step.tool == stored.tool && step.arguments == stored.arguments)
        };
        while self.next().is_some_and(is_taken) {
            self.at += 1;
        }
        let (mut watch, mut waiting) = (Watch::begin(), asker.cx.waiting());
        let last = self.goal.steps.len();
        let resumed = loop {
            let screen = asker.look().await?;
            let shown = ScreenContents::of(&screen);
            let fits: Vec<Fit> = (self.at..=last).map(|at| self.fit(at, &screen, &shown)).collect();
            let same = fits.iter().position(|fit| matches!(fit, Fit::Same));
            if same.is_some() {
                break same;
            }
            if watch.is_over(&shown, STILL) {
                break fits.iter().position(|fit| matches!(fit, Fit::Possible(_)));
            }
            waiting.pause(APART).await;
        };
        self.at += resumed.unwrap_or_default();
        let words = |steps: &[StoredStep]| steps.iter().map(StoredStep::words).collect::<Vec<_>>();
        self.mended.push(Mended { step: from + 1, why, was: words(&self.goal.steps[from..self.at]), now: words(took) });
        Ok(())
    }

    /// Takes in that a model says that the goal is reached here.
    pub(super) fn end(&mut self, why: String) {
        let was = self.goal.steps[self.at..].iter().map(StoredStep::words).collect();
        self.mended.push(Mended { step: self.at + 1, why, was, now: Vec::new() });
        self.at = self.goal.steps.len();
    }

    /// Takes in that a model is shown this screen in the place of the one that is wanted next.
    pub(super) fn show(&mut self, shown: &ScreenContents) {
        let Changes { gone, new } = self.wanted().changes(shown);
        self.seen.gone.extend(gone);
        self.seen.new.extend(new);
    }

    /// Returns what the screen must show next.
    fn wanted(&self) -> &ScreenContents {
        self.next().map_or(&self.goal.end, |step| &step.on)
    }

    /// Tells whether a screen shows what is wanted, but for what a model has seen to differ.
    fn is_met(&self, wanted: &ScreenContents, shown: &ScreenContents) -> bool {
        *wanted == ScreenContents::default()
            || wanted.without(&self.seen.gone).is_met_by(&shown.without(&self.seen.new))
    }

    fn begins_anywhere(&self, step: &StoredStep) -> bool {
        let begins = |tool: &ToolRow| matches!(tool.kind, ToolKind::Launch | ToolKind::Home);
        self.table.find(&step.tool).is_some_and(begins)
    }

    fn fit(&self, at: usize, screen: &Screen, shown: &ScreenContents) -> Fit {
        let Some(step) = self.goal.steps.get(at) else {
            let end = &self.goal.end;
            return if self.is_met(end, shown) {
                Fit::Same
            } else {
                Fit::No(format!("at the end, {}", end.difference(shown)))
            };
        };
        if self.begins_anywhere(step) && at == self.at {
            return Fit::Same;
        }
        if let Some(target) = step.target(self.table) {
            // What the tree does not tell is for the step itself to find.
            let is_in_tree = target.selector.is_none() && target.source.is_none() && target.image.is_none();
            let found = finder::find_all(&target, screen, None);
            let found = found.unwrap_or_default();
            if is_in_tree && found.is_empty() {
                return Fit::No(format!("{} is not there", step.words()));
            }
            let is_called_so = step.hits.is_empty()
                || self.seen.gone.contains(&step.hits)
                || found.iter().any(|element| naming::name(element) == step.hits);
            if is_in_tree && !is_called_so {
                let name = found.first().map(|element| naming::name(element)).unwrap_or_default();
                return Fit::Possible(format!("what {} hits is called {name:?}, not {:?}", step.words(), step.hits));
            }
        } else if self.begins_anywhere(step) || !step.on.page.is_empty() && !step.on.is_page_of(shown) {
            return Fit::No(format!("before {}, {}", step.words(), step.on.difference(shown)));
        }
        if self.is_met(&step.on, shown) { Fit::Same } else { Fit::Possible(step.on.difference(shown)) }
    }
}

/// Watches whether a screen still changes.
struct Watch {
    began: Instant,
    last: Option<(ScreenContents, Instant)>,
}

impl Watch {
    fn begin() -> Self {
        Self { began: Instant::now(), last: None }
    }

    /// Tells whether a screen has shown this for a while.
    fn has_stayed(&self, shown: &ScreenContents) -> bool {
        self.last.as_ref().is_some_and(|(last, since)| last == shown && Instant::now() >= *since + STAYS)
    }

    /// Tells whether nothing else is to be expected of a screen that shows this now.
    fn is_over(&mut self, shown: &ScreenContents, still: Duration) -> bool {
        let now = Instant::now();
        if now >= self.began + PATIENCE {
            return true;
        }
        match &self.last {
            Some((last, since)) if last == shown => now >= *since + still,
            _ => {
                self.last = Some((shown.clone(), now));
                false
            }
        }
    }
}
