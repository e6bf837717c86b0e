//! Lists of values, each with its names → rows.

use serde_json::Value;

use super::super::expression::parse;
use super::super::parts::{Argument, ExpressionError, Part};
use super::super::scope::Scope;
use super::index::Counted;
use super::rows::{self, Column, Order, Rows, Source, failed};
use super::sheet::Sheet;
use crate::host::Files;

/// Where rows come from, and in which order and number they are taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    pub(super) lists: Vec<List>,
    pub(super) limit: Option<u64>,
    pub(super) files: Files,
    pub(super) counted: Counted,
}

/// One entry of `parameters`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct List {
    pub(super) names: Vec<String>,
    /// A list whose items may hold expressions, or an expression that is one.
    pub(super) values: Value,
    pub(super) order: Order,
}

impl Parameters {
    /// Returns the rows. Tables are read as the rows are taken, never whole.
    pub fn rows(&self, scope: &Scope) -> Result<Rows, ExpressionError> {
        self.rows_with(scope, scope.seed().unwrap_or_else(|| fastrand::u64(..)))
    }

    /// Returns the rows that a seed leads to.
    fn rows_with(&self, scope: &Scope, seed: u64) -> Result<Rows, ExpressionError> {
        let columns = self.lists.iter().map(|list| self.column(scope, list)).collect::<Result<Vec<_>, _>>()?;
        Rows::new(columns, self.limit, seed).map_err(failed)
    }

    fn column(&self, scope: &Scope, list: &List) -> Result<Column, ExpressionError> {
        let source = match table_of(&list.values) {
            Some(argument) => {
                let path = scope.evaluate_text(&argument)?;
                let sheet = self.files.beside(&path).map_err(String::from);
                let sheet = sheet.and_then(|found| Sheet::open(&found, &path, &self.counted));
                let sheet = sheet.map_err(failed)?;
                sheet.check_names(&list.names).map_err(failed)?;
                Source::Sheet(sheet)
            }
            None => Source::List(rows::of_value(&list.names, &scope.evaluate(&list.values)?).map_err(failed)?),
        };
        Ok(Column { names: list.names.clone(), source, order: list.order })
    }

    /// Returns the names of the variables that a row defines.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.lists.iter().flat_map(|list| &list.names)
    }
}

/// Returns the path of `${P(path)}`, variables and all, where a value is such a call and nothing else.
pub(super) fn table_of(values: &Value) -> Option<String> {
    let parts = parse(values.as_str()?.trim()).ok()?;
    let [Part::Call { name, arguments, .. }] = &parts[..] else { return None };
    let ("P" | "parameterize" | "csv", [argument]) = (name.as_str(), &arguments[..]) else { return None };
    match argument {
        Argument::Literal(Value::String(path)) => Some(path.replace('$', "$$")),
        Argument::Literal(_) => None,
        Argument::Parts(parts) => parts.iter().map(written).collect(),
    }
}

fn written(part: &Part) -> Option<String> {
    match part {
        Part::Text(text) => Some(text.replace('$', "$$")),
        Part::Variable { name, .. } => Some(format!("${{{name}}}")),
        Part::Call { .. } | Part::Formula { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overrides::Overrides;
    use crate::tests::read as read_case;
    use serde_json::json;

    fn rows_of(parameters: &str) -> Result<Vec<Value>, String> {
        let text = format!("config: {{variables: {{file: users.csv}}, {parameters}}}\nteststeps: [home: ]");
        let case = read_case(&text).map_err(|errors| errors[0].message.clone())?;
        let scope = case.scope(&Overrides::default());
        let rows = case.config.parameters.unwrap().rows_with(&scope, 7).map_err(|error| error.message)?;
        let count = Rows::count(&rows);
        let rows: Vec<Value> = rows.map(|row| Value::Object(row.unwrap())).collect();
        assert_eq!(rows.len() as u64, count);
        Ok(rows)
    }

    #[test]
    fn lists_make_a_product() {
        let rows = rows_of("parameters: {a: [1, 2], b-c: [[x, y], {b: z, c: $file}]}").unwrap();
        let expected = json!([{"a": 1, "b": "x", "c": "y"}, {"a": 1, "b": "z", "c": "users.csv"},
            {"a": 2, "b": "x", "c": "y"}, {"a": 2, "b": "z", "c": "users.csv"}]);
        assert_eq!(Value::Array(rows), expected);
        let rows = rows_of("parameters: [{a: [{a: 1, b: 2}, {n: 3}]}, {b: '${split_by_comma(\"x,y\")}'}]").unwrap();
        assert_eq!((&rows[0], rows.len()), (&json!({"a": 1, "b": "x"}), 4));
        assert_eq!(rows[3], json!({"a": {"n": 3}, "b": "y"}));
    }

    #[test]
    fn orders_and_limits_count() {
        let unique = rows_of("parameters: {a: [1, 2, 3, 4, 5]}, parameters_setting: {pick_order: unique}").unwrap();
        let mut seen: Vec<i64> = unique.iter().map(|row| row["a"].as_i64().unwrap()).collect();
        seen.sort_unstable();
        assert_eq!(seen, [1, 2, 3, 4, 5]);
        let random =
            "parameters: {a: [1, 2], b: [3, 4]}, parameters_setting: {strategies: {b: {name: x, pick_order: random}}}";
        assert_eq!(rows_of(random).unwrap().len(), 2);
        let limited = rows_of("parameters: {a: [1, 2]}, parameters_setting: {limit: 3}").unwrap();
        assert_eq!(limited.iter().map(|row| row["a"].clone()).collect::<Vec<_>>(), [json!(1), json!(2), json!(1)]);
        let again = rows_of("parameters: {a: [1, 2, 3]}, parameters_setting: {pick_order: random, limit: 9}").unwrap();
        assert_eq!(again.len(), 9);
    }

    #[test]
    fn rows_that_do_not_fit_are_refused() {
        let table = [
            ("parameters: {a: []}", "parameter `a` has no values"),
            (
                "parameters: {a: '${split_by_comma(x)}', b: '${max(1, 2)}'}",
                "parameter `b` must be a list, not a number",
            ),
            ("parameters: {a-b: [[1, 2], [3]]}", "parameter `a-b` takes 2 values, not 1"),
            ("parameters: {a-b: [1]}", "parameter `a-b` takes lists of 2 values, or maps"),
            ("parameters: {a-b: [{a: 1}]}", "parameter `a-b`: there is no `b` in this map"),
            ("parameters: {a-b: [{a: 1, b: 2, c: 3}]}", "`c` is none of the names of parameter `a-b`"),
            ("parameters: {a: [1], a-b: [[1, 2]]}", "two parameters are named `a`"),
            ("parameters: {a: 5}", "parameter `a` must be a list, not a number"),
            ("parameters: {a: '${P(none.csv)}'}", "there is no file none.csv"),
            ("parameters_setting: {limit: 1}", "`parameters_setting` stands without `parameters`"),
            (
                "parameters: {a: [1]}, parameters_setting: {limit: -1}",
                "`limit` is a whole number from 1 to 1000000000, or 0 for all rows",
            ),
            ("parameters: {a: [1]}, parameters_setting: {pick_order: any}", "unknown pick_order `any`"),
        ];
        for (parameters, expected) in table {
            assert_eq!(rows_of(parameters), Err(expected.to_owned()), "{parameters}");
        }
    }
}
