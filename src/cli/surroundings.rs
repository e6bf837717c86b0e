//! What tools are told of what is around them: the folder that `--allow-dir` names, the user's servers, a saved list of a registry, where
//! research looks.

use std::path::{Path, PathBuf};

use clap::Args;
use uixt_toolkit::Session;
use uixt_tools_ai::ResearchSources;
use uixt_tools_code::Surroundings;

use crate::cli::data;
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

/// What is around sessions.
#[derive(Clone)]
pub(super) struct Around {
    tools: Surroundings,
    research: ResearchSources,
}

impl Around {
    /// Says which tools are listed.
    pub(super) fn listing(self, names: Vec<String>) -> Self {
        Self { tools: self.tools.listing(names), ..self }
    }

    /// Tells a session of it.
    pub(super) fn tell(&self, session: Session) -> Session {
        session.with(self.tools.clone()).with(self.research.clone())
    }
}

/// Returns what is around calls that are made in the working directory; `shown` is the file whose servers' tools are offered.
pub(super) fn here(shown: Option<PathBuf>) -> Around {
    let project = testcase::project(Path::new(".")).unwrap_or_default();
    of_project(&project, Path::new("."), shown)
}

/// Returns what is around the cases of a project, whose root is a folder.
pub(super) fn of_project(project: &Project, root: &Path, shown: Option<PathBuf>) -> Around {
    let tools = Surroundings::default().knowing(move || servers::known(shown.as_deref()));
    let own = project.research.clone();
    let index = data::file(root).map(|file| file.with_file_name("research.db"));
    let research = ResearchSources { searxng: own.searxng, server: own.server, hosts: own.hosts, index };
    Around { tools: tools.with_registry(registry(project)), research }
}

/// Returns the saved list that a project names, where it lies in its folder.
fn registry(project: &Project) -> Option<PathBuf> {
    let named = project.registry.as_ref()?;
    let (folder, file) =
        (project.folder().canonicalize().ok()?, project.folder().join(&named.path).canonicalize().ok()?);
    file.starts_with(folder).then_some(file)
}
