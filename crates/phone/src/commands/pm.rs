//! `pm` and `cmd package`. Source: AOSP `PackageManagerShellCommand.java`.

use std::io;

use super::call::Call;
use super::packages::{self, Package};
use super::{dumpsys, install};
use crate::automator::packages::{INSTRUMENTATION, SERVER};

pub(super) async fn pm(call: &mut Call<'_>) -> io::Result<u8> {
    let arguments = std::mem::take(&mut call.arguments);
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["list", "packages" | "package", rest @ ..] => list(call, rest).await,
        ["list", "instrumentation", ..] => instrumentation(call).await,
        ["list", "permission-groups" | "libraries" | "permissions", ..] => Ok(0),
        ["list", "features"] => call.done("feature:android.hardware.touchscreen\n").await,
        ["list", "users"] => call.done("Users:\n\tUserInfo{0:Owner:c13} running\n").await,
        ["list", ..] => call.fail(255, "Error: unknown list type").await,
        ["path", rest @ ..] => path(call, rest).await,
        ["clear", rest @ ..] => clear(call, rest).await,
        ["resolve-activity", rest @ ..] => resolve(call, rest).await,
        ["grant", rest @ ..] => permit(call, rest, true).await,
        ["revoke", rest @ ..] => permit(call, rest, false).await,
        ["dump", package] => {
            call.arguments = vec!["package".to_owned(), (*package).to_owned()];
            dumpsys::dumpsys(call).await
        }
        ["install", rest @ ..] => install::install(call, rest).await,
        ["uninstall", rest @ ..] => install::uninstall(call, rest).await,
        ["install-create" | "install-write" | "install-commit" | "install-existing", ..] => {
            call.fail(1, "Failure [INSTALL_FAILED_INTERNAL_ERROR: the virtual phone installs one file at a time]").await
        }
        [] | ["help"] => {
            call.done("Package manager (package) commands:\n  list packages [-f] [-s] [-3] [FILTER]\n  path PACKAGE\n  clear PACKAGE\n  install [-R] [-d] [-g] [-S SIZE] [PATH]\n  uninstall PACKAGE\n  grant|revoke PACKAGE PERMISSION\n  resolve-activity [--brief] INTENT\n  dump PACKAGE\n").await
        }
        [other, ..] => call.fail(255, &format!("Unknown command: {other}")).await,
    }
}

/// Takes `--user N` out.
fn without_user<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let mut left = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if *argument == "--user" {
            rest.next();
        } else {
            left.push(*argument);
        }
    }
    left
}

async fn list(call: &Call<'_>, arguments: &[&str]) -> io::Result<u8> {
    let (mut file, mut version, mut user, mut third_party, mut filter) = (false, false, false, None, "");
    for argument in without_user(arguments) {
        match argument {
            "-f" => file = true,
            "-3" => third_party = Some(true),
            "-s" => third_party = Some(false),
            "-U" => user = true,
            "--show-versioncode" => version = true,
            "-d" => return Ok(0),
            "-e" | "-a" | "-u" | "-i" | "-l" => {}
            option if option.starts_with('-') => {
                return call.fail(255, &format!("Error: Unknown option: {option}")).await;
            }
            text => filter = text,
        }
    }
    let all = packages::all(&*call.handset().system.lock().await);
    let shown = |package: &&Package| {
        third_party.is_none_or(|wanted| package.third_party == wanted) && package.name.contains(filter)
    };
    let line = |package: &Package| {
        let place = if file { format!("{}=", package.apk()) } else { String::new() };
        let version = if version { " versionCode:1" } else { "" };
        let user = if user { format!(" uid:{}", package.user) } else { String::new() };
        format!("package:{place}{}{version}{user}\n", package.name)
    };
    let text: String = all.iter().filter(shown).map(line).collect();
    call.done(text).await
}

async fn instrumentation(call: &Call<'_>) -> io::Result<u8> {
    match call.handset().system.lock().await.has_automator() {
        true => call.done(format!("instrumentation:{INSTRUMENTATION} (target={SERVER})\n")).await,
        false => Ok(0),
    }
}

async fn path(call: &Call<'_>, arguments: &[&str]) -> io::Result<u8> {
    let arguments = without_user(arguments);
    let Some(name) = arguments.first() else { return call.fail(255, "Error: no package specified").await };
    let found = packages::find(&*call.handset().system.lock().await, name);
    match found {
        Some(package) => call.done(format!("package:{}\n", package.apk())).await,
        None => Ok(1),
    }
}

async fn clear(call: &Call<'_>, arguments: &[&str]) -> io::Result<u8> {
    let arguments = without_user(arguments);
    let Some(name) = arguments.first() else { return call.fail(255, "Error: no package specified").await };
    let name = (*name).to_owned();
    let package = name.clone();
    let cleared = call.handset().act(async move |mut system| system.clear(&package)).await?;
    match cleared {
        Ok(()) => {
            call.handset().note("ActivityManager", format!("Clearing app data of {name}")).await;
            call.done("Success\n").await
        }
        Err(_) => call.fail(1, "Failed").await,
    }
}

/// `grant` and `revoke PACKAGE PERMISSION`.
async fn permit(call: &Call<'_>, arguments: &[&str], granted: bool) -> io::Result<u8> {
    let arguments = without_user(arguments);
    let [name, permission] = arguments.as_slice() else {
        return call.fail(255, "Error: no package or no permission specified").await;
    };
    let refused = {
        let mut system = call.handset().system.lock().await;
        let known = packages::find(&system, name).is_some();
        let declared = system.declared_permissions(name).iter().any(|(declared, _)| declared == permission);
        if declared {
            system.set_permission(name, permission, Some(granted));
        }
        match (known, declared) {
            (_, true) => None,
            (true, false) => {
                Some(format!("java.lang.SecurityException: Package {name} has not requested permission {permission}"))
            }
            (false, false) => Some(format!("java.lang.IllegalArgumentException: Unknown package: {name}")),
        }
    };
    let Some(reason) = refused else { return Ok(0) };
    let command = if granted { "grant" } else { "revoke" };
    call.fail(255, &format!("\nException occurred while executing '{command}':\n{reason}")).await
}

/// `resolve-activity [--brief] [-a ACTION] [-c CATEGORY] [PACKAGE]`.
async fn resolve(call: &Call<'_>, arguments: &[&str]) -> io::Result<u8> {
    let (mut brief, mut home, mut name) = (false, false, None);
    let arguments = without_user(arguments);
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        match argument {
            "--brief" => brief = true,
            "-c" => home |= rest.next() == Some("android.intent.category.HOME"),
            "-a" | "-t" | "--query-flags" => drop(rest.next()),
            "-d" => return call.done("No activity found\n").await,
            "-p" => name = rest.next(),
            option if option.starts_with('-') => {
                return call.fail(255, &format!("Error: Unknown option: {option}")).await;
            }
            package => name = Some(package),
        }
    }
    let found = {
        let system = call.handset().system.lock().await;
        match name {
            Some(name) => packages::find(&system, name),
            None if home => packages::launcher(&system),
            None => None,
        }
    };
    let resolved = found.and_then(|package| Some((package.component()?, package)));
    let Some((component, package)) = resolved else { return call.done("No activity found\n").await };
    let head = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true\n";
    if brief {
        return call.done(format!("{head}{component}\n")).await;
    }
    let class = component.split_once('/').map_or("", |(_, class)| class);
    let class = packages::whole_class(&package.name, class);
    call.done(format!("  {head}  ActivityInfo:\n    name={class}\n    packageName={}\n", package.name)).await
}
