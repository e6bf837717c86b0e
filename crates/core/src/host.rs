//! Files of the host: a path of a testcase → a path of this computer, or why it may not be. Knows nothing else of the crate.
//!
//! One rule for all who name files. What belongs to a testcase (other testcases, tables, Python files) lies inside the project,
//! whatever links lie on the way. What a tool is told to read is read from anywhere. Written is only below the project and the
//! report's folder, whatever links lie on the way.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// Why a file may not be read or written, or cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(String);

impl From<Refused> for String {
    fn from(refused: Refused) -> Self {
        refused.0
    }
}

/// Where the files lie that somebody names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Files {
    /// The project's folder; the working directory where it is empty.
    root: PathBuf,
    /// The folder of the testcase that names files.
    folder: PathBuf,
    /// The report's folder, where files go that nobody named, and may go.
    reports: Option<PathBuf>,
}

/// Characters of a file's name that come from elsewhere.
const LONGEST_NAME: usize = 100;

impl Files {
    pub fn of_project(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), ..Self::default() }
    }

    pub fn in_project(self, root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), ..self }
    }

    /// Sets the folder of the testcase that names files.
    pub fn seen_from(self, folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), ..self }
    }

    pub fn with_reports(self, reports: impl Into<PathBuf>) -> Self {
        Self { reports: Some(reports.into()), ..self }
    }

    /// Returns the project's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns a file that belongs to a testcase: beside it, else below the project's folder.
    pub fn beside(&self, path: &str) -> Result<PathBuf, Refused> {
        self.first(path, [&self.folder, &self.root])
    }

    /// Returns a file that a testcase refers to: below the project's folder first, as `HttpRunner` looks for it, else beside it.
    pub fn referred(&self, path: &str) -> Result<PathBuf, Refused> {
        self.first(path, [&self.root, &self.folder])
    }

    /// Returns what [`Self::beside`] does, and says where it looked.
    pub fn asset(&self, path: &str) -> Result<PathBuf, Refused> {
        self.beside(path).map_err(|Refused(why)| Refused(format!("{why}; looked in {}", self.places())))
    }

    /// Names the folders in which files are looked for.
    fn places(&self) -> String {
        let whole = |folder: &PathBuf| match folder.as_os_str().is_empty() {
            true => std::env::current_dir().unwrap_or_default(),
            false => std::path::absolute(folder).unwrap_or_else(|_| folder.clone()),
        };
        let [beside, root] = [&self.folder, &self.root].map(whole);
        match self.folder.as_os_str().is_empty() || beside == root {
            true => root.display().to_string(),
            false => format!("{} or {}", beside.display(), root.display()),
        }
    }

    fn first(&self, path: &str, folders: [&PathBuf; 2]) -> Result<PathBuf, Refused> {
        if path.is_empty() || Path::new(path).is_absolute() {
            return Err(Refused(format!("`{path}` is not a path relative to the project")));
        }
        let found = folders.iter().find_map(|folder| folder.join(path).canonicalize().ok());
        let found = found.ok_or_else(|| Refused(format!("there is no file {path}")))?;
        // Outside of a project, files are below the working directory.
        let root = if self.root.as_os_str().is_empty() { Path::new(".") } else { &self.root };
        let root = root.canonicalize().map_err(|error| Refused(error.to_string()))?;
        if found.starts_with(root) { Ok(found) } else { Err(Refused(format!("{path} lies outside of the project"))) }
    }

    /// Returns what a tool is told to read, be it there or not: beside the testcase where it is there, else below the project's folder.
    pub fn named(&self, path: &str) -> PathBuf {
        let beside = self.folder.join(path);
        if !self.folder.as_os_str().is_empty() && beside.exists() { beside } else { self.root.join(path) }
    }

    /// Returns a file that a tool is told to read, and that is there.
    pub fn input(&self, path: &str) -> Result<PathBuf, Refused> {
        let full = self.base().join(self.named(path));
        match full.metadata() {
            Ok(file) if file.is_file() => Ok(full),
            Ok(file) if file.is_dir() => Err(Refused(format!("{} is a folder: name a file in it", full.display()))),
            Ok(_) => Err(Refused(format!("{} is a device or a pipe: name a regular file", full.display()))),
            Err(_) if !full.exists() && Path::new(path).is_relative() => {
                Err(Refused(format!("there is no file {path}; looked in {}", self.places())))
            }
            Err(error) => Err(Refused(format!("cannot read {}: {error}", full.display()))),
        }
    }

    fn base(&self) -> &Path {
        if self.root.as_os_str().is_empty() { Path::new(".") } else { &self.root }
    }

    /// Returns where a file is to be written, and makes its folder. `path` may name the file or a folder for it; where it is
    /// not given, the file goes under a name of its own into the report, or into the project's `downloads/`.
    pub fn output(&self, path: Option<&str>, name: &str) -> Result<PathBuf, Refused> {
        let target = match path {
            Some(path) => {
                let target = self.base().join(path);
                if path.ends_with('/') || target.is_dir() { target.join(name) } else { target }
            }
            None => free(&self.usual().join(name)),
        };
        let target = plain(&target).map_err(|error| Refused(format!("{}: {error}", target.display())))?;
        self.check_inside(&target)?;
        let folder = target.parent().unwrap_or(self.base());
        std::fs::create_dir_all(folder)
            .map_err(|error| Refused(format!("cannot make {}: {error}", folder.display())))?;
        Ok(target)
    }

    /// Writes a picture for the report, and returns its path from the report's folder; where there is no report, from the project's.
    pub fn keep_picture(&self, name: &str, png: &[u8]) -> Result<String, Refused> {
        let base = self.reports.as_deref().unwrap_or(self.base());
        let base = plain(base).map_err(|error| Refused(format!("{}: {error}", base.display())))?;
        let file = free(&base.join("screenshots").join(name));
        let file = self.output(Some(&file.to_string_lossy()), name)?;
        std::fs::write(&file, png).map_err(|error| Refused(format!("cannot write {}: {error}", file.display())))?;
        Ok(file.strip_prefix(&base).unwrap_or(&file).to_string_lossy().replace('\\', "/"))
    }

    fn usual(&self) -> PathBuf {
        self.reports.as_ref().map_or_else(|| self.base().join("downloads"), |reports| reports.join("files"))
    }

    /// Refuses what lies elsewhere, by its own words or by a link on the way to it.
    fn check_inside(&self, target: &Path) -> Result<(), Refused> {
        let outside = || {
            let reports = self.reports.as_ref().map(|reports| format!(" or {}", reports.display())).unwrap_or_default();
            let root = self.base().display();
            Refused(format!("{} may not be written: it must lie below {root}{reports}", target.display()))
        };
        let real = real(target).ok_or_else(outside)?;
        let inside = |folder: &Path| {
            plain(folder).ok().and_then(|folder| self::real(&folder)).is_some_and(|folder| real.starts_with(folder))
        };
        let is_link = target.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
        let allowed = !is_link && (inside(self.base()) || self.reports.as_deref().is_some_and(inside));
        if allowed { Ok(()) } else { Err(outside()) }
    }
}

/// Makes a path absolute and takes `.` and `..` out of it.
fn plain(path: &Path) -> std::io::Result<PathBuf> {
    let mut plain = PathBuf::new();
    for part in std::path::absolute(path)?.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    Ok(plain)
}

/// Follows the links of that part of a plain path which is there already.
fn real(path: &Path) -> Option<PathBuf> {
    let there = path.ancestors().find(|part| part.exists())?;
    Some(there.canonicalize().ok()?.join(path.strip_prefix(there).ok()?))
}

/// Returns the path, with a number where something is there already.
fn free(path: &Path) -> PathBuf {
    let text = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, end) = (text(path.file_stem()), path.extension().map(|end| format!(".{}", text(Some(end)))));
    let numbered = |number: u32| path.with_file_name(format!("{stem}-{number}{}", end.as_deref().unwrap_or_default()));
    let all = std::iter::once(path.to_owned()).chain((2..=9999).map(numbered));
    all.into_iter().find(|path| !path.exists()).unwrap_or_else(|| path.to_owned())
}

/// Returns the last part of a path or URL as a name that any file may have.
pub fn name_of(source: &str) -> String {
    let path = source.split(['?', '#']).next().unwrap_or_default();
    let last = path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or_default();
    let fits = |c: char| if c.is_alphanumeric() || "._- ()".contains(c) { c } else { '_' };
    let name: String = last.trim_start_matches('.').chars().take(LONGEST_NAME).map(fits).collect();
    if name.is_empty() || path.ends_with("://") { "download".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_below_the_project_and_the_report_only() {
        let folder = tempfile::tempdir().unwrap();
        let (root, reports) = (folder.path().join("project"), folder.path().join("report"));
        std::fs::create_dir_all(&root).unwrap();
        let files = Files::of_project(&root).with_reports(&reports);
        assert_eq!(files.output(Some("new/a.txt"), "x").unwrap(), root.join("new/a.txt"));
        assert_eq!(files.output(Some("new/"), "x").unwrap(), root.join("new/x"));
        assert_eq!(files.output(None, "a.mp4").unwrap(), reports.join("files/a.mp4"));
        std::fs::write(reports.join("files/a.mp4"), "").unwrap();
        assert_eq!(files.output(None, "a.mp4").unwrap(), reports.join("files/a-2.mp4"));
        assert_eq!(Files::of_project(&root).output(None, "b").unwrap(), root.join("downloads/b"));
        for path in
            ["../a", "new/../../a", "/etc/uixt-test", "..", &folder.path().join("projects/a").display().to_string()]
        {
            let error = files.output(Some(path), "x").unwrap_err();
            assert!(error.to_string().contains("must lie below"), "{path}: {error}");
        }
        assert!(!folder.path().join("a").exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir_all(&root).unwrap();
        std::os::unix::fs::symlink(folder.path(), root.join("up")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("nothing"), root.join("dangling")).unwrap();
        let files = Files::of_project(&root);
        for path in ["up/a", "up/new/a", "dangling"] {
            assert!(files.output(Some(path), "x").is_err(), "{path}");
        }
        assert!(!folder.path().join("new").exists());
    }

    #[test]
    fn what_belongs_to_a_testcase_lies_inside_the_project() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("project");
        let files = Files::of_project(&root).seen_from(root.join("cases"));
        std::fs::create_dir_all(root.join("cases")).unwrap();
        for file in ["secret.csv", "project/users.csv", "project/both.csv", "project/cases/both.csv"] {
            std::fs::write(outer.path().join(file), "a\n1\n").unwrap();
        }
        std::os::unix::fs::symlink(outer.path(), root.join("up")).unwrap();
        let real = root.canonicalize().unwrap();
        for path in ["users.csv", "../users.csv"] {
            assert_eq!(files.beside(path), Ok(real.join("users.csv")), "{path}");
        }
        assert_eq!(files.beside("both.csv"), Ok(real.join("cases/both.csv")));
        assert_eq!(files.referred("both.csv"), Ok(real.join("both.csv")));
        for (path, why) in [
            ("../../secret.csv", "../../secret.csv lies outside of the project"),
            ("up/secret.csv", "up/secret.csv lies outside of the project"),
            ("none.csv", "there is no file none.csv"),
            ("/etc/passwd", "`/etc/passwd` is not a path relative to the project"),
            ("", "`` is not a path relative to the project"),
        ] {
            assert_eq!(files.beside(path), Err(Refused(why.to_owned())));
        }
        assert_eq!(files.named("both.csv"), root.join("cases/both.csv"));
        let told = files.input("none.csv").unwrap_err().to_string();
        let looked = format!("looked in {} or {}", root.join("cases").display(), root.display());
        assert_eq!(told, format!("there is no file none.csv; {looked}"));
        // A tool may read it all the same.
        assert!(files.input("../../secret.csv").is_ok() && files.input("up/secret.csv").is_ok());
        assert!(files.input("cases").is_err() && files.input("none.csv").is_err());
        assert_eq!((files.named("x"), Files::default().named("x")), (root.join("x"), "x".into()));
    }

    #[test]
    fn names_are_taken_from_paths_and_urls() {
        for (source, name) in [
            ("https://a.b/c/app-1.2.apk?token=x/y#z", "app-1.2.apk"),
            ("files/图 1.png", "图 1.png"),
            ("..", "download"),
            ("http://a.b/..%2f..", "%2f..".replace('%', "_").as_str()),
            ("C:\\x\\.hidden", "hidden"),
            ("https://", "download"),
        ] {
            assert_eq!(name_of(source), name, "{source}");
        }
    }
}
