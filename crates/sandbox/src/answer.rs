//! A code to run, and what came of it.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::capture::Printed;
use super::{MOST_FILE, MOST_FILES};

/// A code to run.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub text: String,
    /// How long it may take.
    pub limit: Duration,
    /// Files that are put into the session's folder before: texts, or `{"base64": …}`.
    pub files: Map<String, Value>,
    /// Names of files that are given back.
    pub outputs: Vec<String>,
}

/// An exception that no code has caught.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    /// `ValueError`.
    pub kind: String,
    pub message: String,
    /// Line of the code, counted from 1.
    pub line: Option<u64>,
}

/// What came of a code.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    pub stdout: Printed,
    pub stderr: Printed,
    /// None where Python ended before it said so.
    pub return_code: Option<i64>,
    pub time: Duration,
    /// The last expression's value.
    pub result: Value,
    pub raised: Option<Raised>,
    /// The files that were asked for: texts, or `{"base64": …}`.
    pub outputs: Map<String, Value>,
    /// Why files that were asked for are not among them.
    pub missing: Map<String, Value>,
    /// What else whoever called should know.
    pub notes: Vec<String>,
    /// The walls that stand.
    pub walls: Vec<String>,
}

impl Code {
    /// Says what is wrong with the names of files.
    pub(crate) fn check(&self) -> Result<(), String> {
        let names = || self.files.keys().chain(&self.outputs);
        if self.files.len() > MOST_FILES || self.outputs.len() > MOST_FILES {
            return Err(format!("more than {MOST_FILES} files are put in or given back"));
        }
        if let Some(name) = names().find(|name| !is_relative(name)) {
            return Err(format!(
                "`{name}` is no name of a file in the session's folder; write `data.csv` or `data/a.csv`"
            ));
        }
        self.files.iter().try_for_each(|(name, content)| sized(name, content))
    }

    pub(crate) fn frame(&self, id: u64) -> Value {
        json!({"id": id, "code": self.text, "files": self.files, "outputs": self.outputs, "most": MOST_FILE})
    }
}

/// Checks that a file has a content, and one that is not too large.
fn sized(name: &str, content: &Value) -> Result<(), String> {
    let length = match (content.as_str(), content["base64"].as_str()) {
        (Some(text), _) => text.len(),
        (None, Some(data)) if is_base64(data) => data.len() / 4 * 3,
        _ => return Err(format!("files: `{name}` is neither a text nor {{\"base64\": \"…\"}}")),
    };
    let most = MOST_FILE >> 20;
    if length > MOST_FILE { Err(format!("files: `{name}` is larger than {most} MiB")) } else { Ok(()) }
}

fn is_base64(data: &str) -> bool {
    let text = data.trim_end_matches('=');
    let is_sign = |sign: u8| sign.is_ascii_alphanumeric() || sign == b'+' || sign == b'/';
    data.len().is_multiple_of(4) && data.len() - text.len() <= 2 && text.bytes().all(is_sign)
}

fn is_relative(name: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    name.len() <= 255 && !name.contains('\0') && name.split('/').all(is_plain)
}

impl Answer {
    /// Takes what Python says of a code.
    pub(crate) fn take(&mut self, mut frame: Value) {
        self.return_code = frame["return_code"].as_i64();
        self.result = frame["json"].as_str().map(|text| self.read(text)).unwrap_or_default();
        self.outputs = object(&mut frame["outputs"]);
        self.missing = object(&mut frame["missing"]);
        self.notes.extend(frame["note"].as_str().map(str::to_owned));
        self.raised = raised(&frame["raised"]);
    }

    /// Reads a result.
    fn read(&mut self, text: &str) -> Value {
        serde_json::from_str(text).unwrap_or_else(|error| {
            self.notes.push(format!("the result is left out: {error}"));
            Value::Null
        })
    }
}

fn object(value: &mut Value) -> Map<String, Value> {
    match value.take() {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

fn raised(value: &Value) -> Option<Raised> {
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    Some(Raised { kind: text("type")?, message: text("message")?, line: value["line"].as_u64() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_in_the_folder() {
        let code = |name: &str| Code { outputs: vec![name.to_owned()], ..Code::default() };
        for name in ["a.csv", "data/a b.csv", "数据.csv", "..a"] {
            assert_eq!(code(name).check(), Ok(()), "{name}");
        }
        for name in ["", "/etc/passwd", "../a", "a/../b", "a//b", "a/", ".", "a\0b"] {
            assert!(code(name).check().is_err(), "{name}");
        }
    }

    #[test]
    fn contents_have_a_size() {
        let code = |content: Value| Code { files: Map::from_iter([("a".to_owned(), content)]), ..Code::default() };
        assert!(code("x".into()).check().is_ok() && code(json!({"base64": "eA=="})).check().is_ok());
        for content in [
            json!(1),
            json!({"text": "x"}),
            json!({"base64": "x"}),
            json!({"base64": "a\nb="}),
            "x".repeat(MOST_FILE + 1).into(),
        ] {
            assert!(code(content).check().is_err());
        }
    }
}
