//! Values between testcases and minijinja: JSON is handed over piece by piece, variables and functions when they are asked for.

use minijinja::value::{Enumerator, Kwargs, Object, ObjectRepr, Rest, ValueKind, from_args};
use minijinja::{Environment, Error, ErrorKind, State, Value as Jinja};
use parking_lot::Mutex;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;

use super::comparison::{self, Side};
use super::functions;
use super::guard::{self, Operand, Rule};
use super::parts::ExpressionError;
use uixt_core::written;

/// Deepest nesting of a result.
const DEEPEST: usize = 128;
/// Most bytes of a text that a filter makes.
const LONGEST_TEXT: usize = 8 * 1024 * 1024;
/// Most items of a list that a result may have.
const MOST_ITEMS: usize = 200_000;

/// What went wrong first.
#[derive(Debug)]
pub(super) enum Failed {
    /// With a variable or function of this name.
    Name(String, ExpressionError),
    /// With an operand, at its place.
    Operand(ExpressionError),
}
/// A key that is not there, and how to say it.
pub(super) type Missed = Option<(String, String)>;

/// What whoever evaluates a formula defines for it.
pub(super) trait Definitions: Debug + Send + Sync {
    fn defines(&self, name: &str) -> bool;

    fn variable(&self, name: &str) -> Result<Value, ExpressionError>;

    fn has_function(&self, name: &str) -> bool;

    fn call(&self, name: &str, values: &[Value], named: Map<String, Value>) -> Result<Value, ExpressionError>;
}

/// What a formula sees while it is evaluated.
#[derive(Debug)]
pub(super) struct Host {
    definitions: Arc<dyn Definitions>,
    failed: Mutex<Option<Failed>>,
    missed: Arc<Mutex<Missed>>,
    operands: Vec<Operand>,
    /// The values of operands that are compared, so far.
    compared: Mutex<HashMap<usize, Jinja>>,
}

impl Host {
    pub(super) fn of(definitions: &Arc<dyn Definitions>, operands: Vec<Operand>) -> Arc<Host> {
        Arc::new(Host {
            definitions: Arc::clone(definitions),
            failed: Mutex::default(),
            missed: Arc::default(),
            operands,
            compared: Mutex::default(),
        })
    }

    /// Returns the variables.
    pub(super) fn root(self: &Arc<Self>) -> Jinja {
        Jinja::from_object(Root(Arc::clone(self)))
    }

    /// Tells which variable or call failed and which key was missed first.
    pub(super) fn failures(&self) -> (Option<Failed>, Missed) {
        (self.failed.lock().take(), self.missed.lock().take())
    }

    fn wrap(&self, value: Value) -> Jinja {
        to_jinja(value, &self.missed)
    }

    fn fail(&self, name: &str, error: ExpressionError) -> Error {
        let shown = Error::new(ErrorKind::InvalidOperation, error.message.clone());
        self.failed.lock().get_or_insert(Failed::Name(name.to_owned(), error));
        shown
    }

    fn call(&self, name: &str, arguments: &[Jinja]) -> Result<Jinja, Error> {
        let (arguments, named): (&[Jinja], Kwargs) = from_args(arguments)?;
        let unfit = |message| Error::new(ErrorKind::InvalidOperation, format!("{name}: {message}"));
        let values: Result<Vec<Value>, String> = arguments.iter().map(to_json).collect();
        let values = values.map_err(unfit)?;
        let mut by_name = Map::new();
        for key in named.args() {
            by_name.insert(key.to_owned(), to_json(&named.get::<Jinja>(key)?).map_err(unfit)?);
        }
        let result = self.definitions.call(name, &values, by_name);
        result.map(|value| self.wrap(value)).map_err(|error| self.fail(name, error))
    }
}

impl Host {
    /// Looks at the value of an operand before its operator does; returns what the operator shall have.
    fn operand(&self, at: usize, value: &Jinja) -> Result<Jinja, Error> {
        let Some(operand) = self.operands.get(at) else { return Ok(value.clone()) };
        let side = Side { text: &operand.text, reach: operand.reach, value };
        let fit = match &operand.rule {
            Rule::Truth => return Ok(comparison::truth(value)),
            Rule::Arithmetic => comparison::reckoned(side),
            Rule::Joined => comparison::joined(side),
            Rule::Compared(before) => {
                let mut compared = self.compared.lock();
                compared.insert(at, value.clone());
                let before = before.as_ref().and_then(|(before, operator)| {
                    let (first, value) = (self.operands.get(*before)?, compared.get(before)?);
                    Some((Side { text: &first.text, reach: first.reach, value }, operator))
                });
                before.map_or(Ok(()), |(before, operator)| comparison::compared(before, operator, side))
            }
        };
        fit.map(|()| value.clone()).map_err(|unfit| {
            let mut error = ExpressionError::at(unfit.reach, unfit.message);
            error.hint = unfit.hint;
            let shown = Error::new(ErrorKind::InvalidOperation, error.message.clone());
            self.failed.lock().get_or_insert(Failed::Operand(error));
            shown
        })
    }
}

/// The function that looks at operands.
#[derive(Debug)]
struct Operands(Arc<Host>);

impl Object for Operands {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, _: &mut State<'_, '_>, arguments: &[Jinja]) -> Result<Jinja, Error> {
        match arguments {
            [at, value] => self.0.operand(at.as_usize().unwrap_or(usize::MAX), value),
            _ => Err(Error::new(ErrorKind::InvalidOperation, "an operand is one value")),
        }
    }
}

/// The names that a formula may use.
#[derive(Debug)]
struct Root(Arc<Host>);

impl Object for Root {
    fn get_value(self: &Arc<Self>, key: &Jinja) -> Option<Jinja> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, name: &str) -> Option<Jinja> {
        let host = &self.0;
        if name == guard::NAME {
            return Some(Jinja::from_object(Operands(Arc::clone(host))));
        }
        if !host.definitions.defines(name) {
            let is_function = host.definitions.has_function(name);
            return is_function.then(|| Jinja::from_object(Bound { host: Arc::clone(host), name: name.to_owned() }));
        }
        Some(match host.definitions.variable(name) {
            Ok(value) => host.wrap(value),
            Err(error) => Jinja::from(host.fail(name, error)),
        })
    }
}

/// A function that a formula may call.
#[derive(Debug)]
struct Bound {
    host: Arc<Host>,
    name: String,
}

impl Object for Bound {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, _: &mut State<'_, '_>, arguments: &[Jinja]) -> Result<Jinja, Error> {
        self.host.call(&self.name, arguments)
    }
}

/// A list or map of JSON.
#[derive(Debug)]
struct Tree {
    value: Value,
    missed: Arc<Mutex<Missed>>,
}

impl Object for Tree {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        if self.value.is_array() { ObjectRepr::Seq } else { ObjectRepr::Map }
    }

    fn get_value(self: &Arc<Self>, key: &Jinja) -> Option<Jinja> {
        let found = match &self.value {
            Value::Array(items) => key.as_usize().and_then(|index| items.get(index)),
            Value::Object(map) => key.as_str().and_then(|key| map.get(key)),
            _ => None,
        };
        if found.is_none() {
            let message = match &self.value {
                Value::Array(items) => format!("there is no item {key}: the list has {}", items.len()),
                Value::Object(map) => {
                    let keys: Vec<&str> = map.keys().take(10).map(String::as_str).collect();
                    format!("there is no `{key}`; there are: {}", keys.join(", "))
                }
                _ => format!("there is no `{key}`"),
            };
            self.missed.lock().get_or_insert((key.to_string(), message));
        }
        found.map(|value| to_jinja(value.clone(), &self.missed))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        match &self.value {
            Value::Array(items) => Enumerator::Seq(items.len()),
            Value::Object(map) => Enumerator::Values(map.keys().map(|key| Jinja::from(key.as_str())).collect()),
            _ => Enumerator::Empty,
        }
    }
}

pub(super) fn to_jinja(value: Value, missed: &Arc<Mutex<Missed>>) -> Jinja {
    match value {
        Value::Null => Jinja::from(()),
        Value::Bool(flag) => Jinja::from(flag),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => Jinja::from(whole),
            (None, Some(whole)) => Jinja::from(whole),
            _ => Jinja::from(number.as_f64().unwrap_or_default()),
        },
        Value::String(_) if written::is_in(&value) => to_jinja(written::meanings(value), missed),
        Value::String(text) => Jinja::from(text),
        value @ (Value::Array(_) | Value::Object(_)) => Jinja::from_object(Tree { value, missed: Arc::clone(missed) }),
    }
}

/// Returns a result as JSON, within limits.
pub(super) fn to_json(value: &Jinja) -> Result<Value, String> {
    let mut room = MOST_ITEMS;
    json(value, DEEPEST, &mut room)
}

fn json(value: &Jinja, depth: usize, room: &mut usize) -> Result<Value, String> {
    let large = || "the value is too large".to_owned();
    let depth = depth.checked_sub(1).ok_or_else(large)?;
    *room = room.checked_sub(1).ok_or_else(large)?;
    if let Some(tree) = value.downcast_object_ref::<Tree>() {
        return Ok(tree.value.clone());
    }
    if value.downcast_object_ref::<Bound>().is_some() {
        return Err("a function is not a value: call it".to_owned());
    }
    match value.kind() {
        ValueKind::Undefined => Err("an undefined value".to_owned()),
        ValueKind::None => Ok(Value::Null),
        ValueKind::Bool => Ok(Value::Bool(value.is_true())),
        ValueKind::Number => number(value),
        ValueKind::String => Ok(Value::String(value.as_str().unwrap_or_default().to_owned())),
        ValueKind::Seq | ValueKind::Iterable => {
            let items = value.try_iter().map_err(|error| error.to_string())?;
            items.map(|item| json(&item, depth, room)).collect::<Result<_, _>>().map(Value::Array)
        }
        ValueKind::Map => {
            let keys = value.try_iter().map_err(|error| error.to_string())?;
            let entry = |key: Jinja| {
                let inner = value.get_item(&key).map_err(|error| error.to_string())?;
                Ok((key.to_string(), json(&inner, depth, room)?))
            };
            keys.map(entry).collect::<Result<Map<_, _>, String>>().map(Value::Object)
        }
        kind => Err(format!("a {kind} cannot be used as a value")),
    }
}

fn number(value: &Jinja) -> Result<Value, String> {
    if value.is_integer() {
        return match value.as_i64() {
            Some(whole) => Ok(whole.into()),
            None => u64::try_from(value.clone()).map(Value::from).map_err(|_| "the number is too large".to_owned()),
        };
    }
    let number = f64::try_from(value.clone()).map_err(|error| error.to_string())?;
    serde_json::Number::from_f64(number).map(Value::Number).ok_or_else(|| "this is not a finite number".to_owned())
}

/// Adds the functions as filters, and bounded ones where minijinja's are not.
pub(super) fn add_filters(environment: &mut Environment<'static>) {
    environment.add_filter("join", join);
    environment.add_filter("replace", replace);
    super::conversion::add(environment);
    super::ordering::add(environment);
    super::filters::add(environment);
    for name in functions::names() {
        if environment_has(name) {
            continue;
        }
        environment.add_filter(name, move |state: &State<'_, '_>, arguments: Rest<Jinja>| {
            let bound = state.lookup(name).and_then(|found| found.downcast_object::<Bound>());
            match bound {
                Some(bound) => bound.host.call(name, &arguments),
                None => Err(Error::new(ErrorKind::UnknownFilter, format!("unknown filter `{name}`"))),
            }
        });
    }
}

/// Says whether minijinja's own filter of a name is as good.
fn environment_has(name: &str) -> bool {
    ["upper", "lower", "trim", "replace", "join", "split", "round", "abs", "int", "float", "min", "max", "sum"]
        .contains(&name)
}

fn join(items: &Jinja, separator: Option<String>) -> Result<String, Error> {
    let separator = separator.unwrap_or_default();
    let mut text = String::new();
    for (at, item) in items.try_iter()?.enumerate() {
        if at > 0 {
            text.push_str(&separator);
        }
        text.push_str(&item.to_string());
        if text.len() > LONGEST_TEXT {
            return Err(too_large());
        }
    }
    Ok(text)
}

fn replace(text: &str, from: &str, to: &str) -> Result<String, Error> {
    let growth = text.matches(from).count().saturating_mul(to.len());
    if growth.saturating_add(text.len()) > LONGEST_TEXT { Err(too_large()) } else { Ok(text.replace(from, to)) }
}

fn too_large() -> Error {
    Error::new(ErrorKind::InvalidOperation, "the value is too large")
}
