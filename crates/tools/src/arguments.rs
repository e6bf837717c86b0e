//! Arguments, from what a testcase or an agent wrote to what a tool takes: named, spelled, typed and checked.
//!
//! The same steps serve both ways in: a [`MobileAction`]'s `params` and `options` are first laid out as named arguments; then
//! spellings are put right, harmless differences of type are mended, and the rest is checked against the tool's schema.
//! At load a value may still hold variables: its name is checked then, and the value at the call.

mod layout;
mod problem;
mod spelling;
mod wording;
mod words;
mod written_numbers;

use rmcp::model::CallToolRequestParams;
use serde_json::Value;

use self::layout::{Written, lay_out};
use self::problem::problems;
use self::spelling::spell;
use self::wording::{complaint, source_of, to_complaint, to_error};
pub(super) use self::words::read_number;
pub use self::words::{camel_case, snake_case};
use super::options::Wrong;
use super::wording::clip;
use super::{ActionTool, CallOptions, Error, Exposure, Kind, Object, PREFIX, Table};
use crate::action::{Diagnostic, MobileAction};
pub use uixt_schema::nearest;

/// Finds the tool that an action means: a point in pixels is for the tool that takes pixels.
fn meant(table: &Table, action: &MobileAction) -> Option<&'static ActionTool> {
    table.find(&action.method).and_then(|tool| match tool.name {
        "tap_xy" if is_in_pixels(action) => table.find("tap_abs_xy"),
        _ => Some(tool),
    })
}

/// Tells whether a point is given by whole numbers above 1, as `HttpRunner` writes pixels.
fn is_in_pixels(action: &MobileAction) -> bool {
    let whole = |value: &Value| {
        let number = value.as_f64().or_else(|| value.as_str().and_then(|text| text.trim().parse().ok()));
        number.is_some_and(|number| number > 1.0 && number.fract() == 0.0)
    };
    match &action.params {
        Value::Array(items) => items.len() == 2 && items.iter().all(whole),
        Value::Object(map) => ["x", "y"].iter().all(|key| map.get(*key).is_some_and(whole)),
        Value::Null => ["x", "y"].iter().all(|key| action.options.get(*key).is_some_and(whole)),
        _ => false,
    }
}

impl Table {
    /// Checks an action of a testcase at load. `holds` tells whether a value still holds variables.
    pub fn check(&self, action: &MobileAction, holds: &dyn Fn(&Value) -> bool) -> Vec<Diagnostic> {
        let plain = written_numbers::as_texts(action);
        let Some(tool) = meant(self, &plain) else {
            return vec![self.unknown_tool(&action.method)];
        };
        let mut written = lay_out(tool, &plain, holds);
        written_numbers::settle(self, tool, action, &mut written);
        let (_, wrong) = take_options(tool, &mut written, holds);
        written
            .complaints
            .extend(wrong.into_iter().map(|wrong| complaint(source_of(&written.sources, &wrong.key), wrong.message)));
        let mut complaints = std::mem::take(&mut written.complaints);
        let (mut arguments, spellings) = spell(tool, std::mem::take(&mut written.arguments));
        let problems = problems(self, tool, &mut arguments, holds);
        complaints
            .extend(problems.into_iter().map(|problem| to_complaint(tool, &problem, &written.sources, &spellings)));
        complaints
    }

    /// Turns an action whose variables are replaced into the request that an agent would send.
    ///
    /// Its arguments have their canonical names and are not checked yet: whoever answers the request does that, as for agents.
    pub fn request(&self, action: &MobileAction) -> Result<CallToolRequestParams, Error> {
        let plain = written_numbers::as_texts(action);
        let tool = meant(self, &plain).ok_or_else(|| self.unknown_tool_error(&action.method))?;
        let mut written = lay_out(tool, &plain, &|_| false);
        written_numbers::settle(self, tool, action, &mut written);
        if let Some(complaint) = written.complaints.first() {
            return Err(Error::new(Kind::BadArgument, format!("{}: {}", tool.name, complaint.message)));
        }
        let (options, wrong) = take_options(tool, &mut written, &|_| false);
        if let Some(wrong) = wrong.first() {
            return Err(Error::new(Kind::BadArgument, format!("{}: {}", tool.name, wrong.message)));
        }
        let (arguments, _) = spell(tool, written.arguments);
        let mut request = CallToolRequestParams::new(tool.name).with_arguments(arguments);
        request.meta = options.to_meta();
        Ok(request)
    }

    /// Returns the arguments of an action under the names that its author wrote, each with its JSON pointer into the action.
    pub(super) fn sources(&self, action: &MobileAction) -> Option<Vec<(String, String)>> {
        let plain = written_numbers::as_texts(action);
        Some(lay_out(meant(self, &plain)?, &plain, &|_| false).sources)
    }

    /// Puts a request's arguments right and checks them.
    pub fn prepare(&self, tool: &'static ActionTool, arguments: Object) -> Result<Object, Error> {
        let (arguments, _) = spell(tool, arguments);
        let mut arguments = spelling::without_nulls(tool, arguments);
        let problems = problems(self, tool, &mut arguments, &|_| false);
        if problems.is_empty() { Ok(arguments) } else { Err(to_error(tool, &problems)) }
    }

    /// Builds the error of a call to a tool that is not there.
    pub fn unknown_tool_error(&self, name: &str) -> Error {
        let name = clip(name);
        let name = name.as_str();
        let bare = name.strip_prefix(PREFIX).unwrap_or(name);
        if self.find(name).is_some() {
            let message = format!("`{bare}` is for testcases only, and is not offered here");
            return Error::new(Kind::BadArgument, message).with("unknown_tool", name);
        }
        if let Some(tool) = self.wrapped(name) {
            let message = format!(
                "unknown tool `{name}`: it is called `{tool}` or `{PREFIX}{tool}`, once and with nothing around it"
            );
            return Error::new(Kind::BadArgument, message).with("unknown_tool", name);
        }
        let complaint = self.unknown_tool(bare);
        let hint = complaint.hint.map(|hint| format!(", {hint}")).unwrap_or_default();
        Error::new(Kind::BadArgument, format!("{}{hint}", complaint.message)).with("unknown_tool", name)
    }

    /// Finds the tool that a name means which stands behind other words, as hosts put them together: `uixt__uixt__home`,
    /// `mcp__phone__home`, `uixt.home`, ` home `.
    fn wrapped(&self, name: &str) -> Option<&'static str> {
        let ends = name.match_indices(|sign: char| !sign.is_alphanumeric()).map(|(at, sign)| at + sign.len());
        let tails = std::iter::once(0).chain(ends).filter_map(|at| name.get(at..));
        let mut found = tails.filter_map(|tail| self.find(tail.trim_matches(|sign: char| !sign.is_alphanumeric())));
        let parted = |tool: &ActionTool| {
            let before = name.rsplit_once(tool.name).map_or("", |(before, _)| before);
            before.ends_with("__") || !before.ends_with('_')
        };
        found.find(|tool| tool.exposure == Exposure::Everyone && parted(tool)).map(|tool| tool.name)
    }

    fn unknown_tool(&self, name: &str) -> Diagnostic {
        let path = "/method".to_owned();
        if let Some(message) = super::unsupported::gone(name) {
            return complaint(path, message);
        }
        if let Some(instead) = super::unsupported::foreign(name) {
            let hint = Some(format!("write {instead}"));
            return Diagnostic { hint, ..complaint(path, format!("unknown tool `{name}`")) };
        }
        let near = nearest(&snake_case(name.strip_prefix(PREFIX).unwrap_or(name)), self.names());
        Diagnostic {
            hint: near.map(|near| format!("did you mean `{near}`?")),
            help: Some("`uixt tools` lists the tools".to_owned()),
            ..complaint(path, format!("unknown tool `{name}`"))
        }
    }
}

/// Takes `HttpRunner`'s options out of what was written.
fn take_options(
    tool: &'static ActionTool,
    written: &mut Written,
    holds: &dyn Fn(&Value) -> bool,
) -> (CallOptions, Vec<Wrong>) {
    let sources = &written.sources;
    let is_apart = |key: &str| source_of(sources, key).starts_with("/options/");
    CallOptions::take(tool, &mut written.arguments, &is_apart, holds)
}

/// Returns the names that the tool takes, without those that others take, too.
pub fn valid(tool: &'static ActionTool) -> impl Iterator<Item = &'static str> {
    tool.schema().properties().map(|(name, _)| name).filter(|name| tool.owns(name))
}

/// Names the arguments of a call: a tool's own, and those that pick its device.
fn valid_names(tool: &'static ActionTool) -> Vec<&'static str> {
    let device = ["platform", "serial"].into_iter().filter(|_| tool.needs_device);
    valid(tool).chain(device).collect()
}

fn valid_list(names: &[&str]) -> String {
    if names.is_empty() { "it takes no arguments".to_owned() } else { format!("valid: {}", names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn action(method: &str, params: Value, options: Value) -> MobileAction {
        let Value::Object(options) = options else { panic!("options are a map") };
        MobileAction { method: method.to_owned(), params, options, ..MobileAction::default() }
    }

    fn arguments(method: &str, params: Value, options: Value) -> Value {
        let request = crate::table().request(&action(method, params, options)).expect("a good action");
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
    fn a_name_of_a_list_may_be_spelt_otherwise() {
        for (method, spelling, name) in [
            ("press_button", "volumeUp", "volume_up"),
            ("press_button", "VOLUMEDOWN", "volume_down"),
            ("press_button", "home", "home"),
            ("set_orientation", "Reverse-Landscape", "reverse_landscape"),
            ("press_button", "volume", "volume"),
        ] {
            let arguments = arguments(method, json!(spelling), json!({}));
            assert!(arguments.as_object().is_some_and(|map| map.values().any(|value| value == name)), "{arguments}");
        }
    }

    #[test]
    fn a_point_above_1_is_for_the_tool_that_takes_pixels() {
        let named = |params: Value| {
            let request = crate::table().request(&action("tap_xy", params, json!({}))).expect("a good action");
            (request.name.to_string(), Value::Object(request.arguments.unwrap_or_default()))
        };
        let pixels = ("tap_abs_xy".to_owned(), json!({"x": 540, "y": 1200}));
        assert_eq!(named(json!([540, 1200])), pixels);
        assert_eq!(named(json!({"x": 540, "y": 1200})), pixels);
        assert_eq!(named(json!(["540", "1200"])).0, "tap_abs_xy");
        for fractions in [json!([0.5, 0.5]), json!([0, 1]), json!([1, 1]), json!([540, 0.5]), json!([1.5, 1.5])] {
            assert_eq!(named(fractions).0, "tap_xy");
        }
        assert_eq!(crate::table().check(&action("tap_xy", json!([540, 1200]), json!({})), &no_variables), []);
        let complaints = crate::table().check(&action("swipe", json!([0.5, 1.5, 0.5, 0.2]), json!({})), &no_variables);
        assert!(complaints[0].message.contains("`from_y` is 1.5"), "{complaints:?}");
        assert_eq!(crate::table().check(&action("swipe", json!([540, 1800, 540, 600]), json!({})), &no_variables), []);
        assert_eq!(arguments("swipe_to_tap_texts", json!(["a", "b"]), json!({})), json!({"texts": ["a", "b"]}));
    }

    #[test]
    fn options_travel_in_meta() {
        let request =
            crate::table().request(&action("tap_xy", json!([0, 0]), json!({"identifier": "a"}))).expect("good");
        assert_eq!(CallOptions::from_meta(request.meta.as_ref()).identifier.as_deref(), Some("a"));
        assert!(!request.arguments.expect("arguments").contains_key("identifier"));
    }

    #[test]
    fn a_wrong_argument_is_named_with_what_is_valid() {
        let error = crate::table()
            .prepare(
                crate::find("tap_xy").expect("a tool"),
                json!({"x": 0.5, "yy": 1}).as_object().expect("a map").clone(),
            )
            .expect_err("y is missing");
        assert_eq!(
            error.message,
            "tap_xy: missing: y; unknown: yy (did you mean y?); valid: x, y, duration, platform, serial"
        );
        assert_eq!(error.details["missing"], json!(["y"]));
        let call = |tool: &str, arguments: Value| {
            let arguments = arguments.as_object().expect("a map").clone();
            crate::table().prepare(crate::find(tool).expect("a tool"), arguments).expect_err("it is wrong").message
        };
        let device = call("get_foreground_app", json!({"device": "A"}));
        assert!(device.contains("device (did you mean serial?); valid: platform, serial"), "{device}");
        let batch = call("batch", json!({"steps": [{"input": {"text": "a"}}]}));
        assert!(batch.contains("a step is {tool, arguments}"), "{batch}");
    }

    #[test]
    fn arguments_are_taken_as_clients_write_them() {
        let prepared = |tool: &str, arguments: Value| {
            let arguments = arguments.as_object().expect("a map").clone();
            crate::table()
                .prepare(crate::find(tool).expect("a tool"), arguments)
                .map(Value::Object)
                .map_err(|error| error.message)
        };
        for (tool, written, meant) in [
            ("wait_for", json!({"text": "a", "id": null, "timeout": null}), json!({"text": "a"})),
            (
                "input",
                json!({"text": "x", "into": {"label": "a", "text": null, "within": {"id": "b", "text": null}}}),
                json!({"text": "x", "into": {"label": "a", "within": {"id": "b"}}}),
            ),
            (
                "input",
                json!({"text": "{\"a\": 1}", "into": "{\"label\": \"a\"}"}),
                json!({"text": "{\"a\": 1}", "into": {"label": "a"}}),
            ),
            ("batch", json!({"steps": "[{\"tool\": \"home\"}]"}), json!({"steps": [{"tool": "home"}]})),
            ("assert_count", json!({"text": "a", "equals": 2.0}), json!({"text": "a", "equals": 2})),
            ("assert_value", json!({"value": null, "equals": null}), json!({"value": null, "equals": null})),
            ("tap_element", json!({"text": "[1]", "near": "{broken"}), json!({"text": "[1]", "near": "{broken"})),
        ] {
            assert_eq!(prepared(tool, written), Ok(meant), "{tool}");
        }
        assert!(prepared("app_launch", json!({"package_name": null})).is_err_and(|said| said.contains("package_name")));
        assert!(prepared("home", json!({"no_such": null})).is_err_and(|said| said.contains("no_such")));
    }

    #[test]
    fn complaints_lead_to_their_place() {
        let complaints =
            crate::table().check(&action("tap_element", json!({"text": "a", "timout": 5}), json!({})), &no_variables);
        assert_eq!(complaints.len(), 1);
        assert_eq!(complaints[0].path, "/params/timout");
        assert_eq!(complaints[0].message, "unknown argument `timout` of tap_element");
        assert_eq!(complaints[0].hint.as_deref(), Some("did you mean `timeout`?"));
        let complaints = crate::table().check(&action("tap_xy", json!([0.5, 2]), json!({})), &no_variables);
        assert_eq!(complaints[0].path, "/params/1");
        assert_eq!(complaints[0].message, "`y` must be at most 1.0, not 2; `tap_abs_xy` takes pixels");
        for (written, meant) in [("max_retry", "max_retry_times"), ("tap_ofset", "tap_offset"), ("timout", "timeout")] {
            let complaints =
                crate::table().check(&action("tap_ocr", json!({"text": "a", written: 3}), json!({})), &no_variables);
            assert_eq!(complaints[0].hint, Some(format!("did you mean `{meant}`?")), "{written}");
        }
        let complaints =
            crate::table().check(&action("tap_xy", json!([0.5, 0.5]), json!({"time_limit": 3})), &no_variables);
        assert_eq!(complaints[0].path, "/options/time_limit");
        assert!(complaints[0].message.ends_with("write `timeout`"), "{complaints:?}");
    }

    #[test]
    fn a_misspelt_key_of_a_target_in_an_argument_is_found_at_load() {
        let into = json!({"text": "$user", "into": {"id": "$id", "indx": 7, "within": {"text": "a", "exct": true}}});
        let holds = |value: &Value| value.to_string().contains('$');
        let mut complaints = crate::table().check(&action("input", into.clone(), json!({})), &holds);
        complaints.sort_by(|a, b| a.path.cmp(&b.path));
        let paths: Vec<&str> = complaints.iter().map(|complaint| complaint.path.as_str()).collect();
        assert_eq!(paths, ["/params/into/indx", "/params/into/within/exct"]);
        assert_eq!(complaints[0].message, "unknown argument `into.indx` of input");
        assert_eq!(complaints[0].hint.as_deref(), Some("did you mean `index`?"));
        assert_eq!(complaints[1].hint.as_deref(), Some("did you mean `exact`?"));
        let error =
            crate::table().prepare(crate::find("input").expect("a tool"), into.as_object().expect("a map").clone());
        assert!(error.is_err_and(|error| error.message.contains("into.indx (did you mean index?)")));
        let typed = json!({"text": "a", "into": {"id": "a", "index": "x"}});
        assert_eq!(crate::table().check(&action("input", typed, json!({})), &holds)[0].path, "/params/into/index");
    }

    #[test]
    fn a_misspelt_key_of_any_map_is_told_what_is_valid_there() {
        let auth = json!({"url": "http://a/", "auth": {"basik": {}}});
        let complaints = crate::table().check(&action("request", auth, json!({})), &no_variables);
        assert_eq!(complaints[0].path, "/params/auth/basik");
        assert_eq!(complaints[0].help.as_deref(), Some("valid there: basic, bearer"));
        let complaints =
            crate::table().check(&action("batch", json!([{"tool": "home", "argument": {}}]), json!({})), &no_variables);
        assert_eq!(complaints[0].hint.as_deref(), Some("did you mean `arguments`?"));
        assert_eq!(complaints[0].path, "/params/0/argument");
    }

    #[test]
    fn only_what_could_fail_otherwise_may_ignore_absence() {
        let ignoring = |method, ignore: Value| action(method, json!("Save"), json!({"ignore_NotFoundError": ignore}));
        for method in ["assert_visible", "assert_not_visible", "wait_for", "app_launch", "get_source"] {
            let complaints = crate::table().check(&ignoring(method, json!(true)), &no_variables);
            assert_eq!(complaints.len(), 1, "{method}");
            assert_eq!(complaints[0].path, "/options/ignore_NotFoundError", "{method}");
            assert!(crate::table().request(&ignoring(method, json!(true))).is_err(), "{method}");
            assert_eq!(crate::table().check(&ignoring(method, json!(false)), &no_variables), []);
        }
        assert_eq!(crate::table().check(&ignoring("tap_element", json!(true)), &no_variables), []);
        let holds = |value: &Value| value == "$flag";
        assert_eq!(crate::table().check(&ignoring("tap_element", json!("$flag")), &holds), []);
        assert_eq!(crate::table().check(&ignoring("tap_element", json!("yes")), &holds).len(), 1);
    }

    #[test]
    fn what_holds_variables_is_checked_at_the_call() {
        let holds = |value: &Value| value.as_str().is_some_and(|text| text.contains('$'));
        assert_eq!(crate::table().check(&action("tap_xy", json!(["$x", 0.5]), json!({})), &holds), []);
        assert_eq!(crate::table().check(&action("tap_xy", json!("$point"), json!({})), &holds), []);
        assert_eq!(crate::table().check(&action("tap_xy", json!(["$x", 3]), json!({})), &holds).len(), 1);
    }

    #[test]
    fn an_unknown_tool_has_a_nearest_name_or_a_reason() {
        assert_eq!(crate::table().unknown_tool("tap_elment").hint.as_deref(), Some("did you mean `tap_element`?"));
        assert!(crate::table().unknown_tool("sleep_strict").message.contains("does not exist any more: write sleep"));
    }
}
