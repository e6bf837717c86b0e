//! `hidumper -s SERVICE -a 'ARGUMENTS'`: what services tell of the screen, the windows, the power.

use std::io;

use super::super::tree::{SCENEBOARD, bundle_of};
use super::words::value;
use crate::commands::Call;
use crate::system::System;

pub(crate) async fn hidumper(call: &mut Call<'_>) -> io::Result<String> {
    let words = std::mem::take(&mut call.arguments);
    let Some(service) = value(&words, "-s") else {
        return Ok("usage: hidumper -s SERVICE -a 'ARGUMENTS'\n".to_owned());
    };
    let body = {
        let system = call.handset().system.lock().await;
        told(&system, service)
    };
    let rule = "-".repeat(33);
    let body = body.unwrap_or_else(|| "Service not found\n".to_owned());
    Ok(format!(
        "\n-------------------------------[ability]-------------------------------\n\n\n{rule}{service}{rule}\n{body}"
    ))
}

fn told(system: &System, service: &str) -> Option<String> {
    let (width, height) = system.size();
    let is_lit = system.is_screen_on();
    Some(match service {
        "RenderService" => format!(
            "-- ScreenInfo\nscreen[0]: id=0, powerStatus={}, backlight=100, screenType=EXTERNAL_TYPE, \
             render size: {width}x{height}, physical resolution: {width}x{height}, isVirtual=false\n  \
             supportedMode[0]: {width}x{height}, refreshrate=60\n  activeMode: {width}x{height}, refreshrate=60\n",
            if is_lit { "POWER_STATUS_ON" } else { "POWER_STATUS_OFF" }
        ),
        "DisplayManagerService" => format!(
            "---------------- Screen ID: 0 ----------------\nScreenName: UNKNOWN\nWidth: {width}\nHeight: {height}\n\
             DPI<X, Y>: 560, 560\nRotation: {}\n",
            system.rotation()
        ),
        "WindowManagerService" => windows(system),
        "PowerManagerService" => {
            let state = if is_lit { "AWAKE" } else { "INACTIVE" };
            let screen = if is_lit { "DISPLAY_ON" } else { "DISPLAY_OFF" };
            format!(
                "POWER STATE DUMP:\nCurrent State: {state}  Reason: 20  Time: 1\nLast State: {state}\nDISPLAY: {screen}\n"
            )
        }
        "ScreenlockService" => {
            let locked = system.is_locked();
            format!(
                "\n - screenlock system state\tvalue\t\tdescription\n \
                 * screenLocked  \t\t{locked}\t\twhether there is lock screen status\n \
                 * systemReady  \t\ttrue\t\twhether the system is ready or not\n \
                 * screenState  \t\t{}\t\tscreen on / off status\n",
                if is_lit { 2 } else { 0 }
            )
        }
        "BatteryService" => {
            "Current time: 0\ncapacity: 100 \ncapacityLevel: 1 \nremainEnergy: 0 \nchargingStatus: 3 \n\
             healthState: 1 \npluggedType: 2 \nvoltage: 4350000 \npresent: 1 \ntemperature: 25 \n"
                .to_owned()
        }
        _ => return None,
    })
}

/// Lists the windows; `Focus window` names the one with the focus.
fn windows(system: &System) -> String {
    let (width, height) = system.size();
    let app = system.front.as_deref().filter(|_| !system.is_locked());
    let front = app.map_or(SCENEBOARD, bundle_of);
    let number = if app.is_some() { 71 } else { 5 };
    format!(
        "WindowName           DisplayId Pid     WinId Type Mode Flag ZOrd Orientation [ x    y    w    h    ]\n\
         {front:<20} 0         1         {number:<5} 1    1    0    101  0           [ 0    0    {width} {height} ]\n\
         Focus window: {number}\nTotal window num: 1\n"
    )
}
