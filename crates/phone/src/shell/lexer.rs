//! Characters → tokens: words with their quotes taken off, and operators. Knows no grammar beyond `$(…)`, which it hands to
//! the parser.

use super::parser;
use super::syntax::{Piece, SyntaxError, Word};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(Word),
    /// `;`, a newline, `&&`, `||`, `|`, `(`, `)`.
    Operator(&'static str),
    /// `>`, `>>`, `<`, with the number in front; the file's word follows.
    Redirect {
        stderr: bool,
        operator: &'static str,
    },
    /// `2>&1`, `1>&2`.
    Join {
        stderr: bool,
    },
}

/// Splits a script into tokens; `depth` counts the `$(` around it.
pub(super) fn tokens(script: &str, depth: usize) -> Result<Vec<Token>, SyntaxError> {
    let mut lexer = Lexer { rest: script.chars().collect(), at: 0, depth };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next_token()? {
        tokens.push(token);
    }
    Ok(tokens)
}

struct Lexer {
    rest: Vec<char>,
    at: usize,
    depth: usize,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.rest.get(self.at + ahead).copied()
    }

    fn take(&mut self) -> Option<char> {
        let next = self.peek(0);
        self.at += usize::from(next.is_some());
        next
    }

    fn take_if(&mut self, wanted: char) -> bool {
        let there = self.peek(0) == Some(wanted);
        self.at += usize::from(there);
        there
    }

    fn next_token(&mut self) -> Result<Option<Token>, SyntaxError> {
        self.skip_blanks();
        let Some(next) = self.peek(0) else { return Ok(None) };
        if let Some(token) = self.numbered_redirect() {
            return token.map(Some);
        }
        match next {
            '\n' | ';' | '(' | ')' | '|' | '&' => self.operator().map(Some),
            '<' | '>' => self.redirect(next == '<', false).map(Some),
            _ => Ok(Some(Token::Word(self.word()?))),
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(' ' | '\t' | '\r'), _) => self.at += 1,
                (Some('\\'), Some('\n')) => self.at += 2,
                (Some('#'), _) => {
                    while self.peek(0).is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// `1>`, `2>`, `0<`: a digit that belongs to a redirect.
    fn numbered_redirect(&mut self) -> Option<Result<Token, SyntaxError>> {
        let (digit, operator) = (self.peek(0)?, self.peek(1)?);
        let fits = matches!((digit, operator), ('1' | '2', '>') | ('0', '<'));
        fits.then(|| {
            self.at += 1;
            self.redirect(operator == '<', digit == '2')
        })
    }

    fn redirect(&mut self, input: bool, stderr: bool) -> Result<Token, SyntaxError> {
        self.at += 1;
        if input {
            return match self.peek(0) {
                Some('<') => Err(SyntaxError::Unsupported("<< (a here-document)")),
                Some('&' | '>') => Err(SyntaxError::Unsupported("this redirect")),
                _ => Ok(Token::Redirect { stderr: false, operator: "<" }),
            };
        }
        if self.take_if('>') {
            return Ok(Token::Redirect { stderr, operator: ">>" });
        }
        if !self.take_if('&') {
            self.take_if('|');
            return Ok(Token::Redirect { stderr, operator: ">" });
        }
        match (self.take(), stderr) {
            (Some('1'), true) => Ok(Token::Join { stderr: true }),
            (Some('2'), false) => Ok(Token::Join { stderr: false }),
            _ => Err(SyntaxError::Unsupported("this redirect")),
        }
    }

    fn operator(&mut self) -> Result<Token, SyntaxError> {
        let first = self.take().unwrap_or('\n');
        Ok(Token::Operator(match first {
            '&' if self.take_if('&') => "&&",
            '&' => return Err(SyntaxError::Unsupported("& (a command in the background)")),
            '|' if self.take_if('|') => "||",
            '|' => "|",
            ';' if self.peek(0) == Some(';') => return Err(SyntaxError::Unexpected(";;".to_owned())),
            ';' => ";",
            '(' => "(",
            ')' => ")",
            _ => "\n",
        }))
    }

    fn word(&mut self) -> Result<Word, SyntaxError> {
        let mut word = Word::default();
        while let Some(next) = self.peek(0) {
            match next {
                ' ' | '\t' | '\r' | '\n' | ';' | '(' | ')' | '|' | '&' | '<' | '>' => break,
                '\'' => self.single_quoted(&mut word)?,
                '"' => self.double_quoted(&mut word)?,
                '$' => self.dollar(&mut word, false)?,
                '`' => return Err(SyntaxError::Unsupported("` (use $(…))")),
                '\\' => self.escaped(&mut word),
                _ => {
                    self.at += 1;
                    word.push(next, false);
                }
            }
        }
        Ok(word)
    }

    fn escaped(&mut self, word: &mut Word) {
        self.at += 1;
        match self.take() {
            Some('\n') => {}
            Some(literal) => word.push(literal, true),
            None => word.push('\\', true),
        }
    }

    fn single_quoted(&mut self, word: &mut Word) -> Result<(), SyntaxError> {
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.take() {
                None => return Err(SyntaxError::Quote),
                Some('\'') => break,
                Some(c) => text.push(c),
            }
        }
        word.pieces.push(Piece::Text { text, quoted: true });
        Ok(())
    }

    fn double_quoted(&mut self, word: &mut Word) -> Result<(), SyntaxError> {
        self.at += 1;
        word.pieces.push(Piece::Text { text: String::new(), quoted: true });
        loop {
            match self.peek(0) {
                None => return Err(SyntaxError::Quote),
                Some('"') => break,
                Some('$') => self.dollar(word, true)?,
                Some('`') => return Err(SyntaxError::Unsupported("` (use $(…))")),
                Some('\\') if matches!(self.peek(1), Some('"' | '\\' | '$' | '`' | '\n')) => self.escaped(word),
                Some(c) => {
                    self.at += 1;
                    word.push(c, true);
                }
            }
        }
        self.at += 1;
        Ok(())
    }

    fn dollar(&mut self, word: &mut Word, quoted: bool) -> Result<(), SyntaxError> {
        self.at += 1;
        match self.peek(0) {
            Some('(') if self.peek(1) == Some('(') => return Err(SyntaxError::Unsupported("$(( … ))")),
            Some('(') => {
                let script = self.substitution()?;
                word.pieces.push(Piece::Output { script, quoted });
            }
            Some('{') => {
                let (name, default) = self.braced()?;
                word.pieces.push(Piece::Variable { name, default, quoted });
            }
            Some(c @ ('?' | '$' | '#' | '@' | '*' | '0'..='9')) => {
                self.at += 1;
                word.pieces.push(Piece::Variable { name: c.to_string(), default: None, quoted });
            }
            Some(c) if is_name(c) => {
                let name = self.name();
                word.pieces.push(Piece::Variable { name, default: None, quoted });
            }
            _ => word.push('$', true),
        }
        Ok(())
    }

    fn name(&mut self) -> String {
        let start = self.at;
        while self.peek(0).is_some_and(is_name) {
            self.at += 1;
        }
        self.rest[start..self.at].iter().collect()
    }

    fn braced(&mut self) -> Result<(String, Option<String>), SyntaxError> {
        self.at += 1;
        let name = if self.take_if('?') { "?".to_owned() } else { self.name() };
        if name.is_empty() {
            return Err(SyntaxError::Unsupported("this ${…}"));
        }
        if self.take_if('}') {
            return Ok((name, None));
        }
        if !(self.take_if(':') && self.take_if('-')) {
            return Err(SyntaxError::Unsupported("this ${…}"));
        }
        let mut default = String::new();
        loop {
            match self.take() {
                None => return Err(SyntaxError::End),
                Some('}') => return Ok((name, Some(default))),
                Some('$' | '`' | '"' | '\'' | '\\') => return Err(SyntaxError::Unsupported("this ${…}")),
                Some(c) => default.push(c),
            }
        }
    }

    /// Reads `$(…)` to its closing parenthesis.
    fn substitution(&mut self) -> Result<super::syntax::Script, SyntaxError> {
        self.at += 1;
        let start = self.at;
        let end = self.closing_parenthesis()?;
        let inner: String = self.rest[start..end].iter().collect();
        parser::parse_at(&inner, self.depth + 1)
    }

    fn closing_parenthesis(&mut self) -> Result<usize, SyntaxError> {
        let mut open = 1;
        loop {
            match self.take().ok_or(SyntaxError::End)? {
                '\\' => self.at += 1,
                '\'' => while self.take().ok_or(SyntaxError::Quote)? != '\'' {},
                '"' => self.closing_quote()?,
                '(' => open += 1,
                ')' if open == 1 => return Ok(self.at - 1),
                ')' => open -= 1,
                _ => {}
            }
        }
    }
}

impl Lexer {
    fn closing_quote(&mut self) -> Result<(), SyntaxError> {
        loop {
            match self.take().ok_or(SyntaxError::Quote)? {
                '\\' => self.at += 1,
                '"' => return Ok(()),
                _ => {}
            }
        }
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

impl Word {
    fn push(&mut self, c: char, quoted: bool) {
        if let Some(Piece::Text { text, quoted: same }) = self.pieces.last_mut()
            && *same == quoted
        {
            text.push(c);
            return;
        }
        self.pieces.push(Piece::Text { text: c.to_string(), quoted });
    }
}
