//! `am` and `cmd activity`. Source: AOSP `ActivityManagerShellCommand.java`.

use std::io;

use super::call::Call;
use super::intent::Intent;
use super::packages::{self, Package};
use super::{broadcast, instrument};
use crate::automator::packages::{SERVER, TEST};
use crate::links;

/// The service by which Clipper listens for broadcasts; it always runs here.
const CLIPPER_SERVICE: &str = "ca.zgrs.clipper/.ClipboardService";

pub(super) async fn am(call: &mut Call<'_>) -> io::Result<u8> {
    if call.arguments.is_empty() {
        return call.done("Activity manager (activity) commands:\n  start [-W] [-S] INTENT\n  force-stop PACKAGE\n  broadcast INTENT\n").await;
    }
    let command = call.arguments.remove(0);
    match command.as_str() {
        "start" | "start-activity" => start(call).await,
        "force-stop" | "stop-app" | "kill" => stop(call).await,
        "broadcast" => broadcast::broadcast(call).await,
        "get-current-user" => call.done("0\n").await,
        "kill-all" | "wait-for-broadcast-idle" | "idle-maintenance" => Ok(0),
        "instrument" => instrument::instrument(call).await,
        "startservice" | "start-service" if call.arguments.iter().any(|word| word == CLIPPER_SERVICE) => {
            call.done(format!("Starting service: Intent {{ cmp={CLIPPER_SERVICE} }}\n")).await
        }
        "startservice" | "start-service" | "startforegroundservice" | "start-foreground-service" => {
            call.fail(255, "Error: Not found; no service started.").await
        }
        other => call.fail(255, &format!("Unknown command: {other}")).await,
    }
}

async fn stop(call: &mut Call<'_>) -> io::Result<u8> {
    let mut names = std::mem::take(&mut call.arguments).into_iter();
    let mut name = names.next();
    if name.as_deref() == Some("--user") {
        names.next();
        name = names.next();
    }
    let Some(name) = name else {
        return call.fail(255, "\nException occurred while executing 'force-stop':\njava.lang.IllegalArgumentException: Argument expected after \"force-stop\"").await;
    };
    let package = name.clone();
    if [SERVER, TEST].contains(&name.as_str()) {
        call.handset().automator.kill();
    }
    if call.handset().act(async move |mut system| system.force_stop(&package)).await? {
        call.handset().note("ActivityManager", format!("Force stopping {name} appid=10100 user=0: from pid 500")).await;
    }
    Ok(0)
}

async fn start(call: &mut Call<'_>) -> io::Result<u8> {
    let intent = match Intent::read(&call.arguments) {
        Ok(intent) => intent,
        Err(message) => return call.fail(255, &format!("Error: {message}")).await,
    };
    call.out(format!("Starting: {}\n", intent.shown(""))).await?;
    let package = match wanted(call, &intent).await {
        Ok(package) => package,
        Err(message) => return call.fail(1, &message).await,
    };
    launch(call, &intent, package).await
}

/// Finds the app that an intent means; the error is what `am` prints.
async fn wanted(call: &Call<'_>, intent: &Intent) -> Result<Package, String> {
    let system = call.handset().system.lock().await;
    if let Some((name, class)) = &intent.component {
        let found = packages::find(&system, name).filter(|package| package.has(class));
        let class = packages::whole_class(name, class);
        return found.ok_or_else(|| format!("Error type 3\nError: Activity class {{{name}/{class}}} does not exist."));
    }
    let home = intent.categories.iter().any(|category| category == "android.intent.category.HOME");
    let found = match &intent.package {
        wanted if intent.data.is_some() => {
            let taker = intent.data.as_deref().filter(|_| opens_links(intent)).and_then(links::taker);
            let taker = taker.filter(|taker| wanted.as_ref().is_none_or(|wanted| wanted == taker));
            taker.and_then(|name| packages::find(&system, name))
        }
        Some(name) => packages::find(&system, name).filter(|package| package.activity.is_some()),
        None if home => packages::launcher(&system),
        None => None,
    };
    found.ok_or_else(|| format!("Error: Activity not started, unable to resolve {}", intent.shown("0x10000000")))
}

/// Whether an intent asks to show what its link leads to.
fn opens_links(intent: &Intent) -> bool {
    intent.action.as_deref().is_none_or(|action| action == "android.intent.action.VIEW")
}

async fn launch(call: &Call<'_>, intent: &Intent, package: Package) -> io::Result<u8> {
    let (name, stops) = (package.name.clone(), intent.stops);
    let link = intent.data.clone().filter(|url| links::taker(url) == Some(name.as_str()));
    let launched = call.handset().act(async move |mut system| {
        if stops {
            system.force_stop(&name);
        }
        let (running, front) = (system.pid(&name).is_some(), system.foreground().0 == name);
        let began = system.now_ms();
        let opened = match link {
            Some(link) => system.open_link(&link).await,
            None => system.launch(&name).await,
        };
        opened.map(|()| (running, front, system.now_ms().saturating_sub(began)))
    });
    let component = package.component().unwrap_or_default();
    let (running, front, time) = match launched.await? {
        Ok(launched) => launched,
        Err(refused) => return call.fail(1, &format!("Error: Activity not started, {refused}")).await,
    };
    call.handset()
        .note(
            "ActivityTaskManager",
            format!("START u0 {{cmp={component}}} with LAUNCH_MULTIPLE from uid 2000 result code=0"),
        )
        .await;
    if front {
        call.err("Warning: Activity not started, intent has been delivered to currently running top-most instance.\n")
            .await?;
    } else if running {
        call.err("Warning: Activity not started, its current task has been brought to the front\n").await?;
    }
    if !intent.waits {
        return Ok(0);
    }
    let state = if running { "HOT" } else { "COLD" };
    let wait = time + 2;
    call.done(format!(
        "Status: ok\nLaunchState: {state}\nActivity: {component}\nTotalTime: {time}\nWaitTime: {wait}\nComplete\n"
    ))
    .await
}
