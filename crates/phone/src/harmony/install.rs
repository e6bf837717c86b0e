//! `install` and `uninstall`: packages of this computer → apps of the phone. Source: `src/host/host_app.cpp` of hdc.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::super::handset::Handset;
use super::super::package;
use super::acts::{self, Act};
use super::frames::Channel;
use super::transfer;

/// The first message of what a client sends itself (`CMD_APP_INIT`).
const INIT: u16 = 3500;
/// Ends of the names of packages.
const ENDS: [&str; 3] = ["hap", "hsp", "app"];

/// Says what failed, as `bm` does.
pub(super) fn failed(what: &str, code: u32, why: &str) -> String {
    format!("error: failed to {what} bundle.\ncode:{code}\nerror: {why}")
}

/// Installs a package; returns what `bm` says of it.
pub(super) async fn put(handset: &Handset, archive: &[u8], name: &str) -> io::Result<String> {
    let app = match package::read(archive, name) {
        Ok(app) => app,
        Err(refused) => return Ok(failed("install", 9_568_320, &format!("no signature file: {}", refused.0))),
    };
    let bundle = app.app.package.clone();
    Ok(match acts::perform(handset, vec![Act::Install(archive.to_vec())]).await {
        Ok(_) => {
            handset.harmony.counts.add("installs", 1);
            handset.note("BundleManagerService", format!("Installed {bundle}")).await;
            "install bundle successfully.".to_owned()
        }
        Err(refused) => failed("install", 9_568_289, &refused.0),
    })
}

/// Removes an app; returns what `bm` says of it.
pub(super) async fn remove(handset: &Handset, bundle: String) -> io::Result<String> {
    Ok(match acts::perform(handset, vec![Act::Uninstall(bundle.clone())]).await {
        Ok(_) => {
            handset.harmony.counts.add("uninstalls", 1);
            handset.note("BundleManagerService", format!("Removed {bundle}")).await;
            "uninstall bundle successfully.".to_owned()
        }
        Err(_) => failed("uninstall", 9_568_386, "uninstall missing installed bundle."),
    })
}

/// `install [-r] [remote] [-cwd DIR] PATH…`.
pub(super) async fn install(handset: &Arc<Handset>, words: &str, channel: &mut Channel) {
    let words = transfer::words(words);
    let is_remote = words.iter().any(|word| word == "remote");
    let (paths, folder) = transfer::paths(&words);
    let paths: Vec<String> = paths.into_iter().filter(|path| path != "remote").collect();
    let is_package =
        |path: &&String| Path::new(path).extension().is_some_and(|end| ENDS.iter().any(|known| end == *known));
    let Some(path) = paths.iter().find(is_package) else {
        return channel.fail("[E006001] Not any installation package was found").await;
    };
    let read = if is_remote {
        transfer::take_in(channel, INIT, &transfer::parameters(&words)).await.map(|(_, bytes)| bytes)
    } else {
        transfer::read(transfer::absolute(&folder, path)).await
    };
    let archive = match read {
        Ok(archive) => archive,
        Err(why) => return channel.fail(&why).await,
    };
    let said = put(handset, &archive, path).await.unwrap_or_else(|error| error.to_string());
    if is_remote {
        // The client says how it went.
        return transfer::end_package(channel, INIT, &said).await;
    }
    finish(channel, "App install", path, &said).await;
}

/// `uninstall [-k] BUNDLE`.
pub(super) async fn uninstall(handset: &Arc<Handset>, words: &str, channel: &mut Channel) {
    let bundle = words.split_whitespace().find(|word| !word.starts_with('-')).unwrap_or_default().to_owned();
    let said = remove(handset, bundle).await.unwrap_or_else(|error| error.to_string());
    finish(channel, "App uninstall", "", &said).await;
}

async fn finish(channel: &mut Channel, what: &str, path: &str, said: &str) {
    channel.say(&format!("[Info]{what} path:{path} msg:{said} ")).await;
    channel.say("AppMod finish").await;
}
