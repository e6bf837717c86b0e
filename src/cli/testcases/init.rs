//! `uixt init`: a project that runs.

use std::fs;
use std::io;
use std::path::PathBuf;

use clap::Args;

use crate::cli::exit::{Done, Failure, print};

/// What a new project holds.
const FILES: &[(&str, &str)] = &[
    ("uixt.yaml", include_str!("init/uixt.yaml")),
    ("testcases/settings.yaml", include_str!("init/settings.yaml")),
    (".gitignore", "/results\n"),
];

#[derive(Args)]
pub(in crate::cli) struct Init {
    /// Folder to make it in.
    #[arg(default_value = ".")]
    folder: PathBuf,
}

impl Init {
    pub(in crate::cli) fn run(self) -> Done {
        if let Some((there, _)) = FILES.iter().find(|(name, _)| self.folder.join(name).exists()) {
            return Err(Failure::usage(format!(
                "{} already exists; nothing was changed",
                self.folder.join(there).display()
            )));
        }
        for (name, text) in FILES {
            self.write(name, text).map_err(|error| {
                Failure::errored(format!("cannot write {}: {error}", self.folder.join(name).display()))
            })?;
        }
        let folder = self.folder.display();
        let paths: Vec<String> = FILES.iter().map(|(name, _)| format!("  {folder}/{name}")).collect();
        print(&format!("made\n{}\nrun it: uixt run {folder}/testcases", paths.join("\n")))
    }

    fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let path = self.folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)
    }
}
