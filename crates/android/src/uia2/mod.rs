//! Appium's UiAutomator2 server: an HTTP server on the phone that sees its windows and injects touches and keys by itself, so
//! that no program is started for each. Source: appium-uiautomator2-server 10 (`AppiumServlet`, `AccessibilityNodeInfoDumper`,
//! `W3CActions`).
//!
//! Whatever the user asks for by `uia2` goes this way or fails: there is no quiet return to the shell. Screenshots do not: on
//! phones, the server runs `screencap` for them (`ScreenshotHelper`), and what it answers is longer by a third.

mod actions;
mod apks;
mod instrumentation;
mod packages;
mod port;
mod server;
#[cfg(test)]
mod tests;

use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

pub use self::apks::Apks;
use self::server::{Ask, Server};
use super::answer;
use super::backend::Backend;
use super::display;
use super::shell_backend::ShellBackend;
use super::uiautomator::{self, Dump, Failure};
use crate::adb::Device;
use crate::driver::{Error, Gesture, Keystrokes};

/// The port that the server listens on.
pub const PORT: u16 = 6790;
/// Keys from which on one `input` of the shell, which takes them all, is faster than a request for each.
const MANY_KEYS: usize = 20;
const SERVER: &str = "the UiAutomator2 server";

/// How a device's server is found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// The port on the device.
    pub port: u16,
    /// The package of the server, and the one that starts it.
    pub package: String,
    pub test_package: String,
    /// What is installed where the device does not have them.
    pub apks: Option<Apks>,
}

impl Default for Options {
    fn default() -> Self {
        let package = "io.appium.uiautomator2.server";
        Self { port: PORT, package: package.to_owned(), test_package: format!("{package}.test"), apks: None }
    }
}

/// The way through the server.
#[derive(Debug)]
pub(super) struct ServerBackend {
    device: Device,
    server: Server,
    shell: ShellBackend,
}

impl ServerBackend {
    /// Installs the server where it is not, and starts it.
    pub(super) async fn start(device: Device, options: Options) -> Result<Self, Error> {
        packages::prepare(&device, &options).await?;
        let server = Server::new(device.clone(), options);
        server.start().await?;
        let shell = ShellBackend::new(device.clone());
        Ok(Self { device, server, shell })
    }

    async fn look(&self, also: &str) -> Result<Result<Dump, Failure>, Error> {
        let rest = async {
            let output = self.device.shell(also).await?;
            Ok::<_, Error>(format!("{}\n{}", answer::text(&output.stdout), answer::text(&output.stderr)))
        };
        let (tree, rest) = tokio::join!(self.server.ask(Ask::look("the screen's tree", "/source")), rest);
        let rest = rest?;
        match tree {
            // Behind a dark screen there may be no window to tell of.
            Err(Error::Device { .. }) if display::awake(&rest) == Some(false) => {
                Ok(Ok(Dump { xml: "<hierarchy/>".to_owned(), rest }))
            }
            Err(error) => Err(error),
            Ok(tree) => Ok(dump(tree, rest)),
        }
    }
}

fn dump(tree: Value, rest: String) -> Result<Dump, Failure> {
    match tree {
        Value::String(xml) if xml.contains("<hierarchy") => Ok(Dump { xml, rest }),
        other => Err(Failure::Final(format!("it answered {}", answer::beginning(&other.to_string())))),
    }
}

#[async_trait]
impl Backend for ServerBackend {
    async fn tree(&self, also: &str, timeout: Duration) -> Result<Dump, Error> {
        uiautomator::until_there(SERVER, timeout, || self.look(also)).await
    }

    async fn perform(&self, gesture: &Gesture) -> Result<(), Error> {
        let actions = actions::gesture(gesture)?;
        let ask = Ask::act("a touch", "/actions", &actions.body).lasting(actions.duration);
        self.server.ask(ask).await.map(drop)
    }

    async fn press(&self, codes: &[u32]) -> Result<(), Error> {
        if codes.len() > MANY_KEYS {
            return self.shell.press(codes).await;
        }
        for code in codes {
            let body = json!({"keycode": code});
            self.server.ask(Ask::act("a key", "/appium/device/press_keycode", &body)).await?;
        }
        Ok(())
    }

    async fn type_plain(&self, pieces: &[Keystrokes]) -> Result<(), Error> {
        for actions in actions::typing(pieces) {
            let ask = Ask::act("typing", "/actions", &actions.body).lasting(actions.duration);
            self.server.ask(ask).await?;
        }
        Ok(())
    }

    async fn set_clipboard(&self, text: &str) -> Result<(), Error> {
        let body = json!({"content": STANDARD.encode(text), "contentType": "plaintext", "label": "uixt"});
        self.server.ask(Ask::act("the clipboard", "/appium/device/set_clipboard", &body)).await.map(drop)
    }

    async fn close(&self) {
        self.server.stop().await;
    }
}
