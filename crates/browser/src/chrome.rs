//! A Chromium or Chrome that was started here: one process for many fresh profiles, one after the other.
//!
//! It is spoken to over pipes, so that no port is open, and it ends where this program does.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::cdp::Cdp;
use super::cdp_setup;
use super::connection::{Connection, Refusal};
use super::find;
use super::flags;
use super::frames_cdp::Known;
use super::page_setup::{PageSetup, serve};
use super::process::Process;
use super::profile::Profile;
use super::settings::{Launch, Settings};
use super::state::State;
use super::tabs::Tabs;
use crate::driver::Error;

/// How long a browser may take to start.
const STARTING: Duration = Duration::from_secs(30);

/// How long the system may take to tell how a browser ended whose pipes are closed.
pub(super) const DYING: Duration = Duration::from_secs(5);

/// How long it may take to make a profile or a page.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A browser that runs.
pub(super) struct Chrome {
    process: Process,
    profile: Profile,
    connection: Connection,
    tabs: Tabs,
    /// What it was started with.
    pub(super) launch: Launch,
    /// What it says of itself: `Chrome/156.0.1.2`.
    pub(super) version: String,
    /// What new pages are prepared with.
    manner: Arc<Mutex<PageSetup>>,
}

impl Chrome {
    /// Starts a browser.
    pub(super) async fn start(launch: &Launch) -> Result<Self, Error> {
        let find = if launch.headed { find::browser } else { find::headless };
        let program = find(launch.binary.as_deref())?;
        let profile = Profile::new();
        let mut flags = flags::of(launch, profile.path(), flags::is_root());
        flags.extend(["--remote-debugging-pipe", "--no-startup-window"].map(Into::into));
        let started = Process::start(&program, &flags, profile.path()).await;
        let (process, pipes) = started.map_err(|error| unstarted(&error))?;
        let (tabs, (setup, setup_requests)) = (Tabs::new(), mpsc::unbounded_channel());
        let connection = Connection::over_pipes(pipes.to, pipes.from, tabs.watcher(setup));
        let manner = Arc::<Mutex<PageSetup>>::default();
        tokio::spawn(serve(connection.clone(), tabs.clone(), Arc::clone(&manner), setup_requests));
        let (launch, version) = (launch.clone(), String::new());
        let mut chrome = Self { process, profile, connection, tabs, launch, version, manner };
        match chrome.greet().await {
            Ok(version) => Ok(Self { version, ..chrome }),
            Err(refusal) => {
                let timeout = if refusal == Refusal::Gone { DYING } else { Duration::ZERO };
                let why = chrome.ended_within(timeout).await;
                let why = why.unwrap_or_else(|| format!("it did not answer a greeting: {refusal}"));
                chrome.kill().await;
                Err(unstarted(&format!("{}: {why}", program.display())))
            }
        }
    }

    async fn greet(&self) -> Result<String, Refusal> {
        let attached = self.connection.send(None, "Target.setAutoAttach", &cdp_setup::attachment());
        let version = self.connection.send(None, "Browser.getVersion", &json!({})).within(STARTING).await?;
        attached.within(TIMEOUT).await?;
        Ok(version["product"].as_str().unwrap_or_default().to_owned()
            + "\n"
            + version["userAgent"].as_str().unwrap_or_default())
    }

    /// Begins a fresh profile with one empty page.
    pub(super) async fn begin(&self, settings: &Settings) -> Result<Cdp, Error> {
        let (version, agent) = self.version.split_once('\n').unwrap_or_default();
        let commands = cdp_setup::page(settings, version, agent);
        *self.manner.lock() = PageSetup { commands, credentials: settings.http_credentials.clone() };
        let state = match &settings.storage_state {
            Some(path) => Some(State::read(path).await?),
            None => None,
        };
        self.tabs.begin();
        let made = self.ask("Target.createBrowserContext", &cdp_setup::context(settings)).await?;
        let context = made["browserContextId"].as_str().map(str::to_owned);
        self.tabs.downloads.keep_in(context.as_deref(), settings.downloads.clone());
        for (method, params) in cdp_setup::profile(settings, context.as_deref()) {
            self.ask(method, &params).await?;
        }
        let cdp = Cdp {
            connection: self.connection.clone(),
            tabs: self.tabs.clone(),
            context,
            touches: settings.viewport.mobile,
            scale: settings.viewport.scale,
            frames: Known::default(),
        };
        cdp.new_tab().await?;
        if let Some(state) = state {
            state.fill(&cdp).await?;
        }
        Ok(cdp)
    }

    async fn ask(&self, method: &str, params: &Value) -> Result<Value, Error> {
        let answer = self.connection.send(None, method, params).within(TIMEOUT).await;
        answer.map_err(|refusal| Error::Device { message: cdp_setup::refused(method, &refusal) })
    }

    /// Says how it ended, where it has.
    pub(super) fn death(&mut self) -> Option<String> {
        let status = self.process.ended()?;
        let said = self.process.said().text();
        let said = if said.is_empty() { String::new() } else { format!("; it said: {said}") };
        Some(format!("it ended: {status}{said}"))
    }

    /// Waits a little for how it ended.
    pub(super) async fn ended_within(&mut self, timeout: Duration) -> Option<String> {
        self.process.wait(timeout).await;
        self.death()
    }

    /// Tells whether it is there, and answers.
    pub(super) fn is_alive(&mut self) -> bool {
        !self.connection.is_gone() && self.process.ended().is_none()
    }

    /// Ends it without asking, and removes its profile: there is nothing in it that it would have to write down.
    pub(super) async fn kill(self) {
        self.process.kill().await;
        self.profile.remove().await;
    }
}

fn unstarted(why: &str) -> Error {
    let hint = match why {
        why if why.contains("No usable sandbox") => {
            "\n  = this computer lets no browser make a sandbox; where pages are trusted, `args: [--no-sandbox]` does without"
        }
        why if why.contains("Missing X server") || why.contains("$DISPLAY") => {
            "\n  = there is no screen for its window; leave `headed` out, or use xvfb-run"
        }
        _ => "",
    };
    Error::Disconnected { message: format!("the browser could not be started: {why}{hint}") }
}
