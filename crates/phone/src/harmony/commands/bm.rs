//! `bm`: bundles listed, told of, cleared, installed and removed. Source: the tool's own page (bm工具) of OpenHarmony.

use std::io;

use serde_json::{Value, json};

use super::super::acts::{self, Act};
use super::super::install;
use super::super::tree::ABILITY;
use super::words::{has, value};
use crate::app::App;
use crate::commands::Call;

const HELP: &str = "usage: bm <command> <options>\nThese are common bm commands list:\n  help         list available commands\n  install      install a bundle with options\n  uninstall    uninstall a bundle with options\n  dump         dump the bundle info\n  clean        clean the bundle data\n";

pub(crate) async fn bm(call: &mut Call<'_>) -> io::Result<String> {
    let words = std::mem::take(&mut call.arguments);
    let name = value(&words, "-n").map(str::to_owned);
    match words.first().map(String::as_str) {
        Some("dump") if has(&words, "-a") => {
            let system = call.handset().system.lock().await;
            let names: String = system.launchable().iter().map(|app| format!("\t{}\n", app.package)).collect();
            drop(system);
            Ok(format!("ID: 100:\n{names}"))
        }
        Some("dump") => dump(call, name).await,
        Some("clean") => clean(call, name, (has(&words, "-d"), has(&words, "-c"))).await,
        Some("install") => {
            let path = value(&words, "-p").unwrap_or_default();
            let read = call.handset().files.lock().read(&call.shell.path(path));
            let said = match read {
                Ok(package) => install::put(call.handset(), &package, path).await?,
                Err(_) => install::failed("install", 9_568_269, "install failed due to invalid path."),
            };
            Ok(format!("{said}\n"))
        }
        Some("uninstall") => {
            let said = install::remove(call.handset(), name.unwrap_or_default()).await?;
            Ok(format!("{said}\n"))
        }
        _ => Ok(HELP.to_owned()),
    }
}

async fn dump(call: &Call<'_>, name: Option<String>) -> io::Result<String> {
    let Some(name) = name else { return Ok(format!("error: option requires a value.\n{HELP}")) };
    let system = call.handset().system.lock().await;
    let told = system.launchable().iter().find(|app| app.package == name).map(told);
    drop(system);
    match told {
        Some(told) => Ok(format!("{name}:\n{}\n", serde_json::to_string_pretty(&told)?)),
        None => Ok("error: failed to get information and the parameters may be wrong.\n".to_owned()),
    }
}

/// Tells of a bundle, as much as clients read of it.
fn told(app: &App) -> Value {
    let ability = json!({
        "name": ABILITY, "moduleName": "entry", "bundleName": app.package, "label": app.label, "visible": true,
        "skills": [{"actions": ["action.system.home"], "entities": ["entity.system.home"]}],
    });
    let module = json!({
        "moduleName": "entry", "name": "entry", "moduleType": 1, "mainElementName": ABILITY, "mainAbility": ABILITY,
        "abilityInfos": [ability], "deviceTypes": ["phone"],
    });
    json!({
        "name": app.package, "mainEntry": "entry", "entryModuleName": "entry",
        "applicationInfo": {
            "versionCode": app.release.version_code, "versionName": app.release.version_name,
            "bundleName": app.package, "label": app.label, "debug": false, "removable": app.third_party,
            "isSystemApp": !app.third_party,
        },
        "hapModuleInfos": [module],
        "installTime": app.release.installed_ms, "updateTime": app.release.updated_ms,
        "versionCode": app.release.version_code, "versionName": app.release.version_name,
    })
}

async fn clean(call: &Call<'_>, name: Option<String>, (data, cache): (bool, bool)) -> io::Result<String> {
    let name = name.filter(|_| data || cache);
    let Some(name) = name else { return Ok(format!("error: option requires a value.\n{HELP}")) };
    let what = if data { "data" } else { "cache" };
    let is_known = call.handset().system.lock().await.launchable().iter().any(|app| app.package == name);
    if !is_known {
        return Ok(format!("error: clean bundle {what} files failed.\n"));
    }
    if data {
        call.handset().harmony.counts.add("clears", 1);
        // It is there.
        let _ = acts::perform(call.handset(), vec![Act::Clear(name)]).await;
    }
    Ok(format!("clean bundle {what} files successfully.\n"))
}
