//! What a project says of `WebDriverAgent` → how iPhones are reached where no testcase says more.

use std::path::Path;

use crate::cli::exit::Failure;
use crate::cli::testcases::messages;
use crate::driver::ios::Options;
use crate::testcase;

/// Reads the project file of a folder.
pub(super) fn of_project(folder: &Path) -> Result<Options, Failure> {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let project = testcase::project(&folder).map_err(|errors| messages::failure(&errors))?;
    Ok(Options { start: project.wda_start.clone(), ..Options::default() })
}
