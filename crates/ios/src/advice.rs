//! Why `WebDriverAgent` cannot be reached → what is missing, and the command of this computer that brings it.

use crate::options::PORT;
use crate::stream::{Unreached, Way};
use crate::usbmux::{self, Address};

/// What is done to have `WebDriverAgent` run on a phone, from this computer.
const START: &str = if cfg!(target_os = "macos") {
    "start it: `xcodebuild test-without-building -project WebDriverAgent.xcodeproj -scheme WebDriverAgentRunner -destination id=UDID`, or \
     have uixt do so by `wda: {start: COMMAND}` in uixt.yaml (`uixt help ios`)"
} else {
    "start it: `ios runwda --udid UDID` (go-ios; from iOS 17 on beside `ios tunnel start --userspace`) or `tidevice -u UDID xctest -B …` (iOS \
     16 and earlier), or have uixt do so by `wda: {start: COMMAND}` in uixt.yaml (`uixt help ios`)"
};
/// What is done where there is no multiplexer.
const NO_MUX: &str = if cfg!(target_os = "macos") {
    "macOS starts it by itself when a phone is plugged in"
} else {
    "install and start `usbmuxd`, or name the phone by its address (`--device ios:http://HOST:8100`)"
};

/// Says why nothing reaches `WebDriverAgent` on a port, in a sentence.
pub(crate) fn unreached(why: &Unreached, way: &Way, port: u16) -> String {
    match (why, way) {
        (Unreached::Usb(failure), Way::Usb(address, udid)) => by_usb(failure, address, udid, port),
        (Unreached::Usb(failure), Way::Host(_)) => format!("{failure:?}"),
        (Unreached::Refused(why), Way::Host(host)) => {
            format!("no WebDriverAgent answers on {host}:{port} ({why}): {}", start())
        }
        (Unreached::Refused(why), Way::Usb(_, udid)) => {
            format!("WebDriverAgent on the phone {udid} does not take connections ({why}): {}", start())
        }
        (Unreached::NoHost(why), Way::Host(host)) => {
            format!("{host}:{port} cannot be reached: {why}; is the phone on this network?")
        }
        (Unreached::NoHost(why), Way::Usb(_, udid)) => format!("the phone {udid} cannot be reached: {why}"),
    }
}

/// Says why nothing reaches the pictures that `WebDriverAgent` sends on a port.
pub(crate) fn no_pictures(why: &Unreached, way: &Way, port: u16) -> String {
    if !matches!(why, Unreached::Refused(_) | Unreached::Usb(usbmux::Failure::Refused)) {
        return unreached(why, way, port);
    }
    format!(
        "nothing listens on port {port}, where WebDriverAgent sends its pictures: `mjpeg_port` in `config: {{ios: …}}` names another, \
         and whoever forwards port {PORT} has to forward that one, too"
    )
}

fn by_usb(failure: &usbmux::Failure, address: &Address, udid: &str, port: u16) -> String {
    match failure {
        usbmux::Failure::Absent(why) => no_multiplexer(address, why),
        usbmux::Failure::NoPhone => {
            format!("the phone {udid} is not on USB: plug it in, unlock it, and tap Trust on it")
        }
        usbmux::Failure::Refused => {
            format!("the phone {udid} is there, and no WebDriverAgent runs on its port {port}: {}", start())
        }
        usbmux::Failure::Odd(what) => format!("usbmuxd at {} is not understood: {what}", address.words()),
    }
}

/// Says that there is no multiplexer of phones on USB.
pub(crate) fn no_multiplexer(address: &Address, why: &str) -> String {
    format!("phones on USB cannot be reached, since usbmuxd does not answer at {} ({why}): {NO_MUX}", address.words())
}

/// Says how `WebDriverAgent` is started.
pub(crate) fn start() -> &'static str {
    START
}
