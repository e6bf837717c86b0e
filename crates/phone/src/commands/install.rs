//! `pm install` and `pm uninstall`, from a file or from what comes on standard input. Source: AOSP
//! `PackageManagerShellCommand.java` (`runInstall`, `runUninstall`).

use std::io;

use super::call::Call;
use super::packages;
use crate::automator;
use crate::install::{Installing, incompatible};
use crate::package;
use crate::refused::Refused;
use crate::system::System;

/// What `pm install` is asked.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wish<'a> {
    how: Installing,
    /// Bytes that come on standard input (`-S`).
    size: Option<usize>,
    path: Option<&'a str>,
}

pub(super) async fn install(call: &mut Call<'_>, arguments: &[&str]) -> io::Result<u8> {
    let wish = match wish(arguments) {
        Ok(wish) => wish,
        Err(message) => return call.fail(1, &message).await,
    };
    let (archive, name) = match (wish.path, wish.size) {
        (None | Some("-"), Some(size)) => (received(call, size).await?, "base.apk".to_owned()),
        (None | Some("-"), None) => return call.fail(1, "Error: must specify a APK size").await,
        (Some(path), _) => {
            let read = call.handset().files.lock().read(&call.shell.path(path));
            match read {
                Ok(archive) => (archive.to_vec(), path.to_owned()),
                Err(errno) => {
                    let text = format!(
                        "Error: Unable to open file: {path}\nConsider using a file under /data/local/tmp/\n{errno}"
                    );
                    return call.fail(255, &text).await;
                }
            }
        }
    };
    let how = wish.how;
    let installed = call.handset().act(async move |mut system| put(&mut system, &archive, &name, how));
    match installed.await? {
        Ok(package) => {
            call.handset().note("PackageManager", format!("Installed {package}")).await;
            call.done("Success\n").await
        }
        Err(refused) => call.out(format!("Failure [{refused}]\n")).await.map(|()| 1),
    }
}

/// Reads the package and installs it; returns its name.
fn put(system: &mut System, archive: &[u8], name: &str, how: Installing) -> Result<String, Refused> {
    if archive.len() > package::LARGEST {
        return Err(Refused(format!("INSTALL_FAILED_INSUFFICIENT_STORAGE: {} bytes are too many", archive.len())));
    }
    if let Some((name, release)) = automator::packages::read(archive) {
        system.install_automator(name, release);
        return Ok(name.to_owned());
    }
    let app = package::read(archive, name)?;
    let package = app.app.package.clone();
    let is_part = packages::find(system, &package).is_some_and(|known| known.activity.is_none());
    if is_part {
        return Err(incompatible(&package));
    }
    system.install(app, how)?;
    Ok(package)
}

/// Reads what comes on standard input, up to the size that was told: the client keeps its end open for the answer.
async fn received(call: &Call<'_>, size: usize) -> io::Result<Vec<u8>> {
    let mut archive = Vec::new();
    while archive.len() < size.min(package::LARGEST + 1) {
        let Some(mut chunk) = call.io.input.chunk().await else { break };
        archive.append(&mut chunk);
    }
    archive.truncate(size);
    Ok(archive)
}

fn wish<'a>(arguments: &[&'a str]) -> Result<Wish<'a>, String> {
    let mut wish = Wish::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match *argument {
            "-R" => wish.how.keeps = true,
            "-d" => wish.how.downgrades = true,
            "-g" => wish.how.grants = true,
            "-r" | "-t" | "-f" | "--full" | "--dont-kill" | "--bypass-low-target-sdk-block" => {}
            "-S" => {
                let size = rest.next().and_then(|size| size.parse().ok());
                wish.size = Some(size.ok_or("Error: invalid APK size")?);
            }
            "--user" | "-i" | "--abi" | "--install-location" | "--pkg" => drop(rest.next()),
            "-" => wish.path = Some("-"),
            option if option.starts_with('-') => return Err(format!("Error: Unknown option {option}")),
            path if wish.path.is_none() => wish.path = Some(path),
            _ => return Err("Error: the virtual phone installs one file at a time".to_owned()),
        }
    }
    Ok(wish)
}

pub(super) async fn uninstall(call: &mut Call<'_>, arguments: &[&str]) -> io::Result<u8> {
    let mut names = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match *argument {
            "--user" | "--versionCode" => drop(rest.next()),
            option if option.starts_with('-') => {
                return call.fail(1, &format!("Error: Unknown option: {option}")).await;
            }
            name => names.push(name.to_owned()),
        }
    }
    let Some(name) = names.into_iter().next() else { return call.fail(1, "Error: package name not specified").await };
    let package = name.clone();
    match call.handset().act(async move |mut system| system.uninstall(&package)).await? {
        Ok(()) => {
            call.handset().note("PackageManager", format!("Removed {name}")).await;
            call.done("Success\n").await
        }
        Err(refused) => call.out(format!("Failure [{refused}]\n")).await.map(|()| 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_read() {
        let how = Installing { keeps: false, downgrades: true, grants: true };
        let path = Some("/data/local/tmp/a.apk");
        assert_eq!(wish(&["-t", "-r", "-d", "-g", "/data/local/tmp/a.apk"]), Ok(Wish { how, size: None, path }));
        assert_eq!(wish(&["-S", "12"]).map(|wish| wish.size), Ok(Some(12)));
        assert!(wish(&["-S", "x"]).is_err() && wish(&["--nope"]).is_err() && wish(&["a", "b"]).is_err());
    }
}
