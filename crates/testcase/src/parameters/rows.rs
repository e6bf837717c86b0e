//! Columns of values → rows, by index: no product is ever built.

use serde_json::{Map, Value};

use super::super::parts::ExpressionError;
use super::sheet::Sheet;

/// Most rows of a run.
const MOST_ROWS: u64 = 1_000_000_000;

/// Rows of variables, one after the other.
#[derive(Debug)]
pub struct Rows {
    columns: Vec<Column>,
    /// Which value of a column comes at which of its turns; none for those of chance.
    turns: Vec<Option<Turns>>,
    count: u64,
    at: u64,
    seed: u64,
}

/// The values of one or more variables that change together.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) names: Vec<String>,
    pub(super) source: Source,
    pub(super) order: Order,
}

/// In which order the values of a list are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Order {
    #[default]
    Sequential,
    /// Any of them for each row, again and again.
    Random,
    /// Each once, in an order of chance.
    Unique,
}

/// Where a column's values are.
#[derive(Debug)]
pub(super) enum Source {
    List(Vec<Map<String, Value>>),
    Sheet(Sheet),
}

/// A column's turns: value `(turn × step + start) mod length`, where `turn = row / slowness`.
#[derive(Clone, Copy, Debug)]
struct Turns {
    slowness: u64,
    step: u64,
    start: u64,
    length: u64,
}

impl Turns {
    fn index(self, row: u64) -> u64 {
        let turn = (row / self.slowness) % self.length;
        let index = (u128::from(turn) * u128::from(self.step) + u128::from(self.start)) % u128::from(self.length);
        u64::try_from(index).unwrap_or_default()
    }
}

impl Rows {
    pub(super) fn new(columns: Vec<Column>, limit: Option<u64>, seed: u64) -> Result<Self, String> {
        let mut random = fastrand::Rng::with_seed(seed);
        if columns.iter().any(|column| column.source.length() == 0 && matches!(column.source, Source::List(_))) {
            return Ok(Rows { columns, turns: Vec::new(), count: 0, at: 0, seed });
        }
        let mut product = 1_u64;
        let mut turns = Vec::with_capacity(columns.len());
        for column in columns.iter().rev() {
            let length = column.source.length();
            if length == 0 {
                return Err(format!("parameter `{}` has no values", column.names.join("-")));
            }
            let of = |step: u64, start: u64| Some(Turns { slowness: product, step, start, length });
            turns.push(match column.order {
                Order::Random => None,
                Order::Sequential => of(1, 0),
                Order::Unique => of(coprime(&mut random, length), random.u64(0..length)),
            });
            if column.order != Order::Random {
                product = product.checked_mul(length).filter(|product| *product <= MOST_ROWS).ok_or_else(too_many)?;
            }
        }
        turns.reverse();
        Ok(Rows { columns, turns, count: limit.unwrap_or(product), at: 0, seed })
    }

    /// Returns how many rows there are in all.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns a row by its number, counted from 0, in whatever order rows are asked for.
    pub fn get(&mut self, at: u64) -> Result<Map<String, Value>, ExpressionError> {
        self.row(at).map_err(failed)
    }

    fn row(&mut self, at: u64) -> Result<Map<String, Value>, String> {
        let mut row = Map::new();
        let mut random = fastrand::Rng::with_seed(self.seed ^ at.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        for (column, turns) in self.columns.iter_mut().zip(&self.turns) {
            let index = match turns {
                Some(turns) => turns.index(at),
                None => random.u64(0..column.source.length()),
            };
            match &mut column.source {
                Source::List(rows) => {
                    let values = usize::try_from(index).ok().and_then(|index| rows.get(index));
                    row.extend(values.cloned().unwrap_or_default());
                }
                Source::Sheet(sheet) => row.extend(sheet.row(index, &column.names)?),
            }
        }
        Ok(row)
    }
}

pub(super) fn failed(message: String) -> ExpressionError {
    ExpressionError { message, ..ExpressionError::default() }
}

fn too_many() -> String {
    format!("the parameters make more than {MOST_ROWS} rows")
}

/// Returns a number from 1 that has no divisor in common with a length, so that its multiples meet every index.
fn coprime(random: &mut fastrand::Rng, length: u64) -> u64 {
    let start = random.u64(1..=length);
    (0..length).map(|more| (start + more) % length + 1).find(|step| divisor(*step, length) == 1).unwrap_or(1)
}

fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

impl Iterator for Rows {
    type Item = Result<Map<String, Value>, ExpressionError>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at;
        if at >= self.count {
            return None;
        }
        self.at += 1;
        Some(self.get(at))
    }
}

impl Source {
    fn length(&self) -> u64 {
        match self {
            Source::List(rows) => rows.len() as u64,
            Source::Sheet(sheet) => sheet.count(),
        }
    }
}

/// Turns an evaluated list into rows.
pub(super) fn of_value(names: &[String], values: &Value) -> Result<Vec<Map<String, Value>>, String> {
    let called = names.join("-");
    let Value::Array(items) = values else {
        return Err(format!("parameter `{called}` must be a list, not {}", kind(values)));
    };
    items.iter().map(|item| of_item(names, item).map_err(|message| format!("parameter `{called}`{message}"))).collect()
}

/// Turns one item into a row; the error is the end of a sentence.
pub(super) fn of_item(names: &[String], item: &Value) -> Result<Map<String, Value>, String> {
    match (item, names) {
        (Value::Object(map), [name]) if !map.contains_key(name) => Ok(one(name, item)),
        (Value::Object(map), _) => {
            let pick = |name: &String| match map.get(name) {
                Some(value) => Ok((name.clone(), value.clone())),
                None => Err(format!(": there is no `{name}` in this map")),
            };
            names.iter().map(pick).collect()
        }
        (Value::Array(values), [name]) if values.len() != 1 => Ok(one(name, item)),
        (Value::Array(values), _) if values.len() == names.len() => {
            Ok(names.iter().cloned().zip(values.iter().cloned()).collect())
        }
        (Value::Array(values), _) => Err(format!(" takes {} values, not {}", names.len(), values.len())),
        (_, [name]) => Ok(one(name, item)),
        _ => Err(format!(" takes lists of {} values, or maps", names.len())),
    }
}

fn one(name: &str, value: &Value) -> Map<String, Value> {
    Map::from_iter([(name.to_owned(), value.clone())])
}

/// Returns what kind of value this is, with its article.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_meet_every_index() {
        let mut random = fastrand::Rng::with_seed(3);
        for length in 1..200 {
            let turns = Turns { slowness: 1, step: coprime(&mut random, length), start: 5 % length, length };
            let mut seen: Vec<u64> = (0..length).map(|row| turns.index(row)).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..length).collect::<Vec<_>>());
        }
    }
}
