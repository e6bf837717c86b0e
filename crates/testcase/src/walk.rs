//! Paths from the command line → the testcase files that they mean, in a fixed order. Opens no file.

use super::error::Error;
use super::project;
use std::collections::HashSet;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};

/// Deepest nesting of folders that is walked.
const DEEPEST: usize = 64;
/// What the report's folder of a run is known by, or that of several runs, and what in it would pass for testcases.
const JOURNAL: &str = "journal.jsonl";
const MERGED: [&str; 2] = ["summary.json", "junit.xml"];
const REPORTED: [&str; 3] = ["summary.json", "hrp_summary.json", "evidence"];

/// Files of a project that are no testcases: `HttpRunner`'s, and that of MCP servers.
const PROJECT: [&str; 2] = ["proj.json", "mcp.json"];
/// Files of others that lie beside testcases, and what tells a folder of such.
const OF_OTHERS: [&str; 7] = [
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "compose.yaml",
    "compose.yml",
    "docker-compose.yaml",
    "docker-compose.yml",
];
const PACKAGES: &str = "node_modules";
const VENV: &str = "pyvenv.cfg";
/// What the files of stored goals end with.
pub const GOALS: &str = ".goals.yaml";

/// A file to load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// The path with `/`, as it was given or reached.
    pub(super) shown: String,
    /// Whether the command line names the file itself.
    pub(super) named: bool,
}

/// Finds the files, and says what is wrong with the paths; folders are walked in sorted order, hidden entries and the files
/// of reports skipped, a file that is named twice is found once.
pub(super) fn find(paths: &[PathBuf]) -> (Vec<Found>, Vec<Error>) {
    let mut walk = Walk::default();
    for path in paths {
        walk.given(path);
    }
    (walk.found, walk.errors)
}

/// Returns the testcase files that the paths mean, whatever else is wrong with them.
pub fn files(paths: &[PathBuf]) -> Vec<PathBuf> {
    find(paths).0.into_iter().map(|found| found.path).collect()
}

#[derive(Default)]
struct Walk {
    found: Vec<Found>,
    errors: Vec<Error>,
    /// How often a testcase, or a folder that was seen before, was met.
    met: usize,
    /// Canonical paths of files and folders that were seen, so that links end nowhere twice.
    seen: HashSet<PathBuf>,
}

impl Walk {
    fn given(&mut self, path: &Path) {
        let shown = shown(path);
        let problem = match std::fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
            Err(error) => format!("cannot be read: {error}"),
            Ok(facts) if facts.is_dir() => return self.given_folder(path, &shown),
            Ok(_) if !is_testcase(path) => {
                "is not a testcase: its name does not end in .yaml, .yml or .json".to_owned()
            }
            Ok(_) if is_of_goals(path) => "holds stored goals, not a testcase: run the testcase beside it".to_owned(),
            Ok(_) if is_project(path) => "is a project file, not a testcase".to_owned(),
            Ok(_) => return self.file(path.to_path_buf(), canonical(path), true),
        };
        self.errors.push(Error::of_file(&shown, problem));
    }

    fn given_folder(&mut self, folder: &Path, shown: &str) {
        let before = (self.met, self.errors.len());
        self.folder(folder, 0);
        if before == (self.met, self.errors.len()) {
            self.errors.push(Error::of_file(shown, "there is no testcase in this folder"));
        }
    }

    fn folder(&mut self, folder: &Path, depth: usize) {
        if depth > DEEPEST {
            self.errors.push(Error::of_file(&shown(folder), "folders are nested too deeply"));
            return;
        }
        let canonical_folder = canonical(folder);
        if !self.seen.insert(canonical_folder.clone()) {
            self.met += 1;
            return;
        }
        let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let mut entries = entries.unwrap_or_else(|error| {
            self.errors.push(Error::of_file(&shown(folder), format!("cannot be read: {error}")));
            Vec::new()
        });
        entries.sort_by_cached_key(DirEntry::file_name);
        let holds = |name: &str| entries.iter().any(|entry| entry.file_name() == name);
        let is_report = holds(JOURNAL) || MERGED.into_iter().all(holds);
        for entry in entries {
            let name = entry.file_name();
            let is_reported = is_report && REPORTED.iter().any(|reported| name == *reported);
            if !is_reported && !name.to_string_lossy().starts_with('.') {
                self.entry(&entry, &canonical_folder, depth);
            }
        }
    }

    /// Takes an entry of a folder; asks the system about it only where it is a link.
    fn entry(&mut self, entry: &DirEntry, canonical_folder: &Path, depth: usize) {
        let path = entry.path();
        let kind = entry.file_type().ok().filter(|kind| !kind.is_symlink());
        if kind.map_or_else(|| path.is_dir(), |kind| kind.is_dir()) {
            if entry.file_name() != PACKAGES && !path.join(VENV).is_file() {
                self.folder(&path, depth + 1);
            }
        } else if OF_OTHERS.iter().any(|name| entry.file_name() == *name) {
            // Whoever means one of them names it.
        } else if is_misspelt(&path) {
            let mut error =
                Error::of_file(&shown(&path), "is not a testcase: its name does not end in .yaml, .yml or .json");
            error.help = Some("rename it; a dot in front of its name leaves it out".to_owned());
            self.errors.push(error);
        } else if is_testcase(&path) && !is_project(&path) && !is_of_goals(&path) {
            let plain = kind.map(|_| canonical_folder.join(entry.file_name()));
            let canonical = plain.unwrap_or_else(|| canonical(&path));
            self.file(path, canonical, false);
        }
    }

    fn file(&mut self, path: PathBuf, canonical: PathBuf, named: bool) {
        self.met += 1;
        if self.seen.insert(canonical) {
            self.found.push(Found { shown: shown(&path), path, named });
        }
    }
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

fn is_testcase(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    matches!(extension.as_deref(), Some("yaml" | "yml" | "json"))
}

/// Tells whether a file's ending is a slip of the pen for one of a testcase's.
fn is_misspelt(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    matches!(extension.as_deref(), Some("yam" | "ymal" | "yalm" | "ym" | "yl"))
}

fn is_project(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == project::FILE || PROJECT.iter().any(|known| name == *known))
}

fn is_of_goals(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(GOALS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn folders_are_walked_in_order_and_once() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::create_dir_all(at("b/empty")).unwrap();
        fs::create_dir_all(at(".git")).unwrap();
        for name in [
            "b/2.yml",
            "b/1.json",
            "c.yaml",
            "a.YAML",
            "a.goals.yaml",
            "uixt.yaml",
            "mcp.json",
            "note.txt",
            ".git/x.yaml",
            ".h.yaml",
        ] {
            fs::write(at(name), "").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.path(), at("b/loop")).unwrap();
        fs::create_dir_all(at("out")).unwrap();
        for name in ["out/journal.jsonl", "out/summary.json", "out/d.yaml", "b/summary.json"] {
            fs::write(at(name), "").unwrap();
        }
        let (found, errors) = find(&[at("c.yaml"), root.path().to_path_buf()]);
        assert_eq!(errors.len(), 0);
        let names: Vec<_> = found.iter().map(|f| f.path.strip_prefix(root.path()).unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["c.yaml", "a.YAML", "b/1.json", "b/2.yml", "b/summary.json", "out/d.yaml"]);
        let messages = |paths: &[PathBuf]| find(paths).1.iter().map(|e| e.message.clone()).collect::<String>();
        assert!(messages(&[at("b/empty")]).ends_with("there is no testcase in this folder"));
        assert!(messages(&[at("none.yaml")]).ends_with("there is no such file or folder"));
        assert!(messages(&[at("a.goals.yaml")]).contains("holds stored goals"));
        assert!(messages(&[at("uixt.yaml")]).ends_with("is a project file, not a testcase"));
        assert!(messages(&[at("note.txt")]).contains("does not end in"));
        assert!(find(&[at("b"), at("b"), root.path().to_path_buf()]).1.is_empty());
        // What can be read is read all the same.
        assert_eq!(find(&[at("none.yaml"), at("c.yaml")]).0.len(), 1);
    }
}
