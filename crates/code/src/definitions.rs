//! Source code → what is defined in it: by a table of languages, without a grammar of any.

mod bare;
mod bound;
mod braced;
mod grouped;
mod indented;
mod keyword;
mod owned;
mod scopes;
mod signature;
mod statement;

use crate::source::language::Nesting;
use crate::source::{lex, of_file};

/// Most characters of a signature.
const SIGNATURE: usize = 200;

/// Something that is defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// `function`, `method`, `class`, `struct`, …
    pub kind: &'static str,
    pub name: String,
    /// What it stands in or belongs to.
    pub parent: Option<String>,
    /// From 1.
    pub line: u32,
    /// As it stands there, in one line.
    pub signature: String,
}

/// What a file defines, and in which language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defined {
    pub language: &'static str,
    pub definitions: Vec<Definition>,
    /// Whether all of the source was read; not where it is written so that this would take too long.
    pub is_whole: bool,
}

/// Returns what a source defines; none where the end of its name is of no language that is known.
pub fn define(name: &str, source: &[u8]) -> Option<Defined> {
    let language = of_file(name)?;
    let tokens = lex(source, language);
    let definitions = match language.nesting {
        Nesting::Braces => braced::define(&tokens, language),
        Nesting::Indentation => indented::define(&tokens, language),
    };
    Some(Defined { language: language.name, definitions, is_whole: tokens.is_whole() })
}
