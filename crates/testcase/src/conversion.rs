//! The filters that make numbers and booleans of texts, and the tests that compare: none of them takes one for the other.

use minijinja::value::{Kwargs, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, Value as Jinja, filters, tests};

use super::comparison::{self, Side};
use super::parts::Reach;

/// Adds them, in the place of minijinja's.
pub(super) fn add(environment: &mut Environment<'static>) {
    type Holds = fn(&Jinja, &Jinja) -> bool;
    environment.add_filter("int", int);
    environment.add_filter("float", float);
    environment.add_filter("bool", bool);
    for name in ["eq", "equalto", "=="] {
        environment.add_test(name, |one: &Jinja, other: &Jinja| compared(one, "==", other).map(|()| one == other));
    }
    for name in ["ne", "!="] {
        environment.add_test(name, |one: &Jinja, other: &Jinja| compared(one, "==", other).map(|()| one != other));
    }
    let orders: [(&[&'static str], Holds); 4] = [
        (&["<", "lt", "lessthan"], |one, other| one < other),
        (&["<=", "le"], |one, other| one <= other),
        (&[">", "gt", "greaterthan"], |one, other| one > other),
        (&[">=", "ge"], |one, other| one >= other),
    ];
    for (names, holds) in orders {
        for name in names {
            environment.add_test(*name, move |one: &Jinja, other: &Jinja| {
                compared(one, "<", other).map(|()| holds(one, other))
            });
        }
    }
    environment.add_test("in", |state: &State<'_, '_>, one: &Jinja, other: &Jinja| {
        compared(one, "in", other)?;
        tests::is_in(state, one, other)
    });
    environment.add_test("odd", |value: Jinja| reckoned(&value).map(|()| tests::is_odd(value)));
    environment.add_test("even", |value: Jinja| reckoned(&value).map(|()| tests::is_even(value)));
    environment.add_test("divisibleby", |value: Jinja, by: Jinja| {
        reckoned(&value)?;
        reckoned(&by)?;
        Ok::<_, Error>(tests::is_divisibleby(&value, &by))
    });
    environment.add_test("true", |value: &Jinja| is(value, true));
    environment.add_test("false", |value: &Jinja| is(value, false));
}

fn int(
    state: &State<'_, '_>,
    value: &Jinja,
    default: Option<Jinja>,
    base: Option<u32>,
    named: Kwargs,
) -> Result<Jinja, Error> {
    let has_default = default.is_some() || named.has("default");
    refuse_null(value, has_default, "not a whole number")?;
    let made = filters::int(state, value, default, base, named);
    made.map_err(|error| explained(error, value, "not a whole number"))
}

fn float(state: &State<'_, '_>, value: &Jinja, default: Option<Jinja>, named: Kwargs) -> Result<Jinja, Error> {
    let has_default = default.is_some() || named.has("default");
    refuse_null(value, has_default, "not a number")?;
    filters::float(state, value, default, named).map_err(|error| explained(error, value, "not a number"))
}

fn bool(state: &State<'_, '_>, value: &Jinja) -> Result<bool, Error> {
    let Some(text) = value.as_str() else { return filters::bool(state, value) };
    match text.trim().to_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "" | "false" | "0" | "no" | "off" => Ok(false),
        _ => Err(unfit(value, "neither true nor false")),
    }
}

fn refuse_null(value: &Jinja, has_default: bool, what: &str) -> Result<(), Error> {
    if value.is_none() && !has_default { Err(unfit(value, what)) } else { Ok(()) }
}

/// Names the value where minijinja only says how its parser failed.
fn explained(error: Error, value: &Jinja, what: &str) -> Error {
    let is_value = matches!(value.kind(), ValueKind::String | ValueKind::Seq | ValueKind::Map);
    if is_value { unfit(value, what) } else { error }
}

fn unfit(value: &Jinja, what: &str) -> Error {
    Error::new(ErrorKind::InvalidOperation, format!("{} is {what}", comparison::kind(value)))
}

fn compared(one: &Jinja, operator: &str, other: &Jinja) -> Result<(), Error> {
    let side = |value| Side { text: "…", reach: Reach::default(), value };
    comparison::compared(side(one), operator, side(other)).map_err(|_| {
        let (one, other) = (comparison::kind(one), comparison::kind(other));
        Error::new(ErrorKind::InvalidOperation, format!("{one} is not compared with {other}"))
    })
}

fn reckoned(value: &Jinja) -> Result<(), Error> {
    if value.kind() == ValueKind::Number || value.is_undefined() {
        return Ok(());
    }
    Err(unfit(value, "not a number: did you mean `… | int`?"))
}

fn is(value: &Jinja, wanted: bool) -> Result<bool, Error> {
    compared(value, "==", &Jinja::from(wanted))?;
    Ok(value.kind() == ValueKind::Bool && value.is_true() == wanted)
}
