//! The filters that put values in order or add them up: what may not be compared or reckoned with each other is no operand of
//! theirs either. Knows the values, not where they stand.

use minijinja::value::{Kwargs, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, Value as Jinja, filters};

use super::comparison::{self, Side};
use super::parts::Reach;

/// Adds them, in the place of minijinja's.
pub(super) fn add(environment: &mut Environment<'static>) {
    environment.add_filter("sort", |state: &State<'_, '_>, value: Jinja, named: Kwargs| {
        filters::sort(state, ordered("sort", value, &named)?, named)
    });
    environment.add_filter("min", |state: &State<'_, '_>, value: Jinja, named: Kwargs| {
        filters::min(state, ordered("min", value, &named)?, named)
    });
    environment.add_filter("max", |state: &State<'_, '_>, value: Jinja, named: Kwargs| {
        filters::max(state, ordered("max", value, &named)?, named)
    });
    environment.add_filter("dictsort", dictsort);
    environment.add_filter("sum", sum);
}

/// Groups items by what stands at a dotted path of each, in the order of that.
pub(super) fn groupby(value: Jinja, path: Option<&str>, named: Kwargs) -> Result<Jinja, Error> {
    let value = listed(value)?;
    let key = path.map_or_else(|| named.peek::<Option<&str>>("attribute"), |path| Ok(Some(path)))?;
    let default = named.peek::<Option<Jinja>>("default")?;
    let mut keys = keys(&value, key)?;
    if keys.len() < value.len().unwrap_or_default() {
        match default {
            Some(default) => keys.push(default),
            None => return Err(refused(format!("groupby: there is no `{}` in an item", key.unwrap_or_default()))),
        }
    }
    comparable("groupby", keys.iter())?;
    filters::groupby(value, path, named)
}

fn dictsort(value: &Jinja, named: Kwargs) -> Result<Jinja, Error> {
    let by_value = value.kind() == ValueKind::Map && named.peek::<Option<&str>>("by")? == Some("value");
    if by_value {
        let values: Result<Vec<Jinja>, Error> = value.try_iter()?.map(|key| value.get_item(&key)).collect();
        comparable("dictsort", values?.iter())?;
    }
    filters::dictsort(value, named)
}

fn sum(
    state: &State<'_, '_>,
    value: Jinja,
    attribute: Option<&str>,
    start: Option<Jinja>,
    named: Kwargs,
) -> Result<Jinja, Error> {
    let path = match attribute {
        None => named.peek::<Option<&str>>("attribute")?,
        some => some,
    };
    let first = start.clone().or(named.peek("start")?);
    let value = listed(value)?;
    for item in first.into_iter().chain(keys(&value, path)?) {
        let side = Side { text: "…", reach: Reach::default(), value: &item };
        if comparison::reckoned(side).is_err() {
            return Err(refused(format!("sum: {} is not a number", comparison::kind(&item))));
        }
    }
    filters::sum(state, value, attribute, start, named)
}

/// Returns the list once all that it is ordered by may be compared.
fn ordered(filter: &str, value: Jinja, named: &Kwargs) -> Result<Jinja, Error> {
    let value = listed(value)?;
    let paths = named.peek::<Option<&str>>("attribute")?;
    for path in paths.map_or(vec![None], |paths| paths.split(',').map(|path| Some(path.trim())).collect()) {
        comparable(filter, keys(&value, path)?.iter())?;
    }
    Ok(value)
}

/// Returns a list that can be looked at more than once; what is none is the filter's to refuse.
fn listed(value: Jinja) -> Result<Jinja, Error> {
    match value.kind() {
        ValueKind::Iterable => Ok(value.try_iter()?.collect::<Vec<_>>().into()),
        _ => Ok(value),
    }
}

/// Returns what stands at a dotted path of a value.
pub(super) fn at(item: Jinja, path: &str) -> Result<Jinja, Error> {
    path.split('.').try_fold(item, |item, part| match part.parse::<usize>() {
        Ok(number) => item.get_item_by_index(number),
        Err(_) => item.get_attr(part),
    })
}

/// Returns the items of a list, or what stands at a dotted path of each; what is not there is left out.
fn keys(value: &Jinja, path: Option<&str>) -> Result<Vec<Jinja>, Error> {
    if value.is_undefined() {
        return Ok(Vec::new());
    }
    let items = value.try_iter()?;
    let keys = items.filter_map(|item| path.map_or(Some(item.clone()), |path| at(item, path).ok()));
    Ok(keys.filter(|key| !key.is_undefined()).collect())
}

/// Checks that each of these values is greater or less than any other, or the same.
fn comparable<'a>(filter: &str, values: impl Iterator<Item = &'a Jinja>) -> Result<(), Error> {
    // The first of each sort stands for all of its like: a number, a text, and one that looks like a number.
    let mut seen: [Option<&Jinja>; 3] = [None; 3];
    for value in values {
        let sort = match value.kind() {
            ValueKind::Number => 0,
            ValueKind::String if !comparison::looks_like_another(value) => 1,
            ValueKind::String => 2,
            _ => {
                let message = "which is neither greater nor less than anything";
                return Err(refused(format!("{filter}: there is {} in the list, {message}", comparison::kind(value))));
            }
        };
        let side = |value| Side { text: "…", reach: Reach::default(), value };
        let other = seen.iter().flatten().find(|other| comparison::compared(side(other), "<", side(value)).is_err());
        if let Some(other) = other {
            let (one, two) = (comparison::kind(other), comparison::kind(value));
            return Err(refused(format!("{filter}: {one} is not compared with {two}")));
        }
        seen[sort].get_or_insert(value);
    }
    Ok(())
}

fn refused(message: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, message)
}
