//! The screen as a whole: picture, size, source, snapshot.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ActionTool, Context, Error, Kind, Reply, Shape, Tool, snapshot};

pub(super) const TOOLS: &[ActionTool] = &[
    ActionTool::of::<Screenshot>(),
    ActionTool::of::<GetScreenSize>(),
    ActionTool::of::<GetSource>(),
    ActionTool::of::<Snapshot>(),
];

/// Take a picture of the screen.
#[derive(Deserialize, JsonSchema)]
struct Screenshot {}

impl Tool for Screenshot {
    const NAME: &'static str = "screenshot";
    const READ_ONLY: bool = true;

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let picture = cx.driver()?.screenshot().await?;
        let (width, height) = (picture.size.width, picture.size.height);
        let mut reply =
            Reply::new(format!("Screenshot of {width}×{height}")).with("width", width).with("height", height);
        reply.pictures.push(picture.png);
        Ok(reply)
    }
}

/// Tell the screen's size in pixels, as it is turned now.
#[derive(Deserialize, JsonSchema)]
struct GetScreenSize {}

impl Tool for GetScreenSize {
    const NAME: &'static str = "get_screen_size";
    const READ_ONLY: bool = true;

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let size = cx.driver()?.screen_size().await?;
        Ok(Reply::new(format!("{}×{}", size.width, size.height)).with("width", size.width).with("height", size.height))
    }
}

/// Return the screen's element tree in the platform's own format (Android: the XML of uiautomator).
#[derive(Deserialize, JsonSchema)]
struct GetSource {
    /// Package that must be in front.
    #[serde(default)]
    package_name: Option<String>,
}

impl Tool for GetSource {
    const NAME: &'static str = "get_source";
    const PARAMS: Shape = Shape::Fields(&["package_name"]);
    const MAIN: Option<&'static str> = Some("source");
    const READ_ONLY: bool = true;

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.driver()?;
        let front = driver.foreground().await?.package;
        if let Some(wanted) = self.package_name.filter(|wanted| *wanted != front) {
            return Err(Error::new(Kind::NotFound, format!("{wanted} is not in front; in front: {front}")));
        }
        let source = driver.source().await?;
        let message = format!("Source of {} characters", source.chars().count());
        Ok(Reply::new(message).with("package_name", front).with("source", source))
    }
}

/// Describe the screen in a few words: a line per element, with refs that other tools take.
#[derive(Deserialize, JsonSchema)]
struct Snapshot {}

impl Tool for Snapshot {
    const NAME: &'static str = "snapshot";
    const MAIN: Option<&'static str> = Some("snapshot");
    const READ_ONLY: bool = true;

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.driver()?;
        let screen = driver.screen().await?;
        let (text, refs) = snapshot::write(&screen, driver.info());
        cx.session.keep_refs(Some(refs));
        let count = text.lines().count() - 1;
        Ok(Reply::new(format!("{count} elements")).with("snapshot", text))
    }
}
