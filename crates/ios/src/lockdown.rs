//! What a phone says of itself to anybody (`lockdownd`, port 62078): its name, model and version, without pairing.
//!
//! A message is its length in 32 bits, highest byte first, and a property list. Source: libimobiledevice, `src/lockdown.c`.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use crate::plist::{self, Entry};
use crate::stream::Stream;
use crate::usbmux::Address;

const PORT: u16 = 62078;
/// Bytes of an answer.
const LONGEST: usize = 1 << 20;
/// How long a phone may take to answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// What a phone is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct About {
    /// What its owner calls it.
    pub(crate) name: String,
    /// `iPhone15,2`.
    pub(crate) model: String,
    /// `17.5.1`.
    pub(crate) version: String,
}

/// Asks a phone what it is; what it does not tell in time is empty.
pub(crate) async fn about(mux: &Address, udid: &str) -> About {
    let asking = async {
        let mut stream = mux.stream(udid, PORT).await.ok()?;
        Some(About {
            name: value(&mut stream, "DeviceName").await?,
            model: value(&mut stream, "ProductType").await?,
            version: value(&mut stream, "ProductVersion").await?,
        })
    };
    timeout(PATIENCE, asking).await.ok().flatten().unwrap_or_default()
}

async fn value(stream: &mut Box<dyn Stream>, key: &str) -> Option<String> {
    let entries = [("Label", Entry::Text("uixt")), ("Request", Entry::Text("GetValue")), ("Key", Entry::Text(key))];
    let body = plist::write(&entries);
    let length = u32::try_from(body.len()).ok()?;
    stream.write_all(&[&length.to_be_bytes()[..], body.as_bytes()].concat()).await.ok()?;
    let mut head = [0; 4];
    stream.read_exact(&mut head).await.ok()?;
    let length = usize::try_from(u32::from_be_bytes(head)).ok().filter(|length| *length <= LONGEST)?;
    let mut answer = vec![0; length];
    stream.read_exact(&mut answer).await.ok()?;
    let answer = String::from_utf8(answer).ok()?;
    let document = plist::document(&answer).ok()?;
    Some(plist::text(plist::root(&document)?, "Value").unwrap_or_default().to_owned())
}
