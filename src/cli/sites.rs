//! What projects serve of their folders → sites on loopback, one per folder, for as long as a run lasts.

use std::collections::HashMap;
use std::path::PathBuf;

use super::exit::Failure;
use crate::site::Site;
use crate::testcase::TestCase;

/// The sites that are served, by their folders.
#[derive(Default)]
pub(super) struct Sites(HashMap<PathBuf, Site>);

impl Sites {
    /// Returns the address of the site that a case's project serves, which begins with the first case that has it.
    pub(super) async fn of(&mut self, case: &TestCase) -> Result<Option<String>, Failure> {
        let Some(serve) = &case.project.serve else { return Ok(None) };
        let folder = case.project.folder().join(serve);
        if let Some(site) = self.0.get(&folder) {
            return Ok(Some(site.address().to_owned()));
        }
        let site = Site::start(&folder).await.map_err(|error| {
            let file = case.project.file.as_deref().unwrap_or("uixt.yaml");
            Failure::usage(format!("{file}: `serve: {serve}`: {} cannot be served: {error}", folder.display()))
        })?;
        let address = site.address().to_owned();
        self.0.insert(folder, site);
        Ok(Some(address))
    }
}
