//! `am instrument`: starts the stand-in for the UiAutomator2 server, where its packages are there. Source: AOSP `Instrument.java`.

use std::io;

use super::call::Call;
use crate::automator::packages::{INSTRUMENTATION, TEST};

/// The options that take a word, and those that take two.
const WITH_WORD: [&str; 4] = ["-p", "--user", "--abi", "-f"];
const WITH_PAIR: &str = "-e";

pub(super) async fn instrument(call: &mut Call<'_>) -> io::Result<u8> {
    let (mut waits, mut target) = (false, None);
    let mut words = call.arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-w" => waits = true,
            WITH_PAIR => drop((words.next(), words.next())),
            option if WITH_WORD.contains(&option) => drop(words.next()),
            option if option.starts_with('-') => {}
            name => target = Some(name.to_owned()),
        }
    }
    let Some(target) = target else { return call.fail(1, "Error: Missing instrumentation component").await };
    let is_there = target == INSTRUMENTATION && call.handset().system.lock().await.has_automator();
    if !is_there {
        return missing(call, &target).await;
    }
    start(call, waits).await
}

async fn missing(call: &Call<'_>, target: &str) -> io::Result<u8> {
    let (package, class) = target.split_once('/').unwrap_or((target, ""));
    let component = format!("{package}/{class}");
    call.out(format!(
        "INSTRUMENTATION_STATUS: id=ActivityManagerService\nINSTRUMENTATION_STATUS: Error=Unable to find instrumentation \
         info for: ComponentInfo{{{component}}}\nINSTRUMENTATION_STATUS_CODE: -1\n"
    ))
    .await?;
    call.fail(1, &format!("android.util.AndroidException: INSTRUMENTATION_FAILED: {component}")).await
}

async fn start(call: &Call<'_>, waits: bool) -> io::Result<u8> {
    let Some(over) = call.handset().automator.start() else {
        // The second one cannot see the windows, and crashes.
        return call.done("INSTRUMENTATION_RESULT: shortMsg=java.lang.IllegalStateException\nINSTRUMENTATION_RESULT: longMsg=java.lang.IllegalStateException: UiAutomationService already registered!\nINSTRUMENTATION_CODE: 0\n").await;
    };
    call.handset().note("ActivityManager", format!("Start proc for added application {TEST}")).await;
    if !waits {
        return Ok(0);
    }
    over.cancelled().await;
    match call.handset().automator.is_done() {
        true => call.done("\nTime: 1.0\n\nOK (1 test)\n\n\n").await,
        false => call.done("INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n").await,
    }
}
