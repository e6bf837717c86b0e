//! Source code → what is defined in it: by a table of languages, without a grammar of any.

mod bare;
mod bound;
mod braced;
mod definition;
mod grouped;
mod indented;
mod keyword;
mod owned;
mod scopes;
mod signature;
mod statement;

pub use definition::Definition;

use crate::source::language::Nesting;
use crate::source::{lex, of_file};

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
