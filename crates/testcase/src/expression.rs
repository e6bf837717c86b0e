//! `Hello $user, ${md5($id)}` → parts. Knows neither values nor what functions do.
//!
//! `$name` and `${name}` are variables, `${name(arguments)}` is a call, `$$` is a dollar sign. A name begins with a letter
//! from a to z or `_`, and goes on with these and digits. `$` before anything else stands for itself, so `$5.00` is plain
//! text. Arguments are separated by commas: numbers, texts in quotes (taken literally), and everything else as text in which
//! variables are replaced. `${…}` with anything else in it is a formula: what `HttpRunner` does not know.

use super::parts::{ExpressionError, Part, Reach};
use super::scanner::Scanner;
use serde_json::Value;

/// Splits a string into its parts; a string without `$` is one text.
pub(super) fn parse(text: &str) -> Result<Vec<Part>, ExpressionError> {
    if !text.contains('$') {
        return Ok(vec![Part::Text(text.to_owned())]);
    }
    let characters: Vec<char> = text.chars().collect();
    Scanner::of(&characters).parts()
}

/// Says whether evaluating the value would change it: whether a string in it holds a variable, a call or `$$`.
pub fn holds_variables(value: &Value) -> bool {
    match value {
        Value::String(text) => parse(text).is_ok_and(|parts| !matches!(&parts[..], [Part::Text(same)] if same == text)),
        Value::Array(items) => items.iter().any(holds_variables),
        Value::Object(entries) => entries.values().any(holds_variables),
        _ => false,
    }
}

/// Returns the variables in a text as they are written, `$user` and `${ENV(PASSWORD)}`; calls and formulas are none, since they may
/// be worth something else each time.
pub fn written_variables(text: &str) -> Vec<String> {
    let written = |reach: &Reach| text.chars().skip(reach.offset).take(reach.length).collect();
    let parts = parse(text).unwrap_or_default();
    let variables = parts.iter().filter_map(|part| match part {
        Part::Variable { reach, .. } => Some(written(reach)),
        Part::Call { name, reach, .. } if matches!(name.as_str(), "ENV" | "environ" | "env") => Some(written(reach)),
        _ => None,
    });
    variables.collect()
}

#[cfg(test)]
mod tests {
    use super::super::parts::Argument;
    use super::*;
    use serde_json::json;

    fn shape(text: &str) -> String {
        let shown = |part: &Part| match part {
            Part::Text(text) => format!("'{text}'"),
            Part::Variable { name, reach } => format!("{name}@{}+{}", reach.offset, reach.length),
            Part::Call { name, arguments, reach } => format!("{name}{arguments:?}@{}+{}", reach.offset, reach.length),
            Part::Formula { source, reach } => format!("<{source}>@{}+{}", reach.offset, reach.length),
        };
        match parse(text) {
            Ok(parts) => parts.iter().map(shown).collect::<Vec<_>>().join(" "),
            Err(error) => format!("{} @{}+{}", error.message, error.offset, error.length),
        }
    }

    #[test]
    fn strings_are_split() {
        let table = [
            ("plain", "'plain'"),
            ("", "''"),
            ("$a", "a@0+2"),
            ("${a}b", "a@0+4 'b'"),
            ("你好$user，再见", "'你好' user@2+5 '，再见'"),
            ("$$a $5.00 a$ $", "'$a $5.00 a$ $'"),
            ("$$$a", "'$' a@2+2"),
            ("^\\d+$|x$)", "'^\\d+$|x$)'"),
            ("$a$b", "a@0+2 b@2+2"),
            ("$用户", "'$用户'"),
            ("${f()}", "f[]@0+6"),
            ("${", "`${` is followed by a name @0+2"),
            ("x ${1} y", "'x ' <1>@2+4 ' y'"),
            ("${a.b}", "<a.b>@0+6"),
            ("${}", "`${}` is empty @0+3"),
            ("${a | upper}!", "<a | upper>@0+12 '!'"),
            ("${ {'a}': 1}['a}'] }", "< {'a}': 1}['a}'] >@0+20"),
            ("${f($a + 1)}", "<f($a + 1)>@0+12"),
            ("${f(a)[0]}", "<f(a)[0]>@0+10"),
            ("${f(1}", "a call ends with `)}` @0+6"),
            ("${f('a)}", "a call ends with `)}` @0+8"),
            ("${f(${g()})}", "<f(${g()})>@0+12"),
            (
                "${f(${a}, b-c)}",
                "f[Parts([Variable { name: \"a\", reach: Reach { offset: 4, length: 4 } }]), Parts([Text(\"b-c\")])]@0+15",
            ),
        ];
        for (text, expected) in table {
            assert_eq!(shape(text), expected, "{text}");
        }
    }

    #[test]
    fn arguments_have_types() {
        let Ok(parts) = parse("${f(1, -2.5, 'a, b', data/x y.csv , $v, pre-${v}, 01x)}") else { panic!() };
        let [Part::Call { arguments, .. }] = &parts[..] else { panic!() };
        let literal = |index: usize| match &arguments[index] {
            Argument::Literal(value) => value.clone(),
            Argument::Parts(parts) => json!(format!("{} parts", parts.len())),
        };
        assert_eq!((0..3).map(literal).collect::<Vec<_>>(), [json!(1), json!(-2.5), json!("a, b")]);
        assert_eq!(arguments[3], Argument::Parts(vec![Part::Text("data/x y.csv".to_owned())]));
        assert!(matches!(&arguments[4], Argument::Parts(parts) if matches!(&parts[..], [Part::Variable { .. }])));
        assert!(matches!(&arguments[5], Argument::Parts(parts) if parts.len() == 2));
        assert_eq!(arguments[6], Argument::Parts(vec![Part::Text("01x".to_owned())]));
    }

    #[test]
    fn variables_are_noticed_anywhere() {
        assert!(holds_variables(&json!({"a": ["x", "$y"]})));
        assert!(holds_variables(&json!("$$")));
        assert!(!holds_variables(&json!(["$5", 1, null, {"a": "b$"}])));
    }
}
