//! The first packets to an adbd → what it is: version, features, name; or why it does not talk to this computer.
//!
//! Source: AOSP `packages/modules/adb/protocol.txt` and `adb.cpp` (banners).

use std::io;

use tokio::io::AsyncRead;
use tokio::time::timeout;

use super::keys::{Keys, Ring};
use super::sink::Sink;
use super::timeouts;
use crate::error::{Error, broken};
use crate::packet::{self, Command, MAX_PAYLOAD, MIN_PAYLOAD, Packet, VERSION};
use crate::public_key::TOKEN;

/// What this side can do.
const FEATURES: [&str; 3] = ["shell_v2", "cmd", "stat_v2"];
/// Packets that are taken before the connection stands.
const MOST_PACKETS: usize = 100;
/// Kinds of `AUTH`.
const TOKEN_KIND: u32 = 1;
const SIGNATURE_KIND: u32 = 2;
const PUBLIC_KEY_KIND: u32 = 3;

/// What an adbd tells of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hello {
    /// `device`, `recovery`, `sideload`, `bootloader`, …
    pub(super) state: String,
    pub(super) product: String,
    pub(super) model: String,
    /// What both sides can do.
    pub(super) features: Vec<String>,
    /// Bytes of a packet's payload at most.
    pub(super) max_payload: usize,
    /// Whether payloads carry sums, as before Android 9.
    pub(super) sums: bool,
}

/// Says hello; `ask` is called when the phone asks its owner whether to trust this computer.
pub(super) async fn greet<R: AsyncRead + Unpin>(
    from: &mut R,
    to: &mut dyn Sink,
    ring: &Ring,
    serial: &str,
    ask: impl Fn(&Keys),
) -> Result<Hello, Error> {
    let peer = format!("device `{serial}`");
    let told = |error: io::Error| broken(&peer, &error);
    let banner = format!("host::features={}", FEATURES.join(","));
    let most = u32::try_from(MAX_PAYLOAD).unwrap_or(u32::MAX);
    to.send(&Packet::new(Command::Connect, VERSION, most, banner), true).await.map_err(told)?;
    let (mut tried, mut asked) = (0, false);
    for _ in 0..MOST_PACKETS {
        let after = if asked { timeouts::DIALOG } else { timeouts::ANSWER };
        let packet = timeout(after, packet::read(from, false)).await;
        let late = || match asked {
            true => Error::Timeout { after },
            false => Error::Unreachable {
                serial: serial.to_owned(),
                reason: format!("no adb handshake within {} s", after.as_secs_f64()),
            },
        };
        let packet = packet.map_err(|_| late())?.map_err(told)?;
        let Some(packet) = packet else { return Err(Error::Vanished { peer }) };
        match packet.command {
            Command::Connect => return Ok(read_hello(&packet)),
            Command::Encrypt => return Err(Error::Encrypted { serial: serial.to_owned() }),
            Command::Authorize if packet.first == TOKEN_KIND && !asked => {
                let keys = ring.keys().await?;
                asked = tried == keys.count();
                to.send(&proof(&keys, tried, &packet.payload)?, true).await.map_err(told)?;
                if asked {
                    ask(&keys);
                }
                tried += 1;
            }
            // What is left of a connection before this one.
            _ => {}
        }
    }
    Err(Error::Protocol { message: format!("device `{serial}` does not answer the first packet") })
}

/// Answers a token: signed by each key in turn, then with the public key, about which the phone asks its owner.
fn proof(keys: &Keys, tried: usize, token: &[u8]) -> Result<Packet, Error> {
    if tried >= keys.count() {
        return Ok(Packet::new(Command::Authorize, PUBLIC_KEY_KIND, 0, format!("{}\0", keys.public())));
    }
    let signature = if token.len() == TOKEN { keys.sign(tried, token) } else { None };
    let unsigned = || Error::Protocol { message: format!("a token of {} bytes, not {TOKEN}", token.len()) };
    Ok(Packet::new(Command::Authorize, SIGNATURE_KIND, 0, signature.ok_or_else(unsigned)?))
}

/// Reads a banner such as `device::ro.product.name=tokay;ro.product.model=Pixel 9;features=shell_v2,cmd`.
fn read_hello(packet: &Packet) -> Hello {
    let text = String::from_utf8_lossy(&packet.payload);
    let mut parts = text.trim_end_matches('\0').splitn(3, ':');
    let state = parts.next().unwrap_or_default().to_owned();
    let properties = parts.nth(1).unwrap_or_default();
    let property = |name: &str| {
        let mut pairs = properties.split(';').filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned()).unwrap_or_default()
    };
    let features = property("features");
    Hello {
        state,
        product: property("ro.product.name"),
        model: property("ro.product.model"),
        features: features.split(',').filter(|name| FEATURES.contains(name)).map(str::to_owned).collect(),
        max_payload: (packet.second as usize).clamp(MIN_PAYLOAD, MAX_PAYLOAD),
        sums: packet.first < VERSION,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banners_are_read() {
        let banner = "device::ro.product.name=tokay;ro.product.model=Pixel 9;ro.product.device=tokay;\
                      features=shell_v2,cmd,stat_v2,ls_v2,delayed_ack\0";
        let hello = read_hello(&Packet::new(Command::Connect, VERSION, 1 << 20, banner));
        assert_eq!(
            (hello.state.as_str(), hello.model.as_str(), hello.product.as_str()),
            ("device", "Pixel 9", "tokay")
        );
        assert_eq!(hello.features, ["shell_v2", "cmd", "stat_v2"]);
        assert_eq!((hello.max_payload, hello.sums), (MAX_PAYLOAD, false));
        // As Android 4 says it.
        let hello = read_hello(&Packet::new(Command::Connect, 0x0100_0000, 4096, "device::\0"));
        assert_eq!((hello.features.len(), hello.max_payload, hello.sums), (0, 4096, true));
        let hello = read_hello(&Packet::new(Command::Connect, 0, 0, "\u{fffd}"));
        assert_eq!(hello.max_payload, MIN_PAYLOAD);
    }
}
