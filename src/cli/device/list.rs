//! `uixt devices`: what is connected.

use clap::Args;
use serde_json::{Value, json};

use super::devices::{Devices, Manner};
use super::spec::{DeviceArgs, Spec};
use crate::cli::exit::{Done, Exit, print, runtime};
use crate::cli::format::Format;
use crate::driver::DeviceInfo;

/// What is said where no phone is there.
const VIRTUAL: &str =
    "the embedded virtual phones are always there: `--device phone`, `--device iphone`, `--device harmony-phone`";

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
        let registry = Devices::default().ways(Manner::by(&self.devices.ways));
        // A phone over TCP is found by nothing but its name.
        match &self.devices.device {
            Some(Spec::Android(Some(serial)) | Spec::Ios(Some(serial))) => registry.seek(serial),
            Some(spec @ Spec::Harmony(serial)) => registry.choose(spec.platform(), serial.as_deref()),
            _ => {}
        }
        let (devices, failures) = runtime()?.block_on(registry.survey());
        // Nothing stands in for a phone: what keeps phones from being seen is told beside what is there.
        failures.iter().for_each(|error| eprintln!("{error}"));
        if devices.iter().all(|device| device.platform == "browser") {
            registry.absences().iter().for_each(|error| eprintln!("{error}"));
            eprintln!("{VIRTUAL}");
        }
        if devices.is_empty() && !failures.is_empty() {
            return Ok(Exit::Errored);
        }
        explain(&devices);
        match self.format {
            Format::Json => print(&json_text(&devices)),
            Format::Table => print(&table(&devices)),
        }
    }
}

/// Says what to do about devices that are there and cannot be used.
fn explain(devices: &[DeviceInfo]) {
    for DeviceInfo { platform, serial, status, .. } in devices {
        match status.as_str() {
            "unauthorized" if *platform == "harmony" => eprintln!(
                "{platform}:{serial} does not trust this computer: unlock it and accept the dialog on its screen, then list again"
            ),
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
