//! `${VAR}` and its like in a value → the value of the environment's variable.

use super::secrets::says_secret;

/// The shell's variables whose names say more than they hold.
const OPEN: &[&str] = &["PWD", "OLDPWD"];

/// A look at variables.
pub(super) type LookUp<'a> = &'a dyn Fn(&str) -> Option<Found>;

/// What a variable holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) value: String,
    /// Whether it is a secret whatever its name is.
    pub(super) is_secret: bool,
}

/// A value with its variables replaced.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Expanded {
    pub(super) text: String,
    /// What stood in variables that are secrets, or whose names say so.
    pub(super) secrets: Vec<String>,
}

/// Replaces `${VAR}`, `${VAR:-default}`, `${env:VAR}` and `$HOME`; `look_up` returns a variable's value.
///
/// The error says what is wrong, the first variable that is not set by name.
pub(super) fn expand(text: &str, look_up: LookUp<'_>) -> Result<Expanded, String> {
    let mut expanded = Expanded::default();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        expanded.text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(inner) = rest.strip_prefix("${") {
            let (inner, after) = inner.split_once('}').ok_or("`${` has no `}`")?;
            expanded.put(inner, look_up)?;
            rest = after;
        } else if let Some(after) = rest.strip_prefix("$HOME").filter(|after| ends_name(after)) {
            expanded.put("HOME", look_up)?;
            rest = after;
        } else {
            expanded.text.push('$');
            rest = &rest[1..];
        }
    }
    expanded.text.push_str(rest);
    Ok(expanded)
}

fn ends_name(after: &str) -> bool {
    !after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

impl Expanded {
    fn put(&mut self, inner: &str, look_up: LookUp<'_>) -> Result<(), String> {
        let (name, default) = inner.split_once(":-").map_or((inner, None), |(name, default)| (name, Some(default)));
        let name = name.strip_prefix("env:").unwrap_or(name);
        if let Some(input) = name.strip_prefix("input:") {
            return Err(format!(
                "`${{input:{input}}}` is asked for in an editor, and nobody is asked here; set a variable of the environment and write ${{NAME}} instead"
            ));
        }
        if name.is_empty() || name.contains(|c: char| !c.is_alphanumeric() && c != '_') {
            return Err(format!(
                "`${{{inner}}}` is not an environment variable; write ${{NAME}} or ${{NAME:-default}}"
            ));
        }
        // As in a shell, `:-` stands in for an empty value, too.
        let found = look_up(name).filter(|found| default.is_none() || !found.value.is_empty());
        let found = found.or_else(|| Some(Found { value: default?.to_owned(), is_secret: false }));
        let Some(Found { value, is_secret }) = found else {
            return Err(format!("the variable {name} is not set; set it, or write ${{{name}:-default}}"));
        };
        self.text.push_str(&value);
        if is_secret || (says_secret(name) && !OPEN.contains(&name)) {
            self.secrets.push(value);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Expanded, String> {
        let found = |value: &str, is_secret| Some(Found { value: value.to_owned(), is_secret });
        expand(text, &|name| match name {
            "HOME" => found("/home/me", false),
            "KEY" => found("s3cret", false),
            "OF_FILE" => found("plain", true),
            "EMPTY" => found("", false),
            _ => None,
        })
    }

    #[test]
    fn variables_are_replaced() {
        let text = |text: &str| of(text).expect(text).text;
        assert_eq!(text("$HOME/x ${HOME}"), "/home/me/x /home/me");
        assert_eq!(text("${NOPE:-a}${EMPTY:-b}${EMPTY}"), "ab");
        assert_eq!(text("a$b $HOMER $$ 5$"), "a$b $HOMER $$ 5$");
        assert_eq!(of("Bearer ${env:KEY}").expect("good").secrets, ["s3cret"]);
        assert_eq!(of("${OF_FILE}").expect("good").secrets, ["plain"]);
        assert!(of("$HOME").expect("good").secrets.is_empty());
    }

    #[test]
    fn what_is_not_set_is_named() {
        assert!(of("${NOPE}").expect_err("unset").contains("NOPE"));
        assert!(of("${KEY").is_err() && of("${}").is_err());
        assert!(of("${input:api key}").expect_err("asked").contains("`${input:api key}` is asked for in an editor"));
    }
}
