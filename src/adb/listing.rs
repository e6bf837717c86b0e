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

/// Reads the list; lines without a serial and a state are skipped, unknown attributes too.
pub(super) fn parse(text: &str) -> Vec<Listed> {
    text.lines().filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<Listed> {
    let (serial, rest) = line.trim().split_once(char::is_whitespace)?;
    let mut listed = Listed { serial: serial.to_owned(), ..Listed::default() };
    let mut state = Vec::new();
    for word in rest.split_whitespace() {
        match word.split_once(':') {
            Some(("model", model)) => model.clone_into(&mut listed.model),
            Some(("product", product)) => product.clone_into(&mut listed.product),
            Some(("usb" | "device" | "features" | "devpath" | "transport_id", _)) => {}
            _ => state.push(word),
        }
    }
    listed.state = state.join(" ");
    (!listed.state.is_empty() && listed.serial != "List").then_some(listed)
}

#[cfg(test)]
mod tests {
    use super::*;

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
