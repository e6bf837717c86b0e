//! The values of operands → whether an operator may have them: minijinja compares anything with anything, and tells nobody.
//!
//! Variables from a CSV file, an environment variable or `--var` are texts. One that looks like a number or a boolean is never
//! compared or reckoned with numbers and booleans: it is an error, and only numbers or texts are greater or less than others.

use minijinja::Value as Jinja;
use minijinja::value::ValueKind;

use super::parts::Reach;

/// Most characters of a text that a message shows.
const MAX_LEN: usize = 40;

/// An operand as it is written, and its value.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) text: &'a str,
    pub(super) reach: Reach,
    pub(super) value: &'a Jinja,
}

/// What is wrong with an operand.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unfit {
    pub(super) message: String,
    pub(super) hint: Option<String>,
    /// Where the operand stands.
    pub(super) reach: Reach,
}

type Fit = Result<(), Unfit>;

/// Tells whether a text says that something is not so, as `--var` gives texts only.
pub(super) fn denies(text: &str) -> bool {
    matches!(text.trim().to_lowercase().as_str(), "" | "false" | "0")
}

/// Returns the filter that makes of a text what it looks like.
fn looks(value: &Jinja) -> Option<&'static str> {
    let text = value.as_str()?.trim();
    if matches!(text.to_lowercase().as_str(), "true" | "false") {
        return Some("bool");
    }
    if text.parse::<i128>().is_ok() {
        return Some("int");
    }
    let is_number = text.contains(|next: char| next.is_ascii_digit()) && text.parse::<f64>().is_ok();
    is_number.then_some("float")
}

/// Tells whether a text looks like a number or a boolean.
pub(super) fn looks_like_another(value: &Jinja) -> bool {
    looks(value).is_some()
}

/// Says what a value is.
pub(super) fn kind(value: &Jinja) -> String {
    let name = match value.kind() {
        ValueKind::None => "null",
        ValueKind::Bool => "a boolean",
        ValueKind::Number => "a number",
        ValueKind::Seq | ValueKind::Iterable => "a list",
        ValueKind::Map => "a map",
        ValueKind::String => {
            let text = value.as_str().unwrap_or_default();
            let rest = if text.chars().nth(MAX_LEN).is_some() { "…" } else { "" };
            return format!("the text \"{}{rest}\"", text.chars().take(MAX_LEN).collect::<String>());
        }
        _ => "no value",
    };
    name.to_owned()
}

fn is_plain(value: &Jinja) -> bool {
    matches!(value.kind(), ValueKind::Number | ValueKind::Bool)
}

fn is_text(value: &Jinja) -> bool {
    value.kind() == ValueKind::String
}

fn is_list(value: &Jinja) -> bool {
    matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable)
}

impl Side<'_> {
    fn unfit(self, other: Side<'_>, filter: Option<&str>) -> Fit {
        let mine = format!("`{}` is {}", self.text, kind(self.value));
        let theirs = format!("`{}` is {}", other.text, kind(other.value));
        Err(Unfit {
            message: format!("{mine}, and {theirs}"),
            hint: filter.map(|filter| self.through(filter)),
            reach: self.reach,
        })
    }

    fn through(self, filter: &str) -> String {
        let is_one = self.text.chars().all(|next| next.is_alphanumeric() || "_.[]'\"".contains(next));
        let text = if is_one { self.text.to_owned() } else { format!("({})", self.text) };
        format!("did you mean `{text} | {filter}`?")
    }
}

/// Checks an operand of `+`, `*` and the like.
pub(super) fn reckoned(side: Side<'_>) -> Fit {
    let Some(filter) = looks(side.value).or((side.value.kind() == ValueKind::None).then_some("")) else {
        return Ok(());
    };
    let message = format!("`{}` is {}, not a number", side.text, kind(side.value));
    Err(Unfit { message, hint: (!filter.is_empty()).then(|| side.through(filter)), reach: side.reach })
}

/// Checks an operand of `~`.
pub(super) fn joined(side: Side<'_>) -> Fit {
    if side.value.kind() != ValueKind::None {
        return Ok(());
    }
    Err(Unfit { message: format!("`{}` is null, not a text", side.text), hint: None, reach: side.reach })
}

/// Checks two values that are compared.
pub(super) fn compared(left: Side<'_>, operator: &str, right: Side<'_>) -> Fit {
    if left.value.is_undefined() || right.value.is_undefined() {
        return Ok(());
    }
    match operator {
        "==" | "!=" => equal(left, right),
        "in" => within(left, right),
        _ => ordered(left, right),
    }
}

fn equal(left: Side<'_>, right: Side<'_>) -> Fit {
    let of = |text: Side<'_>, other: Side<'_>| {
        let wanted = if other.value.kind() == ValueKind::Bool { "bool" } else { "int" };
        match is_literal(text.text) {
            true => other.unfit(text, Some("string")),
            false => text.unfit(other, Some(looks(text.value).filter(|_| wanted == "int").unwrap_or(wanted))),
        }
    };
    if is_text(left.value) && is_plain(right.value) {
        return of(left, right);
    }
    if is_text(right.value) && is_plain(left.value) {
        return of(right, left);
    }
    if is_list(left.value) && is_list(right.value) {
        let (Ok(ours), Ok(theirs)) = (left.value.try_iter(), right.value.try_iter()) else { return Ok(()) };
        let mut pairs = ours.zip(theirs);
        if pairs.any(|(ours, theirs)| is_mixed(&ours, &theirs)) {
            return mixed(left, right);
        }
    }
    Ok(())
}

fn is_literal(text: &str) -> bool {
    text.starts_with(['\'', '"'])
}

/// Tells whether one is a number or boolean, and the other a text that looks like one.
fn is_mixed(one: &Jinja, other: &Jinja) -> bool {
    (looks(one).is_some() && is_plain(other)) || (looks(other).is_some() && is_plain(one))
}

fn mixed(left: Side<'_>, right: Side<'_>) -> Fit {
    let message = format!("`{}` and `{}` mix numbers with texts that look like numbers", left.text, right.text);
    Err(Unfit { message, hint: None, reach: left.reach })
}

fn within(item: Side<'_>, holder: Side<'_>) -> Fit {
    let holds_texts = is_text(holder.value) || holder.value.kind() == ValueKind::Map;
    if holds_texts && (is_plain(item.value) || item.value.kind() == ValueKind::None) {
        return item.unfit(holder, is_plain(item.value).then_some("string"));
    }
    if !is_list(holder.value) {
        return Ok(());
    }
    let Ok(mut items) = holder.value.try_iter() else { return Ok(()) };
    let mut is_confused = false;
    if items.any(|other| {
        is_confused |= is_mixed(item.value, &other);
        other == *item.value
    }) || !is_confused
    {
        return Ok(());
    }
    match looks(item.value) {
        Some(filter) => item.unfit(holder, Some(filter)),
        None => item.unfit(holder, Some("string")),
    }
}

fn ordered(left: Side<'_>, right: Side<'_>) -> Fit {
    let number = |side: Side<'_>| side.value.kind() == ValueKind::Number;
    let without = [left, right].into_iter().find(|side| !number(*side) && !is_text(side.value));
    if let Some(side) = without {
        let message =
            format!("`{}` is {}, which is neither greater nor less than anything", side.text, kind(side.value));
        return Err(Unfit { message, hint: None, reach: side.reach });
    }
    match (number(left), number(right)) {
        (true, true) => Ok(()),
        _ if is_text(left.value) && is_text(right.value) => match (looks(left.value), looks(right.value)) {
            (Some(filter), Some(_)) => left.unfit(right, Some(filter)),
            _ => Ok(()),
        },
        (false, _) => left.unfit(right, is_text(left.value).then(|| looks(left.value).unwrap_or("int"))),
        (true, false) if is_literal(right.text) => left.unfit(right, Some("string")),
        (true, false) => right.unfit(left, is_text(right.value).then(|| looks(right.value).unwrap_or("int"))),
    }
}

/// Makes of a text that says no a value that is not true.
pub(super) fn truth(value: &Jinja) -> Jinja {
    if value.as_str().is_some_and(denies) { Jinja::from(false) } else { value.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn texts_that_look_like_numbers_are_never_compared_with_numbers() {
        let table: [(Value, &str, Value, bool); 22] = [
            (json!("5"), "==", json!(5), false),
            (json!("abc"), "==", json!(5), false),
            (json!("false"), "!=", json!(false), false),
            (json!("5"), "==", json!("5"), true),
            (json!("5"), "==", json!(null), true),
            (json!(["5"]), "==", json!([5]), false),
            (json!(["5"]), "==", json!(["5"]), true),
            (json!("5"), "in", json!([5, 6]), false),
            (json!(5), "in", json!(["5"]), false),
            (json!("5"), "in", json!([5, "5"]), true),
            (json!("abc"), "in", json!([5, "x"]), true),
            (json!("5"), "in", json!("15"), true),
            (json!(5), "in", json!("15"), false),
            (json!(5), "in", json!({"5": 1}), false),
            (json!(null), "<", json!(10), false),
            (json!([1]), ">", json!(3), false),
            (json!({}), "<", json!(3), false),
            (json!(true), "<", json!(3), false),
            (json!("9"), "<", json!(10), false),
            (json!("9"), "<", json!("10"), false),
            (json!("2024-01-02"), "<", json!("2024-02-01"), true),
            (json!(9), "<", json!(10.5), true),
        ];
        let reach = Reach::default();
        for (left, operator, right, fits) in table {
            let made =
                |value: &Value| super::super::formula_values::to_jinja(value.clone(), &std::sync::Arc::default());
            let (ours, theirs) = (made(&left), made(&right));
            let (ours, theirs) = (Side { text: "a", reach, value: &ours }, Side { text: "b", reach, value: &theirs });
            assert_eq!(compared(ours, operator, theirs).is_ok(), fits, "{left} {operator} {right}");
        }
    }
}
