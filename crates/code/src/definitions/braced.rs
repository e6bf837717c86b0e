//! Tokens of a language with braces → definitions.

use super::definition::Definition;
use super::scopes::{Found, Inside, New, OWNER, Scope, body};
use super::{bare, bound, keyword, signature, statement};
use crate::source::language::Bare;
use crate::source::token::REACH;
use crate::source::{Kind, Language, Tokens};

/// Returns what is defined.
pub(super) fn define(tokens: &Tokens<'_>, language: &'static Language) -> Vec<Definition> {
    let mut reader = Reader {
        tokens,
        language,
        scopes: Vec::new(),
        branches: Vec::new(),
        found: Found::default(),
        begin: 0,
        pending: None,
    };
    for at in 0..tokens.all.len() {
        if reader.found.is_full() {
            break;
        }
        reader.take(at);
    }
    let mut definitions = reader.found.definitions;
    definitions.retain(|definition| definition.kind != OWNER);
    definitions.sort_by_key(|definition| definition.line);
    definitions
}

/// Most brackets, and most branches of a preprocessor, that may be open.
const DEEPEST: usize = 500;

/// A definition whose body is still to come.
#[derive(Clone, Copy)]
struct Pending {
    of: usize,
    /// How many brackets are open around it.
    depth: usize,
    /// Where the body opens, if that is known.
    opens: Option<usize>,
    inside: Inside,
}

pub(super) struct Reader<'a> {
    pub(super) tokens: &'a Tokens<'a>,
    pub(super) language: &'static Language,
    pub(super) scopes: Vec<Scope>,
    /// The scopes at each `#if` that is open.
    branches: Vec<Vec<Scope>>,
    pub(super) found: Found,
    /// Where the statement begins.
    pub(super) begin: usize,
    pending: Option<Pending>,
}

impl Reader<'_> {
    fn take(&mut self, at: usize) {
        if self.language.lines_end
            && at > self.begin
            && self.is_statement_place()
            && signature::ends_before(self.tokens, at)
        {
            self.end_statement(at);
        }
        if at == self.begin {
            self.statement(at);
        }
        let Some(token) = self.tokens.get(at) else { return };
        match token.kind {
            Kind::Word => self.word(at),
            Kind::Sign(b'{') => self.open_body(at),
            Kind::Sign(sign @ (b'(' | b'[')) => self.open(Inside::Brackets, None, at, sign),
            Kind::Sign(b'}') => self.close_body(at),
            Kind::Sign(b')' | b']') => self.close_brackets(),
            Kind::Sign(b';') => self.end_statement(at + 1),
            Kind::Sign(b',') if self.inside() == Inside::Object => self.end_statement(at + 1),
            Kind::If => {
                if self.branches.len() < DEEPEST {
                    self.branches.push(self.scopes.clone());
                }
                self.pass(at);
            }
            Kind::Else => self.other_branch(at),
            Kind::EndIf => {
                self.branches.pop();
                self.pass(at);
            }
            Kind::Macro => self.add_macro(at),
            Kind::Sign(_) | Kind::Text => {}
        }
    }

    pub(super) fn inside(&self) -> Inside {
        self.scopes.last().map_or(Inside::File, |scope| scope.inside)
    }

    fn is_statement_place(&self) -> bool {
        !matches!(self.inside(), Inside::Brackets | Inside::Object)
    }

    fn end_statement(&mut self, begin: usize) {
        self.begin = begin;
        let depth = self.scopes.len();
        let is_over = |pending: &Pending| pending.depth >= depth && pending.opens.is_none_or(|opens| opens < begin);
        self.pending = self.pending.filter(|pending| !is_over(pending));
    }

    /// Takes the scopes as they were where the first branch began: of several, each is read from there.
    fn other_branch(&mut self, at: usize) {
        if let Some(scopes) = self.branches.last() {
            self.scopes.clone_from(scopes);
            self.pending = None;
            self.begin = at + 1;
        }
    }

    fn add_macro(&mut self, at: usize) {
        let token = self.tokens.all[at];
        let name = &self.tokens.source[token.start..token.end];
        self.found.add(self.tokens, New { kind: "macro", name, parent: None, at, from: at, to: at + 1 });
        if let Some(added) = self.found.definitions.last_mut() {
            added.signature = format!("#define {}", added.name);
        }
        self.pass(at);
    }

    /// Lets a statement begin behind what belongs to none.
    fn pass(&mut self, at: usize) {
        if self.begin == at {
            self.begin = at + 1;
        }
    }

    fn word(&mut self, at: usize) {
        let word = self.tokens.word(at).unwrap_or_default();
        let Some(known) = self.language.keyword(word) else { return };
        if let Some(declared) = keyword::declare(self, at, known) {
            let pending = self.pending.filter(|pending| pending.opens.is_some_and(|opens| opens > at));
            if let Some(inside) = declared.inside {
                let depth = self.scopes.len();
                self.pending = pending.or(Some(Pending { of: declared.of, depth, opens: declared.opens, inside }));
            }
        }
    }

    /// Looks for a definition without a keyword where a statement begins.
    fn statement(&mut self, at: usize) {
        let found = match self.language.bare {
            Bare::Nothing => None,
            Bare::Functions | Bare::Methods => statement::declare(self, at),
            Bare::Members => bare::member(self, at).or_else(|| bound::assigned(self, at)),
            Bare::OfInterfaces => bare::of_interface(self, at),
        };
        if let Some((of, opens)) = found {
            let depth = self.scopes.len();
            self.pending = opens.map(|opens| Pending { of, depth, opens: Some(opens), inside: Inside::Function });
        }
    }

    fn open_body(&mut self, at: usize) {
        let depth = self.scopes.len();
        let fits = |pending: &Pending| match pending.opens {
            Some(opens) => opens == at,
            None => pending.depth == depth,
        };
        match self.pending.filter(fits) {
            Some(pending) => {
                self.pending = None;
                self.open(pending.inside, Some(pending.of), at, b'{');
            }
            None => self.open(self.block(at), None, at, b'{'),
        }
    }

    /// Tells what braces are that no definition has.
    fn block(&self, at: usize) -> Inside {
        let tokens = self.tokens;
        let before = at.wrapping_sub(1);
        let is_type = || {
            let is_alias = (self.begin..self.begin + 3).any(|at| tokens.is_word(at, "type"));
            is_alias || (tokens.is(before, b':') && self.inside() != Inside::Object)
        };
        match self.language.bare {
            Bare::Members if is_type() => Inside::Interface,
            Bare::Members => match tokens.get(at.wrapping_sub(1)).map(|token| token.kind) {
                Some(Kind::Sign(b'=' | b'(' | b',' | b':' | b'[' | b'?' | b'|' | b'&')) => Inside::Object,
                _ if tokens.is_word_of(at.wrapping_sub(1), &["return", "default"]) => Inside::Object,
                _ => Inside::Block,
            },
            Bare::Methods if self.is_new(at) || self.is_of_constant(at) => Inside::Type,
            Bare::Functions
                if tokens.is_word(before.wrapping_sub(1), "extern") || tokens.is_word(before, "namespace") =>
            {
                Inside::File
            }
            _ => Inside::Block,
        }
    }

    /// Tells whether braces belong to a constant of an enum, which may have methods: `OPEN(1) {`.
    fn is_of_constant(&self, at: usize) -> bool {
        let (tokens, before) = (self.tokens, at.wrapping_sub(1));
        let is_head = tokens.is(before, b')') || (tokens.name(before).is_some() && !tokens.is_word(before, "static"));
        let near = self.begin.max(at.saturating_sub(REACH));
        self.inside() == Inside::Type && is_head && !(near..at).any(|at| tokens.is(at, b'='))
    }

    /// Tells whether braces belong to an object of a class that has no name: `new Type<…>(…) {`.
    fn is_new(&self, at: usize) -> bool {
        let tokens = self.tokens;
        let close = at.wrapping_sub(1);
        if !tokens.is(close, b')') {
            return false;
        }
        let near = self.begin.max(close.saturating_sub(REACH));
        let opens = (near..close).rev().find(|open| tokens.is(*open, b'(') && tokens.closing(*open) == close);
        let before = (self.begin..opens.unwrap_or(self.begin)).rev();
        let mut of_type = before.skip_while(|at| {
            tokens.is_any(*at, b".<>,?[]@") || !tokens.is_word(*at, "new") && tokens.name(*at).is_some()
        });
        of_type.next().is_some_and(|at| tokens.is_word(at, "new"))
    }

    fn open(&mut self, inside: Inside, of: Option<usize>, at: usize, sign: u8) {
        if self.scopes.len() < DEEPEST {
            self.scopes.push(Scope { inside, of });
        }
        if sign == b'{' {
            self.begin = at + 1;
        }
    }

    /// Closes the nearest braces; brackets in them that are open are taken for a slip.
    fn close_body(&mut self, at: usize) {
        while self.scopes.pop().is_some_and(|scope| scope.inside == Inside::Brackets) {}
        self.end_statement(at + 1);
    }

    fn close_brackets(&mut self) {
        if self.inside() == Inside::Brackets {
            self.scopes.pop();
        }
    }

    /// Names what a definition stands in.
    pub(super) fn parent(&self) -> Option<String> {
        self.found.parent(self.scopes.iter())
    }

    /// Tells whether functions are methods here.
    pub(super) fn is_in_type(&self) -> bool {
        let nearest = self.scopes.iter().rev().find(|scope| scope.inside != Inside::Brackets);
        nearest.is_some_and(|scope| matches!(scope.inside, Inside::Type | Inside::Interface))
    }

    /// Adds a definition whose signature begins with its statement.
    pub(super) fn add(&mut self, kind: &'static str, name: &[u8], keyword: usize, at: usize) -> usize {
        let from = signature::start(self.tokens, self.language, self.begin, keyword);
        let to = signature::end(self.tokens, self.language, at);
        let parent = self.parent();
        self.found.add(self.tokens, New { kind, name, parent, at, from, to })
    }

    /// Tells what the body of a definition is.
    pub(super) fn body_of(&self, of: usize) -> Inside {
        self.found.definitions.get(of).map_or(Inside::Block, |definition| body(definition.kind))
    }
}
