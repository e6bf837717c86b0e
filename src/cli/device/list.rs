//! `uixt devices`: what is connected.

use clap::Args;
use serde_json::{Value, json};

use super::devices::{Devices, Manner};
use super::spec::{DeviceArgs, Spec};
use crate::cli::exit::{Done, Exit, Failure, print, runtime};
use crate::cli::format::Format;
use crate::driver::DeviceInfo;

#[derive(Args)]
pub(in crate::cli) struct ListDevices {
    #[command(flatten)]
    devices: DeviceArgs,
    /// How to print them.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

impl ListDevices {
    pub(in crate::cli) fn run(self) -> Done {
        let registry = Devices::default().ways(Manner::by(&self.devices.ways.adb_server));
        // A phone over TCP is found by nothing but its name.
        if let Some(Spec::Android(Some(serial)) | Spec::Ios(Some(serial))) = &self.devices.device {
            registry.seek(serial);
        }
        let (devices, failure) = runtime()?.block_on(registry.survey());
        match failure {
            // Nothing stands in for a phone: what keeps phones from being seen is told beside what is there.
            Some(error) if devices.is_empty() => return Err(Failure::errored(error)),
            Some(error) => eprintln!("{error}"),
            None => {}
        }
        explain(&devices);
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

/// Says what to do about devices that are there and cannot be used.
fn explain(devices: &[DeviceInfo]) {
    for DeviceInfo { platform, serial, status, .. } in devices {
        match status.as_str() {
            "unauthorized" => eprintln!(
                "{platform}:{serial} does not know this computer: unlock it and tap `Allow` in its dialog \"Allow USB debugging?\", then \
                 list again"
            ),
            "offline" => eprintln!("{platform}:{serial} does not answer: wake it up, or connect it again"),
            _ => {}
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
