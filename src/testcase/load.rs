//! Paths → testcases, or every error of every file. Files are read in parallel; nothing else is touched.

use super::case::{Project, TestCase};
use super::config;
use super::error::Error;
use super::keys;
use super::names::Known;
use super::node::{Data, Node};
use super::project::Projects;
use super::reader::Reader;
use super::save;
use super::scope::Overrides;
use super::source::Source;
use super::step;
use super::vocabulary::Vocabulary;
use super::walk::{self, Found};
use super::yaml;
use crate::action::Span;
use serde_json::Value;
use std::path::Path;
use std::path::PathBuf;
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
    let found = walk::find(paths)?;
    let mut projects = Projects::new(overrides);
    let files: Vec<_> = found.into_iter().map(|file| (projects.of(folder(&file.path)), file)).collect();
    let results = in_parallel(&files, |(project, file)| read_file(file, project, vocabulary, overrides));
    let mut errors = projects.errors;
    let mut cases = Vec::new();
    for result in results {
        match result {
            Ok(case) => cases.push(case),
            Err(more) => errors.extend(more),
        }
    }
    if errors.is_empty() { Ok(cases) } else { Err(errors) }
}

/// Reads a testcase from a text, as if it stood in a file of this name without a project.
pub fn parse(
    file: &str,
    text: &str,
    vocabulary: &Vocabulary<'_>,
    overrides: &Overrides,
) -> Result<TestCase, Vec<Error>> {
    let project = Arc::new(Project { root: folder(Path::new(file)).to_path_buf(), ..Project::default() });
    read_source(&Source::of(file, text), Path::new(file), &project, vocabulary, overrides)
}

/// Reads a text as if it stood in a case's file.
pub fn parse_in_place_of(case: &TestCase, text: &str, vocabulary: &Vocabulary<'_>) -> Result<TestCase, Vec<Error>> {
    read_source(&Source::of(&case.file, text), &case.path, &case.project, vocabulary, &Overrides::default())
}

/// Reads a file's values without their places; numbers and booleans in an unusual spelling are texts.
pub fn read_value(path: &Path) -> Result<Value, Vec<Error>> {
    let source = Source::read(path, &path.to_string_lossy())?;
    yaml::read(&source).map(|root| root.to_value())
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

fn read_file(
    file: &Found,
    project: &Arc<Project>,
    vocabulary: &Vocabulary<'_>,
    overrides: &Overrides,
) -> Result<TestCase, Vec<Error>> {
    let source = Source::read(&file.path, &file.shown)?;
    read_source(&source, &file.path, project, vocabulary, overrides)
}

fn read_source(
    source: &Source,
    path: &Path,
    project: &Arc<Project>,
    vocabulary: &Vocabulary<'_>,
    overrides: &Overrides,
) -> Result<TestCase, Vec<Error>> {
    let root = yaml::read(source)?;
    let mut reader = Reader::new(source, vocabulary);
    let Some(steps) = find_steps(&mut reader, &root) else { return Err(reader.errors) };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let config_node = root.entry("config").map(|entry| &entry.value);
    let config = config::read(&mut reader, config_node, &stem);
    let known = Known::default()
        .with(project.variables.keys())
        .with(config.variables.keys())
        .with(config.environs.keys())
        .with(overrides.variables.keys())
        .with(project.environs.keys())
        .with(overrides.environs.keys());
    if let Some(node) = config_node {
        config::check(&mut reader, node, &known);
        check_definitions(&mut reader, node, project, &config, overrides);
    }
    let mut known = known;
    let mut read = Vec::with_capacity(steps.len());
    for node in steps {
        read.extend(step::read(&mut reader, node, &known));
        known = known.with(save::names(node));
    }
    let steps = read;
    if !reader.errors.is_empty() {
        reader.errors.sort_by_key(|error| error.span.map(|span| (span.line, span.column)));
        return Err(reader.errors);
    }
    let project = Arc::clone(project);
    Ok(TestCase { path: path.to_path_buf(), file: source.file.clone(), config, steps, project })
}

/// Checks the keys of a file, and returns its steps.
fn find_steps<'n>(reader: &mut Reader<'_>, root: &'n Node) -> Option<&'n [Node]> {
    let Data::Map(entries) = &root.data else {
        let found = if root.is_null() { "the file is empty".to_owned() } else { format!("this is {}", root.kind()) };
        let help = "a testcase is a map with `config` and `teststeps`";
        let begin = Span { line: 1, column: 1, length: 0 };
        reader.refuse_with_help(if root.is_null() { begin } else { root.place.span }, found, help);
        return None;
    };
    for entry in entries.iter().filter(|entry| !keys::FILE.contains(&entry.key.as_str())) {
        reader.unknown_key(entry, "a testcase", &keys::FILE);
    }
    let Some(steps) = root.entry("teststeps") else {
        let help = "a testcase is a map with `config` and `teststeps`";
        reader.refuse_with_help(root.place.span, "missing teststeps", help);
        return None;
    };
    let items = reader.list(&steps.value, "`teststeps`");
    if items.is_empty() && matches!(steps.value.data, Data::Seq(_) | Data::Null) {
        reader.refuse(steps.place.span, "`teststeps` is empty");
    }
    Some(items)
}

/// Reports variables of the config that need each other, with those of the project that they may name.
fn check_definitions(
    reader: &mut Reader<'_>,
    node: &Node,
    project: &Project,
    config: &super::case::Config,
    overrides: &Overrides,
) {
    let mut all = project.variables.clone();
    all.extend(config.variables.clone());
    all.extend(config.environs.clone());
    let environs = |name: &String| project.environs.contains_key(name) || overrides.environs.contains_key(name);
    all.retain(|name, _| !overrides.variables.contains_key(name) && !environs(name));
    let nodes: Vec<&Node> = ["environs", "variables"].iter().filter_map(|key| Some(&node.entry(key)?.value)).collect();
    config::check_cycles(reader, &nodes, &all, &Known::default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::time::Instant;

    fn vocabulary() -> Vocabulary<'static> {
        Vocabulary { find: &|name| ["home", "log"].into_iter().find(|known| *known == name), check: &|_, _| Vec::new() }
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
