//! What is told of something that is defined.

/// Most characters of a signature.
pub(super) const SIGNATURE: usize = 200;

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
