//! `svc`: services that are switched on and off. Source: AOSP `frameworks/base/cmds/svc`, where `wifi`, `data` and `bluetooth` hand
//! their word on to the service, and say nothing.

use std::io;

use super::call::Call;
use crate::reboot::refusal;

const HELP: &str = "Available commands:
    help     Show information about the subcommands
    power    Control the power manager
    data     Control mobile data connectivity
    wifi     Control the Wi-Fi manager
    bluetooth Control Bluetooth service
";
const POWER_HELP: &str = "Control the power manager

usage: svc power stayon [true|false|usb|ac|wireless|dock]
         Set the 'keep awake while plugged in' setting.
       svc power reboot [reason]
         Perform a runtime shutdown and reboot device with specified reason.
";
const STAY_ON: &str = "global/stay_on_while_plugged_in";

pub(super) async fn svc(call: &mut Call<'_>) -> io::Result<u8> {
    let arguments = std::mem::take(&mut call.arguments);
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] | ["help" | "-h"] => call.done(HELP).await,
        ["power", "stayon", way] => match plugs(way) {
            Some(plugs) => set(call, STAY_ON, plugs).await,
            None => call.err(POWER_HELP).await.map(|()| 1),
        },
        ["power", "reboot", rest @ ..] => match refusal(rest.first().copied().unwrap_or_default()) {
            Some(reason) => call.fail(1, &reason).await,
            None => call.handset().reboot().await.map(|()| 0),
        },
        ["help", "power"] => call.done(POWER_HELP).await,
        ["power", ..] => call.err(POWER_HELP).await.map(|()| 1),
        [service @ ("data" | "wifi" | "bluetooth"), rest @ ..] => match (setting(service), rest) {
            (key, ["enable"]) => set(call, key, "1").await,
            (key, ["disable"]) => set(call, key, "0").await,
            _ => call.fail(1, &format!("usage: svc {service} [enable|disable]")).await,
        },
        [other, ..] => call.fail(1, &format!("svc: '{other}' is not supported by the virtual phone\n{HELP}")).await,
    }
}

/// Returns `BatteryManager.BATTERY_PLUGGED_*` for what keeps the screen on.
fn plugs(way: &str) -> Option<&'static str> {
    Some(match way {
        "true" => "15",
        "false" => "0",
        "ac" => "1",
        "usb" => "2",
        "wireless" => "4",
        "dock" => "8",
        _ => return None,
    })
}

fn setting(service: &str) -> &'static str {
    match service {
        "data" => "global/mobile_data",
        "wifi" => "global/wifi_on",
        _ => "global/bluetooth_on",
    }
}

async fn set(call: &Call<'_>, key: &str, value: &str) -> io::Result<u8> {
    call.handset().system.lock().await.settings.insert(key.to_owned(), value.to_owned());
    Ok(0)
}
