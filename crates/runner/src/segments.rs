//! The lines of a journal case by case, as machines that share cases hand them over ↔ one journal.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::journal::FILE;
use crate::result::{Entry, Event, FORMAT, Outcome};

/// Returns the lines of a journal that are of cases, by their ids.
pub fn of_cases(folder: &Path) -> io::Result<HashMap<String, Vec<u8>>> {
    let mut lines: HashMap<String, Vec<u8>> = HashMap::new();
    for line in BufReader::new(File::open(folder.join(FILE))?).split(b'\n') {
        let line = line?;
        let Ok(event) = serde_json::from_slice::<Value>(&line) else { continue };
        let Some(case) = event["case"].as_str() else { continue };
        let of_case = lines.entry(case.to_owned()).or_default();
        of_case.extend(line);
        of_case.push(b'\n');
    }
    Ok(lines)
}

/// Writes the journal of a run of so many cases from the lines of each, and returns how many cases ended in them.
pub fn join(folder: &Path, cases: u64, segments: &mut dyn Iterator<Item = io::Result<Vec<u8>>>) -> io::Result<u64> {
    fs::create_dir_all(folder)?;
    let file = File::options().append(true).create_new(true).open(folder.join(FILE))?;
    let mut journal = Joined {
        file: BufWriter::new(file),
        seq: 0,
        began: None,
        last: Utc::now(),
        outcome: Outcome::Skipped,
        ended: 0,
    };
    for segment in segments {
        for line in segment?.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let entry: Entry = serde_json::from_slice(line).map_err(io::Error::other)?;
            journal.add(entry, cases)?;
        }
    }
    journal.finish(cases)
}

struct Joined {
    file: BufWriter<File>,
    seq: u64,
    began: Option<DateTime<Utc>>,
    last: DateTime<Utc>,
    outcome: Outcome,
    ended: u64,
}

impl Joined {
    fn add(&mut self, entry: Entry, cases: u64) -> io::Result<()> {
        if self.began.is_none() {
            self.begin(entry.at, cases)?;
        }
        self.last = self.last.max(entry.at);
        if let Event::CaseFinished { outcome, .. } = &entry.event {
            self.outcome = self.outcome.max(*outcome);
            self.ended += 1;
        }
        self.write(entry.at, entry.event)
    }

    fn begin(&mut self, at: DateTime<Utc>, cases: u64) -> io::Result<()> {
        (self.began, self.last) = (Some(at), at);
        let uixt = env!("CARGO_PKG_VERSION").to_owned();
        self.write(at, Event::RunStarted { uixt, paths: Vec::new(), cases, shard: None, seed: None })
    }

    fn finish(mut self, cases: u64) -> io::Result<u64> {
        if self.began.is_none() {
            self.begin(Utc::now(), cases)?;
        }
        let lasted = self.began.map_or(0, |began| (self.last - began).num_milliseconds());
        let elapsed_ms = u64::try_from(lasted).unwrap_or(0);
        let interrupted = self.ended < cases;
        self.write(self.last, Event::RunFinished { outcome: self.outcome, elapsed_ms, interrupted })?;
        self.file.flush()?;
        Ok(self.ended)
    }

    fn write(&mut self, at: DateTime<Utc>, event: Event) -> io::Result<()> {
        self.seq += 1;
        serde_json::to_writer(&mut self.file, &Entry { v: FORMAT, seq: self.seq, at, event })?;
        self.file.write_all(b"\n")
    }
}
