//! `uixt.yaml` beside a testcase or above it, and the folder that its testcases belong to.

use super::case::{NamedFile, Project, Research};
use super::config::{self, check_cycles};
use super::environs;
use super::error::Error;
use super::keys;
use super::known::Known;
use super::node::{Data, Entry, Node};
use super::overrides::Overrides;
use super::reader::Reader;
use super::source::Source;
use super::vocabulary::Vocabulary;
use super::yaml;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the project file.
pub(super) const FILE: &str = "uixt.yaml";
/// Files that mark a project's folder for `HttpRunner`.
const MARKS: [&str; 4] = [FILE, "proj.json", "debugtalk.py", "debugtalk.go"];

/// The projects of the folders asked for so far.
pub(super) struct Projects<'a> {
    overrides: &'a Overrides,
    by_folder: HashMap<PathBuf, Arc<Project>>,
    by_file: HashMap<PathBuf, Project>,
    environs: HashMap<PathBuf, BTreeMap<String, String>>,
    pub(super) errors: Vec<Error>,
}

/// Returns the folder of the project that testcases in an absolute folder belong to: the nearest that is marked, or itself.
pub fn root(folder: &Path) -> PathBuf {
    marked_root(folder).unwrap_or_else(|| folder.to_path_buf())
}

/// Returns the folder of the project that an absolute folder belongs to; none where nothing marks one.
pub fn marked_root(folder: &Path) -> Option<PathBuf> {
    let marked = |above: &&Path| MARKS.iter().any(|mark| above.join(mark).is_file());
    folder.ancestors().find(marked).map(Path::to_path_buf)
}

/// Returns the project of a folder.
pub fn project(folder: &Path) -> Result<Arc<Project>, Vec<Error>> {
    let overrides = Overrides::default();
    let mut projects = Projects::new(&overrides);
    let project = projects.of(folder);
    if projects.errors.is_empty() { Ok(project) } else { Err(projects.errors) }
}

impl<'a> Projects<'a> {
    pub(super) fn new(overrides: &'a Overrides) -> Self {
        Projects {
            overrides,
            by_folder: HashMap::new(),
            by_file: HashMap::new(),
            environs: HashMap::new(),
            errors: Vec::new(),
        }
    }

    /// Returns the project of a testcase in this folder; a project file is read once.
    pub(super) fn of(&mut self, folder: &Path) -> Arc<Project> {
        if let Some(project) = self.by_folder.get(folder) {
            return Arc::clone(project);
        }
        let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        let file = absolute.ancestors().map(|above| above.join(FILE)).find(|file| file.is_file());
        let root = root(&absolute);
        let read = file.map(|file| self.read(&file)).unwrap_or_default();
        let environs = self.environs(&root);
        let project = Arc::new(Project { root, environs, ..read });
        self.by_folder.insert(folder.to_path_buf(), Arc::clone(&project));
        project
    }

    /// Reads the `.env` of a project's folder; one that no file marks as such has none.
    fn environs(&mut self, root: &Path) -> BTreeMap<String, String> {
        let file = root.join(environs::FILE);
        if !MARKS.iter().any(|mark| root.join(mark).is_file()) || !file.is_file() {
            return BTreeMap::new();
        }
        if let Some(environs) = self.environs.get(root) {
            return environs.clone();
        }
        let read = Source::read(&file, &shown(&file)).and_then(|source| environs::parse(&source));
        let environs = read.unwrap_or_else(|errors| {
            self.errors.extend(errors);
            BTreeMap::new()
        });
        self.environs.insert(root.to_path_buf(), environs.clone());
        environs
    }

    fn read(&mut self, file: &Path) -> Project {
        if let Some(project) = self.by_file.get(file) {
            return project.clone();
        }
        let shown = shown(file);
        let read = Source::read(file, &shown).and_then(|source| read_source(&source, self.overrides));
        let project = read.unwrap_or_else(|errors| {
            self.errors.extend(errors);
            Project::default()
        });
        self.by_file.insert(file.to_path_buf(), project.clone());
        project
    }
}

/// Shows a path below the working directory without it.
pub fn shown(file: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    file.strip_prefix(here).unwrap_or(file).to_string_lossy().replace('\\', "/")
}

fn read_source(source: &Source, overrides: &Overrides) -> Result<Project, Vec<Error>> {
    let node = yaml::read(source)?;
    let no_tools = Vocabulary { find: &|_| None, facts: &|_| None, check: &|_, _| Vec::new() };
    let mut reader = Reader::new(source, &no_tools);
    let mut project = Project { file: Some(source.file.clone()), ..Project::default() };
    for entry in reader.map(&node, "a project file") {
        match entry.key.as_str() {
            "device" | "serve" | "serve_ui" if entry.value.is_null() => {}
            "device" => project.device = reader.text(&entry.value, "`device`"),
            "devices" => project.devices = groups(&mut reader, &entry.value),
            "variables" => project.variables = reader.variables(&entry.value, "`variables`"),
            "definitions" => project.definitions = files(&mut reader, entry),
            "tools" => project.tools = files(&mut reader, entry),
            "registry" => project.registry = files(&mut reader, entry).into_iter().next(),
            "research" => project.research = research(&mut reader, &entry.value),
            "before_run" => project.around.before_run = files(&mut reader, entry),
            "after_run" => project.around.after_run = files(&mut reader, entry),
            "before_device" => project.around.before_device = files(&mut reader, entry),
            "after_device" => project.around.after_device = files(&mut reader, entry),
            "wda" => project.wda_start = wda(&mut reader, &entry.value),
            "requires" => project.requires = reader.words(&entry.value, "`requires`"),
            "fail_on" => project.fail_on = Some(config::fail_on(&mut reader, &entry.value)),
            "reset" => project.reset = config::reset(&mut reader, &entry.value),
            "serve" => project.serve = serve(&mut reader, &entry.value),
            "serve_ui" => match &entry.value.data {
                Data::Bool(serve_ui) => project.serve_ui = *serve_ui,
                _ => reader.refuse_with_help(
                    entry.value.place.span,
                    "`serve_ui` is true or false",
                    "write `serve_ui: true`",
                ),
            },
            _ => reader.unknown_key(entry, "a project file", &keys::PROJECT),
        }
    }
    if let Some(variables) = node.entry("variables") {
        check_variables(&mut reader, &variables.value, &project, overrides);
    }
    if reader.errors.is_empty() { Ok(project) } else { Err(reader.errors) }
}

/// Reads groups of devices by their names.
fn groups(reader: &mut Reader<'_>, node: &Node) -> BTreeMap<String, Vec<String>> {
    let entries = reader.map(node, "`devices`");
    entries.iter().map(|entry| (entry.key.clone(), reader.words(&entry.value, "a group of `devices`"))).collect()
}

/// Reads where research looks.
fn research(reader: &mut Reader<'_>, node: &Node) -> Research {
    let (mut research, mut tool) = (Research::default(), None);
    for entry in reader.map(node, "`research`") {
        match entry.key.as_str() {
            "searxng" => research.searxng = reader.text(&entry.value, "`searxng`"),
            "server" => research.server = reader.text(&entry.value, "`server`").map(|server| (server, String::new())),
            "tool" => tool = reader.text(&entry.value, "`tool`"),
            "hosts" => research.hosts = reader.words(&entry.value, "`hosts`"),
            _ => reader.unknown_key(entry, "`research`", &["searxng", "server", "tool", "hosts"]),
        }
    }
    match (&mut research.server, tool) {
        (Some((_, of_server)), Some(tool)) => *of_server = tool,
        (None, None) => {}
        _ => reader.refuse_with_help(
            node.place.span,
            "`server` and `tool` of `research` go together",
            "write the name of an MCP server as `server`, and that of its tool that searches as `tool`",
        ),
    }
    research
}

/// Reads the command that starts `WebDriverAgent`.
fn wda(reader: &mut Reader<'_>, node: &Node) -> Option<String> {
    let mut start = None;
    for entry in reader.map(node, "`wda`") {
        match entry.key.as_str() {
            "start" => start = reader.text(&entry.value, "`start`").filter(|command| !command.trim().is_empty()),
            _ => reader.unknown_key(entry, "`wda`", &["start"]),
        }
    }
    start
}

/// Reads the name of the folder that is served.
fn serve(reader: &mut Reader<'_>, node: &Node) -> Option<String> {
    let folder = reader.text(node, "`serve`")?;
    if folder.trim().is_empty() || Path::new(&folder).is_absolute() {
        reader.refuse_with_help(
            node.place.span,
            "`serve` is a folder, named from the project file's",
            "write `serve: site`",
        );
        return None;
    }
    Some(folder)
}

/// Reads the name of a file, or a list of names.
fn files(reader: &mut Reader<'_>, entry: &Entry) -> Vec<NamedFile> {
    let (node, what) = (&entry.value, format!("`{}`", entry.key));
    let mut named = |node: &Node| {
        let path = reader.text(node, &what).filter(|path| !path.is_empty())?;
        Some(NamedFile { path, place: node.place.span })
    };
    match &node.data {
        Data::Null => Vec::new(),
        Data::Seq(items) => items.iter().filter_map(named).collect(),
        _ => named(node).into_iter().collect(),
    }
}

fn check_variables(reader: &mut Reader<'_>, node: &Node, project: &Project, overrides: &Overrides) {
    let outer = Known::default().with(overrides.variables.keys().cloned()).with(overrides.environs.keys().cloned());
    reader.expressions(node, &outer.with(project.variables.keys().cloned()));
    check_cycles(reader, &[node], &project.variables, &Known::default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_project_file_is_read_or_refused() {
        let read = |text: &str| read_source(&Source::of(FILE, text), &Overrides::default());
        let project =
            read("device: phone\nvariables: {a: $b, b: 1}\nrequires: [android]\ndefinitions: [a.yaml, defs]").unwrap();
        assert_eq!(project.device.as_deref(), Some("phone"));
        assert_eq!(project.variables["b"], json!(1));
        let files: Vec<_> = project.definitions.iter().map(|file| (file.path.as_str(), file.place.column)).collect();
        assert_eq!(files, [("a.yaml", 15), ("defs", 23)]);
        assert_eq!(read("definitions: a.yaml").unwrap().definitions.len(), 1);
        let errors = read("devise: phone\nvariables: {a: $c, b: $b}").unwrap_err();
        let messages: Vec<_> = errors.iter().map(|error| error.message.as_str()).collect();
        assert_eq!(
            messages,
            ["unknown key `devise` of a project file", "unknown variable `c`", "variable `b` refers to itself"]
        );
        let project = read("devices: {tablets: [R5CT1, R5CT2], old: emulator-5554}").unwrap();
        assert_eq!(
            (&project.devices["tablets"], &project.devices["old"]),
            (&vec!["R5CT1".to_owned(), "R5CT2".to_owned()], &vec!["emulator-5554".to_owned()])
        );
        assert_eq!(read("devices: [R5CT1]").unwrap_err().len(), 1);
        assert_eq!(read("").unwrap(), Project { file: Some(FILE.to_owned()), ..Project::default() });
    }

    #[test]
    fn the_nearest_project_file_counts_for_all_below() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(folder.path().join(FILE), "device: phone").unwrap();
        std::fs::write(folder.path().join("a/proj.json"), "{}").unwrap();
        std::fs::write(folder.path().join("a/.env"), "TOKEN=abc").unwrap();
        let overrides = Overrides::default();
        let mut projects = Projects::new(&overrides);
        let project = projects.of(&deep);
        assert_eq!(
            (project.device.as_deref(), project.root.as_path()),
            (Some("phone"), folder.path().join("a").as_path())
        );
        assert_eq!(project.environs["TOKEN"], "abc");
    }
}
