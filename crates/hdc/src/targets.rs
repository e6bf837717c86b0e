//! The lines of `list targets -v` → phones and their state.

/// A phone of a server's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub key: String,
    /// `USB`, `TCP` or `UART`.
    pub way: String,
    pub state: State,
}

/// Whether a phone can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    Connected,
    /// The phone has not been asked yet, or not answered, whether it trusts this computer.
    Unauthorized,
    Offline,
    /// It is being connected.
    Ready,
    /// A word that is not known.
    Other(String),
}

/// Reads `KEY\t\tUSB\tConnected\tlocalhost\thdc`, one a line; servers without `-v` write the key alone.
pub(crate) fn parse(text: &str) -> Vec<Target> {
    text.lines().filter_map(target).collect()
}

fn target(line: &str) -> Option<Target> {
    let mut words = line.split_whitespace();
    let key = words.next().filter(|key| *key != "[Empty]")?.to_owned();
    let (way, state) = (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or("Connected"));
    let state = match state {
        "Connected" => State::Connected,
        "Unauthorized" => State::Unauthorized,
        "Offline" => State::Offline,
        "Ready" => State::Ready,
        other => State::Other(other.to_lowercase()),
    };
    Some(Target { key, way, state })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_is_read() {
        let of = |key: &str, way: &str, state| Target { key: key.to_owned(), way: way.to_owned(), state };
        let told = "FMR1\t\tUSB\tConnected\tlocalhost\thdc\r\n192.168.1.7:8710\t\tTCP\tOffline\tlocalhost\thdc\n\
                    COM3\t\tUART\tReady\tunknown...\thdc\nX\t\tUSB\tUnauthorized\tunknown...\thdc\nOld\n";
        let wanted = [
            of("FMR1", "USB", State::Connected),
            of("192.168.1.7:8710", "TCP", State::Offline),
            of("COM3", "UART", State::Ready),
            of("X", "USB", State::Unauthorized),
            of("Old", "", State::Connected),
        ];
        assert_eq!(parse(told), wanted);
        assert!(parse("[Empty]\r\n").is_empty() && parse("").is_empty());
    }
}
