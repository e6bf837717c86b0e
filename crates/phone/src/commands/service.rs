//! `cmd SERVICE …` and `service`: services by their names, handed on to the commands that speak for them.

use std::io;

use super::call::Call;
use super::{am, ime, input, pm, settings, wm};

pub(super) async fn cmd(call: &mut Call<'_>) -> io::Result<u8> {
    if call.arguments.is_empty() {
        return call.fail(20, "cmd: No service specified; use -l to list all services").await;
    }
    let service = call.arguments.remove(0);
    match service.as_str() {
        "-l" => {
            call.done(
                "Currently running services:\n  activity\n  alarm\n  input\n  input_method\n  package\n  settings\n  window\n",
            )
            .await
        }
        "activity" => am::am(call).await,
        "alarm" => alarm(call).await,
        "package" => pm::pm(call).await,
        "input" => input::input(call).await,
        "input_method" => ime::ime(call).await,
        "settings" => settings::settings(call).await,
        "window" => wm::wm(call).await,
        other => call.fail(20, &format!("cmd: Can't find service: {other}")).await,
    }
}

/// `cmd alarm set-time MILLISECONDS`, as Android 10 and later have it: sets the date, and says nothing.
async fn alarm(call: &mut Call<'_>) -> io::Result<u8> {
    let words: Vec<&str> = call.arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["set-time", time] => match time.parse() {
            Ok(time) => {
                call.handset().system.lock().await.set_date(time);
                Ok(0)
            }
            Err(_) => call.fail(255, &format!("java.lang.NumberFormatException: For input string: \"{time}\"")).await,
        },
        _ => call.fail(255, "alarm: only `set-time MILLISECONDS` is supported by the virtual phone").await,
    }
}

pub(super) async fn service(call: &mut Call<'_>) -> io::Result<u8> {
    const KNOWN: [&str; 7] = ["activity", "alarm", "input", "input_method", "package", "settings", "window"];
    let words: Vec<&str> = call.arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["check", name] => {
            let found = if KNOWN.contains(name) { "found" } else { "not found" };
            call.done(format!("Service {name}: {found}\n")).await
        }
        _ => call.fail(10, "service: only `service check NAME` is supported by the virtual phone").await,
    }
}
