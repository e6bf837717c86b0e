//! Packages: installed, uninstalled, cleared, permitted and described, by `pm` and `dumpsys package`.
//!
//! `pm` tells what came of it by a line, `Success` or `Failure [CODE: reason]`, and seldom by its exit code.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use super::answer::{self, complaint, failed, not_understood, own_lines};
use super::files;
use super::leftover::Leftover;
use crate::adb::{Device, Output, quote};
use crate::driver::{AppInfo, Error, Install, Permission};

/// How long a device may take to install or uninstall an app.
const TIMEOUT: Duration = Duration::from_mins(8);
/// Letters of a reason that an error shows.
const LONGEST_REASON: usize = 400;
/// The first Android that replaces an app without being asked to, and has a switch against it.
const REPLACES_BY_ITSELF: u32 = 29;

/// Installs an app from a file of the host, by way of a file that is removed whatever comes of it.
pub(super) async fn install(device: &Device, file: &Path, how: Install) -> Result<(), Error> {
    let remote = format!("/data/local/tmp/uixt-{:016x}.apk", fastrand::u64(..));
    let leftover = Leftover::file(device, &remote);
    files::push(device, file, &remote).await?;
    let keeps = if how.replace { "" } else { against_replacing(&sdk(device).await?) };
    let command = install_command(&remote, how, keeps);
    let output = device.with_deadline(TIMEOUT).shell(&command).await?;
    // Where the command came to its end, it has removed the file; not so a device whose shell refused it whole.
    match succeeded("pm install", &output) {
        Ok(()) => {
            leftover.forget();
            Ok(())
        }
        Err(error) => {
            leftover.remove().await;
            Err(error)
        }
    }
}

fn install_command(remote: &str, how: Install, keeps: &str) -> String {
    let flag = |yes: bool, flag: &'static str| if yes { flag } else { "" };
    let flags = [flag(how.replace, " -r"), keeps, flag(how.downgrade, " -d"), flag(how.grant, " -g")].concat();
    let remote = quote(remote);
    // `-t`: what a developer builds to test is marked as such, and refused without it.
    format!("pm install -t{flags} {remote}; code=$?; rm -f {remote}; exit $code")
}

async fn sdk(device: &Device) -> Result<String, Error> {
    Ok(answer::text(&device.shell("getprop ro.build.version.sdk").await?.stdout))
}

fn against_replacing(sdk: &str) -> &'static str {
    if sdk.trim().parse().is_ok_and(|sdk: u32| sdk < REPLACES_BY_ITSELF) { "" } else { " -R" }
}

pub(super) async fn uninstall(device: &Device, package: &str) -> Result<(), Error> {
    check_installed(device, package).await?;
    let output = device.with_deadline(TIMEOUT).shell(&format!("pm uninstall {}", quote(package))).await?;
    succeeded("pm uninstall", &output)
}

pub(super) async fn clear(device: &Device, package: &str) -> Result<(), Error> {
    check_installed(device, package).await?;
    succeeded("pm clear", &device.shell(&format!("pm clear {}", quote(package))).await?)
}

/// Changes a permission; `pm` says nothing where it did.
pub(super) async fn permit(device: &Device, package: &str, permission: &str, granted: bool) -> Result<(), Error> {
    let verb = if granted { "grant" } else { "revoke" };
    let output = device.shell(&format!("pm {verb} {} {}", quote(package), quote(permission))).await?;
    answer::checked(&format!("pm {verb} {package} {permission}"), &output).map(drop)
}

/// Reads what the device knows of an app.
pub(super) async fn info(device: &Device, package: &str) -> Result<AppInfo, Error> {
    let quoted = quote(package);
    let output = device.shell(&format!("pm path {quoted}; dumpsys package {quoted}")).await?;
    parse_info(package, &answer::text(&output.stdout))
}

async fn check_installed(device: &Device, package: &str) -> Result<(), Error> {
    let output = device.shell(&format!("pm path {}", quote(package))).await?;
    let text = format!("{}\n{}", answer::text(&output.stdout), answer::text(&output.stderr));
    if text.lines().any(|line| line.starts_with("package:")) {
        return Ok(());
    }
    match complaint(&text) {
        Some(line) => Err(failed("pm path", line)),
        None => Err(missing(package)),
    }
}

fn missing(package: &str) -> Error {
    Error::NotFound { what: format!("app `{package}`") }
}

/// Reads what came of a command that ends with `Success` or `Failure [CODE: reason]`.
pub(super) fn succeeded(what: &str, output: &Output) -> Result<(), Error> {
    let text = format!("{}\n{}", answer::text(&output.stdout), answer::text(&output.stderr));
    let mut lines = own_lines(&text);
    if let Some(reason) = lines.clone().find_map(|line| line.strip_prefix("Failure [")) {
        return Err(rejected(what, reason.trim_end_matches(']')));
    }
    if lines.any(|line| line == "Success") {
        return Ok(());
    }
    Err(not_understood(what, "neither `Success` nor `Failure`", &text))
}

fn rejected(what: &str, reason: &str) -> Error {
    let (code, detail) = reason.split_once(':').unwrap_or((reason, ""));
    let short = |text: &str| text.trim().chars().take(LONGEST_REASON).collect::<String>();
    let (code, detail) = (short(code), short(detail));
    let mut message = format!("`{what}` failed on the device: {code}");
    if !detail.is_empty() {
        message.push_str(&format!(": {detail}"));
    }
    if let Some(advice) = advice(&code) {
        message.push_str(&format!("; {advice}"));
    }
    Error::Rejected { code, message }
}

/// Says what to do about a code. Source: AOSP `PackageManager.java`.
fn advice(code: &str) -> Option<&'static str> {
    Some(match code {
        "INSTALL_FAILED_ALREADY_EXISTS" => "uninstall the app first, or set `replace: true`",
        "INSTALL_FAILED_VERSION_DOWNGRADE" => "uninstall the newer app first, or set `downgrade: true`",
        "INSTALL_FAILED_UPDATE_INCOMPATIBLE" | "INSTALL_FAILED_SHARED_USER_INCOMPATIBLE" => {
            "the app on the device is signed by somebody else: uninstall it first"
        }
        "INSTALL_FAILED_INSUFFICIENT_STORAGE" => "make room on the device",
        "INSTALL_FAILED_NO_MATCHING_ABIS" | "INSTALL_FAILED_CPU_ABI_INCOMPATIBLE" => {
            "it has no code for this device's processor: take another build"
        }
        "INSTALL_FAILED_OLDER_SDK" => "it needs a newer Android than the device has",
        "INSTALL_FAILED_MISSING_SPLIT" => "it is one part of several: take an APK that is whole",
        "INSTALL_FAILED_USER_RESTRICTED" | "INSTALL_FAILED_ABORTED" => {
            "allow \"Install via USB\" in the device's developer options, and see whether it asks on its screen"
        }
        "INSTALL_FAILED_VERIFICATION_FAILURE" | "INSTALL_FAILED_VERIFICATION_TIMEOUT" => {
            "switch off \"Verify apps over USB\" in the device's developer options"
        }
        "INSTALL_PARSE_FAILED_NO_CERTIFICATES" => "sign it",
        "INSTALL_PARSE_FAILED_NOT_APK" | "INSTALL_FAILED_INVALID_APK" => "see whether the file is a whole APK",
        _ => return None,
    })
}

/// Reads the answer to `pm path` and `dumpsys package`.
pub(super) fn parse_info(package: &str, text: &str) -> Result<AppInfo, Error> {
    let head = format!("Package [{package}]");
    let mut lines = text.lines().map(str::trim).skip_while(|line| !line.starts_with(&head));
    if lines.next().is_none() {
        return Err(untold(package, text));
    }
    // An app that came with the device and was updated stands there twice; the one in use comes first.
    let own: Vec<&str> =
        lines.take_while(|line| !line.starts_with("Package [") && *line != "Hidden system packages:").collect();
    let line = |key: &str| own.iter().find_map(|line| line.strip_prefix(key)).unwrap_or_default().to_owned();
    let word = |key: &str| own.iter().flat_map(|line| line.split_whitespace()).find_map(|word| word.strip_prefix(key));
    let path = text.lines().find_map(|line| line.trim().strip_prefix("package:")).unwrap_or_default();
    let version_code = word("versionCode=").and_then(|code| code.parse().ok());
    if version_code.is_none() {
        return Err(not_understood("dumpsys package", "it tells no version of the app", &own.join("\n")));
    }
    Ok(AppInfo {
        // An app need not name its version.
        version_name: Some(line("versionName=")).filter(|name| name != "null").unwrap_or_default(),
        version_code,
        min_sdk: word("minSdk=").and_then(|sdk| sdk.parse().ok()),
        target_sdk: word("targetSdk=").and_then(|sdk| sdk.parse().ok()),
        first_install_time: line("firstInstallTime="),
        last_update_time: line("lastUpdateTime="),
        path: path.to_owned(),
        system: ["flags=[", "pkgFlags=["].iter().any(|key| line(key).split_whitespace().any(|flag| flag == "SYSTEM")),
        permissions: permissions(&own),
    })
}

/// Builds the error of a dump without the package: it is not there, or the device did not dump.
fn untold(package: &str, text: &str) -> Error {
    let says_so = own_lines(text).any(|line| line.starts_with("Unable to find package"));
    match complaint(text) {
        Some(line) if !says_so => failed("dumpsys package", line),
        None if !says_so && text.lines().any(|line| line.trim().starts_with("package:")) => {
            not_understood("dumpsys package", "it tells nothing of the app", text)
        }
        _ => missing(package),
    }
}

/// Reads `android.permission.CAMERA: granted=true, flags=[ … ]`; the first of two users counts.
fn permissions(lines: &[&str]) -> Vec<Permission> {
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    for line in lines {
        let Some((name, rest)) = line.split_once(": granted=") else { continue };
        if known.insert(name) {
            found.push(Permission { name: name.to_owned(), granted: rest.starts_with("true") });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(stdout: &str, stderr: &str) -> Result<(), Error> {
        succeeded("pm install", &Output { stdout: stdout.into(), stderr: stderr.into(), exit: 0 })
    }

    #[test]
    fn success_is_a_line_of_its_own() {
        assert_eq!(said("Performing Streamed Install\nSuccess\n", ""), Ok(()));
        assert!(said("", "").is_err() && said("Unsuccessful\n", "").is_err());
        let error =
            said("", "Exception occurred while executing 'install':\njava.lang.SecurityException: no").unwrap_err();
        assert!(error.to_string().contains("Exception occurred"), "{error}");
    }

    #[test]
    fn failures_come_with_their_code_and_what_to_do() {
        let detail = "Downgrade detected: Update version code 1 is older than current 2";
        for text in [
            format!("Failure [INSTALL_FAILED_VERSION_DOWNGRADE: {detail}]\n"),
            "Failure [INSTALL_FAILED_VERSION_DOWNGRADE]".to_owned(),
        ] {
            let Err(Error::Rejected { code, message }) = said("", &text) else { panic!("{text}") };
            assert_eq!(code, "INSTALL_FAILED_VERSION_DOWNGRADE");
            assert!(message.ends_with("; uninstall the newer app first, or set `downgrade: true`"), "{message}");
        }
    }

    #[test]
    fn flags_follow_what_is_asked() {
        let all = Install { replace: true, downgrade: true, grant: true };
        let command = install_command("/data/local/tmp/a b.apk", all, "");
        assert_eq!(
            command,
            "pm install -t -r -d -g '/data/local/tmp/a b.apk'; code=$?; rm -f '/data/local/tmp/a b.apk'; exit $code"
        );
        let none = Install { replace: false, downgrade: false, grant: false };
        assert!(install_command("/x", none, against_replacing("34\n")).starts_with("pm install -t -R /x;"));
        assert!(install_command("/x", none, against_replacing("28")).starts_with("pm install -t /x;"));
    }

    #[test]
    fn an_app_is_read_from_its_own_block() {
        let text = "package:/data/app/~~a==/com.uixt.shop-1==/base.apk\nPackages:\n  Package [com.uixt.shop] (1a2b):\n    \
            versionCode=21 minSdk=24 targetSdk=34\n    versionName=2.1 beta\n    flags=[ HAS_CODE ]\n    \
            lastUpdateTime=2026-02-01 00:00:00\n    User 0: ceDataInode=1\n      firstInstallTime=2026-01-01 00:00:00\n      \
            runtime permissions:\n        android.permission.CAMERA: granted=true, flags=[ USER_SET ]\n        \
            android.permission.READ_CONTACTS: granted=false\nHidden system packages:\n  Package [com.uixt.shop] (3c4d):\n    \
            versionCode=1 minSdk=1 targetSdk=1\n    flags=[ SYSTEM ]\n";
        let info = parse_info("com.uixt.shop", text).unwrap();
        assert_eq!((info.version_code, info.version_name.as_str(), info.target_sdk), (Some(21), "2.1 beta", Some(34)));
        assert_eq!((info.system, info.path.as_str()), (false, "/data/app/~~a==/com.uixt.shop-1==/base.apk"));
        assert_eq!(info.first_install_time, "2026-01-01 00:00:00");
        let granted: Vec<bool> = info.permissions.iter().map(|permission| permission.granted).collect();
        assert_eq!(granted, [true, false]);
        assert_eq!(parse_info("com.x", "Unable to find package: com.x\n"), Err(missing("com.x")));
    }
}
