//! The source files of a crate → which takes which names from which other, tests left out.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::source::File;

/// A module's path inside of its crate; empty for `lib.rs` and `main.rs`.
type Module = Vec<String>;

/// What each file takes: from which other, which names.
pub(super) type Imports = BTreeMap<Module, BTreeMap<Module, BTreeSet<String>>>;

/// The imports between the files of a `src` folder; `lib.rs` and `main.rs`, which declare the others, are left out.
pub(super) fn imports(source: &Path) -> Imports {
    let files = read(source);
    let mut imports = Imports::new();
    for (module, file) in files.iter().filter(|(module, _)| !module.is_empty()) {
        let aliased = file.paths.iter().filter_map(|path| {
            let (taken, _) = file.used.iter().find(|(_, name)| *name == path[0])?;
            Some([taken, &path[1..]].concat())
        });
        let used = file.used.iter().map(|(path, _)| path.clone());
        let taken = imports.entry(module.clone()).or_default();
        for path in used.chain(file.paths.iter().cloned()).chain(aliased) {
            let Some(from) = resolve(&files, module, &path, &mut HashSet::new()) else { continue };
            if from != *module && !from.is_empty() {
                taken.entry(from).or_default().insert(path[path.len() - 1].clone());
            }
        }
    }
    imports
}

/// The groups of files of which each takes from each other, at least by way of others; the largest first.
pub(super) fn loops(imports: &Imports) -> Vec<Vec<&Module>> {
    let reached: BTreeMap<&Module, HashSet<&Module>> =
        imports.keys().map(|module| (module, reachable(imports, module))).collect();
    let mut seen = HashSet::new();
    let mut loops = Vec::new();
    for (module, others) in &reached {
        if others.contains(module) && !seen.contains(module) {
            let files: Vec<&Module> = reached
                .keys()
                .copied()
                .filter(|other| others.contains(other) && reached[other].contains(module))
                .collect();
            seen.extend(files.iter().copied());
            loops.push(files);
        }
    }
    loops.sort_by_key(|files| std::cmp::Reverse(files.len()));
    loops
}

fn reachable<'a>(imports: &'a Imports, from: &Module) -> HashSet<&'a Module> {
    let mut reached = HashSet::new();
    let mut open: Vec<&Module> = imports[from].keys().collect();
    while let Some(module) = open.pop() {
        if reached.insert(module) {
            open.extend(imports[module].keys());
        }
    }
    reached
}

/// Every file of the folder that is not there for tests alone.
fn read(source: &Path) -> HashMap<Module, File> {
    let mut files = HashMap::new();
    for path in rust_files(source) {
        if path == source.join("main.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source file");
        let mut module: Module = path
            .strip_prefix(source)
            .expect("a file of the folder")
            .with_extension("")
            .iter()
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        if module.last().is_some_and(|name| name == "mod") || path == source.join("lib.rs") {
            module.pop();
        }
        let file = File::parse(&text);
        files.entry(module).and_modify(|_| panic!("two files of one module: {}", path.display())).or_insert(file);
    }
    let tests: Vec<Module> = files
        .iter()
        .flat_map(|(module, file)| {
            file.tests.iter().map(|name| [module.as_slice(), std::slice::from_ref(name)].concat())
        })
        .collect();
    files.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
    files
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries
        .flat_map(|path| match path.is_dir() {
            true => rust_files(&path),
            false if path.extension().is_some_and(|extension| extension == "rs") => vec![path],
            false => Vec::new(),
        })
        .collect()
}

/// The file where a path that stands in `module` ends, through what `use` brings into the files on its way.
fn resolve(
    files: &HashMap<Module, File>,
    module: &Module,
    path: &[String],
    seen: &mut HashSet<(Module, String)>,
) -> Option<Module> {
    let (mut here, mut rest) = (module.clone(), path);
    match path[0].as_str() {
        "crate" => (here, rest) = (Module::new(), &path[1..]),
        "self" => rest = &path[1..],
        "super" => {
            while rest.first().is_some_and(|name| name == "super") {
                here.pop()?;
                rest = &rest[1..];
            }
        }
        name => {
            if !files.contains_key(&child(module, name)) {
                return None;
            }
        }
    }
    while let Some(name) = rest.first() {
        let inner = child(&here, name);
        if files.contains_key(&inner) {
            (here, rest) = (inner, &rest[1..]);
            continue;
        }
        let file = &files[&here];
        if name == "*" || file.defined.contains(name) {
            return Some(here);
        }
        if !seen.insert((here.clone(), name.clone())) {
            return None;
        }
        if let Some((taken, _)) = file.used.iter().find(|(_, alias)| alias == name) {
            return resolve(files, &here, &[taken, &rest[1..]].concat(), seen);
        }
        let everything = file.used.iter().filter(|(_, alias)| alias == "*");
        return everything
            .into_iter()
            .find_map(|(taken, _)| resolve(files, &here, &[&taken[..taken.len() - 1], rest].concat(), seen));
    }
    Some(here)
}

fn child(module: &Module, name: &str) -> Module {
    module.iter().cloned().chain([name.to_owned()]).collect()
}
