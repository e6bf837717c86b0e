//! The journal: every event of a run as one line of JSON, written before the next step begins, and read back as results.
//!
//! An event is one write(2), so that what is finished survives the death of the process. Pictures are written before the
//! event that names them.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use uixt_core::tool_times::ToolTimes;

use crate::result::{
    ActionResult, Attempt, CaseResult, Entry, Event, FORMAT, Failure, LogLine, ModelUsage, Outcome, Place, RunResult,
    Shard, StepResult, Totals,
};

/// The journal's name in a report folder.
pub const FILE: &str = "journal.jsonl";
/// The folder of pictures in a report folder.
pub const SCREENSHOTS: &str = "screenshots";

/// Tells whether nobody can open a file any more.
fn is_removed(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    Ok(file.metadata()?.nlink() == 0)
}

/// A journal that is being written.
pub struct Journal {
    folder: PathBuf,
    /// None where nothing is kept.
    file: Option<File>,
    seq: u64,
    pictures: u64,
    /// Where pictures are that were kept without a name of their own, by what is in them.
    known: HashMap<[u8; 32], String>,
    line: Vec<u8>,
}

impl Journal {
    /// Makes the folder and begins a journal in it; one that is there already is never overwritten.
    pub fn create(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let file = File::options().append(true).create_new(true).open(folder.join(FILE))?;
        // Whoever would write there as well sees that it is written; not every file system can tell.
        let _ = file.try_lock();
        let line = Vec::with_capacity(1024);
        Ok(Self { folder: folder.to_owned(), file: Some(file), line, ..Self::nowhere() })
    }

    /// Numbers and dates events, and keeps nothing.
    pub(super) fn nowhere() -> Self {
        let (folder, file, seq, pictures, known, line) = Default::default();
        Self { folder, file, seq, pictures, known, line }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes an event, numbered and dated.
    pub fn write(&mut self, event: Event) -> io::Result<Entry> {
        self.seq += 1;
        let entry = Entry { v: FORMAT, seq: self.seq, at: Utc::now(), event };
        let Some(file) = &mut self.file else { return Ok(entry) };
        self.line.clear();
        serde_json::to_writer(&mut self.line, &entry)?;
        self.line.push(b'\n');
        file.write_all(&self.line)?;
        if matches!(entry.event, Event::CaseStarted { .. } | Event::RunFinished { .. }) && is_removed(file)? {
            return Err(io::Error::other("the folder was removed while the run wrote its report there"));
        }
        Ok(entry)
    }

    /// Keeps a picture; returns its path relative to the folder. It is called `name`, so far as that can be a file's name,
    /// and never takes the place of another. One without a name that shows the same as an earlier one is that one.
    pub fn picture(&mut self, png: &[u8], name: Option<&str>) -> io::Result<String> {
        if self.file.is_none() {
            return Ok(String::new());
        }
        if self.pictures == 0 {
            fs::create_dir_all(self.folder.join(SCREENSHOTS))?;
        }
        let digest: [u8; 32] = Sha256::digest(png).into();
        if let Some(same) = self.known.get(&digest).filter(|_| name.is_none()) {
            return Ok(same.clone());
        }
        self.pictures += 1;
        let number = self.pictures;
        let names = match name.map(file_name).filter(|name| !name.is_empty()) {
            Some(name) => [format!("{name}.png"), format!("{name}-{number:04}.png")],
            None => [format!("{number:04}.png"), format!("{number:04}-{number}.png")],
        };
        let [path, other] = names.map(|name| format!("{SCREENSHOTS}/{name}"));
        let create = |path: &str| File::options().write(true).create_new(true).open(self.folder.join(path));
        let (path, mut file) = match create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (other.clone(), create(&other)?),
            created => (path, created?),
        };
        file.write_all(png)?;
        if name.is_none() {
            self.known.insert(digest, path.clone());
        }
        Ok(path)
    }

    /// Keeps a file of evidence under a path relative to the folder, in place of what an earlier action of its step left there.
    pub fn evidence(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.folder.join(path);
        if self.file.is_none() {
            return Ok(());
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, bytes)
    }
}

/// Makes a file's name, without its end, of what somebody wrote: letters, digits, `-`, `_` and dots within.
fn file_name(wished: &str) -> String {
    const MAX_LEN: usize = 200;
    let stem = wished.strip_suffix(".png").or(wished.strip_suffix(".jpg")).unwrap_or(wished);
    let plain = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    let fits = |(at, c): &(usize, char)| at + c.len_utf8() <= MAX_LEN;
    let name: String = stem.char_indices().take_while(fits).map(|(_, c)| plain(c)).collect();
    name.trim_matches('.').to_owned()
}

/// Why a journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read {path}: {source}")]
    Read { path: String, source: io::Error },
    #[error("{path} is not a journal of uixt: line {line}: {reason}")]
    Format { path: String, line: u64, reason: String },
}

/// Reads a journal's totals without keeping its cases.
pub fn summary(folder: &Path) -> Result<RunResult, Error> {
    let mut totals = Totals::default();
    let mut outcome = Outcome::Skipped;
    let mut reader = Reader { totals_only: true, ..Reader::open(folder)? };
    for case in &mut reader {
        let case = case?;
        outcome = outcome.max(case.outcome);
        totals.add(case.outcome, case.steps.len() as u64);
    }
    totals.steps += reader.passed_steps;
    Ok(reader.run(totals, outcome))
}

/// Reads a journal case by case, in the order in which they ended. What a killed run left open comes last, as interrupted.
pub struct Reader {
    path: String,
    lines: BufReader<File>,
    number: u64,
    buffer: Vec<u8>,
    /// Whether lines are passed over that totals need not know.
    totals_only: bool,
    /// How many of those began a step.
    passed_steps: u64,
    /// The cases that have not ended, in the order in which they began; as many as there are devices.
    open: Vec<CaseResult>,
    head: Option<(String, Vec<String>, DateTime<Utc>)>,
    shard: Option<Shard>,
    seed: Option<u64>,
    causes: Vec<String>,
    /// How many cases were to be run.
    planned: u64,
    end: Option<(u64, bool)>,
    /// What the cases asked of models.
    usage: ModelUsage,
    last: Option<DateTime<Utc>>,
    ended: bool,
}

impl Reader {
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(FILE);
        let name = path.display().to_string();
        let file = File::open(&path).map_err(|source| Error::Read { path: name.clone(), source })?;
        Ok(Self {
            path: name,
            lines: BufReader::with_capacity(1 << 16, file),
            number: 0,
            buffer: Vec::new(),
            totals_only: false,
            passed_steps: 0,
            open: Vec::new(),
            head: None,
            shard: None,
            seed: None,
            causes: Vec::new(),
            planned: 0,
            end: None,
            usage: ModelUsage::default(),
            last: None,
            ended: false,
        })
    }

    /// Returns what is known of the run, once all cases were read.
    pub fn run(&self, totals: Totals, outcome: Outcome) -> RunResult {
        let (uixt, paths, at) = self.head.clone().unwrap_or_else(|| (String::new(), Vec::new(), Utc::now()));
        let lasted = self.last.map_or(0, |last| u64::try_from((last - at).num_milliseconds()).unwrap_or(0));
        let (elapsed_ms, interrupted) = self.end.unwrap_or((lasted, true));
        // What was not run has not passed, even where every case that was run has.
        let outcome = if interrupted { Outcome::Errored } else { outcome };
        let not_run = if interrupted { self.planned.saturating_sub(totals.cases) } else { 0 };
        let (shard, seed, usage) = (self.shard.clone(), self.seed, self.usage);
        let causes = self.causes.clone();
        RunResult {
            v: FORMAT,
            uixt,
            paths,
            at,
            elapsed_ms,
            outcome,
            totals,
            interrupted,
            causes,
            not_run,
            usage,
            shard,
            seed,
        }
    }

    /// Tells whether the run came to its end, so that it said of each case what became of it.
    pub fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    /// Reads the next line that counts; none at the end.
    fn entry(&mut self) -> Option<Result<Entry, Error>> {
        loop {
            self.buffer.clear();
            match self.lines.read_until(b'\n', &mut self.buffer) {
                Ok(0) => return None,
                Ok(_) => self.number += 1,
                Err(source) => return Some(Err(Error::Read { path: self.path.clone(), source })),
            }
            if !self.totals_only || !self.passes_over() {
                return self.parsed();
            }
        }
    }

    /// Takes of a line that tells of a step or an action what totals need: when it was, and that a step began.
    fn passes_over(&mut self) -> bool {
        let whole = self.buffer.ends_with(b"\n");
        let Some((at, event)) = Entry::glance(&self.buffer).filter(|_| whole) else { return false };
        let begins = event == b"step_started";
        let passes = begins || matches!(event, b"action_finished" | b"step_finished" | b"own_tool_finished");
        if passes {
            self.last = Some(at);
            self.passed_steps += u64::from(begins);
        }
        passes
    }

    fn parsed(&self) -> Option<Result<Entry, Error>> {
        // Looked at once as a whole: strings within are then taken without another look.
        let parsed = match str::from_utf8(&self.buffer) {
            Ok(line) => serde_json::from_str(line).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        match parsed {
            Ok(entry) => Some(Ok(entry)),
            // A line without its end is the one that was being written when the run died.
            Err(_) if self.buffer.last() != Some(&b'\n') => None,
            Err(reason) => Some(Err(Error::Format { path: self.path.clone(), line: self.number, reason })),
        }
    }

    fn case(&mut self, id: &str) -> Option<&mut CaseResult> {
        self.open.iter_mut().find(|case| case.id == id)
    }

    /// Takes an event in; returns the case that it completes.
    fn take(&mut self, entry: Entry) -> Option<CaseResult> {
        let at = entry.at;
        self.last = Some(at);
        match entry.event {
            Event::RunStarted { uixt, paths, cases, shard, seed } => {
                (self.head, self.shard, self.seed) = (Some((uixt, paths, at)), shard, seed);
                self.planned = cases;
            }
            Event::RunFinished { elapsed_ms, interrupted, .. } => self.end = Some((elapsed_ms, interrupted)),
            Event::Log { case: None, level, message } if level == "error" => self.causes.push(message),
            event @ Event::CaseStarted { .. } => self.begin(begun_case(event, at)),
            Event::CaseFinished { case, outcome, elapsed_ms, error, exports, usage } => {
                let place = self.open.iter().position(|other| other.id == case)?;
                let mut done = self.open.remove(place);
                (done.outcome, done.elapsed_ms, done.error, done.exports) = (outcome, elapsed_ms, error, exports);
                done.usage = usage;
                self.usage += usage;
                return Some(done);
            }
            event => self.take_within_case(event, at),
        }
        None
    }

    fn begin(&mut self, case: Option<CaseResult>) {
        let Some(case) = case else { return };
        self.open.retain(|other| other.id != case.id);
        self.open.push(case);
    }

    fn take_within_case(&mut self, event: Event, at: DateTime<Utc>) {
        match event {
            Event::DeviceChanged { case, device } => {
                if let Some(case) = self.case(&case) {
                    case.device = device;
                }
            }
            Event::Log { case: Some(case), level, message } => {
                if let Some(case) = self.case(&case) {
                    case.log.push(LogLine { at, level, message });
                }
            }
            Event::StepStarted { case, step, name, place } => {
                if let Some(case) = self.case(&case) {
                    case.steps.push(begun_step(step, name, place, at));
                }
            }
            Event::ActionFinished { ref case, step, attempt, .. } => {
                if let Some(step) = self.case(case).and_then(|case| step_of(case, step)) {
                    add_action(step, attempt, action(event));
                }
            }
            Event::StepFinished { case, step, outcome, elapsed_ms, error, .. } => {
                if let Some(step) = self.case(&case).and_then(|case| step_of(case, step)) {
                    (step.outcome, step.elapsed_ms, step.error) = (outcome, elapsed_ms, error.map(Box::new));
                }
            }
            Event::OwnToolFinished { case, tool, outcome, elapsed_ms, waiting_ms } => {
                if let Some(case) = self.case(&case) {
                    let (elapsed, waiting) = (Duration::from_millis(elapsed_ms), Duration::from_millis(waiting_ms));
                    case.own_tools.add(&tool, outcome <= Outcome::Flaky, elapsed, waiting);
                }
            }
            _ => {}
        }
    }

    /// Ends a case that the run did not live to end.
    fn interrupted(&mut self) -> Option<CaseResult> {
        if self.open.is_empty() {
            return None;
        }
        let mut case = self.open.remove(0);
        let end = self.last.unwrap_or(case.at);
        case.elapsed_ms = u64::try_from((end - case.at).num_milliseconds()).unwrap_or(0);
        let message = "the run ended before the case did".to_owned();
        case.error = Some(Failure { kind: "Interrupted".to_owned(), message, details: None });
        Some(case)
    }
}

/// Returns a case as it is until its end is known.
fn begun_case(event: Event, at: DateTime<Utc>) -> Option<CaseResult> {
    let Event::CaseStarted { case: id, name, file, device, tags, steps } = event else { return None };
    // The number of steps is what a journal says, so that it is only a hint.
    let steps = Vec::with_capacity(steps.min(1024) as usize);
    let (outcome, exports, log) = (Outcome::Errored, Map::new(), Vec::new());
    Some(CaseResult {
        id,
        name,
        file,
        device,
        tags,
        at,
        elapsed_ms: 0,
        outcome,
        error: None,
        steps,
        exports,
        log,
        usage: ModelUsage::default(),
        own_tools: ToolTimes::default(),
    })
}

/// Returns a step as it is until its end is known.
fn begun_step(number: u32, name: String, place: Place, at: DateTime<Utc>) -> StepResult {
    let (outcome, attempts) = (Outcome::Errored, Vec::new());
    StepResult { number, name, place, outcome, at, elapsed_ms: 0, error: None, attempts }
}

fn action(event: Event) -> Option<ActionResult> {
    let Event::ActionFinished {
        tool,
        arguments,
        outcome,
        began: at,
        elapsed_ms,
        waiting_ms,
        message,
        error,
        place,
        screenshot,
        mark,
        lookup,
        seen,
        usage,
        mended,
        parts,
        ..
    } = event
    else {
        return None;
    };
    Some(ActionResult {
        tool,
        arguments: without_room(arguments),
        outcome,
        at,
        elapsed_ms,
        waiting_ms,
        message,
        error: error.map(Box::new),
        place,
        screenshot,
        mark,
        lookup: lookup.map(Box::new),
        seen,
        usage,
        mended,
        parts: (!parts.is_empty()).then(|| Box::new(parts)),
    })
}

/// Returns the same map with room for what is in it alone: as it is read, it has room for four.
fn without_room(map: Map<String, Value>) -> Map<String, Value> {
    let mut exact = Map::with_capacity(map.len());
    exact.extend(map);
    exact
}

/// Adds an action to the attempt that it is of, which is the last one or a new one.
fn add_action(step: &mut StepResult, attempt: u32, action: Option<ActionResult>) {
    let Some(action) = action else { return };
    if step.attempts.last().is_none_or(|last| last.number != attempt) {
        // Nearly every step has one attempt with one action: more room would stay empty.
        step.attempts.reserve_exact(1);
        let actions = Vec::with_capacity(1);
        step.attempts.push(Attempt { number: attempt, outcome: Outcome::Passed, actions });
    }
    let Some(last) = step.attempts.last_mut() else { return };
    last.outcome = last.outcome.max(action.outcome);
    last.actions.push(action);
}

fn step_of(case: &mut CaseResult, number: u32) -> Option<&mut StepResult> {
    case.steps.iter_mut().rev().find(|step| step.number == number)
}

impl Iterator for Reader {
    type Item = Result<CaseResult, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            match self.entry() {
                Some(Ok(entry)) => {
                    if let Some(case) = self.take(entry) {
                        return Some(Ok(case));
                    }
                }
                Some(Err(error)) => {
                    self.ended = true;
                    return Some(Err(error));
                }
                None => self.ended = true,
            }
        }
        self.interrupted().map(Ok)
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn a_picture_is_called_as_wished_and_stays_in_its_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut journal = Journal::create(folder.path()).expect("a journal");
        let mut kept = |name: &str| journal.picture(b"png", Some(name)).expect("a file");
        assert_eq!(kept("登录 page.png"), "screenshots/登录_page.png");
        assert_eq!(kept("登录 page"), "screenshots/登录_page-0002.png");
        assert_eq!(kept("../../etc/passwd"), "screenshots/_.._etc_passwd.png");
        assert_eq!(kept(".."), "screenshots/0004.png");
        assert_eq!(kept("0006"), "screenshots/0006.png");
        assert!(kept(&"界".repeat(500)).len() < 220);
        assert_eq!(journal.picture(b"png", None).expect("a file"), "screenshots/0007.png");
        assert_eq!(fs::read_dir(folder.path().join(SCREENSHOTS)).expect("a folder").count(), 7);
    }

    #[test]
    fn a_screen_that_did_not_change_is_kept_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut journal = Journal::create(folder.path()).expect("a journal");
        let mut kept = |png: &[u8], name: Option<&str>| journal.picture(png, name).expect("a file");
        assert_eq!(kept(b"home", None), "screenshots/0001.png");
        assert_eq!(kept(b"shop", None), "screenshots/0002.png");
        assert_eq!(kept(b"home", None), "screenshots/0001.png");
        assert_eq!(kept(b"home", Some("login")), "screenshots/login.png");
        assert_eq!(kept(b"more", None), "screenshots/0004.png");
        assert_eq!(fs::read_dir(folder.path().join(SCREENSHOTS)).expect("a folder").count(), 4);
    }

    fn place() -> Place {
        Place { file: "a.yaml".to_owned(), line: 3, column: 3 }
    }

    fn action(case: &str, step: u32) -> Event {
        Event::ActionFinished {
            case: case.to_owned(),
            step,
            attempt: 1,
            tool: "log".to_owned(),
            arguments: serde_json::Map::new(),
            outcome: Outcome::Passed,
            began: Utc::now(),
            elapsed_ms: 1,
            waiting_ms: 0,
            message: "登录 \"quoted\"".to_owned(),
            error: None,
            place: place(),
            screenshot: None,
            mark: None,
            lookup: None,
            seen: Vec::new(),
            usage: ModelUsage::default(),
            mended: Vec::new(),
            parts: ToolTimes::default(),
        }
    }

    fn started(case: &str) -> Event {
        let (name, file) = (case.to_owned(), "a.yaml".to_owned());
        Event::CaseStarted { case: case.to_owned(), name, file, device: None, tags: Vec::new(), steps: 2 }
    }

    fn step(case: &str, step: u32) -> Event {
        Event::StepStarted { case: case.to_owned(), step, name: "log".to_owned(), place: place() }
    }

    fn ended(case: &str, outcome: Outcome) -> Event {
        Event::CaseFinished {
            case: case.to_owned(),
            outcome,
            elapsed_ms: 5,
            error: None,
            exports: Map::new(),
            usage: ModelUsage::default(),
        }
    }

    /// Two cases at once, the first of which ends; the run dies while it writes a line.
    fn killed_run(folder: &Path) {
        let mut journal = Journal::create(folder).unwrap();
        let run =
            Event::RunStarted { uixt: "1".to_owned(), paths: vec!["a".to_owned()], cases: 2, shard: None, seed: None };
        let events =
            [run, started("a#0"), started("b#0"), step("b#0", 1), step("a#0", 1), action("a#0", 1), action("b#0", 1)];
        for event in events.into_iter().chain([ended("a#0", Outcome::Failed), step("b#0", 2), action("b#0", 2)]) {
            journal.write(event).unwrap();
        }
        journal
            .file
            .as_mut()
            .unwrap()
            .write_all(b"{\"v\":1,\"seq\":11,\"at\":\"2099-11-22T10:00:01.204Z\",\"event\":\"step_finished\",\"ca")
            .unwrap();
    }

    #[test]
    fn totals_are_those_of_the_cases() {
        let dir = tempfile::tempdir().unwrap();
        killed_run(dir.path());
        let mut reader = Reader::open(dir.path()).unwrap();
        let cases: Vec<CaseResult> = reader.by_ref().collect::<Result<_, _>>().unwrap();
        let told: Vec<_> = cases.iter().map(|case| (case.id.as_str(), case.outcome, case.steps.len())).collect();
        assert_eq!(told, [("a#0", Outcome::Failed, 1), ("b#0", Outcome::Errored, 2)]);
        assert_eq!(cases[1].steps[1].attempts[0].actions.len(), 1);
        let mut totals = Totals::default();
        cases.iter().for_each(|case| totals.add(case.outcome, case.steps.len() as u64));
        assert_eq!(summary(dir.path()).unwrap(), reader.run(totals, Outcome::Errored));
        assert!(summary(dir.path()).unwrap().interrupted);
    }

    #[test]
    fn a_run_that_dies_between_two_cases_has_not_passed() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(dir.path()).unwrap();
        let run =
            Event::RunStarted { uixt: "1".to_owned(), paths: vec!["a".to_owned()], cases: 2, shard: None, seed: None };
        for event in [run, started("a#0"), ended("a#0", Outcome::Passed)] {
            journal.write(event).unwrap();
        }
        let run = summary(dir.path()).unwrap();
        assert_eq!((run.outcome, run.interrupted, run.totals.passed), (Outcome::Errored, true, 1));
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        let dir = tempfile::tempdir().unwrap();
        killed_run(dir.path());
        let text = fs::read_to_string(dir.path().join(FILE)).unwrap();
        let broken = text.replacen("\"attempt\":1", "\"attempt\":\"x\"", 1);
        fs::write(dir.path().join(FILE), broken).unwrap();
        let error = Reader::open(dir.path()).unwrap().find_map(Result::err).unwrap().to_string();
        assert!(error.contains("line 6: invalid type: string"), "{error}");
    }
}
