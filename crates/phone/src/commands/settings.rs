//! `settings`: get, put, delete and list in the namespaces system, secure and global. Source: AOSP `SettingsService.java`.

use std::io;

use super::call::Call;
use crate::system::System;

const NAMESPACES: [&str; 3] = ["system", "secure", "global"];
/// Settings that may be there at the same time, and bytes of a value.
const MAX: usize = 2000;
const MAX_LEN: usize = 32 * 1024;

pub(super) async fn settings(call: &mut Call<'_>) -> io::Result<u8> {
    let mut arguments: Vec<&str> = call.arguments.iter().map(String::as_str).collect();
    if let Some(at) = arguments.iter().position(|argument| *argument == "--user") {
        arguments.drain(at..arguments.len().min(at + 2));
    }
    let ([command, rest @ ..], Some(namespace)) = (arguments.as_slice(), arguments.get(1)) else {
        return call.fail(255, "Settings provider (settings) commands:\n  get NAMESPACE KEY\n  put NAMESPACE KEY VALUE\n  delete NAMESPACE KEY\n  list NAMESPACE").await;
    };
    let namespace = namespace.to_lowercase();
    if !NAMESPACES.contains(&namespace.as_str()) {
        return call.fail(255, &format!("Invalid namespace '{namespace}'")).await;
    }
    match (*command, &rest[1..]) {
        ("get", [key]) => {
            let system = call.handset().system.lock().await;
            let value = system.settings.get(&format!("{namespace}/{key}")).cloned();
            drop(system);
            call.done(format!("{}\n", value.as_deref().unwrap_or("null"))).await
        }
        ("put", [key, value, ..]) => put(call, format!("{namespace}/{key}"), value).await,
        ("delete", [key]) => {
            let removed = call.handset().system.lock().await.settings.remove(&format!("{namespace}/{key}"));
            call.done(format!("Deleted {} rows\n", u8::from(removed.is_some()))).await
        }
        ("list", []) => {
            let prefix = format!("{namespace}/");
            let system = call.handset().system.lock().await;
            let own = system.settings.iter().filter_map(|(key, value)| Some((key.strip_prefix(&prefix)?, value)));
            let lines: Vec<String> = own.map(|(key, value)| format!("{key}={value}\n")).collect();
            drop(system);
            call.done(lines.concat()).await
        }
        _ => call.fail(255, &format!("Bad arguments of {command}")).await,
    }
}

async fn put(call: &Call<'_>, key: String, value: &str) -> io::Result<u8> {
    let mut system = call.handset().system.lock().await;
    let full = value.len() > MAX_LEN || (system.settings.len() >= MAX && !system.settings.contains_key(&key));
    if full {
        drop(system);
        return call.fail(255, "Error: no room for this setting").await;
    }
    let turns = ["system/accelerometer_rotation", "system/user_rotation"].contains(&key.as_str());
    system.settings.insert(key, value.to_owned());
    if turns {
        turn(&mut system);
    }
    Ok(0)
}

/// Turns the screen as the settings say; where it follows the sensor, the phone stands upright.
fn turn(system: &mut System) {
    let free = system.settings.get("system/accelerometer_rotation").is_some_and(|value| value == "1");
    let held = system.settings.get("system/user_rotation").and_then(|value| value.parse::<u8>().ok());
    match held.filter(|rotation| *rotation < 4) {
        _ if free => system.set_rotation(0),
        Some(rotation) => system.set_rotation(rotation),
        None => {}
    }
}
