//! An expression → its value, as a [`Scope`] defines the variables. Bounded in size, depth and chain.

use parking_lot::Mutex;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

use super::cycles::{LONGEST_CHAIN, cycle};
use super::expression::parse;
use super::formula;
use super::formula_values::Definitions;
use super::functions::{self, Surroundings, text_of};
use super::known::refused;
use super::layer::Layer;
use super::nearest;
use super::parts::{Argument, ExpressionError, Part, Reach};
use super::python::Python;
use super::scope::Scope;
use super::table;
use uixt_core::written;

/// Most bytes of one evaluated value, with 32 for each value in it.
const LARGEST: usize = 8 * 1024 * 1024;
/// Deepest nesting of an evaluated value.
const DEEPEST: usize = 128;

/// From where an expression sees variables: so many layers of steps, or, with none, the config, which knows nothing of steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct View(usize);

impl View {
    /// Sees all that a scope has.
    pub(super) fn of(scope: &Scope) -> Self {
        // A step without variables sees what has been saved, which the config does not.
        View(scope.layers.len() + 1)
    }

    pub(super) const CONFIG: View = View(0);

    /// Sees a layer of steps and those around it.
    pub(super) fn of_layer(at: usize) -> View {
        View(at + 2)
    }

    /// How many layers are seen.
    fn layers(self) -> usize {
        self.0.saturating_sub(1)
    }

    fn is_config(self) -> bool {
        self == View::CONFIG
    }
}

/// One evaluation, and what it has used up.
#[derive(Debug)]
pub(super) struct Evaluation {
    scope: Scope,
    /// The variables that are being evaluated, each needed by the one before.
    trail: Vec<(View, String)>,
    room: usize,
}

impl Evaluation {
    pub(super) fn of(scope: &Scope) -> Self {
        Evaluation { scope: scope.clone(), trail: Vec::new(), room: LARGEST }
    }

    /// Takes what this has used up so far, for somebody who gives it back.
    fn taken(&mut self) -> Self {
        Evaluation { scope: self.scope.clone(), trail: std::mem::take(&mut self.trail), room: self.room }
    }

    fn put_back(&mut self, other: Evaluation) {
        self.trail = other.trail;
        self.room = other.room;
    }

    /// Evaluates a condition.
    pub(super) fn formula(&mut self, source: &str, view: View) -> Result<Value, ExpressionError> {
        let seen = Arc::new(Seen { evaluation: Mutex::new(self.taken()), view });
        let definitions: Arc<dyn Definitions> = seen.clone();
        let value = formula::evaluate(&definitions, source);
        self.put_back(seen.evaluation.lock().taken());
        value
    }

    pub(super) fn value(&mut self, value: &Value, view: View) -> Result<Value, ExpressionError> {
        match value {
            Value::String(_) if written::text(value).is_some() => Ok(value.clone()),
            Value::String(text) => self.text(text, view),
            Value::Array(items) => items.iter().map(|item| self.value(item, view)).collect::<Result<_, _>>(),
            Value::Object(entries) => {
                let evaluated = entries.iter().map(|(key, value)| Ok((key.clone(), self.value(value, view)?)));
                evaluated.collect::<Result<Map<_, _>, _>>().map(Value::Object)
            }
            other => Ok(other.clone()),
        }
    }

    fn text(&mut self, text: &str, view: View) -> Result<Value, ExpressionError> {
        let value = parse(text).and_then(|parts| self.parts(&parts, view));
        value.map_err(|error| error.within(text))
    }

    fn parts(&mut self, parts: &[Part], view: View) -> Result<Value, ExpressionError> {
        if let [part] = parts {
            return self.part(part, view);
        }
        let mut text = String::new();
        for (at, part) in parts.iter().enumerate() {
            let value = self.part(part, view)?;
            if value.is_null() {
                return Err(null_in_text(part));
            }
            if let Some(error) = field_in_text(part, &value, parts.get(at + 1)) {
                return Err(error);
            }
            text.push_str(&text_of(&value));
        }
        Ok(Value::String(text))
    }

    fn part(&mut self, part: &Part, view: View) -> Result<Value, ExpressionError> {
        match part {
            Part::Text(text) => Ok(Value::String(text.clone())),
            Part::Variable { name, reach } => {
                let value = self.variable(name, *reach, view).map_err(|error| moved(error, *reach))?;
                self.charge(&value, *reach)?;
                Ok(value)
            }
            Part::Call { name, arguments, reach } => {
                let value = self.call(name, arguments, *reach, view).map_err(|error| moved(error, *reach))?;
                self.charge(&value, *reach)?;
                Ok(value)
            }
            Part::Formula { source, reach } => {
                let value = self.formula(source, view).map_err(|mut error| {
                    error.offset += reach.offset + 2;
                    error
                })?;
                self.charge(&value, *reach)?;
                Ok(value)
            }
        }
    }

    /// Says where a variable is defined that a view sees.
    fn find(&self, name: &str, view: View) -> Option<Place> {
        let case = &self.scope.case;
        let is_given = case.overrides.variables.contains_key(name);
        if is_given && !case.is_tool {
            return Some(Place::Override);
        }
        let hides_itself =
            |layer: usize| self.trail.last().is_some_and(|(from, last)| from.0 == layer + 2 && last == name);
        let seen = || self.scope.layers.iter().enumerate().take(view.layers()).rev();
        let defines = |(_, layer): &(usize, &Arc<Layer>)| layer.defines(name);
        if let Some((at, _)) = seen().filter(|(_, layer)| layer.is_row).find(defines) {
            return Some(Place::Layer(at));
        }
        if case.row.contains_key(name) {
            return Some(Place::Row);
        }
        if let Some((at, _)) = seen().filter(|(at, _)| !hides_itself(*at)).find(defines) {
            return Some(Place::Layer(at));
        }
        if !view.is_config() && case.saved.lock().contains_key(name) {
            return Some(Place::Saved);
        }
        if is_given {
            return Some(Place::Override);
        }
        let outer = case.outer.as_ref();
        if outer.is_some_and(|(_, arguments)| arguments.contains(name)) {
            return Some(Place::Outer);
        }
        if case.config.defines(name) {
            return Some(Place::Config);
        }
        outer.filter(|(scope, _)| Evaluation::of(scope).defines(name, View::of(scope))).map(|_| Place::Outer)
    }

    /// Says whether a view sees a variable.
    pub(super) fn defines(&self, name: &str, view: View) -> bool {
        self.find(name, view).is_some()
    }

    pub(super) fn variable(&mut self, name: &str, reach: Reach, view: View) -> Result<Value, ExpressionError> {
        let scope = self.scope.clone();
        let case = &scope.case;
        let copied = |map: &Map<String, Value>| Ok(map.get(name).cloned().unwrap_or_default());
        match self.find(name, view) {
            Some(Place::Override) => copied(&case.overrides.variables),
            Some(Place::Row) => copied(&case.row),
            Some(Place::Saved) => copied(&case.saved.lock()),
            Some(Place::Layer(at)) => self.definition(&scope.layers[at], View(at + 2), name, reach),
            Some(Place::Config) => self.definition(&case.config, View::CONFIG, name, reach),
            Some(Place::Outer) => self.outer(name, reach),
            None => Err(self.unknown(name, reach)),
        }
    }

    /// Returns a variable of the step that refers to this case.
    fn outer(&mut self, name: &str, reach: Reach) -> Result<Value, ExpressionError> {
        let Some((outer, _)) = &self.scope.case.outer else { return Err(self.unknown(name, reach)) };
        let asked = self.scope.asked.clone();
        let mut inner = Evaluation { scope: Scope { asked, ..outer.clone() }, trail: Vec::new(), room: self.room };
        let value = inner.variable(name, reach, View::of(outer));
        self.room = inner.room;
        value
    }

    fn definition(&mut self, layer: &Layer, view: View, name: &str, reach: Reach) -> Result<Value, ExpressionError> {
        if let Some(value) = layer.settled.lock().get(name) {
            return Ok(value.clone());
        }
        if self.trail.iter().any(|(from, other)| *from == view && other == name) {
            return Err(ExpressionError::at(reach, cycle(self.trail.iter().map(|(_, name)| name.as_str()), name)));
        }
        if self.trail.len() >= LONGEST_CHAIN {
            return Err(ExpressionError::at(reach, "more than 32 variables refer to each other in a chain"));
        }
        self.trail.push((view, name.to_owned()));
        let value = self.value(layer.definitions.get(name).unwrap_or(&Value::Null), view);
        self.trail.pop();
        Ok(layer.settled.lock().entry(name.to_owned()).or_insert(value?).clone())
    }

    fn unknown(&self, name: &str, reach: Reach) -> ExpressionError {
        let place = self.trail.last().map_or(String::new(), |(_, variable)| format!(" in variable `{variable}`"));
        let case = &self.scope.case;
        let step = self.scope.layers.iter().flat_map(|layer| layer.definitions.keys());
        let known: Vec<&str> = step.chain(case.config.definitions.keys()).map(String::as_str).collect();
        let mut error = ExpressionError::at(reach, format!("unknown variable `{name}`{place}"));
        error.hint = nearest::hint(name, known);
        error
    }

    fn call(&mut self, name: &str, arguments: &[Argument], reach: Reach, view: View) -> Result<Value, ExpressionError> {
        let (mut values, mut named) = (Vec::new(), Map::new());
        let is_python = self.python(name).is_some();
        for argument in arguments {
            match argument {
                Argument::Literal(value) => values.push(value.clone()),
                Argument::Parts(parts) => match named_argument(parts).filter(|_| is_python) {
                    Some((key, parts)) => _ = named.insert(key, self.value_of_named(&parts, view)?),
                    None => values.push(self.parts(parts, view)?),
                },
            }
        }
        self.call_values(name, &values, named, reach)
    }

    /// Evaluates what stands behind `name=`: a word that is a number or constant is one.
    fn value_of_named(&mut self, parts: &[Part], view: View) -> Result<Value, ExpressionError> {
        let [Part::Text(text)] = parts else { return self.parts(parts, view) };
        let constant = match text.as_str() {
            "true" | "True" => Some(Value::Bool(true)),
            "false" | "False" => Some(Value::Bool(false)),
            "none" | "None" | "null" => Some(Value::Null),
            _ => super::parts::number(text),
        };
        Ok(constant.unwrap_or_else(|| Value::String(unquoted(text).to_owned())))
    }

    /// Returns the Python file whose function is called by this name.
    fn python(&self, name: &str) -> Option<&Python> {
        let python = self.scope.case.functions.as_ref()?;
        (python.has(name) || !functions::is_built_in(name)).then_some(python)
    }

    /// Says whether there is a function of this name, as far as that is known without running Python.
    fn has_function(&self, name: &str) -> bool {
        functions::is_built_in(name) || self.scope.case.functions.is_some()
    }

    /// Calls a function; one of the project's Python file wins over a built-in one that `HttpRunner` does not have either.
    fn call_values(
        &mut self,
        name: &str,
        values: &[Value],
        named: Map<String, Value>,
        reach: Reach,
    ) -> Result<Value, ExpressionError> {
        if let Some(python) = self.python(name) {
            let values = values.iter().cloned().map(written::meanings).collect();
            let named = named.into_iter().map(|(key, value)| (key, written::meanings(value))).collect();
            let call = uixt_core::functions::Call::new(name, values).with_kwargs(named);
            let functions = python.functions.clone();
            let value = match &self.scope.asked {
                Some(asked) => functions.call_for(asked, &call),
                None => functions.call_blocking(&call),
            };
            return value.map_err(|error| ExpressionError::at(reach, told(&error)));
        }
        functions::check(name, values.len(), std::iter::empty()).map_err(|refusal| refused(refusal, reach))?;
        if let Some(key) = named.keys().next() {
            return Err(ExpressionError::at(reach, format!("{name} takes no argument by name, such as `{key}=`")));
        }
        let of_written = if name == "to_json" { written::meanings } else { written::texts };
        let values: Vec<Value> = values.iter().cloned().map(of_written).collect();
        functions::call(name, self, &values).map_err(|message| ExpressionError::at(reach, message))
    }

    /// Takes a value's size from what an evaluation may use, so that variables that double each other end.
    fn charge(&mut self, value: &Value, reach: Reach) -> Result<(), ExpressionError> {
        let size = weight(value, DEEPEST).and_then(|size| self.room.checked_sub(size));
        self.room = size.ok_or_else(|| ExpressionError::at(reach, "the value is too large"))?;
        Ok(())
    }
}

/// Says why a Python function gave no value, and what to write instead of one that only `HttpRunner` has.
fn told(error: &uixt_core::functions::Error) -> String {
    match error {
        uixt_core::functions::Error::Unknown { name, .. } => {
            functions::instead(name).map_or_else(|| error.to_string(), |instead| format!("{error}; {instead}"))
        }
        _ => error.to_string(),
    }
}

/// Splits `name=value`, as an argument of a Python function is written, into the name and what follows.
fn named_argument(parts: &[Part]) -> Option<(String, Vec<Part>)> {
    let Some((Part::Text(first), rest)) = parts.split_first() else { return None };
    let (name, value) = first.split_once('=')?;
    if value.starts_with('=') || !super::parts::is_name(name.trim_end()) {
        return None;
    }
    let value = value.trim_start().to_owned();
    let first = (!value.is_empty() || rest.is_empty()).then_some(Part::Text(value));
    Some((name.trim_end().to_owned(), first.into_iter().chain(rest.iter().cloned()).collect()))
}

/// Takes the quotes off a text.
fn unquoted(text: &str) -> &str {
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inner('\'').or_else(|| inner('"')).unwrap_or(text)
}

/// Where a variable is defined.
enum Place {
    Override,
    Row,
    Layer(usize),
    Saved,
    Config,
    Outer,
}

/// Returns the size of a value, or none where it is nested more deeply than allowed.
fn weight(value: &Value, depth: usize) -> Option<usize> {
    let depth = depth.checked_sub(1)?;
    match value {
        Value::String(text) => Some(text.len() + 32),
        Value::Array(items) => items.iter().try_fold(32, |sum, item| Some(sum + weight(item, depth)?)),
        Value::Object(entries) => {
            entries.iter().try_fold(32, |sum, (key, value)| Some(sum + key.len() + 32 + weight(value, depth)?))
        }
        _ => Some(32),
    }
}

/// Says that null cannot be part of a longer text: it would become nothing, unnoticed.
fn null_in_text(part: &Part) -> ExpressionError {
    let (what, reach) = match part {
        Part::Variable { name, reach } => (format!("`{name}`"), *reach),
        Part::Call { name, reach, .. } => (format!("what `{name}` returns"), *reach),
        Part::Formula { source, reach } => (format!("`{}`", source.trim()), *reach),
        Part::Text(_) => (String::new(), Reach::default()),
    };
    let mut error = ExpressionError::at(reach, format!("{what} is null, which no longer text can hold"));
    if let Part::Variable { name, .. } = part {
        error.hint = Some(format!("write `${{{name} or ''}}` where it may be"));
    }
    error
}

/// Notices `$user.name` where `user` is a map that has `name`: it would be the whole map and the text `.name`.
fn field_in_text(part: &Part, value: &Value, next: Option<&Part>) -> Option<ExpressionError> {
    let (Part::Variable { name, reach }, Value::Object(map), Some(Part::Text(text))) = (part, value, next) else {
        return None;
    };
    let key: String =
        text.strip_prefix('.')?.chars().take_while(|next| next.is_alphanumeric() || *next == '_').collect();
    map.get(&key)?;
    let mut error = ExpressionError::at(*reach, format!("`{name}` is a map, and `.{key}` behind it is text"));
    error.hint = Some(format!("write `${{{name}.{key}}}`"));
    error.help = Some(format!("`${{{name}}}${{'.'}}{key}` is the map and this text"));
    Some(error)
}

/// An error inside of a variable's definition is shown at the variable.
fn moved(error: ExpressionError, reach: Reach) -> ExpressionError {
    ExpressionError { offset: reach.offset, length: reach.length, within: None, ..error }
}

/// What a formula sees of an evaluation.
#[derive(Debug)]
struct Seen {
    evaluation: Mutex<Evaluation>,
    view: View,
}

impl Definitions for Seen {
    fn defines(&self, name: &str) -> bool {
        self.evaluation.lock().defines(name, self.view)
    }

    fn variable(&self, name: &str) -> Result<Value, ExpressionError> {
        self.evaluation.lock().variable(name, Reach::default(), self.view)
    }

    fn has_function(&self, name: &str) -> bool {
        self.evaluation.lock().has_function(name)
    }

    fn call(&self, name: &str, values: &[Value], named: Map<String, Value>) -> Result<Value, ExpressionError> {
        self.evaluation.lock().call_values(name, values, named, Reach::default())
    }
}

impl Surroundings for Evaluation {
    fn environ(&mut self, name: &str) -> Result<Option<String>, String> {
        let scope = self.scope.clone();
        let mentions_itself = self.trail.contains(&(View::CONFIG, name.to_owned()));
        let found = if let Some(value) = scope.case.overrides.environs.get(name) {
            Some(value.clone())
        } else if scope.case.environs.contains_key(name) && !mentions_itself {
            let value = self.definition(&scope.case.config, View::CONFIG, name, Reach::default());
            Some(text_of(&value.map_err(|error| error.message)?))
        } else {
            std::env::var(name).ok()
        };
        found.iter().for_each(|value| scope.case.shared.add_secret(value));
        Ok(found)
    }

    fn table(&mut self, path: &str) -> Result<Value, String> {
        table::read(&self.scope.case.files, path)
    }

    fn wait(&mut self, time: Duration) {
        let mut sleep = self.scope.case.shared.sleep.lock();
        *sleep = sleep.saturating_add(time);
    }
}
