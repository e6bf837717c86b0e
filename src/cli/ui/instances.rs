//! The UI instances of a folder's project, as pages of the virtual phone.

use std::fmt::{Debug, Display, Formatter};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use uixt_ui::Ui;

use crate::cli::data;
use crate::instance::Instance;
use crate::phone::{Acted, Keeper};

/// Who changes an instance by the phone, in its versions.
const AUTHOR: &str = "phone";

struct Instances {
    file: PathBuf,
    /// The store, once a page was opened.
    ui: OnceLock<Arc<Ui>>,
}

/// Returns who keeps the instances of a folder's project; none where they have no place.
pub(in crate::cli) fn of(folder: &Path) -> Option<Arc<dyn Keeper>> {
    data::file(folder).map(|file| Arc::new(Instances { file, ui: OnceLock::new() }) as Arc<dyn Keeper>)
}

fn words(error: impl Display) -> String {
    error.to_string()
}

impl Instances {
    fn ui(&self) -> Result<&Arc<Ui>, String> {
        if self.ui.get().is_none() {
            let ui = Ui::shared(&self.file).map_err(words)?;
            let _ = self.ui.set(ui);
        }
        self.ui.get().ok_or_else(|| "the store was not opened".to_owned())
    }
}

impl Debug for Instances {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Instances").field(&self.file).finish()
    }
}

impl Keeper for Instances {
    fn list(&self) -> Result<Vec<(String, String)>, String> {
        let list = self.ui()?.list().map_err(words)?;
        Ok(list.iter().map(|one| (one.now.instance.id().to_owned(), one.now.instance.title().to_owned())).collect())
    }

    fn version(&self, id: &str) -> Result<Option<u64>, String> {
        self.ui()?.version(id).map_err(words)
    }

    fn get(&self, id: &str) -> Result<(u64, Instance), String> {
        let now = self.ui()?.get(id).map_err(words)?;
        Ok((now.version, now.instance))
    }

    fn set(&self, id: &str, path: &str, value: Value) -> Result<(), String> {
        self.ui()?.edit(id, path, value, AUTHOR).map(drop).map_err(words)
    }

    fn act<'a>(&'a self, id: &'a str, action: &'a str, row: Option<Value>) -> Acted<'a> {
        Box::pin(async move {
            let acted = self.ui()?.act(id, action, row, AUTHOR).await;
            acted.map(|acted| acted.outcome).map_err(words)
        })
    }
}
