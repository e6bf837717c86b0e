//! Devices: which are there, which one calls go to.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_locate::Error;
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<ListAvailableDevices>(), ActionTool::of::<SelectDevice>()];

/// List all connected devices.
#[derive(Deserialize, JsonSchema)]
struct ListAvailableDevices {}

impl Tool for ListAvailableDevices {
    const NAME: &'static str = "list_available_devices";
    const SET: Option<Toolset> = Some(Toolset::Core);
    const KIND: ToolKind = ToolKind::Read;
    const IN_BROWSER_CORE: bool = true;
    const MAIN: Option<&'static str> = Some("devices");
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;
    const USES_DEVICES: bool = true;
    const ANSWER: &'static [&'static str] = &["devices", "count"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let devices: Vec<Value> = cx
            .registry
            .list()
            .await?
            .into_iter()
            .map(|device| {
                json!({"platform": device.platform, "serial": device.serial, "name": device.name, "status": device.status})
            })
            .collect();
        let count = devices.len();
        let noun = if count == 1 { "device" } else { "devices" };
        Ok(Reply::new(format!("Found {count} available {noun}")).with("devices", devices).with("count", count))
    }
}

/// Select the device that the following calls go to.
#[derive(Deserialize, JsonSchema)]
struct SelectDevice {
    /// android, ios, harmony or browser.
    platform: String,
    /// Serial number or identifier.
    serial: String,
}

impl Tool for SelectDevice {
    const NAME: &'static str = "select_device";
    const SET: Option<Toolset> = Some(Toolset::Core);
    const KIND: ToolKind = ToolKind::Select;
    const IN_BROWSER_CORE: bool = true;
    const DESTRUCTIVE: bool = false;
    const IDEMPOTENT: bool = true;
    const PARAMS: Shape = Shape::Fields(&["platform", "serial"]);
    const NEEDS_DEVICE: bool = false;
    const USES_DEVICES: bool = true;
    const ANSWER: &'static [&'static str] = &["platform", "serial", "name"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.registry.open(Some(&self.platform), Some(&self.serial)).await?;
        let name = driver.info().name.clone();
        cx.session.select(driver);
        Ok(Reply::new(format!("Selected {name}"))
            .with("platform", self.platform)
            .with("serial", self.serial)
            .with("name", name))
    }
}
