//! `uixt check`: everything that can be known without a device.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::lints;
use super::loading;
use super::messages;
use super::variables::Variables;
use crate::cli::device::{browser, config};
use crate::cli::exit::{Done, Exit, Failure, print};
use crate::cli::mcp::servers::CalledArgs;
use crate::testcase::{Overrides, TestCase};

#[derive(Args)]
pub(in crate::cli) struct Check {
    /// Testcase files and folders; without any, the project's `testcases/`, or the whole project where it has no such folder.
    paths: Vec<PathBuf>,
    #[command(flatten)]
    variables: Variables,
    #[command(flatten)]
    servers: CalledArgs,
    /// How to print errors.
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Human,
    Json,
}

fn warnings(cases: &[TestCase], overrides: &Overrides) -> Vec<String> {
    let warnings = cases.iter().flat_map(|case| lints::warnings(case, false));
    // Where a file is only looked at, nobody needs to have its secrets.
    let unset = loading::unset(cases, overrides).into_iter().map(|error| error.on_one_line());
    warnings.chain(unset).collect()
}

impl Check {
    pub(in crate::cli) fn run(mut self) -> Done {
        if self.paths.is_empty() {
            self.paths = loading::of_project()?;
        }
        let overrides = self.variables.overrides()?;
        let loaded = loading::load(&self.paths, &overrides, &self.servers);
        let cases = loaded.iter().flatten();
        let wrong: Vec<_> = cases
            .filter_map(|case| Some((&case.file, browser::check(case).and_then(|()| config::check(case)).err()?)))
            .collect();
        if !wrong.is_empty() {
            return self.refused(&wrong);
        }
        match loaded {
            Ok(cases) if self.format == Format::Human => {
                messages::warn(warnings(&cases, &overrides).iter());
                let what = match cases.len() {
                    0 => "the project's tools".to_owned(),
                    many => messages::count(many, "testcase"),
                };
                print(&format!("{what}: no errors"))
            }
            Ok(cases) => print(
                &json!({"testcases": cases.len(), "errors": [], "warnings": warnings(&cases, &overrides)}).to_string(),
            ),
            Err(errors) if self.format == Format::Human => Err(messages::failure(&errors)),
            Err(errors) => {
                let errors: Vec<Value> = errors.iter().map(crate::testcase::Error::to_json).collect();
                print(&json!({"errors": errors}).to_string())?;
                Ok(Exit::Usage)
            }
        }
    }

    /// Tells what is wrong with the devices of configs, of every file.
    fn refused(&self, wrong: &[(&String, Failure)]) -> Done {
        let message = |failure: &Failure| failure.to_string().trim_start_matches("error: ").to_owned();
        if self.format == Format::Human {
            let messages: Vec<String> = wrong.iter().map(|(_, failure)| failure.to_string()).collect();
            return Err(Failure::rendered(Exit::Usage, messages.join("\n\n")));
        }
        let errors: Vec<Value> =
            wrong.iter().map(|(file, failure)| json!({"file": file, "message": message(failure)})).collect();
        print(&json!({"errors": errors}).to_string())?;
        Ok(Exit::Usage)
    }
}
