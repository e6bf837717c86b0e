//! The services of the virtual phone, as an adbd offers them; what it does not have is refused in words.
//!
//! Knows streams, not sockets: an adb server and an adbd serve the same ones. Names follow AOSP's
//! `packages/modules/adb/SERVICES.TXT` and `daemon/services.cpp`.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::watch;
use tokio::time::Instant;
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
            "track-jdwp" | "track-app" => Some(Box::new(move |stream| Box::pin(session::watch_nothing(stream)))),
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
            None => spoken(service).ok_or("closed")?.into_bytes(),
        };
        Ok(Box::new(move |stream| Box::pin(session::say(answer, stream))))
    }

    async fn ask(&self, fingerprint: &str, gone: &CancellationToken) -> Trust {
        debugging::ask(&self.handset, fingerprint, gone).await
    }

    fn restarts(&self) -> watch::Receiver<Option<Instant>> {
        self.handset.restarts()
    }
}

/// Services whose whole answer is a sentence on their stream, or nothing.
fn spoken(service: &str) -> Option<String> {
    let (name, argument) = service.split_once(':').unwrap_or((service, ""));
    let said = match name {
        "root" => "adbd cannot run as root in production builds\n",
        "unroot" => "adbd not running as root\n",
        "remount" => "Not running as root. Try \"adb root\" first.\n",
        "disable-verity" | "enable-verity" => "verity cannot be disabled/enabled - USER build\n",
        // A list of processes that a debugger could join.
        "jdwp" => "",
        // A device says that it restarts its adbd; nothing is said here that is not done.
        "usb" => "the virtual phone has no USB: its adbd stays where it listens\n",
        "tcpip" => return Some(moved(argument)),
        _ => return None,
    };
    Some(said.to_owned())
}

/// What `tcpip:PORT` is answered.
fn moved(port: &str) -> String {
    let number = port.parse::<i64>().unwrap_or(0);
    match u16::try_from(number) {
        Ok(1..) => format!("the virtual phone does not move its adbd: start it with --adbd-port {number}\n"),
        _ => format!("invalid port {number}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::spoken;

    #[test]
    fn what_cannot_be_done_is_said() {
        assert_eq!(spoken("jdwp").as_deref(), Some(""));
        assert_eq!(spoken("tcpip:0").as_deref(), Some("invalid port 0\n"));
        assert!(spoken("tcpip:5555").unwrap().contains("--adbd-port 5555\n"));
        assert!(spoken("usb:").is_some() && spoken("shellfish:").is_none());
    }
}
