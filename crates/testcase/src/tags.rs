//! `smoke and not (slow or flaky)` → whether a list of tags satisfies it.

use super::parts::{ExpressionError, Reach};
use super::tokens::{Kind, Token, tokens};

/// Deepest nesting of brackets and `not`.
const DEEPEST: usize = 100;

/// An expression over tags, as `--tags` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagExpression(Term);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Term {
    Tag(String),
    Not(Box<Term>),
    All(Vec<Term>),
    Any(Vec<Term>),
}

impl TagExpression {
    /// Reads an expression of tags, `and`, `or`, `not` and brackets; an error tells its place in the text.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let tokens = words(text);
        let mut parser = Parser { tokens: &tokens, at: 0, end: text.chars().count() };
        let term = parser.any(0)?;
        match parser.next() {
            None => Ok(TagExpression(term)),
            Some(token) => Err(ExpressionError::at(token.reach, "`and` or `or` is missing before this")),
        }
    }

    /// Tells whether a list of tags satisfies it.
    pub fn holds(&self, tags: &[String]) -> bool {
        self.0.holds(tags)
    }
}

impl std::str::FromStr for TagExpression {
    type Err = ExpressionError;

    fn from_str(text: &str) -> Result<Self, ExpressionError> {
        TagExpression::parse(text)
    }
}

/// Splits the text; signs within a word belong to it, so that `smoke-1.2` is one tag.
fn words(text: &str) -> Vec<Token> {
    let mut words: Vec<Token> = Vec::new();
    for mut token in tokens(text) {
        let is_bracket = token.is("(") || token.is(")");
        if let Some(last) = words.last_mut()
            && !is_bracket
            && !last.is("(")
            && !last.is(")")
            && last.reach.offset + last.reach.length == token.reach.offset
        {
            last.text.push_str(&token.text);
            last.reach.length += token.reach.length;
            last.kind = Kind::Name;
            continue;
        }
        if !is_bracket {
            token.kind = Kind::Name;
        }
        words.push(token);
    }
    words
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    end: usize,
}

impl<'t> Parser<'t> {
    fn next(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    fn takes(&mut self, word: &str) -> bool {
        let taken = self.next().is_some_and(|token| token.text.eq_ignore_ascii_case(word));
        self.at += usize::from(taken);
        taken
    }

    fn any(&mut self, depth: usize) -> Result<Term, ExpressionError> {
        let mut terms = vec![self.all(depth)?];
        while self.takes("or") {
            terms.push(self.all(depth)?);
        }
        Ok(if terms.len() == 1 { terms.remove(0) } else { Term::Any(terms) })
    }

    fn all(&mut self, depth: usize) -> Result<Term, ExpressionError> {
        let mut terms = vec![self.term(depth)?];
        while self.takes("and") {
            terms.push(self.term(depth)?);
        }
        Ok(if terms.len() == 1 { terms.remove(0) } else { Term::All(terms) })
    }

    fn term(&mut self, depth: usize) -> Result<Term, ExpressionError> {
        let Some(token) = self.next() else {
            let last = self.tokens.last().map_or(Reach { offset: self.end, length: 1 }, |token| token.reach);
            return Err(ExpressionError::at(last, "a tag is missing at the end"));
        };
        if depth > DEEPEST {
            return Err(ExpressionError::at(token.reach, "nested too deeply"));
        }
        if self.takes("not") {
            return Ok(Term::Not(Box::new(self.term(depth + 1)?)));
        }
        if self.takes("(") {
            let inner = self.any(depth + 1)?;
            return if self.takes(")") {
                Ok(inner)
            } else {
                Err(ExpressionError::at(token.reach, "this `(` is not closed"))
            };
        }
        if token.is(")") || token.text.eq_ignore_ascii_case("and") || token.text.eq_ignore_ascii_case("or") {
            return Err(ExpressionError::at(token.reach, format!("a tag is missing before `{}`", token.text)));
        }
        self.at += 1;
        Ok(Term::Tag(token.text.trim_matches(['\'', '"']).to_owned()))
    }
}

impl Term {
    fn holds(&self, tags: &[String]) -> bool {
        match self {
            Term::Tag(tag) => tags.contains(tag),
            Term::Not(term) => !term.holds(tags),
            Term::All(terms) => terms.iter().all(|term| term.holds(tags)),
            Term::Any(terms) => terms.iter().any(|term| term.holds(tags)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_hold_or_not() {
        let tags = ["smoke", "慢", "v-1.2"].map(str::to_owned);
        let table = [
            ("smoke", true),
            ("slow", false),
            ("not slow and smoke", true),
            ("smoke and not (慢 or slow)", false),
            ("slow or smoke and 慢", true),
            ("NOT slow", true),
            ("v-1.2", true),
            ("'v-1.2' and not not smoke", true),
        ];
        for (text, expected) in table {
            assert_eq!(TagExpression::parse(text).unwrap().holds(&tags), expected, "{text}");
        }
    }

    #[test]
    fn errors_have_places() {
        let table = [
            ("", "a tag is missing at the end", 0),
            ("a and", "a tag is missing at the end", 2),
            ("a b", "`and` or `or` is missing before this", 2),
            ("(a or b", "this `(` is not closed", 0),
            ("a and or b", "a tag is missing before `or`", 6),
        ];
        for (text, message, offset) in table {
            let error = TagExpression::parse(text).unwrap_err();
            assert_eq!((error.message.as_str(), error.offset), (message, offset), "{text}");
        }
        assert!(TagExpression::parse(&"(".repeat(10_000)).is_err());
    }
}
