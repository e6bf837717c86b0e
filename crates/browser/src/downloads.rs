//! Events of the DevTools protocol → the downloads that pages began, each with what became of it; those that came whole get their names.
//!
//! The browser writes each under a name of its own, which nobody's server chose, into the folder of its profile. Once it has come whole
//! it is renamed here: to what the page or its server calls it, as far as that is the name of a file.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use serde_json::Value;

use super::tabs::text;
use crate::driver::pages::{Download, Downloaded};

/// Most downloads of a profile, and most bytes of one: a page may not fill the disk.
const MAX: usize = 200;
const LARGEST: u64 = 1 << 30;

/// Most characters of an address.
const MAX_LEN: usize = 300;

/// Most bytes of a file's name; file systems take 255, and a number may be put in.
const MAX_NAME: usize = 240;

/// Most bytes of a name's ending that is kept where the name is cut.
const MAX_ENDING: usize = 20;

/// Says that there is no folder for downloads.
const NO_FOLDER: &str = "cancelled, as all are unless `downloads` in the config's `browser` names a folder";

/// The downloads of all pages; clones share them.
#[derive(Clone, Default)]
pub(super) struct Downloads(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    begun: Vec<Begun>,
    /// Where those of each profile go, or of the only one, which has no name; the others are refused.
    folders: HashMap<String, PathBuf>,
}

struct Begun {
    profile: String,
    id: String,
    download: Download,
    /// Whether somebody has asked why it failed.
    is_told: bool,
}

impl Begun {
    /// Notes that nothing comes of it; returns what is to be said of that.
    fn fail(&mut self, why: String) -> String {
        let said = told(&why, &self.download.url);
        self.download.became = Downloaded::Failed(why);
        said
    }
}

fn told(why: &str, url: &str) -> String {
    format!("download: {why}: {url}")
}

impl Downloads {
    /// Notes where the downloads of a profile go; nowhere, where they are refused.
    pub(super) fn keep_in(&self, profile: Option<&str>, folder: Option<PathBuf>) {
        let profile = profile.unwrap_or_default().to_owned();
        self.with(|kept| match folder {
            Some(folder) => drop(kept.folders.insert(profile, folder)),
            None => drop(kept.folders.remove(&profile)),
        });
    }

    /// Takes in that a download began or how far it is; returns what is to be said of one that came to nothing, and whether the browser
    /// is to be told to end it.
    pub(super) fn take(&self, profile: &str, method: &str, params: &Value) -> Option<(String, bool)> {
        let id = text(params, "guid");
        if method == "Page.downloadWillBegin" {
            let url = text(params, "url").chars().take(MAX_LEN).collect();
            let name = file_name(text(params, "suggestedFilename"));
            let download =
                Download { began: Instant::now(), url, name, became: Downloaded::UnderWay { bytes: 0, of: None } };
            let mut begun = Begun { profile: profile.to_owned(), id: id.to_owned(), download, is_told: false };
            return self.with(|kept| {
                let is_full = kept.begun.iter().filter(|begun| begun.profile == profile).count() >= MAX;
                let said = is_full.then(|| begun.fail(format!("it is one more than {MAX}, and was ended")));
                // More of those are no news.
                if kept.begun.len() <= 2 * MAX {
                    kept.begun.push(begun);
                }
                said.map(|said| (said, true))
            });
        }
        let bytes = |key: &str| params[key].as_u64().filter(|bytes| *bytes > 0);
        let state = text(params, "state");
        self.with(|kept| {
            let folder = kept.folders.get(profile).or_else(|| kept.folders.get("")).cloned();
            let begun = kept.begun.iter_mut().find(|begun| begun.id == id)?;
            let had = match begun.download.became {
                Downloaded::UnderWay { bytes, of } => Some((bytes, of)),
                _ => return None,
            };
            let came = bytes("receivedBytes").unwrap_or_default();
            if state == "inProgress" && came > LARGEST {
                return Some((begun.fail(format!("it is longer than {} GB, and was ended", LARGEST >> 30)), true));
            }
            let download = &mut begun.download;
            download.became = match (state, folder) {
                ("inProgress", _) => Downloaded::UnderWay { bytes: came, of: bytes("totalBytes") },
                ("completed", Some(folder)) => match renamed(&folder, id, &download.name) {
                    Ok(path) => Downloaded::Whole { path, bytes: came },
                    Err(error) => Downloaded::Failed(format!("it could not be kept: {error}")),
                },
                ("completed", None) => return None,
                (_, None) => Downloaded::Failed(NO_FOLDER.to_owned()),
                (_, Some(_)) => Downloaded::Failed(why(had, came)),
            };
            match &download.became {
                Downloaded::Failed(why) => Some((told(why, &download.url), false)),
                _ => None,
            }
        })
    }

    /// Returns the downloads of a profile, or of all, the oldest first.
    pub(super) fn of(&self, profile: Option<&str>) -> Vec<Download> {
        self.with(|kept| {
            let own = kept.begun.iter().filter(|begun| profile.is_none_or(|profile| begun.profile == profile));
            own.map(|begun| begun.download.clone()).collect()
        })
    }

    /// Returns those of a profile, or of all, that came to nothing and of which nobody has asked yet.
    pub(super) fn take_failed(&self, profile: Option<&str>) -> Vec<Download> {
        let is_of = |begun: &Begun| profile.is_none_or(|profile| begun.profile == profile);
        let is_failed = |begun: &Begun| matches!(begun.download.became, Downloaded::Failed(_));
        self.with(|kept| {
            let failed = kept.begun.iter_mut().filter(|begun| !begun.is_told && is_of(begun) && is_failed(begun));
            let told = failed.map(|begun| {
                begun.is_told = true;
                begun.download.clone()
            });
            told.collect()
        })
    }

    fn with<T>(&self, act: impl FnOnce(&mut Kept) -> T) -> T {
        act(&mut self.0.lock())
    }
}

/// Says why a download came to nothing that the browser was allowed to keep. The browser tells only that it ended.
fn why(had: Option<(u64, Option<u64>)>, came: u64) -> String {
    match had {
        Some((0, None)) => {
            "the server has no such file: it answered with an error, such as 404, or with nothing".to_owned()
        }
        had => {
            let (bytes, of) = had.unwrap_or_default();
            let bytes = bytes.max(came);
            let of = of.map(|of| format!(" of {of}")).unwrap_or_default();
            format!("it was cut off after {bytes}{of} bytes")
        }
    }
}

/// Gives what came whole its name, or the next one that is free: `report.csv`, `report (2).csv`.
fn renamed(folder: &Path, id: &str, name: &str) -> io::Result<PathBuf> {
    let (stem, ending) = split(name);
    let numbered = (2..10_000).map(|number| format!("{stem} ({number}){ending}"));
    for name in std::iter::once(name.to_owned()).chain(numbered) {
        let path = folder.join(name);
        // Nobody else's file is written over.
        match fs::File::options().write(true).create_new(true).open(&path) {
            Ok(_) => return fs::rename(folder.join(id), &path).map(|()| path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Makes the name of a file of what a server calls it; one that is too long is cut before its ending.
fn file_name(said: &str) -> String {
    let is_odd = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    let plain: String = said.chars().map(|c| if is_odd(c) { '_' } else { c }).collect();
    let plain = plain.trim().trim_end_matches('.');
    let plain = match plain.strip_prefix('.') {
        Some(rest) => format!("_{rest}"),
        None => plain.to_owned(),
    };
    if plain.is_empty() {
        return "download".to_owned();
    }
    let (stem, ending) = split(&plain);
    let ending = if ending.len() > MAX_ENDING { "" } else { ending };
    let stem = if ending.is_empty() { &plain } else { stem };
    format!("{}{ending}", &stem[..stem.floor_char_boundary(MAX_NAME - ending.len())])
}

/// Splits a name before its ending.
fn split(name: &str) -> (&str, &str) {
    name.rfind('.').filter(|at| *at > 0).map_or((name, ""), |at| name.split_at(at))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_those_of_files_and_keep_their_ending() {
        for (said, name) in [
            ("report.csv", "report.csv"),
            ("../../etc/passwd", "_._.._etc_passwd"),
            ("a\\b:c\n.txt", "a_b_c_.txt"),
            ("..", "download"),
            ("", "download"),
            (" .bashrc", "_bashrc"),
        ] {
            assert_eq!(file_name(said), name, "{said}");
        }
        let long = file_name(&format!("{}.tar", "报告".repeat(100)));
        assert!(long.len() <= MAX_NAME && long.ends_with("报告.tar"), "{long}");
        assert_eq!(file_name(&format!("a.{}", "b".repeat(500))).len(), MAX_NAME);
    }

    #[test]
    fn what_became_of_each_is_told_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let downloads = Downloads::default();
        downloads.keep_in(Some("p"), Some(folder.path().to_owned()));
        let begins = |profile: &str, id: &str| {
            let params = json!({"guid": id, "url": "http://a/r.csv", "suggestedFilename": "r.csv"});
            downloads.take(profile, "Page.downloadWillBegin", &params)
        };
        let goes = |profile: &str, id: &str, state: &str, came: u32| {
            let params = json!({"guid": id, "state": state, "receivedBytes": came, "totalBytes": 9});
            downloads.take(profile, "Page.downloadProgress", &params)
        };
        for id in ["1", "2"] {
            assert_eq!(begins("p", id), None);
            fs::write(folder.path().join(id), id).expect("a file");
            assert_eq!((goes("p", id, "inProgress", 0), goes("p", id, "completed", 9)), (None, None));
        }
        assert_eq!(begins("p", "3"), None);
        let (said, is_ended) = goes("p", "3", "canceled", 0).expect("it is told");
        assert!(!is_ended && said.contains("such as 404") && said.ends_with("http://a/r.csv"), "{said}");
        begins("p", "4");
        goes("p", "4", "inProgress", 4);
        assert!(goes("p", "4", "canceled", 4).expect("it is told").0.contains("cut off after 4 of 9 bytes"));
        begins("q", "5");
        assert!(goes("q", "5", "canceled", 0).expect("it is told").0.contains("`downloads`"));
        assert_eq!((downloads.take_failed(Some("p")).len(), downloads.take_failed(Some("p")).len()), (2, 0));
        let kept = downloads.of(Some("p"));
        let path = |at: usize| match &kept[at].became {
            Downloaded::Whole { path, .. } => path.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!((path(0), path(1)), (folder.path().join("r.csv"), folder.path().join("r (2).csv")));
        assert_eq!(fs::read_to_string(path(1)).expect("a file"), "2");
        assert_eq!((kept.len(), downloads.of(None).len()), (4, 5));
        let more: Vec<_> = (10..10 + MAX).map(|id| begins("p", &id.to_string())).collect();
        assert_eq!(more.iter().flatten().count(), 4, "there is room for {MAX}");
        assert!(
            more.last().cloned().flatten().is_some_and(|(said, is_ended)| is_ended && said.contains("more than 200"))
        );
    }
}
