//! Testcases that are being written: what stands in a file, and what somebody has written since and not saved. A draft outlives the program.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

/// Largest testcase, in bytes.
const LARGEST: u64 = 4 << 20;

/// The version of a file that is not there.
const GONE: &str = "gone";

/// The files of a project, and the drafts of them.
pub(crate) struct Drafts {
    root: PathBuf,
    folder: PathBuf,
}

/// A testcase as it is shown.
pub(crate) struct Draft {
    pub(crate) text: String,
    /// Whether the file holds the same.
    pub(crate) is_saved: bool,
    /// What the file held that the text was written from.
    pub(crate) version: String,
}

impl Drafts {
    /// Keeps drafts of the files below a root in a folder.
    pub(crate) fn new(root: PathBuf, folder: PathBuf) -> Self {
        Self { root, folder }
    }

    /// Returns the place of a testcase; the error says why it is none.
    pub(crate) fn place(&self, path: &str) -> Result<PathBuf, String> {
        let path = Path::new(path);
        let is_plain = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if path.as_os_str().is_empty() || !is_plain {
            return Err(format!("{}: name a file below the project's folder, without `..`", path.display()));
        }
        if !path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml") {
            return Err(format!("{}: a testcase is a file that ends in .yaml", path.display()));
        }
        let place = self.root.join(path);
        // What is there, or the folder that it would be in, may be a link that leads out.
        let near = place.ancestors().find_map(|near| near.canonicalize().ok()).unwrap_or_default();
        let root = self.root.canonicalize().map_err(|error| error.to_string())?;
        if !near.starts_with(root) {
            return Err(format!("{}: it lies outside of the project's folder", path.display()));
        }
        Ok(place)
    }

    /// Returns a testcase with what was written since it was saved.
    pub(crate) fn open(&self, path: &str) -> Result<Draft, String> {
        let saved = self.saved(path);
        self.place(path)?;
        let draft = fs::read_to_string(self.draft(path)).ok();
        // A file that is gone leaves what was written and not saved.
        match draft.filter(|draft| saved.as_ref() != Ok(draft)) {
            Some(text) => {
                let version = fs::read_to_string(self.origin(path)).unwrap_or_else(|_| self.version(path));
                Ok(Draft { text, is_saved: false, version })
            }
            None => saved.map(|text| Draft { version: of(&text), text, is_saved: true }),
        }
    }

    /// Returns what stands for the text of a file as it is now: another text has another one.
    pub(crate) fn version(&self, path: &str) -> String {
        version_of(&self.saved(path))
    }

    /// Tells whether something was written of a file, and not saved.
    pub(crate) fn has_draft(&self, path: &str) -> bool {
        self.open(path).is_ok_and(|draft| !draft.is_saved)
    }

    /// Returns the text of a file, each of its lines ended by a line feed.
    pub(crate) fn saved(&self, path: &str) -> Result<String, String> {
        let place = self.place(path)?;
        let told = |error: io::Error| format!("{path}: {error}");
        if fs::metadata(&place).map_err(told)?.len() > LARGEST {
            return Err(format!("{path}: it is larger than {} MiB", LARGEST >> 20));
        }
        fs::read_to_string(&place).map(|text| text.replace("\r\n", "\n")).map_err(told)
    }

    /// Keeps what was written from a version of the file.
    pub(crate) fn keep(&self, path: &str, text: &str, version: &str) -> Result<(), String> {
        self.place(path)?;
        let told = |error: io::Error| format!("the draft of {path} could not be kept: {error}");
        if self.saved(path).is_ok_and(|saved| saved == text) {
            return self.forget(path);
        }
        fs::create_dir_all(&self.folder).map_err(told)?;
        written(&self.origin(path), version).and_then(|()| written(&self.draft(path), text)).map_err(told)
    }

    /// Writes a testcase into its file, whose lines stay ended as most of them are.
    pub(crate) fn save(&self, path: &str, text: &str) -> Result<(), String> {
        let place = self.place(path)?;
        let told = |error: io::Error| format!("{path}: {error}");
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).map_err(told)?;
        }
        let ends_by_both = |old: String| 2 * old.matches("\r\n").count() > old.matches('\n').count();
        match fs::read_to_string(&place).is_ok_and(ends_by_both) {
            true => written(&place, &text.replace('\n', "\r\n")).map_err(told)?,
            false => written(&place, text).map_err(told)?,
        }
        self.forget(path)
    }

    /// Makes a new testcase; the error says why not.
    pub(crate) fn create(&self, path: &str) -> Result<(), String> {
        if self.place(path)?.exists() {
            return Err(format!("{path}: it is there already"));
        }
        let name = Path::new(path).file_stem().unwrap_or_default().to_string_lossy().replace(['_', '-'], " ");
        let document = json!({"config": {"name": name}});
        self.save(path, &format!("{}teststeps:\n", uixt_core::yaml::document(&document)))
    }

    pub(crate) fn forget(&self, path: &str) -> Result<(), String> {
        for place in [self.draft(path), self.origin(path)] {
            match fs::remove_file(place) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.to_string()),
                _ => {}
            }
        }
        Ok(())
    }

    fn draft(&self, path: &str) -> PathBuf {
        self.folder.join(path.replace('%', "%25").replace(['/', '\\'], "%2F"))
    }

    /// Where the version is kept that a draft was written from.
    fn origin(&self, path: &str) -> PathBuf {
        let mut place = self.draft(path).into_os_string();
        place.push(".of");
        place.into()
    }

    /// Keeps which testcase is shown.
    pub(crate) fn remember(&self, path: &str) {
        // Who starts again without it begins with the first.
        let _ = fs::create_dir_all(&self.folder)
            .and_then(|()| written(&self.folder.join("shown.json"), &json!({"file": path}).to_string()));
    }

    /// Returns the testcase that was shown last, where it is there.
    pub(crate) fn shown(&self) -> Option<String> {
        let text = fs::read_to_string(self.folder.join("shown.json")).ok()?;
        let shown: Value = serde_json::from_str(&text).ok()?;
        let path = shown["file"].as_str()?;
        self.place(path).ok().filter(|place| place.is_file()).map(|_| path.to_owned())
    }
}

/// Returns what stands for what was read of a file.
pub(crate) fn version_of(saved: &Result<String, String>) -> String {
    saved.as_ref().map_or_else(|_| GONE.to_owned(), |text| of(text))
}

/// Returns what stands for a text.
fn of(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Writes a file as a whole: one that is read meanwhile, or the program's end, finds the old text or the new.
fn written(place: &Path, text: &str) -> io::Result<()> {
    let mut beside = place.as_os_str().to_owned();
    beside.push(".new");
    fs::write(&beside, text)?;
    fs::rename(&beside, place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_outlives_the_program_and_no_path_leads_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("project");
        fs::create_dir_all(&root).expect("a folder");
        let drafts = || Drafts::new(root.clone(), folder.path().join("drafts"));
        drafts().create("a/log_in.yaml").expect("a testcase");
        let text = drafts().open("a/log_in.yaml").expect("a testcase").text;
        assert_eq!(text, "config:\n  name: log in\nteststeps:\n");
        drafts().keep("a/log_in.yaml", "teststeps: []\n", "1").expect("kept");
        let draft = drafts().open("a/log_in.yaml").expect("a testcase");
        assert_eq!((draft.text.as_str(), draft.is_saved, draft.version.as_str()), ("teststeps: []\n", false, "1"));
        drafts().save("a/log_in.yaml", "teststeps: []\n").expect("saved");
        assert!(drafts().open("a/log_in.yaml").expect("a testcase").is_saved);
        drafts().keep("a/log_in.yaml", "teststeps: [\n", "2").expect("kept");
        fs::rename(root.join("a/log_in.yaml"), root.join("b.yaml")).expect("moved");
        assert_eq!(drafts().open("a/log_in.yaml").expect("a draft").text, "teststeps: [\n");
        fs::rename(root.join("b.yaml"), root.join("a/log_in.yaml")).expect("moved");
        drafts().forget("a/log_in.yaml").expect("forgotten");
        assert!(drafts().create("a/log_in.yaml").is_err());
        fs::write(root.join("crlf.yaml"), "teststeps:\r\n# a\r\n- home:\n").expect("written");
        assert_eq!(drafts().open("crlf.yaml").expect("a testcase").text, "teststeps:\n# a\n- home:\n");
        drafts().save("crlf.yaml", "teststeps:\n- back:\n").expect("saved");
        assert_eq!(fs::read_to_string(root.join("crlf.yaml")).expect("a text"), "teststeps:\r\n- back:\r\n");
        let before = drafts().version("crlf.yaml");
        fs::write(root.join("crlf.yaml"), "teststeps: []").expect("written");
        assert_ne!(drafts().version("crlf.yaml"), before);
        drafts().remember("a/log_in.yaml");
        assert_eq!(drafts().shown().as_deref(), Some("a/log_in.yaml"));
        std::os::unix::fs::symlink(folder.path(), root.join("out")).expect("a link");
        for path in ["", "../x.yaml", "/etc/x.yaml", "a/../../x.yaml", "x.txt", "out/x.yaml", "out/drafts/x.yaml"] {
            assert!(drafts().place(path).is_err(), "{path}");
            assert!(drafts().save(path, "").is_err(), "{path}");
        }
    }
}
