//! The phones of an hdc server, as a [`Platform`](crate::driver::Platform).

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use uixt_hdc::{Error as Hdc, Server, State, Target};

use crate::details;
use crate::driver::beside::{self, Described};
use crate::driver::{self, DeviceInfo, Driver, Error};
use crate::options::Options;
use crate::phone::Phone;

const ONLINE: &str = "online";
const UNAUTHORIZED: &str = "unauthorized";
const OFFLINE: &str = "offline";
/// How long a phone may take to tell its name.
const NAMING: Duration = Duration::from_secs(5);
const CONNECTING: Duration = Duration::from_secs(10);

/// The way to HarmonyOS phones.
pub struct Platform {
    server: Server,
    name: Option<String>,
    agent: Option<PathBuf>,
    /// Phones on the network that were named, which the server is told to connect.
    sought: Mutex<Vec<String>>,
    /// Why phones could not be listed.
    failure: Mutex<Option<Hdc>>,
    /// Whether there was any phone when they were listed last.
    has_some: AtomicBool,
}

impl Platform {
    /// Reaches phones as the options say.
    pub fn new(options: &Options) -> Self {
        Self {
            server: Server::new(options.address()),
            name: options.name.clone(),
            agent: options.agent.clone(),
            sought: Mutex::default(),
            failure: Mutex::default(),
            has_some: AtomicBool::new(false),
        }
    }

    /// Has the server connect phones on the network that it does not list.
    async fn connect(&self, listed: &[Target]) -> bool {
        let sought = self.sought.lock().clone();
        let mut has_new = false;
        for key in sought.iter().filter(|key| !listed.iter().any(|target| target.key == **key)) {
            let answer = self.server.ask("", &format!("tconn {key}"), CONNECTING).await;
            let said = answer.map(|answer| String::from_utf8_lossy(&answer).into_owned()).unwrap_or_default();
            tracing::debug!(key, said, "tconn");
            has_new |= said.contains("Connect OK");
        }
        has_new
    }
}

#[async_trait]
impl driver::Platform for Platform {
    fn name(&self) -> &'static str {
        crate::PLATFORM
    }

    /// Whoever has other phones gets no server started, and what another platform's phones are called is no address of these.
    fn choose(&self, serial: Option<&str>) {
        self.server.let_start();
        let is_address = |serial: &&str| {
            let is_word = !serial.contains(|sign: char| sign.is_whitespace() || sign == '/');
            let parts = serial.rsplit_once(':');
            is_word && parts.is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
        };
        let mut sought = self.sought.lock();
        if let Some(serial) = serial.filter(is_address)
            && !sought.iter().any(|known| known == serial)
        {
            sought.push(serial.to_owned());
        }
    }

    fn absent(&self) -> Option<Error> {
        if let Some(failure) = self.failure.lock().clone() {
            return Some(failure.into());
        }
        // Where others are there, whoever asks for one names them.
        (!self.has_some.load(Ordering::Relaxed)).then(|| Error::Disconnected { message: NONE.to_owned() })
    }

    /// A server that is not there is no failure of the list: whoever has other phones needs none.
    async fn list(&self) -> Result<Vec<DeviceInfo>, Error> {
        let listed = async {
            let targets = self.server.targets().await?;
            if self.connect(&targets).await { self.server.targets().await } else { Ok(targets) }
        };
        let targets = match listed.await {
            Ok(targets) => targets,
            Err(failure) => {
                *self.failure.lock() = Some(failure);
                return Ok(Vec::new());
            }
        };
        *self.failure.lock() = None;
        self.has_some.store(!targets.is_empty(), Ordering::Relaxed);
        let described = |target| Box::pin(described(self.server.clone(), target, self.name.clone())) as Described;
        Ok(beside::all_of(targets.into_iter().map(described).collect()).await)
    }

    async fn open(&self, device: &DeviceInfo) -> Result<Arc<dyn Driver>, Error> {
        let key = device.serial.clone();
        match device.status.as_str() {
            ONLINE => Ok(Arc::new(Phone::new(self.server.clone(), device.clone(), self.agent.as_deref()))),
            UNAUTHORIZED => Err(Hdc::Unauthorized { key }.into()),
            OFFLINE => Err(Hdc::Offline { key }.into()),
            status => {
                let message = format!("phone `{key}` is {status}, and not ready: connect it again, or `hdc kill -r`");
                Err(Error::Disconnected { message })
            }
        }
    }
}

/// What is said where no phone is there.
const NONE: &str = "no HarmonyOS phone is connected: plug one in with `USB debugging` switched on in its developer options, and accept the dialog \
                    on its screen, or name one on the network (`--device harmony:HOST:PORT`)";

/// Describes a phone of the list by what it says of itself, where it answers.
async fn described(server: Server, target: Target, name: Option<String>) -> DeviceInfo {
    let status = match target.state {
        State::Connected => ONLINE.to_owned(),
        State::Unauthorized => UNAUTHORIZED.to_owned(),
        State::Offline => OFFLINE.to_owned(),
        State::Ready => "connecting".to_owned(),
        State::Other(word) => word,
    };
    let own = match (&name, status.as_str()) {
        (None, ONLINE) => {
            let said = server.shell(&target.key, "param get", details::NAME, NAMING).await;
            said.ok().and_then(|output| details::name(&crate::answer::text(&output)))
        }
        _ => name,
    };
    let name = own.unwrap_or_else(|| target.key.clone());
    DeviceInfo { platform: crate::PLATFORM, serial: target.key, name, status }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::Platform as _;

    #[test]
    fn what_is_named_for_another_platform_is_not_connected() {
        let platform = Platform::new(&Options::default());
        platform.seek("10.0.0.7:5555");
        platform.choose(None);
        platform.choose(Some("FMR0223C13000649"));
        assert!(platform.sought.lock().is_empty());
        platform.choose(Some("10.0.0.7:5555"));
        assert_eq!(*platform.sought.lock(), ["10.0.0.7:5555"]);
    }
}
