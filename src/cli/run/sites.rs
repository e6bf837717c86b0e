//! What projects serve → sites on loopback, one per folder, for as long as a run lasts.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use axum::Router;
use uixt_ui::Ui;
use uixt_ui::page::{self, Pages};

use crate::cli::data;
use crate::cli::exit::Failure;
use crate::site::Site;
use crate::testcase::Project;

/// The sites that are served, by their folders.
#[derive(Default)]
pub(in crate::cli) struct Sites(HashMap<Served, Site>);

/// The folder of a site, and where the UI instances of its page are kept.
type Served = (Option<PathBuf>, Option<PathBuf>);

impl Sites {
    /// Returns the address of the site that a case's project serves, which begins with the first case that has it.
    pub(in crate::cli) async fn of(&mut self, project: &Project) -> Result<Option<String>, Failure> {
        let folder = project.serve.as_ref().map(|serve| project.folder().join(serve));
        let data = if project.serve_ui { Some(data::file_of(&project.root)?) } else { None };
        if folder.is_none() && data.is_none() {
            return Ok(None);
        }
        let served = (folder, data);
        if let Some(site) = self.0.get(&served) {
            return Ok(Some(site.address().to_owned()));
        }
        let ui = served.1.clone().map_or_else(Router::new, |file| page::router(Pages::new(move || Ui::shared(&file))));
        let site = Site::start_with(served.0.as_deref(), ui).await.map_err(|error| {
            let file = project.file.as_deref().unwrap_or("uixt.yaml");
            let what =
                project.serve.as_deref().map_or_else(|| "serve_ui".to_owned(), |serve| format!("serve: {serve}"));
            let folder = served.0.as_deref().unwrap_or(Path::new("")).display();
            Failure::usage(format!("{file}: `{what}`: {folder} cannot be served: {error}"))
        })?;
        let address = site.address().to_owned();
        self.0.insert(served, site);
        Ok(Some(address))
    }
}
