//! Input methods: which are there, which is typed with, another one.

use std::time::Duration;

use super::answer::{checked, failed, not_understood, own_lines, text};
use super::until::until;
use crate::adb::{Device, quote};
use crate::driver::{Error, InputMethods};

/// Tells the one in use, and all that are installed.
const LOOK: &str = "settings get secure default_input_method; ime list -s -a";
/// How long the device may take to switch.
const TIMEOUT: Duration = Duration::from_secs(5);

pub(super) async fn list(device: &Device) -> Result<InputMethods, Error> {
    let output = device.shell(LOOK).await?;
    let said = text(&output.stdout);
    parse(&said).ok_or_else(|| not_understood("ime list", "it lists no input method", &said))
}

/// Switches an installed one on and types with it, once the device says so.
pub(super) async fn set(device: &Device, id: &str) -> Result<(), Error> {
    choose(device, id).await?;
    let seen = until(TIMEOUT, || list(device), |methods| methods.current == id).await?;
    match seen.reached {
        true => Ok(()),
        false => Err(failed("ime set", &format!("{id} is not in use after {} s", TIMEOUT.as_secs()))),
    }
}

/// Asks the device to switch an installed one on and to type with it.
pub(super) async fn choose(device: &Device, id: &str) -> Result<(), Error> {
    let quoted = quote(id);
    checked("ime set", &device.shell(&format!("ime enable {quoted} && ime set {quoted}")).await?).map(drop)
}

/// Reads the answer to [`LOOK`]; `None` where it lists nothing, or nothing tells which is in use.
pub(super) fn parse(text: &str) -> Option<InputMethods> {
    let mut lines = own_lines(text);
    let current = match lines.next()? {
        "null" => String::new(),
        line if is_id(line) => line.to_owned(),
        _ => return None,
    };
    let installed: Vec<String> = lines.filter(|line| is_id(line)).map(str::to_owned).collect();
    (!installed.is_empty()).then_some(InputMethods { current, installed })
}

fn is_id(line: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c.is_control());
    line.split_once('/').is_some_and(|(package, class)| is_part(package) && is_part(class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_in_use_stands_first() {
        let methods = parse("com.x/.A\ncom.x/.A\ncom.y/.B\n").unwrap();
        assert_eq!((methods.current.as_str(), methods.installed.len()), ("com.x/.A", 2));
        assert_eq!(parse("null\ncom.y/.B\n").unwrap().current, "");
        let noisy = "WARNING: linker: libx.so: unused DT entry\r\ncom.x/.A\r\ncom.y/.B\r\n";
        assert_eq!(parse(noisy).unwrap().current, "com.x/.A");
        assert_eq!(parse("cmd: Failure calling service settings: Broken pipe (32)\ncom.y/.B\n"), None);
        assert_eq!(parse("null\nError: Could not access the service\n"), None);
    }
}
