//! A phone as a run finds it → the same again before each case: what one case leaves behind fails the next.

use std::collections::BTreeSet;
use std::time::Duration;

use parking_lot::Mutex;

use super::answer::own_lines;
use super::until::until;
use super::{Android, apps};
use crate::adb::quote;
use crate::driver::{Driver, Error, Reset};

/// What is put back, each as `settings get` names it, and what it is called.
const SETTINGS: [(&str, &str); 4] = [
    ("system accelerometer_rotation", "whether the screen turns by itself"),
    ("system user_rotation", "how the screen is turned"),
    ("secure default_input_method", "the keyboard"),
    ("global airplane_mode_on", "the airplane mode"),
];

/// How long a dialog of the system may take to close, and how many are closed.
const CLOSING: Duration = Duration::from_secs(3);
const MOST_DIALOGS: usize = 5;

/// What is known of a phone since the run began.
#[derive(Debug, Default)]
pub(super) struct Baseline(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The values of [`SETTINGS`] as they were found.
    found: Option<Vec<String>>,
    /// The apps that were started since the last case began.
    started: BTreeSet<String>,
}

impl Baseline {
    pub(super) fn note_start(&self, package: &str) {
        self.0.lock().started.insert(package.to_owned());
    }
}

/// Makes a phone as the run found it, and ends or empties the apps that were used; returns what was done, as sentences.
pub(super) async fn renew(android: &Android, reset: Reset) -> Result<Vec<String>, Error> {
    let mut told = close_dialogs(android).await?;
    let now = settings(android).await?;
    let (found, started) = {
        let mut known = android.baseline.0.lock();
        (known.found.get_or_insert_with(|| now.clone()).clone(), std::mem::take(&mut known.started))
    };
    for (((name, called), was), is) in SETTINGS.iter().zip(&found).zip(&now) {
        if was != is && was != "null" {
            android.run("settings put", &put_command(name, was)).await?;
            told.push(format!("{called} was {is} and is {was} again, as the run found it"));
        }
    }
    for package in started {
        match reset {
            Reset::None => {}
            Reset::App => drop(android.terminate(&package).await?),
            Reset::Data => android.clear_app(&package).await?,
        }
    }
    Ok(told)
}

/// Closes the dialogs by which the system tells of apps that crashed or hang: their apps are ended.
async fn close_dialogs(android: &Android) -> Result<Vec<String>, Error> {
    let mut told = Vec::new();
    for _ in 0..MOST_DIALOGS {
        let front = android.foreground().await?;
        let Some(package) = apps::troubled(&front.name) else { break };
        android.run("am force-stop", &format!("am force-stop {}", quote(package))).await?;
        let closed = until(CLOSING, || android.foreground(), |now| now.name != front.name).await?;
        if !closed.reached {
            told.push(format!("the system's dialog \"{}\" is still open, and lies over every app", front.name));
            break;
        }
        told.push(format!("closed the system's dialog \"{}\", which was left open", front.name));
    }
    Ok(told)
}

async fn settings(android: &Android) -> Result<Vec<String>, Error> {
    let commands: Vec<String> = SETTINGS.iter().map(|(name, _)| format!("settings get {name}")).collect();
    let said = android.look(&commands.join("; ")).await?;
    let values: Vec<String> = own_lines(&said).map(str::to_owned).collect();
    // A device that answers otherwise has nothing put back.
    Ok(if values.len() == SETTINGS.len() { values } else { Vec::new() })
}

fn put_command(name: &str, value: &str) -> String {
    let put = format!("settings put {name} {}", quote(value));
    match name {
        "secure default_input_method" => format!("ime enable {0} && ime set {0}", quote(value)),
        // Before Android 11 there is no such command, and to write the setting down is all that a shell may do.
        "global airplane_mode_on" => {
            let mode = if value == "1" { "enable" } else { "disable" };
            format!("cmd connectivity airplane-mode {mode} || {put}")
        }
        _ => put,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_changed_is_put_back_by_its_own_command() {
        assert_eq!(put_command("system user_rotation", "0"), "settings put system user_rotation 0");
        assert_eq!(put_command("secure default_input_method", "a/.B"), "ime enable a/.B && ime set a/.B");
        let airplane = put_command("global airplane_mode_on", "0");
        assert!(airplane.starts_with("cmd connectivity airplane-mode disable || settings put"), "{airplane}");
    }
}
