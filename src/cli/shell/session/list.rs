//! `uixt session list`: the sockets in the folder → what the sessions behind them say that they are.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::address::{self, EXTENSION, SHORTLY};
use super::folder;
use super::wire::{self, Ask};
use crate::cli::exit::{Done, Exit, print};
use crate::cli::format::Format;

#[derive(Args)]
pub(super) struct List {
    /// How to print them.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// A session that runs.
pub(super) struct Running {
    pub(super) name: String,
    pub(super) project: PathBuf,
    pub(super) socket: PathBuf,
    /// Its device, as `android:SERIAL`.
    pub(super) device: String,
    pid: u64,
    age: Duration,
    idle: Duration,
}

impl Running {
    fn read(about: &Value, socket: PathBuf) -> Option<Self> {
        let text = |name: &str| about[name].as_str().map(str::to_owned);
        let seconds = |name: &str| about[name].as_u64().map(Duration::from_secs);
        Some(Self {
            name: text("name")?,
            project: text("project")?.into(),
            socket,
            device: text("device")?,
            pid: about["pid"].as_u64()?,
            age: seconds("age")?,
            idle: seconds("idle")?,
        })
    }

    /// Names it in messages.
    pub(super) fn title(&self) -> String {
        format!("`{}` of {} ({})", self.name, self.project.display(), self.device)
    }

    fn row(&self) -> String {
        let [age, idle] = [self.age, self.idle].map(shown);
        format!("{}\t{}\t{}\t{}\tage {age}\tidle {idle}\n", self.name, self.device, self.project.display(), self.pid)
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name, "device": self.device, "project": self.project.to_string_lossy(), "pid": self.pid,
            "age": self.age.as_secs(), "idle": self.idle.as_secs(),
        })
    }
}

/// Writes a time in one unit or two.
fn shown(time: Duration) -> String {
    match time.as_secs() {
        seconds @ ..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min", seconds / 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

impl List {
    pub(super) fn run(self) -> Done {
        let running = running();
        match self.format {
            Format::Json => {
                let list: Vec<Value> = running.iter().map(Running::json).collect();
                print(&serde_json::to_string_pretty(&list).unwrap_or_default())
            }
            Format::Table if running.is_empty() => {
                eprintln!("no session is running; `uixt session start --device SPEC` starts one");
                Ok(Exit::Passed)
            }
            Format::Table => print(&running.iter().map(Running::row).collect::<String>()),
        }
    }
}

/// Returns the sessions that run, by project and name; what those left that were killed is removed.
pub(super) fn running() -> Vec<Running> {
    let folder = folder::path();
    if folder::check(&folder) != Ok(true) {
        return Vec::new();
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let sockets = entries.filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
    let mut running: Vec<Running> = sockets.filter_map(|socket| about(&socket)).collect();
    running.sort_by(|one, other| (&one.project, &one.name).cmp(&(&other.project, &other.name)));
    running
}

fn about(socket: &Path) -> Option<Running> {
    let stream = match address::connect(socket) {
        Ok(stream) => stream?,
        Err(error) => {
            if error.kind() == ErrorKind::ConnectionRefused {
                let _ = address::clear(socket);
            }
            return None;
        }
    };
    let about = wire::ask(stream, &Ask::About).and_then(|mut asked| asked.answer(Some(SHORTLY)));
    if about.is_err() {
        eprintln!("a session does not answer at {}", socket.display());
    }
    Running::read(&about.ok()?, socket.to_owned())
}
