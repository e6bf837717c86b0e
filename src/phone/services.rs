//! The services of the virtual phone, as an adbd offers them: `shell`, `exec`, `sync`; every other one is refused in words.
//!
//! Knows streams, not sockets: an adb server and an adbd serve the same ones. Names follow AOSP's
//! `packages/modules/adb/SERVICES.TXT` and `daemon/services.cpp`.

use std::sync::Arc;

use async_trait::async_trait;

use super::handset::Handset;
use super::{properties, session, transfer};
use crate::adb::server::{Description, Device, Service};

/// What the phone's services say they can do.
const FEATURES: [&str; 3] = ["shell_v2", "cmd", "stat_v2"];

/// A phone's services.
pub(super) struct Services {
    handset: Arc<Handset>,
}

impl Services {
    pub(super) fn new(handset: Arc<Handset>) -> Self {
        Self { handset }
    }
}

#[async_trait]
impl Device for Services {
    fn serial(&self) -> &str {
        &self.handset.options.serial
    }

    fn description(&self) -> Description {
        Description {
            product: properties::PRODUCT.to_owned(),
            model: properties::MODEL.replace(' ', "_"),
            device: properties::DEVICE.to_owned(),
        }
    }

    fn features(&self) -> &[&str] {
        &FEATURES
    }

    async fn open(&self, service: &str) -> Result<Service, String> {
        let handset = self.handset.clone();
        if let Some(kind) = session::Kind::of(service) {
            return Ok(Box::new(move |stream| Box::pin(session::run(handset, kind, stream))));
        }
        if service == "sync:" {
            return Ok(Box::new(move |stream| Box::pin(transfer::run(handset.files.clone(), stream))));
        }
        if let Some(text) = spoken(service) {
            return Ok(Box::new(move |stream| Box::pin(session::say(text, stream))));
        }
        Err(refusal(service))
    }
}

/// Services whose whole answer is a sentence on their stream.
fn spoken(service: &str) -> Option<String> {
    let name = service.split(':').next().unwrap_or_default();
    Some(match name {
        "root" => "adbd cannot run as root in production builds\n".to_owned(),
        "unroot" => "adbd not running as root\n".to_owned(),
        "remount" => "Not running as root. Try \"adb root\" first.\n".to_owned(),
        "disable-verity" | "enable-verity" => "verity cannot be disabled/enabled - USER build\n".to_owned(),
        _ => return None,
    })
}

fn refusal(service: &str) -> String {
    let name = service.split(':').next().unwrap_or_default();
    match name {
        "tcpip" | "usb" => format!("'{name}' is not supported by the virtual phone"),
        "reboot" => "the virtual phone cannot reboot; stop it and start it again".to_owned(),
        "reverse" => "reverse forwarding is not supported by the virtual phone".to_owned(),
        "framebuffer" => "framebuffer is not supported by the virtual phone: use screencap".to_owned(),
        _ => "closed".to_owned(),
    }
}
