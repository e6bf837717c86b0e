//! Files between this computer and the device, and into its gallery.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Exposure, Lacking, Shape, ToolKind, Toolset};
use uixt_core::host::name_of;
use uixt_locate::Error;
use uixt_toolkit::{ActionTool, Context, Reply, Tool, fetch};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<PushFile>(),
    ActionTool::of::<PullFile>(),
    ActionTool::of::<PushMedia>(),
    ActionTool::of::<ClearImages>(),
];

/// How long a transfer may take.
const LIMIT: Duration = Duration::from_mins(30);
/// Where files go on the device that nobody says a place for.
const USUAL: &str = "/sdcard/Download/";

/// Copy a file of this computer to the device.
#[derive(Deserialize, JsonSchema)]
struct PushFile {
    /// Path of the file; a relative one begins at the project's folder.
    #[schemars(length(min = 1))]
    from: String,
    /// Path on the device, of the file or of a folder for it; default /sdcard/Download/.
    #[serde(default = "usual")]
    to: String,
}

fn usual() -> String {
    USUAL.to_owned()
}

impl Tool for PushFile {
    const NAME: &'static str = "push_file";
    const SET: Option<Toolset> = None;
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] = &[
        Lacking::tool("ios", "WebDriverAgent reaches no files"),
        Lacking::tool("browser", "it has no files; `upload` gives a page some"),
    ];
    const NAMES_FILES: bool = true;
    const PARAMS: Shape = Shape::Fields(&["from", "to"]);
    const EXPOSURE: Exposure = Exposure::Testcase;
    const MAIN: Option<&'static str> = Some("path");

    fn check(&self) -> Result<(), String> {
        absolute(&self.to)
    }

    fn limit(&self) -> Duration {
        LIMIT
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.driver()?;
        let file = cx.files().input(&self.from).map_err(Error::bad_argument)?;
        let mut to = self.to;
        if !to.ends_with('/') && driver.is_folder(&to).await? {
            to.push('/');
        }
        if to.ends_with('/') {
            to.push_str(&file.file_name().unwrap_or_default().to_string_lossy());
        }
        let size = driver.push_file(&file, &to).await?;
        Ok(Reply::new(format!("Copied {} to {to}", self.from))
            .with("from", self.from)
            .with("path", to)
            .with("size", size))
    }
}

/// Copy a file of the device to this computer.
#[derive(Deserialize, JsonSchema)]
struct PullFile {
    /// Path of the file on the device.
    #[schemars(length(min = 1))]
    from: String,
    /// Path below the project's folder; default: the report's folder.
    #[serde(default)]
    to: Option<String>,
}

impl Tool for PullFile {
    const NAME: &'static str = "pull_file";
    const SET: Option<Toolset> = None;
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] = &[
        Lacking::tool("ios", "WebDriverAgent reaches no files"),
        Lacking::tool("browser", "it has no files; `upload` gives a page some"),
    ];
    const PARAMS: Shape = Shape::Fields(&["from", "to"]);
    const EXPOSURE: Exposure = Exposure::Testcase;
    const MAIN: Option<&'static str> = Some("path");

    fn check(&self) -> Result<(), String> {
        absolute(&self.from)
    }

    fn limit(&self) -> Duration {
        LIMIT
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let to = cx.session.files().output(self.to.as_deref(), &name_of(&self.from)).map_err(Error::bad_argument)?;
        let size = cx.driver()?.pull_file(&self.from, &to).await?;
        let path = to.display().to_string();
        Ok(Reply::new(format!("Copied {} to {path}", self.from))
            .with("from", self.from)
            .with("path", path)
            .with("size", size))
    }
}

/// Put a picture or video into the device's gallery, and wait until it is there.
#[derive(Deserialize, JsonSchema)]
struct PushMedia {
    /// Path or URL of the file; a relative path begins at the project's folder.
    #[schemars(length(min = 1))]
    path: String,
}

impl Tool for PushMedia {
    const NAME: &'static str = "push_media";
    const SET: Option<Toolset> = None;
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] = &[
        Lacking::tool("harmony", "no command of its shell reaches its gallery; `push_file` brings a file to the phone"),
        Lacking::tool("browser", "it has no gallery; `upload` gives a page files"),
    ];
    const NAMES_FILES: bool = true;
    const PARAMS: Shape = Shape::Fields(&["path"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] =
        &[("image_url", "path"), ("video_url", "path"), ("file_url", "path")];
    const EXPOSURE: Exposure = Exposure::Testcase;
    const MAIN: Option<&'static str> = Some("path");

    fn limit(&self) -> Duration {
        if fetch::is_address(&self.path) { LIMIT + fetch::LIMIT } else { LIMIT }
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let file = fetch::get(&cx.files(), &self.path).await?;
        let path = cx.driver()?.add_media(&file.path, &name_of(&self.path)).await?;
        Ok(Reply::new(format!("Put {path} into the gallery")).with("from", self.path).with("path", path))
    }
}

/// Remove the pictures and videos that these tools put into the device's gallery, and nothing else.
#[derive(Deserialize, JsonSchema)]
struct ClearImages {}

impl Tool for ClearImages {
    const NAME: &'static str = "clear_images";
    const SET: Option<Toolset> = Some(Toolset::Device);
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] = &[
        Lacking::tool("ios", "WebDriverAgent reaches no files"),
        Lacking::tool("harmony", "no command of its shell reaches its gallery"),
        Lacking::tool("browser", "it has no files; `upload` gives a page some"),
    ];
    const MAIN: Option<&'static str> = Some("count");
    const ANSWER: &'static [&'static str] = &["count"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let count = cx.driver()?.clear_media().await?;
        let noun = if count == 1 { "file" } else { "files" };
        Ok(Reply::new(format!("Removed {count} {noun} from the gallery")).with("count", count))
    }
}

fn absolute(path: &str) -> Result<(), String> {
    if path.starts_with('/') {
        return Ok(());
    }
    Err(format!("`{path}` is not a path on the device: it must begin with `/`, such as {USUAL}"))
}
