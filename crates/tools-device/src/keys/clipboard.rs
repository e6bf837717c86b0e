//! The clipboard.

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::mask::MASK;
use uixt_call::{Bound, Lacking, Shape, ToolKind, Toolset};
use uixt_locate::{Error, wording};
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<GetPasteboard>(), ActionTool::of::<SetClipboard>()];

/// Return the text of the clipboard.
#[derive(Deserialize, JsonSchema)]
struct GetPasteboard {}

impl Tool for GetPasteboard {
    const NAME: &'static str = "get_pasteboard";
    const SET: Option<Toolset> = Some(Toolset::Keys);
    const KIND: ToolKind = ToolKind::Read;
    const LACKING: &'static [Lacking] =
        &[Lacking::tool("harmony", "no command of its shell reaches its clipboard; `get_text` reads what was copied")];
    const ALIASES: &'static [&'static str] = &["get_clipboard"];
    const MAIN: Option<&'static str> = Some("text");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["text"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let text = cx.driver()?.clipboard().await?;
        Ok(Reply::new(format!("Clipboard: \"{}\"", wording::clip(&text))).with("text", text))
    }
}

/// Put a text into the clipboard.
#[derive(Deserialize, JsonSchema)]
struct SetClipboard {
    /// The text.
    text: String,
    /// Masks the text in answers, logs and reports.
    #[serde(default)]
    secret: bool,
}

impl Tool for SetClipboard {
    const NAME: &'static str = "set_clipboard";
    const SET: Option<Toolset> = Some(Toolset::Keys);
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] =
        &[Lacking::tool("harmony", "no command of its shell reaches its clipboard; `input` types a text")];
    const DESTRUCTIVE: bool = false;
    const IDEMPOTENT: bool = true;
    const ALIASES: &'static [&'static str] = &["set_pasteboard"];
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const ANSWER: &'static [&'static str] = &["text"];
    const BOUND: Option<Bound> = Some(Bound::Echo);

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        cx.driver()?.set_clipboard(&self.text).await?;
        let shown = if self.secret { MASK } else { &self.text };
        Ok(Reply::new(format!("Set the clipboard to \"{}\"", wording::clip(shown))).with("text", shown))
    }
}
