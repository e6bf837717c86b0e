//! `aa`: abilities started, ended and listed. Source: the tool's own page (aa工具) and `ability_runtime/tools/aa` of OpenHarmony.

use std::io;

use super::super::acts::{self, Act};
use super::super::tree::{ABILITY, SCENEBOARD};
use super::recorder;
use super::words::value;
use crate::commands::Call;
use crate::launcher;
use crate::links;
use crate::system::System;

const STARTED: &str = "start ability successfully.\n";

pub(crate) async fn aa(call: &mut Call<'_>) -> io::Result<String> {
    let words = std::mem::take(&mut call.arguments);
    match words.first().map(String::as_str) {
        Some("start") => start(call, &words).await,
        Some("force-stop") => stop(call, words.get(1)).await,
        Some("dump") if words.get(1).is_some_and(|word| ["-l", "-a", "--mission-list"].contains(&word.as_str())) => {
            let text = missions(&*call.handset().system.lock().await);
            Ok(text)
        }
        Some("help") | None => Ok(HELP.to_owned()),
        Some(other) => Ok(format!("error: unknown option.\n{HELP}\nusage: aa {other}\n")),
    }
}

const HELP: &str = "usage: aa <command> <options>\nThese are common aa commands list:\n  help                        list available commands\n  start                       start ability with options\n  force-stop <bundle-name>    force stop the process with bundle name\n  dump                        dump the ability info\n";

/// Says why an ability was not started.
fn refused(code: u32, message: &str) -> String {
    format!("error: failed to start ability.\nError Code:{code}  Error Message:{message}\n")
}

async fn start(call: &Call<'_>, words: &[String]) -> io::Result<String> {
    let handset = call.handset();
    let (bundle, link) = (value(words, "-b"), value(words, "-U"));
    if bundle == Some(recorder::BUNDLE) {
        return recorder::record(call, value(words, "CustomizedFileName")).await;
    }
    if bundle.is_none() && link.is_none() {
        return Ok(format!("error: option requires a value.\n{HELP}"));
    }
    let locked = {
        let system = handset.system.lock().await;
        system.is_locked() || !system.is_screen_on()
    };
    let known = {
        let system = handset.system.lock().await;
        bundle.map(|bundle| bundle == SCENEBOARD || system.launchable().iter().any(|app| app.package == bundle))
    };
    if known == Some(false) {
        return Ok(refused(10_104_001, "The specified ability does not exist."));
    }
    let ability = value(words, "-a").unwrap_or(ABILITY);
    if bundle.is_some() && ability != ABILITY && bundle != Some(SCENEBOARD) {
        return Ok(refused(10_104_001, "The specified ability does not exist."));
    }
    if bundle.is_none() && link.and_then(links::taker).is_none() {
        let message = "Failed to find a matching application for implicit launch.";
        return Ok(refused(10_103_101, message));
    }
    if locked {
        let message = "The device screen is locked during the application launch.";
        return Ok(refused(10_106_102, message));
    }
    handset.harmony.counts.add(if link.is_some() { "links" } else { "launches" }, 1);
    let name = bundle.or(link).unwrap_or_default();
    let act = match (link, name) {
        (Some(link), _) => Act::Link(link.to_owned()),
        (None, SCENEBOARD) => Act::Launch(launcher::PACKAGE.to_owned()),
        (None, bundle) => Act::Launch(bundle.to_owned()),
    };
    match acts::perform(handset, vec![act]).await {
        Ok(_) => {
            handset.note("AbilityManagerService", format!("StartAbility {name}")).await;
            Ok(STARTED.to_owned())
        }
        Err(why) => Ok(refused(10_104_001, &format!("The specified ability does not exist: {}", why.0))),
    }
}

async fn stop(call: &Call<'_>, bundle: Option<&String>) -> io::Result<String> {
    let Some(bundle) = bundle.cloned() else {
        return Ok(format!("error: option requires a value.\n{HELP}"));
    };
    if bundle == recorder::BUNDLE {
        recorder::end(call.handset()).await;
        return Ok("force stop process successfully.\n".to_owned());
    }
    let is_known = call.handset().system.lock().await.apps().iter().any(|app| app.package == bundle);
    if !is_known {
        return Ok("error: failed to force stop process.\nerror: bundle name not found.\n".to_owned());
    }
    if acts::perform(call.handset(), vec![Act::Stop(bundle.clone())]).await == Ok(true) {
        call.handset().harmony.counts.add("terminations", 1);
        call.handset().note("AppMgrService", format!("KillApplication {bundle}")).await;
    }
    Ok("force stop process successfully.\n".to_owned())
}

/// Lists the missions, the one in front first.
fn missions(system: &System) -> String {
    let mut running: Vec<(u32, &str)> =
        system.apps().iter().filter_map(|app| Some((system.pid(&app.package)?, app.package.as_str()))).collect();
    running.retain(|(_, package)| *package != launcher::PACKAGE);
    running.sort_by_key(|(process, package)| (system.front.as_deref() != Some(*package), *process));
    let mut text = "User ID #100\n  current mission lists:{\n".to_owned();
    let home = system.front.is_none() || system.is_locked();
    for (process, package) in running {
        let is_front = !home && system.front.as_deref() == Some(package);
        text.push_str(&mission(process % 1000, package, ABILITY, is_front));
    }
    text.push_str("  }\n  default stand mission list:{\n");
    text.push_str(&mission(1, SCENEBOARD, "com.ohos.sceneboard.MainAbility", home));
    text.push_str("  }\n");
    text
}

fn mission(number: u32, bundle: &str, ability: &str, is_front: bool) -> String {
    let state = if is_front { "FOREGROUND" } else { "BACKGROUND" };
    let start = "start time [1]\n";
    format!(
        "    Mission ID #{number}  mission name #[#{bundle}:entry:{ability}]  lockedState #0  mission affinity #[]\n\
         \x20     AbilityRecord ID #{number}\n        app name [{bundle}]\n        main name [{ability}]\n        \
         bundle name [{bundle}]\n        ability type [PAGE]\n        state #{state}  {start}        \
         app state #{state}\n        ready #1  window attached #0  launcher #{}\n        isKeepAlive: false\n    }}\n",
        u8::from(bundle == SCENEBOARD)
    )
}
