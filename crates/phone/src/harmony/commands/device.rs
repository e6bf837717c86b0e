//! `param`, `power-shell` and `uixt`, which only this phone has.

use std::io;

use serde_json::Value;

use super::super::acts::{self, Act};
use super::words::value;
use crate::commands::Call;

/// Android's keys: darken, light.
const SLEEP: u32 = 223;
const WAKE: u32 = 224;
/// What `param get` tells.
const PARAMS: [(&str, &str); 9] = [
    ("const.ohos.apiversion", "20"),
    ("const.ohos.fullname", "OpenHarmony-6.0.0.1"),
    ("const.product.brand", "uixt"),
    ("const.product.cpu.abilist", "arm64-v8a"),
    ("const.product.manufacturer", "uixt"),
    ("const.product.model", "uixt-harmony"),
    ("const.product.name", "uixt Harmony"),
    ("const.product.software.version", "uixt-harmony 6.0.0.1(SP1C00E1)"),
    ("persist.ace.testmode.enabled", "1"),
];

pub(crate) async fn param(call: &mut Call<'_>) -> io::Result<String> {
    let words = std::mem::take(&mut call.arguments);
    match (words.first().map(String::as_str), words.get(1), words.get(2)) {
        (Some("get"), None, _) => {
            let all: String = PARAMS.iter().map(|(name, value)| format!("\t{name} = {value}\n")).collect();
            Ok(all)
        }
        (Some("get"), Some(name), _) => {
            let set = call.handset().properties.lock().get(name).cloned();
            let known = PARAMS.iter().find(|(known, _)| known == name).map(|(_, value)| (*value).to_owned());
            match set.or(known) {
                Some(value) => Ok(format!("{value}\n")),
                None => Ok(format!("Get parameter \"{name}\" fail! errNum is:106!\n")),
            }
        }
        (Some("set"), Some(name), Some(value)) if name.starts_with("persist.") || name.starts_with("debug.") => {
            call.handset().properties.lock().insert(name.clone(), value.clone());
            Ok(format!("Set parameter {name} {value} success\n"))
        }
        (Some("set"), Some(name), Some(value)) => Ok(format!("Set parameter {name} {value} fail! errNum is:108!\n")),
        _ => Ok("usage: param get [key] | param set key value\n".to_owned()),
    }
}

pub(crate) async fn power_shell(call: &mut Call<'_>) -> io::Result<String> {
    let words = std::mem::take(&mut call.arguments);
    let (key, said) = match words.first().map(String::as_str) {
        Some("wakeup") => (WAKE, "WakeupDevice is called\n"),
        Some("suspend") => (SLEEP, "SuspendDevice is called\n"),
        Some("timeout") if value(&words, "-o").is_some_and(|ms| ms.parse::<u64>().is_ok()) => {
            let ms = value(&words, "-o").unwrap_or_default();
            return Ok(format!("Override screen off time to {ms}\n"));
        }
        Some("timeout") if words.iter().any(|word| word == "-r") => {
            return Ok("Restore screen off time\n".to_owned());
        }
        _ => return Ok("Usage: power-shell <wakeup|suspend|timeout -o MS|timeout -r>\n".to_owned()),
    };
    call.handset().harmony.counts.add("wakes", 1);
    // The keys are always there.
    let _ = acts::perform(call.handset(), vec![Act::Key(key)]).await;
    Ok(said.to_owned())
}

/// `uixt acts`, `uixt faults`, `uixt fault NAME=VALUE`: what was really done, what goes wrong.
pub(crate) async fn uixt(call: &mut Call<'_>) -> io::Result<String> {
    let words = std::mem::take(&mut call.arguments);
    let handset = call.shell.handset.clone();
    match (words.first().map(String::as_str), words.get(1)) {
        (Some("acts"), _) => Ok(format!("{}\n", handset.harmony_acts())),
        (Some("faults"), _) => Ok(format!("{}\n", handset.harmony.faults.all())),
        (Some("fault"), Some(fault)) => {
            let (name, value) = fault.split_once('=').unwrap_or((fault, "true"));
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
            match handset.set_harmony_fault(name, value).await {
                Ok(()) => Ok(String::new()),
                Err(why) => Ok(format!("{why}\n")),
            }
        }
        _ => Ok("usage: uixt acts | uixt faults | uixt fault NAME=VALUE\n".to_owned()),
    }
}
