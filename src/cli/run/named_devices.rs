//! The devices that a case's config names → which they are, and what the browsers among them begin with.

use std::collections::HashMap;

use crate::cli::device::browser;
use crate::cli::device::config::DeviceConfig;
use crate::cli::device::spec::{DeviceArgs, Spec};
use crate::cli::exit::Failure;
use crate::driver::browser::{Settings, serial_of};
use crate::result;
use crate::testcase::{DeviceEntry, Overrides, TestCase};

/// The devices that a case's config names for its steps.
#[derive(Default)]
pub(in crate::cli) struct NamedDevices {
    /// By their names.
    pub(in crate::cli) devices: HashMap<String, result::Device>,
    /// The settings of the browsers among them that are not the case's own.
    pub(in crate::cli) browsers: Vec<(String, Settings)>,
}

impl NamedDevices {
    /// Reads them: the first of the platform of the case's own device is that.
    pub(in crate::cli) fn of(
        case: &TestCase,
        own: &result::Device,
        overrides: &Overrides,
        given: &DeviceArgs,
    ) -> Result<Self, Failure> {
        let mut named = Self::default();
        let own_entry = own_entry(case, Some(&own.platform));
        for entry in &case.config.devices {
            let Some(name) = entry.name.clone() else { continue };
            let serial = if own_entry.is_some_and(|own| own.place == entry.place) {
                own.serial.clone()
            } else if entry.platform == "browser" {
                let settings = browser::of_entry(case, Some(entry), overrides, &browser::Given::of(given))?;
                let serial = serial_of(settings.launch.engine, &name);
                named.browsers.push((name.clone(), settings));
                serial
            } else {
                let (spec, _) = DeviceConfig::new(case, entry, overrides).spec()?;
                spec.serial().ok_or_else(|| unnamed_further(case, entry, &name))?.to_owned()
            };
            let device = result::Device { platform: entry.platform.clone(), serial, name: name.clone() };
            let is_same = |other: &&result::Device| other.platform == device.platform && other.serial == device.serial;
            if let Some(other) = named.devices.values().find(is_same) {
                return Err(same(case, entry, (&name, &other.name), &device.serial));
            }
            named.devices.insert(name, device);
        }
        Ok(named)
    }

    /// Returns the phones among them, but for the case's own device, of which the platform is known.
    pub(super) fn phones(case: &TestCase, own: Option<&str>, overrides: &Overrides) -> Result<Vec<Spec>, Failure> {
        let (mut phones, own) = (Vec::new(), own_entry(case, own));
        for entry in &case.config.devices {
            if entry.name.is_some() && entry.platform != "browser" && own.is_none_or(|own| own.place != entry.place) {
                let (spec, _) = DeviceConfig::new(case, entry, overrides).spec()?;
                phones.extend(Some(spec).filter(|spec| spec.serial().is_some()));
            }
        }
        Ok(phones)
    }
}

/// Returns the entry that is the case's own device.
fn own_entry<'a>(case: &'a TestCase, platform: Option<&str>) -> Option<&'a DeviceEntry> {
    case.config.devices.iter().find(|entry| platform == Some(entry.platform.as_str()))
}

/// Says that two names mean one device, on which steps would meet what is another's.
fn same(case: &TestCase, entry: &DeviceEntry, (name, other): (&str, &str), serial: &str) -> Failure {
    Failure::usage(format!(
        "{}:{}:{}: `{name}` and `{other}` are the same device, {serial}\n  = the case's own device is what --device names, or else the first: let no other be that",
        case.file, entry.place.line, entry.place.column
    ))
}

/// Says that a phone beside the first has to be named.
fn unnamed_further(case: &TestCase, entry: &DeviceEntry, name: &str) -> Failure {
    let key = match entry.platform.as_str() {
        "ios" => "udid",
        "harmony" => "connect_key",
        _ => "serial",
    };
    Failure::usage(format!(
        "{}:{}:{}: `{name}` is not the case's own device, so that it has to be told which it is\n  = give its `{key}`",
        case.file, entry.place.line, entry.place.column
    ))
}
