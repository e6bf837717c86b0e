//! What a command line means, as a tree: lists of pipelines of commands.

/// A whole script, or what stands between parentheses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Script {
    pub(super) lists: Vec<List>,
}

/// Pipelines joined with `&&` and `||`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct List {
    pub(super) first: Pipeline,
    pub(super) rest: Vec<(Join, Pipeline)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    And,
    Or,
}

/// Commands joined with `|`; `!` before them turns the exit code around.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pipeline {
    pub(super) negated: bool,
    pub(super) stages: Vec<Stage>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stage {
    pub(super) body: Body,
    pub(super) redirects: Vec<Redirect>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// `NAME=value` in front, then the command's words.
    Simple { assignments: Vec<(String, Word)>, words: Vec<Word> },
    /// `( … )`: variables and the folder are its own.
    Subshell(Script),
    /// `{ …; }`.
    Group(Script),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Redirect {
    Input(Word),
    Output {
        stderr: bool,
        append: bool,
        to: Word,
    },
    /// `2>&1` or `1>&2`.
    Join {
        stderr: bool,
    },
}

/// One word: pieces that stand together without a blank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text as it is; where it was not quoted, `*`, `?` and `[` in it match file names.
    Text { text: String, quoted: bool },
    /// `$NAME`, `$?`, `${NAME}`, `${NAME:-default}`; unquoted, its value falls apart at blanks.
    Variable { name: String, default: Option<String>, quoted: bool },
    /// `$(…)`.
    Output { script: Script, quoted: bool },
}

/// Why a line is not understood; the text stands behind `/system/bin/sh: `.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SyntaxError {
    #[error("syntax error: unexpected '{0}'")]
    Unexpected(String),
    #[error("syntax error: unexpected end of file")]
    End,
    #[error("no closing quote")]
    Quote,
    #[error("{0} is not supported by the virtual phone's shell")]
    Unsupported(&'static str),
    #[error("nested too deeply")]
    TooDeep,
    #[error("command line too long")]
    TooLong,
}
