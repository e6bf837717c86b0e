//! What came of a code, or why nothing did → an answer, or a failure with all that an answer has.

use serde_json::{Value, json};
use uixt_call::TRUNCATED;
use uixt_locate::{Error, Kind, Object};
use uixt_sandbox::{Answer, Raised};
use uixt_toolkit::Reply;

/// How much of what was printed is kept, in bytes.
const KEPT: u64 = 64 << 10;

/// Tells what came of a code: whatever is not as it should be fails the call.
pub(super) fn execution(done: Result<Answer, uixt_sandbox::Error>, name: &str, seconds: u64) -> Result<Reply, Error> {
    let failed = |answer: &Answer, code: &str, message: String| {
        let error = Error::new(Kind::Assertion, message).with("code", code);
        fields(answer, name, seconds).into_iter().fold(error, |error, (key, value)| error.with(&key, value))
    };
    match done {
        Ok(answer) => match wrong(&answer) {
            Some((code, message)) => Err(failed(&answer, &code, message)),
            None => {
                let message = format!("Ran in {:.3} s", answer.time.as_secs_f64());
                Ok(Reply { message, fields: fields(&answer, name, seconds), ..Reply::default() })
            }
        },
        Err(uixt_sandbox::Error::Ended { how, message, answer }) => Err(failed(&answer, how.code(), message)),
        Err(error) => Err(refused(&error).with("session_id", name)),
    }
}

/// Says what is wrong with a code that has ended by itself: a name for programs, and a sentence.
fn wrong(answer: &Answer) -> Option<(String, String)> {
    if let Some(raised) = &answer.raised {
        return Some((raised.kind.clone(), last_line(raised)));
    }
    match answer.return_code {
        Some(0) => {}
        code => return Some(("SystemExit".to_owned(), format!("the code ended with {}", code.unwrap_or_default()))),
    }
    let (name, why) = answer.missing.iter().next()?;
    let why = why.as_str().unwrap_or_default();
    Some(("OutputMissing".to_owned(), format!("the code ran, and its file `{name}` cannot be given back: {why}")))
}

/// Returns what the last line of a traceback says, and where.
fn last_line(raised: &Raised) -> String {
    let Raised { kind, message, line } = raised;
    let place = line.map(|line| format!(" (line {line} of the code)")).unwrap_or_default();
    if message.is_empty() { format!("{kind}{place}") } else { format!("{kind}: {message}{place}") }
}

fn fields(answer: &Answer, name: &str, seconds: u64) -> Object {
    let mut fields = Object::new();
    let mut put = |key: &str, value: Value| fields.insert(key.to_owned(), value);
    put("result", answer.result.clone());
    put("stdout", answer.stdout.text.as_str().into());
    put("stderr", answer.stderr.text.as_str().into());
    put("return_code", answer.return_code.into());
    put("execution_time", json!((answer.time.as_secs_f64() * 1e6).round() / 1e6));
    put("session_id", name.into());
    put("timeout_used", seconds.into());
    put("walls", json!(answer.walls));
    let streams = [("stdout", &answer.stdout), ("stderr", &answer.stderr)];
    let cut: Object = streams
        .into_iter()
        .filter_map(|(stream, printed)| Some((stream.to_owned(), json!({"printed": printed.whole?, "kept": KEPT}))))
        .collect();
    if !cut.is_empty() {
        put(TRUNCATED, cut.into());
    }
    if !answer.outputs.is_empty() {
        put("outputs", answer.outputs.clone().into());
    }
    if !answer.notes.is_empty() {
        put("notes", json!(answer.notes));
    }
    fields
}

/// Turns an error into a call's, with its name for programs.
pub(super) fn refused(error: &uixt_sandbox::Error) -> Error {
    use uixt_sandbox::Error as E;
    let kind = match error {
        E::Unsupported(_) | E::NoPython(_) => Kind::Unsupported,
        E::BadArgument(_) => Kind::BadArgument,
        E::NoSession(_) => Kind::NotFound,
        E::Ended { .. } => Kind::Assertion,
        E::Start(_) | E::TooMany(_) | E::NotInstalled { .. } | E::NotImported { .. } => Kind::Service,
    };
    let told = Error::new(kind, error.to_string()).with("code", error.code());
    match error {
        E::NotInstalled { output, .. } | E::NotImported { output, .. } if !output.is_empty() => {
            told.with("stderr", output.as_str())
        }
        _ => told,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn ran(answer: Answer) -> Result<Reply, Error> {
        execution(Ok(answer), "default", 30)
    }

    #[test]
    fn nothing_passes_that_should_fail() {
        let good = Answer { return_code: Some(0), time: Duration::from_millis(2), ..Answer::default() };
        assert_eq!(ran(good.clone()).expect("good").message, "Ran in 0.002 s");
        let raised = Raised { kind: "ValueError".to_owned(), message: "no".to_owned(), line: Some(3) };
        let error = ran(Answer { return_code: Some(1), raised: Some(raised), ..good.clone() }).expect_err("raised");
        assert_eq!((error.kind, error.message.as_str()), (Kind::Assertion, "ValueError: no (line 3 of the code)"));
        assert_eq!((&error.details["code"], &error.details["return_code"]), (&json!("ValueError"), &json!(1)));
        for code in [Some(7), Some(-1), None] {
            let error = ran(Answer { return_code: code, ..good.clone() }).expect_err("no 0");
            assert_eq!(error.details["code"], "SystemExit");
        }
        let missing = Object::from_iter([("a".to_owned(), "there is no such file".into())]);
        assert_eq!(ran(Answer { missing, ..good }).expect_err("no file").details["code"], "OutputMissing");
    }
}
