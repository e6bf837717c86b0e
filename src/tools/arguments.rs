//! Arguments, from what a testcase or an agent wrote to what a tool takes: named, spelled, typed and checked.
//!
//! The same steps serve both ways in: a [`MobileAction`]'s `params` and `options` are first laid out as named arguments; then
//! spellings are put right, harmless differences of type are mended, and the rest is checked against the tool's schema.
//! At load a value may still hold variables: its name is checked then, and the value at the call.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use rmcp::model::CallToolRequestParams;
use serde_json::{Value, json};

use super::{ActionTool, CallOptions, Error, Kind, Object, PREFIX, Schema, Shape, schema};
use crate::action::{Complaint, MobileAction};

/// One thing that is wrong with a tool's arguments.
#[derive(Clone, Debug, PartialEq)]
enum Problem {
    Missing(String),
    Unknown {
        name: String,
        nearest: Option<String>,
        later: bool,
    },
    /// A value is not what it must be; `pointer` leads to it within the arguments.
    Invalid {
        pointer: String,
        message: String,
    },
    /// A target in an argument has a key that targets do not have; `pointer` leads to it within the arguments.
    Stray {
        pointer: String,
        nearest: Option<&'static str>,
    },
    /// The arguments contradict each other.
    Whole(String),
}

/// A tool's arguments under the names that the author wrote, and where each of them stood in the action.
#[derive(Default)]
struct Written {
    arguments: Object,
    /// Argument → JSON pointer in the action.
    sources: Vec<(String, String)>,
    complaints: Vec<Complaint>,
}

/// Writes a name in `snake_case`: `packageName`, `TapXY` → `package_name`, `tap_xy`.
pub fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut before = None;
    for c in name.chars() {
        if c.is_ascii_uppercase() && before.is_some_and(|b: char| b.is_ascii_lowercase() || b.is_ascii_digit()) {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
        before = Some(c);
    }
    out
}

/// Longest name, in bytes, that somebody may have meant: what is compared is the square of it.
const LONGEST: usize = 64;

/// Returns the candidate that is nearest to `name`, where one is near enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let candidates = candidates.into_iter().filter(|_| name.len() <= LONGEST);
    candidates
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.chars().count() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Finds the tool that an action means: `tap` is for a point or, with a text or a target, for an element.
fn meant(action: &MobileAction) -> Option<&'static ActionTool> {
    const TARGET: [&str; 5] = ["text", "id", "role", "ref", "selector"];
    let names_element = match &action.params {
        Value::String(text) => !text.starts_with('$') && text.parse::<f64>().is_err(),
        Value::Object(map) => TARGET.iter().any(|key| map.contains_key(*key)),
        _ => false,
    };
    match snake_case(&action.method).as_str() {
        "tap" if names_element => super::find("tap_element"),
        _ => super::find(&action.method),
    }
}

/// Checks an action of a testcase at load. `holds` tells whether a value still holds variables.
pub fn check(action: &MobileAction, holds: &dyn Fn(&Value) -> bool) -> Vec<Complaint> {
    let Some(tool) = meant(action) else {
        return vec![unknown_tool(&action.method)];
    };
    let mut written = lay_out(tool, action, holds);
    if let Err((message, key)) = CallOptions::take(tool, &mut written.arguments, holds) {
        written.complaints.push(complaint(source_of(&written.sources, key), message));
    }
    let mut complaints = std::mem::take(&mut written.complaints);
    let (arguments, spellings) = spell(tool, std::mem::take(&mut written.arguments));
    let problems = problems(tool, &arguments, holds);
    complaints.extend(problems.into_iter().map(|problem| to_complaint(tool, &problem, &written.sources, &spellings)));
    complaints
}

/// Turns an action whose variables are replaced into the request that an agent would send.
///
/// Its arguments have their canonical names and are not checked yet: whoever answers the request does that, as for agents.
pub fn request(action: &MobileAction) -> Result<CallToolRequestParams, Error> {
    let tool = meant(action).ok_or_else(|| unknown_tool_error(&action.method))?;
    let mut written = lay_out(tool, action, &|_| false);
    if let Some(complaint) = written.complaints.first() {
        return Err(Error::new(Kind::BadArgument, format!("{}: {}", tool.name, complaint.message)));
    }
    let options = CallOptions::take(tool, &mut written.arguments, &|_| false)
        .map_err(|(message, _)| Error::new(Kind::BadArgument, format!("{}: {message}", tool.name)))?;
    let (arguments, _) = spell(tool, written.arguments);
    let mut request = CallToolRequestParams::new(tool.name).with_arguments(arguments);
    request.meta = options.to_meta();
    Ok(request)
}

/// Puts a request's arguments right and checks them.
pub fn prepare(tool: &'static ActionTool, arguments: Object) -> Result<Object, Error> {
    let (arguments, _) = spell(tool, arguments);
    let problems = problems(tool, &arguments, &|_| false);
    if problems.is_empty() { Ok(arguments) } else { Err(to_error(tool, &problems)) }
}

/// Builds the error of a call to a tool that is not there.
pub fn unknown_tool_error(name: &str) -> Error {
    let complaint = unknown_tool(name.strip_prefix(PREFIX).unwrap_or(name));
    let hint = complaint.hint.map(|hint| format!(", {hint}")).unwrap_or_default();
    Error::new(Kind::BadArgument, format!("{}{hint}", complaint.message)).with("unknown_tool", name)
}

fn unknown_tool(name: &str) -> Complaint {
    let path = "/method".to_owned();
    if let Some(message) = super::later::later(name) {
        return complaint(path, message);
    }
    let near = nearest(&snake_case(name.strip_prefix(PREFIX).unwrap_or(name)), super::names());
    Complaint {
        hint: near.map(|near| format!("did you mean `{near}`?")),
        help: Some("`uixt tools` lists the tools".to_owned()),
        ..complaint(path, format!("unknown tool `{name}`"))
    }
}

fn complaint(path: String, message: String) -> Complaint {
    Complaint { path, at_key: false, message, hint: None, help: None }
}

fn source_of(sources: &[(String, String)], argument: &str) -> String {
    sources.iter().find(|(name, _)| name == argument).map_or_else(|| "/params".to_owned(), |(_, path)| path.clone())
}

/// Lays `params` and `options` out as named arguments.
fn lay_out(tool: &ActionTool, action: &MobileAction, holds: &dyn Fn(&Value) -> bool) -> Written {
    let mut written = Written::default();
    match &action.params {
        Value::Null => {}
        Value::Object(map) => {
            for (key, value) in map {
                written.put(key, value, format!("/params/{}", escape(key)));
            }
        }
        other => lay_out_positional(tool, other, holds, &mut written),
    }
    for (key, value) in &action.options {
        written.put(key, value, format!("/options/{}", escape(key)));
    }
    written
}

fn lay_out_positional(tool: &ActionTool, params: &Value, holds: &dyn Fn(&Value) -> bool, written: &mut Written) {
    let fields = match (tool.params, params) {
        (Shape::Nothing, _) => return,
        (Shape::Whole(field), _) => return written.put(field, params, "/params".to_owned()),
        (Shape::TextOrNumbers(text, _), Value::String(_)) => &[text][..],
        (Shape::TextOrNumbers(_, fields) | Shape::Fields(fields), _) => fields,
    };
    match params {
        Value::Array(items) if items.len() > fields.len() => written.complaints.push(complaint(
            "/params".to_owned(),
            format!(
                "`{}` takes at most {} values ({}), not {}",
                tool.name,
                fields.len(),
                fields.join(", "),
                items.len()
            ),
        )),
        Value::Array(items) => {
            for (index, (field, item)) in fields.iter().zip(items).enumerate() {
                written.put(field, item, format!("/params/{index}"));
            }
        }
        // `$point` may become a list at the call, so that nothing can be said of it now.
        Value::String(_) if fields.len() > 1 && holds(params) => {
            for field in fields {
                written.put(field, params, "/params".to_owned());
            }
        }
        scalar => written.put(fields[0], scalar, "/params".to_owned()),
    }
}

impl Written {
    fn put(&mut self, name: &str, value: &Value, path: String) {
        if self.arguments.contains_key(name) {
            let message = format!("`{name}` is given twice");
            self.complaints.push(Complaint { at_key: true, ..complaint(path, message) });
            return;
        }
        self.arguments.insert(name.to_owned(), value.clone());
        self.sources.push((name.to_owned(), path));
    }
}

fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Gives every argument its canonical name and mends its type; also returns canonical name → written name.
fn spell(tool: &'static ActionTool, written: Object) -> (Object, Vec<(String, String)>) {
    let schema = tool.schema();
    let mut arguments = Object::new();
    let mut spellings = Vec::new();
    for (name, value) in written {
        let known = canonical(tool, schema, &name);
        let value = match schema.property(known.as_deref().unwrap_or(&name)) {
            Some(property) => mend(value, property),
            None => value,
        };
        match known.filter(|known| !arguments.contains_key(known)) {
            Some(known) => {
                spellings.push((known.clone(), name));
                arguments.insert(known, value);
            }
            None => drop(arguments.insert(name, value)),
        }
    }
    (arguments, spellings)
}

/// Returns the canonical name that is meant by another spelling; none where it is canonical itself, or nothing's.
fn canonical(tool: &ActionTool, schema: &Schema, name: &str) -> Option<String> {
    if schema.property(name).is_some() {
        return None;
    }
    if let Some((_, known)) = tool.argument_aliases.iter().find(|(alias, _)| *alias == name) {
        return Some((*known).to_owned());
    }
    Some(snake_case(name)).filter(|snake| schema.property(snake).is_some())
}

/// A number may be written as text and text as a number: YAML authors do both.
fn mend(value: Value, property: &Value) -> Value {
    let wanted = property.get("type").and_then(Value::as_str).unwrap_or_default();
    match (wanted, value) {
        ("number" | "integer", Value::String(text)) => read_number(&text).unwrap_or(Value::String(text)),
        ("boolean", Value::String(text)) => match text.trim() {
            "true" | "True" | "TRUE" => Value::Bool(true),
            "false" | "False" | "FALSE" => Value::Bool(false),
            _ => Value::String(text),
        },
        ("string", Value::Number(number)) => Value::String(number.to_string()),
        ("string", Value::Bool(flag)) => Value::String(flag.to_string()),
        ("array", number @ Value::Number(_)) => Value::Array(vec![number]),
        (_, value) => value,
    }
}

/// Reads a number in any spelling of YAML's: `0.50`, `+3`, `1e3`.
fn read_number(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Ok(number @ Value::Number(_)) = serde_json::from_str(text) {
        return Some(number);
    }
    let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite())?;
    Some(number.into())
}

fn problems(tool: &'static ActionTool, arguments: &Object, holds: &dyn Fn(&Value) -> bool) -> Vec<Problem> {
    let schema = tool.schema();
    let mut problems: Vec<Problem> = arguments
        .keys()
        .filter(|name| schema.property(name).is_none() && tool.owns(name))
        .map(|name| Problem::Unknown {
            name: name.clone(),
            nearest: nearest(name, valid(tool)).map(str::to_owned),
            later: CallOptions::is_later(name),
        })
        .collect();
    problems.extend(
        schema.required().filter(|name| !arguments.contains_key(*name)).map(|name| Problem::Missing(name.to_owned())),
    );
    problems.extend(invalid(tool, arguments, holds));
    let all_known = arguments.values().all(|value| !holds(value));
    if problems.is_empty() && all_known {
        let mut own = arguments.clone();
        own.retain(|name, _| tool.owns(name));
        if let Err(message) = (tool.check)(own) {
            problems.push(Problem::Whole(message));
        }
    }
    problems
}

impl ActionTool {
    /// Tells whether an argument is the tool's own, rather than one that picks the device.
    pub(super) fn owns(&self, name: &str) -> bool {
        !self.needs_device || (name != "platform" && name != "serial")
    }
}

fn invalid(tool: &'static ActionTool, arguments: &Object, holds: &dyn Fn(&Value) -> bool) -> Vec<Problem> {
    let value = Value::Object(arguments.clone());
    let validator = tool.schema().validator();
    if validator.is_valid(&value) {
        return Vec::new();
    }
    validator
        .iter_errors(&value)
        .filter(|error| {
            !matches!(
                error.kind(),
                ValidationErrorKind::AdditionalProperties { .. } | ValidationErrorKind::Required { .. }
            ) || !error.instance_path().as_str().is_empty()
        })
        .flat_map(|error| {
            let pointer = error.instance_path().as_str().to_owned();
            match error.kind() {
                // Keys are certain even where values are not.
                ValidationErrorKind::AdditionalProperties { unexpected } => {
                    unexpected.iter().map(|key| stray(&pointer, key)).collect()
                }
                _ if holds(error.instance()) => Vec::new(),
                kind => {
                    let message = describe(&pointer, error.instance(), kind, &error.to_string());
                    vec![Problem::Invalid { pointer, message }]
                }
            }
        })
        .collect()
}

fn stray(parent: &str, key: &str) -> Problem {
    Problem::Stray { pointer: format!("{parent}/{}", escape(key)), nearest: nearest(key, schema::place_keys()) }
}

/// Returns the argument that a pointer begins with.
fn argument_of(pointer: &str) -> String {
    pointer.trim_start_matches('/').split('/').next().unwrap_or_default().to_owned()
}

/// Writes a pointer as a person would: `/into/indx` → `into.indx`.
fn dotted(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".").replace("~1", "/").replace("~0", "~")
}

fn describe(pointer: &str, value: &Value, kind: &ValidationErrorKind, otherwise: &str) -> String {
    let name = dotted(pointer);
    match kind {
        ValidationErrorKind::Type { kind: TypeKind::Single(wanted) } => {
            format!("`{name}` must be {}, not {value}", article(&wanted.to_string()))
        }
        ValidationErrorKind::Minimum { limit } => format!("`{name}` must be at least {limit}, not {value}"),
        ValidationErrorKind::Maximum { limit } => format!("`{name}` must be at most {limit}, not {value}"),
        ValidationErrorKind::Enum { options } => format!("`{name}` must be one of {}, not {value}", list(options)),
        _ => format!("`{name}`: {otherwise}"),
    }
}

fn list(options: &Value) -> String {
    let items = options
        .as_array()
        .into_iter()
        .flatten()
        .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned));
    items.collect::<Vec<_>>().join(", ")
}

fn article(type_name: &str) -> String {
    match type_name {
        "integer" => "a whole number".to_owned(),
        "object" | "array" => format!("an {type_name}").replace("an object", "a map").replace("an array", "a list"),
        "boolean" => "true or false".to_owned(),
        other => format!("a {other}"),
    }
}

/// Returns the names that the tool takes, without those that pick the device.
pub fn valid(tool: &'static ActionTool) -> impl Iterator<Item = &'static str> {
    tool.schema().properties().map(|(name, _)| name).filter(|name| tool.owns(name))
}

fn valid_list(tool: &'static ActionTool) -> String {
    let names: Vec<&str> = valid(tool).collect();
    if names.is_empty() { "it takes no arguments".to_owned() } else { format!("valid: {}", names.join(", ")) }
}

fn to_complaint(
    tool: &'static ActionTool,
    problem: &Problem,
    sources: &[(String, String)],
    spellings: &[(String, String)],
) -> Complaint {
    let written = |name: &str| {
        spellings
            .iter()
            .find(|(known, _)| known == name)
            .map_or_else(|| name.to_owned(), |(_, written)| written.clone())
    };
    let place = |pointer: &str| {
        let inner =
            pointer.trim_start_matches('/').split_once('/').map(|(_, rest)| format!("/{rest}")).unwrap_or_default();
        source_of(sources, &written(&argument_of(pointer))) + &inner
    };
    match problem {
        Problem::Missing(name) => Complaint {
            path: "/method".to_owned(),
            at_key: true,
            message: format!("`{}` needs `{name}`", tool.name),
            hint: None,
            help: Some(valid_list(tool)),
        },
        Problem::Unknown { name, later: true, .. } => Complaint {
            at_key: true,
            ..complaint(source_of(sources, &written(name)), format!("`{name}` is not supported yet"))
        },
        Problem::Unknown { name, nearest, .. } => Complaint {
            path: source_of(sources, &written(name)),
            at_key: true,
            message: format!("unknown argument `{name}` of {}", tool.name),
            hint: nearest.as_ref().map(|near| format!("did you mean `{near}`?")),
            help: Some(valid_list(tool)),
        },
        Problem::Stray { pointer, nearest } => Complaint {
            path: place(pointer),
            at_key: true,
            message: format!("unknown argument `{}` of {}", dotted(pointer), tool.name),
            hint: nearest.map(|near| format!("did you mean `{near}`?")),
            help: Some(format!("valid there: {}", schema::place_keys().collect::<Vec<_>>().join(", "))),
        },
        Problem::Invalid { pointer, message, .. } => complaint(place(pointer), message.clone()),
        Problem::Whole(message) => complaint("/params".to_owned(), format!("{}: {message}", tool.name)),
    }
}

fn to_error(tool: &'static ActionTool, problems: &[Problem]) -> Error {
    let mut parts = Vec::new();
    let missing: Vec<&str> = problems.iter().filter_map(Problem::missing).collect();
    if !missing.is_empty() {
        parts.push(format!("missing: {}", missing.join(", ")));
    }
    let unknown: Vec<String> = problems.iter().filter_map(Problem::unknown).collect();
    if !unknown.is_empty() {
        parts.push(format!("unknown: {}", unknown.join(", ")));
    }
    parts.extend(problems.iter().filter_map(|problem| match problem {
        Problem::Invalid { message, .. } | Problem::Whole(message) => Some(message.clone()),
        _ => None,
    }));
    parts.push(valid_list(tool));
    let unknown_names: Vec<String> = problems
        .iter()
        .filter_map(|problem| match problem {
            Problem::Unknown { name, .. } => Some(name.clone()),
            Problem::Stray { pointer, .. } => Some(dotted(pointer)),
            _ => None,
        })
        .collect();
    Error::new(Kind::BadArgument, format!("{}: {}", tool.name, parts.join("; ")))
        .with("missing", json!(missing))
        .with("unknown", json!(unknown_names))
        .with("valid", json!(valid(tool).collect::<Vec<_>>()))
}

impl Problem {
    fn missing(&self) -> Option<&str> {
        match self {
            Self::Missing(name) => Some(name),
            _ => None,
        }
    }

    fn unknown(&self) -> Option<String> {
        match self {
            Self::Unknown { name, nearest: Some(near), .. } => Some(format!("{name} (did you mean {near}?)")),
            Self::Unknown { name, .. } => Some(name.clone()),
            Self::Stray { pointer, nearest: Some(near) } => Some(format!("{} (did you mean {near}?)", dotted(pointer))),
            Self::Stray { pointer, nearest: None } => Some(dotted(pointer)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(method: &str, params: Value, options: Value) -> MobileAction {
        let Value::Object(options) = options else { panic!("options are a map") };
        MobileAction { method: method.to_owned(), params, options, ..MobileAction::default() }
    }

    fn arguments(method: &str, params: Value, options: Value) -> Value {
        let request = request(&action(method, params, options)).expect("a good action");
        Value::Object(request.arguments.unwrap_or_default())
    }

    fn no_variables(_: &Value) -> bool {
        false
    }

    #[test]
    fn params_of_every_shape_become_named_arguments() {
        assert_eq!(
            arguments("tap_xy", json!([0, 0.5]), json!({"duration": 1})),
            json!({"x": 0, "y": 0.5, "duration": 1})
        );
        assert_eq!(arguments("swipe", json!("up"), json!({})), json!({"direction": "up"}));
        assert_eq!(
            arguments("swipe", json!([0.5, 0.8, 0.5, 0.2]), json!({})),
            json!({"from_x": 0.5, "from_y": 0.8, "to_x": 0.5, "to_y": 0.2})
        );
        assert_eq!(arguments("app_launch", json!({"packageName": "a.b"}), json!({})), json!({"package_name": "a.b"}));
        assert_eq!(arguments("home", json!(""), json!({})), json!({}));
        assert_eq!(arguments("input", json!(123), json!({})), json!({"text": "123"}));
        assert_eq!(arguments("sleep", json!("0.5"), json!({})), json!({"seconds": 0.5}));
    }

    #[test]
    fn options_travel_in_meta() {
        let request = request(&action("tap_xy", json!([0, 0]), json!({"identifier": "a"}))).expect("good");
        assert_eq!(CallOptions::from_meta(request.meta.as_ref()).identifier.as_deref(), Some("a"));
        assert!(!request.arguments.expect("arguments").contains_key("identifier"));
    }

    #[test]
    fn a_wrong_argument_is_named_with_what_is_valid() {
        let error = prepare(
            super::super::find("tap_xy").expect("a tool"),
            json!({"x": 0.5, "yy": 1}).as_object().expect("a map").clone(),
        )
        .expect_err("y is missing");
        assert_eq!(error.message, "tap_xy: missing: y; unknown: yy (did you mean y?); valid: x, y, duration");
        assert_eq!(error.details["missing"], json!(["y"]));
    }

    #[test]
    fn complaints_lead_to_their_place() {
        let complaints = check(&action("tap_element", json!({"text": "a", "timout": 5}), json!({})), &no_variables);
        assert_eq!(complaints.len(), 1);
        assert_eq!(complaints[0].path, "/params/timout");
        assert_eq!(complaints[0].message, "unknown argument `timout` of tap_element");
        assert_eq!(complaints[0].hint.as_deref(), Some("did you mean `timeout`?"));
        let complaints = check(&action("tap_xy", json!([0.5, 2]), json!({})), &no_variables);
        assert_eq!(complaints[0].path, "/params/1");
        assert_eq!(complaints[0].message, "`y` must be at most 1.0, not 2");
        let complaints = check(&action("tap_xy", json!([0.5, 0.5]), json!({"max_retry_times": 3})), &no_variables);
        assert_eq!(complaints[0].path, "/options/max_retry_times");
        assert_eq!(complaints[0].message, "`max_retry_times` is not supported yet");
    }

    #[test]
    fn a_misspelt_key_of_a_target_in_an_argument_is_found_at_load() {
        let into = json!({"text": "$user", "into": {"id": "$id", "indx": 7, "within": {"text": "a", "exct": true}}});
        let holds = |value: &Value| value.to_string().contains('$');
        let mut complaints = check(&action("input", into.clone(), json!({})), &holds);
        complaints.sort_by(|a, b| a.path.cmp(&b.path));
        let paths: Vec<&str> = complaints.iter().map(|complaint| complaint.path.as_str()).collect();
        assert_eq!(paths, ["/params/into/indx", "/params/into/within/exct"]);
        assert_eq!(complaints[0].message, "unknown argument `into.indx` of input");
        assert_eq!(complaints[0].hint.as_deref(), Some("did you mean `index`?"));
        assert_eq!(complaints[1].hint.as_deref(), Some("did you mean `exact`?"));
        let error = prepare(super::super::find("input").expect("a tool"), into.as_object().expect("a map").clone());
        assert!(error.is_err_and(|error| error.message.contains("into.indx (did you mean index?)")));
        let typed = json!({"text": "a", "into": {"id": "a", "index": "x"}});
        assert_eq!(check(&action("input", typed, json!({})), &holds)[0].path, "/params/into/index");
    }

    #[test]
    fn only_what_could_fail_otherwise_may_ignore_absence() {
        let ignoring = |method, ignore: Value| action(method, json!("Save"), json!({"ignore_NotFoundError": ignore}));
        for method in ["assert_visible", "assert_not_visible", "wait_for", "app_launch", "get_source"] {
            let complaints = check(&ignoring(method, json!(true)), &no_variables);
            assert_eq!(complaints.len(), 1, "{method}");
            assert_eq!(complaints[0].path, "/options/ignore_NotFoundError", "{method}");
            assert!(request(&ignoring(method, json!(true))).is_err(), "{method}");
            assert_eq!(check(&ignoring(method, json!(false)), &no_variables), []);
        }
        assert_eq!(check(&ignoring("tap_element", json!(true)), &no_variables), []);
        let holds = |value: &Value| value == "$flag";
        assert_eq!(check(&ignoring("tap_element", json!("$flag")), &holds), []);
        assert_eq!(check(&ignoring("tap_element", json!("yes")), &holds).len(), 1);
    }

    #[test]
    fn what_holds_variables_is_checked_at_the_call() {
        let holds = |value: &Value| value.as_str().is_some_and(|text| text.contains('$'));
        assert_eq!(check(&action("tap_xy", json!(["$x", 0.5]), json!({})), &holds), []);
        assert_eq!(check(&action("tap_xy", json!("$point"), json!({})), &holds), []);
        assert_eq!(check(&action("tap_xy", json!(["$x", 3]), json!({})), &holds).len(), 1);
    }

    #[test]
    fn an_unknown_tool_has_a_nearest_name_or_a_reason() {
        assert_eq!(unknown_tool("tap_elment").hint.as_deref(), Some("did you mean `tap_element`?"));
        assert!(unknown_tool("start_to_goal").message.ends_with("is not supported yet"));
    }
}
