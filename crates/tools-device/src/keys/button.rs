//! Keys of the device.

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Lacking, Shape, ToolKind, Toolset};
use uixt_driver::Key;
use uixt_locate::{Error, screen_power};
use uixt_toolkit::pages::leaving;
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<PressButton>(), ActionTool::of::<Home>(), ActionTool::of::<Back>()];

/// A key that can be pressed.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Button {
    Home,
    Back,
    Enter,
    VolumeUp,
    VolumeDown,
    Power,
    Menu,
    AppSwitch,
    Delete,
    Tab,
    Escape,
    Search,
    Up,
    Down,
    Left,
    Right,
}

impl Button {
    fn key(self) -> Key {
        match self {
            Self::Home => Key::Home,
            Self::Back => Key::Back,
            Self::Enter => Key::Enter,
            Self::VolumeUp => Key::VolumeUp,
            Self::VolumeDown => Key::VolumeDown,
            Self::Power => Key::Power,
            Self::Menu => Key::Menu,
            Self::AppSwitch => Key::AppSwitch,
            Self::Delete => Key::Delete,
            Self::Tab => Key::Tab,
            Self::Escape => Key::Escape,
            Self::Search => Key::Search,
            Self::Up => Key::Up,
            Self::Down => Key::Down,
            Self::Left => Key::Left,
            Self::Right => Key::Right,
        }
    }
}

/// Presses a key, where the screen is lit or the key serves in the dark.
pub(crate) async fn press(cx: &Context, key: Key) -> Result<(), Error> {
    let driver = cx.driver()?;
    if matches!(key, Key::Power | Key::VolumeUp | Key::VolumeDown) {
        return Ok(driver.press(key).await?);
    }
    screen_power::require_key_awake(driver.press_where_lit(key).await?)
}

/// Press a key of the device.
#[derive(Deserialize, JsonSchema)]
struct PressButton {
    /// The key.
    button: Button,
}

impl Tool for PressButton {
    const NAME: &'static str = "press_button";
    const SET: Option<Toolset> = Some(Toolset::Core);
    const KIND: ToolKind = ToolKind::Key;
    const LACKING: &'static [Lacking] = &[
        Lacking::value("ios", "button", "menu", "tap what opens it"),
        Lacking::value("ios", "button", "app_switch", "`app_launch` brings an app to the front"),
    ];
    const IN_GOALS: bool = true;
    const VERB: Option<&'static str> = Some("press");
    const PARAMS: Shape = Shape::Fields(&["button"]);
    const ANSWER: &'static [&'static str] = &["button"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let key = self.button.key();
        press(cx, key).await?;
        let name = uixt_call::arguments::snake_case(&format!("{key:?}"));
        Ok(Reply::new(format!("Pressed {name}")).with("button", name))
    }
}

/// Go to the home screen.
#[derive(Deserialize, JsonSchema)]
struct Home {}

impl Tool for Home {
    const NAME: &'static str = "home";
    const SET: Option<Toolset> = Some(Toolset::Keys);
    const KIND: ToolKind = ToolKind::Home;
    const LACKING: &'static [Lacking] = &[Lacking::tool("browser", "it is no phone")];
    const IN_GOALS: bool = true;
    const DESTRUCTIVE: bool = false;
    const IDEMPOTENT: bool = true;

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        press(cx, Key::Home).await?;
        Ok(Reply::new("Pressed home"))
    }
}

/// Go back.
#[derive(Deserialize, JsonSchema)]
struct Back {}

impl Tool for Back {
    const NAME: &'static str = "back";
    const SET: Option<Toolset> = Some(Toolset::Keys);
    const KIND: ToolKind = ToolKind::Back;
    const IN_GOALS: bool = true;
    const IN_BROWSER_CORE: bool = true;

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let pressed = Reply::new("Pressed back");
        let driver = cx.driver()?;
        if driver.pages("go back").is_ok() {
            let asked = leaving::or_asked(cx, "Pressed back", driver.go(-1)).await?;
            return Ok(asked.unwrap_or(pressed));
        }
        press(cx, Key::Back).await?;
        Ok(pressed)
    }
}
