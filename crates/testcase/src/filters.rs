//! The filters that choose, change or group items: the tests that they choose by compare as operators do, an item that lacks
//! what it is chosen by is an error, and no result is much larger than its list.

use minijinja::value::{Kwargs, Rest, ValueOrKwargs, from_args};
use minijinja::{Environment, Error, ErrorKind, State, Value as Jinja, filters};

use super::comparison;
use super::{functions, ordering};

/// Most parts, and most items of a part, that a list is cut into.
const MOST_PARTS: usize = 10_000;
/// Widest indentation, in characters.
const WIDEST: usize = 200;
/// Longest text that is indented, in bytes.
const MAX_LEN: usize = 100_000;

/// The filters, by name: those of minijinja that are kept, and every function.
pub(super) const FILTERS: [&str; 43] = [
    "lower",
    "upper",
    "title",
    "capitalize",
    "replace",
    "length",
    "count",
    "dictsort",
    "items",
    "reverse",
    "trim",
    "join",
    "split",
    "lines",
    "default",
    "d",
    "round",
    "abs",
    "int",
    "float",
    "attr",
    "first",
    "last",
    "min",
    "max",
    "sort",
    "list",
    "string",
    "bool",
    "sum",
    "unique",
    "tojson",
    "map",
    "select",
    "reject",
    "selectattr",
    "rejectattr",
    "groupby",
    "batch",
    "slice",
    "zip",
    "indent",
    "urlencode",
];
/// The tests, by name; those that compare do it as the operators do.
pub(super) const TESTS: [&str; 37] = [
    "undefined",
    "defined",
    "none",
    "boolean",
    "odd",
    "even",
    "divisibleby",
    "number",
    "integer",
    "int",
    "float",
    "string",
    "sequence",
    "iterable",
    "mapping",
    "startingwith",
    "endingwith",
    "lower",
    "upper",
    "eq",
    "ne",
    "in",
    "true",
    "false",
    "equalto",
    "lt",
    "lessthan",
    "le",
    "gt",
    "greaterthan",
    "ge",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
];

/// Adds them, in the place of minijinja's.
pub(super) fn add(environment: &mut Environment<'static>) {
    environment.add_filter("select", |state: &mut State<'_, '_>, list: Jinja, rest: Rest<Jinja>| {
        chosen(state, &list, None, &rest, true)
    });
    environment.add_filter("reject", |state: &mut State<'_, '_>, list: Jinja, rest: Rest<Jinja>| {
        chosen(state, &list, None, &rest, false)
    });
    environment.add_filter("selectattr", |state: &mut State<'_, '_>, list: Jinja, path: String, rest: Rest<Jinja>| {
        chosen(state, &list, Some(&path), &rest, true)
    });
    environment.add_filter("rejectattr", |state: &mut State<'_, '_>, list: Jinja, path: String, rest: Rest<Jinja>| {
        chosen(state, &list, Some(&path), &rest, false)
    });
    environment.add_filter("map", mapped);
    environment.add_filter("groupby", ordering::groupby);
    environment.add_filter("batch", |state: &State<'_, '_>, list: Jinja, count: usize, filler: Option<Jinja>| {
        filters::batch(state, list, within("batch", count, MOST_PARTS)?, filler)
    });
    environment.add_filter("slice", |state: &State<'_, '_>, list: Jinja, count: usize, filler: Option<Jinja>| {
        filters::slice(state, list, within("slice", count, MOST_PARTS)?, filler)
    });
    environment.add_filter("indent", indented);
    environment.add_filter("urlencode", |text: &Jinja| match text.as_str() {
        Some(text) => Ok(url_encoded(text)),
        None => Err(refused(format!("urlencode: {} is not a text", comparison::kind(text)))),
    });
}

/// Chooses the items of a list, or those of which something at a dotted path is so; without a test, those that are true.
fn chosen(
    state: &mut State<'_, '_>,
    list: &Jinja,
    path: Option<&str>,
    rest: &[Jinja],
    wanted: bool,
) -> Result<Vec<Jinja>, Error> {
    let test = match rest.first() {
        Some(test) => Some(named(test, "test", &|name| TESTS.contains(&name))?),
        None => None,
    };
    let mut found = Vec::new();
    for item in list.try_iter()? {
        let value = path.map_or(Ok(item.clone()), |path| ordering::at(item.clone(), path))?;
        let holds = match test {
            Some(test) => {
                let arguments: Vec<Jinja> = std::iter::once(value).chain(rest[1..].iter().cloned()).collect();
                state.perform_test(test, &arguments)?
            }
            None if value.is_undefined() => return Err(lacking(path.unwrap_or_default())),
            None => comparison::truth(&value).is_true(),
        };
        if holds == wanted {
            found.push(item);
        }
    }
    Ok(found)
}

fn named<'a>(name: &'a Jinja, what: &str, is_known: &dyn Fn(&str) -> bool) -> Result<&'a str, Error> {
    match name.as_str() {
        Some(name) if is_known(name) => Ok(name),
        _ => Err(refused(format!("unknown {what} `{name}`"))),
    }
}

fn lacking(path: &str) -> Error {
    refused(format!("there is no `{path}` in an item of the list"))
}

/// Replaces each item by what stands at a dotted path of it, or by what a filter makes of it.
#[expect(clippy::needless_pass_by_value, reason = "minijinja hands arguments over")]
fn mapped(state: &mut State<'_, '_>, list: &Jinja, rest: Rest<ValueOrKwargs>) -> Result<Vec<Jinja>, Error> {
    let rest: Vec<Jinja> = rest.iter().map(|value| (**value).clone()).collect();
    let (arguments, options): (&[Jinja], Kwargs) = from_args(&rest)?;
    if let Some(path) = options.get::<Option<&str>>("attribute")? {
        let default: Option<Jinja> = options.get("default")?;
        options.assert_all_used()?;
        let value = |item| match ordering::at(item, path) {
            Ok(value) if !value.is_undefined() => Ok(value),
            _ => default.clone().ok_or_else(|| lacking(path)),
        };
        return list.try_iter()?.map(value).collect();
    }
    let Some((first, others)) = arguments.split_first() else {
        return Err(refused("map: give the name of a filter, or `attribute='…'`".to_owned()));
    };
    let filter = named(first, "filter", &|name| FILTERS.contains(&name) || functions::names().any(|own| own == name))?;
    let one = |item| {
        let arguments: Vec<Jinja> = std::iter::once(item).chain(others.iter().cloned()).collect();
        state.apply_filter(filter, &arguments)
    };
    list.try_iter()?.map(one).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "minijinja hands arguments over")]
fn indented(
    text: &str,
    width: Option<usize>,
    first: Option<bool>,
    blank: Option<bool>,
    options: Kwargs,
) -> Result<String, Error> {
    let width = width.map_or_else(|| options.get::<Option<usize>>("width"), |width| Ok(Some(width)))?.unwrap_or(4);
    let first = first.map_or_else(|| options.get::<Option<bool>>("first"), |first| Ok(Some(first)))?.unwrap_or(false);
    let blank = blank.map_or_else(|| options.get::<Option<bool>>("blank"), |blank| Ok(Some(blank)))?.unwrap_or(false);
    options.assert_all_used()?;
    within("indent", width, WIDEST)?;
    within("indent", text.len(), MAX_LEN)?;
    let before = " ".repeat(width);
    let line = |(at, line): (usize, &str)| {
        let is_moved = (at > 0 || first) && (blank || !line.trim().is_empty());
        format!("{}{line}", if is_moved { before.as_str() } else { "" })
    };
    Ok(text.split('\n').enumerate().map(line).collect::<Vec<_>>().join("\n"))
}

/// Writes what means something in a URL in hexadecimal; `/` stays.
fn url_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => encoded.push(byte.into()),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

fn within(filter: &str, number: usize, most: usize) -> Result<usize, Error> {
    if number > most { Err(refused(format!("{filter}: {number} is more than {most}"))) } else { Ok(number) }
}

fn refused(message: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, message)
}
