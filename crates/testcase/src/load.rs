//! Paths → testcases, or every error of every file. Files are read in parallel; nothing else is touched.

use super::case::{Config, Project, TestCase};
use super::case_settings::CaseSettings;
use super::command_line_variables::{self, Unmentioned};
use super::comment_cuts;
use super::config;
use super::environs;
use super::error::Error;
use super::hooks;
use super::known::Known;
use super::library::{Library, Loaded, Setting, Trail};
use super::model;
use super::node::{Data, Entry, Node};
use super::overrides::Overrides;
use super::own_tools::OwnTools;
use super::parameters::{self, Parameters};
use super::project::Projects;
use super::python_file;
use super::reader::Reader;
use super::shapes;
use super::source::Source;
use super::step;
use super::texts::Texts;
use super::tool_file;
use super::tool_steps;
use super::vocabulary::Vocabulary;
use super::walk;
use super::yaml;
use crate::host::Files;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of stack of a thread that reads files: the deepest file that is allowed needs some hundred thousand where the
/// compiler does not optimize.
pub(super) const STACK: usize = 16 * 1024 * 1024;

/// Files that one thread reads at least.
const FILES_A_THREAD: usize = 16;

/// Loads the testcases that the paths mean: files, and folders with all that is below them.
pub fn load(
    paths: &[PathBuf],
    vocabulary: &Vocabulary<'_>,
    overrides: &Overrides,
) -> Result<Vec<TestCase>, Vec<Error>> {
    let (found, lost) = walk::find(paths);
    let mut projects = Projects::new(overrides);
    let files: Vec<_> = found.into_iter().map(|file| (projects.of(folder(&file.path)), file)).collect();
    let library = Library::default();
    let unmentioned = Unmentioned::of(overrides);
    let tools = tools_of(&files, &mut projects, &library, vocabulary);
    let none = OwnTools::default();
    let served = served_folders(&files);
    let results = in_parallel(&files, |(project, file)| {
        let path = file.path.canonicalize().unwrap_or_else(|_| file.path.clone());
        let tools = project.file.as_ref().and_then(|file| tools.get(file)).unwrap_or(&none);
        let is_served = || served.get(project.folder()).is_some_and(|folder| path.starts_with(folder));
        if tools.has(&path) || (!file.named && is_served()) {
            return Ok(None);
        }
        let trail = Trail { path: &path, shown: &file.shown, above: None, is_tool: false };
        let setting = Setting { library: &library, vocabulary, overrides, project, tools, trail };
        let source = Source::read(&file.path, &file.shown)?;
        unmentioned.read(&source.text);
        read_source(&source, &file.path, &setting, file.named)
    });
    let mut errors = lost;
    errors.append(&mut projects.errors);
    let cases = parted(results, &mut errors);
    errors.extend(tools.values().flat_map(|tools| every_tool(tools, &library, vocabulary, overrides).1));
    if errors.is_empty() && !cases.is_empty() {
        library.each_text(|text| unmentioned.read(text));
        if !overrides.variables.is_empty() {
            let projects: BTreeMap<_, _> = cases.iter().map(|case| (&case.project.file, &case.project)).collect();
            projects.into_values().for_each(|project| read_around(project, &unmentioned));
        }
        errors = if overrides.are_for_others { Vec::new() } else { unmentioned.errors(&cases) };
        errors.extend(command_line_variables::bound(overrides, &cases));
    }
    match (errors.is_empty(), cases.is_empty() && tools.is_empty()) {
        (true, false) => Ok(cases),
        (true, true) => Err(vec![no_case(paths)]),
        _ => Err(once(errors)),
    }
}

/// Returns the folders that projects serve, by the projects' own: what lies there is of a site, such as an answer in JSON.
fn served_folders(files: &[(Arc<Project>, walk::Found)]) -> BTreeMap<PathBuf, PathBuf> {
    let served =
        |project: &Project| Some((project.folder().to_path_buf(), project.folder().join(project.serve.as_ref()?)));
    let folders: BTreeMap<PathBuf, PathBuf> = files.iter().filter_map(|(project, _)| served(project)).collect();
    folders.into_iter().filter_map(|(of, folder)| Some((of, folder.canonicalize().ok()?))).collect()
}

/// Takes note of the variables that are mentioned by what a project runs around its cases.
fn read_around(project: &Project, unmentioned: &Unmentioned) {
    let around = &project.around;
    let files = [&around.before_run, &around.after_run, &around.before_device, &around.after_device];
    for file in files.into_iter().flatten() {
        // What is wrong with it is told by who loads it.
        std::fs::read_to_string(project.folder().join(&file.path)).iter().for_each(|text| unmentioned.read(text));
    }
}

/// Puts errors to the others, and returns the cases.
fn parted(results: Vec<Result<Option<TestCase>, Vec<Error>>>, errors: &mut Vec<Error>) -> Vec<TestCase> {
    let mut cases = Vec::new();
    for result in results {
        match result {
            Ok(case) => cases.extend(case),
            Err(more) => errors.extend(more),
        }
    }
    cases
}

/// Reads the heads of the tools of projects, each once.
fn tools_of(
    files: &[(Arc<Project>, walk::Found)],
    projects: &mut Projects<'_>,
    library: &Library,
    vocabulary: &Vocabulary<'_>,
) -> BTreeMap<String, OwnTools> {
    let mut tools = BTreeMap::new();
    for (project, _) in files.iter().filter(|(project, _)| !project.tools.is_empty()) {
        let Some(file) = project.file.clone().filter(|file| !tools.contains_key(file)) else { continue };
        // A folder below may have a root of its own.
        let project = projects.of(project.folder());
        tools.insert(file, tool_file::read_all(&project, library, vocabulary));
    }
    tools
}

/// Reads a project's tools with their steps; returns them, and all that is wrong with them.
fn every_tool(
    tools: &OwnTools,
    library: &Library,
    vocabulary: &Vocabulary<'_>,
    overrides: &Overrides,
) -> (Vec<Arc<TestCase>>, Vec<Error>) {
    let project = &tools.project;
    let shown = project.file.as_deref().unwrap_or_default();
    let trail = Trail { path: Path::new(shown), shown, above: None, is_tool: false };
    let setting = Setting { library, vocabulary, overrides, project, tools, trail };
    in_parallel(&[()], |()| tool_steps::read_every(&setting)).pop().unwrap_or_default()
}

/// Returns the tools of the project that a folder belongs to, or everything that is wrong with any of them.
pub fn own_tools(folder: &Path, vocabulary: &Vocabulary<'_>) -> Result<Vec<Arc<TestCase>>, Vec<Error>> {
    let (overrides, library) = (Overrides::default(), Library::default());
    let mut projects = Projects::new(&overrides);
    let project = projects.of(folder);
    // Where no tools are named, what stands in `.env` is no concern of theirs.
    let is_of_env = |error: &Error| error.file.ends_with(environs::FILE);
    if !projects.errors.iter().all(|error| is_of_env(error) && project.tools.is_empty()) {
        return Err(projects.errors);
    }
    let tools = tool_file::read_all(&project, &library, vocabulary);
    let (cases, errors) = every_tool(&tools, &library, vocabulary, &overrides);
    if errors.is_empty() { Ok(cases) } else { Err(once(errors)) }
}

/// Says that all files that were found are api files.
fn no_case(paths: &[PathBuf]) -> Error {
    let shown = paths.first().map(|path| path.to_string_lossy().replace('\\', "/")).unwrap_or_default();
    Error::of_file(&shown, "there is no testcase in this folder, only what testcases refer to")
}

/// Keeps each error once: a file that many refer to is wrong in one place only.
fn once(mut errors: Vec<Error>) -> Vec<Error> {
    let key =
        |error: &Error| (error.file.clone(), error.span.map(|span| (span.line, span.column)), error.message.clone());
    let own: HashSet<_> = errors.iter().filter(|error| error.referred.is_empty()).map(key).collect();
    let mut seen = HashSet::new();
    errors.retain(|error| error.referred.is_empty() || (!own.contains(&key(error)) && seen.insert(key(error))));
    errors
}

/// Reads a testcase from a text, as if it stood in a file of this name without a project.
pub fn parse(
    file: &str,
    text: &str,
    vocabulary: &Vocabulary<'_>,
    overrides: &Overrides,
) -> Result<TestCase, Vec<Error>> {
    let path = Path::new(file);
    let project = Arc::new(Project { root: folder(path).to_path_buf(), ..Project::default() });
    let (library, tools) = (Library::default(), OwnTools::default());
    let trail = Trail { path, shown: file, above: None, is_tool: false };
    let setting = Setting { library: &library, vocabulary, overrides, project: &project, tools: &tools, trail };
    let case = read_source(&Source::of(file, text), path, &setting, true)?;
    case.ok_or_else(|| vec![Error::of_file(file, "is an api file")])
}

/// Reads a text as if it stood in a case's file.
pub fn parse_in_place_of(
    case: &TestCase,
    text: &str,
    vocabulary: &Vocabulary<'_>,
    overrides: &Overrides,
) -> Result<TestCase, Vec<Error>> {
    let library = Library::default();
    let tools = tool_file::read_all(&case.project, &library, vocabulary);
    let trail = Trail { path: &case.path, shown: &case.file, above: None, is_tool: false };
    let setting = Setting { library: &library, vocabulary, overrides, project: &case.project, tools: &tools, trail };
    let read = read_source(&Source::of(&case.file, text), &case.path, &setting, true)?;
    read.ok_or_else(|| vec![Error::of_file(&case.file, "is an api file")])
}

/// Reads a file's values without their places; numbers and booleans in an unusual spelling are texts.
pub fn read_value(path: &Path) -> Result<Value, Vec<Error>> {
    let source = Source::read(path, &path.to_string_lossy())?;
    yaml::read(&source).map(|root| root.to_value())
}

/// Reads the values of a text in the same way, as if it stood in a file of this name.
pub fn read_text(file: &str, text: &str) -> Result<Value, Vec<Error>> {
    yaml::read(&Source::of(file, text)).map(|root| root.to_value())
}

/// Returns the folder of a file, `.` for that of a bare name.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Applies a function to every item, in as many threads as are worth while; keeps the order.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = cores.min(items.len().div_ceil(FILES_A_THREAD)).max(1);
    let next = AtomicUsize::new(0);
    let turn = || {
        let mut done = Vec::new();
        while let Some((index, item)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, items.get(i)?)))
        {
            done.push((index, work(item)));
        }
        done
    };
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        let spawn = || std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, turn);
        let others: Vec<_> = (0..threads).filter_map(|_| spawn().ok()).collect();
        // Where no thread can be had, this one does the work.
        let own = if others.is_empty() { turn() } else { Vec::new() };
        let joined = others.into_iter().flat_map(|thread| match thread.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        own.into_iter().chain(joined).collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Reads a file as a testcase; none where it is an api file, or a browser's stored state, that nobody asked for by name.
fn read_source(
    source: &Source,
    path: &Path,
    setting: &Setting<'_>,
    is_named: bool,
) -> Result<Option<TestCase>, Vec<Error>> {
    let root = yaml::read(source)?;
    let mut reader = Reader::new(source, setting.vocabulary);
    reader.setting = Some(*setting);
    if (shapes::is_api(&root) || shapes::is_storage_state(&root)) && !is_named {
        return Ok(None);
    }
    if shapes::is_something_else(&root) && !is_named {
        let what = if matches!(root.data, Data::Seq(_)) { "it is a list, with" } else { "it has" };
        let message = format!("is not a testcase: {what} neither `config` nor `teststeps`");
        let mut error = Error::of_file(&source.file, message);
        error.help = Some(match shapes::is_tool(&root) {
            true => "name the file of a tool in uixt.yaml: `tools: tools/*.yaml`".to_owned(),
            false => "keep data out of the folders that are run, or in a folder or file with a dot in front".to_owned(),
        });
        return Err(vec![error]);
    }
    let case = read_case(&mut reader, &root, path, &Known::default());
    finish(reader, case).map(|(case, _)| Some(case))
}

pub(super) fn finish(mut reader: Reader<'_>, case: Option<TestCase>) -> Result<(TestCase, Wanted), Vec<Error>> {
    reader.errors.sort_by_key(|error| error.span.map(|span| (span.line, span.column)));
    match case {
        Some(case) if reader.errors.is_empty() => {
            let comment_cuts = comment_cuts::of(&reader.source.text);
            Ok((TestCase { comment_cuts, ..case }, reader.wanted.unwrap_or_default()))
        }
        _ => Err(reader.errors),
    }
}

/// Variables that a case does not define, with what to say where nobody else does.
pub(super) type Wanted = Vec<(String, Error)>;

/// Reads a file that a step refers to; variables that it does not define are for that step to define.
pub(super) fn read_referred(setting: &Setting<'_>) -> Result<Loaded, Vec<Error>> {
    let kept = setting.library.tree(setting.trail.path, setting.trail.shown);
    let tree = kept.as_ref().as_ref().map_err(Clone::clone)?;
    let mut reader = Reader::new(&tree.source, setting.vocabulary);
    reader.setting = Some(*setting);
    reader.wanted = Some(Vec::new());
    let mut case = read_case(&mut reader, &tree.root, setting.trail.path, &Known::default());
    let parameters = case.as_mut().and_then(|case| case.config.parameters.take());
    let depth = reader.depth;
    let mut texts = std::mem::take(&mut reader.texts);
    texts.insert(setting.trail.path.to_path_buf(), Arc::clone(&kept));
    let (case, wanted) = finish(reader, case)?;
    Ok(Loaded { case: Arc::new(case), parameters, wanted, depth, texts })
}

/// Reads a testcase that stands in a step of another one; none where it is broken.
pub(super) fn read_inline(
    reader: &mut Reader<'_>,
    node: &Node,
    setting: &Setting<'_>,
    known: &Known,
) -> Option<Loaded> {
    let (about, depth) = (reader.about.clone(), reader.depth);
    let before = reader.errors.len();
    let case = read_case(reader, node, setting.trail.path, known);
    reader.about = about;
    let own = std::mem::replace(&mut reader.depth, depth);
    let mut case = case.filter(|_| reader.errors.len() == before)?;
    let parameters = case.config.parameters.take();
    Some(Loaded { case: Arc::new(case), parameters, wanted: Vec::new(), depth: own, texts: Texts::new() })
}

/// Reads a tree as a testcase; `outer` are the variables that whoever refers to it is known to hand in.
fn read_case(reader: &mut Reader<'_>, root: &Node, path: &Path, outer: &Known) -> Option<TestCase> {
    let setting = reader.setting?;
    let parts = shapes::parts(reader, root)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    reader.about = CaseSettings { files: files(path, setting.project), ..CaseSettings::default() };
    let mut config = config::read(reader, parts.config, &stem);
    let entries: &[Entry] = match parts.config.map(|node| &node.data) {
        Some(Data::Map(entries)) => entries,
        _ => &[],
    };
    let functions = python_file::read(reader, entries, &setting);
    let names = functions.as_ref().map(|python| Arc::clone(&python.names));
    reader.about.functions.clone_from(&names);
    let mut known = variables(&config, &setting, outer).with_functions(names);
    config.parameters = parameters::read(reader, entries, &known);
    if let Some(parameters) = &config.parameters {
        known = known.with(parameters.names().cloned());
        reader.about.rows = parameters.names().cloned().collect();
    }
    if let Some(node) = parts.config {
        config::check(reader, node, &known);
        check_definitions(reader, node, &config, &setting);
    }
    let hooks = |key: &str, known: &mut Known, reader: &mut Reader<'_>| {
        let entry = entries.iter().find(|entry| entry.key == key);
        entry.map(|entry| hooks::read(reader, entry, known)).unwrap_or_default()
    };
    config.setup = hooks("setup_hooks", &mut known, reader);
    let steps = step::read_all(reader, &parts.steps, &known);
    let mut after = known.with(steps.iter().flat_map(model::set_by));
    config.on_failure = hooks("on_failure", &mut after, reader);
    config.teardown = hooks("teardown_hooks", &mut after, reader);
    check_export(reader, entries, &config, &after);
    let project = Arc::clone(setting.project);
    let file = reader.source.file.clone();
    // Those are of a whole file, in which this one may stand.
    let comment_cuts = Vec::new();
    Some(TestCase { path: path.to_path_buf(), file, config, steps, project, functions, tool: None, comment_cuts })
}

/// Reports what the config exports and nothing defines.
fn check_export(reader: &mut Reader<'_>, entries: &[Entry], config: &Config, known: &Known) {
    let Some(entry) = entries.iter().find(|entry| matches!(entry.key.as_str(), "export" | "output")) else { return };
    for name in config.export.iter().filter(|name| !known.may_have(name)) {
        let message = format!("`{}` names `{name}`, which nothing defines", entry.key);
        let error = Error::at(reader.source, entry.value.place.span, message);
        match &mut reader.wanted {
            Some(wanted) => wanted.push((name.clone(), error)),
            None => reader.report(error),
        }
    }
}

pub(super) fn files(path: &Path, project: &Project) -> Files {
    Files::of_project(&project.root).seen_from(folder(path))
}

/// Returns the variables that a case's steps see.
pub(super) fn variables(config: &Config, setting: &Setting<'_>, outer: &Known) -> Known {
    let (project, overrides) = (setting.project, setting.overrides);
    outer
        .with(project.variables.keys().cloned())
        .with(config.variables.keys().cloned())
        .with(config.environs.keys().cloned())
        .with(overrides.variables.keys().cloned())
        .with(project.environs.keys().cloned())
        .with(overrides.environs.keys().cloned())
        .opened(config.variables_from.is_some())
}

/// Reports variables of the config that need each other, with those of the project that they may name.
fn check_definitions(reader: &mut Reader<'_>, node: &Node, config: &Config, setting: &Setting<'_>) {
    let (project, overrides) = (setting.project, setting.overrides);
    let mut all = project.variables.clone();
    all.extend(config.variables.clone());
    all.extend(config.environs.clone());
    let environs = |name: &String| project.environs.contains_key(name) || overrides.environs.contains_key(name);
    let rows: Vec<&String> = config.parameters.iter().flat_map(Parameters::names).collect();
    all.retain(|name, _| !overrides.variables.contains_key(name) && !environs(name) && !rows.contains(&name));
    let nodes: Vec<&Node> = ["environs", "variables"].iter().filter_map(|key| Some(&node.entry(key)?.value)).collect();
    config::check_cycles(reader, &nodes, &all, &Known::default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::time::Instant;

    fn vocabulary() -> Vocabulary<'static> {
        Vocabulary {
            find: &|name| ["home", "log"].into_iter().find(|known| *known == name),
            facts: &|_| None,
            check: &|_, _| Vec::new(),
        }
    }

    fn loaded(paths: &[PathBuf]) -> Result<Vec<TestCase>, Vec<String>> {
        let result = load(paths, &vocabulary(), &Overrides::default());
        result.map_err(|errors| errors.into_iter().map(|error| error.message).collect())
    }

    #[test]
    fn a_folder_loads_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("uixt.yaml"), "device: phone\nvariables: {who: you}").unwrap();
        for number in 0..100 {
            let text = format!("\u{feff}config: {{name: case {number}}}\nteststeps: [log: $who]");
            fs::write(at(&format!("{number:03}.yaml")), text).unwrap();
        }
        let cases = loaded(&[folder.path().to_path_buf()]).unwrap();
        let names: Vec<_> = cases.iter().map(|case| case.config.name.clone()).collect();
        assert_eq!(names, (0..100).map(|number| format!("case {number}")).collect::<Vec<_>>());
        assert!(cases.iter().all(|case| case.project.device.as_deref() == Some("phone")));
        fs::write(at("010.yaml"), "teststeps: [log: $whom]").unwrap();
        fs::write(at("020.yaml"), "config: {name: x}").unwrap();
        fs::write(at("030.yaml"), b"config: {name: \xff}").unwrap();
        fs::write(at("uixt.yaml"), "devise: phone\nvariables: {who: you}").unwrap();
        let errors = loaded(&[folder.path().to_path_buf()]).unwrap_err();
        assert_eq!(errors[0], "unknown key `devise` of a project file");
        let later: Vec<_> = errors.iter().filter(|message| !message.contains("`who`")).skip(1).collect();
        assert_eq!(later[..2], ["unknown variable `whom`", "missing teststeps"]);
        assert!(later[2].ends_with("030.yaml: not UTF-8: byte 0xff at offset 15"));
        assert_eq!(later.len(), 3);
    }

    #[test]
    fn a_large_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let large = folder.path().join("large.yaml");
        fs::File::create(&large).unwrap().set_len(100 * 1024 * 1024).unwrap();
        let began = Instant::now();
        let errors = loaded(&[large]).unwrap_err();
        assert!(errors.len() == 1 && errors[0].ends_with("large.yaml: is larger than 4 MiB"), "{errors:?}");
        assert!(began.elapsed().as_millis() < 500);
    }

    #[test]
    #[ignore = "measures; run with --release --ignored --nocapture"]
    fn a_thousand_files_load_quickly() {
        let folder = tempfile::tempdir().unwrap();
        let steps =
            "- name: step\n  android:\n    actions:\n    - {method: log, params: $user}\n    - {method: home}\n"
                .repeat(8);
        for number in 0..1000 {
            let text = format!("config: {{name: case {number}, variables: {{user: 小明}}}}\nteststeps:\n{steps}");
            fs::write(folder.path().join(format!("{number}.yaml")), text).unwrap();
        }
        for _ in 0..3 {
            let began = Instant::now();
            assert_eq!(loaded(&[folder.path().to_path_buf()]).unwrap().len(), 1000);
            println!("1,000 files: {:?}", began.elapsed());
        }
    }
}
