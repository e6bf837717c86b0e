//! The sets that tools are listed in.

/// A part of the table that is shown as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toolset {
    /// What is shown where nothing else is asked for.
    Core,
    Gestures,
    Keys,
    Apps,
    Device,
    Checks,
    Web,
    Ui,
    Ai,
    Flow,
    Browser,
    BrowserUse,
    Microsandbox,
    /// Those that look into files and code, and for tools.
    SearchTool,
    /// Those that research a question.
    Deepsearch,
    /// Other names for what a tool of another set does, with arguments and answers of their own.
    Aliases,
}

/// The name of [`Toolset::Core`].
pub const CORE: &str = "core";
impl Toolset {
    /// Every set, in the order in which they are listed.
    pub const EVERY: [Self; 16] = [
        Self::Core,
        Self::Gestures,
        Self::Keys,
        Self::Apps,
        Self::Device,
        Self::Checks,
        Self::Web,
        Self::Ui,
        Self::Ai,
        Self::Flow,
        Self::Browser,
        Self::BrowserUse,
        Self::Microsandbox,
        Self::SearchTool,
        Self::Deepsearch,
        Self::Aliases,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Core => CORE,
            Self::Gestures => "gestures",
            Self::Keys => "keys",
            Self::Apps => "apps",
            Self::Device => "device",
            Self::Checks => "checks",
            Self::Web => "web",
            Self::Ui => "ui",
            Self::Ai => "ai",
            Self::Flow => "flow",
            Self::Browser => "browser",
            Self::BrowserUse => "browser_use",
            Self::Microsandbox => "microsandbox",
            Self::SearchTool => "mcp-search-tool",
            Self::Deepsearch => "deepsearch",
            Self::Aliases => "aliases",
        }
    }

    /// Returns the MCP server whose tools these are, by their names: a call of that server is one of these where no file names a server so.
    pub fn server(self) -> Option<&'static str> {
        match self {
            Self::BrowserUse => Some("browser_use"),
            Self::Microsandbox => Some("microsandbox"),
            Self::SearchTool => Some("mcp-search-tool"),
            Self::Deepsearch => Some("deepsearch"),
            _ => None,
        }
    }

    /// Tells whether it is shown only where it is named: it needs a model, runs code, reads files, or has other names for what
    /// stands in other sets.
    pub fn is_apart(self) -> bool {
        matches!(
            self,
            Self::Ai
                | Self::Browser
                | Self::BrowserUse
                | Self::Microsandbox
                | Self::SearchTool
                | Self::Deepsearch
                | Self::Aliases
        )
    }
}
