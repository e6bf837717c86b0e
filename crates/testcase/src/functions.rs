//! The built-in functions of `${name(arguments)}`, with `HttpRunner`'s names. Knows neither variables nor files' places.

use md5::{Digest as _, Md5};
use serde_json::Value;
use sha2::Sha256;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::nearest;
use uixt_core::written;

mod chance;
mod text;

/// What functions reach outside of their arguments.
pub(super) trait Surroundings {
    /// Returns an environment variable.
    fn environ(&mut self, name: &str) -> Result<Option<String>, String>;
    /// Returns the rows of a CSV file.
    fn table(&mut self, path: &str) -> Result<Value, String>;
    /// Notes that the runner must wait.
    fn wait(&mut self, time: Duration);
}

type Call = fn(&mut dyn Surroundings, &[Value]) -> Result<Value, String>;

/// A function with the least and the greatest number of its arguments.
struct Function {
    name: &'static str,
    arity: (usize, usize),
    call: Call,
}

const fn function(name: &'static str, least: usize, most: usize, call: Call) -> Function {
    Function { name, arity: (least, most), call }
}

/// `get_timestamp(digits = 13)`, `sleep(seconds)`, `gen_random_string(length)`, `random_int(n)` (0 ≤ x < n),
/// `random_range(a, b)` (a ≤ x < b, with a fraction), `max(a, b)`, `md5(text)`, `sha256(text)`, `P(file.csv)` (a list of maps),
/// `split_by_comma(text)`, `ENV(name, default)`.
const FUNCTIONS: [Function; 15] = [
    function("get_timestamp", 0, 1, get_timestamp),
    function("sleep", 1, 1, sleep),
    function("gen_random_string", 1, 1, gen_random_string),
    function("random_int", 1, 1, random_int),
    function("random_range", 2, 2, random_range),
    function("max", 2, 2, greater),
    function("md5", 1, 1, md5_hex),
    function("sha256", 1, 1, sha256_hex),
    function("parameterize", 1, 1, table),
    function("P", 1, 1, table),
    function("csv", 1, 1, table),
    function("split_by_comma", 1, 1, split_by_comma),
    function("environ", 1, 2, environ),
    function("ENV", 1, 2, environ),
    function("env", 1, 2, environ),
];

/// Functions of `HttpRunner` that are not there, with what to write instead.
const INSTEAD: [(&str, &str); 6] = [
    (
        "load_ws_message",
        "write the message in the step's `websocket`: `text: …`, or `binary: {base64: …}` for a file's bytes",
    ),
    ("multipart_encoder", "write `upload: {…}` in the step's `request`"),
    ("multipart_content_type", "write `upload: {…}` in the step's `request`"),
    ("get_os_environ", "write `${ENV(NAME)}`"),
    ("os_env", "write `${ENV(NAME)}`"),
    ("get_env", "write `${ENV(NAME)}`"),
];

fn all() -> impl Iterator<Item = &'static Function> {
    FUNCTIONS.iter().chain(text::FUNCTIONS).chain(chance::FUNCTIONS)
}

fn find(name: &str) -> Option<&'static Function> {
    all().find(|function| function.name == name)
}

/// Returns the names of all functions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    all().map(|function| function.name)
}

/// Says whether there is a function of this name.
pub(super) fn is_built_in(name: &str) -> bool {
    find(name).is_some()
}

/// Says what to write instead of a function that `HttpRunner` has.
pub(super) fn instead(name: &str) -> Option<&'static str> {
    INSTEAD.iter().find(|(known, _)| *known == name).map(|(_, instead)| *instead)
}

/// Most characters of a random string.
const MAX_LEN: u64 = 100_000;
/// Most seconds of a `sleep`.
const LONGEST_SLEEP: f64 = 3600.0;

/// What is wrong with a call before it is made.
pub(super) struct Refusal {
    pub(super) message: String,
    pub(super) hint: Option<String>,
    pub(super) help: Option<String>,
}

/// Says whether a call can be made with so many arguments; `others` are functions that can be called, too.
pub(super) fn check<'a>(name: &str, arguments: usize, others: impl Iterator<Item = &'a str>) -> Result<(), Refusal> {
    let plain = |message: String| Refusal { message, hint: None, help: None };
    let Some(function) = find(name) else {
        if let Some(instead) = instead(name) {
            let help = Some(instead.to_owned());
            return Err(Refusal { help, ..plain(format!("there is no function `{name}`")) });
        }
        let others: Vec<&str> = others.take(40).collect();
        let mut valid = others.clone();
        for name in names() {
            valid.push(name);
        }
        let mut help = format!("valid: {}", valid.join(", "));
        if others.is_empty() {
            help.push_str("; more can be written in a Python file: `config: {functions: FILE.py}`");
        }
        return Err(Refusal {
            message: format!("unknown function `{name}`"),
            hint: nearest::hint(name, valid.iter().copied()),
            help: Some(help),
        });
    };
    let (least, most) = function.arity;
    if (least..=most).contains(&arguments) {
        return Ok(());
    }
    let takes = if least == most { least.to_string() } else { format!("{least} to {most}") };
    let plural = if (least, most) == (1, 1) { "" } else { "s" };
    Err(plain(format!("{name} takes {takes} argument{plural}, not {arguments}")))
}

/// Makes a call that [`check`] has accepted.
pub(super) fn call(name: &str, surroundings: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    let function = find(name).ok_or_else(|| format!("unknown function `{name}`"))?;
    (function.call)(surroundings, arguments).map_err(|message| format!("{name}: {message}"))
}

/// Returns a value as it stands in a text: strings bare, null as nothing, lists and maps as JSON.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => written::text(value).unwrap_or(text).to_owned(),
        Value::Number(number) if number.is_f64() => number.as_f64().unwrap_or_default().to_string(),
        other => other.to_string(),
    }
}

fn number(arguments: &[Value], index: usize) -> Result<f64, String> {
    let value = arguments.get(index).unwrap_or(&Value::Null);
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
    number.filter(|number| number.is_finite()).ok_or_else(|| format!("{value} is not a number"))
}

fn whole(arguments: &[Value], least: u64, most: u64) -> Result<u64, String> {
    let value = arguments.first().unwrap_or(&Value::Null);
    let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    let within = number.filter(|number| (least..=most).contains(number));
    within.ok_or_else(|| format!("{value} is not a whole number from {least} to {most}"))
}

fn first_text(arguments: &[Value]) -> String {
    arguments.first().map(text_of).unwrap_or_default()
}

fn get_timestamp(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    let digits = if arguments.is_empty() { 13 } else { whole(arguments, 1, 19)? };
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|error| error.to_string())?;
    let nanoseconds = u64::try_from(since.as_nanos()).map_err(|error| error.to_string())?;
    let cut = u32::try_from(19 - digits).unwrap_or_default();
    Ok((nanoseconds / 10_u64.pow(cut)).into())
}

fn sleep(surroundings: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    let seconds = number(arguments, 0)?;
    if !(0.0..=LONGEST_SLEEP).contains(&seconds) {
        return Err(format!("{seconds} is not from 0 to {LONGEST_SLEEP} seconds"));
    }
    surroundings.wait(Duration::from_secs_f64(seconds));
    Ok(arguments[0].clone())
}

fn gen_random_string(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    let length = whole(arguments, 0, MAX_LEN)?;
    Ok((0..length).map(|_| fastrand::alphanumeric()).collect::<String>().into())
}

fn random_int(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    let end = whole(arguments, 1, u64::MAX)?;
    Ok(fastrand::u64(0..end).into())
}

fn random_range(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    let (from, to) = (number(arguments, 0)?, number(arguments, 1)?);
    if from > to {
        return Err(format!("{from} is greater than {to}"));
    }
    Ok((from + fastrand::f64() * (to - from)).into())
}

fn greater(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    let index = usize::from(number(arguments, 0)? < number(arguments, 1)?);
    match &arguments[index] {
        number @ Value::Number(_) => Ok(number.clone()),
        _ => number(arguments, index).map(Value::from),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "every function has this form")]
fn md5_hex(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    Ok(hexadecimal(&Md5::digest(first_text(arguments))))
}

#[expect(clippy::unnecessary_wraps, reason = "every function has this form")]
fn sha256_hex(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    Ok(hexadecimal(&<Sha256 as sha2::Digest>::digest(first_text(arguments))))
}

fn hexadecimal(bytes: &[u8]) -> Value {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
}

fn table(surroundings: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    surroundings.table(&first_text(arguments))
}

#[expect(clippy::unnecessary_wraps, reason = "every function has this form")]
fn split_by_comma(_: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    Ok(first_text(arguments).split(',').map(Value::from).collect::<Vec<_>>().into())
}

fn environ(surroundings: &mut dyn Surroundings, arguments: &[Value]) -> Result<Value, String> {
    let name = first_text(arguments);
    match (surroundings.environ(&name)?, arguments.get(1)) {
        (Some(value), _) => Ok(value.into()),
        (None, Some(default)) => Ok(default.clone()),
        (None, None) => Err(format!("the environment variable `{name}` is not set")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Default)]
    struct Nothing(Duration);

    impl Surroundings for Nothing {
        fn environ(&mut self, name: &str) -> Result<Option<String>, String> {
            Ok((name == "HOME").then(|| "/h".to_owned()))
        }

        fn table(&mut self, path: &str) -> Result<Value, String> {
            Err(format!("no {path}"))
        }

        fn wait(&mut self, time: Duration) {
            self.0 += time;
        }
    }

    fn called(name: &str, arguments: &Value) -> Result<Value, String> {
        call(name, &mut Nothing::default(), arguments.as_array().unwrap())
    }

    #[test]
    fn functions_return_what_they_promise() {
        let table = [
            ("max", json!([1, 2]), json!(2)),
            ("max", json!(["3", 2.5]), json!(3.0)),
            ("md5", json!(["hello"]), json!("5d41402abc4b2a76b9719d911017c592")),
            ("md5", json!([12]), json!("c20ad4d76fe97759aa27a0c99bff6710")),
            ("sha256", json!(["abc"]), json!("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")),
            ("sha256", json!([""]), json!("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")),
            ("split_by_comma", json!(["a,b c"]), json!(["a", "b c"])),
            ("ENV", json!(["HOME"]), json!("/h")),
            ("environ", json!(["NONE", "d"]), json!("d")),
            ("random_int", json!([1]), json!(0)),
            ("random_range", json!([2, 2]), json!(2.0)),
            ("gen_random_string", json!([0]), json!("")),
        ];
        for (name, arguments, expected) in table {
            assert_eq!(called(name, &arguments), Ok(expected), "{name}{arguments}");
        }
    }

    #[test]
    fn random_values_and_times_lie_in_their_ranges() {
        assert_eq!(called("get_timestamp", &json!([])).unwrap().to_string().len(), 13);
        assert_eq!(called("get_timestamp", &json!([10])).unwrap().to_string().len(), 10);
        let text = called("gen_random_string", &json!([40])).unwrap();
        assert!(text.as_str().unwrap().len() == 40 && text != called("gen_random_string", &json!([40])).unwrap());
        for _ in 0..100 {
            assert!(called("random_int", &json!([3])).unwrap().as_u64().unwrap() < 3);
            assert!((1.0..2.0).contains(&called("random_range", &json!([1, 2])).unwrap().as_f64().unwrap()));
        }
    }

    #[test]
    fn sleep_waits_later() {
        let mut nothing = Nothing::default();
        assert_eq!(call("sleep", &mut nothing, &[json!(2.5)]), Ok(json!(2.5)));
        assert_eq!(nothing.0, Duration::from_millis(2500));
    }

    #[test]
    fn bad_calls_are_refused() {
        let table = [
            ("sleep", json!([-1]), "sleep: -1 is not from 0 to 3600 seconds"),
            ("sleep", json!(["x"]), "sleep: \"x\" is not a number"),
            ("random_int", json!([0]), "random_int: 0 is not a whole number from 1 to 18446744073709551615"),
            (
                "gen_random_string",
                json!([1e9]),
                "gen_random_string: 1000000000.0 is not a whole number from 0 to 100000",
            ),
            ("random_range", json!([2, 1]), "random_range: 2 is greater than 1"),
            ("ENV", json!(["NONE"]), "ENV: the environment variable `NONE` is not set"),
        ];
        for (name, arguments, expected) in table {
            assert_eq!(called(name, &arguments), Err(expected.to_owned()));
        }
        let none = || std::iter::empty::<&str>();
        let refused = |name: &str, count: usize| check(name, count, none()).err().map(|refusal| refusal.message);
        assert_eq!(refused("max", 2), None);
        assert_eq!(refused("max", 1).as_deref(), Some("max takes 2 arguments, not 1"));
        assert_eq!(refused("md5", 0).as_deref(), Some("md5 takes 1 argument, not 0"));
        assert_eq!(refused("ENV", 3).as_deref(), Some("ENV takes 1 to 2 arguments, not 3"));
        assert_eq!(refused("load_ws_message", 1).as_deref(), Some("there is no function `load_ws_message`"));
        assert_eq!(check("gen_random", 1, none()).err().and_then(|refusal| refusal.hint), None);
        assert_eq!(
            check("md_5", 1, none()).err().and_then(|refusal| refusal.hint).as_deref(),
            Some("did you mean `md5`?")
        );
    }
}
