//! `dumpsys package PACKAGE`: version, place, times and permissions of an app. Source: AOSP 14 `Settings.dumpPackageLPr`.

use chrono::DateTime;

use super::packages;
use super::records::identity;
use crate::app::Release;
use crate::files::parent;
use crate::system::System;

pub(super) fn package(system: &System, name: &str) -> String {
    let Some(package) = packages::find(system, name) else { return format!("Unable to find package: {name}\n") };
    let release = system.apps().iter().find(|app| app.package == name).map(|app| app.release.clone());
    let release = release.or_else(|| system.automators.get(name).cloned()).unwrap_or_else(Release::built_in);
    let (id, user, apk) = (identity(name), package.user, package.apk());
    let main = package.component().map_or_else(String::new, |component| {
        format!(
            "Activity Resolver Table:\n  Non-Data Actions:\n      android.intent.action.MAIN:\n        {id} {component} filter {id}\n          \
             Action: \"android.intent.action.MAIN\"\n          Category: \"android.intent.category.LAUNCHER\"\n\n"
        )
    });
    let system_flag = if package.third_party { "" } else { "SYSTEM " };
    let (stopped, declared) = (system.pid(name).is_none(), system.declared_permissions(name));
    format!(
        "{main}Packages:\n  Package [{name}] ({id}):\n    userId={user}\n    pkg=Package{{{id} {name}}}\n    codePath={}\n    \
         versionCode={} minSdk={} targetSdk={}\n    versionName={}\n    flags=[ {system_flag}HAS_CODE ALLOW_CLEAR_USER_DATA ]\n    \
         lastUpdateTime={}\n{}    \
         User 0: ceDataInode=1 installed=true hidden=false suspended=false stopped={stopped} notLaunched=false enabled=0\n      \
         firstInstallTime={}\n{}",
        parent(&apk),
        release.version_code,
        release.min_sdk,
        release.target_sdk,
        release.version_name,
        time(release.updated_ms),
        requested(&declared),
        time(release.installed_ms),
        granted(&declared),
    )
}

fn requested(declared: &[(String, bool)]) -> String {
    let lines = declared.iter().map(|(name, _)| format!("      {name}\n"));
    if declared.is_empty() {
        String::new()
    } else {
        format!("    requested permissions:\n{}", lines.collect::<String>())
    }
}

fn granted(declared: &[(String, bool)]) -> String {
    let line = |(name, granted): &(String, bool)| {
        let flags = if *granted { "USER_SET|" } else { "" };
        format!("        {name}: granted={granted}, flags=[ {flags}USER_SENSITIVE_WHEN_GRANTED]\n")
    };
    if declared.is_empty() {
        return String::new();
    }
    format!("      runtime permissions:\n{}", declared.iter().map(line).collect::<String>())
}

/// Writes milliseconds since 1970 as Android writes times.
fn time(milliseconds: u64) -> String {
    let time = i64::try_from(milliseconds).ok().and_then(DateTime::from_timestamp_millis).unwrap_or_default();
    time.format("%Y-%m-%d %H:%M:%S").to_string()
}
