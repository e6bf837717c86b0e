//! `uixt snapshots`: the pictures that `assert_screenshot` compares screens with: listed, replaced, and removed where no step names them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::Value;
use uixt_call::unsupported;

use super::messages::{self, count};
use super::vocabulary;
use crate::cli::exit::{Done, Failure, print};
use crate::runner::journal::Reader;
use crate::testcase::{self, Overrides, TestCase};
use uixt_tools_device::screens::baseline::{FOLDER, folder_of};

#[derive(Args)]
pub(in crate::cli) struct Snapshots {
    #[command(subcommand)]
    command: Sub,
}

#[derive(Subcommand)]
enum Sub {
    /// List the pictures, and say which of them no step names.
    List(Paths),
    /// Take what a run saw, where it differs, as what is compared with from now on.
    Accept(Accept),
    /// Remove the pictures that no step names.
    Prune(Prune),
}

#[derive(Args)]
struct Paths {
    /// Testcase files and folders.
    #[arg(default_value = ".")]
    paths: Vec<PathBuf>,
}

#[derive(Args)]
struct Accept {
    /// Folder of the run's report.
    report: PathBuf,
    /// Names of the pictures that are meant; all by default.
    names: Vec<String>,
}

#[derive(Args)]
struct Prune {
    #[command(flatten)]
    of: Paths,
    /// Only says what would be removed.
    #[arg(long)]
    dry_run: bool,
}

impl Snapshots {
    pub(in crate::cli) fn run(self) -> Done {
        match self.command {
            Sub::List(paths) => list(&paths.paths),
            Sub::Accept(accept) => accept.run(),
            Sub::Prune(prune) => prune.run(),
        }
    }
}

/// A picture, and whether a step names it.
struct Kept {
    file: PathBuf,
    is_named: bool,
}

fn list(paths: &[PathBuf]) -> Done {
    let kept = kept(paths)?;
    if kept.is_empty() {
        return print("no pictures: `assert_screenshot` keeps the first of each name\n");
    }
    let line = |kept: &Kept| {
        let bytes = kept.file.metadata().map_or(0, |file| file.len());
        let unnamed = if kept.is_named { "" } else { "  no step names it" };
        format!("{:>9}  {}{unnamed}\n", format!("{} KB", bytes.div_ceil(1024)), kept.file.display())
    };
    print(&kept.iter().map(line).collect::<String>())
}

impl Prune {
    fn run(self) -> Done {
        let unnamed: Vec<Kept> = kept(&self.of.paths)?.into_iter().filter(|kept| !kept.is_named).collect();
        for Kept { file, .. } in unnamed.iter().filter(|_| !self.dry_run) {
            fs::remove_file(file).map_err(|error| Failure::errored(format!("{}: {error}", file.display())))?;
            // The last of a testcase leaves no folder behind.
            let _ = file.parent().map(fs::remove_dir);
        }
        let word = if self.dry_run { "would remove" } else { "removed" };
        let lines: String = unnamed.iter().map(|kept| format!("{word} {}\n", kept.file.display())).collect();
        print(&if lines.is_empty() { "every picture is named by a step\n".to_owned() } else { lines })
    }
}

/// Returns the pictures of testcases, in the order of their names.
fn kept(paths: &[PathBuf]) -> Result<Vec<Kept>, Failure> {
    let cases =
        testcase::load(paths, &vocabulary(), &Overrides::default()).map_err(|errors| messages::failure(&errors))?;
    let named = named(&cases);
    let mut folders: BTreeSet<PathBuf> = named.keys().cloned().collect();
    paths.iter().for_each(|path| find_folders(path, &mut folders));
    let mut kept = Vec::new();
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        let names = named.get(folder);
        let files = fs::read_dir(folder).map_err(|error| Failure::errored(format!("{}: {error}", folder.display())))?;
        for file in files.flatten().map(|entry| entry.path()) {
            let Some(name) = name_of(&file) else { continue };
            let is_named = names.is_some_and(|names| names.iter().any(|known| *known == name || known.contains('$')));
            kept.push(Kept { file, is_named });
        }
    }
    kept.sort_by(|one, other| one.file.cmp(&other.file));
    Ok(kept)
}

/// Returns the names that steps compare with, by the folder of the testcase that they stand in.
fn named(cases: &[TestCase]) -> BTreeMap<PathBuf, BTreeSet<String>> {
    let mut named: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
    for case in cases {
        case.each_step_with_case(&mut |case, step| {
            let checks = step.validate.iter().map(|check| &check.action);
            let actions = step.actions().iter().chain(checks);
            for action in actions
                .filter(|action| unsupported::known(crate::tools::table(), &action.method) == Some("assert_screenshot"))
            {
                let name = match &action.params {
                    Value::Object(map) => map.get("name"),
                    Value::Array(items) => items.first(),
                    name => Some(name),
                };
                let names = named.entry(plain(&folder_of(&case.path))).or_default();
                names.extend(name.and_then(Value::as_str).map(str::to_owned));
            }
        });
    }
    named
}

/// Finds the folders of pictures below a path, those of testcases that are gone among them.
fn find_folders(path: &Path, folders: &mut BTreeSet<PathBuf>) {
    let Ok(entries) = fs::read_dir(path) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        let path = entry.path();
        match path.to_string_lossy().ends_with(FOLDER) {
            true => _ = folders.insert(plain(&path)),
            false => find_folders(&path, folders),
        }
    }
}

/// Returns a path without what means the working directory.
fn plain(path: &Path) -> PathBuf {
    path.strip_prefix(".").unwrap_or(path).to_path_buf()
}

/// Returns the name of a picture's file: `home` of `home-android-1080x2400@420dpi.png`; none where it is no such file.
fn name_of(file: &Path) -> Option<String> {
    let stem = file.file_name()?.to_str()?.strip_suffix(".png")?;
    let (rest, size) = stem.rsplit_once('-')?;
    let (width, height) = size.split('@').next()?.split_once('x')?;
    let (name, _platform) = rest.rsplit_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(width) && is_number(height)).then(|| name.to_owned())
}

impl Accept {
    fn run(self) -> Done {
        let is_meant = |file: &str| {
            self.names.is_empty() || name_of(Path::new(file)).is_some_and(|name| self.names.contains(&name))
        };
        let replaced = accept(&self.report, is_meant)?;
        if replaced.is_empty() {
            let of = if self.names.is_empty() { String::new() } else { format!(" of {}", self.names.join(", ")) };
            return Err(Failure::usage(format!("{}: no picture{of} differs in this run", self.report.display())));
        }
        let mut text: String = replaced.iter().map(|file| format!("replaced {file}\n")).collect();
        text.push_str(&format!("{} replaced: look at what changed, and commit it\n", count(replaced.len(), "picture")));
        print(&text)
    }
}

/// Takes what a run saw as what is compared with from now on, of the pictures that are meant; returns their files, from the project's folder.
pub(in crate::cli) fn accept(report: &Path, is_meant: impl Fn(&str) -> bool) -> Result<Vec<String>, Failure> {
    let unreadable = |error: &dyn std::fmt::Display| Failure::usage(format!("{}: {error}", report.display()));
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for case in Reader::open(report).map_err(|error| unreadable(&error))? {
        let case = case.map_err(|error| unreadable(&error))?;
        let attempts = case.steps.iter().flat_map(|step| &step.attempts);
        for action in attempts.flat_map(|attempt| &attempt.actions) {
            let details = action.error.as_ref().and_then(|error| error.details.as_ref());
            let text = |pointer: &str| details?.pointer(pointer)?.as_str().map(str::to_owned);
            if let (Some(baseline), Some(actual)) = (text("/baseline"), text("/comparison/actual")) {
                seen.insert(baseline, actual);
            }
        }
    }
    seen.retain(|file, _| is_meant(file));
    let root = testcase::root(&std::path::absolute(".").unwrap_or_default());
    for (baseline, actual) in &seen {
        let (from, to) = (report.join(actual), root.join(baseline));
        let part = to.with_extension("png.part");
        let copied = fs::copy(&from, &part).and_then(|_| fs::rename(&part, &to));
        copied.map_err(|error| Failure::errored(format!("{} to {}: {error}", from.display(), to.display())))?;
    }
    Ok(seen.into_keys().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_tells_its_name() {
        for (file, name) in [
            ("home-android-1080x2400@420dpi.png", Some("home")),
            ("my-cart-browser-412x700.png", Some("my-cart")),
            ("登录-browser-824x1400@2x.png", Some("登录")),
            ("home.png", None),
            ("home-android-big.png", None),
            ("home-android-1080x2400.jpg", None),
        ] {
            assert_eq!(name_of(Path::new(file)).as_deref(), name, "{file}");
        }
    }
}
