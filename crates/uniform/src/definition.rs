//! A tool's definition, and what it makes of arguments: mapped by aliases, typed, filled from defaults, or refused.

use serde_json::Value;

use super::Object;
use super::coerce::coerce;
use super::json;
use super::kind::Kind;
use super::problem::{Invalid, Problem, Unknown};
use super::schema::{self, Schema};

/// What a tool takes.
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: String,
    pub description: String,
    pub(super) parameters: Vec<Parameter>,
    /// Whether arguments that are not named are taken, too.
    pub(super) open: bool,
    /// The whole schema, where the definition was made from one.
    pub(super) whole: Option<Schema>,
}

/// One argument of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameter {
    pub name: String,
    /// The types that it may have; any where none is named.
    pub kinds: Vec<Kind>,
    pub required: bool,
    /// What is filled in where nothing is given.
    pub default: Option<Value>,
    pub description: String,
    /// Other names for it.
    pub aliases: Vec<String>,
}

impl Definition {
    /// Makes a definition from a remote server's `inputSchema`. What the schema does not name is refused, unless the schema says that it
    /// takes more, or names nothing at all.
    pub fn from_schema(name: &str, schema: &Value) -> Self {
        schema::read(name, schema)
    }

    /// Returns the arguments, in the definition's order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Checks arguments, a JSON object or a string that holds one, and returns them as the tool takes them: by their real names, in
    /// their types, with the definition's defaults. Nothing that was given is left out.
    pub fn check(&self, given: impl Into<Value>) -> Result<Object, Problem> {
        let mut complaint = Problem { tool: self.name.clone(), ..Problem::default() };
        let written = match given.into() {
            Value::String(text) => json::read_object(&text),
            value => json::into_object(value, 0),
        };
        let written = written.map_err(|message| Problem::whole(&self.name, message))?;
        let arguments = self.judged(written, &|_| false, &mut complaint);
        if let Some(whole) = &self.whole {
            whole.check(&arguments, &mut complaint);
        }
        self.answer(complaint).map(|()| arguments)
    }

    /// Checks arguments of a tool that takes more than the definition says: `is_more` tells which those are, which are left as they are.
    pub fn check_beside(&self, mut given: Object, is_more: &dyn Fn(&str) -> bool) -> Result<Object, Problem> {
        let more = self.take_others(&mut given, is_more);
        let mut arguments = self.check(given)?;
        arguments.extend(more);
        Ok(arguments)
    }

    /// Takes out the arguments that are not the definition's own, as far as `is_more` knows them.
    pub fn take_others(&self, given: &mut Object, is_more: &dyn Fn(&str) -> bool) -> Object {
        let (own, more) =
            std::mem::take(given).into_iter().partition(|(name, _)| self.named(name).is_some() || !is_more(name));
        *given = own;
        more
    }

    /// Checks arguments before all of them are known: of a value that `is_later` holds for, only its name is checked, and of a name
    /// nothing.
    pub fn check_early(&self, mut given: Object, is_later: &dyn Fn(&Value) -> bool) -> Result<(), Problem> {
        let mut complaint = Problem { tool: self.name.clone(), ..Problem::default() };
        let all = given.len();
        given.retain(|name, _| !is_later(&Value::String(name.clone())));
        let some_later = given.len() < all;
        self.judged(given, is_later, &mut complaint);
        if some_later {
            complaint.missing.clear();
        }
        self.answer(complaint)
    }

    /// Maps, types and fills arguments, and notes what is wrong.
    fn judged(&self, written: Object, is_later: &dyn Fn(&Value) -> bool, complaint: &mut Problem) -> Object {
        let mut arguments = self.map(written, complaint);
        self.type_all(&mut arguments, is_later, complaint);
        self.fill(&mut arguments, complaint);
        arguments
    }

    /// Returns a complaint that says something, with what is valid.
    fn answer(&self, mut complaint: Problem) -> Result<(), Problem> {
        if complaint.is_empty() {
            return Ok(());
        }
        complaint.valid = self.parameters.iter().map(|parameter| parameter.name.clone()).collect();
        Err(complaint)
    }

    /// Gives every argument its real name.
    fn map(&self, written: Object, complaint: &mut Problem) -> Object {
        let mut arguments = Object::new();
        for (name, value) in written {
            let Some(parameter) = self.named(&name) else {
                match self.open {
                    true => drop(arguments.insert(name, value)),
                    false => complaint.unknown.push(Unknown::among(&name, self.names())),
                }
                continue;
            };
            if arguments.contains_key(&parameter.name) {
                complaint.doubled.push((name, parameter.name.clone()));
                continue;
            }
            arguments.insert(parameter.name.clone(), value);
        }
        complaint.doubled.iter_mut().for_each(|(alias, name)| self.show_alias(alias, name));
        arguments
    }

    /// Names another spelling where the second of two was the real name itself.
    fn show_alias(&self, alias: &mut String, name: &str) {
        if alias == name
            && let Some(known) = self.named(name).and_then(|parameter| parameter.aliases.first())
        {
            alias.clone_from(known);
        }
    }

    fn named(&self, name: &str) -> Option<&Parameter> {
        let by_name = self.parameters.iter().find(|parameter| parameter.name == name);
        by_name.or_else(|| self.parameters.iter().find(|parameter| parameter.aliases.iter().any(|alias| alias == name)))
    }

    /// Returns all names of arguments, aliases among them.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.parameters.iter().flat_map(|parameter| {
            std::iter::once(parameter.name.as_str()).chain(parameter.aliases.iter().map(String::as_str))
        })
    }

    fn type_all(&self, arguments: &mut Object, is_later: &dyn Fn(&Value) -> bool, complaint: &mut Problem) {
        for parameter in &self.parameters {
            let Some(place) = arguments.get_mut(&parameter.name).filter(|value| !is_later(value)) else { continue };
            *place = parameter.mended(place.take());
            if !parameter.takes(place) {
                let (name, given) = (parameter.name.clone(), place.clone());
                complaint.invalid.push(Invalid { name, wanted: parameter.kinds.clone(), given });
            }
        }
    }

    /// Fills in defaults, and notes what is missing.
    fn fill(&self, arguments: &mut Object, complaint: &mut Problem) {
        for parameter in
            self.parameters.iter().filter(|parameter| !arguments.contains_key(&parameter.name)).collect::<Vec<_>>()
        {
            match &parameter.default {
                Some(default) => drop(arguments.insert(parameter.name.clone(), default.clone())),
                None if parameter.required => complaint.missing.push(parameter.name.clone()),
                None => {}
            }
        }
    }
}

impl Parameter {
    pub(super) fn takes(&self, value: &Value) -> bool {
        self.kinds.is_empty() || self.kinds.iter().any(|kind| kind.holds(value))
    }

    /// Mends a value where there is no doubt which type is meant.
    fn mended(&self, value: Value) -> Value {
        let mut wanted = self.kinds.iter().filter(|kind| **kind != Kind::Null);
        match (wanted.next(), wanted.next()) {
            (Some(only), None) if !value.is_null() => coerce(value, *only),
            _ => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Definitions, Lang};
    use super::*;

    const TASK: &str = "
run_task:
  description: Runs a task.
  parameters:
    task: {type: string, required: true, aliases: [query, job]}
    max_steps: {type: integer, default: 50}
    use_vision: {type: boolean, default: true}
    tags: {type: array}
    scale: {type: number}
";

    fn task() -> Definition {
        Definitions::from_yaml("a", TASK).expect("good").find("a", "run_task").expect("there").clone()
    }

    fn refused(given: Value) -> String {
        task().check(given).expect_err("refused").message(Lang::En)
    }

    #[test]
    fn aliases_map_and_defaults_fill() {
        let wanted = json!({"task": "a", "max_steps": 50, "use_vision": true});
        for given in [json!({"task": "a"}), json!({"query": "a"}), json!({"job": "a"}), json!("{\"job\": \"a\"}")] {
            assert_eq!(task().check(given).map(Value::Object), Ok(wanted.clone()));
        }
        let given = json!({"task": "a", "max_steps": "3", "use_vision": "False", "tags": "[1]", "scale": "0.5"});
        let typed = json!({"task": "a", "max_steps": 3, "use_vision": false, "tags": [1], "scale": 0.5});
        assert_eq!(task().check(given).map(Value::Object), Ok(typed));
    }

    #[test]
    fn an_alias_beside_its_name_is_refused() {
        assert!(refused(json!({"task": "a", "query": "b"})).contains("`query` and `task` are the same argument"));
        assert!(refused(json!({"query": "a", "job": "b"})).contains("`job` and `task` are the same argument"));
        assert!(refused(json!({"query": "a", "task": "a"})).contains("`query` and `task` are the same argument"));
    }

    #[test]
    fn a_wrong_type_is_named_with_the_one_that_is_wanted() {
        for (name, value, words) in [
            ("task", json!(["a"]), "`task` must be a string, not the list [\"a\"]"),
            ("task", json!(1.5), "`task` must be a string, not 1.5"),
            ("task", json!(null), "`task` must be a string, not null"),
            ("max_steps", json!("many"), "`max_steps` must be a whole number, not the string \"many\""),
            ("max_steps", json!(1.5), "`max_steps` must be a whole number, not 1.5"),
            ("use_vision", json!(1), "`use_vision` must be true or false, not 1"),
            ("tags", json!({"a": 1}), "`tags` must be a list, not the map {\"a\":1}"),
        ] {
            let mut given = json!({"task": "a"});
            given[name] = value;
            let message = refused(given);
            assert_eq!(message, format!("run_task: {words}; valid: task, max_steps, use_vision, tags, scale"));
        }
    }

    #[test]
    fn all_that_is_wrong_is_said_at_once() {
        let message = refused(json!({"max_step": 1, "use_vision": "x", "wat": 1}));
        assert_eq!(
            message,
            "run_task: missing: task; unknown: max_step (did you mean max_steps?), wat; `use_vision` must be true or false, \
             not the string \"x\"; valid: task, max_steps, use_vision, tags, scale"
        );
        assert_eq!(refused(json!([1])), "run_task: the arguments must be a JSON object, not [1]");
        assert!(refused(json!("{")).contains("not JSON"));
    }

    #[test]
    fn what_is_known_later_is_checked_by_name_only() {
        let is_later = |value: &Value| value.to_string().contains('$');
        let early = |given: Value| {
            let checked = task().check_early(given.as_object().expect("a map").clone(), &is_later);
            checked.map_err(|complaint| complaint.to_string())
        };
        assert_eq!(early(json!({"query": "$q", "max_steps": "$n", "tags": ["$t"]})), Ok(()));
        assert_eq!(early(json!({"$name": 1})), Ok(()));
        for (given, words) in [
            (json!({"tsak": "$q"}), "missing: task; unknown: tsak (did you mean task?)"),
            (json!({"task": "$q", "max_steps": "many"}), "`max_steps` must be a whole number"),
            (json!({"task": "$q", "job": "$q"}), "the same argument"),
        ] {
            let message = early(given).expect_err(words);
            assert!(message.contains(words), "{message}");
        }
    }

    #[test]
    fn a_message_stays_short() {
        let many: Object = (0..5_000).map(|n| (format!("argument_{n}_{}", "x".repeat(100)), json!(n))).collect();
        let message = refused(Value::Object(many));
        assert!(message.len() < 8_000 && message.contains("and 4960 more"), "{}: {message}", message.len());
    }
}
