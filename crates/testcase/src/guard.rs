//! A formula's tokens → its operands, each with what its value must be; and the formula in which every one of them is asked.
//!
//! minijinja answers `'5' in [5]`, `'5' * 2` and `none < 10` without a word. Every operand is therefore put into a call that
//! looks at its value before the operator does: `a < b` becomes `f(0, a) < f(1, b)`. Knows the language's precedence, no values.

use super::parts::{ExpressionError, Reach};
use super::tokens::{Kind, Token};

/// The function that looks at operands; no formula can name it, since it is unknown when files are checked.
pub(super) const NAME: &str = "__operand";

/// Signs and words between two values that are compared.
const COMPARE: [&str; 7] = ["==", "!=", "<", ">", "<=", ">=", "in"];
/// The operators of arithmetic with their neighbours, those that bind least first; `~` puts texts together.
const LEVELS: [&[&str]; 4] = [&["+", "-"], &["~"], &["*", "/", "//", "%"], &["**"]];
/// Deepest nesting.
const DEEPEST: usize = 100;

/// What is asked of an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Whether it holds.
    Truth,
    Arithmetic,
    /// To be put together with other texts.
    Joined,
    /// To be compared: by which operator with which operand before, if it is not the first.
    Compared(Option<(usize, String)>),
}

/// An operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Operand {
    /// As it is written.
    pub(super) text: String,
    pub(super) reach: Reach,
    pub(super) rule: Rule,
}

/// A formula whose operands are looked at.
#[derive(Debug, Default)]
pub(super) struct Guarded {
    pub(super) source: String,
    pub(super) operands: Vec<Operand>,
    /// For each character, which one of the formula as it is written it belongs to.
    pub(super) origins: Vec<usize>,
}

impl Guarded {
    /// Returns the stretch of the written formula that a stretch of this one means.
    pub(super) fn written(&self, reach: Reach) -> Reach {
        let at = |index: usize| self.origins.get(index).copied();
        let start = at(reach.offset).unwrap_or(0);
        let end = reach.length.checked_sub(1).and_then(|last| at(reach.offset + last)).map_or(start, |last| last + 1);
        Reach { offset: start, length: end.saturating_sub(start).max(1) }
    }
}

/// Puts every operand of a formula into a call.
pub(super) fn guarded(source: &str, tokens: &[Token]) -> Result<Guarded, ExpressionError> {
    let characters: Vec<char> = source.chars().collect();
    let mut parser = Parser { characters: &characters, tokens, at: 0, depth: 0, operands: Vec::new() };
    parser.choice()?;
    if parser.at < tokens.len() {
        return Err(parser.broken());
    }
    Ok(written(&characters, parser.operands))
}

/// Writes the formula with its calls; where several begin, the widest comes first.
fn written(characters: &[char], operands: Vec<Operand>) -> Guarded {
    let mut before = vec![Vec::new(); characters.len() + 1];
    let mut after = vec![0_usize; characters.len() + 1];
    for (at, operand) in operands.iter().enumerate() {
        before[operand.reach.offset].push((operand.reach.length, at));
        after[operand.reach.offset + operand.reach.length] += 1;
    }
    let mut guarded = Guarded::default();
    let mut put = |text: &str, at: usize| {
        guarded.source.push_str(text);
        guarded.origins.extend(text.chars().map(|_| at));
    };
    for at in 0..=characters.len() {
        put(&")".repeat(after[at]), at.saturating_sub(1));
        before[at].sort_by(|left: &(usize, usize), right| right.cmp(left));
        for (_, operand) in &before[at] {
            put(&format!("{NAME}({operand}, "), at);
        }
        if let Some(next) = characters.get(at) {
            put(next.encode_utf8(&mut [0; 4]), at);
        }
    }
    guarded.operands = operands;
    guarded
}

struct Parser<'a> {
    characters: &'a [char],
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    operands: Vec<Operand>,
}

type Parsed = Result<(), ExpressionError>;

impl Parser<'_> {
    fn text(&self) -> &str {
        self.tokens.get(self.at).filter(|token| token.kind != Kind::Text).map_or("", |token| &token.text)
    }

    fn takes(&mut self, text: &str) -> bool {
        let is_next = self.text() == text;
        self.at += usize::from(is_next);
        is_next
    }

    fn wants(&mut self, text: &str) -> Parsed {
        if self.takes(text) { Ok(()) } else { Err(self.broken()) }
    }

    fn broken(&self) -> ExpressionError {
        let end = Reach { offset: self.characters.len().saturating_sub(1), length: 1 };
        let reach = self.tokens.get(self.at).map_or(end, |token| token.reach);
        ExpressionError::at(reach, "this expression cannot be read here")
    }

    /// Notes the tokens from `from` up to here as an operand; returns which.
    fn operand(&mut self, from: usize, to: usize, rule: Rule) -> usize {
        let (Some(first), Some(last)) = (self.tokens.get(from), to.checked_sub(1).and_then(|to| self.tokens.get(to)))
        else {
            return self.operands.len();
        };
        let (start, end) = (first.reach.offset, last.reach.offset + last.reach.length);
        let text = self.characters[start..end].iter().collect();
        self.operands.push(Operand { text, reach: Reach { offset: start, length: end - start }, rule });
        self.operands.len() - 1
    }

    /// `a if b else c`, and everything that binds more closely.
    fn choice(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.broken());
        }
        self.logic("or")?;
        while self.takes("if") {
            let from = self.at;
            self.logic("or")?;
            self.operand(from, self.at, Rule::Truth);
            if self.takes("else") {
                self.choice()?;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Operands of `or` or `and`: all but the last are asked for their truth.
    fn logic(&mut self, word: &str) -> Parsed {
        loop {
            let from = self.at;
            if word == "or" { self.logic("and") } else { self.negation() }?;
            let to = self.at;
            if !self.takes(word) {
                return Ok(());
            }
            self.operand(from, to, Rule::Truth);
        }
    }

    fn negation(&mut self) -> Parsed {
        let negations = self.at;
        while self.takes("not") {}
        let from = self.at;
        self.comparison()?;
        if from > negations {
            self.operand(from, self.at, Rule::Truth);
        }
        Ok(())
    }

    fn comparison(&mut self) -> Parsed {
        let mut before: Option<(usize, String)> = None;
        loop {
            let from = self.at;
            self.arithmetic(0)?;
            let to = self.at;
            let operator = if self.takes("not") { "in".to_owned() } else { self.text().to_owned() };
            let goes_on = COMPARE.contains(&operator.as_str());
            if goes_on || before.is_some() {
                let operand = self.operand(from, to, Rule::Compared(before));
                before = Some((operand, operator.clone()));
            }
            if !goes_on {
                return Ok(());
            }
            self.wants(&operator)?;
        }
    }

    fn arithmetic(&mut self, level: usize) -> Parsed {
        let Some(operators) = LEVELS.get(level) else { return self.signed() };
        let mut is_second = false;
        loop {
            let from = self.at;
            self.arithmetic(level + 1)?;
            let goes_on = operators.contains(&self.text());
            if goes_on || is_second {
                let rule = if *operators == ["~"] { Rule::Joined } else { Rule::Arithmetic };
                self.operand(from, self.at, rule);
            }
            if !goes_on {
                return Ok(());
            }
            self.at += 1;
            is_second = true;
        }
    }

    /// A value with its sign, filters and tests.
    fn signed(&mut self) -> Parsed {
        self.value()?;
        loop {
            if self.takes("|") {
                self.name()?;
                self.call()?;
            } else if self.takes("is") {
                self.takes("not");
                self.name()?;
                match self.tokens.get(self.at) {
                    Some(token) if token.is("(") => self.call()?,
                    Some(token) if begins_value(token) => self.value()?,
                    _ => {}
                }
            } else {
                return Ok(());
            }
        }
    }

    fn name(&mut self) -> Parsed {
        match self.tokens.get(self.at) {
            Some(token) if token.kind == Kind::Name => self.at += 1,
            _ => return Err(self.broken()),
        }
        Ok(())
    }

    /// A value with its sign, items and calls.
    fn value(&mut self) -> Parsed {
        while self.takes("-") {}
        self.primary()?;
        loop {
            if self.takes(".") {
                self.at += 1;
            } else if self.text() == "[" {
                self.list("[", "]")?;
            } else if self.text() == "(" {
                self.call()?;
            } else {
                return Ok(());
            }
        }
    }

    fn call(&mut self) -> Parsed {
        if self.text() == "(" { self.list("(", ")") } else { Ok(()) }
    }

    fn primary(&mut self) -> Parsed {
        let Some(token) = self.tokens.get(self.at) else { return Err(self.broken()) };
        match (token.kind, token.text.as_str()) {
            (Kind::Text, _) => {
                while self.tokens.get(self.at).is_some_and(|token| token.kind == Kind::Text) {
                    self.at += 1;
                }
                Ok(())
            }
            (Kind::Name | Kind::Number, _) => {
                self.at += 1;
                Ok(())
            }
            (_, "(") => self.list("(", ")"),
            (_, "[") => self.list("[", "]"),
            (_, "{") => self.list("{", "}"),
            _ => Err(self.broken()),
        }
    }

    /// What stands in brackets; whether it may stand there is minijinja's to say.
    fn list(&mut self, open: &str, close: &str) -> Parsed {
        self.wants(open)?;
        while !self.takes(close) {
            if [",", ":", "*", "**"].iter().any(|sign| self.takes(sign)) {
                continue;
            }
            let is_named = self.tokens.get(self.at + 1).is_some_and(|next| next.is("="));
            self.at += if is_named { 2 } else { 0 };
            self.choice()?;
        }
        Ok(())
    }
}

/// Says whether a test's argument that stands without brackets begins here.
fn begins_value(token: &Token) -> bool {
    match token.kind {
        Kind::Number | Kind::Text => true,
        Kind::Name => !matches!(token.text.as_str(), "and" | "or" | "else" | "is" | "if" | "not" | "in"),
        Kind::Sign => matches!(token.text.as_str(), "-" | "[" | "{"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    #[test]
    fn operands_are_put_into_calls() {
        let table = [
            ("n", "n"),
            ("a < b", "f(0, a) < f(1, b)"),
            ("a+b*2 == 7", "f(4, f(0, a)+f(3, f(1, b)*f(2, 2))) == f(5, 7)"),
            ("not x and y or z", "f(2, f(1, not f(0, x)) and y) or z"),
            ("1 if u else 2", "1 if f(0, u) else 2"),
            ("a | int + 1", "f(0, a | int) + f(1, 1)"),
            ("x not in [1, n-1]", "f(0, x) not in f(3, [1, f(1, n)-f(2, 1)])"),
            ("f(a, k=b ~ 'x')[1:2].c is divisibleby 3", "f(a, k=f(0, b) ~ f(1, 'x'))[1:2].c is divisibleby 3"),
            ("{'a': 1 < 2}", "{'a': f(0, 1) < f(1, 2)}"),
            ("1 < n < 5", "f(0, 1) < f(1, n) < f(2, 5)"),
        ];
        for (source, expected) in table {
            let found = guarded(source, &tokens(source)).map(|found| found.source.replace(NAME, "f"));
            assert_eq!(found.as_deref(), Ok(expected), "{source}");
        }
    }
}
