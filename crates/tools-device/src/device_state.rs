//! The device itself: locked or not, how its screen is turned, what it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uixt_call::{Lacking, Shape, ToolKind, Toolset};
use uixt_driver as driver;
use uixt_locate::Error;
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<Lock>(),
    ActionTool::of::<Unlock>(),
    ActionTool::of::<GetOrientation>(),
    ActionTool::of::<SetOrientation>(),
    ActionTool::of::<DeviceInfo>(),
];

/// Turn the screen off, which locks the device; does nothing where it is off.
#[derive(Deserialize, JsonSchema)]
struct Lock {}

impl Tool for Lock {
    const NAME: &'static str = "lock";
    const SET: Option<Toolset> = Some(Toolset::Device);
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] = &[Lacking::tool("browser", "it is no phone")];
    const DESTRUCTIVE: bool = false;
    const IDEMPOTENT: bool = true;
    const ANSWER: &'static [&'static str] = &["was_awake", "was_locked", "locked"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.driver()?;
        let before = driver.lock_state().await?;
        let now = driver.lock().await?;
        let message = match (before.awake, now.locked) {
            (false, _) => "The screen was off already",
            (true, true) => "Locked",
            (true, false) => "Turned the screen off; the device did not lock",
        };
        Ok(found(Reply::new(message), before).with("locked", now.locked))
    }
}

/// Light the screen and take the lock screen away; does nothing where neither is needed.
#[derive(Deserialize, JsonSchema)]
struct Unlock {}

impl Tool for Unlock {
    const NAME: &'static str = "unlock";
    const SET: Option<Toolset> = Some(Toolset::Device);
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] = &[Lacking::tool("browser", "it is no phone")];
    const DESTRUCTIVE: bool = false;
    const IDEMPOTENT: bool = true;
    const ANSWER: &'static [&'static str] = &["was_awake", "was_locked"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.driver()?;
        let before = driver.lock_state().await?;
        driver.unlock().await?;
        let message = match (before.awake, before.locked) {
            (true, false) => "The device was unlocked already",
            (_, true) => "Unlocked",
            (false, false) => "Turned the screen on; it was not locked",
        };
        Ok(found(Reply::new(message), before))
    }
}

/// Adds the state that was found.
fn found(reply: Reply, before: driver::Lock) -> Reply {
    reply.with("was_awake", before.awake).with("was_locked", before.locked)
}

/// How the screen is turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Orientation {
    Portrait,
    Landscape,
    ReversePortrait,
    ReverseLandscape,
    Auto,
}

impl Orientation {
    fn of(orientation: driver::Orientation) -> Self {
        match orientation {
            driver::Orientation::Portrait => Self::Portrait,
            driver::Orientation::Landscape => Self::Landscape,
            driver::Orientation::ReversePortrait => Self::ReversePortrait,
            driver::Orientation::ReverseLandscape => Self::ReverseLandscape,
        }
    }

    /// Returns what the screen is to be turned to; none where it is to follow the sensor.
    fn wanted(self) -> Option<driver::Orientation> {
        match self {
            Self::Portrait => Some(driver::Orientation::Portrait),
            Self::Landscape => Some(driver::Orientation::Landscape),
            Self::ReversePortrait => Some(driver::Orientation::ReversePortrait),
            Self::ReverseLandscape => Some(driver::Orientation::ReverseLandscape),
            Self::Auto => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Portrait => "portrait",
            Self::Landscape => "landscape",
            Self::ReversePortrait => "reverse_portrait",
            Self::ReverseLandscape => "reverse_landscape",
            Self::Auto => "auto",
        }
    }
}

/// Tell how the screen is turned.
#[derive(Deserialize, JsonSchema)]
struct GetOrientation {}

impl Tool for GetOrientation {
    const NAME: &'static str = "get_orientation";
    const SET: Option<Toolset> = Some(Toolset::Device);
    const KIND: ToolKind = ToolKind::Read;
    const MAIN: Option<&'static str> = Some("orientation");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["orientation", "auto"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let turned = cx.driver()?.orientation().await?;
        let name = Orientation::of(turned.orientation).name();
        let auto = if turned.auto { ", following the sensor" } else { "" };
        Ok(Reply::new(format!("The screen is {name}{auto}")).with("orientation", name).with("auto", turned.auto))
    }
}

/// Turn the screen and hold it so until it is turned again; auto lets it follow the sensor.
#[derive(Deserialize, JsonSchema)]
struct SetOrientation {
    /// How it is to be turned.
    orientation: Orientation,
}

impl Tool for SetOrientation {
    const NAME: &'static str = "set_orientation";
    const SET: Option<Toolset> = Some(Toolset::Device);
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] = &[
        Lacking::value("ios", "orientation", "auto", "it follows its sensor by itself: name a way up"),
        Lacking::value("harmony", "orientation", "auto", "name a way up"),
    ];
    const DESTRUCTIVE: bool = false;
    const IDEMPOTENT: bool = true;
    const PARAMS: Shape = Shape::Fields(&["orientation"]);
    const ANSWER: &'static [&'static str] = &["orientation", "former"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.driver()?;
        let before = driver.orientation().await?;
        driver.set_orientation(self.orientation.wanted()).await?;
        let former = if before.auto { Orientation::Auto } else { Orientation::of(before.orientation) };
        let name = self.orientation.name();
        Ok(Reply::new(format!("Turned the screen to {name}")).with("orientation", name).with("former", former.name()))
    }
}

/// Describe the device: model, version, screen, battery.
#[derive(Deserialize, JsonSchema)]
struct DeviceInfo {}

impl Tool for DeviceInfo {
    const NAME: &'static str = "device_info";
    const SET: Option<Toolset> = Some(Toolset::Device);
    const KIND: ToolKind = ToolKind::Read;
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &[
        "platform",
        "serial",
        "name",
        "manufacturer",
        "model",
        "version",
        "width",
        "height",
        "api_level",
        "density",
        "battery",
        "powered",
    ];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.driver()?;
        let (info, details) = (driver.info(), driver.details().await?);
        let version = format!("{} {}", info.platform, details.version);
        let with = if info.name.to_lowercase().contains(&version) { String::new() } else { format!(" with {version}") };
        let reply = Reply::new(format!("{}{with}", info.name))
            .with("platform", info.platform)
            .with("serial", info.serial.as_str())
            .with("name", info.name.as_str())
            .with("manufacturer", details.manufacturer)
            .with("model", details.model)
            .with("version", details.version)
            .with("width", details.screen.width)
            .with("height", details.screen.height);
        // What a device does not tell is left out rather than made up.
        let more = [
            ("api_level", details.api_level.map(Value::from)),
            ("density", details.density.map(Value::from)),
            ("battery", details.battery.map(Value::from)),
            ("powered", details.powered.map(Value::from)),
        ];
        Ok(more.into_iter().fold(reply, |reply, (name, value)| match value {
            Some(value) => reply.with(name, value),
            None => reply,
        }))
    }
}
