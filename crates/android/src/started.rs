//! What `am start -W` and `monkey` print → whether an app came up.
//!
//! Both tell it in so many words. Where they do not, because they were cut off or refused in words nobody knows, the app counts
//! as not started.

use super::answer::{complaint, failed, not_understood};
use crate::driver::Error;

/// Reads what `am start -W` said. Source: AOSP `ActivityManagerShellCommand.java`, `runStartActivity`.
pub(super) fn by_am(said: &str) -> Result<(), Error> {
    // The line that repeats the intent is no complaint, whatever the intent holds.
    let own: String =
        said.lines().filter(|line| !line.starts_with("Starting: ")).map(|line| format!("{line}\n")).collect();
    if let Some(line) = complaint(&own) {
        return Err(failed("am start", line));
    }
    // `Warning: Activity not started, its current task has been brought to the front` did what was asked; `Warning: Activity not
    // started because the current activity is being kept for the user.` did not, and still says `Status: ok`.
    if let Some(line) = own.lines().find(|line| line.trim().starts_with("Warning: Activity not started because")) {
        return Err(failed("am start", line.trim()));
    }
    match after(&own, "Status:") {
        // After its own time, `am` only stops waiting for the app to draw itself.
        Some("ok" | "timeout") => Ok(()),
        Some(status) if !status.is_empty() => Err(failed("am start", status)),
        _ => Err(not_understood("am start", "it does not say whether the app started", &own)),
    }
}

/// Returns the package of the activity that `am start -W` brought up, where it tells.
pub(super) fn package(said: &str) -> Option<String> {
    let (package, _) = after(said, "Activity:")?.split_once('/')?;
    Some(package.to_owned())
}

/// Reads what `monkey -p … 1` said.
pub(super) fn by_monkey(said: &str) -> Result<(), Error> {
    match said.lines().any(|line| line.trim() == "Events injected: 1") {
        true => Ok(()),
        false => Err(not_understood("monkey", "it does not say that it started the app", said)),
    }
}

fn after<'a>(said: &'a str, label: &str) -> Option<&'a str> {
    said.lines().find_map(|line| line.trim().strip_prefix(label)).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_app_that_did_not_start_is_an_error() {
        assert_eq!(by_am("Starting: Intent { dat=error: x }\nStatus: timeout\nLaunchState: UNKNOWN (-1)\n"), Ok(()));
        for said in [
            "",
            "Starting: Intent { cmp=a/b }\n",
            "Starting: Intent { cmp=a/b }\nStatus: \n",
            "Starting: Intent { cmp=a/b }\nError type 3\nError: Activity class {a/b} does not exist.\n",
            "Warning: Activity not started because the current activity is being kept for the user.\nStatus: ok\n",
        ] {
            assert!(by_am(said).is_err(), "{said}");
        }
        let error = by_am("Error type 3\nError: Activity class {a/b} does not exist.\n").unwrap_err();
        assert!(error.to_string().contains("does not exist"), "{error}");
        assert!(by_monkey("  bash arg: -p\nEvents injected: 1\n").is_ok());
        assert!(by_monkey("Events injected: 0\n").is_err() && by_monkey("").is_err());
    }

    #[test]
    fn the_package_is_told_or_not() {
        assert_eq!(package("Status: ok\nActivity: com.b/.Main\n").as_deref(), Some("com.b"));
        assert_eq!(package("Status: ok\nActivity: null\n"), None);
    }
}
