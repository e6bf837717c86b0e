//! `uixt devices`: what is connected.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::device::Fleet;
use super::exit::{Done, Exit, Failure, print, runtime};
use crate::driver::DeviceInfo;

#[derive(Args)]
pub(super) struct Devices {
    /// Address of the adb server.
    #[arg(long, value_name = "HOST:PORT", default_value = crate::adb::DEFAULT_ADDRESS, env = "UIXT_ADB_SERVER")]
    adb_server: String,
    /// How to print them.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Table,
    Json,
}

impl Devices {
    pub(super) fn run(self) -> Done {
        let registry = Fleet::default().adb(&self.adb_server);
        let devices = runtime()?.block_on(registry.list()).map_err(Failure::errored)?;
        match self.format {
            Format::Json => print(&json_text(&devices)),
            Format::Table if devices.is_empty() => {
                eprintln!("no device is connected; the embedded virtual phone is always there: --device phone");
                Ok(Exit::Passed)
            }
            Format::Table => print(&table(&devices)),
        }
    }
}

fn table(devices: &[DeviceInfo]) -> String {
    devices
        .iter()
        .map(|device| format!("{}:{}\t{}\t{}\n", device.platform, device.serial, device.name, device.status))
        .collect()
}

fn json_text(devices: &[DeviceInfo]) -> String {
    let devices: Vec<Value> = devices
        .iter()
        .map(|device| json!({"platform": device.platform, "serial": device.serial, "name": device.name, "status": device.status}))
        .collect();
    serde_json::to_string_pretty(&devices).unwrap_or_default()
}
