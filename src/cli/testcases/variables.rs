//! `--var` and `--env-file` → what wins over the variables of files.

use std::path::PathBuf;

use clap::Args;

use super::messages::failure;
use crate::cli::exit::Failure;
use crate::testcase::{self, Overrides};

/// Parses `name=value` of `--var`.
fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(format!("`{text}` is not a variable; write it as name=value")),
    }
}

/// What the command line says of variables.
#[derive(Args)]
pub(in crate::cli) struct Variables {
    /// Variable that wins over those of the files.
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = variable)]
    variables: Vec<(String, String)>,
    /// File of NAME=VALUE lines: variables that are masked wherever they would be shown.
    #[arg(long, value_name = "FILE")]
    env_file: Option<PathBuf>,
}

impl Variables {
    pub(in crate::cli) fn overrides(&self) -> Result<Overrides, Failure> {
        let variables = self.variables.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
        let environs = match &self.env_file {
            Some(path) => testcase::read_environs(path).map_err(|errors| failure(&errors))?,
            None => std::collections::BTreeMap::new(),
        };
        Ok(Overrides { variables, environs, ..Overrides::default() })
    }
}
