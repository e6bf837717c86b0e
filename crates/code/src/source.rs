//! The text of a program → its words and signs, without comments, texts and what a preprocessor leaves out.

pub(crate) mod language;
mod languages;
mod lexer;
mod quotes;
pub(crate) mod token;

pub(crate) use language::{Language, of_file};
pub(crate) use languages::names;
pub(crate) use lexer::lex;
pub(crate) use token::{Kind, Tokens};
