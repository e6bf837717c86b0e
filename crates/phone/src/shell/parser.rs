//! Tokens → the tree of a script. Refuses what it does not know, rather than doing something else.

use super::lexer::{Token, tokens};
use super::syntax::{Body, Join, List, Piece, Pipeline, Redirect, Script, Stage, SyntaxError, Word};

/// Bytes of a script that are looked at.
const MAX_LEN: usize = 128 * 1024;
/// Commands of one pipeline.
const WIDEST: usize = 64;
/// Parentheses and braces within each other.
const DEEPEST: usize = 32;
/// Words that begin what this shell does not have.
const KEYWORDS: [&str; 11] = ["if", "for", "while", "until", "case", "function", "select", "then", "do", "done", "[["];

/// Reads a whole script.
pub(super) fn parse(script: &str) -> Result<Script, SyntaxError> {
    if script.len() > MAX_LEN {
        return Err(SyntaxError::TooLong);
    }
    parse_at(script, 0)
}

pub(super) fn parse_at(script: &str, depth: usize) -> Result<Script, SyntaxError> {
    if depth > DEEPEST {
        return Err(SyntaxError::TooDeep);
    }
    let mut parser = Parser { tokens: tokens(script, depth)?, at: 0, depth };
    let script = parser.script()?;
    match parser.tokens.get(parser.at) {
        None => Ok(script),
        Some(token) => Err(unexpected(token)),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn operator(&mut self, wanted: &[&str]) -> Option<&'static str> {
        match self.peek() {
            Some(Token::Operator(operator)) if wanted.contains(operator) => {
                let operator = *operator;
                self.at += 1;
                Some(operator)
            }
            _ => None,
        }
    }

    fn script(&mut self) -> Result<Script, SyntaxError> {
        let mut script = Script::default();
        loop {
            while self.operator(&["\n"]).is_some() {}
            if self.at_end_of_block() {
                return Ok(script);
            }
            script.lists.push(self.list()?);
            if self.operator(&[";", "\n"]).is_none() {
                return Ok(script);
            }
        }
    }

    fn at_end_of_block(&self) -> bool {
        match self.peek() {
            None | Some(Token::Operator(")")) => true,
            Some(Token::Word(word)) => word.bare() == Some("}"),
            Some(_) => false,
        }
    }

    fn list(&mut self) -> Result<List, SyntaxError> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        while let Some(operator) = self.operator(&["&&", "||"]) {
            while self.operator(&["\n"]).is_some() {}
            let join = if operator == "&&" { Join::And } else { Join::Or };
            rest.push((join, self.pipeline()?));
        }
        Ok(List { first, rest })
    }

    fn pipeline(&mut self) -> Result<Pipeline, SyntaxError> {
        let mut negated = false;
        while matches!(self.peek(), Some(Token::Word(word)) if word.bare() == Some("!")) {
            self.at += 1;
            negated = !negated;
        }
        let mut stages = vec![self.stage()?];
        while self.operator(&["|"]).is_some() {
            if stages.len() == WIDEST {
                return Err(SyntaxError::TooLong);
            }
            while self.operator(&["\n"]).is_some() {}
            stages.push(self.stage()?);
        }
        Ok(Pipeline { negated, stages })
    }

    fn stage(&mut self) -> Result<Stage, SyntaxError> {
        if self.operator(&["("]).is_some() {
            let inner = self.block()?;
            self.operator(&[")"]).ok_or_else(|| self.wrong())?;
            return Ok(Stage { body: Body::Subshell(inner), redirects: self.redirects()? });
        }
        if matches!(self.peek(), Some(Token::Word(word)) if word.bare() == Some("{")) {
            self.at += 1;
            let inner = self.block()?;
            match self.peek() {
                Some(Token::Word(word)) if word.bare() == Some("}") => self.at += 1,
                _ => return Err(self.wrong()),
            }
            return Ok(Stage { body: Body::Group(inner), redirects: self.redirects()? });
        }
        self.simple()
    }

    fn block(&mut self) -> Result<Script, SyntaxError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(SyntaxError::TooDeep);
        }
        let inner = self.script()?;
        self.depth -= 1;
        Ok(inner)
    }

    fn redirects(&mut self) -> Result<Vec<Redirect>, SyntaxError> {
        let mut found = Vec::new();
        while let Some(redirect) = self.redirect()? {
            found.push(redirect);
        }
        Ok(found)
    }

    fn redirect(&mut self) -> Result<Option<Redirect>, SyntaxError> {
        let (stderr, operator) = match self.peek() {
            Some(Token::Join { stderr }) => {
                let stderr = *stderr;
                self.at += 1;
                return Ok(Some(Redirect::Join { stderr }));
            }
            Some(Token::Redirect { stderr, operator }) => (*stderr, *operator),
            _ => return Ok(None),
        };
        self.at += 1;
        let Some(Token::Word(word)) = self.peek().cloned() else { return Err(self.wrong()) };
        self.at += 1;
        Ok(Some(match operator {
            "<" => Redirect::Input(word),
            _ => Redirect::Output { stderr, append: operator == ">>", to: word },
        }))
    }

    fn simple(&mut self) -> Result<Stage, SyntaxError> {
        let (mut assignments, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            let Some(Token::Word(word)) = self.peek().cloned() else { break };
            if words.is_empty() && word.bare().is_some_and(|bare| KEYWORDS.contains(&bare)) {
                return Err(SyntaxError::Unsupported("if, for, while, case, function or [["));
            }
            self.at += 1;
            match word.assignment() {
                Some(assignment) if words.is_empty() => assignments.push(assignment),
                _ => words.push(word),
            }
        }
        if assignments.is_empty() && words.is_empty() && redirects.is_empty() {
            return Err(self.wrong());
        }
        Ok(Stage { body: Body::Simple { assignments, words }, redirects })
    }

    fn wrong(&self) -> SyntaxError {
        self.peek().map_or(SyntaxError::End, unexpected)
    }
}

fn unexpected(token: &Token) -> SyntaxError {
    SyntaxError::Unexpected(match token {
        Token::Operator("\n") => "newline".to_owned(),
        Token::Operator(operator) | Token::Redirect { operator, .. } => (*operator).to_owned(),
        Token::Join { .. } => ">&".to_owned(),
        Token::Word(word) => word.bare().unwrap_or("word").to_owned(),
    })
}

impl Word {
    /// The word, if it is one stretch of text without quotes.
    fn bare(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Text { text, quoted: false }] => Some(text),
            _ => None,
        }
    }

    /// `NAME=value`, with the value's pieces.
    fn assignment(&self) -> Option<(String, Word)> {
        let Some(Piece::Text { text, quoted: false }) = self.pieces.first() else { return None };
        let (name, start) = text.split_once('=')?;
        let valid = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && name.chars().next().is_some_and(|c| !c.is_ascii_digit());
        valid.then(|| {
            let mut pieces = vec![Piece::Text { text: start.to_owned(), quoted: true }];
            pieces.extend_from_slice(&self.pieces[1..]);
            (name.to_owned(), Word { pieces })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(script: &str) -> Vec<String> {
        let script = parse(script).unwrap();
        let Body::Simple { words, .. } = &script.lists[0].first.stages[0].body else { panic!("not simple") };
        words.iter().map(flat).collect()
    }

    fn flat(word: &Word) -> String {
        word.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text { text, .. } => text.clone(),
                Piece::Variable { name, .. } => format!("<{name}>"),
                Piece::Output { .. } => "<()>".to_owned(),
            })
            .collect()
    }

    #[test]
    fn quotes_come_off_and_keep_what_they_hold() {
        assert_eq!(words(r#"a 'b  $c' "d \" $e" f\ g "" '' #h"#), ["a", "b  $c", "d \" <e>", "f g", "", ""]);
        assert_eq!(words(r"input text 'it'\''s'"), ["input", "text", "it's"]);
        assert_eq!(words("a#b $ 5%"), ["a#b", "$", "5%"]);
    }

    #[test]
    fn lists_pipes_and_redirects_nest() {
        let script = parse("a && b || c; (d | e) 2>&1 >f\n! g <h 2>>/dev/null").unwrap();
        assert_eq!(script.lists.len(), 3);
        assert_eq!(script.lists[0].rest.len(), 2);
        assert_eq!(script.lists[1].first.stages[0].redirects.len(), 2);
        assert!(script.lists[2].first.negated);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for wrong in
            ["a &", "a | ", "( a", "a )", "'a", "\"a", "a <<b", "if a", "a ;; b", "`a`", "$((1+1))", "a >", "; a"]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn depth_and_length_have_limits() {
        assert_eq!(parse(&"(".repeat(5000)), Err(SyntaxError::TooDeep));
        assert_eq!(parse(&format!("{}a{}", "$(".repeat(5000), ")".repeat(5000))), Err(SyntaxError::TooDeep));
        assert_eq!(parse(&"a ".repeat(MAX_LEN)), Err(SyntaxError::TooLong));
    }
}
