//! The answer to a wrong call → the same with its message in Chinese.

use serde_json::Value;

use crate::uniform::{Lang, Problem, Unknown};

/// Returns the translated answer; none where it names no arguments.
pub(super) fn translated(object: &Value) -> Option<Value> {
    let details = object.get("details")?;
    let list = |key: &str| -> Option<Vec<&str>> {
        details.get(key)?.as_array().map(|names| names.iter().filter_map(Value::as_str).collect())
    };
    let valid = list("valid")?;
    let message = object["message"].as_str()?;
    let complaint = Problem {
        missing: list("missing")?.into_iter().map(str::to_owned).collect(),
        unknown: list("unknown")?.into_iter().map(|name| Unknown::among(name, valid.iter().copied())).collect(),
        other: rest(message),
        valid: valid.iter().map(|name| (*name).to_owned()).collect(),
        ..Problem::default()
    };
    let mut translated = object.clone();
    translated["message"] = complaint.message(Lang::Zh).into();
    Some(translated)
}

/// Returns what a message says beside the lists of names: such as values that are out of range.
fn rest(message: &str) -> Vec<String> {
    const LISTS: [&str; 4] = ["missing: ", "unknown: ", "valid: ", "it takes no arguments"];
    let parts = message.split_once(": ").map_or(message, |(_, parts)| parts).split("; ");
    let rest: Vec<&str> = parts.filter(|part| !LISTS.iter().any(|list| part.starts_with(list))).collect();
    if rest.is_empty() { Vec::new() } else { vec![rest.join("; ")] }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tools;

    #[test]
    fn a_wrong_call_is_told_in_chinese() {
        let said = |arguments: Value| {
            let tool = tools::find("tap_xy").expect("a tool");
            let error = tools::table().prepare(tool, arguments.as_object().expect("a map").clone()).expect_err("wrong");
            translated(&error.object("tap_xy")).expect("arguments are named")["message"].clone()
        };
        assert_eq!(
            said(json!({"x": 0.5, "yy": 1})),
            "工具调用验证失败: 缺少必需参数: ['y']; 无效参数: ['yy']，有效参数: ['y', 'x', 'serial', 'platform', 'duration']; 'yy' 是否应为 'y'?"
        );
        assert_eq!(
            said(json!({"x": 0.5, "y": 7})),
            "工具调用验证失败: `y` must be at most 1.0, not 7; `tap_abs_xy` takes pixels; 有效参数: ['y', 'x', 'serial', 'platform', 'duration']"
        );
        assert_eq!(translated(&json!({"success": true})), None);
    }
}
