//! Pictures and PDFs of the page, as files.

use std::io::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use uixt_call::{Lacking, Shape, ToolKind, Toolset, for_pages};
use uixt_core::host::Files;
use uixt_locate::{Error, Kind};
use uixt_toolkit::pages::addresses::Addresses;
use uixt_toolkit::relay::relay;
use uixt_toolkit::{ActionTool, Context, LIMIT, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<SavePdf>(), ActionTool::of::<Screenshot>()];

/// Writes a file: of a testcase below the project or the report; of an agent below the folder that it is offered, where there is no
/// such file yet. Returns its path.
fn save(cx: &Context, path: Option<&str>, usual: &str, bytes: &[u8]) -> Result<String, Error> {
    let refused = |why: String| Error::new(Kind::BadArgument, why);
    let (target, is_new) = match &cx.addresses {
        Addresses::Any => (cx.session.files().output(path, usual).map_err(Error::bad_argument)?, false),
        Addresses::Web { folder: Some(folder), .. } => {
            (Files::of_project(folder).output(path, usual).map_err(Error::bad_argument)?, true)
        }
        Addresses::Web { folder: None, .. } => {
            return Err(refused(
                "nothing is written for agents; a folder for files is where the server has --allow-dir DIR".to_owned(),
            ));
        }
    };
    let mut options = std::fs::File::options();
    let options =
        if is_new { options.write(true).create_new(true) } else { options.write(true).create(true).truncate(true) };
    let written = options.open(&target).and_then(|mut file| file.write_all(bytes));
    written.map_err(|error| refused(format!("cannot write {}: {error}", target.display())))?;
    Ok(target.display().to_string())
}

/// Save the page as a PDF file.
#[derive(Deserialize, JsonSchema)]
struct SavePdf {}

impl Tool for SavePdf {
    const NAME: &'static str = "browser_save_pdf";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Look;
    const LACKING: &'static [Lacking] = &for_pages("it shows no pages");
    const MAIN: Option<&'static str> = Some("path");
    const DESTRUCTIVE: bool = false;
    const ANSWER: &'static [&'static str] = &["path", "count"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let pdf = cx.driver()?.pages("save a page as PDF: it shows none")?.pdf().await?;
        let path = save(cx, None, "page.pdf", &pdf)?;
        Ok(Reply::new(format!("Saved {path}, {} bytes", pdf.len())).with("path", path).with("count", pdf.len()))
    }
}

/// Take a picture of the page.
#[derive(Deserialize, JsonSchema)]
struct Screenshot {
    /// Name of a file to keep it in, .png.
    #[serde(default)]
    #[schemars(length(min = 1))]
    filename: Option<String>,
}

impl Tool for Screenshot {
    const NAME: &'static str = "browser_screenshot";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Look;
    const ALIAS_OF: Option<&'static str> = Some("screenshot");
    const PARAMS: Shape = Shape::Fields(&["filename"]);
    const DESTRUCTIVE: bool = false;
    const ANSWER: &'static [&'static str] = &["width", "height", "path"];

    fn check(&self) -> Result<(), String> {
        match &self.filename {
            Some(name) if !name.to_ascii_lowercase().ends_with(".png") => {
                Err(format!("`{name}`: pictures are PNG files; write {name}.png"))
            }
            _ => Ok(()),
        }
    }

    fn limit(&self) -> std::time::Duration {
        LIMIT * 2
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let mut reply = relay(cx, "screenshot", json!({})).await?;
        if let Some(name) = &self.filename {
            let picture = reply.pictures.first().ok_or_else(|| Error::new(Kind::Device, "there is no picture"))?;
            let path = save(cx, Some(name), "page.png", &picture.png)?;
            reply.message.push_str(&format!(", saved as {path}"));
            reply = reply.with("path", path);
        }
        Ok(reply)
    }
}
