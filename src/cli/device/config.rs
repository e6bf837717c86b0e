//! The device that a testcase's config names → which one it is, and how it is driven.

use std::path::PathBuf;
use std::str::FromStr;

use serde_json::Value;

use super::browser::folder_of;
use super::spec::Spec;
use super::uia2::Written;
use crate::adb;
use crate::cli::exit::Failure;
use crate::driver::ios;
use crate::testcase::{DeviceEntry, Overrides, TestCase};

const LEVELS: &str = "is a number of levels, 1 to 62";
const PORT: &str = "is a port, 1 to 65535";
const TRUTH: &str = "is true or false";

/// The entry of a config, and what its values are read with.
#[derive(Clone, Copy)]
pub(in crate::cli) struct DeviceConfig<'a> {
    case: &'a TestCase,
    entry: &'a DeviceEntry,
    /// Without these, what takes variables counts as left out.
    overrides: Option<&'a Overrides>,
}

/// A value that a config sets.
struct Setting {
    key: &'static str,
    text: String,
    /// File, line and column.
    place: String,
}

impl Setting {
    /// Says that the value is none of those that are valid.
    fn refused(&self, valid: &str) -> Failure {
        Failure::usage(format!("{}: `{}` {valid}, not `{}`", self.place, self.key, self.text))
    }
}

/// Returns the device that a testcase's config names: the first.
pub(in crate::cli) fn device_of(case: &TestCase) -> Option<&DeviceEntry> {
    case.config.devices.first()
}

/// Says what is wrong with a case's device as far as that is written down: what takes variables is seen when it runs.
pub(in crate::cli) fn check(case: &TestCase) -> Result<(), Failure> {
    let Some(entry) = device_of(case) else { return Ok(()) };
    let config = DeviceConfig { case, entry, overrides: None };
    config.spec()?;
    config.uia2()?;
    config.agent()?;
    config.ios(ios::Options::default()).map(drop)
}

impl<'a> DeviceConfig<'a> {
    pub(in crate::cli) fn new(case: &'a TestCase, entry: &'a DeviceEntry, overrides: &'a Overrides) -> Self {
        Self { case, entry, overrides: Some(overrides) }
    }

    /// Returns which device it is, and the adb server where one is named.
    pub(in crate::cli) fn spec(self) -> Result<(Spec, Option<String>), Failure> {
        Ok(match self.entry.platform.as_str() {
            "browser" => (Spec::Browser(None), None),
            "ios" => (Spec::Ios(self.iphone()?), None),
            "harmony" => (Spec::Harmony(self.text("connect_key")?), None),
            _ => (Spec::Android(self.text("serial")?), self.adb_server()?),
        })
    }

    fn iphone(self) -> Result<Option<String>, Failure> {
        match self.option("webDriverAgentUrl")? {
            Some(url) if !url.text.starts_with("http://") => Err(url.refused("is an address, http://HOST:PORT")),
            Some(url) => Ok(Some(url.text.trim_end_matches('/').to_owned())),
            None => self.text("udid"),
        }
    }

    fn adb_server(self) -> Result<Option<String>, Failure> {
        let (host, port) = (self.text("adb_server_host")?, self.parsed::<u16>("adb_server_port", PORT)?);
        let (usual_host, usual_port) = adb::DEFAULT_ADDRESS.split_once(':').unwrap_or_default();
        let is_named = host.is_some() || port.is_some();
        let port = port.map_or_else(|| usual_port.to_owned(), |port| port.to_string());
        Ok(is_named.then(|| format!("{}:{port}", host.as_deref().unwrap_or(usual_host))))
    }

    /// Reads what is said of the UiAutomator2 server. It is about how a device is driven, not which: it holds on a device that the
    /// command line names as well.
    pub(in crate::cli) fn uia2(self) -> Result<Written, Failure> {
        if self.entry.platform != "android" {
            return Ok(Written::default());
        }
        let uia2 = self.parsed("uia2", TRUTH)?;
        let is_elsewhere = |ip: &Setting| uia2 == Some(true) && !["127.0.0.1", "localhost"].contains(&ip.text.as_str());
        if let Some(ip) = self.option("uia2_ip")?.filter(is_elsewhere) {
            let place = ip.place;
            return Err(Failure::usage(format!("{place}: the server is reached through adb\n  = leave `uia2_ip` out")));
        }
        Ok(Written {
            uia2,
            port: self.parsed("uia2_port", PORT)?,
            package: self.text("uia2_server_package_name")?,
            test_package: self.text("uia2_server_test_package_name")?,
            apks: self.text("uia2_apks")?.map(|folder| folder_of(self.case).join(folder)),
        })
    }

    /// Reads what is said of `WebDriverAgent`, which holds also where the command line names the iPhone.
    pub(in crate::cli) fn ios(self, usual: ios::Options) -> Result<ios::Options, Failure> {
        let mut options = usual;
        if self.entry.platform != "ios" {
            return Ok(options);
        }
        // Appium has words of its own for the ports.
        let port = |key: &'static str, of_appium: &'static str| {
            Ok(self.parsed(key, PORT)?.or(self.parsed(of_appium, PORT)?))
        };
        options.port = port("port", "wdaRemotePort")?.unwrap_or(options.port);
        options.mjpeg_port = port("mjpeg_port", "mjpegServerPort")?.unwrap_or(options.mjpeg_port);
        if let Some(levels) = self.option("snapshot_max_depth")? {
            // Beyond, it fails.
            let number = levels.text.trim().parse().ok().filter(|number| (1..=ios::MOST_DEPTH).contains(number));
            options.max_depth = number.ok_or_else(|| levels.refused(LEVELS))?;
        }
        options.reset_home_on_startup =
            self.parsed("reset_home_on_startup", TRUTH)?.unwrap_or(options.reset_home_on_startup);
        options.alerts = match (self.parsed("autoAcceptAlerts", TRUTH)?, self.parsed("autoDismissAlerts", TRUTH)?) {
            (Some(true), Some(true)) => {
                let place = self.option("autoAcceptAlerts")?.map(|option| option.place).unwrap_or_default();
                return Err(Failure::usage(format!(
                    "{place}: either `autoAcceptAlerts` or `autoDismissAlerts` is true, not both"
                )));
            }
            (Some(true), _) => ios::Alerts::Accept,
            (_, Some(true)) => ios::Alerts::Dismiss,
            _ => options.alerts,
        };
        options.accept_button = self.text("accept_alert_button_selector")?;
        options.dismiss_button = self.text("dismiss_alert_button_selector")?;
        Ok(options)
    }

    /// Reads the agent of a Harmony phone, which holds also where the command line names the phone.
    pub(in crate::cli) fn agent(self) -> Result<Option<PathBuf>, Failure> {
        if self.entry.platform != "harmony" {
            return Ok(None);
        }
        let Some(agent) = self.option("agent")? else { return Ok(None) };
        let file = folder_of(self.case).join(agent.text);
        match file.is_file() {
            true => Ok(Some(std::path::absolute(&file).unwrap_or(file))),
            false => Err(Failure::usage(format!(
                "{}: `agent`: there is no file {}\n  = name a file of the agent (`agent.so`), by its path from this testcase, or leave `agent` out",
                agent.place,
                file.display()
            ))),
        }
    }

    fn text(self, key: &'static str) -> Result<Option<String>, Failure> {
        Ok(self.option(key)?.map(|option| option.text))
    }

    fn parsed<T: FromStr>(self, key: &'static str, valid: &str) -> Result<Option<T>, Failure> {
        let Some(option) = self.option(key)? else { return Ok(None) };
        option.text.trim().parse().map(Some).map_err(|_| option.refused(valid))
    }

    /// Reads an option of a device, and its place; none where it is not there or left empty.
    fn option(self, key: &'static str) -> Result<Option<Setting>, Failure> {
        let Some(option) = self.entry.options.iter().find(|option| option.key == key) else { return Ok(None) };
        let place = format!("{}:{}:{}", self.case.file, option.place.line, option.place.column);
        let value = match self.overrides {
            None if option.value.to_string().contains('$') => return Ok(None),
            None => option.value.clone(),
            Some(overrides) => {
                let value = self.case.scope(overrides).evaluate(&option.value);
                value.map_err(|error| Failure::usage(format!("{place}: {error}")))?
            }
        };
        let text = match value {
            Value::Null => String::new(),
            Value::String(text) => text,
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            Value::Array(_) | Value::Object(_) => {
                let kind = if value.is_array() { "list" } else { "map" };
                return Err(Failure::usage(format!("{place}: `{key}` is one value, not a {kind}")));
            }
        };
        match (text.trim().is_empty(), option.value.as_str().filter(|written| written.contains('$'))) {
            (false, _) => Ok(Some(Setting { key, text, place })),
            (true, None) => Ok(None),
            (true, Some(written)) => Err(Failure::usage(format!(
                "{place}: `{key}: {written}` is empty\n  = leave `{key}` out for the usual one"
            ))),
        }
    }
}
