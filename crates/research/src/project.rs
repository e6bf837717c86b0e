//! A project's folder as a source: its testcases, documents, logs, source code and the results of its runs, by an index that is brought up
//! to date each time it is asked.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Utc};
use uixt_code::{Filter, Folder, Limits, Listed, is_source, list, read};

use crate::index::{Hit, Index, Stamp};
use crate::passage::{Document, Passage};
use crate::reach::now;
use crate::source::Unread;
use crate::{ranking, terms};

/// Endings of texts that are read beside source code.
const TEXTS: &str =
    " yaml yml md markdown txt log json jsonl xml html htm csv toml properties rst adoc feature gradle ini cfg conf ";

/// Largest file that is read, in bytes: what is longer is data.
const LARGEST: u64 = 2 << 20;

/// The same of a log or a run's journal.
const LARGEST_LOG: u64 = 32 << 20;

/// Most files.
const MOST: usize = 100_000;

/// Files that are taken in at a time, and their bytes: what was taken in is kept, should the time be over.
const BATCH: (usize, u64) = (500, 16 << 20);

/// Most passages that a question finds.
const FOUND: usize = 150;

/// Where runs write their results, which git need not know.
const RESULTS: &str = "results";

/// What a run writes as it goes: every event, and the program's own log. Nothing else of its folder is read.
const JOURNAL: &str = "journal.jsonl";
const LOG: &str = "uixt.log";

/// What data holds that asks for research, or tells what came of it; and what testcases hold beside that.
const OF_RESEARCH: [&str; 5] = [
    "quick_research",
    "comprehensive_research",
    "\"tool\":\"research\"",
    "\"action\":\"research\"",
    "\"action\": \"research\"",
];
const IN_YAML: [&str; 5] = ["research:", "research\":", "tool: research", "method: research", "deepsearch"];

/// A folder whose files are read.
pub struct Project {
    root: PathBuf,
    /// Where its index is kept; none keeps it only for one question.
    index: Option<PathBuf>,
    /// A file that is no source: the testcase that asks.
    asker: Option<PathBuf>,
}

/// How far the index is: files that were taken in, of those that have changed.
pub type Advance<'a> = &'a dyn Fn(usize, usize);

/// What the project's files say.
pub struct Finding {
    /// What fits each question, the best first.
    pub passages: Vec<Vec<Passage>>,
    /// The files that were not read, by their paths.
    pub unread: Vec<Unread>,
}

impl Project {
    pub fn new(root: PathBuf, index: Option<PathBuf>) -> Self {
        Self { root, index, asker: None }
    }

    /// Leaves out the file that asks, which holds every word of the question.
    #[must_use]
    pub fn asked_by(self, file: Option<&Path>) -> Self {
        Self { asker: file.and_then(|file| file.canonicalize().ok()), ..self }
    }

    /// Brings the index up to date and finds what fits each question. The error says why it cannot.
    pub fn find(&self, questions: &[String], limits: &Limits, advance: Advance<'_>) -> Result<Finding, String> {
        let root = self.root.canonicalize().map_err(|error| format!("{}: {error}", self.root.display()))?;
        let folder = Folder::open(&root).map_err(|refused| refused.to_string())?;
        let failed = |error: rusqlite::Error| {
            let of = self.index.as_deref().map(|file| format!(" {}", file.display())).unwrap_or_default();
            format!("the index{of}: {error}")
        };
        if let Some(folder) = self.index.as_deref().and_then(Path::parent) {
            std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        let mut index = Index::open(self.index.as_deref(), &root).map_err(failed)?;
        update(&mut index, &folder, (limits, advance), &failed)?;
        let mut read = Read { folder: &folder, last: None, at: now() };
        let find = |question: &String| {
            let hits = index.search(question, FOUND).map_err(failed)?;
            let terms = terms::of_question(question);
            let is_asker = |hit: &Hit| self.asker.as_ref().is_some_and(|asker| *asker == root.join(&hit.path));
            let passages = hits.into_iter().filter(|hit| !is_asker(hit)).filter_map(|hit| read.passage(hit));
            Ok(passages.filter(|passage| ranking::fits(passage, &terms)).collect())
        };
        let passages = questions.iter().map(find).collect::<Result<_, String>>()?;
        Ok(Finding { passages, unread: index.unread().map_err(failed)? })
    }
}

/// Takes in the files that have changed, and lets go of those that are gone.
fn update(
    index: &mut Index,
    folder: &Arc<Folder>,
    (limits, advance): (&Limits, Advance<'_>),
    failed: &dyn Fn(rusqlite::Error) -> String,
) -> Result<(), String> {
    let mut known = index.files().map_err(failed)?;
    let mut changed: Vec<(PathBuf, Option<Stamp>)> = Vec::new();
    for (path, listed) in listed(folder, limits)? {
        let stamp = stamp(&listed);
        if known.remove(&path) != Some(stamp) {
            changed.push((path, Some(stamp)));
        }
    }
    changed.extend(known.into_keys().map(|path| (path, None)));
    let (mut batch, mut bytes) = (Vec::new(), 0);
    for (done, (path, stamp)) in changed.iter().enumerate() {
        if limits.are_over() {
            return Err(format!("only {done} of {} changed files were read; ask again, they are kept", changed.len()));
        }
        let now = stamp.map(|stamp| (stamp, text(folder, path)));
        bytes += now.as_ref().and_then(|(_, text)| text.as_ref().ok()).map_or(0, |text| text.len() as u64);
        batch.push((path.clone(), now));
        if batch.len() == BATCH.0 || bytes > BATCH.1 {
            index.take(&batch).map_err(failed)?;
            advance(done + 1, changed.len());
            batch.clear();
            bytes = 0;
        }
    }
    index.take(&batch).map_err(failed)
}

/// Returns the text of a file; none of one that asks for research or tells of it. The error says why it is not read.
fn text(folder: &Arc<Folder>, path: &Path) -> Result<String, String> {
    let text = String::from_utf8_lossy(&read(folder, path, most(path))?).into_owned();
    Ok(if is_of_research(folder, path, &text) { String::new() } else { text })
}

/// Returns the files that are read: those of the folder that nothing leaves out, and the journals of its runs.
fn listed(folder: &Arc<Folder>, limits: &Limits) -> Result<Vec<(PathBuf, Listed)>, String> {
    let all = Filter::default();
    let wants = |path: &Path| is_read(path) && !path.starts_with(RESULTS);
    let found = list(folder, Path::new(""), (&all, MOST, limits), wants).map_err(|refused| refused.to_string())?;
    let of_run = |path: &Path| path.ends_with(JOURNAL) || path.ends_with(LOG);
    // There need not be any.
    let results = list(folder, Path::new(RESULTS), (&all, MOST, limits), of_run).into_iter();
    if limits.are_over() {
        return Err("the project's files were not listed in time; give a longer `timeout`".to_owned());
    }
    if found.is_cut_off {
        return Err(format!("the project has more than {MOST} files; name what is no source in .gitignore"));
    }
    let mut items = found.items;
    items.extend(results.flat_map(|found| found.items));
    let journals = items.iter().filter(|(path, _)| path.ends_with(JOURNAL));
    let runs: HashSet<PathBuf> = journals.filter_map(|(path, _)| path.parent().map(Path::to_owned)).collect();
    let is_of_run = |path: &Path| path.ancestors().skip(1).any(|folder| runs.contains(folder));
    items.retain(|(path, _)| of_run(path) || !is_of_run(path));
    items.retain(|(path, _)| !path.starts_with(RESULTS) || is_of_run(path));
    Ok(items)
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

fn is_read(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_lock = name.ends_with(".lock") || name.ends_with("-lock.json") || name.ends_with("-lock.yaml");
    !is_lock && (TEXTS.contains(&format!(" {} ", ending(path))) || is_source(&name))
}

/// Tells whether a file asks for research or tells of it: a question is no answer, and an answer no source of others. What a run of such
/// a testcase writes tells of it, too.
fn is_of_research(folder: &Arc<Folder>, path: &Path, text: &str) -> bool {
    let tells = |text: &str| OF_RESEARCH.iter().any(|part| text.contains(part));
    let is_log = path.ends_with(LOG);
    let journal = || read(folder, &path.with_file_name(JOURNAL), LARGEST_LOG).unwrap_or_default();
    match ending(path).as_str() {
        "yaml" | "yml" => tells(text) || IN_YAML.iter().any(|part| text.contains(part)),
        "json" | "jsonl" | "log" | "txt" => tells(text) || (is_log && tells(&String::from_utf8_lossy(&journal()))),
        _ => false,
    }
}

fn most(path: &Path) -> u64 {
    if matches!(ending(path).as_str(), "log" | "jsonl") { LARGEST_LOG } else { LARGEST }
}

fn stamp(listed: &Listed) -> Stamp {
    let since = listed.modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let number = |number: u128| i64::try_from(number).unwrap_or(i64::MAX);
    Stamp { size: number(listed.size.into()), modified: since.map_or(0, |since| number(since.as_nanos())) }
}

/// Reads passages, and a file but once for those of it that follow each other.
struct Read<'a> {
    folder: &'a Arc<Folder>,
    last: Option<(PathBuf, Stamp, Arc<Document>, String)>,
    at: String,
}

impl Read<'_> {
    /// Returns the text of what was found; none where the file is another by now.
    fn passage(&mut self, hit: Hit) -> Option<Passage> {
        if self.last.as_ref().is_none_or(|(path, ..)| *path != hit.path) {
            let text = String::from_utf8_lossy(&read(self.folder, &hit.path, most(&hit.path)).ok()?).into_owned();
            let path = hit.path.to_string_lossy().into_owned();
            let changed: DateTime<Utc> = SystemTime::from(DateTime::from_timestamp_nanos(hit.stamp.modified)).into();
            let document = Document {
                title: path.clone(),
                address: path,
                date: Some(changed.format("%Y-%m-%d").to_string()),
                read_at: self.at.clone(),
                is_file: true,
                is_cut: false,
            };
            self.last = Some((hit.path, hit.stamp, Arc::new(document), text));
        }
        let (_, stamp, document, text) = self.last.as_ref()?;
        let is_same = i64::try_from(text.len()) == Ok(stamp.size) || text.contains('\u{fffd}');
        let text = text.get(hit.piece.bytes).filter(|_| is_same)?.to_owned();
        Some(Passage { document: Arc::clone(document), text, lines: Some(hit.piece.lines) })
    }
}
