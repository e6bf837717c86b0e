//! The devices of an adb server: which one a request means, and how they are listed.
//!
//! Knows neither sockets nor services. Source: AOSP `packages/modules/adb/transport.cpp` (`acquire_one_transport`, the lists).

use std::sync::Arc;

use futures_util::future::select_all;
use tokio::sync::watch;
use tokio::time::Instant;

use super::service::{Description, Device, restarted};

/// Every device, in the order of their transport ids, which count from 1.
pub(super) struct DeviceList {
    devices: Vec<Arc<dyn Device>>,
}

/// The device that a request means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target<'a> {
    /// Whichever there is, as long as there is one.
    Any,
    Serial(&'a str),
    /// A transport's id.
    Id(&'a str),
}

impl DeviceList {
    pub(super) fn new(devices: Vec<Arc<dyn Device>>) -> Self {
        Self { devices }
    }

    /// Finds a device and its transport id; what is refused is said in adb's words.
    pub(super) fn find(&self, target: Target<'_>) -> Result<(u64, &Arc<dyn Device>), String> {
        let mut all = (1..).zip(&self.devices);
        match target {
            Target::Any => match (all.next(), all.next()) {
                (Some(_), Some(_)) => Err("more than one device/emulator".to_owned()),
                (only, _) => only.ok_or_else(|| "no devices/emulators found".to_owned()),
            },
            Target::Serial(serial) => {
                all.find(|(_, device)| device.serial() == serial).ok_or_else(|| no_device(serial))
            }
            Target::Id(wanted) => all
                .find(|(id, _)| wanted.parse() == Ok(*id))
                .ok_or_else(|| format!("no device with transport id '{}'", printable(wanted))),
        }
    }

    /// Splits `host:…`, `host-serial:S:…`, `host-usb:…`, `host-local:…` and `host-transport-id:N:…` into the device that is
    /// meant and what is asked; `None` where the request is none of the host's.
    pub(super) fn host_request<'a>(&self, request: &'a str) -> Option<(Target<'a>, &'a str)> {
        let of_any = ["host:", "host-usb:", "host-local:"];
        if let Some(rest) = of_any.iter().find_map(|prefix| request.strip_prefix(prefix)) {
            return Some((Target::Any, rest));
        }
        if let Some(rest) = request.strip_prefix("host-serial:") {
            let (serial, rest) = self.split_serial(rest);
            return Some((Target::Serial(serial), rest));
        }
        let (id, rest) = request.strip_prefix("host-transport-id:")?.split_once(':')?;
        Some((Target::Id(id), rest))
    }

    /// Splits a serial from what follows; it may hold colons itself, so that a known one is taken off whole.
    fn split_serial<'a>(&self, text: &'a str) -> (&'a str, &'a str) {
        let rest_behind = |serial: &str| text.strip_prefix(serial).and_then(|rest| rest.strip_prefix(':'));
        let known = self.devices.iter().map(|device| device.serial()).max_by_key(|serial| {
            let found = rest_behind(serial).is_some();
            if found { serial.len() } else { 0 }
        });
        match known.and_then(|serial| Some((serial.len(), rest_behind(serial)?))) {
            Some((length, rest)) => (&text[..length], rest),
            None => text.rsplit_once(':').unwrap_or((text, "")),
        }
    }

    /// What `adb devices` shows, or `adb devices -l`; without the device of an index where one is missing.
    pub(super) fn list(&self, long: bool, missing: Option<usize>) -> String {
        let present = (1_u64..).zip(&self.devices).enumerate().filter(|(index, _)| Some(*index) != missing);
        let line = |id, device: &dyn Device| match long {
            true => long_line(id, device),
            false => format!("{}\tdevice\n", device.serial()),
        };
        present.map(|(_, (id, device))| line(id, device.as_ref())).collect()
    }

    /// What tells of devices that start anew from here on.
    pub(super) fn restarts(&self) -> Restarts {
        Restarts(self.devices.iter().map(|device| device.restarts()).collect())
    }
}

/// Tells of devices that start anew: of each one since this was made.
pub(super) struct Restarts(Vec<watch::Receiver<Option<Instant>>>);

impl Restarts {
    /// Returns the index of the device that starts anew next.
    pub(super) async fn next(&mut self) -> usize {
        if self.0.is_empty() {
            return std::future::pending().await;
        }
        select_all(self.0.iter_mut().map(|restarts| Box::pin(restarted(restarts)))).await.1
    }
}

fn long_line(id: u64, device: &dyn Device) -> String {
    let Description { product, model, device: name } = device.description();
    let (serial, model) = (device.serial(), model.replace(' ', "_"));
    format!("{serial:<22} device product:{product} model:{model} device:{name} transport_id:{id}\n")
}

pub(super) fn no_device(serial: &str) -> String {
    format!("device '{}' not found", printable(serial))
}

/// Cuts and cleans what came from outside, for a message.
pub(super) fn printable(text: &str) -> String {
    text.chars().take(100).map(|c| if c.is_control() { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;

    use super::*;
    use crate::service::{Host, Service};

    struct Named(&'static str);

    #[async_trait]
    impl Device for Named {
        fn serial(&self) -> &str {
            self.0
        }
        fn description(&self) -> Description {
            Description { product: "p".to_owned(), model: "my phone".to_owned(), device: "d".to_owned() }
        }
        fn features(&self) -> &[&str] {
            &[]
        }
        async fn open(&self, _: &str, _: Arc<dyn Host>) -> Result<Service, String> {
            Err("closed".to_owned())
        }
        fn restarts(&self) -> watch::Receiver<Option<Instant>> {
            watch::channel(None).1
        }
    }

    fn devices(serials: &[&'static str]) -> DeviceList {
        DeviceList::new(serials.iter().map(|serial| Arc::new(Named(serial)) as Arc<dyn Device>).collect())
    }

    #[test]
    fn a_serial_with_colons_is_taken_off_whole() {
        let devices = devices(&["127.0.0.1", "127.0.0.1:5555"]);
        let asks = |request| devices.host_request(request);
        let meant = Some((Target::Serial("127.0.0.1:5555"), "features"));
        assert_eq!(asks("host-serial:127.0.0.1:5555:features"), meant);
        assert_eq!(asks("host-serial:other:get-state"), Some((Target::Serial("other"), "get-state")));
        assert_eq!(asks("host-transport-id:1:features"), Some((Target::Id("1"), "features")));
        assert_eq!(asks("host:version"), Some((Target::Any, "version")));
        assert_eq!(asks("shell:ls"), None);
    }

    #[test]
    fn no_device_is_guessed_among_several() {
        let devices = devices(&["a", "b"]);
        let id = |target| devices.find(target).map(|(id, device)| (id, device.serial().to_owned()));
        assert_eq!(id(Target::Any), Err("more than one device/emulator".to_owned()));
        assert_eq!(id(Target::Serial("b")), Ok((2, "b".to_owned())));
        assert_eq!(id(Target::Id("1")), Ok((1, "a".to_owned())));
        assert_eq!(id(Target::Id("3")), Err("no device with transport id '3'".to_owned()));
        assert_eq!(devices.list(false, None), "a\tdevice\nb\tdevice\n");
        assert_eq!(devices.list(false, Some(0)), "b\tdevice\n");
        assert!(devices.list(true, None).contains("model:my_phone device:d transport_id:2\n"));
    }
}
