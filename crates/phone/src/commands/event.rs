//! `getevent` and `sendevent`: the kernel's input devices. Source: AOSP `system/core/toolbox/getevent.c`, `external/toybox` `sendevent`.

use std::fmt::Write as _;
use std::io;

use tokio::sync::broadcast::error::RecvError;

use super::call::Call;
use crate::evdev::{ABS, Deed, Event, KEY, KEYS, LARGEST, LAST_SLOT, NAMES, SLOT, TRACKING_ID, X, Y};

/// How the paths of devices begin.
const PATH: &str = "/dev/input/event";
const BTN_TOUCH: u16 = 0x14a;

/// Tells of devices (`-p`), or of what happens at them, with its time (`-t`), until nobody reads on.
pub(super) async fn getevent(call: &mut Call<'_>) -> io::Result<u8> {
    let switches = match call.switches("tpq") {
        Ok(switches) => switches,
        Err(unknown) => {
            return call.fail(1, &format!("getevent: -{unknown} is not supported by the virtual phone")).await;
        }
    };
    let only = match call.arguments.first() {
        Some(path) => match number(path) {
            Some(device) => Some(device),
            None => return call.fail(1, &format!("could not open {path}, No such file or directory")).await,
        },
        None => None,
    };
    let is_meant = |device: usize| only.is_none_or(|only| only == device);
    let has = |switch: char| switches.contains(switch);
    let mut events = call.handset().evdev.events();
    if has('p') || only.is_none() && !has('q') {
        let devices = (0..NAMES.len()).filter(|device| is_meant(*device));
        call.out(devices.map(|device| described(device, has('p'))).collect::<String>()).await?;
    }
    if has('p') {
        return Ok(0);
    }
    loop {
        match events.recv().await {
            Ok(event) if is_meant(event.device) => call.out(shown(&event, has('t'), only.is_none())).await?,
            // What runs over is lost, as in the kernel.
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return Ok(0),
        }
    }
}

/// Writes an event: `sendevent DEVICE TYPE CODE VALUE`.
pub(super) async fn sendevent(call: &mut Call<'_>) -> io::Result<u8> {
    let [path, rest @ ..] = call.arguments.as_slice() else {
        return call.fail(1, "sendevent: Needs 4 arguments (see \"sendevent --help\")").await;
    };
    let Some(device) = number(path) else {
        return call.fail(1, &format!("sendevent: {path}: No such file or directory")).await;
    };
    let numbers: Option<Vec<i64>> = rest.iter().map(|word| word.parse().ok()).collect();
    let Some(&[kind, code, value]) = numbers.as_deref() else {
        return call.fail(1, "sendevent: Needs 4 arguments, the last three whole numbers").await;
    };
    let narrow = |number: i64| u16::try_from(number).unwrap_or(u16::MAX);
    // A tracking id of -1 may be written without its sign.
    let value = i32::try_from(value).unwrap_or(if value > 0 { -1 } else { i32::MIN });
    let event = Event { device, at: call.shell.moment(), kind: narrow(kind), code: narrow(code), value };
    let (size, quarters) = {
        let system = call.handset().system.lock().await;
        let (size, quarters) = (system.size(), system.rotation());
        (if quarters % 2 == 1 { (size.1, size.0) } else { size }, quarters)
    };
    let deeds = call.handset().evdev.write(event, size, quarters);
    call.handset()
        .act(async move |mut system| {
            for deed in deeds {
                match deed {
                    Deed::Motion(motion, at) => system.motion(motion, at, event.at).await,
                    Deed::Two(ways, lasted) => system.touch_with_two(ways, lasted),
                    Deed::Key(code) => system.key(code).await,
                }
            }
        })
        .await?;
    Ok(0)
}

/// Returns which device lies at a path.
fn number(path: &str) -> Option<usize> {
    path.strip_prefix(PATH)?.parse().ok().filter(|device| *device < NAMES.len())
}

fn described(device: usize, with_all: bool) -> String {
    let mut text = format!("add device {}: {PATH}{device}\n  name:     \"{}\"\n", device + 1, NAMES[device]);
    if !with_all {
        return text;
    }
    let axis = |largest: i32| format!(" : value 0, min 0, max {largest}, fuzz 0, flat 0, resolution 0");
    let axes = [(SLOT, LAST_SLOT), (X, LARGEST), (Y, LARGEST), (TRACKING_ID, 65_535)];
    let keys: Vec<u16> = if device == 0 { KEYS.iter().map(|(key, _)| *key).collect() } else { vec![BTN_TOUCH] };
    let keys: String = keys.iter().map(|key| format!(" {key:04x} ")).collect();
    let _ = writeln!(text, "  events:\n    KEY ({KEY:04x}):{keys}");
    if device == 0 {
        return text + "  input props:\n    <none>\n";
    }
    let axes = axes.map(|(code, largest)| format!(" {code:04x} {}", axis(largest)));
    let _ = writeln!(text, "    ABS ({ABS:04x}):{}", axes.join("\n               "));
    text + "  input props:\n    INPUT_PROP_DIRECT\n"
}

fn shown(event: &Event, with_time: bool, with_device: bool) -> String {
    let time = format!("[{:8}.{:06}] ", event.at / 1000, event.at % 1000 * 1000);
    let device = format!("{PATH}{}: ", event.device);
    let Event { kind, code, value, .. } = event;
    let (time, device) =
        (if with_time { time } else { String::new() }, if with_device { device } else { String::new() });
    format!("{time}{device}{kind:04x} {code:04x} {value:08x}\n")
}
