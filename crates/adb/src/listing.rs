//! The lines of `adb devices -l`.

/// A device as the adb server lists it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    pub serial: String,
    /// In adb's words: `device` (online), `offline`, `unauthorized`, `recovery`, `no permissions (…)`, …
    pub state: String,
    /// Model with underscores for spaces (`Pixel_9`); empty where adb tells none.
    pub model: String,
    pub product: String,
}

impl Listed {
    pub fn is_online(&self) -> bool {
        self.state == "device"
    }
}

/// What a state begins with, in adb's words. Source: `packages/modules/adb`, `adb.cpp`, `to_string(ConnectionState)`.
const STATES: [&str; 15] = [
    "device",
    "offline",
    "unauthorized",
    "authorizing",
    "connecting",
    "bootloader",
    "host",
    "recovery",
    "rescue",
    "sideload",
    "detached",
    "unknown",
    "(unknown",
    "no permissions",
    "no device",
];

/// Reads the list; lines without a serial and a state are skipped, unknown attributes too.
pub(super) fn parse(text: &str) -> Vec<Listed> {
    text.lines().filter_map(parse_line).collect()
}

/// Reads a serial, filled up with blanks, a state, and attributes like `model:Pixel_9`.
///
/// Blanks are part of some serials: some makers' begin with one, and of two phones with one name in the local network, adb calls
/// the second `adb-X (2)._adb-tls-connect._tcp`.
fn parse_line(line: &str) -> Option<Listed> {
    let lead = line.len() - line.trim_start().len();
    let blanks = line.match_indices(char::is_whitespace).map(|(at, blank)| (at, at + blank.len()));
    let mut after_serial = blanks.filter(|(at, _)| *at > lead).peekable();
    let first = *after_serial.peek()?;
    let (end, start) = after_serial.find(|(_, start)| begins_with_state(&line[*start..])).unwrap_or(first);
    let mut listed = Listed { serial: line[..end].trim_end().to_owned(), ..Listed::default() };
    let mut state = Vec::new();
    for word in line[start..].split_whitespace() {
        match word.split_once(':') {
            Some(("model", model)) => model.clone_into(&mut listed.model),
            Some(("product", product)) => product.clone_into(&mut listed.product),
            Some((key, value)) if is_attribute(key, value) => {}
            _ => state.push(word),
        }
    }
    listed.state = state.join(" ");
    (!listed.state.is_empty() && listed.serial != "List").then_some(listed)
}

fn begins_with_state(text: &str) -> bool {
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || c == ';');
    STATES.iter().any(|state| text.strip_prefix(state).is_some_and(ends))
}

/// `transport_id:2`; not so the address in the text of a state, `[http://…]`.
fn is_attribute(key: &str, value: &str) -> bool {
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    is_key && !value.is_empty() && !value.starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_in_serials_and_new_attributes_are_read() {
        let read = |line: &str| parse(line).pop().map(|d| (d.serial, d.state, d.model));
        let of = |serial: &str, state: &str, model: &str| Some((serial.to_owned(), state.to_owned(), model.to_owned()));
        for (line, expected) in [
            // github.com/Genymobile/scrcpy/issues/3534: a tablet's serial begins with a blank.
            (" GS1012004          device usb:1-1 product:rk3288 model:rk3288", of(" GS1012004", "device", "rk3288")),
            (
                "adb-39A-Qf1 (2)._adb-tls-connect._tcp device model:M",
                of("adb-39A-Qf1 (2)._adb-tls-connect._tcp", "device", "M"),
            ),
            ("X\tdevice usb:1-1 negotiated_speed:480 max_speed:5000 model:M", of("X", "device", "M")),
            ("X  offline transport_id:1\r", of("X", "offline", "")),
            ("X  shut down model:M", of("X", "shut down", "M")),
            ("List of devices attached", None),
            ("daemon started successfully", of("daemon", "started successfully", "")),
            ("X", None),
            ("X  transport_id:1", None),
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
    }

    #[test]
    fn every_kind_of_line_is_read() {
        let text = "R58M123ABC             device usb:1-1 product:tokay model:Pixel_9 device:tokay transport_id:2\n\
                    127.0.0.1:5555\tdevice\n\
                    1A2B3C                 unauthorized usb:1-2 transport_id:3\n\
                    emulator-5554          offline transport_id:1\n\
                    ????????????           no permissions (user in plugdev group); see [http://developer.android.com/x] usb:3-1 transport_id:4\n\
                    \n\
                    nonsense\n";
        let read: Vec<_> = parse(text).into_iter().map(|d| (d.serial, d.state, d.model)).collect();
        let expected = [
            ("R58M123ABC", "device", "Pixel_9"),
            ("127.0.0.1:5555", "device", ""),
            ("1A2B3C", "unauthorized", ""),
            ("emulator-5554", "offline", ""),
            ("????????????", "no permissions (user in plugdev group); see [http://developer.android.com/x]", ""),
        ];
        assert_eq!(read, expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())));
    }
}
