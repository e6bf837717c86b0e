//! `ps`, `pidof`, `kill` and `pkill`: the apps that run, and the processes that every phone has.

use std::io;

use super::call::Call;
use crate::automator;
use crate::launcher;
use crate::options::Face;
use crate::shell::NAME;

/// A process.
struct Process {
    user: String,
    id: u32,
    parent: u32,
    name: String,
}

/// What toybox says of its options; clients look for `-A` in it.
const HELP: &str = "usage: ps [-AadefLlnwZ] [-fl] [-gG GROUP,] [-k FIELD,] [-o FIELD,] [-p PID,] [-t TTY,] [-u USER,]\n\n\
    -A\tAll\n-e\tSynonym for -A\n-f\tFull listing\n-o\tShow FIELDs\n-p\tPIDs\n";
const ZYGOTE: u32 = 400;
const ALWAYS: [(&str, u32, u32, &str); 7] = [
    ("root", 1, 0, "init"),
    ("logd", 200, 1, "logd"),
    ("system", 210, 1, "servicemanager"),
    ("system", 300, 1, "surfaceflinger"),
    ("root", ZYGOTE, 1, "zygote64"),
    ("shell", 500, 1, "adbd"),
    ("system", 1000, ZYGOTE, "system_server"),
];

/// HarmonyOS's own.
const HARMONYS: [(&str, u32, u32, &str); 6] = [
    ("root", 1, 0, "init"),
    ("root", ZYGOTE, 1, "appspawn"),
    ("shell", 500, 1, "hdcd"),
    ("foundation", 620, 1, "foundation"),
    ("graphics", 700, 1, "render_service"),
    ("20020010", launcher::PROCESS_ID, ZYGOTE, "com.ohos.sceneboard"),
];
/// What `ps` calls the daemon of `uitest`, and what `pidof` does.
const DAEMON: &str = "uitest start-daemon singleness";
const UITEST: &str = "uitest";

async fn processes(call: &Call<'_>) -> Vec<Process> {
    let is_harmony = call.handset().options.face == Face::Harmony;
    let always = if is_harmony { &HARMONYS[..] } else { &ALWAYS };
    let fixed = always.iter().map(|(user, id, parent, name)| (*user, *id, *parent, *name));
    let mut all: Vec<Process> = fixed
        .map(|(user, id, parent, name)| Process { user: user.to_owned(), id, parent, name: name.to_owned() })
        .collect();
    if call.handset().automator.running().is_some() {
        let (user, name) = ("u0_a190".to_owned(), automator::PROCESS.to_owned());
        all.push(Process { user, id: automator::PROCESS_ID, parent: ZYGOTE, name });
    }
    if let Some(id) = call.handset().harmony.daemon() {
        all.push(Process { user: "shell".to_owned(), id, parent: 1, name: DAEMON.to_owned() });
    }
    let system = call.handset().system.lock().await;
    for (index, app) in system.apps().iter().enumerate() {
        if is_harmony && app.package == launcher::PACKAGE {
            continue;
        }
        if let Some(id) = system.pid(&app.package) {
            all.push(Process { user: format!("u0_a{}", 100 + index), id, parent: ZYGOTE, name: app.package.clone() });
        }
    }
    all
}

/// `ps [-A] [-e] [-f] [-o FIELDS] [-p PID]`.
pub(super) async fn ps(call: &mut Call<'_>) -> io::Result<u8> {
    let (mut all, mut fields, mut wanted) = (false, "USER,PID,PPID,VSZ,RSS,WCHAN,ADDR,S,NAME".to_owned(), None);
    let mut arguments = std::mem::take(&mut call.arguments).into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-A" | "-e" | "-ef" | "-f" | "-Af" => all = true,
            "-o" => fields = arguments.next().unwrap_or_default().to_uppercase(),
            "--help" => return call.done(HELP).await,
            "-p" => wanted = arguments.next().and_then(|id| id.parse::<u32>().ok()),
            other => return call.fail(1, &format!("ps: Unknown option '{other}'")).await,
        }
    }
    let fields: Vec<&str> = fields.split(',').collect();
    if let Some(unknown) = fields.iter().find(|field| width(field).is_none()) {
        return call.fail(1, &format!("ps: bad -o {unknown}")).await;
    }
    let mut text = row(&fields, str::to_owned);
    for process in processes(call).await {
        let shown = wanted.map_or(all || process.user == "shell", |id| id == process.id);
        if shown {
            text.push_str(&row(&fields, |field| value(&process, field)));
        }
    }
    call.done(text).await
}

/// Columns of a field; those of texts are negative.
fn width(field: &str) -> Option<isize> {
    Some(match field {
        "USER" => -12,
        "PID" | "PPID" | "RSS" | "UID" => 6,
        "VSZ" => 10,
        "WCHAN" => -16,
        "ADDR" => 8,
        "S" | "STAT" => 1,
        "NAME" | "ARGS" | "CMD" | "CMDLINE" | "COMM" => -1,
        _ => return None,
    })
}

fn value(process: &Process, field: &str) -> String {
    match field {
        "USER" | "UID" => process.user.clone(),
        "PID" => process.id.to_string(),
        "PPID" => process.parent.to_string(),
        "VSZ" => "10782796".to_owned(),
        "RSS" => "98304".to_owned(),
        "WCHAN" | "ADDR" => "0".to_owned(),
        "S" | "STAT" => "S".to_owned(),
        _ => process.name.clone(),
    }
}

fn row(fields: &[&str], value: impl Fn(&str) -> String) -> String {
    let cells: Vec<String> = fields
        .iter()
        .map(|field| {
            let (columns, value) = (width(field).unwrap_or(1), value(field));
            let size = columns.unsigned_abs();
            if columns < 0 { format!("{value:<size$}") } else { format!("{value:>size$}") }
        })
        .collect();
    format!("{}\n", cells.join(" "))
}

pub(super) async fn pidof(call: &mut Call<'_>) -> io::Result<u8> {
    call.arguments.retain(|argument| argument != "-s");
    let all = processes(call).await;
    let found: Vec<String> = all
        .iter()
        .filter(|process| {
            let name = if process.name == DAEMON { UITEST } else { &process.name };
            call.arguments.iter().any(|argument| argument == name)
        })
        .map(|process| process.id.to_string())
        .collect();
    if found.is_empty() { Ok(1) } else { call.done(format!("{}\n", found.join(" "))).await }
}

/// `pkill [-SIGNAL] [-f] PATTERN`: of what runs in a shell of the phone's own, recordings of the screen are found and ended; of
/// other processes only those that the shell's user may not end.
pub(super) async fn pkill(call: &mut Call<'_>) -> io::Result<u8> {
    call.arguments.retain(|argument| !argument.starts_with('-'));
    let [pattern] = call.arguments.as_slice() else {
        return call.fail(1, "pkill: Needs 1 argument").await;
    };
    let Ok(pattern) = regex::Regex::new(pattern) else {
        return call.fail(1, &format!("pkill: bad regex '{pattern}'")).await;
    };
    if call.handset().films.end(|command| pattern.is_match(command)) {
        return Ok(0);
    }
    match processes(call).await.iter().find(|process| pattern.is_match(&process.name)) {
        Some(process) => call.fail(1, &format!("pkill: {}: Operation not permitted", process.id)).await,
        None => Ok(1),
    }
}

/// `kill [-SIGNAL] PID…`: the shell's user may not end anybody else's process.
pub(super) async fn kill(call: &mut Call<'_>) -> io::Result<u8> {
    call.arguments.retain(|argument| !argument.starts_with('-'));
    if call.arguments.is_empty() {
        return call.fail(1, &format!("{NAME}: kill: usage: kill [-s signame | -signum | -signame] {{pid}} …")).await;
    }
    let all = processes(call).await;
    let mut status = 0;
    for argument in &call.arguments {
        if argument.parse().is_ok_and(|id: u32| call.handset().harmony.end_daemon(Some(id))) {
            continue;
        }
        let known = argument.parse().is_ok_and(|id: u32| all.iter().any(|process| process.id == id));
        let reason = if known { "Operation not permitted" } else { "No such process" };
        status = call.fail(1, &format!("{NAME}: kill: {argument}: {reason}")).await?;
    }
    Ok(status)
}
