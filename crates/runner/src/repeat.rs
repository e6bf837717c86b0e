//! `repeat`: a step that runs several times, or while or until something holds; never more often than its `max`.

use std::io;

use serde_json::Value;
use uixt_locate::Kind;

use super::context::{StepContext, StepEnd, failure};
use super::naming::{self, Time};
use super::{entry, evaluation, plain_step, step};
use crate::result::Failure;
use crate::testcase::{Condition, Repeat, Scope, Step};

/// Longest shown part of a value, in characters.
const SHOWN: usize = 80;

/// What to do next.
enum Next {
    Again,
    Done,
    /// The repetition itself went wrong.
    Broken(Failure),
}

/// Runs the step until it has run often enough, or does not pass.
pub(super) async fn run(
    cx: &StepContext<'_>,
    scope: &Scope,
    step: &Step,
    repeat: &Repeat,
    time: Time<'_>,
) -> io::Result<StepEnd> {
    let first = step::layers(scope, step, time);
    let times = match &repeat.times {
        Some(written) => match times(cx, &first, step, written).await {
            Ok(times) => Some(times),
            Err(failure) => return broken(cx, &first, step, time, failure).await,
        },
        None => None,
    };
    let (mut end, mut ran) = (StepEnd::NOTHING, 0);
    loop {
        let scope = step::layers(scope, step, time);
        match next(cx, &scope, repeat, times, ran).await {
            Next::Again => {}
            Next::Done => break,
            Next::Broken(failure) => return Ok(end.and(broken(cx, &scope, step, time, failure).await?)),
        }
        if ran > 0 && !waits(cx, repeat).await {
            return Ok(end.and(StepEnd::CUT_OFF));
        }
        ran += 1;
        let one = step::once(cx, &scope, step, Time { number: Some(ran), ..time }).await?;
        end = end.and(one);
        if one.broke {
            return Ok(end);
        }
        match until(cx, &scope, repeat).await {
            Ok(false) => {}
            Ok(true) => return Ok(end),
            Err(failure) => return Ok(end.and(broken(cx, &scope, step, time, failure).await?)),
        }
    }
    if ran > 0 {
        return Ok(end);
    }
    let name = naming::step_name(cx, &first, step, time).await;
    entry::skipped(cx, &first, &name, step.place, never(repeat, times))
}

/// Says why the step never ran.
fn never(repeat: &Repeat, times: Option<u64>) -> String {
    match (&repeat.while_holds, times) {
        (_, Some(0)) => "it is repeated 0 times".to_owned(),
        (Some(condition), _) => format!("while `{}` does not hold", condition.expression),
        (None, _) => "it is never repeated".to_owned(),
    }
}

async fn broken(
    cx: &StepContext<'_>,
    scope: &Scope,
    step: &Step,
    time: Time<'_>,
    failure: Failure,
) -> io::Result<StepEnd> {
    let name = naming::step_name(cx, scope, step, time).await;
    entry::broken(cx, scope, &name, step.place, failure)
}

/// Decides before each time, when the step ran `ran` times.
async fn next(cx: &StepContext<'_>, scope: &Scope, repeat: &Repeat, times: Option<u64>, ran: u64) -> Next {
    if times.is_some_and(|times| ran >= times) {
        return match &repeat.until {
            Some(condition) if ran > 0 => Next::Broken(unmet(cx, scope, condition, ran).await),
            _ => Next::Done,
        };
    }
    if let Some(condition) = &repeat.while_holds {
        match evaluation::holds(cx, scope, condition).await {
            Ok(true) => {}
            Ok(false) => return Next::Done,
            Err(problem) => return Next::Broken(problem.cx(cx, condition.place, "while")),
        }
    }
    match ran >= u64::from(repeat.max) {
        true => Next::Broken(match &repeat.until {
            Some(condition) => unmet(cx, scope, condition, ran).await,
            None => too_often(repeat, times, ran),
        }),
        false => Next::Again,
    }
}

/// Says that it never held, with the last values of the variables that it names.
async fn unmet(cx: &StepContext<'_>, scope: &Scope, condition: &Condition, ran: u64) -> Failure {
    let mut values = Vec::new();
    for name in condition.variables() {
        if let Ok(value) = evaluation::value(cx, scope, &Value::String(format!("${name}"))).await {
            values.push(format!("`{name}` was {}", shown(&value)));
        }
    }
    let values = if values.is_empty() { String::new() } else { format!(": {}", values.join(", ")) };
    failure(Kind::Assertion, format!("until `{}` did not hold after {ran} times{values}", condition.expression))
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn too_often(repeat: &Repeat, times: Option<u64>, ran: u64) -> Failure {
    let message = match (&repeat.while_holds, times) {
        (Some(condition), _) => format!("while `{}` still held after {ran} times", condition.expression),
        (None, Some(times)) => format!("stopped at `max` ({ran}); {times} requested"),
        (None, None) => format!("stopped at `max` ({ran}): nothing ended the repetition"),
    };
    failure(Kind::Assertion, message)
}

async fn until(cx: &StepContext<'_>, scope: &Scope, repeat: &Repeat) -> Result<bool, Failure> {
    let Some(condition) = &repeat.until else { return Ok(false) };
    evaluation::holds(cx, scope, condition).await.map_err(|problem| problem.cx(cx, condition.place, "until"))
}

/// Waits between two times; returns whether the step runs again.
async fn waits(cx: &StepContext<'_>, repeat: &Repeat) -> bool {
    !cx.is_over() && (repeat.interval <= 0.0 || cx.sleep(plain_step::seconds(repeat.interval)).await)
}

/// Returns how often the step is to run.
async fn times(cx: &StepContext<'_>, scope: &Scope, step: &Step, written: &Value) -> Result<u64, Failure> {
    let value = evaluation::effect(cx, scope, written).await;
    let value = value.map_err(|problem| problem.cx(cx, step.place, "repeat: times"))?;
    whole(&value).ok_or_else(|| {
        let message = format!("repeat: `times` is a whole number of at least 0, not {value}");
        failure(Kind::BadArgument, message)
    })
}

/// Reads a whole number, which variables may hold as text.
fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        Value::Number(number) => number.as_u64().or_else(|| {
            let float = number.as_f64().filter(|float| float.fract() == 0.0 && (0.0..=1e15).contains(float))?;
            format!("{float:.0}").parse().ok()
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn times_are_whole_numbers() {
        let table = [
            (json!(3), Some(3)),
            (json!(0), Some(0)),
            (json!(3.0), Some(3)),
            (json!("3"), Some(3)),
            (json!(-1), None),
            (json!(1.5), None),
            (json!("x"), None),
            (json!(true), None),
            (json!(null), None),
        ];
        for (value, expected) in table {
            assert_eq!(whole(&value), expected, "{value}");
        }
    }
}
