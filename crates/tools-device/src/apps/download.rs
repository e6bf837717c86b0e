//! Files that are fetched before a test: apps, and the mapping files that belong to them.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Exposure, Shape, ToolKind, Toolset};
use uixt_core::host::name_of;
use uixt_locate::Error;
use uixt_toolkit::fetch::{self, Expected};
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<DownloadApp>()];

/// Fetch an app's file from an http(s) address or a path, check it, and return where it lies.
#[derive(Deserialize, JsonSchema)]
struct DownloadApp {
    /// URL or path of the app's file.
    #[schemars(length(min = 1))]
    app_url: String,
    /// Path below the project's folder; default: the report's folder.
    #[serde(default)]
    path: Option<String>,
    /// URL or path of its mapping file, which is fetched as well.
    #[serde(default)]
    mapping_url: Option<String>,
    /// URL or path of its resources' mapping file, which is fetched as well.
    #[serde(default)]
    resource_mapping_url: Option<String>,
    /// Bytes that the app's file must have.
    #[serde(default)]
    size: Option<u64>,
    /// SHA-256 that the app's file must have, in hexadecimal.
    #[serde(default)]
    #[schemars(regex(pattern = "^[0-9a-fA-F]{64}$"))]
    sha256: Option<String>,
}

impl Tool for DownloadApp {
    const NAME: &'static str = "download_app";
    const SET: Option<Toolset> = None;
    const KIND: ToolKind = ToolKind::Setup;
    const NAMES_FILES: bool = true;
    const PARAMS: Shape = Shape::Fields(&["app_url", "path"]);
    const EXPOSURE: Exposure = Exposure::Testcase;
    const NEEDS_DEVICE: bool = false;
    const MAIN: Option<&'static str> = Some("path");

    fn limit(&self) -> Duration {
        fetch::LIMIT
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let files = cx.session.files();
        let app = files.output(self.path.as_deref(), &name_of(&self.app_url)).map_err(Error::bad_argument)?;
        let read = &cx.files();
        let size = fetch::save(read, &self.app_url, &app, &Expected { size: self.size, sha256: self.sha256 }).await?;
        let path = app.display().to_string();
        let mut reply = Reply::new(format!("Fetched {size} bytes as {path}")).with("path", path).with("size", size);
        for (field, source) in
            [("mapping_path", self.mapping_url), ("resource_mapping_path", self.resource_mapping_url)]
        {
            let Some(source) = source else { continue };
            let beside = format!("{}.{}", app.display(), name_of(&source));
            let file = files.output(Some(&beside), "").map_err(Error::bad_argument)?;
            fetch::save(read, &source, &file, &Expected::default()).await?;
            reply = reply.with(field, file.display().to_string());
        }
        Ok(reply)
    }
}
