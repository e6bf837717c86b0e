//! A package → wheels in a session's folder, by the host's pip or uv, in a phase of its own: the only one that reaches the network.
//!
//! Only wheels: what builds a package would run its code outside of the walls. The folder is one that codes cannot write, so that no
//! link of theirs leads the installer elsewhere; and the installer can write nowhere else.

use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use tokio::process::Command;

use super::folder::Folder;
use super::python::{on_path, python};
use super::session::{Kept, Session};
use super::stage::Stage;
use super::{Error, spawner, walls};

/// How long it may take to install a package.
const INSTALLING: Duration = Duration::from_secs(300);
/// How long it may take to import it.
const IMPORTING: Duration = Duration::from_secs(60);
/// How much is told of what the installer said, in characters.
const TOLD: usize = 4000;

/// A package by its name, and the version that is wanted.
#[derive(Clone, Debug)]
pub struct Package {
    pub name: String,
    pub version: Option<String>,
}

/// What was installed.
#[derive(Clone, Debug)]
pub struct Installed {
    pub version: String,
    /// What it is imported by.
    pub modules: Vec<String>,
    /// `pip` or `uv`.
    pub installer: &'static str,
    pub output: String,
    pub time: Duration,
    pub walls: Vec<String>,
}

impl Package {
    /// Checks that it is a name and a version, and no option, address or path.
    pub(crate) fn check(&self) -> Result<(), String> {
        let is_word = |text: &str, others: &str| {
            let is_end = |end: Option<char>| end.is_some_and(|end| end.is_ascii_alphanumeric());
            let is_part = |part: char| part.is_ascii_alphanumeric() || others.contains(part);
            is_end(text.chars().next()) && is_end(text.chars().next_back()) && text.chars().all(is_part)
        };
        if !is_word(&self.name, "-_.") || self.name.len() > 200 {
            return Err(format!("`{}` is no name of a package; write `numpy`, and its version apart", self.name));
        }
        match &self.version {
            Some(version) if !is_word(version, ".!+_-") || version.len() > 100 => {
                Err(format!("`{version}` is no version; write `1.21.0`"))
            }
            _ => Ok(()),
        }
    }

    fn wanted(&self) -> String {
        self.version.as_ref().map_or_else(|| self.name.clone(), |version| format!("{}=={version}", self.name))
    }
}

/// Installs a package for a session, and imports it there.
pub(crate) async fn install(session: &Session, package: &Package) -> Result<Installed, Error> {
    if let Some(why) = walls::MISSING {
        return Err(Error::Unsupported(why.to_owned()));
    }
    session.turn(async |kept| Box::pin(installed(session, kept, package)).await).await
}

async fn installed(session: &Session, kept: &mut Kept, package: &Package) -> Result<Installed, Error> {
    let began = Instant::now();
    let (installer, output) = fetched(&kept.folder, package).await?;
    let imported = session.import(kept, &package.name, IMPORTING).await;
    let told = imported.map_err(|(answer, error)| {
        let why = error.map_or_else(|| raised(&answer), |error| error.to_string());
        let message = format!("{} was installed and cannot be imported: {why}", package.wanted());
        Error::NotImported { message, output: answer.stderr.text }
    })?;
    let modules = told["modules"].as_array().into_iter().flatten();
    Ok(Installed {
        version: told["version"].as_str().unwrap_or_default().to_owned(),
        modules: modules.filter_map(|module| Some(module.as_str()?.to_owned())).collect(),
        installer,
        output,
        time: began.elapsed(),
        walls: kept.walls(),
    })
}

fn raised(answer: &super::Answer) -> String {
    answer.raised.as_ref().map(|raised| format!("{}: {}", raised.kind, raised.message)).unwrap_or_default()
}

/// Has pip, or uv where there is no pip, put wheels into the folder; returns which did, and what it said.
async fn fetched(folder: &Folder, package: &Package) -> Result<(&'static str, String), Error> {
    let python = python().await?.program.clone();
    let target = folder.packages();
    let pip = ["-I", "-m", "pip", "install", "--only-binary", ":all:", "--no-input", "--no-compile", "--upgrade"];
    let pip = [&pip[..], &["--disable-pip-version-check", "--progress-bar", "off", "--target"]].concat();
    let (done, said) = run(folder, python.clone(), &pip, &[&target.to_string_lossy(), &package.wanted()]).await?;
    if done || !said.contains("No module named pip") {
        return judged("pip", done, said, package);
    }
    let Some(uv) = on_path("uv") else {
        let message = "there is no installer: neither has this Python pip, nor is uv on the PATH; install one of them";
        return Err(Error::NotInstalled { message: message.to_owned(), output: said });
    };
    let (target, python, wanted) = (target.to_string_lossy(), python.to_string_lossy(), package.wanted());
    let words = ["pip", "install", "--only-binary", ":all:", "--no-config", "--no-progress", "--target"];
    let (done, said) = run(folder, uv, &words, &[&target, "--python", &python, &wanted]).await?;
    judged("uv", done, said, package)
}

fn judged(
    installer: &'static str,
    done: bool,
    output: String,
    package: &Package,
) -> Result<(&'static str, String), Error> {
    if done {
        return Ok((installer, output));
    }
    let last = output.lines().rev().find(|line| line.to_ascii_lowercase().contains("error"));
    let why = last.or_else(|| output.lines().last()).unwrap_or("it said nothing").trim();
    let hint = "only wheels are installed, and none is built";
    let message = format!("{} was not installed: {installer}: {why}; {hint}", package.wanted());
    Err(Error::NotInstalled { message, output })
}

/// Runs an installer; tells whether it did it, and what it said.
async fn run(folder: &Folder, program: PathBuf, words: &[&str], more: &[&str]) -> Result<(bool, String), Error> {
    let args = words.iter().chain(more).map(|word| (*word).to_owned()).collect();
    let caches = ["PIP_CACHE_DIR", "UV_CACHE_DIR"].iter().filter_map(std::env::var_os).map(PathBuf::from);
    let write = [folder.packages(), folder.scratch()].into_iter().chain(caches).collect();
    let stage = Stage { phase: "packages", program, args, read: Vec::new(), write, is_wrapped: false };
    let broken = |error: std::io::Error| Error::NotInstalled { message: error.to_string(), output: String::new() };
    let mut command = stage.command().map_err(broken)?;
    surround(&mut command, folder);
    let child = spawner::spawn(command).await.map_err(broken)?;
    let output = tokio::time::timeout(INSTALLING, child.wait_with_output()).await.map_err(|_| {
        let message = format!("the installer was ended: it took longer than {} s", INSTALLING.as_secs());
        Error::NotInstalled { message, output: String::new() }
    })?;
    let Output { status, stdout, stderr } = output.map_err(broken)?;
    Ok((status.success(), end(&String::from_utf8_lossy(&[stdout, stderr].concat()))))
}

/// Gives an installer an environment of its own, but for what is said to pip and uv themselves.
fn surround(command: &mut Command, folder: &Folder) {
    let is_of_installers = |name: &str| name.starts_with("PIP_") || name.starts_with("UV_");
    let said = std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_of_installers));
    command.envs(said).env("HOME", folder.scratch()).env("TMPDIR", folder.scratch()).env("LANG", "C.UTF-8");
    command.current_dir(folder.scratch()).kill_on_drop(true);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
}

fn end(text: &str) -> String {
    match text.char_indices().nth_back(TOLD - 1) {
        Some((start, _)) if start > 0 => format!("…{}", &text[start..]),
        _ => text.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_and_versions_are_taken() {
        let check = |name: &str, version: Option<&str>| {
            Package { name: name.to_owned(), version: version.map(str::to_owned) }.check().is_ok()
        };
        assert!(
            check("numpy", None) && check("zope.interface", Some("1.21.0")) && check("a", Some("1!2.0rc1+local.1"))
        );
        for name in ["", "--index-url=x", "-r", "a b", "../a", "/a", "git+https://x", "a==1", "a;b", "a@b", "a\nb", "é"]
        {
            assert!(!check(name, None), "{name}");
        }
        for version in ["", ">=1", "1,<2", "1 2", "-1", "1;x", "1/2"] {
            assert!(!check("a", Some(version)), "{version}");
        }
    }
}
