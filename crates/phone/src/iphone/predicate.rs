//! Predicates as `NSPredicate` writes them: `label CONTAINS[c] "ok" AND NOT (type == "XCUIElementTypeCell" OR enabled == 0)`.
//!
//! Text → [`Test`]. Which attributes there are, whoever evaluates it says.

use regex::Regex;

/// A value that is compared.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    Text(String),
    /// Numbers, and truths as 1 and 0.
    Number(f64),
    Nothing,
    /// The attribute of a name.
    Named(String),
    /// Several, of which one is to fit.
    Any(Vec<Operand>),
}

/// A predicate.
#[derive(Clone, Debug)]
pub(super) enum Test {
    Always(bool),
    Not(Box<Test>),
    All(Vec<Test>),
    Any(Vec<Test>),
    Compare { left: Operand, how: String, right: Operand, folds: bool, pattern: Option<Regex> },
}

const COMPARISONS: [&str; 15] =
    ["==", "!=", "<>", "<=", ">=", "=<", "=>", "=", "<", ">", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "MATCHES"];

/// Reads a predicate. Errors: what cannot be read, for a person.
pub(super) fn read(text: &str) -> Result<Test, String> {
    let mut reader = Reader { rest: text.trim_start() };
    let test = reader.any()?;
    if reader.rest.is_empty() {
        Ok(test)
    } else {
        Err(format!("Unable to parse the format string \"{text}\" at \"{}\"", reader.rest))
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn any(&mut self) -> Result<Test, String> {
        let mut tests = vec![self.all()?];
        while self.word("OR") || self.sign("||") {
            tests.push(self.all()?);
        }
        Ok(if tests.len() == 1 { tests.remove(0) } else { Test::Any(tests) })
    }

    fn all(&mut self) -> Result<Test, String> {
        let mut tests = vec![self.one()?];
        while self.word("AND") || self.sign("&&") {
            tests.push(self.one()?);
        }
        Ok(if tests.len() == 1 { tests.remove(0) } else { Test::All(tests) })
    }

    fn one(&mut self) -> Result<Test, String> {
        if self.word("NOT") || (!self.rest.starts_with("!=") && self.sign("!")) {
            return Ok(Test::Not(Box::new(self.one()?)));
        }
        if self.word("TRUEPREDICATE") {
            return Ok(Test::Always(true));
        }
        if self.word("FALSEPREDICATE") {
            return Ok(Test::Always(false));
        }
        if self.sign("(") {
            let test = self.any()?;
            return if self.sign(")") { Ok(test) } else { Err(self.trouble("a parenthesis is not closed")) };
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Test, String> {
        let left = self.operand()?;
        if self.word("IN") {
            let right = self.operand()?;
            return Ok(Test::Compare { left, how: "IN".to_owned(), right, folds: false, pattern: None });
        }
        let how = COMPARISONS.into_iter().find(|how| {
            if how.starts_with(|sign: char| sign.is_ascii_alphabetic()) { self.word(how) } else { self.sign(how) }
        });
        let how = how.ok_or_else(|| self.trouble("no comparison"))?;
        let folds = self.sign("[c]") || self.sign("[cd]") || self.sign("[dc]");
        let _ = self.sign("[d]") || self.sign("[n]");
        let right = self.operand()?;
        let pattern = match (&right, how) {
            (Operand::Text(text), "MATCHES") => Some(pattern(text, folds)?),
            (Operand::Text(text), "LIKE") => Some(pattern(&of_wildcards(text), folds)?),
            _ => None,
        };
        Ok(Test::Compare { left, how: how.to_owned(), right, folds, pattern })
    }

    fn operand(&mut self) -> Result<Operand, String> {
        if self.sign("{") {
            let mut all = Vec::new();
            while !self.sign("}") {
                all.push(self.operand()?);
                let _ = self.sign(",");
                if self.rest.is_empty() {
                    return Err(self.trouble("a brace is not closed"));
                }
            }
            return Ok(Operand::Any(all));
        }
        if let Some(quote) = self.rest.chars().next().filter(|sign| matches!(sign, '"' | '\'')) {
            return self.text(quote);
        }
        let end = self.rest.find(|sign: char| !(sign.is_alphanumeric() || "._-+".contains(sign)));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        if word.is_empty() {
            return Err(self.trouble("no value"));
        }
        self.rest = rest.trim_start();
        Ok(match word.to_ascii_lowercase().as_str() {
            "true" | "yes" => Operand::Number(1.0),
            "false" | "no" => Operand::Number(0.0),
            "nil" | "null" => Operand::Nothing,
            _ => word.parse().map_or_else(|_| Operand::Named(word.to_owned()), Operand::Number),
        })
    }

    fn text(&mut self, quote: char) -> Result<Operand, String> {
        let mut text = String::new();
        let mut signs = self.rest.char_indices().skip(1);
        while let Some((at, sign)) = signs.next() {
            match sign {
                '\\' => text.extend(signs.next().map(|(_, sign)| match sign {
                    'n' => '\n',
                    't' => '\t',
                    other => other,
                })),
                sign if sign == quote => {
                    self.rest = self.rest[at + 1..].trim_start();
                    return Ok(Operand::Text(text));
                }
                sign => text.push(sign),
            }
        }
        Err(self.trouble("a text is not closed"))
    }

    /// Takes a word, whatever the size of its letters.
    fn word(&mut self, word: &str) -> bool {
        let is_it = self.rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        let ends = self
            .rest
            .get(word.len()..)
            .is_some_and(|rest| !rest.starts_with(|sign: char| sign.is_alphanumeric() || sign == '_' || sign == '.'));
        if is_it && ends {
            self.rest = self.rest[word.len()..].trim_start();
        }
        is_it && ends
    }

    fn sign(&mut self, sign: &str) -> bool {
        let rest = self.rest.strip_prefix(sign).map(str::trim_start);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn trouble(&self, what: &str) -> String {
        format!("Unable to parse the format string: {what} at \"{}\"", self.rest)
    }
}

fn pattern(text: &str, folds: bool) -> Result<Regex, String> {
    let fold = if folds { "(?i)" } else { "" };
    Regex::new(&format!("{fold}(?s)^(?:{text})$")).map_err(|error| error.to_string())
}

/// Turns `*` and `?` into what they mean as a pattern.
fn of_wildcards(text: &str) -> String {
    let sign = |sign: char| match sign {
        '*' => ".*".to_owned(),
        '?' => ".".to_owned(),
        other => regex::escape(other.encode_utf8(&mut [0; 4])),
    };
    text.chars().map(sign).collect()
}

impl Test {
    /// Tells whether it holds where attributes are as `named` says. Errors: an attribute that there is none of.
    pub(super) fn holds(&self, named: &dyn Fn(&str) -> Result<Operand, String>) -> Result<bool, String> {
        match self {
            Self::Always(is) => Ok(*is),
            Self::Not(test) => Ok(!test.holds(named)?),
            Self::All(tests) => tests.iter().try_fold(true, |all, test| Ok(all && test.holds(named)?)),
            Self::Any(tests) => tests.iter().try_fold(false, |any, test| Ok(any || test.holds(named)?)),
            Self::Compare { left, how, right, folds, pattern } => {
                let value = |operand: &Operand| match operand {
                    Operand::Named(name) => named(name),
                    other => Ok(other.clone()),
                };
                let (left, right) = (value(left)?, value(right)?);
                Ok(compare(&left, how, &right, (*folds, pattern.as_ref())))
            }
        }
    }
}

fn compare(left: &Operand, how: &str, right: &Operand, (folds, pattern): (bool, Option<&Regex>)) -> bool {
    let folded = |operand: &Operand| match operand {
        Operand::Text(text) if folds => Some(text.to_lowercase()),
        Operand::Text(text) => Some(text.clone()),
        Operand::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let numbers = || match (left, right) {
        (Operand::Number(one), Operand::Number(other)) => Some((*one, *other)),
        (Operand::Text(one), Operand::Number(other)) => one.trim().parse().ok().map(|one| (one, *other)),
        (Operand::Number(one), Operand::Text(other)) => other.trim().parse().ok().map(|other| (*one, other)),
        _ => None,
    };
    let is_equal = || match (left, right) {
        (Operand::Nothing, Operand::Nothing) => true,
        (Operand::Nothing, _) | (_, Operand::Nothing) => false,
        _ => numbers().map_or_else(|| folded(left) == folded(right), |(one, other)| (one - other).abs() < 1e-9),
    };
    match how {
        "==" | "=" => is_equal(),
        "!=" | "<>" => !is_equal(),
        "<" => numbers().is_some_and(|(one, other)| one < other),
        ">" => numbers().is_some_and(|(one, other)| one > other),
        "<=" | "=<" => numbers().is_some_and(|(one, other)| one <= other),
        ">=" | "=>" => numbers().is_some_and(|(one, other)| one >= other),
        "IN" => match right {
            Operand::Any(all) => all.iter().any(|one| compare(left, "==", one, (folds, None))),
            _ => false,
        },
        "LIKE" | "MATCHES" => folded(left).zip(pattern).is_some_and(|(_, pattern)| match left {
            Operand::Text(text) => pattern.is_match(text),
            _ => false,
        }),
        _ => folded(left).zip(folded(right)).is_some_and(|(one, other)| match how {
            "BEGINSWITH" => one.starts_with(&other),
            "ENDSWITH" => one.ends_with(&other),
            _ => one.contains(&other),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Result<Operand, String> {
        Ok(match name {
            "label" => Operand::Text("Sign in".to_owned()),
            "value" => Operand::Nothing,
            "enabled" => Operand::Number(1.0),
            "x" => Operand::Number(12.0),
            _ => return Err(format!("no {name}")),
        })
    }

    #[test]
    fn predicates_say_what_they_say() {
        for text in [
            "label == 'Sign in'",
            "label CONTAINS[c] \"SIGN\" AND enabled == true",
            "label beginswith 'Sign' && !(value == nil AND x < 3)",
            "NOT label ENDSWITH 'x' OR FALSEPREDICATE",
            "label LIKE 'S?gn*' AND label MATCHES 'Sign .+'",
            "x >= 12 AND x <= 12.0 AND enabled = 1 AND label != 'x'",
            "label IN {'a', 'Sign in'}",
            "value == nil",
        ] {
            assert_eq!(read(text).unwrap().holds(&named), Ok(true), "{text}");
        }
        for text in ["label == 'sign in'", "value == 'x'", "NOT (enabled == 1)", "label LIKE 'Sign'"] {
            assert_eq!(read(text).unwrap().holds(&named), Ok(false), "{text}");
        }
        for text in ["label ==", "label 'x'", "(label == 'x'", "label == 'x' nonsense", "label == 'x"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read("nope == 1").unwrap().holds(&named).is_err());
    }
}
