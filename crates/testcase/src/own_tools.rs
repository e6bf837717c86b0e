//! The tools of one project, found by their names.

use std::path::Path;
use std::sync::Arc;

use super::case::Project;
use super::error::Error;
use super::own_tool::OwnTool;

/// The tools of a project.
#[derive(Default)]
pub(super) struct OwnTools {
    /// The project that they are of.
    pub(super) project: Arc<Project>,
    pub(super) tools: Vec<Arc<OwnTool>>,
    /// What is wrong with the files, beside their steps.
    pub(super) errors: Vec<Error>,
}

impl OwnTools {
    /// Returns the tool that a name means, with or without `uixt__`.
    pub(super) fn find(&self, name: &str) -> Option<&Arc<OwnTool>> {
        self.tools.iter().find(|tool| tool.is_named(name))
    }

    /// Tells whether a file is that of a tool.
    pub(super) fn has(&self, path: &Path) -> bool {
        self.tools.iter().any(|tool| tool.path == path)
            || self.errors.iter().any(|error| Path::new(&error.file).canonicalize().is_ok_and(|file| file == path))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.as_str())
    }
}
