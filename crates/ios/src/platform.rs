//! iPhones on USB, on the network and in simulators, as a [`Platform`](crate::driver::Platform).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::advice;
use crate::driver::beside::{self, Described};
use crate::driver::{self, DeviceInfo, Driver, Error};
use crate::lockdown;
use crate::options::Options;
use crate::phone::Phone;
use crate::simctl::{Simctl, Simulator};
use crate::starter::Started;
use crate::stream::{self, Unreached, Way};
use crate::usbmux::{Address, Failure, is_same};
use crate::wda::Wda;

/// The status of a phone whose `WebDriverAgent` answers, and of others.
const ONLINE: &str = "online";
const NO_WDA: &str = "no WebDriverAgent";
const OTHER: &str = "another server";
/// How long is waited until a multiplexer is looked for again that is not there.
const AGAIN: Duration = Duration::from_secs(3);
/// What the serial of a simulator begins with.
const SIMULATOR: &str = "sim:";

/// The way to iPhones.
pub struct Platform {
    options: Options,
    /// What was named, and is found by its name alone.
    sought: Mutex<Vec<String>>,
    /// Why phones on USB could not be listed.
    failure: Mutex<Option<String>>,
    /// Why the simulators that were named could not be listed.
    no_simulators: Mutex<Option<String>>,
    /// Whether there was any device when they were listed last.
    has_some: AtomicBool,
    changes: std::sync::OnceLock<watch::Receiver<u64>>,
}

impl Platform {
    /// Reaches iPhones as the options say.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            sought: Mutex::default(),
            failure: Mutex::default(),
            no_simulators: Mutex::default(),
            has_some: AtomicBool::new(false),
            changes: std::sync::OnceLock::new(),
        }
    }

    /// Returns the addresses that were named.
    fn named(&self) -> Vec<String> {
        let mut named: Vec<String> = self.options.urls.iter().map(|url| url.trim_end_matches('/').to_owned()).collect();
        for serial in self.sought.lock().iter() {
            if !named.contains(serial) {
                named.push(serial.clone());
            }
        }
        named
    }

    /// Lists the phones on USB; none where there is no multiplexer.
    async fn on_usb(&self) -> Vec<DeviceInfo> {
        let devices = match self.options.usbmux.devices().await {
            Ok(devices) => devices,
            Err(failure) => {
                *self.failure.lock() = Some(match &failure {
                    Failure::Absent(why) => advice::no_multiplexer(&self.options.usbmux, why),
                    other => format!("usbmuxd at {} is not understood: {other:?}", self.options.usbmux.words()),
                });
                return Vec::new();
            }
        };
        *self.failure.lock() = None;
        let mut udids: Vec<String> = Vec::new();
        for device in devices {
            if !udids.iter().any(|udid| is_same(udid, &device.udid)) {
                udids.push(device.udid);
            }
        }
        let described = |udid| Box::pin(of_usb(udid, self.options.clone())) as Described;
        beside::all_of(udids.into_iter().map(described).collect()).await
    }

    /// Lists what was named by an address.
    async fn on_network(&self) -> Vec<DeviceInfo> {
        let urls = self.named().into_iter().filter(|name| is_url(name));
        let described = |url| Box::pin(of_url(url, self.options.clone())) as Described;
        beside::all_of(urls.map(described).collect()).await
    }

    /// Lists the simulators that run, and those that were named.
    async fn simulated(&self) -> Vec<DeviceInfo> {
        let simctl = Simctl::new(&self.options.xcrun);
        let named: Vec<String> = self.named();
        let wanted: Vec<&str> = named.iter().filter_map(|name| name.strip_prefix(SIMULATOR)).collect();
        if wanted.is_empty() && !simctl.is_there() {
            return Vec::new();
        }
        let known = match simctl.list().await {
            Ok(known) => known,
            Err(error) => {
                *self.no_simulators.lock() = Some(error.to_string()).filter(|_| !wanted.is_empty());
                return Vec::new();
            }
        };
        let mut found = Vec::new();
        for simulator in known {
            let by_udid = wanted.iter().any(|name| is_same(name, &simulator.udid));
            if !(simulator.is_booted || by_udid || wanted.contains(&simulator.name.as_str())) {
                continue;
            }
            let serial = format!("{SIMULATOR}{}", if by_udid { &simulator.udid } else { &simulator.name });
            let status = match simulator.is_booted {
                true => status(&Way::Host("127.0.0.1".to_owned()), &self.options).await.0,
                false => "not booted".to_owned(),
            };
            let name = format!("{}, {}", simulator.name, simulator.runtime);
            found.push(DeviceInfo { platform: crate::PLATFORM, serial, name, status });
        }
        found
    }

    /// Returns the way to a device, and the simulator that it is.
    async fn way(&self, serial: &str) -> Result<(Way, Options, Option<Simulator>), Error> {
        let mut options = self.options.clone();
        if let Some(name) = serial.strip_prefix(SIMULATOR) {
            let simulator = Simctl::new(&options.xcrun).find(name).await?;
            return Ok((Way::Host("127.0.0.1".to_owned()), options, Some(simulator)));
        }
        if is_url(serial) {
            let (host, port) = address(serial, options.port)?;
            options.port = port;
            return Ok((Way::Host(host), options, None));
        }
        Ok((Way::Usb(options.usbmux.clone(), serial.to_owned()), options, None))
    }
}

#[async_trait]
impl driver::Platform for Platform {
    fn name(&self) -> &'static str {
        crate::PLATFORM
    }

    fn seek(&self, serial: &str) {
        let serial = serial.trim_end_matches('/');
        let mut sought = self.sought.lock();
        if (is_url(serial) || serial.starts_with(SIMULATOR)) && !sought.iter().any(|known| known == serial) {
            sought.push(serial.to_owned());
        }
    }

    fn absent(&self) -> Option<Error> {
        let why = self.no_simulators.lock().clone().or_else(|| self.failure.lock().clone());
        // Where others are there, whoever asks for one names them.
        let none = || (!self.has_some.load(Ordering::Relaxed)).then(|| NONE.to_owned());
        why.or_else(none).map(|message| Error::Disconnected { message })
    }

    async fn list(&self) -> Result<Vec<DeviceInfo>, Error> {
        let (usb, network, simulated) = tokio::join!(self.on_usb(), self.on_network(), self.simulated());
        let found = [usb, network, simulated].concat();
        self.has_some.store(!found.is_empty(), Ordering::Relaxed);
        Ok(found)
    }

    async fn open(&self, device: &DeviceInfo) -> Result<Arc<dyn Driver>, Error> {
        let (way, options, simulator) = self.way(&device.serial).await?;
        if let Some(simulator) = &simulator {
            simulator.boot().await?;
        }
        let udid = simulator.as_ref().map_or(&device.serial, |simulator| &simulator.udid).clone();
        let mut phone = Phone::new(device.clone(), way, options, simulator);
        match (phone.wda().status().await, &self.options.start) {
            (Ok(_), _) => {}
            (Err(_), Some(command)) => phone.keep(Started::begin(command, &udid, phone.wda()).await?),
            (Err(miss), None) => return Err(miss.into()),
        }
        Ok(Arc::new(phone))
    }

    fn changes(&self) -> Option<watch::Receiver<u64>> {
        let begin = || {
            let (count, changes) = watch::channel(0);
            let mux = self.options.usbmux.clone();
            // It ends with whoever listens.
            tokio::spawn(async move {
                tokio::select! {
                    () = follow(&mux, &count) => {}
                    () = count.closed() => {}
                }
            });
            changes
        };
        Some(self.changes.get_or_init(begin).clone())
    }
}

/// Counts the changes of what is on USB, also of a multiplexer that comes later.
async fn follow(mux: &Address, count: &watch::Sender<u64>) {
    loop {
        let _ = mux.listen(|| count.send_modify(|count| *count += 1)).await;
        tokio::time::sleep(AGAIN).await;
    }
}

/// What is said where no iPhone is there.
const NONE: &str = "no iPhone is connected: plug one in, unlock it, and tap Trust on it, or name one by its address \
                    (`--device ios:http://HOST:8100`)";

fn is_url(serial: &str) -> bool {
    serial.starts_with("http://") || serial.starts_with("https://")
}

/// Reads `http://HOST[:PORT]`.
fn address(url: &str, usual: u16) -> Result<(String, u16), Error> {
    let wrong = || Error::Disconnected {
        message: format!("`{url}` is no address of WebDriverAgent: write http://HOST:{usual}"),
    };
    let rest = url.strip_prefix("http://").ok_or_else(wrong)?.trim_end_matches('/');
    let (host, port) = match rest.strip_prefix('[') {
        Some(rest) => {
            let (host, port) = rest.split_once(']').ok_or_else(wrong)?;
            (host, port.strip_prefix(':'))
        }
        None => rest.rsplit_once(':').map_or((rest, None), |(host, port)| (host, Some(port))),
    };
    let port = match port {
        None => usual,
        Some(port) => port.parse().map_err(|_| wrong())?,
    };
    let is_host = !host.is_empty() && !host.contains(['/', '@', '?', '#', ' ']);
    if is_host { Ok((host.to_owned(), port)) } else { Err(wrong()) }
}

async fn of_usb(udid: String, options: Options) -> DeviceInfo {
    let way = Way::Usb(options.usbmux.clone(), udid.clone());
    let (about, (status, _)) = tokio::join!(lockdown::about(&options.usbmux, &udid), status(&way, &options));
    let more = [&about.model, &about.version].into_iter().filter(|word| !word.is_empty());
    let more = more.map(String::as_str).collect::<Vec<_>>().join(", iOS ");
    let name = match (about.name.is_empty(), more.is_empty()) {
        (true, _) => udid.clone(),
        (false, true) => about.name,
        (false, false) => format!("{}, {more}", about.name),
    };
    DeviceInfo { platform: crate::PLATFORM, serial: udid, name, status }
}

async fn of_url(url: String, mut options: Options) -> DeviceInfo {
    let named =
        |name: String, status: String| DeviceInfo { platform: crate::PLATFORM, serial: url.clone(), name, status };
    match address(&url, options.port) {
        Err(error) => named(url.clone(), error.to_string()),
        Ok((host, port)) => {
            options.port = port;
            let (status, about) = status(&Way::Host(host), &options).await;
            let given = options.name.filter(|_| options.urls.contains(&url));
            named(given.or(about).unwrap_or_else(|| url.clone()), status)
        }
    }
}

/// Returns whether `WebDriverAgent` answers, or what is missing in a word, and what the phone is.
async fn status(way: &Way, options: &Options) -> (String, Option<String>) {
    let told = match Wda::new(way.clone(), options.clone()).probe().await {
        Ok(answer) if (200..300).contains(&answer.status) => {
            serde_json::from_slice::<serde_json::Value>(&answer.body).unwrap_or_default()["value"].take()
        }
        Ok(_) => return (OTHER.to_owned(), None),
        Err(failure) => return (word(&failure).to_owned(), None),
    };
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let (kind, version) = (text(&told["device"]), text(&told["os"]["version"]));
    let kind = match kind.as_str() {
        "" | "iphone" => "iPhone",
        "ipad" => "iPad",
        other => other,
    };
    let about = if version.is_empty() { kind.to_owned() } else { format!("{kind}, iOS {version}") };
    let is_ready = told["ready"] != serde_json::Value::Bool(false);
    (if is_ready { ONLINE } else { "not ready" }.to_owned(), Some(about))
}

/// Says in a word what is missing.
fn word(failure: &stream::Failure) -> &'static str {
    match failure {
        stream::Failure::Unreached(Unreached::Refused(_) | Unreached::Usb(Failure::Refused)) => NO_WDA,
        stream::Failure::Unreached(Unreached::Usb(Failure::NoPhone)) => "unplugged",
        stream::Failure::Unreached(_) => "unreachable",
        stream::Failure::Unanswered | stream::Failure::Late(_) => "silent",
        stream::Failure::TooLong(_) | stream::Failure::Garbage(_) => OTHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        for (url, host, port) in [
            ("http://10.0.0.7:8101", "10.0.0.7", 8101),
            ("http://phone.local", "phone.local", 8100),
            ("http://[::1]:9/", "::1", 9),
            ("http://[fe80::1]", "fe80::1", 8100),
        ] {
            assert_eq!(address(url, 8100).unwrap(), (host.to_owned(), port), "{url}");
        }
        for url in ["https://a", "http://", "http://a:b", "http://a/b", "http://u@h:1", "http://[::1", "http://a:99999"]
        {
            assert!(address(url, 8100).is_err(), "{url}");
        }
    }
}
