//! What is around an app: whether the system shows everything dark, where the device is, who speaks to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uixt_call::{Lacking, Shape, ToolKind, Toolset};
use uixt_driver as driver;
use uixt_locate::Error;
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] =
    &[ActionTool::of::<SetAppearance>(), ActionTool::of::<SetLocation>(), ActionTool::of::<AskSiri>()];

const APPEARANCE: &[Lacking] = &[
    Lacking::tool("android", "`shell: adb shell cmd uimode night yes` sets it"),
    Lacking::tool("harmony", "choose it in Settings once"),
    Lacking::tool("browser", "`evaluate` can set it where the page lets it"),
];
const LOCATION: &[Lacking] = &[
    Lacking::tool("android", "on an emulator, `shell: adb emu geo fix LONGITUDE LATITUDE` sets it"),
    Lacking::tool("harmony", "it is set for iPhones alone"),
    Lacking::tool("browser", "it is set for iPhones alone"),
];
const IPHONES: &[Lacking] = &[
    Lacking::tool("android", "iPhones alone have it"),
    Lacking::tool("harmony", "iPhones alone have it"),
    Lacking::tool("browser", "iPhones alone have it"),
];

/// How everything is shown.
#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Appearance {
    Light,
    Dark,
}

/// Show everything light, or dark, as the system's settings do.
#[derive(Deserialize, JsonSchema)]
struct SetAppearance {
    /// How it is to look.
    appearance: Appearance,
}

impl Tool for SetAppearance {
    const NAME: &'static str = "set_appearance";
    const SET: Option<Toolset> = Some(Toolset::Device);
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] = APPEARANCE;
    const DESTRUCTIVE: bool = false;
    const IDEMPOTENT: bool = true;
    const PARAMS: Shape = Shape::Fields(&["appearance"]);
    const ANSWER: &'static [&'static str] = &["appearance"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let (name, wanted) = match self.appearance {
            Appearance::Light => ("light", driver::Appearance::Light),
            Appearance::Dark => ("dark", driver::Appearance::Dark),
        };
        cx.driver()?.set_appearance(wanted).await?;
        Ok(Reply::new(format!("Everything is shown {name}")).with("appearance", name))
    }
}

/// Have apps believe that the device is at a place; without one, tell them again where it is.
#[derive(Deserialize, JsonSchema)]
struct SetLocation {
    /// Degrees to the north.
    #[serde(default)]
    #[schemars(range(min = -90.0, max = 90.0))]
    latitude: Option<f64>,
    /// Degrees to the east.
    #[serde(default)]
    #[schemars(range(min = -180.0, max = 180.0))]
    longitude: Option<f64>,
}

impl SetLocation {
    fn location(&self) -> Result<Option<driver::Location>, String> {
        match (self.latitude, self.longitude) {
            (None, None) => Ok(None),
            (Some(latitude), Some(longitude)) => Ok(Some(driver::Location { latitude, longitude })),
            _ => Err("`latitude` and `longitude` belong together: give both, or none to end it".to_owned()),
        }
    }
}

impl Tool for SetLocation {
    const NAME: &'static str = "set_location";
    const SET: Option<Toolset> = Some(Toolset::Device);
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] = LOCATION;
    const DESTRUCTIVE: bool = false;
    const IDEMPOTENT: bool = true;
    const PARAMS: Shape = Shape::Fields(&["latitude", "longitude"]);
    const ANSWER: &'static [&'static str] = &["latitude", "longitude"];

    fn check(&self) -> Result<(), String> {
        self.location().map(drop)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let location = self.location().ok().flatten();
        cx.driver()?.set_location(location).await?;
        Ok(match location {
            None => Reply::new("Apps are told where the device is"),
            Some(driver::Location { latitude, longitude }) => {
                let reply = Reply::new(format!("The device is at {latitude}, {longitude}"));
                reply.with("latitude", latitude).with("longitude", longitude)
            }
        })
    }
}

/// Say something to Siri, as if it had been spoken.
#[derive(Deserialize, JsonSchema)]
struct AskSiri {
    /// What is said.
    #[schemars(length(min = 1))]
    text: String,
}

impl Tool for AskSiri {
    const NAME: &'static str = "ask_siri";
    const SET: Option<Toolset> = Some(Toolset::Device);
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] = IPHONES;
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const ANSWER: &'static [&'static str] = &["text"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        cx.driver()?.ask_assistant(&self.text).await?;
        Ok(Reply::new(format!("Asked Siri: {}", self.text)).with("text", self.text))
    }
}
