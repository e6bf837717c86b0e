//! The server's two packages on the device: checked, and installed where files of them are at hand.

use std::cmp::Ordering;

use super::super::packages::{install, uninstall};
use super::super::{answer, apps};
use super::{Apks, Options};
use crate::adb::{Device, quote};
use crate::driver::{Error, Install};

/// The first version that has all that is asked of it (the setting `snapshotMaxDepth`, June 2023).
const OLDEST: &str = "5.12.0";

/// Sees to it that both packages are installed, in a version that will do.
pub(super) async fn prepare(device: &Device, options: &Options) -> Result<(), Error> {
    let mut there = version(device, options).await?;
    if let Some(apks) = options.apks.as_ref().filter(|apks| is_wanted(apks, there.as_deref())) {
        put(device, options, apks).await?;
        // They may be other packages than those that are asked for, or older ones.
        there = version(device, options).await?;
    }
    match there {
        None => Err(Error::Device { message: missing(device, options) }),
        Some(version) if order(&version, OLDEST) == Ordering::Less => {
            Err(Error::Device { message: old(device, &version) })
        }
        Some(_) => Ok(()),
    }
}

/// Returns the version of the server where both packages are installed.
async fn version(device: &Device, options: &Options) -> Result<Option<String>, Error> {
    let packages = apps::packages(device).await?;
    if ![&options.package, &options.test_package].iter().all(|name| packages.contains(name)) {
        return Ok(None);
    }
    let command = format!("dumpsys package {} | grep versionName=", quote(&options.package));
    let said = answer::text(&device.shell(&command).await?.stdout);
    // One that tells no version counts as one that will do.
    let told = said.lines().find_map(|line| line.trim().strip_prefix("versionName="));
    Ok(Some(told.filter(|version| !version.is_empty()).unwrap_or(OLDEST).to_owned()))
}

/// Tells whether files are to be installed where this version is, or none.
fn is_wanted(apks: &Apks, there: Option<&str>) -> bool {
    match (there, &apks.version) {
        (None, _) => true,
        (Some(there), Some(own)) if apks.is_named => there != own,
        (Some(there), Some(own)) => order(there, own) == Ordering::Less,
        (Some(_), None) => false,
    }
}

async fn put(device: &Device, options: &Options, apks: &Apks) -> Result<(), Error> {
    match put_both(device, apks).await {
        // Signed by somebody else, or newer: only without them there is room for these.
        Err(Error::Rejected { .. }) => {
            for package in [&options.test_package, &options.package] {
                match uninstall(device, package).await {
                    Ok(()) | Err(Error::NotFound { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            put_both(device, apks).await
        }
        outcome => outcome,
    }
}

async fn put_both(device: &Device, apks: &Apks) -> Result<(), Error> {
    for file in [&apks.server, &apks.test] {
        install(device, file, Install { replace: true, downgrade: true, grant: true }).await?;
    }
    Ok(())
}

fn missing(device: &Device, Options { package, test_package, .. }: &Options) -> String {
    format!(
        "`uia2` needs Appium's UiAutomator2 server, and {} does not have both {package} and {test_package}: \
         `npm install appium-uiautomator2-server` beside the testcases, or name the folder of its two packages \
         (`uia2_apks: FOLDER`, `--uia2-apks FOLDER`), and uixt installs them; or leave `uia2` out (`--uia2=false`)",
        device.serial()
    )
}

fn old(device: &Device, version: &str) -> String {
    format!(
        "the UiAutomator2 server on {} is {version}, and `uia2` needs {OLDEST} or later: \
         `npm install appium-uiautomator2-server` beside the testcases, and uixt installs that",
        device.serial()
    )
}

/// Compares versions number by number.
fn order(one: &str, other: &str) -> Ordering {
    let numbers = |version: &str| -> Vec<u64> {
        version.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
    };
    numbers(one).cmp(&numbers(other))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn packages_replace_older_ones_and_named_ones_all_others() {
        let apks = |is_named| Apks {
            server: PathBuf::new(),
            test: PathBuf::new(),
            version: Some("10.6.6".to_owned()),
            is_named,
        };
        for (there, found, named) in [
            (None, true, true),
            (Some("9.10.2"), true, true),
            (Some("10.6.6"), false, false),
            (Some("10.10.0"), false, true),
        ] {
            assert_eq!((is_wanted(&apks(false), there), is_wanted(&apks(true), there)), (found, named), "{there:?}");
        }
    }
}
