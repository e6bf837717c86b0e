//! Where goals are stored that were reached: a file beside the testcase, `buy_tea.goals.yaml` beside `buy_tea.yaml`. What a model
//! mended is proposed in the report's folder, and what is stored stays until somebody takes the proposal.

use std::fs;
use std::io::Write as _;
use std::path::{Component, Path, PathBuf};

use clap::ValueEnum;
use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::recorder;
use crate::report::AtomicFile;
use crate::testcase::{self, shown_path};
use crate::tools;
use uixt_call::CallRecord;
use uixt_core::yaml;
use uixt_tools_ai::{GoalKey, Goals, Kept, StoredGoal};

/// The folder of proposals, in that of the report.
pub(in crate::cli) const PROPOSALS: &str = "goals";
/// What stands above the goals.
pub(super) const HEAD: &str = "# The ways by which goals were reached; they are replayed without a model. `*` in a text is any part of it, `**` any texts.\n";

/// What stands before the path of the file that a proposal is for.
pub(super) const PROPOSED: &str = "# Proposed for ";

/// One at a time reads and writes such a file.
static TURN: Mutex<()> = Mutex::new(());

/// What becomes of goals that were reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum AiCache {
    /// Replays what is stored, and stores nothing.
    Read,
    /// Replays what is stored, and stores what is new.
    Write,
    /// Asks the model for every step.
    Off,
    /// Replays what is stored, and asks no model: what does not fit fails.
    Only,
}

/// The files of goals beside testcases.
pub(in crate::cli) struct GoalFiles {
    pub(in crate::cli) cache: AiCache,
    /// The report's folder.
    pub(in crate::cli) reports: PathBuf,
    /// Values that stand in no file, by the names of their variables.
    pub(in crate::cli) secrets: Vec<(String, String)>,
    /// What is stored once the case has passed that it belongs to.
    pub(in crate::cli) pending: Mutex<Vec<(PathBuf, StoredGoal)>>,
}

impl Goals for GoalFiles {
    fn stored(&self, key: &GoalKey<'_>) -> Result<Vec<StoredGoal>, String> {
        if self.cache == AiCache::Off {
            return Ok(Vec::new());
        }
        let _turn = TURN.lock();
        let path = file(key.testcase);
        let mut goals = read(&path).map_err(|why| format!("{}: {why}", shown_path(&path)))?;
        goals.extend(self.pending.lock().iter().filter(|(of, _)| *of == path).map(|(_, goal)| goal.clone()));
        goals.retain(|goal| is_of(goal, key));
        Ok(goals)
    }

    fn keep(&self, key: &GoalKey<'_>, goal: StoredGoal, mends: Option<&StoredGoal>) -> Result<Kept, String> {
        if matches!(self.cache, AiCache::Off | AiCache::Only) {
            return Ok(Kept::Nothing);
        }
        let text = text("", std::slice::from_ref(&goal))?;
        if let Some((name, _)) = self.secrets.iter().find(|(_, secret)| is_clear(&text, secret)) {
            return Err(format!("it holds the value of {name}: write ${{ENV({name})}} in the goal"));
        }
        let _turn = TURN.lock();
        let path = file(key.testcase);
        let mut goals = read(&path)?;
        let Some(mends) = mends else {
            if self.cache == AiCache::Read {
                return Ok(Kept::Nothing);
            }
            let shown = shown_path(&path);
            self.pending.lock().push((path, goal));
            return Ok(Kept::Stored(shown));
        };
        if let Some((_, known)) = self.pending.lock().iter_mut().find(|(of, known)| *of == path && known == mends) {
            *known = goal;
            return Ok(Kept::Stored(shown_path(&path)));
        }
        let proposal = self.proposal(&path);
        // Other cases of this run may have proposed something for the same file.
        let before = read(&proposal)?;
        for (known, proposed) in goals.iter_mut().zip(before) {
            if known != mends {
                *known = proposed;
            }
        }
        if let Some(known) = goals.iter_mut().find(|known| *known == mends) {
            *known = goal;
        }
        write(&proposal, &format!("{PROPOSED}{}\n{HEAD}", path.display()), &goals)?;
        Ok(Kept::Proposed(shown_path(&proposal)))
    }

    fn passed(&self) -> Result<(), String> {
        let _turn = TURN.lock();
        for (path, goal) in std::mem::take(&mut *self.pending.lock()) {
            let mut goals = read(&path)?;
            // Another row of the case may have reached it in the same way meanwhile.
            if !goals.contains(&goal) {
                goals.push(goal);
                write(&path, HEAD, &goals)?;
            }
        }
        Ok(())
    }

    fn step(&self, record: &CallRecord) -> Option<(String, Map<String, Value>)> {
        recorder::step(tools::table(), record)
    }

    fn may_ask(&self) -> bool {
        self.cache != AiCache::Only
    }
}

impl GoalFiles {
    /// Returns where a file is proposed, below the report's folder as it stands below the working directory.
    fn proposal(&self, path: &Path) -> PathBuf {
        let told = PathBuf::from(shown_path(path));
        let parts = told.components().filter(|part| matches!(part, Component::Normal(_)));
        self.reports.join(PROPOSALS).join(parts.collect::<PathBuf>())
    }
}

/// Tells whether a secret stands in a text; a short one may stand there by chance.
fn is_clear(text: &str, secret: &str) -> bool {
    secret.chars().count() >= 4 && text.contains(secret)
}

fn is_of(goal: &StoredGoal, key: &GoalKey<'_>) -> bool {
    goal.goal == key.goal && goal.platform == key.platform
}

/// Returns the file of a testcase's goals.
pub(super) fn file(path: &Path) -> PathBuf {
    path.with_extension(testcase::GOALS.trim_start_matches('.'))
}

/// Reads a file of goals; one that is not there has none.
pub(super) fn read(path: &Path) -> Result<Vec<StoredGoal>, String> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(path).map_err(|error| format!("it cannot be read: {error}"))?;
    parse(path, &text)
}

/// Reads the goals of a text that stands, or would stand, in a file.
pub(super) fn parse(path: &Path, text: &str) -> Result<Vec<StoredGoal>, String> {
    let value = testcase::read_text(&shown_path(path), text);
    let value = value.map_err(|errors| errors.iter().map(told).collect::<Vec<_>>().join("; "))?;
    let wrong = |why: String| format!("{why}; mend the file, or delete it to have the goals stored anew");
    let items = match value {
        Value::Null => Vec::new(),
        Value::Array(items) => items,
        _ => return Err(wrong("it is not a list of goals".to_owned())),
    };
    let goals = items.into_iter().enumerate().map(|(index, item)| {
        let read = serde_json::from_value(item).map_err(|error| error.to_string());
        let checked = read.and_then(|mut goal: StoredGoal| goal.check(tools::table()).map(|()| goal));
        checked.map_err(|error| wrong(format!("goal {}: {error}", index + 1)))
    });
    goals.collect()
}

/// Says in one line what is wrong with a file, and where.
fn told(error: &testcase::Error) -> String {
    error.span.map_or_else(|| error.message.clone(), |span| format!("line {}: {}", span.line, error.message))
}

/// Writes goals as they stand in a file.
pub(super) fn text(head: &str, goals: &[StoredGoal]) -> Result<String, String> {
    let mut text = head.to_owned();
    for goal in goals {
        let value = serde_json::to_value(goal).map_err(|error| error.to_string())?;
        text.push_str(&yaml::list_item(&value));
    }
    Ok(text)
}

fn write(path: &Path, head: &str, goals: &[StoredGoal]) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("{} cannot be written: {error}", shown_path(path));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(wrong)?;
    }
    let text = text(head, goals)?;
    let (folder, name) =
        (path.parent().unwrap_or(Path::new("")), path.file_name().unwrap_or_default().to_string_lossy());
    let mut file = AtomicFile::create(folder, &name).map_err(wrong)?;
    file.write_all(text.as_bytes()).map_err(wrong)?;
    file.keep().map_err(wrong)
}
