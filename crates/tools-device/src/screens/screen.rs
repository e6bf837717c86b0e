//! The screen as a whole: picture, size, source, snapshot.

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Bound, Shape, ToolKind, Toolset};
use uixt_driver::Look;
use uixt_locate::pixel_elements::Source;
use uixt_locate::target::Place;
use uixt_locate::{Error, Kind, finder, snapshot};
use uixt_toolkit::{ActionTool, Context, Picture, Reply, Tool, pages, tokens};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<Screenshot>(),
    ActionTool::of::<GetScreenSize>(),
    ActionTool::of::<GetSource>(),
    ActionTool::of::<Snapshot>(),
];

/// Take a picture of the screen.
#[derive(Deserialize, JsonSchema)]
struct Screenshot {
    /// Most pixels of its longest side; 0: all. Agents get 1024 by default.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100_000))]
    max_image_px: Option<u32>,
    /// All of the page, also what is not in view.
    #[serde(default)]
    #[schemars(extend("x-unpublished" = true))]
    full_page: bool,
    /// Only this element of the page: text, #id or target.
    #[serde(default)]
    #[schemars(extend("x-unpublished" = true))]
    of: Option<Place>,
}

impl Tool for Screenshot {
    const NAME: &'static str = "screenshot";
    const SET: Option<Toolset> = Some(Toolset::Core);
    const KIND: ToolKind = ToolKind::Look;
    const IN_BROWSER_CORE: bool = true;
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["width", "height"];

    fn check(&self) -> Result<(), String> {
        match &self.of {
            Some(_) if self.full_page => Err("give either `full_page` or `of`".to_owned()),
            Some(place) => place.0.check().map_err(|message| format!("of: {message}")),
            None => Ok(()),
        }
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let picture = match &self.of {
            Some(place) => pages::picture_of(cx, &place.0).await?,
            None if self.full_page => pages::picture_of_all(cx).await?,
            None => cx.driver()?.screenshot().await?,
        };
        let (width, height) = (picture.size.width, picture.size.height);
        let mut reply =
            Reply::new(format!("Screenshot of {width}×{height}")).with("width", width).with("height", height);
        reply.pictures.push(Picture { png: picture.png, most: self.max_image_px });
        Ok(reply)
    }
}

/// Tell the screen's size in pixels, as it is turned now.
#[derive(Deserialize, JsonSchema)]
struct GetScreenSize {}

impl Tool for GetScreenSize {
    const NAME: &'static str = "get_screen_size";
    const SET: Option<Toolset> = Some(Toolset::Device);
    const KIND: ToolKind = ToolKind::Read;
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["width", "height"];

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
    /// Most tokens of the source.
    #[serde(default)]
    #[schemars(range(min = 100, max = 1_000_000))]
    max_tokens: Option<u32>,
}

impl Tool for GetSource {
    const NAME: &'static str = "get_source";
    const SET: Option<Toolset> = Some(Toolset::Checks);
    const KIND: ToolKind = ToolKind::Read;
    const PARAMS: Shape = Shape::Fields(&["package_name"]);
    const MAIN: Option<&'static str> = Some("source");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["package_name", "source", "cut"];
    const BOUND: Option<Bound> =
        Some(Bound::Field { name: "source", more: "give max_tokens, or read uixt://session/tree" });

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.driver()?;
        let (source, front) = driver.source().await?;
        let front = match front {
            Some(front) => front.package,
            None => driver.foreground().await?.package,
        };
        if let Some(wanted) = self.package_name.filter(|wanted| *wanted != front) {
            return Err(Error::new(Kind::NotFound, format!("{wanted} is not in front; in front: {front}")));
        }
        let message = format!("Source of {} characters", source.chars().count());
        let reply = Reply::new(message).with("package_name", front);
        match self.max_tokens.and_then(|most| tokens::beginning(&source, most as usize)) {
            Some((begun, said)) => Ok(reply.with("source", begun).with("cut", format!("source is {said}"))),
            None => Ok(reply.with("source", source)),
        }
    }
}

/// Describe the screen in a few words: a line per element, with refs that other tools take.
#[derive(Deserialize, JsonSchema)]
struct Snapshot {
    /// Most tokens of the answer; 2000 by default.
    #[serde(default)]
    #[schemars(range(min = 100, max = 100_000))]
    max_tokens: Option<u32>,
    /// Only what changed since the last snapshot.
    #[serde(default)]
    diff: bool,
    /// All there is, also off the screen, in parts: 1, 2, …
    #[serde(default)]
    #[schemars(range(min = 1, max = 10_000))]
    page: Option<u32>,
    /// Only what stands in this: text, #id or target.
    #[serde(default)]
    within: Option<Place>,
    /// `pixels` lists texts as they are drawn.
    #[serde(default)]
    #[schemars(extend("enum" = ["tree", "pixels"]))]
    source: Option<Source>,
}

impl Tool for Snapshot {
    const NAME: &'static str = "snapshot";
    const SET: Option<Toolset> = Some(Toolset::Core);
    const KIND: ToolKind = ToolKind::Look;
    const IN_BROWSER_CORE: bool = true;
    const MAIN: Option<&'static str> = Some("snapshot");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["snapshot"];

    fn check(&self) -> Result<(), String> {
        if self.source == Some(Source::Auto) {
            return Err("`source` is `tree` or `pixels`".to_owned());
        }
        if self.page.is_some() && self.diff {
            return Err("`page` tells all there is and `diff` what changed: give one of them".to_owned());
        }
        self.within.as_ref().map_or(Ok(()), |place| place.0.check().map_err(|message| format!("within: {message}")))
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.driver()?;
        let screen = cx.look_with(Look { settled: true, ..Look::default() }).await?;
        cx.options.trace.see_page(&screen);
        let within = match &self.within {
            Some(place) => Some((finder::only(&place.0, &screen, cx.refs().as_ref())?, place.0.to_string())),
            None => None,
        };
        let max_tokens = self.max_tokens.map_or(snapshot::MAX_TOKENS, |most| most as usize);
        let wanted =
            snapshot::Wanted { max_tokens, diff: self.diff, page: self.page.map(|page| page as usize), within };
        let written = cx.session.change_refs(|book| snapshot::write(&screen, driver.info(), book, &wanted));
        let written = written.map_err(|message| Error::new(Kind::BadArgument, message))?;
        Ok(Reply::new(written.message).with("snapshot", written.text))
    }
}
