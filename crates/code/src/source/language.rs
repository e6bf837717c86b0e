//! What a language writes: its comments and texts, how it nests, and which of its words define what.

use super::languages::LANGUAGES;

/// A text between quotes.
#[derive(Clone, Copy)]
pub(crate) struct Quote {
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
    pub(crate) escape: Escape,
    /// What opens code in it, and the sign that closes that.
    pub(crate) inside: Option<(&'static str, u8)>,
    /// Whether it may go on over lines.
    pub(crate) lines: bool,
}

/// How a text holds its own quote.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escape {
    Backslash,
    Doubled,
    Nothing,
}

/// Texts that no pair of quotes describes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    /// `r#"…"#`; `'a` is no text.
    RustTexts,
    /// `R"x(…)x"`, and `1'000`.
    CppTexts,
    /// `#"…"#`.
    SwiftTexts,
    /// As many quotes as open it: `""""…""""`.
    CSharpTexts,
    /// Outside of `<?php … ?>`, and `<<<END`.
    PhpTexts,
    /// `%w[…]`, `<<~END`, `=begin`, `__END__`, `?a`.
    RubyTexts,
    /// `/…/`.
    Regexes,
    /// Lines that begin with `#`.
    Preprocessor,
}

/// How parts stand in each other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nesting {
    Braces,
    Indentation,
}

/// How a definition's name stands behind its keyword.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Right behind it, or an operator.
    Name,
    /// As `Name`, and only where a body in braces follows.
    Body,
    /// As `Name`, and only where `=` follows, or parameters of types and `=`.
    Alias,
    /// As `Body`, or parameters, or nothing: `record Point(int x);`.
    Record,
    /// Before the arguments: `fun <T> List<T>.name(`.
    BeforeArguments,
    /// The keyword is the name: `init(`.
    Itself,
    /// A path: `namespace A.B`.
    Path,
    /// The type behind `for`, or the first: `impl T for S`; it only says to whom functions belong.
    Owner,
    /// Behind a receiver that is its owner: `func (s *S) name(`.
    Receiver,
    /// One or several in parentheses: `type ( A int; B int )`.
    Group,
    /// What is bound to it may be a function: `const f = () => …`.
    Bound,
    /// `macro_rules! name`.
    Bang,
    /// The last name of the statement: `typedef struct {…} name;`.
    Last,
}

/// A word that defines something.
pub(crate) struct Keyword {
    pub(crate) word: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) form: Form,
}

/// Which definitions have no keyword.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bare {
    Nothing,
    /// `type name(arguments) {`, in files and classes.
    Functions,
    /// The same in classes only, and without a body as well.
    Methods,
    /// `name(arguments) {` in classes and objects, and functions that are bound to a name.
    Members,
    /// `Name(arguments)` in interfaces.
    OfInterfaces,
}

pub(crate) struct Language {
    pub(crate) name: &'static str,
    pub(crate) extensions: &'static [&'static str],
    pub(crate) line_comments: &'static [&'static str],
    pub(crate) block_comments: &'static [(&'static str, &'static str)],
    /// Whether comments stand in comments.
    pub(crate) comments_nest: bool,
    pub(crate) quotes: &'static [Quote],
    pub(crate) specials: &'static [Special],
    pub(crate) nesting: Nesting,
    /// Whether the end of a line ends a statement.
    pub(crate) lines_end: bool,
    pub(crate) keywords: &'static [Keyword],
    pub(crate) bare: Bare,
}

impl Language {
    pub(crate) fn has(&self, special: Special) -> bool {
        self.specials.contains(&special)
    }

    pub(crate) fn keyword(&self, word: &[u8]) -> Option<&'static Keyword> {
        self.keywords.iter().find(|keyword| keyword.word.as_bytes() == word)
    }
}

/// Returns the language of a file, by the end of its name.
pub(crate) fn of_file(name: &str) -> Option<&'static Language> {
    let (stem, extension) = name.rsplit_once('.')?;
    let extension = extension.to_ascii_lowercase();
    LANGUAGES.iter().find(|language| !stem.is_empty() && language.extensions.contains(&extension.as_str()))
}
