//! The services of the virtual phone, as an adbd offers them; what it does not have is refused in words.
//!
//! Knows streams, not sockets: an adb server and an adbd serve the same ones. Names follow AOSP's
//! `packages/modules/adb/SERVICES.TXT` and `daemon/services.cpp`.

use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::handset::Handset;
use super::{debugging, framebuffer, properties, reboot, session, sockets, transfer};
use crate::adb::service::{Description, Device, Host, Service, Trust};

/// What the phone's services say they can do.
const FEATURES: [&str; 8] =
    ["shell_v2", "cmd", "stat_v2", "ls_v2", "fixed_push_mkdir", "abb", "abb_exec", "sendrecv_v2"];

/// A phone's services.
pub(super) struct Services {
    handset: Arc<Handset>,
}

impl Services {
    pub(super) fn new(handset: Arc<Handset>) -> Self {
        Self { handset }
    }

    /// Grants what reads or writes the phone for as long as it has its stream.
    fn lasting(&self, service: &str) -> Option<Service> {
        let handset = self.handset.clone();
        if let Some(kind) = session::Kind::of(service) {
            return Some(Box::new(move |stream| Box::pin(session::run(handset, kind, stream))));
        }
        match service {
            "sync:" => Some(Box::new(move |stream| Box::pin(transfer::run(handset.files.clone(), stream)))),
            "framebuffer:" => Some(Box::new(move |stream| Box::pin(framebuffer::run(handset, stream)))),
            _ => None,
        }
    }

    fn reboot(&self, target: &str) -> Result<Service, String> {
        if let Some(reason) = reboot::refusal(target) {
            return Err(reason);
        }
        let handset = self.handset.clone();
        Ok(Box::new(move |stream| {
            Box::pin(async move {
                let end = match handset.reboot().await {
                    Ok(()) => Vec::new(),
                    Err(error) => format!("the virtual phone did not start anew: {error}\n").into_bytes(),
                };
                session::say(end, stream).await;
            })
        }))
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
            model: properties::MODEL.to_owned(),
            device: properties::DEVICE.to_owned(),
        }
    }

    fn features(&self) -> &[&str] {
        &FEATURES
    }

    async fn open(&self, service: &str, host: Arc<dyn Host>) -> Result<Service, String> {
        if let Some(service) = self.lasting(service) {
            return Ok(service);
        }
        if let Some(target) = service.strip_prefix("reboot:") {
            return self.reboot(target);
        }
        if let Some(connected) = sockets::connect(&self.handset, service).await {
            return connected;
        }
        let answer = match service.strip_prefix("reverse:") {
            Some(request) => self.handset.reverses.answer(request, host).await?,
            None => spoken(service).ok_or_else(|| refusal(service))?.as_bytes().to_vec(),
        };
        Ok(Box::new(move |stream| Box::pin(session::say(answer, stream))))
    }

    async fn ask(&self, fingerprint: &str, gone: &CancellationToken) -> Trust {
        debugging::ask(&self.handset, fingerprint, gone).await
    }

    async fn restarted(&self) {
        self.handset.rebooted().await;
    }
}

/// Services whose whole answer is a sentence on their stream.
fn spoken(service: &str) -> Option<&'static str> {
    let name = service.split(':').next().unwrap_or_default();
    Some(match name {
        "root" => "adbd cannot run as root in production builds\n",
        "unroot" => "adbd not running as root\n",
        "remount" => "Not running as root. Try \"adb root\" first.\n",
        "disable-verity" | "enable-verity" => "verity cannot be disabled/enabled - USER build\n",
        _ => return None,
    })
}

fn refusal(service: &str) -> String {
    let name = service.split(':').next().unwrap_or_default();
    match name {
        "tcpip" | "usb" => format!("'{name}' is not supported by the virtual phone"),
        "jdwp" | "track-jdwp" | "track-app" => {
            "the virtual phone runs no processes that a debugger could join".to_owned()
        }
        _ => "closed".to_owned(),
    }
}
