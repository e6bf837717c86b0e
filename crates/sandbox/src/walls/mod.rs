//! A process that was started for it → walls around itself, and the program that it becomes behind them.

mod calls;
mod files;
mod limits;

use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, set_parent_process_death_signal, setsid};
use serde_json::{Value, json};

/// Says why there are no walls.
pub(crate) const MISSING: Option<&str> = None;

/// How the process ends that could not become another one.
const FAILED: u8 = 3;

pub(crate) fn enter(spec: &Value) -> ExitCode {
    let done = match spec["phase"].as_str() {
        Some("python") => python(spec),
        Some("packages") => packages(spec),
        Some("probe") => return ExitCode::SUCCESS,
        _ => Err("it starts itself so, and nobody else does".to_owned()),
    };
    let Err(why) = done;
    // Whoever started it reads one of the two.
    let _ = tell(&json!({"failed": why}));
    eprintln!("{why}");
    ExitCode::from(FAILED)
}

/// Becomes the Python that runs what nobody trusts.
fn python(spec: &Value) -> Result<std::convert::Infallible, String> {
    die_with_parent()?;
    let mut walls = Vec::new();
    walls.extend(files::restrict(&paths(spec, "read"), &paths(spec, "write"))?.map(|abi| format!("landlock {abi}")));
    let is_wrapped = spec["wrapped"] == true;
    if walls.is_empty() && !is_wrapped {
        return Err(
            "nothing keeps it from files: this kernel has no Landlock, and bubblewrap does not work here".to_owned()
        );
    }
    limits::of_python()?;
    calls::restrict().map_err(|error| format!("the list of system calls cannot be set: {error}"))?;
    walls.extend(["seccomp".to_owned(), "limits".to_owned()]);
    walls.extend(is_wrapped.then(|| "bubblewrap".to_owned()));
    tell(&json!({"walls": walls})).map_err(|error| error.to_string())?;
    Err(become_program(spec, &[("HOME", "."), ("LANG", "C.UTF-8"), ("PATH", "")]))
}

/// Becomes what installs packages: it may read whatever the user may, reach the network, and write what it is told.
fn packages(spec: &Value) -> Result<std::convert::Infallible, String> {
    die_with_parent()?;
    files::restrict_writing(&paths(spec, "write"))?;
    limits::of_packages()?;
    Err(become_program(spec, &[]))
}

/// Has the process killed once whoever started it is gone, and ends it where that is so already.
fn die_with_parent() -> Result<(), String> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|error| error.to_string())?;
    // Nothing of a terminal is for it.
    let _ = setsid();
    let stdin = io::stdin();
    let mut ends = [PollFd::new(&stdin, PollFlags::empty())];
    poll(&mut ends, Some(&Timespec::default())).map_err(|error| error.to_string())?;
    match ends[0].revents().contains(PollFlags::HUP) {
        true => Err("whoever started it is gone".to_owned()),
        false => Ok(()),
    }
}

/// Becomes the program; returns why it could not.
fn become_program(spec: &Value, environment: &[(&str, &str)]) -> String {
    let mut command = Command::new(spec["program"].as_str().unwrap_or_default());
    command.args(spec["args"].as_array().into_iter().flatten().filter_map(Value::as_str));
    if spec["phase"] == "python" {
        command.env_clear();
    }
    command.envs(environment.iter().copied());
    let why = command.exec();
    format!("{} cannot be run: {why}", command.get_program().display())
}

fn paths(spec: &Value, key: &str) -> Vec<PathBuf> {
    spec[key].as_array().into_iter().flatten().filter_map(Value::as_str).map(PathBuf::from).collect()
}

/// Writes a frame to the socket at standard input.
fn tell(frame: &Value) -> io::Result<()> {
    let text = frame.to_string();
    let length = u32::try_from(text.len()).map_err(io::Error::other)?;
    let frame = [&length.to_be_bytes(), text.as_bytes()].concat();
    let mut rest = frame.as_slice();
    while !rest.is_empty() {
        rest = &rest[rustix::io::write(io::stdin(), rest)?..];
    }
    Ok(())
}
