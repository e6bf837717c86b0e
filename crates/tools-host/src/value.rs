//! The assertion about a value: what `validate` says of results, saved values and variables.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_core::compare::{self, Assertion};
use uixt_locate::{Error, Kind};
use uixt_schema::nearest;
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<AssertValue>()];

/// Assert what a value is.
#[derive(Deserialize, JsonSchema)]
struct AssertValue {
    /// Value to check.
    value: Value,
    /// How to compare: `equals`, `contains`, `regex_match`, `length_equals`, `type_match`, …
    #[serde(default)]
    assert: Option<String>,
    /// What to compare with, as `assert` says.
    #[serde(default, deserialize_with = "given")]
    expect: Option<Value>,
    /// Value that it equals.
    #[serde(default, deserialize_with = "given")]
    equals: Option<Value>,
    /// Value that it does not equal.
    #[serde(default, deserialize_with = "given")]
    not_equals: Option<Value>,
    /// Text, item or key that it contains.
    #[serde(default, deserialize_with = "given")]
    contains: Option<Value>,
    /// Regular expression, found anywhere in it.
    #[serde(default, deserialize_with = "given")]
    matches: Option<Value>,
    /// Number that it is below; a text counts as the number that it is.
    #[serde(default, deserialize_with = "given")]
    less_than: Option<Value>,
    /// Number that it is above; a text counts as the number that it is.
    #[serde(default, deserialize_with = "given")]
    greater_than: Option<Value>,
    /// What the value is called in messages.
    #[serde(default)]
    name: Option<String>,
}

/// Reads what is given, null included.
pub(super) fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl AssertValue {
    /// Returns every comparison that is asked for, none of which may be one that says nothing.
    fn comparisons(&self) -> Result<Vec<(Assertion, &Value)>, String> {
        let short = [
            (Assertion::Equals, &self.equals),
            (Assertion::NotEquals, &self.not_equals),
            (Assertion::Contains, &self.contains),
            (Assertion::RegexMatch, &self.matches),
            (Assertion::LessThan, &self.less_than),
            (Assertion::GreaterThan, &self.greater_than),
        ];
        let mut wanted: Vec<(Assertion, &Value)> =
            short.into_iter().filter_map(|(assertion, expect)| Some((assertion, expect.as_ref()?))).collect();
        match (&self.assert, &self.expect) {
            (Some(name), Some(expect)) => wanted.push((find(name)?, expect)),
            (Some(name), None) => return Err(format!("{}: nothing to compare with: give expect", find(name)?.name())),
            (None, Some(_)) => return Err("`expect` needs `assert`: equals, contains, less_than, …".to_owned()),
            (None, None) => {}
        }
        if wanted.is_empty() {
            return Err("nothing to compare with: give equals, contains, matches, … or assert and expect".to_owned());
        }
        wanted.iter().try_for_each(|(assertion, expect)| assertion.check(expect))?;
        Ok(wanted)
    }
}

fn find(name: &str) -> Result<Assertion, String> {
    let known = name.strip_prefix("assert_").unwrap_or(name);
    compare::find(known).ok_or_else(|| {
        let near = nearest(known, compare::spellings()).map(|near| format!(" (did you mean {near}?)"));
        let valid = compare::names().collect::<Vec<_>>().join(", ");
        format!("unknown assertion `{name}`{}; valid: {valid}", near.unwrap_or_default())
    })
}

impl Tool for AssertValue {
    const NAME: &'static str = "assert_value";
    const SET: Option<Toolset> = Some(Toolset::Checks);
    const KIND: ToolKind = ToolKind::Assert;
    const VALUES: &'static [&'static str] = &["value", "expect", "equals", "not_equals", "less_than", "greater_than"];
    const PARAMS: Shape = Shape::Fields(&["value"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] =
        &[("check", "value"), ("comparator", "assert"), ("regex_match", "matches"), ("not_equal", "not_equals")];
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;
    const MAIN: Option<&'static str> = Some("value");
    const UNCHECKED: &'static [&'static str] = &["value", "name"];
    const ANSWER: &'static [&'static str] = &["value"];

    fn check(&self) -> Result<(), String> {
        self.comparisons().map(|_| ())
    }

    async fn call(self, _: &Context) -> Result<Reply, Error> {
        let wanted = self.comparisons().map_err(|message| Error::new(Kind::BadArgument, message))?;
        let name = self.name.as_deref().unwrap_or("value");
        for (assertion, expect) in wanted {
            let (holds, why) = match assertion.holds(&self.value, expect) {
                Ok(holds) => (holds, None),
                Err(why) => (false, Some(why)),
            };
            if !holds {
                let message = assertion.failure(name, &self.value, expect, why.as_deref());
                return Err(Error::new(Kind::Assertion, message));
            }
        }
        Ok(Reply::new(format!("{name} is as expected")).with("value", self.value))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uixt_call::Table;
    use uixt_locate::Object;

    use super::*;

    fn check(value: Value) -> Result<(), String> {
        let tool: AssertValue = serde_json::from_value(value).expect("the right types");
        tool.check()
    }

    fn prepared(value: Value) -> Result<Object, Error> {
        let Value::Object(arguments) = value else { panic!("a map") };
        let table = Table::new(TOOLS.iter().map(|row| &**row));
        table.prepare(table.find("assert_value").expect("a tool"), arguments)
    }

    #[test]
    fn what_could_not_fail_is_refused() {
        for value in [
            json!({"value": 1}),
            json!({"value": 1, "assert": "equals"}),
            json!({"value": 1, "expect": 1}),
            json!({"value": "a", "contains": ""}),
            json!({"value": "a", "assert": "regex_match", "expect": ""}),
            json!({"value": "a", "equals": "a", "contains": ""}),
        ] {
            assert!(check(value.clone()).is_err(), "{value}");
        }
        let error = check(json!({"value": 1, "assert": "eqals", "expect": 1})).expect_err("no such assertion");
        assert!(error.contains("did you mean equals?"), "{error}");
    }

    #[test]
    fn both_forms_are_read_and_null_is_a_value() {
        assert!(prepared(json!({"check": 200, "assert": "eq", "expect": 200})).is_ok());
        assert!(prepared(json!({"value": null, "equals": null})).is_ok());
        assert!(prepared(json!({"equals": 1})).is_err_and(|error| error.message.contains("missing: value")));
    }
}
