//! A small CSS-like language → [`Css`]: `list > .Row:has-text("Tea") button#add[enabled=true], #add_all`.
//!
//! Compounds: role or class or `*`, `#id`, `.Class`, `[attribute]`, `[attribute=value]` (also `^=` begins, `$=` ends,
//! `*=` contains, `~=` has the word; a trailing `i` ignores case), `:nth-child(2)`, `:nth-child(odd)`, `:nth-child(3n+1)`,
//! `:first-child`, `:last-child`, `:has-text("…")` (in it or in what lies in it, in any case), `:has(compound)`,
//! `:not(compound)`, `:checked`, `:enabled`, `:disabled`, `:focus`, `:selected`. Combinators: ` ` inside, `>` directly
//! inside, `+` the next sibling, `~` a later sibling. Lists with `,`.

use super::attribute::Attribute;
use crate::role;

/// A parsed selector: any of its alternatives.
#[derive(Debug, PartialEq)]
pub(super) struct Css(pub Vec<Complex>);

/// Compounds from left to right, each with how it stands to the one before it; the first stands [`Combinator::Inside`]
/// the screen.
#[derive(Debug, PartialEq)]
pub(super) struct Complex(pub Vec<(Combinator, Compound)>);

/// How an element stands to that of the compound before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Combinator {
    Inside,
    DirectlyInside,
    Next,
    Later,
}

/// What one element must be, all of it.
#[derive(Debug, PartialEq)]
pub(super) struct Compound(pub Vec<Test>);

#[derive(Debug, PartialEq)]
pub(super) enum Test {
    Any,
    Role(&'static str),
    Id(String),
    Class(String),
    /// It has the attribute: it is not empty, or true.
    Has(Attribute),
    Attribute {
        attribute: Attribute,
        operator: Operator,
        value: String,
        any_case: bool,
    },
    /// `a × n + b` for a whole n from 0, counted from 1.
    NthChild(i64, i64),
    LastChild,
    /// In lower case.
    HasText(String),
    HasInside(Compound),
    Not(Compound),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operator {
    Equal,
    Begins,
    Ends,
    Contains,
    Word,
}

impl Css {
    /// Parses a selector; the error says what is wrong and where (characters, counted from 1).
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader { text, at: 0 };
        reader.alternatives().map_err(|message| {
            let at = text[..reader.at].chars().count() + 1;
            format!("selector `{text}`, character {at}: {message}")
        })
    }
}

/// Reads a selector from left to right.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        if is_there {
            self.at += wanted.len_utf8();
        }
        is_there
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.take(wanted) { Ok(()) } else { Err(format!("`{wanted}` is missing")) }
    }

    /// Skips spaces; tells whether there were any.
    fn spaces(&mut self) -> bool {
        let before = self.at;
        self.at += self.rest().len() - self.rest().trim_start().len();
        self.at > before
    }

    fn alternatives(&mut self) -> Result<Css, String> {
        let mut alternatives = Vec::new();
        loop {
            self.spaces();
            alternatives.push(self.complex()?);
            match self.peek() {
                None => return Ok(Css(alternatives)),
                Some(_) => self.expect(',')?,
            }
        }
    }

    fn complex(&mut self) -> Result<Complex, String> {
        let mut compounds = vec![(Combinator::Inside, self.compound(0)?)];
        while let Some(combinator) = self.combinator() {
            compounds.push((combinator, self.compound(0)?));
        }
        Ok(Complex(compounds))
    }

    /// Reads what stands between two compounds; none at the end and before a comma.
    fn combinator(&mut self) -> Option<Combinator> {
        let spaced = self.spaces();
        let found = match self.peek() {
            Some('>') => Combinator::DirectlyInside,
            Some('+') => Combinator::Next,
            Some('~') => Combinator::Later,
            Some(c) if spaced && c != ',' => return Some(Combinator::Inside),
            _ => return None,
        };
        self.at += 1;
        self.spaces();
        Some(found)
    }

    /// Reads a compound; `depth` counts the `:has` and `:not` that it stands in.
    fn compound(&mut self, depth: usize) -> Result<Compound, String> {
        let mut tests = Vec::new();
        if let Some(test) = self.name()? {
            tests.push(test);
        }
        loop {
            let begins = self.at;
            let test = match self.peek() {
                Some('#') => self.id(),
                Some('.') => self.class(),
                Some('[') => self.attribute(),
                Some(':') => self.pseudo_class(depth),
                _ if tests.is_empty() => Err("a name, `#id`, `.Class` or `[attribute=value]` is missing".to_owned()),
                _ => return Ok(Compound(tests)),
            };
            // The error is about the test, not about where its reader stopped.
            tests.push(test.inspect_err(|_| self.at = begins)?);
        }
    }

    fn word(&mut self, also: &[char]) -> Result<&'a str, String> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-') || also.contains(&c);
        let end = self.rest().find(|c: char| !is_part(c)).unwrap_or(self.rest().len());
        let word = &self.rest()[..end];
        self.at += end;
        if word.is_empty() { Err("a name is missing".to_owned()) } else { Ok(word) }
    }

    /// Reads what a compound may begin with: `*`, a role, or a class with its package.
    fn name(&mut self) -> Result<Option<Test>, String> {
        if self.take('*') {
            return Ok(Some(Test::Any));
        }
        if !self.peek().is_some_and(|c| c.is_alphanumeric() || c == '_') {
            return Ok(None);
        }
        let begins = self.at;
        let name = self.word(&[])?;
        if let Ok(role) = role::of(name) {
            return Ok(Some(Test::Role(role)));
        }
        self.at = begins;
        match self.word(&['.', '$'])? {
            class if class.contains('.') => Ok(Some(Test::Class(class.to_owned()))),
            class if class.starts_with(|c: char| c.is_ascii_uppercase()) => Ok(Some(Test::Class(class.to_owned()))),
            name => {
                self.at = begins;
                role::of(name).map(|role| Some(Test::Role(role)))
            }
        }
    }

    /// Reads `#user` or `#com.uixt.shop:id/user`.
    fn id(&mut self) -> Result<Test, String> {
        self.at += 1;
        let begins = self.at;
        let package = self.word(&['.']).unwrap_or_default();
        if let Some(rest) = self.rest().strip_prefix(":id/") {
            self.at = self.text.len() - rest.len();
            let name = self.word(&['.'])?;
            return Ok(Test::Id(format!("{package}:id/{name}")));
        }
        self.at = begins;
        self.word(&[]).map(|id| Test::Id(id.to_owned()))
    }

    /// Reads `.Button` or `.android.widget.Button`.
    fn class(&mut self) -> Result<Test, String> {
        self.at += 1;
        let begins = self.at;
        let whole = self.word(&['.', '$'])?;
        if whole.contains('.') && whole.starts_with(|c: char| c.is_ascii_lowercase()) {
            return Ok(Test::Class(whole.trim_end_matches('.').to_owned()));
        }
        self.at = begins;
        self.word(&['$']).map(|class| Test::Class(class.to_owned()))
    }

    fn attribute(&mut self) -> Result<Test, String> {
        self.at += 1;
        self.spaces();
        let attribute = Attribute::named(self.word(&[])?)?;
        self.spaces();
        if self.take(']') {
            return Ok(Test::Has(attribute));
        }
        let operator = self.operator()?;
        self.spaces();
        let value = self.value(']')?;
        self.spaces();
        let any_case = self.take('i');
        self.spaces();
        self.expect(']')?;
        compared(attribute, operator, value, any_case)
    }

    fn operator(&mut self) -> Result<Operator, String> {
        let operator = match self.peek() {
            Some('^') => Operator::Begins,
            Some('$') => Operator::Ends,
            Some('*') => Operator::Contains,
            Some('~') => Operator::Word,
            Some('=') => Operator::Equal,
            _ => return Err("`=`, `^=`, `$=`, `*=`, `~=` or `]` must follow an attribute's name".to_owned()),
        };
        if operator != Operator::Equal {
            self.at += 1;
        }
        self.expect('=').map(|()| operator)
    }

    /// Reads a quoted text, or what stands before `end`.
    fn value(&mut self, end: char) -> Result<String, String> {
        let Some(quote) = self.peek().filter(|c| matches!(c, '"' | '\'')) else {
            let length = self.rest().find(end).ok_or_else(|| format!("`{end}` is missing"))?;
            let value = self.rest()[..length].trim().to_owned();
            self.at += length;
            return Ok(value);
        };
        self.at += 1;
        let mut value = String::new();
        while let Some(next) = self.peek() {
            self.at += next.len_utf8();
            match next {
                '\\' => {
                    let escaped = self.peek().ok_or("a quote is not closed")?;
                    self.at += escaped.len_utf8();
                    value.push(escaped);
                }
                _ if next == quote => return Ok(value),
                _ => value.push(next),
            }
        }
        Err("a quote is not closed".to_owned())
    }

    fn pseudo_class(&mut self, depth: usize) -> Result<Test, String> {
        self.at += 1;
        let name = self.word(&[])?.to_owned();
        let flag =
            |name: &str, value: &str| compared(Attribute::named(name)?, Operator::Equal, value.to_owned(), false);
        match name.as_str() {
            "first-child" => Ok(Test::NthChild(0, 1)),
            "last-child" => Ok(Test::LastChild),
            "enabled" => flag("enabled", "true"),
            "disabled" => flag("enabled", "false"),
            "checked" | "selected" => flag(&name, "true"),
            "focus" | "focused" => flag("focused", "true"),
            "nth-child" | "has-text" | "has" | "not" => {
                self.expect('(').map_err(|_| format!("`:{name}(…)` needs its brackets"))?;
                self.spaces();
                let test = self.function(&name, depth)?;
                self.spaces();
                self.expect(')').map(|()| test)
            }
            _ => Err(format!(
                "unknown `:{name}`; valid: :nth-child(), :first-child, :last-child, :has-text(), :has(), :not(), \
                 :checked, :enabled, :disabled, :focus, :selected"
            )),
        }
    }

    fn function(&mut self, name: &str, depth: usize) -> Result<Test, String> {
        match name {
            "nth-child" => nth(self.value(')')?.as_str()),
            "has-text" => match self.value(')')?.to_lowercase() {
                text if text.trim().is_empty() => Err("`:has-text()` is compared with nothing".to_owned()),
                text => Ok(Test::HasText(text)),
            },
            _ if depth > 0 => Err(format!("`:{name}()` cannot stand in another `:has()` or `:not()`")),
            "has" => self.compound(depth + 1).map(Test::HasInside),
            _ => self.compound(depth + 1).map(Test::Not),
        }
    }
}

/// Makes the test of an attribute's value, where the comparison can be true of some elements and false of others.
fn compared(attribute: Attribute, operator: Operator, value: String, any_case: bool) -> Result<Test, String> {
    let name = attribute.name;
    if value.trim().is_empty() && operator != Operator::Equal {
        return Err(format!("`{name}` is compared with nothing, which any element satisfies"));
    }
    if attribute.is_flag && (operator != Operator::Equal || !matches!(value.as_str(), "true" | "false")) {
        return Err(format!("write `[{name}=true]` or `[{name}=false]`"));
    }
    let value = if name == "role" && operator == Operator::Equal { role::of(&value)?.to_owned() } else { value };
    let value = if any_case { value.to_lowercase() } else { value };
    Ok(Test::Attribute { attribute, operator, value, any_case })
}

/// Reads `2`, `odd`, `even`, `3n`, `3n+1`, `-n+2`.
fn nth(text: &str) -> Result<Test, String> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let read = || -> Option<(i64, i64)> {
        match text.as_str() {
            "odd" => return Some((2, 1)),
            "even" => return Some((2, 0)),
            _ => {}
        }
        let Some((step, start)) = text.split_once('n') else { return Some((0, text.parse().ok()?)) };
        let step = match step {
            "" | "+" => 1,
            "-" => -1,
            number => number.parse::<i32>().ok()?.into(),
        };
        let start = if start.is_empty() { 0 } else { start.parse::<i32>().ok()?.into() };
        Some((step, start))
    };
    match read() {
        Some((0, start)) if start < 1 => Err(format!("`:nth-child({text})`: children are counted from 1")),
        Some((step, start)) => Ok(Test::NthChild(step, start)),
        None => Err(format!("`:nth-child({text})`: write 2, odd, even or 3n+1")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_selector_is_said() {
        for (selector, part) in [
            ("list >", "is missing"),
            ("list,, a", "is missing"),
            ("[colour=red]", "unknown attribute `colour`"),
            ("[contnet-desc=red]", "valid: text"),
            ("[text=a", "`]`"),
            ("[text='a]", "quote"),
            ("##", "name"),
            ("buton#ok", "did you mean `button`"),
            ("[role=buton]", "unknown role"),
            ("[checked=yes]", "[checked=true]"),
            ("[text^=]", "any element"),
            ("[text$='']", "any element"),
            ("[hint*=\" \"]", "any element"),
            (":hover", "unknown `:hover`"),
            (":nth-child(0)", "counted from 1"),
            (":nth-child(x)", "write 2"),
            (":has(:not(button))", "cannot stand in"),
            (":has-text('')", "nothing"),
            ("button)", "`,` is missing"),
        ] {
            let message = Css::parse(selector).expect_err(selector);
            assert!(message.contains(part), "{selector}: {message}");
        }
        let message = Css::parse("按钮 [x=1]").expect_err("no role");
        assert!(message.starts_with("selector `按钮 [x=1]`, character 1: unknown role"), "{message}");
        let message = Css::parse("button [x=1]").expect_err("no attribute");
        assert!(message.contains("character 8: unknown attribute `x`"), "{message}");
    }
}
