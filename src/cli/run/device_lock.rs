//! Phones that several cases may want → what only one of them uses at a time, and whether other machines reach it.

use std::net::IpAddr;

use crate::cli::device::devices::{Manner, NO_SERVER};
use crate::cli::device::spec::{Spec, Ways};

/// A device that one case uses at a time.
pub(super) struct DeviceLock {
    pub(super) name: String,
    /// Whether no other machine has the same one.
    pub(super) is_of_here: bool,
}

impl DeviceLock {
    /// Returns the lock of the phone that a SPEC names, or of the only one there is; none for what there can be many of.
    pub(super) fn of(spec: Option<Spec>, server: &str, ways: &Ways) -> Option<Self> {
        let is_of_here = is_here(server);
        match spec {
            Some(spec) if spec.can_be_many() => None,
            Some(Spec::Ios(name)) => {
                let name = name.unwrap_or_else(|| "the only iPhone".to_owned());
                let is_of_here = !name.starts_with("http://") || is_here(name.trim_start_matches("http://"));
                Some(Self { name: format!("device {name}"), is_of_here })
            }
            Some(Spec::Harmony(key)) => {
                let server = Manner::by(ways).harmony.address();
                let name = key.unwrap_or_else(|| "the only HarmonyOS phone".to_owned());
                Some(Self { name: format!("device {name} at {server}"), is_of_here: is_here(&server) })
            }
            Some(Spec::Android(Some(serial))) => {
                // Without a server it is reached over USB, or at its own address.
                let is_of_here = if server == NO_SERVER { is_here(&serial) } else { is_of_here };
                Some(Self { name: format!("device {serial} at {server}"), is_of_here })
            }
            _ => Some(Self { name: format!("the only device at {server}"), is_of_here }),
        }
    }
}

/// Tells whether an address is none of the network, but of this machine: `127.0.0.1:5037`, or a serial that is no address.
fn is_here(address: &str) -> bool {
    let Some((host, _)) = address.rsplit_once(':') else { return true };
    host == "localhost" || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_this_machine_are_its_own() {
        for here in ["127.0.0.1:5037", "localhost:5037", "[::1]:5037", "emulator-5554", "none"] {
            assert!(is_here(here), "{here}");
        }
        for elsewhere in ["192.168.0.7:5037", "rack.test:5037", "10.0.0.9:5555"] {
            assert!(!is_here(elsewhere), "{elsewhere}");
        }
    }
}
