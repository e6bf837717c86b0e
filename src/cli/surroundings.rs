//! What tools are told of what is around them: the folder that `--allow-dir` names, the user's servers, a saved list of a registry.

use std::path::{Path, PathBuf};

use clap::Args;
use uixt_tools_code::Surroundings;

use crate::cli::exit::Failure;
use crate::cli::mcp::servers;
use crate::testcase::{self, Project};

/// The option that names a folder whose files texts may read.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct AllowDirArgs {
    /// Let texts with calls in them read the files of a folder, and write there; nothing outside of it.
    #[arg(long, value_name = "DIR")]
    allow_dir: Option<PathBuf>,
}

impl AllowDirArgs {
    /// Returns the folder, without links.
    pub(super) fn folder(&self) -> Result<Option<PathBuf>, Failure> {
        let real = |folder: &PathBuf| match folder.canonicalize() {
            Ok(real) if real.is_dir() => Ok(real),
            Ok(_) => Err(Failure::usage(format!("--allow-dir: {} is not a folder", folder.display()))),
            Err(error) => Err(Failure::usage(format!("--allow-dir: {}: {error}", folder.display()))),
        };
        self.allow_dir.as_ref().map(real).transpose()
    }
}

/// Returns what is around calls that are made in the working directory; `shown` is the file whose servers' tools are offered.
pub(super) fn here(shown: Option<PathBuf>) -> Surroundings {
    let registry = testcase::project(Path::new(".")).ok().and_then(|project| registry(&project));
    Surroundings::default().knowing(move || servers::known(shown.as_deref())).with_registry(registry)
}

/// Returns what is around the cases of a project.
pub(super) fn of_project(project: &Project, shown: Option<PathBuf>) -> Surroundings {
    Surroundings::default().knowing(move || servers::known(shown.as_deref())).with_registry(registry(project))
}

/// Returns the saved list that a project names, where it lies in its folder.
fn registry(project: &Project) -> Option<PathBuf> {
    let named = project.registry.as_ref()?;
    let (folder, file) =
        (project.folder().canonicalize().ok()?, project.folder().join(&named.path).canonicalize().ok()?);
    file.starts_with(folder).then_some(file)
}
