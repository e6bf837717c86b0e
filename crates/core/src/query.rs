//! An expression and a result → the value in it: `JMESPath`, and the regular expressions over a body that `HttpRunner` takes.
//! Knows nothing else of the crate.

use jmespath::ast::Ast;
use jmespath::{Expression, Rcvar, Runtime, Variable};
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// What only a regular expression holds; `HttpRunner` tells the two apart by `(.*)`.
const REGEX_SIGNS: [&str; 4] = ["(.*", "(.+", "(\\", "([^"];

/// Most parts of an expression: the library descends into each of them, on the stack.
const SIGNS: usize = 200;

/// Why an expression cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// One sentence without its end.
    pub message: String,
    /// Where in the expression, in bytes.
    pub offset: usize,
}

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let mut runtime = Runtime::new();
    runtime.register_builtin_functions();
    runtime
});

/// Says what is wrong with an expression, without a value.
pub fn check(expression: &str) -> Result<(), Error> {
    match is_regex(expression) {
        true => compile_regex(expression).map(|_| ()),
        false => parse(expression).map(|_| ()),
    }
}

/// Returns what an expression finds in a value; none where there is nothing.
///
/// Null is found only where a plain path leads to it: elsewhere `JMESPath` cannot tell it from nothing. A list of what no item
/// of another list has is nothing, and so is one that was filtered by it; one that a filter left empty is found.
///
/// Names under `headers` are found in any case of letters. An expression with a group such as `(.*)` is a regular expression
/// over the text of `body`, whose first group is found.
pub fn search(expression: &str, value: &Value) -> Result<Option<Value>, Error> {
    if is_regex(expression) {
        return search_body(expression, value);
    }
    let mut ast = parse(expression)?;
    name_headers(&mut ast, value.get("headers"));
    let data = Rcvar::new(Variable::from_serializable(value).map_err(|error| problem(&error))?);
    let found = evaluated(&ast, &data)?;
    if found.is_null() {
        return Ok((presence(&ast, &data)? == Presence::There).then_some(Value::Null));
    }
    if presence(&ast, &data)? == Presence::Absent {
        return Ok(None);
    }
    serde_json::to_value(&*found).map(Some).map_err(|error| Error { message: error.to_string(), offset: 0 })
}

fn evaluated(ast: &Ast, data: &Rcvar) -> Result<Rcvar, Error> {
    Expression::new("", ast.clone(), &RUNTIME).search(data).map_err(|error| problem(&error))
}

/// Whether there is what an expression names; what matters more of several items comes later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Presence {
    /// There is nothing that could have it: the list is empty.
    Empty,
    /// There is nothing that could lack it: a filter left nothing.
    Open,
    Absent,
    There,
}

impl Presence {
    /// One item that has it is enough; where none has it, one that lacks it is.
    fn of_items(mut items: impl Iterator<Item = Result<Self, Error>>) -> Result<Self, Error> {
        items.try_fold(Self::Empty, |all, item| Ok(all.max(item?)))
    }
}

/// Tells whether an expression looks into the items of a list that has none, so that what it finds proves nothing of them.
pub fn is_of_empty_list(expression: &str, value: &Value) -> bool {
    let is_empty = || {
        let data = Rcvar::new(Variable::from_serializable(value).ok()?);
        Some(presence(&parse(expression).ok()?, &data).ok()? == Presence::Empty)
    };
    !is_regex(expression) && is_empty().unwrap_or(false)
}

/// Says which field no item of a list has that an expression asks of its items: "no item of `body.items` has `idd`; they have: id, name".
pub fn lacking(expression: &str, value: &Value) -> Option<String> {
    let data = Rcvar::new(Variable::from_serializable(value).ok()?);
    let mut ast = parse(expression).ok()?;
    name_headers(&mut ast, value.get("headers"));
    lacking_in(&ast, &data)
}

fn lacking_in(ast: &Ast, data: &Rcvar) -> Option<String> {
    if let Ast::Projection { lhs, rhs, .. } = ast
        && let Ok(list) = evaluated(lhs, data)
        && let Some(items) = list.as_array().filter(|items| !items.is_empty())
    {
        let asked = match rhs.as_ref() {
            Ast::Condition { predicate, .. } => compared(predicate),
            Ast::Identity { .. } => Vec::new(),
            whole => vec![whole],
        };
        let lost = asked.into_iter().find(|field| is_lost(field, items) == Ok(true));
        if let Some(name) = lost.and_then(written) {
            let of = written(lhs).map(|list| format!(" of `{list}`")).unwrap_or_default();
            let fields = items.first().and_then(|item| item.as_object()).map(|item| {
                let names: Vec<&str> = item.keys().take(20).map(String::as_str).collect();
                format!("; they have: {}", names.join(", "))
            });
            return Some(format!("no item{of} has `{name}`{}", fields.unwrap_or_default()));
        }
    }
    children(ast).into_iter().find_map(|part| lacking_in(part, data))
}

/// Writes a path of fields as it stands in an expression.
fn written(ast: &Ast) -> Option<String> {
    match ast {
        Ast::Field { name, .. } => Some(name.clone()),
        Ast::Index { idx, .. } => Some(format!("[{idx}]")),
        Ast::Subexpr { lhs, rhs, .. } => {
            let dot = if matches!(rhs.as_ref(), Ast::Index { .. }) { "" } else { "." };
            Some(format!("{}{dot}{}", written(lhs)?, written(rhs)?))
        }
        Ast::Projection { lhs, rhs, .. } => match rhs.as_ref() {
            Ast::Identity { .. } | Ast::Condition { .. } => written(lhs),
            _ => Some(format!("{}[*].{}", written(lhs)?, written(rhs)?)),
        },
        Ast::Flatten { node, .. } => written(node),
        _ => None,
    }
}

/// Returns what a filter compares, but for what it asks only whether it is there: with null, or by itself.
fn compared(predicate: &Ast) -> Vec<&Ast> {
    match predicate {
        Ast::Comparison { lhs, rhs, .. } => {
            let is_null = |side: &Ast| matches!(side, Ast::Literal { value, .. } if value.is_null());
            let is_asked = !is_null(lhs) && !is_null(rhs);
            let sides = [lhs.as_ref(), rhs.as_ref()].into_iter().filter(|_| is_asked);
            sides.flat_map(|side| if is_path(side) { vec![side] } else { compared(side) }).collect()
        }
        Ast::Function { args, .. } => {
            args.iter().flat_map(|side| if is_path(side) { vec![side] } else { compared(side) }).collect()
        }
        Ast::And { lhs, rhs, .. } | Ast::Or { lhs, rhs, .. } => {
            [lhs, rhs].into_iter().flat_map(|side| compared(side)).collect()
        }
        Ast::Not { node, .. } => compared(node),
        _ => Vec::new(),
    }
}

fn is_path(ast: &Ast) -> bool {
    matches!(ast, Ast::Field { .. } | Ast::Subexpr { .. } | Ast::Projection { .. })
}

/// Tells whether no item of a list has what is asked of them.
fn is_lost(field: &Ast, items: &[Rcvar]) -> Result<bool, Error> {
    Ok(Presence::of_items(items.iter().map(|item| presence(field, item)))? == Presence::Absent)
}

/// Tells whether what an expression names is there: a field of a map, a place of a list, both also of the items of a list.
fn presence(ast: &Ast, data: &Rcvar) -> Result<Presence, Error> {
    let of = |is_there: bool| if is_there { Presence::There } else { Presence::Absent };
    match ast {
        Ast::Field { name, .. } => Ok(of(data.as_object().is_some_and(|map| map.contains_key(name)))),
        Ast::Index { idx, .. } => Ok(of(data.as_array().is_some_and(|items| {
            let place = usize::try_from(idx.unsigned_abs()).unwrap_or(usize::MAX);
            if *idx < 0 { place <= items.len() } else { place < items.len() }
        }))),
        Ast::Subexpr { lhs, rhs, .. } => match presence(lhs, data)? {
            Presence::Absent => Ok(Presence::Absent),
            Presence::There => presence(rhs, &evaluated(lhs, data)?),
            nothing => Ok(nothing),
        },
        Ast::Projection { lhs, rhs, .. } => match presence(lhs, data)? {
            Presence::There => {
                let list = evaluated(lhs, data)?;
                let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
                if let Ast::Condition { predicate, .. } = rhs.as_ref() {
                    for field in compared(predicate) {
                        if is_lost(field, items)? {
                            return Ok(Presence::Absent);
                        }
                    }
                }
                Presence::of_items(items.iter().map(|item| presence(rhs, item)))
            }
            other => Ok(other),
        },
        Ast::Condition { predicate, then, .. } => match evaluated(predicate, data)?.is_truthy() {
            true => presence(then, data),
            false => Ok(Presence::Open),
        },
        Ast::Flatten { node, .. } | Ast::ObjectValues { node, .. } => presence(node, data),
        Ast::Not { node, .. } => lost(std::iter::once(node.as_ref()), data),
        Ast::Function { args, .. } => lost(args.iter(), data),
        Ast::MultiList { elements, .. } => lost(elements.iter(), data),
        Ast::MultiHash { elements, .. } => lost(elements.iter().map(|pair| &pair.value), data),
        Ast::Comparison { lhs, rhs, .. } | Ast::And { lhs, rhs, .. } => {
            lost([lhs.as_ref(), rhs.as_ref()].into_iter(), data)
        }
        Ast::Identity { .. } => Ok(Presence::There),
        _ => Ok(of(!evaluated(ast, data)?.is_null())),
    }
}

/// Tells whether one of several parts is a list that lacks what it is asked for; single values that are absent are theirs to judge.
fn lost<'a>(parts: impl Iterator<Item = &'a Ast>, data: &Rcvar) -> Result<Presence, Error> {
    for part in parts {
        if !evaluated(part, data)?.is_null() && presence(part, data)? == Presence::Absent {
            return Ok(Presence::Absent);
        }
    }
    Ok(Presence::Open)
}

/// Tells whether an expression is a regular expression rather than `JMESPath`.
pub fn is_regex(expression: &str) -> bool {
    REGEX_SIGNS.iter().any(|sign| expression.contains(sign))
}

fn parse(expression: &str) -> Result<Ast, Error> {
    if expression.trim().is_empty() {
        return Err(Error { message: "the expression is empty".to_owned(), offset: 0 });
    }
    let signs = expression.bytes().filter(|byte| b".([{!&|*".contains(byte)).count();
    if signs > SIGNS {
        let message = format!("the expression is too long: more than {SIGNS} of its parts");
        return Err(Error { message, offset: expression.len() });
    }
    jmespath::parse(expression).map_err(|error| problem(&error))
}

/// Says what is wrong in one line; the library draws the expression below it.
fn problem(error: &jmespath::JmespathError) -> Error {
    let text = error.reason.to_string();
    let message = text.lines().next().unwrap_or_default();
    let message = message.strip_prefix("Parse error: ").unwrap_or(message).trim_end_matches([' ', '-', ':', '.']);
    Error { message: format!("JMESPath: {message}"), offset: error.offset.min(error.expression.len()) }
}

/// Puts the names under `headers` into the case of letters that the value has.
fn name_headers(ast: &mut Ast, headers: Option<&Value>) {
    let Some(Value::Object(headers)) = headers else { return };
    if let Ast::Subexpr { lhs, rhs, .. } = ast
        && matches!(lhs.as_ref(), Ast::Field { name, .. } if name == "headers")
    {
        let mut first = rhs.as_mut();
        while let Ast::Subexpr { lhs, .. } = first {
            first = lhs.as_mut();
        }
        if let Ast::Field { name, .. } = first
            && let Some(known) = headers.keys().find(|known| known.eq_ignore_ascii_case(name))
        {
            name.clone_from(known);
        }
    }
    inner(ast).into_iter().for_each(|ast| name_headers(ast, Some(&Value::Object(headers.clone()))));
}

/// Returns the parts of an expression.
fn inner(ast: &mut Ast) -> Vec<&mut Ast> {
    match ast {
        Ast::Comparison { lhs, rhs, .. }
        | Ast::And { lhs, rhs, .. }
        | Ast::Or { lhs, rhs, .. }
        | Ast::Projection { lhs, rhs, .. }
        | Ast::Subexpr { lhs, rhs, .. } => vec![lhs, rhs],
        Ast::Condition { predicate, then, .. } => vec![predicate, then],
        Ast::Expref { ast, .. } => vec![ast],
        Ast::Flatten { node, .. } | Ast::Not { node, .. } | Ast::ObjectValues { node, .. } => vec![node],
        Ast::Function { args, .. } => args.iter_mut().collect(),
        Ast::MultiList { elements, .. } => elements.iter_mut().collect(),
        Ast::MultiHash { elements, .. } => elements.iter_mut().map(|pair| &mut pair.value).collect(),
        _ => Vec::new(),
    }
}

/// Returns the parts of an expression to read.
fn children(ast: &Ast) -> Vec<&Ast> {
    match ast {
        Ast::Comparison { lhs, rhs, .. }
        | Ast::And { lhs, rhs, .. }
        | Ast::Or { lhs, rhs, .. }
        | Ast::Projection { lhs, rhs, .. }
        | Ast::Subexpr { lhs, rhs, .. } => vec![lhs, rhs],
        Ast::Condition { predicate, then, .. } => vec![predicate, then],
        Ast::Expref { ast, .. } => vec![ast],
        Ast::Flatten { node, .. } | Ast::Not { node, .. } | Ast::ObjectValues { node, .. } => vec![node],
        Ast::Function { args, .. } => args.iter().collect(),
        Ast::MultiList { elements, .. } => elements.iter().collect(),
        Ast::MultiHash { elements, .. } => elements.iter().map(|pair| &pair.value).collect(),
        _ => Vec::new(),
    }
}

fn compile_regex(expression: &str) -> Result<Regex, Error> {
    Regex::new(expression)
        .map_err(|error| Error { message: format!("not a regular expression: {}", last_line(&error)), offset: 0 })
}

fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let line = text.lines().last().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

fn search_body(expression: &str, value: &Value) -> Result<Option<Value>, Error> {
    let pattern = compile_regex(expression)?;
    let Some(Value::String(body)) = value.get("body") else {
        let message = "a regular expression is searched in the text of `body`, which is not a text here: write JMESPath, \
                       such as `body.name`";
        return Err(Error { message: message.to_owned(), offset: 0 });
    };
    let found = pattern.captures(body);
    Ok(found.and_then(|found| found.get(1)).map(|group| group.as_str().into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(expression: &str) -> Option<Value> {
        let value = json!({
            "status_code": 200, "headers": {"Content-Type": "text/html", "X-Id": "7"},
            "body": {"items": [{"id": 1, "price": 1.5}, {"id": 2}], "none": null, "big": 9_007_199_254_740_993_u64},
        });
        search(expression, &value).expect("a good expression")
    }

    #[test]
    fn values_are_found_and_what_is_missing_is_none() {
        assert_eq!(found("status_code"), Some(json!(200)));
        assert_eq!(found("body.items[?id==`2`].id | [0]"), Some(json!(2)));
        assert_eq!(found("length(body.items)"), Some(json!(2)));
        assert_eq!(found("body.items[0].price"), Some(json!(1.5)));
        assert_eq!(found("body.big"), Some(json!(9_007_199_254_740_993_u64)));
        assert_eq!(found("body.nothing.at.all"), None);
    }

    #[test]
    fn a_null_that_is_there_is_found() {
        let value = json!({"body": {"none": null, "list": [null, {"a": null}]}});
        for path in ["body.none", "body.list[0]", "body.list[1].a", "body.\"none\""] {
            assert_eq!(search(path, &value), Ok(Some(Value::Null)), "{path}");
        }
        for path in ["body.nothing", "body.list[5]", "body.none.a", "body.list[1].b", "max(body.list[1:].a)"] {
            assert_eq!(search(path, &value).unwrap_or(None), None, "{path}");
        }
        assert_eq!(search("body.none || 'other'", &value), Ok(Some(json!("other"))));
    }

    #[test]
    fn what_no_item_of_a_list_has_is_absent() {
        let value = json!({"body": {"list": [{"name": "a", "tags": [{"id": 1}], "no": null}, {"tags": []}], "empty": [],
            "map": {"a": {"n": 1}}}});
        for lost in [
            "body.list[].nam",
            "body.list[*].naem",
            "length(body.list[].nam)",
            "body.list[*].tags[*].x",
            "body.list[].tags[].x",
            "body.map.*.m",
            "body.list[0:2].nam",
            "body.list[?name=='a'].nam",
            "body.list[].nam | [?@ == 'a']",
            "[body.list[].nam, body.empty]",
            "body.list[?naem=='b']",
            "length(body.list[?naem=='b'])",
            "body.list[?naem=='b'].name",
            "body.list[?name=='a' && no.such=='b'].name",
            "body.list[?!(naem=='b')]",
            "body.list[?contains(tags[].x, 'b')]",
            "body.list[*].tags[?x==`1`]",
            "body.list[].tags[] | [?x==`1`]",
        ] {
            assert_eq!(search(lost, &value), Ok(None), "{lost}");
        }
        for (kept, found) in [
            ("body.list[].name", json!(["a"])),
            ("body.list[*].tags[*].id", json!([[1], []])),
            ("body.list[?name=='b'].nam", json!([])),
            ("body.list[?name=='b']", json!([])),
            ("length(body.list[?name=='b'])", json!(0)),
            ("body.list[?naem==`null`].name", json!(["a"])),
            ("length(body.list[?naem])", json!(0)),
            ("body.empty[?naem=='b']", json!([])),
            ("length(body.list[*].tags[?id==`2`][])", json!(0)),
            ("body.empty[].name", json!([])),
            ("body.list[].no", json!([])),
            ("body.list[5:].name", json!([])),
            ("body.list[].nam || `[]`", json!([])),
            ("body.map.*.n", json!([1])),
            ("keys(body.map)", json!(["a"])),
            ("body.list[].{n: name}", json!([{"n": "a"}, {"n": null}])),
            ("sort_by(body.list[?name], &name)[].name", json!(["a"])),
        ] {
            assert_eq!(search(kept, &value), Ok(Some(found)), "{kept}");
        }
    }

    #[test]
    fn a_field_that_no_item_has_is_named_and_an_empty_list_is_told() {
        let value = json!({"body": {"list": [{"id": 1, "name": "a"}, {"id": 2}], "empty": []}});
        for (expression, said) in [
            ("body.list[?idd=='7']", "no item of `body.list` has `idd`; they have: id, name"),
            ("length(body.list[?id==`1` && nam=='x'])", "no item of `body.list` has `nam`; they have: id, name"),
            ("body.list[].nam", "no item of `body.list` has `nam`; they have: id, name"),
        ] {
            assert_eq!(lacking(expression, &value).as_deref(), Some(said), "{expression}");
        }
        assert_eq!(lacking("body.list[?id==`7`]", &value), None);
        for (expression, is_empty) in [
            ("body.empty[].n", true),
            ("body.empty[?n=='1'].n", true),
            ("body.empty", false),
            ("body.list[?id==`7`].name", false),
            ("body.list[].name", false),
        ] {
            assert_eq!(is_of_empty_list(expression, &value), is_empty, "{expression}");
        }
    }

    #[test]
    fn headers_are_found_in_any_case_of_letters() {
        for name in ["Content-Type", "content-type", "CONTENT-TYPE"] {
            assert_eq!(found(&format!("headers.\"{name}\"")), Some(json!("text/html")), "{name}");
        }
        assert_eq!(found("[headers.\"x-id\", status_code]"), Some(json!(["7", 200])));
        assert_eq!(found("contains(headers.\"content-type\", 'html')"), Some(json!(true)));
    }

    #[test]
    fn a_mistake_is_found_at_its_place() {
        let error = check("body.items[").expect_err("it does not end");
        assert!(error.offset >= 10 && error.message.starts_with("JMESPath: "), "{error:?}");
        let error = check("body items").expect_err("two words");
        assert!((4..=5).contains(&error.offset), "{error:?}");
        assert!(check("").is_err());
        assert!(search("unknown(body)", &json!({"body": 1})).is_err());
    }

    #[test]
    fn a_group_is_searched_in_a_text_body() {
        let page = json!({"body": "<title>登录 page</title> id=42;"});
        assert_eq!(search("<title>(.*)</title>", &page), Ok(Some(json!("登录 page"))));
        assert_eq!(search(r"id=(\d+)", &page), Ok(Some(json!("42"))));
        assert_eq!(search(r"no=(\d+)", &page), Ok(None));
        assert!(search("a(.*)b", &json!({"body": {"a": 1}})).is_err());
        assert!(check("(.*").is_err());
    }
}
