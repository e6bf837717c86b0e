//! `uixt doctor`: what is here for phones, browsers, texts in pictures, models and runs; what is missing, and what mends it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use uixt_ai::Service;

use super::device::devices::{Devices, Manner};
use super::device::spec::{DeviceArgs, Spec};
use super::exit::{Done, Exit, print, runtime};
use super::format::Format;
use super::ocr;
use super::run::pool::ALL;
use crate::driver::Registry;
use crate::driver::browser::{self, Engine};
use crate::testcase;

/// What names a queue in the environment.
const QUEUE: &str = "UIXT_QUEUE";
/// How many characters stand in a line beside the names.
const WIDTH: usize = 92;
/// The bytes that a run with pictures and a video may well need.
const ROOM: u64 = 500 << 20;

#[derive(Args)]
pub(super) struct Doctor {
    #[command(flatten)]
    devices: DeviceArgs,
    /// How to print it.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Prints JSON; also `--format json`.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// How something is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Ready,
    /// It is not there, and nothing here asks for it.
    Absent,
    /// It is asked for here and cannot be used.
    Wrong,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Absent => "absent",
            Self::Wrong => "wrong",
        }
    }
}

/// What was found out about one thing.
struct Finding {
    name: &'static str,
    state: State,
    message: String,
    /// What mends it.
    help: Option<String>,
}

impl Finding {
    fn ready(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, state: State::Ready, message: message.into(), help: None }
    }

    /// Takes an error, whose second line, or what stands behind a colon, says what to do.
    fn absent(name: &'static str, error: &str) -> Self {
        let parts = error.split_once("\n  = ").or_else(|| error.split_once(": "));
        let (message, help) = parts.map_or((error, None), |(message, help)| (message, Some(help.to_owned())));
        Self { name, state: State::Absent, message: message.to_owned(), help }
    }

    fn helped(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    fn wrong(self) -> Self {
        Self { state: State::Wrong, ..self }
    }

    fn of(name: &'static str, error: Option<String>, ready: impl Into<String>) -> Self {
        error.map_or_else(|| Self::ready(name, ready), |error| Self::absent(name, &error))
    }
}

impl Doctor {
    pub(super) fn run(self) -> Done {
        let runtime = runtime()?;
        let (wanted, project) = self.wanted();
        let mut findings = runtime.block_on(self.findings(wanted.as_ref()));
        runtime.shutdown_timeout(Duration::from_millis(200));
        let name = wanted.as_ref().map(name_of);
        for finding in findings.iter_mut().filter(|finding| Some(finding.name) == name) {
            if finding.state == State::Absent {
                finding.state = State::Wrong;
            }
        }
        findings.insert(0, project);
        let is_wrong = findings.iter().any(|finding| finding.state == State::Wrong);
        print(&if self.json || self.format == Format::Json { json_text(&findings) } else { table(&findings) })?;
        Ok(if is_wrong { Exit::Errored } else { Exit::Passed })
    }

    /// Returns the device that is asked for, and what was found out about the project.
    fn wanted(&self) -> (Option<Spec>, Finding) {
        const NAME: &str = "project";
        let project = testcase::project(Path::new("."));
        let by_project = project.as_ref().ok().and_then(|project| project.device.clone());
        let parsed = by_project.as_deref().map(str::parse::<Spec>).transpose();
        let finding = match (&project, &parsed) {
            (Err(errors), _) => {
                let errors: Vec<String> = errors.iter().map(testcase::Error::on_one_line).collect();
                Finding::absent(NAME, &errors.join("; ")).wrong()
            }
            (_, Err(error)) => Finding::absent(NAME, &format!("`device` of uixt.yaml: {error}")).wrong(),
            (Ok(project), _) => match (&project.file, &by_project) {
                (Some(file), Some(device)) => Finding::ready(NAME, format!("{file}, whose device is {device}")),
                (Some(file), None) => Finding::ready(NAME, format!("{file}, which names no device")),
                (None, _) => {
                    Finding::absent(NAME, "there is no uixt.yaml here or above").helped("uixt init makes a project")
                }
            },
        };
        (self.devices.device.clone().or(parsed.ok().flatten()), finding)
    }

    async fn findings(&self, wanted: Option<&Spec>) -> Vec<Finding> {
        let registry = Devices::default().ways(Manner::by(&self.devices.ways));
        let wanted = wanted.filter(|spec| !matches!(spec, Spec::Farm(_)));
        let serial = |platform: &str| {
            let named = wanted.filter(|spec| spec.platform() == platform).and_then(Spec::serial);
            named.filter(|serial| *serial != ALL)
        };
        let looked = |platform: &'static str| phones(platform, serial(platform), &registry);
        let (android, ios, harmony) = tokio::join!(looked("android"), looked("ios"), looked("harmony"));
        let mut findings =
            vec![Finding::ready("virtual phones", "--device phone, iphone, harmony-phone"), android, ios, harmony];
        findings.extend([("chromium", Engine::Chrome), ("firefox", Engine::Firefox), ("webkit", Engine::WebKit)].map(
            |(name, engine)| match browser::found(engine) {
                Ok(program) => Finding::ready(name, program.display().to_string()),
                Err(error) => Finding::absent(name, &error.to_string()),
            },
        ));
        findings.extend(fonts());
        let of_models = ocr::unmet();
        findings.push(Finding::of("ocr", of_models, "texts in pictures can be read"));
        findings.push(model());
        findings.push(python().await);
        findings.extend(queue().await);
        findings.extend(disk());
        findings
    }
}

/// Returns what a device is called here.
fn name_of(spec: &Spec) -> &'static str {
    match spec {
        Spec::Phone | Spec::Iphone | Spec::HarmonyPhone => "virtual phones",
        Spec::Browser(Some(Engine::Firefox)) => "firefox",
        Spec::Browser(Some(Engine::WebKit)) => "webkit",
        Spec::Browser(_) => "chromium",
        other => other.platform(),
    }
}

/// Says which phones of a platform there are, or why there are none; where one is asked for, whether it is among them.
async fn phones(platform: &'static str, serial: Option<&str>, registry: &Registry) -> Finding {
    // A phone over TCP is found by nothing but its name.
    serial.inspect(|serial| registry.seek(serial));
    let absence = || registry.absence_on(platform).map(|error| error.to_string());
    match registry.list_on(platform).await {
        Ok(phones) if phones.is_empty() => {
            let how = "connect one by USB, with debugging allowed, and unlock it";
            absence().map_or_else(
                || Finding::absent(platform, "no phone is connected").helped(how),
                |error| Finding::absent(platform, &error),
            )
        }
        Ok(phones) => {
            let told: Vec<String> = phones
                .iter()
                .map(|phone| format!("{platform}:{} {} ({})", phone.serial, phone.name, phone.status))
                .collect();
            let told = told.join(", ");
            if let Some(serial) = serial.filter(|serial| phones.iter().all(|phone| phone.serial != **serial)) {
                let message = format!("{platform}:{serial} is not there; there is {told}");
                return Finding { name: platform, state: State::Absent, message, help: None };
            }
            let finding = Finding::ready(platform, told);
            let with = |state: &str| phones.iter().any(|phone| phone.status.starts_with(state));
            if with("online") {
                finding
            } else if with("no permissions") {
                finding.wrong().helped(
                    "let this user use it: `apt-get install android-sdk-platform-tools-common`, then connect it again",
                )
            } else {
                finding.wrong().helped(
                    "unlock it, accept the dialog on its screen, and connect it again; `uixt devices` tells more",
                )
            }
        }
        Err(error) => Finding::absent(platform, &error.to_string()),
    }
}

/// Says whether pages and pictures can show Chinese; nothing where no fontconfig can tell.
fn fonts() -> Option<Finding> {
    let listed = Command::new("fc-list").args([":lang=zh", "family"]).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    let font = text.lines().next().map(|line| line.split(',').next().unwrap_or(line).to_owned());
    Some(match font {
        Some(font) => Finding::ready("fonts", format!("Chinese by {font}")),
        None => Finding::absent("fonts", "no font has Chinese: pages show boxes instead")
            .helped("`apt-get install fonts-noto-cjk`, or `fonts-wqy-microhei`, which is smaller"),
    })
}

/// Says which model reads steps in words.
fn model() -> Finding {
    match Service::find(None, |name| std::env::var(name).ok()) {
        Ok(service) => Finding::ready("model", format!("{} at {}", service.model, service.base_url)),
        Err(error) if Service::has_address(None, |name| std::env::var(name).ok()) => {
            Finding::absent("model", &error.to_string()).wrong()
        }
        Err(error) => Finding::absent("model", &error.to_string()),
    }
}

/// Says which Python runs functions, and what stands around codes that a testcase did not bring.
async fn python() -> Finding {
    let health = Box::pin(uixt_sandbox::Sessions::default().health()).await;
    let Some(version) = health.python else {
        let how = "`apt-get install python3`; functions and codes need it, other steps do not";
        return Finding::absent("python", "there is no Python 3").helped(how);
    };
    if health.status == uixt_sandbox::Status::Unhealthy {
        let finding = Finding::absent("python", &format!("Python {version}; no sandbox: {}", health.issues.join("; ")));
        return finding.helped(health.recommendations.join("; "));
    }
    Finding::ready("python", format!("Python {version}; a sandbox by {}", health.walls.join(", ")))
}

/// Says whether the queue that the environment names answers; nothing where none is named.
async fn queue() -> Option<Finding> {
    let url = std::env::var(QUEUE).ok().filter(|url| !url.is_empty())?;
    Some(match super::run::reach(&url).await {
        Ok(at) => Finding::ready("queue", at),
        Err(error) => {
            Finding::absent("queue", &error).wrong().helped(format!("start Redis or Valkey there, or unset {QUEUE}"))
        }
    })
}

/// Says how much room there is for reports.
fn disk() -> Option<Finding> {
    let facts = rustix::fs::statvfs(".").ok()?;
    let free = facts.f_bavail.saturating_mul(facts.f_frsize);
    let tenths = free / 100_000_000;
    let finding = Finding::ready("disk", format!("{}.{} GB free here", tenths / 10, tenths % 10));
    Some(if free < ROOM {
        finding.wrong().helped("remove old folders of `results/`, or name another by --report-dir")
    } else {
        finding
    })
}

fn table(findings: &[Finding]) -> String {
    let row = |finding: &Finding| {
        let lines = wrapped(&finding.message).into_iter().chain(finding.help.iter().flat_map(|help| wrapped(help)));
        let heads = std::iter::once(format!("{:<7} {:<15} ", finding.state.name(), finding.name));
        let heads = heads.chain(std::iter::repeat(" ".repeat(24)));
        heads.zip(lines).map(|(head, line)| format!("{head}{line}\n")).collect::<String>()
    };
    findings.iter().map(row).collect()
}

/// Breaks a text into lines between words.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a line");
        if !line.is_empty() && line.chars().count() + word.chars().count() >= WIDTH {
            lines.push(word.to_owned());
        } else {
            let space = if line.is_empty() { "" } else { " " };
            line.push_str(space);
            line.push_str(word);
        }
    }
    lines
}

fn json_text(findings: &[Finding]) -> String {
    let row = |finding: &Finding| json!({"name": finding.name, "state": finding.state.name(), "message": finding.message, "help": finding.help});
    let rows: Vec<Value> = findings.iter().map(row).collect();
    serde_json::to_string_pretty(&rows).unwrap_or_default()
}
