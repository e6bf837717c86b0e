//! What tools are told of what is around them: the folder that `--allow-dir` names, the user's servers, a saved list of a registry, where
//! research looks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use uixt_toolkit::Session;
use uixt_tools_ai::ResearchSources;
use uixt_tools_code::{OwnTool, Surroundings};

use crate::cli::data;
use crate::cli::exit::Failure;
use crate::cli::mcp::servers;
use crate::cli::project_tools;
use crate::testcase::{self, Project, TestCase};

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

    /// Says which tools the project has, whatever becomes of their files.
    pub(super) fn having(self, tools: &[Arc<TestCase>]) -> Self {
        let told = own_tools(tools);
        Self { tools: self.tools.having(move || told.clone()), ..self }
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
    let root = root.to_path_buf();
    // What is wrong with the files is told by whoever calls one of them.
    let tools = tools.having(move || project_tools::of_folder(&root).map(|own| own_tools(&own)).unwrap_or_default());
    Around { tools: tools.with_registry(registry(project)), research }
}

/// Returns what is told of the tools of a project to whoever looks for one.
fn own_tools(cases: &[Arc<TestCase>]) -> Vec<OwnTool> {
    let told = |case: &Arc<TestCase>| {
        let tool = case.tool.as_ref()?;
        let details = tool.parameters.iter().map(|one| format!("{} {}", one.name, one.description));
        Some(OwnTool {
            name: tool.name.clone(),
            description: tool.description.clone(),
            details: details.collect::<Vec<_>>().join(" "),
            for_agents: tool.for_agents,
        })
    };
    cases.iter().filter_map(told).collect()
}

/// Returns the saved list that a project names, where it lies in its folder.
fn registry(project: &Project) -> Option<PathBuf> {
    let named = project.registry.as_ref()?;
    let (folder, file) =
        (project.folder().canonicalize().ok()?, project.folder().join(&named.path).canonicalize().ok()?);
    file.starts_with(folder).then_some(file)
}
