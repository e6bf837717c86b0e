//! The phone's port 62078, as far as it answers in the clear: `QueryType` and `GetValue`. Source: libimobiledevice `lockdown.c`.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::plist::{self, Plist};
use super::session::VERSION;
use crate::adb::service::Stream;

/// The port that every iPhone has.
pub(super) const PORT: u16 = 62078;
/// Bytes of a request.
const LARGEST: u32 = 1 << 20;

/// What the phone says of itself.
pub(super) struct Facts {
    pub(super) udid: String,
    pub(super) name: String,
}

/// Answers requests until the client leaves.
pub(super) async fn serve(facts: &Facts, mut stream: Stream) -> io::Result<()> {
    loop {
        let length = stream.read_u32().await?;
        if length > LARGEST {
            return Ok(());
        }
        let mut bytes = vec![0; length as usize];
        stream.read_exact(&mut bytes).await?;
        let answer = answer(facts, &String::from_utf8_lossy(&bytes));
        stream.write_u32(u32::try_from(answer.len()).unwrap_or(0)).await?;
        stream.write_all(answer.as_bytes()).await?;
    }
}

fn answer(facts: &Facts, text: &str) -> String {
    let message = plist::read(text).unwrap_or_default();
    let request = plist::of(&message, "Request").unwrap_or_default();
    let mut told = vec![("Request", Plist::Text(request))];
    match request {
        "QueryType" => told.push(("Type", Plist::Text("com.apple.mobile.lockdown"))),
        "GetValue" => {
            let key = plist::of(&message, "Key");
            told.extend(key.map(|key| ("Key", Plist::Text(key))));
            let all = values(facts);
            match (plist::of(&message, "Domain"), key) {
                (Some(_), _) => told.push(("Error", Plist::Text("MissingValue"))),
                (None, None) => told.push(("Value", Plist::Map(all))),
                (None, Some(key)) => {
                    let value = all.into_iter().find(|(known, _)| *known == key);
                    told.push(value.map_or(("Error", Plist::Text("MissingValue")), |(_, value)| ("Value", value)));
                }
            }
        }
        "StartSession" | "StopSession" => told.push(("Error", Plist::Text("InvalidHostID"))),
        "Pair" => told.push(("Error", Plist::Text("PairingDialogResponsePending"))),
        "StartService" => told.push(("Error", Plist::Text("SessionInactive"))),
        _ => told.push(("Error", Plist::Text("UnknownRequest"))),
    }
    Plist::Map(told).document()
}

fn values(facts: &Facts) -> Vec<(&str, Plist<'_>)> {
    vec![
        ("BuildVersion", Plist::Text("22F76")),
        ("CPUArchitecture", Plist::Text("arm64e")),
        ("DeviceClass", Plist::Text("iPhone")),
        ("DeviceName", Plist::Text(&facts.name)),
        ("HardwareModel", Plist::Text("D27AP")),
        ("ProductName", Plist::Text("iPhone OS")),
        ("ProductType", Plist::Text("iPhone14,7")),
        ("ProductVersion", Plist::Text(VERSION)),
        ("UniqueDeviceID", Plist::Text(&facts.udid)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_values_are_told_to_everybody() {
        let facts = Facts { udid: "u".to_owned(), name: "n".to_owned() };
        let ask = |entries: Vec<(&str, Plist)>| plist::read(&answer(&facts, &Plist::Map(entries).document())).unwrap();
        let request = |name| ("Request", Plist::Text(name));
        let version = ask(vec![request("GetValue"), ("Key", Plist::Text("ProductVersion"))]);
        assert_eq!(plist::of(&version, "Value"), Some(VERSION));
        let missing = ask(vec![request("GetValue"), ("Key", Plist::Text("Nothing"))]);
        assert_eq!(plist::of(&missing, "Error"), Some("MissingValue"));
        assert_eq!(plist::of(&ask(vec![request("StartSession")]), "Error"), Some("InvalidHostID"));
    }
}
