//! `ime`: the input methods. Source: AOSP `InputMethodManagerService.java`, class `ShellCommandImpl`.

use std::collections::BTreeMap;
use std::io;

use super::call::Call;
use crate::settings::{CURRENT_IME, ENABLED_IMES, INPUT_METHODS, LATIN_IME, enabled_imes};

pub(super) async fn ime(call: &mut Call<'_>) -> io::Result<u8> {
    let arguments: Vec<&str> = call.arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["list", switches @ ..] => list(call, switches).await,
        ["set", id] => change(call, id, set).await,
        ["enable", id] => change(call, id, enable).await,
        ["disable", id] => change(call, id, disable).await,
        ["reset"] => {
            let mut system = call.handset().system.lock().await;
            system.settings.insert(CURRENT_IME.to_owned(), LATIN_IME.to_owned());
            system.settings.insert(ENABLED_IMES.to_owned(), INPUT_METHODS.join(":"));
            drop(system);
            call.done(format!("Reset current and enabled IMEs for user #0\n  Newly selected: {LATIN_IME}\n")).await
        }
        _ => call.fail(255, "ime <command>:\n  list [-a] [-s]\n  enable [--user <USER_ID>] <ID>\n  disable <ID>\n  set <ID>\n  reset").await,
    }
}

async fn list(call: &Call<'_>, switches: &[&str]) -> io::Result<u8> {
    let (all, short) = (switches.contains(&"-a"), switches.contains(&"-s"));
    let shown: Vec<String> = {
        let system = call.handset().system.lock().await;
        let enabled = enabled_imes(&system.settings);
        INPUT_METHODS.iter().filter(|id| all || enabled.contains(id)).map(|id| (*id).to_owned()).collect()
    };
    let line =
        |id: String| if short { format!("{id}\n") } else { format!("{id}:\n  mId={id} mSettingsActivityName=null\n") };
    call.done(shown.into_iter().map(line).collect::<String>()).await
}

type Settings = BTreeMap<String, String>;

/// Applies a change to a known input method; the error goes to standard error.
async fn change(call: &Call<'_>, id: &str, apply: fn(&mut Settings, &str) -> Result<String, String>) -> io::Result<u8> {
    let changed = apply(&mut call.handset().system.lock().await.settings, id);
    match changed {
        Ok(text) => call.done(format!("{text}\n")).await,
        Err(text) => call.fail(255, &text).await,
    }
}

fn set(settings: &mut Settings, id: &str) -> Result<String, String> {
    if !enabled_imes(settings).contains(&id) {
        return Err(format!("Unknown input method {id} cannot be selected for user #0"));
    }
    settings.insert(CURRENT_IME.to_owned(), id.to_owned());
    Ok(format!("Input method {id} selected for user #0"))
}

fn enable(settings: &mut Settings, id: &str) -> Result<String, String> {
    if !INPUT_METHODS.contains(&id) {
        return Err(format!("Unknown input method {id} cannot be enabled for user #0"));
    }
    let mut enabled = enabled_imes(settings);
    if enabled.contains(&id) {
        return Ok(format!("Input method {id}: already enabled for user #0"));
    }
    enabled.push(id);
    let joined = enabled.join(":");
    settings.insert(ENABLED_IMES.to_owned(), joined);
    Ok(format!("Input method {id}: now enabled for user #0"))
}

fn disable(settings: &mut Settings, id: &str) -> Result<String, String> {
    if !INPUT_METHODS.contains(&id) {
        return Err(format!("Unknown input method {id} cannot be disabled for user #0"));
    }
    let mut enabled = enabled_imes(settings);
    if !enabled.contains(&id) {
        return Ok(format!("Input method {id}: already disabled for user #0"));
    }
    enabled.retain(|known| *known != id);
    let joined = enabled.join(":");
    settings.insert(ENABLED_IMES.to_owned(), joined);
    if settings.get(CURRENT_IME).is_some_and(|current| current == id) {
        settings.insert(CURRENT_IME.to_owned(), LATIN_IME.to_owned());
    }
    Ok(format!("Input method {id}: now disabled for user #0"))
}
