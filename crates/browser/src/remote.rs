//! Settings → a session of a WebDriver: one that runs somewhere, or one that is started here for a browser that is.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::ChildStdout;
use tokio::sync::mpsc;

use super::backend::{Backend, World};
use super::capabilities::{self, Where};
use super::cdp::Cdp;
use super::connection::Connection;
use super::display::Display;
use super::engine::Engine;
use super::frames_cdp::Known;
use super::page_setup::{PageSetup, serve};
use super::process::Process;
use super::profile::Profile;
use super::settings::Settings;
use super::state::State;
use super::tabs::Tabs;
use super::webdriver::WebDriver;
use super::webdriver_protocol::{self, Session};
use super::{cdp_setup, find};
use crate::driver::Error;

/// How long a WebDriver may take until it takes sessions.
const STARTING: Duration = Duration::from_secs(20);

/// How long its look for that is apart.
const PAUSE: Duration = Duration::from_millis(5);

/// Begins a program with another environment.
const ENV: &str = "/usr/bin/env";

/// Becomes a program whose standard output is the fourth file of the process.
const SHELL: &str = "/bin/sh";
const SAY: &str = r#"exec "$@" >&4"#;

/// How often it is tried, each time at another port.
const TRIES: u32 = 3;

/// A WebDriver that was started here, and the folder of the browser that it starts.
pub(super) struct Server {
    process: Process,
    profile: Profile,
    address: String,
    display: Option<Display>,
}

impl Server {
    /// Starts a WebDriver on a free port, with a screen where its browser needs one.
    pub(super) async fn start(settings: &Settings) -> Result<Self, Error> {
        let launch = &settings.launch;
        let program = find::webdriver(launch.engine, launch.driver.as_deref())?;
        if launch.engine == Engine::WebKit && launch.headed && !has_screen() {
            let message = "there is no screen for WebKit's window; leave `headed` out, or use xvfb-run".to_owned();
            return Err(Error::Disconnected { message });
        }
        let needs_screen = launch.engine == Engine::WebKit && !launch.headed;
        let display = if needs_screen { Some(Display::start(&settings.viewport).await?) } else { None };
        let mut last = String::new();
        for attempt in 0..TRIES {
            // WebKit's WebDriver takes no port 0, nor do old ones of the others.
            let is_free_port_told = launch.engine != Engine::WebKit && attempt == 0;
            match Self::attempt(&program, display.as_ref(), is_free_port_told).await {
                Ok(server) => return Ok(Self { display, ..server }),
                Err(why) => last = why,
            }
        }
        if let Some(display) = display {
            display.end().await;
        }
        Err(Error::Disconnected { message: format!("{} could not be started: {last}", program.display()) })
    }

    /// Starts it at a port that it finds and tells, or at one that is free now, which another program may take before it does.
    async fn attempt(program: &Path, display: Option<&Display>, is_free_port_told: bool) -> Result<Self, String> {
        let profile = Profile::new();
        let mut port =
            if is_free_port_told { 0 } else { free_port().map_err(|error| format!("no free port: {error}"))? };
        let mut args: Vec<OsString> = vec!["-c".into(), SAY.into(), "sh".into()];
        if let Some(display) = display {
            args.extend([ENV.into(), format!("DISPLAY={}", display.name).into(), "GDK_BACKEND=x11".into()]);
        }
        args.extend([program.into(), format!("--port={port}").into()]);
        let (mut process, pipes) = Process::start(Path::new(SHELL), &args, profile.path()).await?;
        let end = Instant::now() + STARTING;
        let mut lines = BufReader::new(pipes.from).lines();
        if is_free_port_told {
            match tokio::time::timeout(STARTING, told_port(&mut lines)).await {
                Ok(Some(told)) => port = told,
                Ok(None) => {
                    process.wait(PAUSE).await;
                    let said = process.said().text();
                    process.kill().await;
                    return Err(format!("it told no port; it said: {said}"));
                }
                Err(_) => {
                    process.kill().await;
                    return Err(format!("it told no port within {} s", STARTING.as_secs()));
                }
            }
        }
        // Whatever else it says is read until it ends, so that it never waits for a reader.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let address = format!("http://127.0.0.1:{port}");
        loop {
            if let Some(status) = process.ended() {
                return Err(format!("it ended: {status}; it said: {}", process.said().text()));
            }
            if webdriver_protocol::is_ready(&address).await {
                return Ok(Self { process, profile, address, display: None });
            }
            if Instant::now() > end {
                process.kill().await;
                return Err(format!("it did not answer within {} s", STARTING.as_secs()));
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Says how it ended, where it has.
    pub(super) fn death(&mut self) -> Option<String> {
        let status = self.process.ended()?;
        Some(format!("its WebDriver ended: {status}; it said: {}", self.process.said().text()))
    }

    /// Ends it, what it started, and the folder.
    pub(super) async fn end(self) {
        self.process.kill().await;
        self.profile.remove().await;
        if let Some(display) = self.display {
            display.end().await;
        }
    }

    /// Begins a session of a browser that this WebDriver starts.
    pub(super) async fn begin(&self, settings: &Settings) -> Result<WebDriver, Error> {
        begin(&self.address, settings, Where::Here(self.profile.path())).await.map_err(|error| self.explained(error))
    }

    /// Adds what the browser said where it did not begin.
    fn explained(&self, error: Error) -> Error {
        let said = self.process.said().text();
        match error {
            Error::Disconnected { message } | Error::Device { message } if !said.is_empty() => {
                Error::Disconnected { message: format!("{message}; it said: {said}") }
            }
            other => other,
        }
    }
}

/// Begins a session of a WebDriver that runs somewhere.
pub(super) async fn begin_at(address: &str, settings: &Settings) -> Result<WebDriver, Error> {
    begin(address, settings, Where::Elsewhere).await
}

async fn begin(address: &str, settings: &Settings, place: Where<'_>) -> Result<WebDriver, Error> {
    let session = Session::begin(address, &capabilities::capabilities(settings, place)?).await?;
    let backend = WebDriver::new(session, settings);
    let begun = match (Engine::of_session(&backend.session.capabilities), settings.launch.capabilities.is_empty()) {
        // A remote end that grants something else than it was asked for would be tested unawares.
        (Some(engine), true) if engine != settings.launch.engine => Err(Error::Device {
            message: format!("the WebDriver was asked for {}, and gives {engine}", settings.launch.engine),
        }),
        _ => backend.ready().await,
    };
    match begun {
        Ok(()) => Ok(backend),
        Err(error) => {
            backend.close().await;
            Err(error)
        }
    }
}

/// Returns the faster way to a session's page, where the session offers one; an error is about what the settings ask for.
pub(super) async fn faster(backend: &WebDriver, settings: &Settings) -> Result<Option<Cdp>, Error> {
    let Some(cdp) = attached(backend, settings).await else { return Ok(None) };
    cdp.tabs.downloads.keep_in(cdp.context.as_deref(), settings.downloads.clone());
    for (method, params) in cdp_setup::profile(settings, None) {
        cdp.ask(method, &params).await?;
    }
    if let Some(path) = &settings.storage_state {
        State::read(path).await?.fill(&cdp).await?;
    }
    Ok(Some(cdp))
}

async fn attached(backend: &WebDriver, settings: &Settings) -> Option<Cdp> {
    let debugger = backend.session.capabilities["goog:chromeOptions"]["debuggerAddress"].as_str()?;
    // It is the address as the remote end's own computer knows it.
    let is_here = |text: &str| reqwest::Url::parse(text).is_ok_and(|url| webdriver_protocol::is_here(&url));
    if !is_here(backend.session.server()) || !is_here(&format!("http://{debugger}")) {
        return None;
    }
    let target = backend.session.get("window").await.ok()?;
    let target = target.as_str()?;
    let agent = backend.call(World::Own, "() => navigator.userAgent", &[], STARTING).await.ok()?;
    let version = backend.session.capabilities["browserVersion"].as_str().unwrap_or_default();
    let mut commands = cdp_setup::page(settings, version, agent.as_str().unwrap_or_default());
    // The session has made the viewport as it should be.
    commands.retain(|(method, _)| *method != "Emulation.setDeviceMetricsOverride");
    let (tabs, (setup, setup_requests)) = (Tabs::new(), mpsc::unbounded_channel());
    let connected = Connection::over_socket(&browser_socket(debugger).await?, tabs.watcher(setup)).await;
    let connection = connected.inspect_err(|error| tracing::debug!("no DevTools at {debugger}: {error}")).ok()?;
    let manner = PageSetup { commands, credentials: settings.http_credentials.clone() };
    tokio::spawn(serve(connection.clone(), tabs.clone(), Arc::new(Mutex::new(manner)), setup_requests));
    let (touches, scale) = (backend.touches(), settings.viewport.scale);
    let cdp = Cdp { connection, tabs, context: None, touches, scale, frames: Known::default() };
    let attached = cdp.ask("Target.setAutoAttach", &cdp_setup::attachment()).await;
    attached.inspect_err(|error| tracing::debug!("no DevTools: {error}")).ok()?;
    let ready = cdp.prepared(target, STARTING).await;
    let tab = ready.inspect_err(|error| tracing::debug!("no DevTools: {error}")).ok()?;
    cdp.tabs.choose(&tab.session);
    Some(cdp)
}

async fn browser_socket(debugger: &str) -> Option<String> {
    let client = crate::http::plain_client().build().ok()?;
    let version = client.get(format!("http://{debugger}/json/version")).timeout(STARTING).send().await.ok()?;
    let version: Value = version.json().await.ok()?;
    Some(version["webSocketDebuggerUrl"].as_str()?.to_owned())
}

fn has_screen() -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// Reads the port at which a WebDriver says that it listens: `ChromeDriver was started successfully on port 46681.`,
/// `geckodriver INFO Listening on 127.0.0.1:46681`.
async fn told_port(lines: &mut Lines<BufReader<ChildStdout>>) -> Option<u16> {
    while let Ok(Some(line)) = lines.next_line().await {
        let Some((_, rest)) = line.split_once("started successfully").or_else(|| line.split_once("Listening on"))
        else {
            continue;
        };
        let digits = rest.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        let start = digits.rfind(|letter: char| !letter.is_ascii_digit())? + 1;
        return digits[start..].parse().ok();
    }
    None
}

/// Returns a port at which nobody listens just now.
fn free_port() -> std::io::Result<u16> {
    Ok(std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
