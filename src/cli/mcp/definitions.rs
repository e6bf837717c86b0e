//! Which definitions calls of other servers' tools are checked against: those that are shipped, those of the project file, and those
//! of `--definitions`, of which the later win.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use parking_lot::Mutex;

use crate::mcp::client::RESERVED;
use crate::testcase::{NamedFile, Project};
use crate::uniform::{Definitions, Unusable};

/// The option that names files of definitions.
#[derive(Args, Clone, Debug, Default)]
pub(in crate::cli) struct DefinitionsArgs {
    /// File SERVER.yaml that says what the tools of the MCP server of this name take, or a folder of such files: calls are
    /// checked by it before they are sent. May be given again; the later wins.
    #[arg(long, value_name = "FILE|DIR")]
    definitions: Vec<PathBuf>,
}

impl DefinitionsArgs {
    /// Names its files whole, for a program that changes its folder.
    pub(super) fn whole(self) -> std::io::Result<Self> {
        let definitions = self.definitions.iter().map(std::path::absolute).collect::<Result<_, _>>()?;
        Ok(Self { definitions })
    }

    /// Tells whether a file is named on the command line.
    pub(in crate::cli) fn is_named(&self) -> bool {
        !self.definitions.is_empty()
    }

    /// Reads all that hold for what is called in a project; the error says which file is wrong.
    pub(super) fn read(&self, project: &Project) -> Result<Arc<Definitions>, Unusable> {
        for named in &project.definitions {
            check_place(named, project).map_err(|message| at(named, project, &message))?;
        }
        read(self.paths(project))
    }

    /// Returns the paths of all that hold for what is called in a project, in their order.
    pub(in crate::cli) fn paths(&self, project: &Project) -> Vec<PathBuf> {
        let of_project = project.definitions.iter().map(|named| project.folder().join(&named.path));
        of_project.chain(self.definitions.iter().cloned()).collect()
    }
}

/// Reads files, once for all cases of a run.
fn read(paths: Vec<PathBuf>) -> Result<Arc<Definitions>, Unusable> {
    static READ: Mutex<BTreeMap<Vec<PathBuf>, Arc<Definitions>>> = Mutex::new(BTreeMap::new());
    let mut known = READ.lock();
    if let Some(definitions) = known.get(&paths) {
        return Ok(Arc::clone(definitions));
    }
    let mut all = Definitions::shipped().clone();
    for path in &paths {
        let read = Definitions::from_path(path)?;
        if read.of(RESERVED).next().is_some() {
            let own = format!("`{RESERVED}` is this program itself, whose tools are known");
            let message = format!("a file of definitions is named after its server, and {own}");
            return Err(Unusable { path: path.clone(), place: None, message });
        }
        all = all.with(read);
    }
    let all = Arc::new(all);
    known.insert(paths, Arc::clone(&all));
    Ok(all)
}

/// Checks where a path leads that a project file names; what leads out of its folder is not read.
fn check_place(named: &NamedFile, project: &Project) -> Result<(), String> {
    let folder = project.folder();
    let found =
        folder.join(&named.path).canonicalize().map_err(|error| format!("{} cannot be read: {error}", named.path))?;
    let leads_up = Path::new(&named.path).components().any(|part| part == Component::ParentDir);
    match folder.canonicalize().is_ok_and(|folder| found.starts_with(folder)) && !leads_up {
        true => Ok(()),
        false => Err(format!("{} leads out of the project's folder; name it with --definitions", named.path)),
    }
}

fn at(named: &NamedFile, project: &Project, message: &str) -> Unusable {
    let path = project.file.as_deref().unwrap_or("uixt.yaml").into();
    let place = Some((named.place.line.into(), named.place.column.into()));
    Unusable { path, place, message: format!("`definitions`: {message}") }
}
