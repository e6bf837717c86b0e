//! Settings → a session of a WebDriver: one that runs somewhere, or one that is started here for a browser that is.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::cdp::Cdp;
use super::connection::Connection;
use super::frames_cdp::Known;
use super::process::Process;
use super::profile::Profile;
use super::settings::{Launch, Settings};
use super::state::State;
use super::tabs::Tabs;
use super::way::{Way, World};
use super::webdriver::{LOADING, WebDriver};
use super::wire::{self, Session};
use super::wishes::{Manner, serve};
use super::{find, flags, prepare};
use crate::driver::Error;

/// How long a WebDriver may take until it takes sessions.
const STARTING: Duration = Duration::from_secs(20);

/// How long its look for that is apart.
const PAUSE: Duration = Duration::from_millis(5);

/// How often another port is tried where somebody else was faster.
const TRIES: u32 = 3;

/// A WebDriver that was started here, and the folder of the browser that it starts.
pub(super) struct Server {
    process: Process,
    profile: Profile,
    address: String,
}

impl Server {
    /// Starts a WebDriver on a free port.
    pub(super) async fn start(named: &Path) -> Result<Self, Error> {
        let program = find::webdriver(named)?;
        let mut last = String::new();
        for _ in 0..TRIES {
            match Self::attempt(&program).await {
                Ok(server) => return Ok(server),
                Err(why) => last = why,
            }
        }
        Err(Error::Disconnected { message: format!("{} could not be started: {last}", program.display()) })
    }

    async fn attempt(program: &Path) -> Result<Self, String> {
        let profile = Profile::new();
        let port = free_port().map_err(|error| format!("no free port: {error}"))?;
        let (mut process, pipes) = Process::start(program, &[format!("--port={port}").into()], profile.path()).await?;
        drop(pipes);
        let address = format!("http://127.0.0.1:{port}");
        let end = Instant::now() + STARTING;
        loop {
            if let Some(status) = process.ended() {
                return Err(format!("it ended: {status}; it said: {}", process.said().text()));
            }
            if wire::is_ready(&address).await {
                return Ok(Self { process, profile, address });
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
    }

    /// Begins a session of a browser that this WebDriver starts.
    pub(super) async fn begin(&self, settings: &Settings) -> Result<WebDriver, Error> {
        let mut options = json!({"args": texts(flags::of(&settings.launch, self.profile.path(), flags::is_root()))});
        options["binary"] = find::browser(settings.launch.binary.as_deref())?.to_string_lossy().into();
        begin(&self.address, settings, Some(options)).await
    }
}

fn texts(flags: Vec<std::ffi::OsString>) -> Vec<String> {
    flags.into_iter().map(|flag| flag.to_string_lossy().into_owned()).collect()
}

/// Begins a session of a WebDriver that runs somewhere.
pub(super) async fn begin_at(address: &str, settings: &Settings) -> Result<WebDriver, Error> {
    let launch = &settings.launch;
    let is_named = launch.headed || !launch.args.is_empty() || launch.binary.is_some();
    let mut options = Map::new();
    if !launch.capabilities.contains_key("browserName") || is_named {
        options.insert("args".to_owned(), remote_args(launch).into());
        if let Some(binary) = &launch.binary {
            options.insert("binary".to_owned(), binary.to_string_lossy().into());
        }
    }
    begin(address, settings, (!options.is_empty()).then(|| options.into())).await
}

fn remote_args(launch: &Launch) -> Vec<String> {
    let headless = (!launch.headed).then(|| "--headless=new".to_owned());
    headless.into_iter().chain(launch.args.iter().cloned()).collect()
}

async fn begin(address: &str, settings: &Settings, options: Option<Value>) -> Result<WebDriver, Error> {
    let session = Session::begin(address, &capabilities(settings, options)).await?;
    let way = WebDriver::new(session, settings.viewport.mobile);
    // The size of a phone's page is its emulation's.
    let fitted = if settings.viewport.mobile { Ok(()) } else { way.fit(&settings.viewport).await };
    match fitted {
        Ok(()) => Ok(way),
        Err(error) => {
            way.close().await;
            Err(error)
        }
    }
}

/// Writes what a session is asked for; what the user asks for wins.
fn capabilities(settings: &Settings, options: Option<Value>) -> Value {
    let loading = u64::try_from(LOADING.as_millis()).unwrap_or(u64::MAX);
    let mut asked = Map::new();
    asked.insert("browserName".to_owned(), "chrome".into());
    asked.insert("acceptInsecureCerts".to_owned(), settings.insecure.into());
    asked.insert("unhandledPromptBehavior".to_owned(), "ignore".into());
    asked.insert("timeouts".to_owned(), json!({"pageLoad": loading, "script": loading, "implicit": 0}));
    if let Some(proxy) = &settings.proxy {
        asked.insert("proxy".to_owned(), proxy_of(proxy));
    }
    if let Some(mut options) = options {
        let view = &settings.viewport;
        if view.mobile {
            let metrics = json!({"width": view.width, "height": view.height, "pixelRatio": view.scale, "touch": true});
            options["mobileEmulation"] = json!({"deviceMetrics": metrics});
        }
        asked.insert("goog:chromeOptions".to_owned(), options);
    }
    for (name, value) in settings.launch.capabilities.clone() {
        let ours = asked.remove(&name);
        asked.insert(name, merged(ours, value));
    }
    asked.into()
}

/// Returns a capability with the user's word in it: of a map each entry by itself, and of a list all of both.
fn merged(ours: Option<Value>, theirs: Value) -> Value {
    match (ours, theirs) {
        (Some(Value::Object(mut ours)), Value::Object(theirs)) => {
            for (name, value) in theirs {
                let own = ours.remove(&name);
                ours.insert(name, merged(own, value));
            }
            ours.into()
        }
        (Some(Value::Array(ours)), Value::Array(theirs)) => ours.into_iter().chain(theirs).collect(),
        (_, theirs) => theirs,
    }
}

/// Writes a proxy as WebDriver does (section 7.1.1).
fn proxy_of(proxy: &str) -> Value {
    match proxy.split_once("://") {
        Some(("direct", _)) => json!({"proxyType": "direct"}),
        Some((socks @ ("socks4" | "socks5"), host)) => {
            let version = if socks == "socks4" { 4 } else { 5 };
            json!({"proxyType": "manual", "socksProxy": host, "socksVersion": version})
        }
        Some((_, host)) => json!({"proxyType": "manual", "httpProxy": host, "sslProxy": host}),
        None => json!({"proxyType": "manual", "httpProxy": proxy, "sslProxy": proxy}),
    }
}

/// Returns the faster way to a session's page, where the session offers one; an error is about what the settings ask for.
pub(super) async fn faster(way: &WebDriver, settings: &Settings) -> Result<Option<Cdp>, Error> {
    let Some(cdp) = attached(way, settings).await else { return Ok(None) };
    for (method, params) in prepare::profile(settings, None) {
        cdp.ask(method, &params).await?;
    }
    if let Some(path) = &settings.storage_state {
        State::read(path).await?.fill(&cdp).await?;
    }
    Ok(Some(cdp))
}

async fn attached(way: &WebDriver, settings: &Settings) -> Option<Cdp> {
    let debugger = way.session.capabilities["goog:chromeOptions"]["debuggerAddress"].as_str()?;
    // It is the address as the remote end's own computer knows it.
    let is_here = |text: &str| reqwest::Url::parse(text).is_ok_and(|url| wire::is_here(&url));
    if !is_here(way.session.server()) || !is_here(&format!("http://{debugger}")) {
        return None;
    }
    let target = way.session.get("window").await.ok()?;
    let target = target.as_str()?;
    let (tabs, (wishes, wished)) = (Tabs::new(), mpsc::unbounded_channel());
    let connected = Connection::over_socket(&browser_socket(debugger).await?, tabs.watcher(wishes)).await;
    let connection = connected.inspect_err(|error| tracing::debug!("no DevTools at {debugger}: {error}")).ok()?;
    // Pages are told all of it when they are attached to, and nobody has them wait until then.
    let manner = Manner { commands: Vec::new(), credentials: settings.http_credentials.clone() };
    tokio::spawn(serve(connection.clone(), tabs.clone(), Arc::new(Mutex::new(manner)), wished));
    let agent = way.call(World::Own, "() => navigator.userAgent", &[], STARTING).await.ok()?;
    let version = way.session.capabilities["browserVersion"].as_str().unwrap_or_default();
    let mut preparation = prepare::page(settings, version, agent.as_str().unwrap_or_default());
    // The session has made the viewport as it should be, all but its scale where it is no phone's.
    let view = &settings.viewport;
    let is_scaled = !view.mobile && (view.scale - 1.0).abs() > f64::EPSILON;
    preparation.retain(|(method, _)| is_scaled || *method != "Emulation.setDeviceMetricsOverride");
    let (touches, scale) = (way.touches(), settings.viewport.scale);
    let cdp = Cdp { connection, tabs, context: None, touches, scale, preparation, frames: Known::default() };
    let done = cdp.attach(target, &cdp.preparation).await;
    done.inspect_err(|error| tracing::debug!("no DevTools: {error}")).ok()?;
    Some(cdp)
}

async fn browser_socket(debugger: &str) -> Option<String> {
    let client = crate::http::plain_client().build().ok()?;
    let version = client.get(format!("http://{debugger}/json/version")).timeout(STARTING).send().await.ok()?;
    let version: Value = version.json().await.ok()?;
    Some(version["webSocketDebuggerUrl"].as_str()?.to_owned())
}

/// Returns a port at which nobody listens just now.
fn free_port() -> std::io::Result<u16> {
    Ok(std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_asks_for_wins() {
        let mut settings = Settings { proxy: Some("http://p:1".into()), ..Settings::default() };
        let asked = capabilities(&settings, Some(json!({"args": []})));
        assert_eq!((&asked["browserName"], &asked["proxy"]["sslProxy"]), (&json!("chrome"), &json!("p:1")));
        settings.launch.capabilities.insert("browserName".into(), "firefox".into());
        assert_eq!(capabilities(&settings, None)["browserName"], "firefox");
        assert!(capabilities(&settings, None)["goog:chromeOptions"].is_null());
        settings.proxy = Some("socks5://p:2".into());
        settings.launch.capabilities.insert("goog:chromeOptions".into(), json!({"args": ["--b"], "c": 1}));
        let asked = capabilities(&settings, Some(json!({"args": ["--a"], "binary": "x"})));
        assert_eq!(asked["proxy"], json!({"proxyType": "manual", "socksProxy": "p:2", "socksVersion": 5}));
        assert_eq!(asked["goog:chromeOptions"], json!({"args": ["--a", "--b"], "binary": "x", "c": 1}));
    }
}
