//! `summary.json`: the run's own fields, then its cases, one a line, then what the calls of each tool add up to, and those by refs, where
//! there were any.

use std::io::{self, Write};
use std::path::Path;

use uixt_core::tool_times::ToolTimes;

use super::atomic_file::AtomicFile;
use super::ref_statistics::RefStatistics;
use super::tool_calls;
use super::{Options, Report};
use crate::result::{CaseResult, RunResult};

struct Json {
    file: AtomicFile,
    begun: bool,
    finds: RefStatistics,
    times: ToolTimes,
}

/// Begins `summary.json` in the folder `dir`.
pub(super) fn open(dir: &Path, run: &RunResult, _: &Options) -> io::Result<Box<dyn Report>> {
    let mut file = AtomicFile::create(dir, "summary.json")?;
    let run = serde_json::to_string(run)?;
    // The run is an object with fields; its cases become one more field.
    file.write_all(run.strip_suffix('}').unwrap_or(&run).as_bytes())?;
    file.write_all(b",\n\"cases\":[")?;
    Ok(Box::new(Json { file, begun: false, finds: RefStatistics::default(), times: ToolTimes::default() }))
}

impl Report for Json {
    fn case(&mut self, case: &CaseResult) -> io::Result<()> {
        self.file.write_all(if self.begun { b",\n" } else { b"\n" })?;
        self.begun = true;
        self.finds.add(case);
        tool_calls::add(case, &mut self.times);
        serde_json::to_writer(&mut self.file, case)?;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.file.write_all(b"\n]")?;
        if !self.times.is_empty() {
            self.file.write_all(b",\n\"tools\":")?;
            serde_json::to_writer(&mut self.file, &self.times.figures())?;
        }
        if let Some(finds) = self.finds.told() {
            self.file.write_all(b",\n\"refs\":")?;
            serde_json::to_writer(&mut self.file, &finds)?;
        }
        self.file.write_all(b"}\n")?;
        self.file.keep()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::sample;
    use super::*;

    #[test]
    fn the_summary_is_the_run_with_its_cases() {
        let dir = tempfile::tempdir().unwrap();
        let (run, cases) = sample::run();
        let mut report = open(dir.path(), &run, &Options::default()).unwrap();
        for case in &cases {
            report.case(case).unwrap();
        }
        report.finish().unwrap();
        let text = std::fs::read_to_string(dir.path().join("summary.json")).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let back: Vec<CaseResult> = serde_json::from_value(value["cases"].clone()).unwrap();
        assert_eq!(back, cases);
        assert_eq!(serde_json::from_value::<RunResult>(value).unwrap(), run);
    }
}
