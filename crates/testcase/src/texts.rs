//! The files that are read, each once: their texts, and their trees.

use super::error::Error;
use super::node::Node;
use super::source::Source;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// What came of reading a file.
pub(super) type Kept<T> = Arc<Result<T, Vec<Error>>>;

/// Files by their paths, read once.
pub(super) type Texts = BTreeMap<PathBuf, Kept<Tree>>;

/// A file's text and its tree.
pub(super) struct Tree {
    pub(super) source: Source,
    pub(super) root: Node,
}
