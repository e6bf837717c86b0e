//! `uixt init`: a project that runs.

use std::fs;
use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::schema;
use crate::cli::exit::{Done, Failure, print};
use crate::driver;

/// What stands for this version in the files for CI servers.
const VERSION: &str = "VERSION";
/// What is left as it is where it is there already, since other programs write it, too.
const SHARED: [&str; 2] = [".gitignore", ".env"];

#[derive(Args)]
pub(in crate::cli) struct Init {
    /// Folder to make it in.
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// For apps on phones; it begins on the one inside uixt.
    #[arg(long, group = "what")]
    phone: bool,
    /// For pages in a browser.
    #[arg(long, group = "what")]
    web: bool,
    /// For both.
    #[arg(long, group = "what")]
    both: bool,
    /// Also writes what a CI server runs it by.
    #[arg(long, value_enum, value_name = "SERVER")]
    ci: Option<Ci>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Ci {
    Github,
    Gitlab,
    Jenkins,
}

/// What a project is for.
#[derive(Clone, Copy)]
enum For {
    Phones,
    Pages,
    Both,
}

impl Init {
    pub(in crate::cli) fn run(self) -> Done {
        let files = match self.ci {
            // A project that is there gets the file for its server.
            Some(ci) if self.names_nothing() && self.folder.join("uixt.yaml").is_file() => vec![of_ci(ci)],
            _ => files(self.purpose()?, self.ci),
        };
        let is_there = |name: &&(&str, String)| self.folder.join(name.0).exists();
        if let Some((there, _)) = files.iter().filter(|(name, _)| !SHARED.contains(name)).find(is_there) {
            return Err(Failure::usage(format!(
                "{} already exists; nothing was changed",
                self.folder.join(there).display()
            )));
        }
        let (kept, made): (Vec<_>, Vec<_>) = files.iter().partition(is_there);
        for (name, text) in &made {
            self.write(name, text).map_err(|error| {
                Failure::errored(format!("cannot write {}: {error}", self.folder.join(name).display()))
            })?;
        }
        let folder = self.folder.display();
        let quoted = driver::quote(&folder.to_string());
        let mut text = "made\n".to_owned();
        made.iter().for_each(|(name, _)| text.push_str(&format!("  {folder}/{name}\n")));
        for (name, wanted) in kept {
            text.push_str(&format!("{folder}/{name} is left as it was; it would have been\n"));
            wanted.lines().for_each(|line| text.push_str(&format!("  {line}\n")));
        }
        let here = self.folder.as_os_str() == ".";
        let named = if here { String::new() } else { format!(" {quoted}") };
        print(&format!("{text}run it: uixt run{named}\nlook at it: uixt studio{named}"))
    }

    fn names_nothing(&self) -> bool {
        !self.phone && !self.web && !self.both
    }

    /// Returns what the project is for; asks where somebody is there to answer.
    fn purpose(&self) -> Result<For, Failure> {
        match (self.phone, self.web, self.both) {
            (true, ..) => return Ok(For::Phones),
            (_, true, _) => return Ok(For::Pages),
            (.., true) => return Ok(For::Both),
            _ if !io::stdin().is_terminal() || !io::stderr().is_terminal() => return Ok(For::Phones),
            _ => {}
        }
        loop {
            eprint!("What is to be tested: apps on phones (p), pages in a browser (w), or both (b)? [p] ");
            let mut answer = String::new();
            let read = io::stdin().lock().read_line(&mut answer);
            match answer.trim().to_lowercase().as_str() {
                _ if !matches!(read, Ok(1..)) => {
                    return Err(Failure::usage("no answer; give --phone, --web or --both"));
                }
                "" | "p" | "phone" | "phones" => return Ok(For::Phones),
                "w" | "web" | "page" | "pages" => return Ok(For::Pages),
                "b" | "both" => return Ok(For::Both),
                other => eprintln!("`{other}` is none of p, w and b"),
            }
        }
    }

    fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let path = self.folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)
    }
}

/// Returns what the project holds.
fn files(purpose: For, ci: Option<Ci>) -> Vec<(&'static str, String)> {
    let phone = include_str!("init/phone.yaml");
    let phones = include_str!("init/phone_project.yaml");
    let (web, pages) = (include_str!("init/web.yaml"), include_str!("init/web_project.yaml"));
    let page = include_str!("init/index.html");
    let own: Vec<(&str, String)> = match purpose {
        For::Phones => vec![("uixt.yaml", phones.to_owned()), ("testcases/settings.yaml", phone.to_owned())],
        For::Pages => vec![
            ("uixt.yaml", pages.to_owned()),
            ("testcases/sign_in.yaml", web.to_owned()),
            ("pages/index.html", page.to_owned()),
        ],
        For::Both => {
            let below = |text: &str| text.replace("$schema=../", "$schema=../../");
            vec![
                ("uixt.yaml", phones.to_owned()),
                ("testcases/phone/settings.yaml", below(phone)),
                ("testcases/web/uixt.yaml", pages.to_owned()),
                ("testcases/web/sign_in.yaml", below(web)),
                ("testcases/web/pages/index.html", page.to_owned()),
            ]
        }
    };
    let rest = [
        (".uixt.schema.json", schema::text() + "\n"),
        (".env", include_str!("init/env").to_owned()),
        (".gitignore", "/results\n/.env\n/.uixt.schema.json\n".to_owned()),
    ];
    own.into_iter().chain(ci.map(of_ci)).chain(rest).collect()
}

/// Returns the file that a CI server reads.
fn of_ci(ci: Ci) -> (&'static str, String) {
    let (name, text) = match ci {
        Ci::Github => (".github/workflows/uixt.yml", include_str!("init/github.yml")),
        Ci::Gitlab => (".gitlab-ci.yml", include_str!("init/gitlab.yml")),
        Ci::Jenkins => ("Jenkinsfile", include_str!("init/Jenkinsfile")),
    };
    (name, text.replace(VERSION, env!("CARGO_PKG_VERSION")))
}
