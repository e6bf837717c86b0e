//! A case that did not pass → `failure.md`: why, in a few lines for an agent, the cause first. At most [`MOST_TOKENS`] tokens.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Map, Value};

use super::atomic_file::AtomicFile;
use super::cause::Cause;
use super::evidence::FIELD;
use super::wording;
use crate::result::{CaseResult, Outcome};

/// The file's name.
const FILE: &str = "failure.md";
/// The most that a text costs: a token for four bytes of ASCII, and one for each other character.
const MOST_TOKENS: usize = 400;
/// What a single line of it may cost.
const LINE: usize = 110;
/// How many steps and lines of the log are told, the last ones.
const STEPS: usize = 4;
const LOG_LINES: usize = 3;
/// How lines begin that tell what went wrong in a page.
const PAGE_FAULTS: [&str; 4] = ["console: ", "script: ", "request: ", "navigation: "];

/// Writes the text beside the case's evidence; a case that passed has none.
pub(super) fn write(dir: &Path, case: &CaseResult, number: u64) -> io::Result<()> {
    if case.outcome < Outcome::Failed {
        return Ok(());
    }
    let evidence = evidence(case);
    let folder = evidence.and_then(|evidence| evidence.get("folder")?.as_str()).and_then(|step| step.rsplit_once('/'));
    // What a merged report has in the folder of a run stays as the run told it.
    let own = folder.filter(|(case, _)| case.starts_with("evidence/"));
    let folder = own.map_or_else(|| format!("evidence/case-{number}"), |(case, _)| case.to_owned());
    // What a journal names lies in the report's folder.
    if folder.split('/').any(|part| part == "..") || folder.starts_with('/') {
        return Ok(());
    }
    let folder = dir.join(folder);
    fs::create_dir_all(&folder)?;
    let mut file = AtomicFile::create(&folder, FILE)?;
    io::Write::write_all(&mut file, text(dir, case).as_bytes())?;
    file.keep()
}

/// Returns what the decisive failure tells of the files that were kept of it.
fn evidence(case: &CaseResult) -> Option<&Map<String, Value>> {
    let mut causes = std::iter::once(Cause::of(case)).chain(Cause::all(case));
    causes.find_map(|cause| cause.details()?.get(FIELD)?.as_object())
}

fn text(dir: &Path, case: &CaseResult) -> String {
    let cause = Cause::of(case);
    let fact = |key: &str| cause.details().and_then(|details| details.get(key));
    let message = cause.message();
    let why = fact("cause").and_then(Value::as_str);
    let said = why.and_then(|why| message.strip_prefix(why)).map_or(message, |rest| rest.trim_start_matches("; "));
    let mut lines = vec![format!("Cause: {}", why.unwrap_or(said))];
    if let Some(step) = cause.step {
        let place = cause.action.map_or(&step.place, |action| &action.place);
        let call = cause.action.map(|action| wording::call(&action.tool, &action.arguments));
        lines.push(format!(
            "Step {} at {}: {}",
            step.number,
            wording::place(place),
            call.unwrap_or_else(|| step.name.clone())
        ));
    }
    if why.is_some() {
        lines.push(format!("Expected: {said}"));
    }
    let near = fact("considered").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let near: Vec<&str> = near.take(3).collect();
    if !near.is_empty() {
        lines.push(format!("Near: {}", near.join("; ")));
    }
    lines.extend(files(case));
    lines.extend(log(dir, case));
    lines.extend(last_steps(case));
    fitted(&format!("{} ({}): {}", wording::outcome(case.outcome), cause.kind(), case.name), &lines)
}

/// Says where the evidence lies.
fn files(case: &CaseResult) -> Option<String> {
    let files = evidence(case)?.iter().filter(|(key, _)| *key != "folder").filter_map(|(_, path)| path.as_str());
    let files: Vec<&str> = files.collect();
    (!files.is_empty()).then(|| format!("Evidence: {}", files.join(", ")))
}

/// Returns the last errors of the log; other lines tell nothing by themselves.
fn log(dir: &Path, case: &CaseResult) -> Option<String> {
    let path = evidence(case)?.get("log")?.as_str().filter(|path| !path.split('/').any(|part| part == ".."))?;
    let text = fs::read_to_string(dir.join(path)).ok()?;
    let of_page = |line: &str| PAGE_FAULTS.iter().any(|kind| line.starts_with(kind));
    let is_grave = |line: &&str| of_page(line) || [" E ", " F "].iter().any(|level| line.contains(level));
    let chosen: Vec<&str> = text.lines().filter(is_grave).collect();
    let chosen = &chosen[chosen.len().saturating_sub(LOG_LINES)..];
    let cut = chosen.iter().map(|line| wording::shortened(line, 120).into_owned()).collect::<Vec<_>>();
    (!cut.is_empty()).then(|| format!("Log: {}", cut.join(" | ")))
}

/// Tells the last steps up to the failed one.
fn last_steps(case: &CaseResult) -> Option<String> {
    let failed = Cause::of(case).step?.number;
    let steps: Vec<_> = case.steps.iter().filter(|step| step.number < failed).collect();
    let told = steps[steps.len().saturating_sub(STEPS)..].iter().map(|step| {
        let call = wording::only_action(step).map(|action| wording::call(&action.tool, &action.arguments));
        let call = call.unwrap_or_else(|| step.name.clone());
        format!("{} {} {}", step.number, wording::shortened(&call, 80), wording::outcome(step.outcome))
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("Before: {}", told.join("; ")))
}

/// Puts lines together as far as there is room; the first ones matter most.
fn fitted(head: &str, lines: &[String]) -> String {
    let mut text = format!("# {}\n\n", cut(&wording::one_line(head), 40));
    for line in lines {
        let room = MOST_TOKENS.saturating_sub(tokens(&text) + 2);
        let line = cut(&wording::one_line(line), room.min(LINE));
        if !line.is_empty() {
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

/// Cuts a text to what so many tokens hold.
fn cut(text: &str, most: usize) -> String {
    if tokens(text) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        kept.push(c);
        // The sign that something is missing costs one more.
        if tokens(&kept) + 1 > most {
            kept.pop();
            break;
        }
    }
    if kept.is_empty() { kept } else { kept + "…" }
}

fn tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    ascii.div_ceil(4) + text.chars().filter(|c| !c.is_ascii()).count()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::sample;
    use super::*;

    #[test]
    fn the_cause_is_first_and_all_has_its_bound() {
        let dir = tempfile::tempdir().unwrap();
        let mut case = sample::case("a.yaml", "长".repeat(500).as_str(), Outcome::Failed);
        let message = format!("com.a crashed: X; \"Go\": {}", "not there ".repeat(500));
        let mut failing = sample::failing("assert_visible", Outcome::Failed, "NotFound", &message);
        let facts = json!({"cause": "com.a crashed: X", "considered": ["界".repeat(400)], "evidence": {"folder": "evidence/a/step-1", "tree": "evidence/a/step-1/tree.json"}});
        failing.error.as_mut().unwrap().details = Some(facts);
        case.steps = vec![sample::step(1, failing)];
        write(dir.path(), &case, 1).unwrap();
        let text = fs::read_to_string(dir.path().join("evidence/a/failure.md")).unwrap();
        assert_eq!(text.lines().nth(2), Some("Cause: com.a crashed: X"), "{text}");
        assert!(text.contains("Evidence: evidence/a/step-1/tree.json"), "{text}");
        assert!(tokens(&text) <= MOST_TOKENS && tokens(&text) > 250, "{}: {text}", tokens(&text));
    }
}
