//! Files of the host that tools read and write: a path of a testcase → a path of this computer, or why it may not be.
//!
//! What is named is read from anywhere. Written is only below the project and the report's folder, whatever links lie on the
//! way. Knows no device.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::{Error, Kind};

/// Where a session's files of the host lie.
#[derive(Clone, Debug)]
pub(super) struct Folders {
    /// What relative paths begin at, and below which may be written: the project.
    root: PathBuf,
    /// Where files go that nobody named, and may go: the report.
    reports: Option<PathBuf>,
}

/// Characters of a file's name that come from elsewhere.
const LONGEST_NAME: usize = 100;

impl Folders {
    pub(super) fn new(root: impl Into<PathBuf>, reports: Option<PathBuf>) -> Self {
        Self { root: root.into(), reports }
    }

    /// Returns a file that is to be read, and is there.
    pub(super) fn input(&self, path: &str) -> Result<PathBuf, Error> {
        let full = self.root.join(path);
        match full.metadata() {
            Ok(file) if file.is_file() => Ok(full),
            Ok(_) => Err(refused(format!("{} is a folder: name a file in it", full.display()))),
            Err(error) => Err(refused(format!("cannot read {}: {error}", full.display()))),
        }
    }

    /// Returns where a file is to be written, and makes its folder. `path` may name the file or a folder for it; where it is
    /// not given, the file goes under a name of its own into the report, or into the project's `downloads/`.
    pub(super) fn output(&self, path: Option<&str>, name: &str) -> Result<PathBuf, Error> {
        let target = match path {
            Some(path) => {
                let target = self.root.join(path);
                if path.ends_with('/') || target.is_dir() { target.join(name) } else { target }
            }
            None => free(&self.usual().join(name)),
        };
        let target = plain(&target).map_err(|error| refused(format!("{}: {error}", target.display())))?;
        self.check_inside(&target)?;
        let folder = target.parent().unwrap_or(&self.root);
        std::fs::create_dir_all(folder)
            .map_err(|error| refused(format!("cannot make {}: {error}", folder.display())))?;
        Ok(target)
    }

    fn usual(&self) -> PathBuf {
        self.reports.as_ref().map_or_else(|| self.root.join("downloads"), |reports| reports.join("files"))
    }

    /// Refuses what lies elsewhere, by its own words or by a link on the way to it.
    fn check_inside(&self, target: &Path) -> Result<(), Error> {
        let outside = || {
            let reports = self.reports.as_ref().map(|reports| format!(" or {}", reports.display())).unwrap_or_default();
            let root = self.root.display();
            refused(format!("{} may not be written: it must lie below {root}{reports}", target.display()))
        };
        let real = real(target).ok_or_else(outside)?;
        let inside = |folder: &Path| {
            plain(folder).ok().and_then(|folder| self::real(&folder)).is_some_and(|folder| real.starts_with(folder))
        };
        let is_link = target.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
        let allowed = !is_link && (inside(&self.root) || self.reports.as_deref().is_some_and(inside));
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
pub(super) fn name_of(source: &str) -> String {
    let path = source.split(['?', '#']).next().unwrap_or_default();
    let last = path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or_default();
    let fits = |c: char| if c.is_alphanumeric() || "._- ()".contains(c) { c } else { '_' };
    let name: String = last.trim_start_matches('.').chars().take(LONGEST_NAME).map(fits).collect();
    if name.is_empty() || path.ends_with("://") { "download".to_owned() } else { name }
}

fn refused(message: String) -> Error {
    Error::new(Kind::BadArgument, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_below_the_project_and_the_report_only() {
        let folder = tempfile::tempdir().unwrap();
        let (root, reports) = (folder.path().join("project"), folder.path().join("report"));
        std::fs::create_dir_all(&root).unwrap();
        let folders = Folders::new(&root, Some(reports.clone()));
        assert_eq!(folders.output(Some("new/a.txt"), "x").unwrap(), root.join("new/a.txt"));
        assert_eq!(folders.output(Some("new/"), "x").unwrap(), root.join("new/x"));
        assert_eq!(folders.output(None, "a.mp4").unwrap(), reports.join("files/a.mp4"));
        std::fs::write(reports.join("files/a.mp4"), "").unwrap();
        assert_eq!(folders.output(None, "a.mp4").unwrap(), reports.join("files/a-2.mp4"));
        assert_eq!(Folders::new(&root, None).output(None, "b").unwrap(), root.join("downloads/b"));
        for path in
            ["../a", "new/../../a", "/etc/uixt-test", "..", &folder.path().join("projects/a").display().to_string()]
        {
            let error = folders.output(Some(path), "x").unwrap_err();
            assert!(error.message.contains("must lie below"), "{path}: {error}");
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
        let folders = Folders::new(&root, None);
        for path in ["up/a", "up/new/a", "dangling"] {
            assert!(folders.output(Some(path), "x").is_err(), "{path}");
        }
        assert!(!folder.path().join("new").exists());
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
