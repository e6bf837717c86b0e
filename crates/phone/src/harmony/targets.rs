//! The phones of a server: their list, and which one a client means.

use std::sync::Arc;

use parking_lot::Mutex;

use super::super::handset::Handset;
use super::forward::Forward;

/// A phone of the server.
pub(super) struct Target {
    pub(super) key: String,
    pub(super) handset: Arc<Handset>,
    pub(super) forwards: Mutex<Vec<Forward>>,
}

impl Target {
    pub(super) fn is(&self, fault: &str) -> bool {
        self.handset.harmony.faults.is(fault)
    }
}

/// Lists the phones, as `list targets` and `list targets -v` do (`HdcServer::BuildDaemonVisableLine`).
pub(super) fn list(targets: &[Arc<Target>], is_whole: bool) -> String {
    let mut lines = String::new();
    for target in targets {
        let (is_offline, is_unknown) = (target.is("offline"), target.is("unauthorized"));
        if is_whole {
            let state = match (is_offline, is_unknown) {
                (true, _) => "Offline",
                (_, true) => "Unauthorized",
                _ => "Connected",
            };
            lines.push_str(&format!("{}\t\tUSB\t{state}\tlocalhost\thdc\n", target.key));
        } else if !is_offline {
            lines.push_str(&target.key);
            lines.push_str(if is_unknown { "\tUnauthorized\n" } else { "\n" });
        }
    }
    if lines.is_empty() { "[Empty]\r\n".to_owned() } else { lines }
}

/// Finds the phone of a connect key; `any` is the only one. Errors: what the server says.
pub(super) fn find(targets: &[Arc<Target>], key: &str) -> Result<Arc<Target>, String> {
    const WHICH: &str = "ExecuteCommand need connect-key? please confirm a device by help info";
    let mut reached = targets.iter().filter(|target| !target.is("offline"));
    let target = match key {
        "" => return Err(WHICH.to_owned()),
        "any" => match (reached.next(), reached.next()) {
            (Some(only), None) => only,
            (None, _) => return Err("[E001005] Device not found or connected".to_owned()),
            _ => return Err(WHICH.to_owned()),
        },
        key => {
            let found = targets.iter().find(|target| target.key == key);
            found.ok_or("Not match target founded, check connect-key please")?
        }
    };
    if target.is("offline") {
        return Err("[E001005] Device not found or connected".to_owned());
    }
    if target.is("unauthorized") {
        let said = target.handset.harmony.faults.text("unauthorized");
        return Err(said.unwrap_or_else(|| {
            "[E000002]:The device unauthorized.\r\nThis server's public key is not set.\r\n\
             Please check for a confirmation dialog on your device.\r\nOtherwise try 'hdc kill' if that seems wrong."
                .to_owned()
        }));
    }
    if target.handset.harmony.faults.take("not_ready") {
        return Err("[E000004]:The communication channel is being established.\r\n\
                    Please wait for several seconds and try again."
            .to_owned());
    }
    Ok(target.clone())
}
