//! A case → a section of the page that opens and closes: its head, why it did not pass, its steps, its log.

use std::fmt::Write;
use std::io;

use super::super::cause::Cause;
use super::super::spool::Spool;
use super::super::wording;
use super::step::{Clock, class, push_step};
use super::{Folder, escape, film};
use crate::result::{CaseResult, Failure, LogLine, Outcome};

/// How many failed cases are open at first; a page of thousands must still load.
const OPEN_AT_FIRST: usize = 20;
/// How many characters of the reason stand in a case's head.
const WHY: usize = 240;
/// How much text is gathered before it is put aside, in bytes; a case with many embedded pictures is larger.
const GATHERED: usize = 512 * 1024;
/// How many cases a group has; groups outside of the window are not laid out.
const GROUP: usize = 100;
/// How many steps a list has; lists outside of the window are not laid out.
const LIST: usize = 100;

/// Writes one case after the other, into the same memory and a part of the page that is put aside.
pub(super) struct Writer {
    folder: Folder,
    text: String,
    spool: Spool,
    /// How many cases there will be.
    of: usize,
    cases: usize,
    opened: usize,
}

impl Writer {
    pub(super) fn new(folder: Folder, spool: Spool, of: u64) -> Self {
        Self { folder, text: String::new(), spool, of: usize::try_from(of).unwrap_or(0), cases: 0, opened: 0 }
    }

    /// Puts aside what the page says of a case, which is the run's `number`th.
    pub(super) fn case(&mut self, case: &CaseResult, number: usize) -> io::Result<()> {
        self.begin_group();
        self.cases += 1;
        let open = case.outcome >= Outcome::Failed && self.opened < OPEN_AT_FIRST;
        self.opened += usize::from(open);
        let (out, spool) = (&mut self.text, &mut self.spool);
        let open = if open { " open" } else { "" };
        put(out, format_args!("<details class=\"case {}\" id=c{number}{open} data-id=\"", class(case.outcome)));
        escape::push(out, &case.id);
        out.push('"');
        film::push(out, case, &self.folder);
        out.push_str("><summary>");
        push_head(out, case);
        out.push_str("</summary>\n");
        if let Some(error) = &case.error {
            push_reason(out, case.outcome, error);
        }
        push_steps(out, case, number, &self.folder, spool)?;
        push_log(out, case);
        out.push_str("</details>\n");
        put_aside(out, spool)
    }
}

impl Writer {
    /// Begins another group after as many cases as one has.
    fn begin_group(&mut self) {
        if !self.cases.is_multiple_of(GROUP) {
            return;
        }
        if self.cases > 0 {
            self.text.push_str("</div>\n");
        }
        let left = self.of.saturating_sub(self.cases).clamp(1, GROUP);
        put(&mut self.text, format_args!("<div class=group style=\"--n:{left}\">\n"));
    }

    /// Ends the last group, and writes all of it.
    pub(super) fn copy_all(mut self, to: &mut dyn io::Write) -> io::Result<()> {
        if self.cases > 0 {
            self.text.push_str("</div>\n");
        }
        put_aside(&mut self.text, &mut self.spool)?;
        self.spool.copy_all(to)
    }
}

/// Appends to a string, which cannot fail.
pub(super) fn put(out: &mut String, text: std::fmt::Arguments) {
    let _ = out.write_fmt(text);
}

fn push_head(out: &mut String, case: &CaseResult) {
    put(out, format_args!("<span class=sr>{}</span><h2>", wording::outcome(case.outcome)));
    escape::push(out, if case.name.is_empty() { &case.file } else { &case.name });
    out.push_str("</h2><span class=by><span>");
    escape::push(out, &case.file);
    out.push_str("</span>");
    if let Some(device) = &case.device {
        out.push_str("<span class=dev>");
        escape::push(out, &device.name);
        out.push_str("</span>");
    }
    for tag in &case.tags {
        out.push_str("<span class=tag>");
        escape::push(out, tag);
        out.push_str("</span>");
    }
    out.push_str("</span>");
    push_why(out, case);
    out.push_str("<span class=took>");
    put_count(out, case.steps.len());
    if case.outcome != Outcome::Skipped {
        out.push_str("<time>");
        wording::push_duration(out, case.elapsed_ms);
        out.push_str("</time>");
    }
    out.push_str("</span>");
}

fn put_count(out: &mut String, steps: usize) {
    match steps {
        0 => {}
        1 => out.push_str("<small>1 step</small>"),
        _ => put(out, format_args!("<small>{steps} steps</small>")),
    }
}

/// Says on one line why the case did not pass, so that a closed one tells it too.
fn push_why(out: &mut String, case: &CaseResult) {
    let why = match (case.outcome, &case.error) {
        (Outcome::Passed | Outcome::Healed | Outcome::Flaky, _) | (Outcome::Skipped, None) => return,
        (Outcome::Skipped, Some(reason)) => reason.message.clone(),
        (Outcome::Failed | Outcome::Errored, _) => {
            let found = Cause::of(case);
            match found.step {
                Some(step) => format!("step {}: {}", step.number, found.headline()),
                None => found.headline(),
            }
        }
    };
    out.push_str("<span class=why>");
    escape::push(out, &wording::shortened(&wording::one_line(&why), WHY));
    out.push_str("</span>");
}

fn push_reason(out: &mut String, outcome: Outcome, error: &Failure) {
    put(out, format_args!("<div class=\"outside {}\">", class(outcome)));
    super::step::push_failure(out, error, None);
    out.push_str("</div>\n");
}

fn put_aside(out: &mut String, spool: &mut Spool) -> io::Result<()> {
    spool.push(out)?;
    out.clear();
    Ok(())
}

fn push_steps(
    out: &mut String,
    case: &CaseResult,
    number: usize,
    folder: &Folder,
    spool: &mut Spool,
) -> io::Result<()> {
    if case.steps.is_empty() {
        return Ok(());
    }
    let clock = Clock::of(case);
    for list in case.steps.chunks(LIST) {
        if case.steps.len() > LIST {
            put(out, format_args!("<ol class=\"steps long\" style=\"--n:{}\">\n", list.len()));
        } else {
            out.push_str("<ol class=steps>\n");
        }
        for step in list {
            push_step(out, step, &clock, number, folder);
            if out.len() > GATHERED {
                put_aside(out, spool)?;
            }
        }
        out.push_str("</ol>\n");
    }
    Ok(())
}

fn push_log(out: &mut String, case: &CaseResult) {
    if case.log.is_empty() {
        return;
    }
    put(out, format_args!("<details class=log><summary>Log <small>{}</small></summary><pre>", case.log.len()));
    for line in &case.log {
        push_log_line(out, line, (line.at - case.at).num_milliseconds());
    }
    out.push_str("</pre></details>\n");
}

fn push_log_line(out: &mut String, line: &LogLine, ms: i64) {
    let level = match line.level.as_str() {
        "error" => "f",
        "warn" => "y",
        _ => "s",
    };
    let ms = ms.max(0);
    put(out, format_args!("<i>{:>5}.{:03}</i> <b class={level}>", ms / 1_000, ms % 1_000));
    escape::push(out, &line.level);
    out.push_str("</b> ");
    escape::push(out, &line.message);
    out.push('\n');
}
