//! Testcase files of one folder, as resources: listed, read, and nothing outside of it, whatever path or link leads there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rmcp::ErrorData;
use rmcp::model::{ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;
use uixt_call::Boxed;

use super::provider::{Answer, Asked, Provider};
use super::uri;

/// The first segment of a testcase file's URI; the path in the folder follows.
const TESTCASES: &str = "testcases";
/// What testcase files end with.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];
/// Most files that are listed.
const MAX: usize = 1_000;
/// Most entries of folders that are looked at.
const MOST_ENTRIES: usize = 20_000;
/// The text beside the evidence of a case that did not pass.
const FAILURE: &str = "failure.md";
/// How deep folders may stand in each other.
const DEEPEST: usize = 16;
/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// A folder, by the path that no link stands in.
pub struct Folder {
    root: PathBuf,
}

/// When a file was written last, and its size.
pub(super) type Stamp = (Option<SystemTime>, u64);

impl Folder {
    /// Opens a folder; the error says why it cannot be.
    pub fn open(folder: &Path) -> Result<Self, String> {
        let cannot = |why: String| format!("cannot use {}: {why}", folder.display());
        let root = folder.canonicalize().map_err(|error| cannot(error.to_string()))?;
        if root.is_dir() { Ok(Self { root }) } else { Err(cannot("it is not a folder".to_owned())) }
    }

    /// Returns the folder's own path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the testcase files by their paths in the folder.
    pub(super) fn files(&self) -> BTreeMap<String, Stamp> {
        let mut files = BTreeMap::new();
        let mut left = MOST_ENTRIES;
        self.walk(&self.root, "", DEEPEST, &mut left, &mut files);
        files
    }

    fn walk(&self, folder: &Path, path: &str, depth: usize, left: &mut usize, files: &mut BTreeMap<String, Stamp>) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            *left = left.saturating_sub(1);
            if *left == 0 || files.len() >= MAX {
                return;
            }
            let Some(name) = entry.file_name().to_str().map(str::to_owned).filter(|name| !name.starts_with('.')) else {
                continue;
            };
            let path = if path.is_empty() { name } else { format!("{path}/{name}") };
            // Folders that links lead to are left out: they may lead back here.
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth > 0 => self.walk(&entry.path(), &path, depth - 1, left, files),
                Ok(kind) if !kind.is_dir() => files.extend(self.stamp(&path).map(|stamp| (path, stamp))),
                _ => {}
            }
        }
    }

    /// Returns when a testcase file was written; none where it is none of the folder's.
    pub(super) fn stamp(&self, path: &str) -> Option<Stamp> {
        let about = fs::metadata(self.find(path)?).ok()?;
        Some((about.modified().ok(), about.len()))
    }

    /// Finds a testcase file in the folder, and follows links only as long as they stay there.
    fn find(&self, path: &str) -> Option<PathBuf> {
        let relative = Path::new(path);
        let plain = relative.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        let ends = |path: &Path| path.extension().is_some_and(|end| ENDINGS.iter().any(|known| end == *known));
        if !plain || path.is_empty() || path.contains('\0') || !ends(relative) {
            return None;
        }
        let found = self.root.join(relative).canonicalize().ok()?;
        (found.starts_with(&self.root) && ends(&found) && found.is_file()).then_some(found)
    }

    /// Reads why a case of a report failed: the text beside its evidence, of the first case where none is named.
    pub(super) fn failure(&self, report: &str, case: Option<&str>) -> Result<String, String> {
        let relative = Path::new(report);
        let plain = |path: &Path| path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        let inside = |path: PathBuf| path.canonicalize().ok().filter(|path| path.starts_with(&self.root));
        let evidence =
            Some(relative).filter(|path| plain(path)).and_then(|path| inside(self.root.join(path).join("evidence")));
        let evidence =
            evidence.ok_or_else(|| format!("there is no failure in a report {report} of the allowed folder"))?;
        let mut names: Vec<String> = fs::read_dir(&evidence)
            .map_err(|error| format!("{report}: {error}"))?
            .flatten()
            .take(MAX)
            .filter(|entry| entry.path().join(FAILURE).is_file())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort();
        // `cases/login.yaml#0` has the folder `cases-login-yaml-0`.
        let asked = case.map(|case| case.replace(|c: char| !c.is_alphanumeric(), "-"));
        let chosen = names.iter().find(|name| asked.as_ref().is_none_or(|asked| name.contains(asked.as_str())));
        let chosen = chosen.ok_or_else(|| format!("no such case failed; those that did: {}", names.join(", ")))?;
        let file = inside(evidence.join(chosen).join(FAILURE)).ok_or("the text lies outside of the allowed folder")?;
        match fs::metadata(&file).map(|about| about.len()) {
            Ok(size) if size <= LARGEST => fs::read_to_string(&file).map_err(|error| format!("{report}: {error}")),
            _ => Err(format!("{report}: the text cannot be read")),
        }
    }

    /// Reads a testcase file; the error says why it cannot be.
    pub(super) fn text(&self, path: &str) -> Result<String, String> {
        let found = self.find(path).ok_or_else(|| format!("there is no testcase file {path} in the allowed folder"))?;
        let size = fs::metadata(&found).map_err(|error| format!("{path}: {error}"))?.len();
        if size > LARGEST {
            return Err(format!("{path} has {size} bytes; at most {LARGEST} are read"));
        }
        fs::read_to_string(&found).map_err(|error| format!("{path}: {error}"))
    }
}

/// Returns the path in the folder that a URI names.
pub(super) fn path_of(uri: &str) -> Option<String> {
    let segments = uri::segments(uri)?;
    match &segments[..] {
        [first, path @ ..] if first == TESTCASES && !path.is_empty() => Some(path.join("/")),
        _ => None,
    }
}

/// Returns the URI of a path in the folder.
pub(super) fn uri_of(path: &str) -> String {
    let segments: Vec<&str> = std::iter::once(TESTCASES).chain(path.split('/')).collect();
    uri::of(&segments)
}

impl Provider for Folder {
    fn resources(&self, _: &Asked) -> Boxed<'_, Vec<Resource>> {
        let resource = |(path, (_, size)): (String, Stamp)| {
            Resource::new(uri_of(&path), path.clone()).with_mime_type(mime(&path)).with_size(size)
        };
        Box::pin(async move { self.files().into_iter().map(resource).collect() })
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        let template = ResourceTemplate::new(format!("uixt://{TESTCASES}/{{+path}}"), "testcase");
        vec![
            template
                .with_title("Testcase file")
                .with_description("A testcase file, by its path in the allowed folder."),
        ]
    }

    fn read<'a>(&'a self, uri: &'a str, _: &'a Asked) -> Answer<'a, ReadResourceResponse> {
        let path = path_of(uri)?;
        let answer = match self.text(&path) {
            Ok(text) => {
                let contents = ResourceContents::text(text, uri).with_mime_type(mime(&path));
                Ok(ReadResourceResult::new(vec![contents]).into())
            }
            Err(why) => Err(ErrorData::resource_not_found(why, Some(json!({"uri": uri})))),
        };
        Some(Box::pin(std::future::ready(answer)))
    }

    fn knows(&self, uri: &str) -> bool {
        path_of(uri).is_some_and(|path| self.find(&path).is_some())
    }
}

fn mime(path: &str) -> &'static str {
    if Path::new(path).extension().is_some_and(|end| end == "json") { "application/json" } else { "application/yaml" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_of_the_folder_is_read_or_listed() {
        let outer = tempfile::tempdir().unwrap();
        let inner = outer.path().join("cases");
        fs::create_dir_all(inner.join("sub")).unwrap();
        fs::write(outer.path().join("secret.yaml"), "secret").unwrap();
        fs::write(inner.join("a.yaml"), "a").unwrap();
        fs::write(inner.join("sub/b.json"), "{}").unwrap();
        fs::write(inner.join("notes.txt"), "x").unwrap();
        fs::write(inner.join(".env"), "x").unwrap();
        std::os::unix::fs::symlink(outer.path().join("secret.yaml"), inner.join("out.yaml")).unwrap();
        std::os::unix::fs::symlink(outer.path(), inner.join("up")).unwrap();
        std::os::unix::fs::symlink(inner.join(".env"), inner.join("env.yaml")).unwrap();
        std::os::unix::fs::symlink(inner.join("a.yaml"), inner.join("again.yaml")).unwrap();
        let folder = Folder::open(&inner).unwrap();
        assert_eq!(folder.files().into_keys().collect::<Vec<_>>(), ["a.yaml", "again.yaml", "sub/b.json"]);
        assert_eq!(folder.text("again.yaml").as_deref(), Ok("a"));
        let absolute = outer.path().join("secret.yaml").display().to_string();
        for path in ["../secret.yaml", "sub/../../secret.yaml", "out.yaml", "up/secret.yaml", "env.yaml", "notes.txt"]
            .into_iter()
            .chain([".env", "", "/", "sub", "a.yaml\0", &absolute])
        {
            assert!(folder.text(path).is_err(), "{path}");
            assert!(!folder.knows(&uri_of(path)), "{path}");
        }
        assert_eq!(path_of("uixt://testcases/%2E%2E/secret.yaml").as_deref(), Some("../secret.yaml"));
        assert_eq!(path_of("uixt://testcases/..%2Fsecret.yaml").as_deref(), Some("../secret.yaml"));
    }
}
