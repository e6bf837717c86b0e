//! The files that testcases refer to, each read once per load, and who refers to whom.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::case::{Project, TestCase};
use super::error::Error;
use super::overrides::Overrides;
use super::own_tools::OwnTools;
use super::parameters::Parameters;
use super::python::Python;
use super::source::Source;
use super::texts::{Kept, Texts, Tree};
use super::vocabulary::Vocabulary;
use super::yaml;
use parking_lot::Mutex;
use uixt_core::functions::{self, Functions};

/// Longest chain of files that refer to each other.
pub(super) const DEEPEST: usize = 16;

/// What has been read so far.
#[derive(Default)]
pub(super) struct Library {
    cases: Mutex<HashMap<PathBuf, Kept<Loaded>>>,
    trees: Mutex<HashMap<PathBuf, Kept<Tree>>>,
    functions: Mutex<HashMap<PathBuf, Arc<Result<Python, functions::Error>>>>,
}

/// A testcase as others refer to it.
pub(super) struct Loaded {
    pub(super) case: Arc<TestCase>,
    /// The rows that the case wants to run with, which become those of the step that refers to it.
    pub(super) parameters: Option<Parameters>,
    /// Variables that it does not define, and what to say where nobody else does.
    pub(super) wanted: Vec<(String, Error)>,
    /// How many files further down it refers to, itself included.
    pub(super) depth: usize,
    /// The case's file, and those that were read with it.
    pub(super) texts: Texts,
}

impl Library {
    /// Returns a testcase that was read before, or reads it now.
    pub(super) fn case(&self, path: &Path, read: impl FnOnce() -> Result<Loaded, Vec<Error>>) -> Kept<Loaded> {
        kept(&self.cases, path, read)
    }

    /// Returns a testcase that was read before.
    pub(super) fn known(&self, path: &Path) -> Option<Kept<Loaded>> {
        self.cases.lock().get(path).map(Arc::clone)
    }

    /// Returns the tree of a file.
    pub(super) fn tree(&self, path: &Path, shown: &str) -> Kept<Tree> {
        kept(&self.trees, path, || {
            let source = Source::read(path, shown)?;
            let root = yaml::read(&source)?;
            Ok(Tree { source, root })
        })
    }

    /// Shows the text of every file that others refer to.
    pub(super) fn each_text(&self, mut show: impl FnMut(&str)) {
        for tree in self.trees.lock().values() {
            if let Ok(tree) = tree.as_ref() {
                show(&tree.source.text);
            }
        }
    }

    /// Returns the functions of a Python file, which is not run yet.
    pub(super) fn python(&self, path: &Path, root: &Path) -> Arc<Result<Python, functions::Error>> {
        kept(&self.functions, path, || {
            let names = Arc::new(functions::names(path)?);
            Ok(Python { functions: Functions::in_folder(path, root), names })
        })
    }
}

/// The lock is not held while something is read, since reading a file may need another one.
fn kept<T>(all: &Mutex<HashMap<PathBuf, Arc<T>>>, path: &Path, read: impl FnOnce() -> T) -> Arc<T> {
    if let Some(found) = all.lock().get(path) {
        return Arc::clone(found);
    }
    let new = Arc::new(read());
    Arc::clone(all.lock().entry(path.to_path_buf()).or_insert(new))
}

/// What the reading of a file depends on beside its text.
#[derive(Clone, Copy)]
pub(super) struct Setting<'a> {
    pub(super) library: &'a Library,
    pub(super) vocabulary: &'a Vocabulary<'a>,
    pub(super) overrides: &'a Overrides,
    pub(super) project: &'a Arc<Project>,
    /// The tools that the project's steps may call beside uixt's own.
    pub(super) tools: &'a OwnTools,
    /// The file that is read.
    pub(super) trail: Trail<'a>,
}

/// A file and those that refer to it.
#[derive(Clone, Copy)]
pub(super) struct Trail<'a> {
    pub(super) path: &'a Path,
    pub(super) shown: &'a str,
    pub(super) above: Option<&'a Trail<'a>>,
    /// Whether it is one of the project's tools.
    pub(super) is_tool: bool,
}

impl<'a> Trail<'a> {
    /// Returns the files from this one upwards.
    pub(super) fn files(&self) -> impl Iterator<Item = Trail<'a>> {
        std::iter::successors(Some(*self), |trail| trail.above.copied())
    }

    /// Returns the chain of files that referring to `path` would close: `a.yaml → b.yaml → a.yaml`.
    pub(super) fn cycle(&self, path: &Path) -> Option<String> {
        let mut names: Vec<&str> = Vec::new();
        for file in self.files() {
            names.push(file.shown);
            if file.path == path {
                let first = file.shown;
                names.reverse();
                names.push(first);
                return Some(names.join(" → "));
            }
        }
        None
    }
}
