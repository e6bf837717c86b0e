//! The handlers increment, decrement and toggle.

use serde_json::{Number, Value, json};

use crate::Error;
use crate::path::Path;

/// Adds `sign` × `step` to a number; nothing counts as 0, and a text that is a number as that number. Integers stay integers.
pub(super) fn add(current: Option<&Value>, step: &Value, sign: i8, path: &Path) -> Result<Value, Error> {
    let current = number_of(current).ok_or_else(|| path.invalid("holds no number"))?;
    let step = number_of(Some(step)).ok_or_else(|| path.invalid("the step is not a number"))?;
    if let (Some(current), Some(step)) = (current.as_i64(), step.as_i64()) {
        let sum = step.checked_mul(i64::from(sign)).and_then(|step| current.checked_add(step));
        return sum.map(Value::from).ok_or_else(|| path.invalid("the number would become too large"));
    }
    let (current, step) = (current.as_f64().unwrap_or_default(), step.as_f64().unwrap_or_default());
    let sum = Number::from_f64(current + f64::from(sign) * step);
    sum.map(Value::Number).ok_or_else(|| path.invalid("the number would become too large"))
}

/// Turns true into false and false, or nothing, into true.
pub(super) fn toggle(current: Option<&Value>, path: &Path) -> Result<Value, Error> {
    match current {
        None | Some(Value::Null) => Ok(json!(true)),
        Some(Value::Bool(on)) => Ok(json!(!on)),
        Some(_) => Err(path.invalid("holds neither true nor false")),
    }
}

fn number_of(value: Option<&Value>) -> Option<Number> {
    match value {
        None | Some(Value::Null) => Some(0.into()),
        Some(Value::Number(number)) => Some(number.clone()),
        Some(Value::String(text)) if text.trim().is_empty() => Some(0.into()),
        Some(Value::String(text)) => serde_json::from_str(text.trim()).ok(),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path() -> Path {
        Path::parse("state.params.count").unwrap()
    }

    #[test]
    fn counts_up_and_down() {
        let add = |current: Option<Value>, step: Value, sign| add(current.as_ref(), &step, sign, &path());
        assert_eq!(add(Some(json!(3)), json!(1), 1).unwrap(), json!(4));
        assert_eq!(add(Some(json!(3)), json!(5), -1).unwrap(), json!(-2));
        assert_eq!(add(Some(json!(0.5)), json!(1), 1).unwrap(), json!(1.5));
        assert_eq!(add(Some(json!("7")), json!(1), 1).unwrap(), json!(8));
        assert_eq!(add(None, json!(2), 1).unwrap(), json!(2));
        assert!(add(Some(json!(i64::MAX)), json!(1), 1).is_err());
        assert!(add(Some(json!("seven")), json!(1), 1).is_err());
        assert!(add(Some(json!(f64::MAX)), json!(f64::MAX), 1).is_err());
    }

    #[test]
    fn toggles() {
        assert_eq!(toggle(Some(&json!(true)), &path()).unwrap(), json!(false));
        assert_eq!(toggle(None, &path()).unwrap(), json!(true));
        assert!(toggle(Some(&json!("on")), &path()).is_err());
    }
}
