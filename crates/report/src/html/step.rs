//! A step → a row of the timeline: what was called, how long it took, what the screen looked like, what went wrong.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::super::picture::{self, Picture};
use super::super::{comparison, evidence, wording};
use super::case::put;
use super::{Folder, escape, inspector};
use crate::result::{ActionResult, Attempt, CaseResult, Failure, Mark, Outcome, Place, Seen, StepResult, Try};

/// How many characters of a call's arguments stand in its row.
const ROW: usize = 120;
/// How many characters of a tool's own sentence are shown.
const SAID: usize = 600;
/// What is seen with less confidence is framed otherwise: it may not count.
const UNSURE: f64 = 0.6;
/// How many characters of an object among a failure's facts are shown.
const FACT: usize = 400;

/// Returns the outcome's class in the style sheet.
pub(super) fn class(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Skipped => "s",
        Outcome::Passed => "p",
        Outcome::Healed => "h",
        Outcome::Flaky => "y",
        Outcome::Failed => "f",
        Outcome::Errored => "e",
    }
}

/// The time that a case took, and its file, against which its rows are drawn.
pub(super) struct Clock<'a> {
    at: DateTime<Utc>,
    elapsed_ms: u64,
    file: &'a str,
}

impl<'a> Clock<'a> {
    pub(super) fn of(case: &'a CaseResult) -> Self {
        Self { at: case.at, elapsed_ms: case.elapsed_ms.max(1), file: &case.file }
    }

    /// Appends place, bar and duration of something that began at `at`.
    fn push(&self, out: &mut String, place: &Place, at: DateTime<Utc>, elapsed_ms: u64) {
        out.push_str("<small>");
        if place.file != self.file {
            escape::push(out, &place.file);
            out.push(':');
        }
        put(out, format_args!("{}:{}</small>", place.line, place.column));
        let begin = u64::try_from((at - self.at).num_milliseconds()).unwrap_or(0);
        let (begin, width) = (self.permille(begin), self.permille(elapsed_ms));
        let width = width.min(1_000 - begin);
        let (a, w) = ((begin / 10, begin % 10), (width / 10, width % 10));
        put(out, format_args!("<i style=\"--a:{}.{};--w:{}.{}\"></i><time>", a.0, a.1, w.0, w.1));
        wording::push_duration(out, elapsed_ms);
        out.push_str("</time>");
    }

    fn permille(&self, ms: u64) -> u64 {
        ms.saturating_mul(1_000).checked_div(self.elapsed_ms).unwrap_or(0).min(1_000)
    }
}

/// Appends the step's row; `case` is the case's number on the page.
pub(super) fn push_step(out: &mut String, step: &StepResult, clock: &Clock, case: usize, folder: &Folder) {
    put(out, format_args!("<li value={} class={}", step.number, class(step.outcome)));
    if step.outcome >= Outcome::Failed {
        put(out, format_args!(" id=c{case}s{}", step.number));
    }
    out.push_str("><div>");
    if let Some(name) = wording::own_name(step) {
        out.push_str("<strong>");
        escape::push(out, name);
        out.push_str("</strong> ");
    }
    let only = wording::only_action(step);
    let cut = only.is_some_and(|action| push_call(out, action));
    push_tries(out, step);
    push_reason(out, step);
    out.push_str("</div>");
    clock.push(out, &step.place, step.at, step.elapsed_ms);
    match only {
        Some(action) => push_more(out, action, step.number, cut, folder),
        None if step.attempts.is_empty() => {}
        None => push_attempts(out, step, clock, folder),
    }
    if let Some(error) = step.error.as_ref().filter(|_| step.outcome >= Outcome::Failed) {
        out.push_str("<div class=more><div class=facts>");
        push_failure(out, error, Some(&step.place));
        out.push_str("</div></div>");
    }
    out.push('\n');
}

fn push_tries(out: &mut String, step: &StepResult) {
    match step.attempts.len() {
        0 | 1 if step.outcome != Outcome::Flaky => {}
        0 | 1 => out.push_str("<em>did not pass; a later try did</em>"),
        tries => put(out, format_args!("<em>{} after {tries} attempts</em>", wording::outcome(step.outcome))),
    }
}

/// Says why a step was skipped, or did nothing.
fn push_reason(out: &mut String, step: &StepResult) {
    if let Some(error) = step.error.as_ref().filter(|_| step.outcome < Outcome::Failed) {
        let word = if step.outcome == Outcome::Skipped { "skipped: " } else { "" };
        put(out, format_args!("<em>{word}"));
        escape::push(out, &wording::shortened(&error.message, SAID));
        out.push_str("</em>");
    }
}

/// Appends tool, arguments and the tool's own sentence; returns whether the arguments were cut.
fn push_call(out: &mut String, action: &ActionResult) -> bool {
    out.push_str("<b>");
    escape::push(out, &action.tool);
    out.push_str("</b>");
    let mut cut = false;
    if !action.arguments.is_empty() {
        let mut arguments = String::new();
        cut = wording::push_arguments(&mut arguments, &action.arguments, ROW);
        out.push_str(" <code>");
        escape::push(out, &arguments);
        out.push_str("</code>");
    }
    if !action.message.is_empty() {
        out.push_str(" <q>");
        escape::push(out, &wording::shortened(&action.message, SAID));
        out.push_str("</q>");
    }
    cut
}

/// Appends a row per action, under a line per attempt where there were several.
fn push_attempts(out: &mut String, step: &StepResult, clock: &Clock, folder: &Folder) {
    out.push_str("<div class=tries>");
    for attempt in &step.attempts {
        if step.attempts.len() > 1 {
            let word = wording::outcome(attempt.outcome);
            put(out, format_args!("<h3 class={}>attempt {} {word}</h3>", class(attempt.outcome), attempt.number));
        }
        push_attempt(out, attempt, step.number, clock, folder);
    }
    out.push_str("</div>");
}

fn push_attempt(out: &mut String, attempt: &Attempt, step: u32, clock: &Clock, folder: &Folder) {
    out.push_str("<ul>");
    for action in &attempt.actions {
        put(out, format_args!("<li class={}><div>", class(action.outcome)));
        let cut = push_call(out, action);
        out.push_str("</div>");
        clock.push(out, &action.place, action.at, action.elapsed_ms);
        push_more(out, action, step, cut, folder);
    }
    out.push_str("</ul>");
}

/// Appends what does not fit into the row: the picture, the failure, the whole arguments.
fn push_more(out: &mut String, action: &ActionResult, step: u32, cut: bool, folder: &Folder) {
    let whole = cut || (action.error.is_some() && action.arguments.len() > 1);
    let tries = action.lookup.as_ref().map(|lookup| lookup.tries.as_slice()).unwrap_or_default();
    let is_plain = action.mended.is_empty() && action.usage.is_nothing();
    if action.screenshot.is_none() && action.error.is_none() && !whole && tries.is_empty() && is_plain {
        return;
    }
    out.push_str("<div class=more>");
    let compared = action.error.as_deref().map(comparison::of).unwrap_or_default();
    for (part, path) in &compared {
        push_picture(out, path, &Over::default(), &format!("{part} at step {step}"), Some(part), folder);
    }
    if let Some(path) = action.screenshot.as_ref().filter(|_| compared.is_empty()) {
        let over = Over { mark: action.mark, seen: &action.seen, was: false };
        let before = action.error.as_deref().and_then(evidence::before).filter(|(before, _)| *before != path.as_str());
        let caption = before.as_ref().map(|_| "after");
        if let Some((before, at)) = before {
            let caption = if at == step { "before".to_owned() } else { format!("before, at step {at}") };
            let over = Over { was: true, ..Over::default() };
            push_picture(out, before, &over, &format!("the screen before step {step}"), Some(&caption), folder);
        }
        push_picture(out, path, &over, &format!("the screen at step {step}"), caption, folder);
    }
    if action.error.is_some() || whole || !tries.is_empty() || !is_plain {
        out.push_str("<div class=facts>");
        push_model(out, action);
        push_lookup(out, tries);
        if let Some(error) = &action.error {
            push_failure(out, error, Some(&action.place));
            push_suggestions(out, &action.tool, error);
            inspector::push(out, action, folder);
        }
        if whole {
            push_arguments(out, action);
        }
        out.push_str("</div>");
    }
    out.push_str("</div>");
}

/// Appends what a model mended, as a difference of steps, and what was asked of it.
fn push_model(out: &mut String, action: &ActionResult) {
    for mended in &action.mended {
        put(out, format_args!("<p class=kind>mended at step {} of the goal</p><p>", mended.step));
        escape::push(out, &mended.why);
        out.push_str("</p><pre class=diff>");
        for (sign, word, steps) in [('-', "del", &mended.was), ('+', "ins", &mended.now)] {
            for step in steps {
                put(out, format_args!("<{word}>{sign} "));
                escape::push(out, step);
                put(out, format_args!("</{word}>"));
            }
        }
        out.push_str("</pre>");
    }
    if !action.usage.is_nothing() {
        out.push_str("<p>");
        escape::push(out, &wording::usage(&action.usage));
        out.push_str("</p>");
    }
}

fn push_arguments(out: &mut String, action: &ActionResult) {
    out.push_str("<details><summary>arguments</summary><pre>");
    let text = serde_json::to_string_pretty(&action.arguments).unwrap_or_default();
    escape::push(out, &text);
    out.push_str("</pre></details>");
}

/// Appends what went wrong: kind, message, place in the testcase, and the facts.
pub(super) fn push_failure(out: &mut String, error: &Failure, place: Option<&Place>) {
    out.push_str("<p class=kind>");
    escape::push(out, &error.kind);
    if let Some(place) = place {
        out.push_str(" <code>");
        escape::push(out, &wording::place(place));
        out.push_str("</code>");
    }
    out.push_str("</p><p class=message>");
    escape::push(out, &error.message);
    out.push_str("</p>");
    match &error.details {
        Some(Value::Object(facts)) if !facts.is_empty() => {
            out.push_str("<dl>");
            let said = |value: &Value| !matches!(value, Value::Array(items) if items.is_empty()) && *value != "";
            let is_shown_apart = |key: &str| [comparison::FIELD, wording::SUGGESTIONS, evidence::FIELD].contains(&key);
            let told = |(key, value): &(&String, &Value)| said(value) && !is_shown_apart(key);
            for (key, value) in facts.iter().filter(told) {
                out.push_str("<dt>");
                escape::push(out, key);
                out.push_str("</dt><dd>");
                push_fact(out, value);
                out.push_str("</dd>");
            }
            out.push_str("</dl>");
        }
        Some(Value::Null | Value::Object(_)) | None => {}
        Some(value) => push_fact(out, value),
    }
}

/// Appends what may be meant instead of a target that was not there.
fn push_suggestions(out: &mut String, tool: &str, error: &Failure) {
    for line in wording::suggestions(tool, Some(error)) {
        out.push_str("<p><code>");
        escape::push(out, &line);
        out.push_str("</code></p>");
    }
}

/// Appends a value: the items of a list one by one, everything else as it is.
fn push_fact(out: &mut String, value: &Value) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| push_item(out, item)),
        value => push_item(out, value),
    }
}

fn push_item(out: &mut String, value: &Value) {
    out.push_str("<code>");
    match value {
        Value::String(text) => escape::push(out, text),
        Value::Object(facts) => {
            let mut text = String::new();
            wording::push_arguments(&mut text, facts, FACT);
            escape::push(out, &text);
        }
        value => escape::push(out, &value.to_string()),
    }
    out.push_str("</code> ");
}

/// Appends the ways in which an element was looked for.
fn push_lookup(out: &mut String, tries: &[Try]) {
    for tried in tries {
        out.push_str("<p>looked for as ");
        escape::push(out, &tried.strategy);
        out.push_str(" <code>");
        escape::push(out, &tried.target);
        out.push_str("</code>: ");
        escape::push(out, if tried.found { "found" } else { &tried.why });
        out.push_str("</p>");
    }
}

fn push_picture(out: &mut String, path: &str, over: &Over<'_>, what: &str, caption: Option<&str>, folder: &Folder) {
    let Some((picture, source)) = source(path, folder) else {
        out.push_str("<p class=missing>");
        escape::push(out, path);
        out.push_str(" is missing or no picture</p>");
        return;
    };
    let (width, height) = picture.size.unwrap_or((9, 16));
    if let Some(caption) = caption {
        put(out, format_args!("<figure><figcaption>{caption}</figcaption>"));
    }
    let was = if over.was { "\"shot was\"" } else { "shot" };
    put(out, format_args!("<label class={was} style=\"--r:{width}/{height}\">"));
    put(out, format_args!("<input type=checkbox aria-label=\"Enlarge {what}\">"));
    put(out, format_args!("<span><img loading=lazy decoding=async alt=\"{what}\" src=\""));
    out.push_str(&source);
    out.push_str("\">");
    push_seen(out, over.seen);
    if let Some(mark) = over.mark {
        push_mark(out, mark);
    }
    out.push_str("</span></label>");
    if caption.is_some() {
        out.push_str("</figure>");
    }
}

/// Finds the picture and what its `src` says; none where it cannot be shown, which is no reason to go without a report.
fn source(path: &str, folder: &Folder) -> Option<(Picture, String)> {
    let picture = Picture::find(&folder.dir, path)?;
    let mut source = String::new();
    if folder.embed {
        picture.push_data(&mut source).ok()?;
    } else {
        picture::push_address(&mut source, path);
    }
    Some((picture, source))
}

/// What is drawn over a picture.
#[derive(Default)]
struct Over<'a> {
    mark: Option<Mark>,
    seen: &'a [Seen],
    /// Whether it is an earlier picture, which stands at its own step, too.
    was: bool,
}

/// Frames what was seen on a picture; the frames say what it is.
fn push_seen(out: &mut String, seen: &[Seen]) {
    if seen.is_empty() {
        return;
    }
    out.push_str("<svg class=\"mark seen\">");
    for Seen { what, left, top, right, bottom, confidence } in seen {
        let (left, top, right, bottom) = (percent(*left), percent(*top), percent(*right), percent(*bottom));
        let unsure = if *confidence < UNSURE { " class=unsure" } else { "" };
        let (width, height) = ((right - left).max(0.0), (bottom - top).max(0.0));
        put(out, format_args!("<rect{unsure} x={left:.2}% y={top:.2}% width={width:.2}% height={height:.2}%><title>"));
        escape::push(out, what);
        put(out, format_args!(" · {:.0} %</title></rect>", confidence.clamp(0.0, 1.0) * 100.0));
    }
    out.push_str("</svg>");
}

/// Returns a fraction of the picture in percent; what is no number is none of it.
fn percent(fraction: f64) -> f64 {
    if fraction.is_finite() { fraction.clamp(0.0, 1.0) * 100.0 } else { 0.0 }
}

fn push_mark(out: &mut String, mark: Mark) {
    match mark {
        Mark::Tap { x, y } => {
            let (x, y) = (percent(x), percent(y));
            put(out, format_args!("<svg class=mark role=img aria-label=\"tap at {x:.0} %, {y:.0} %\">"));
            put(out, format_args!("<circle class=halo cx={x:.1}% cy={y:.1}% /><circle cx={x:.1}% cy={y:.1}% /></svg>"));
        }
        Mark::Swipe { from_x, from_y, to_x, to_y } => {
            let (a, b, c, d) = (percent(from_x), percent(from_y), percent(to_x), percent(to_y));
            put(out, format_args!("<svg class=mark role=img aria-label=\"swipe from {a:.0} %, {b:.0} % "));
            put(out, format_args!("to {c:.0} %, {d:.0} %\"><circle cx={a:.1}% cy={b:.1}% />"));
            put(
                out,
                format_args!("<line x1={a:.1}% y1={b:.1}% x2={c:.1}% y2={d:.1}% marker-end=\"url(#arrow)\" /></svg>"),
            );
        }
    }
}
