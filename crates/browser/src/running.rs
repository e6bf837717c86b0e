//! Settings → a browser that runs with a fresh profile, begun when it is first needed; and the end of both.

use std::sync::Arc;

use super::backend::Backend;
use super::chrome::{Chrome, DYING};
use super::engine::Engine;
use super::remote::{self, Server};
use super::settings::Settings;
use crate::driver::Error;

/// What pages are shown by.
enum Host {
    /// A browser of ours, which outlives its profiles.
    Chrome(Box<Chrome>),
    /// A WebDriver of ours, which starts its browser.
    Server(Server),
    /// A WebDriver of somebody else's.
    Elsewhere,
}

/// A browser and the profile that is in use; neither, at first.
#[derive(Default)]
pub(super) struct Running {
    host: Option<Host>,
    /// The ways to the profile's pages: the first is used, all are closed.
    backends: Vec<Arc<dyn Backend>>,
    /// Which case the profile is for.
    case: u64,
    /// How the browser ended that nobody had asked to.
    death: Option<String>,
}

impl Running {
    /// Returns the way to the pages of a case, whose profile begins now where it has not.
    pub(super) async fn backend(&mut self, case: u64, settings: &Settings) -> Result<Arc<dyn Backend>, Error> {
        if self.case == case {
            if let Some(death) = &self.death {
                return Err(dead(death));
            }
            if let Some(backend) = self.backends.first() {
                return Ok(Arc::clone(backend));
            }
        }
        self.leave().await;
        (self.case, self.death) = (case, None);
        self.backends = match self.begin(settings).await {
            Ok(backends) => backends,
            Err(error) => return Err(self.explained(error).await),
        };
        self.backends.first().map(Arc::clone).ok_or_else(|| dead("it has no page"))
    }

    async fn begin(&mut self, settings: &Settings) -> Result<Vec<Arc<dyn Backend>>, Error> {
        let launch = &settings.launch;
        if let Some(address) = &launch.webdriver_url {
            self.host = Some(Host::Elsewhere);
            return quickened(remote::begin_at(address, settings).await?, settings).await;
        }
        if launch.driver.is_some() || launch.engine != Engine::Chrome {
            let server = Server::start(settings).await?;
            let begun = server.begin(settings).await;
            self.host = Some(Host::Server(server));
            return quickened(begun?, settings).await;
        }
        // One that was started with other settings, or has died, is of no use.
        if let Some(Host::Chrome(chrome)) = &mut self.host
            && (chrome.launch != *launch || !chrome.is_alive())
        {
            self.end().await;
        }
        let chrome = match self.host.take() {
            Some(Host::Chrome(chrome)) => chrome,
            _ => Box::new(Chrome::start(launch).await?),
        };
        let begun = chrome.begin(settings).await;
        self.host = Some(Host::Chrome(chrome));
        Ok(vec![Arc::new(begun?)])
    }

    /// Tells whether there is a profile.
    pub(super) fn is_begun(&self) -> bool {
        !self.backends.is_empty() && self.death.is_none()
    }

    /// Returns the way to the pages of the profile that is in use, where there is one.
    pub(super) fn begun(&self) -> Option<Arc<dyn Backend>> {
        self.backends.first().map(Arc::clone)
    }

    /// Returns the same where it is a case's.
    pub(super) fn begun_for(&self, case: u64) -> Option<Arc<dyn Backend>> {
        self.begun().filter(|_| self.case == case && self.death.is_none())
    }

    /// Closes the profile; a browser of ours stays for the next one.
    pub(super) async fn leave(&mut self) {
        for backend in std::mem::take(&mut self.backends) {
            backend.close().await;
        }
        match self.host.take() {
            Some(Host::Server(server)) => server.end().await,
            other => self.host = other,
        }
    }

    /// Ends everything.
    pub(super) async fn end(&mut self) {
        let backends = std::mem::take(&mut self.backends);
        match self.host.take() {
            // Its profiles end with it, and nothing of them is kept, so that it need not be asked.
            Some(Host::Chrome(chrome)) => chrome.kill().await,
            host => {
                for backend in backends {
                    backend.close().await;
                }
                if let Some(Host::Server(server)) = host {
                    server.end().await;
                }
            }
        }
    }

    /// Forgets a browser that has ended, so that the next call starts another.
    pub(super) async fn bury(&mut self) {
        if self.death.take().is_some() {
            self.end().await;
        }
    }

    /// Says more of an error where it is that the browser ended.
    pub(super) async fn explained(&mut self, error: Error) -> Error {
        if !matches!(error, Error::Disconnected { .. }) {
            return error;
        }
        let death = match &mut self.host {
            Some(Host::Chrome(chrome)) => match chrome.is_alive() {
                true => None,
                false => chrome.ended_within(DYING).await,
            },
            Some(Host::Server(server)) => server.death(),
            _ => None,
        };
        match death {
            Some(death) => {
                let error = dead(&death);
                self.death = Some(death);
                error
            }
            None => error,
        }
    }
}

/// Adds the faster way to a session's pages, where the session offers one and the settings allow it.
async fn quickened(backend: super::webdriver::WebDriver, settings: &Settings) -> Result<Vec<Arc<dyn Backend>>, Error> {
    let faster = match settings.launch.plain_webdriver {
        true => Ok(None),
        false => remote::faster(&backend, settings).await,
    };
    let faster = match faster {
        Ok(faster) => faster,
        Err(error) => {
            backend.close().await;
            return Err(error);
        }
    };
    let beyond = settings.beyond_webdriver(backend.engine);
    let engine = backend.engine;
    let backend: Arc<dyn Backend> = Arc::new(backend);
    match faster {
        Some(faster) => Ok(vec![Arc::new(faster), backend]),
        None if beyond.is_empty() => Ok(vec![backend]),
        None => {
            backend.close().await;
            let operation = format!("take {} by WebDriver alone in {engine}", beyond.join(", "));
            Err(Error::Unsupported { driver: super::PLATFORM, operation })
        }
    }
}

fn dead(how: &str) -> Error {
    Error::Disconnected { message: format!("the browser ended by itself: {how}") }
}
