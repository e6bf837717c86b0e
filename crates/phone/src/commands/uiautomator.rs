//! `uiautomator dump`. Source: AOSP `frameworks/base/cmds/uiautomator/.../DumpCommand.java`, its spelling included.

use std::io;
use std::time::Duration;

use super::call::Call;
use crate::files::Errno;

/// How long an app is waited for that does not tell what is in its window (`AccessibilityInteractionClient`).
const TIMEOUT: Duration = Duration::from_secs(5);
const DEFAULT_FILE: &str = "/sdcard/window_dump.xml";

pub(super) async fn uiautomator(call: &mut Call<'_>) -> io::Result<u8> {
    match call.arguments.first().map(String::as_str) {
        Some("dump") => dump(call).await,
        Some("runtest" | "events") => {
            call.fail(1, "ERROR: only `uiautomator dump` is supported by the virtual phone").await
        }
        _ => call.err("Usage: uiautomator <subcommand> [options]\n\nAvailable subcommands:\n\ndump: creates an XML dump of current UI hierarchy\n    dump [--verbose][file]\n").await.map(|()| 1),
    }
}

async fn dump(call: &mut Call<'_>) -> io::Result<u8> {
    // Android lets one program see its windows at a time, and ends the other.
    if call.handset().automator.running().is_some() {
        return call.fail(137, "Killed").await;
    }
    let file = call.arguments.iter().skip(1).find(|argument| !argument.starts_with("--"));
    let name = file.cloned().unwrap_or_else(|| DEFAULT_FILE.to_owned());
    call.handset().now_ms().await;
    let is_told = call.handset().until_it_answers(TIMEOUT).await || call.handset().system.lock().await.has_alert();
    if !is_told {
        return call.fail(1, "ERROR: null root node returned by UiTestAutomationBridge.").await;
    }
    let is_whole = call.arguments.iter().any(|argument| argument == "--windows");
    let xml = {
        let system = call.handset().system.lock().await;
        if is_whole { system.dump_windows() } else { system.dump() }
    };
    let told = format!("UI hierchary dumped to: {name}\n");
    if matches!(name.as_str(), "/dev/tty" | "/dev/stdout") {
        return call.done(format!("{xml}{told}")).await;
    }
    let path = call.shell.path(&name);
    let written = {
        let mut files = call.handset().files.lock();
        files.create(&path, 0o660).and_then(|()| files.append(&path, xml.as_bytes()))
    };
    match written {
        // As Android's own: it writes only into the log that the file was cut short.
        Ok(()) | Err(Errno::NoSpace) => call.done(told).await,
        Err(errno) => call.fail(1, &format!("java.io.FileNotFoundException: {name}: open failed: {errno}")).await,
    }
}
