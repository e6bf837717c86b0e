//! SPECs of devices → devices that are open, and the ways to them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::farm::{Farm, Lease};
use super::spec::{DeviceArgs, Spec};
use super::uia2::Uia2Args;
use crate::adb;
use crate::cli::exit::Failure;
use crate::cli::ui::instances;
use crate::driver::android::{self, uia2};
use crate::driver::browser;
use crate::driver::{self, Driver, Registry};
use crate::phone;
use crate::runner::Ready;
use crate::testcase::Reset;
use uixt_toolkit::Session;

/// What `--adb-server` takes where none is to be used.
pub(in crate::cli) const NO_SERVER: &str = "none";
/// What a person calls the embedded phone.
const PHONE_NAME: &str = "virtual phone";

/// A device that was opened, or why it was not, and the way to its like.
pub(in crate::cli) type Opened = (Arc<Registry>, Result<Arc<dyn Driver>, driver::Error>);

/// The ways to devices, each opened when it is first needed.
#[derive(Default)]
pub(in crate::cli) struct Devices {
    /// Which of several this is, from 0: the phones of the others are called otherwise.
    number: usize,
    /// Kept, since the phone ends with it.
    phone: Option<phone::Phone>,
    /// By the adb server's address, and the server on the device where one is used.
    registries: HashMap<(String, Option<uia2::Options>), Arc<Registry>>,
    /// The browser, which all of them lead to where it is named.
    browser: browser::Platform,
    /// Phones of a device farm, by the serials that were asked for; each is given back at the end.
    leases: HashMap<Option<String>, Lease>,
}

impl Devices {
    /// Makes one of several.
    pub(in crate::cli) fn numbered(number: usize) -> Self {
        Self { number, ..Self::default() }
    }

    /// Starts the embedded phone, if it is not running, and returns the way to it.
    ///
    /// It shows the UI instances of a folder's project, that of whoever is first.
    pub(super) async fn phone(
        &mut self,
        server: Option<uia2::Options>,
        folder: &Path,
    ) -> Result<Arc<Registry>, Failure> {
        let address = if let Some(phone) = &self.phone {
            phone.address().to_string()
        } else {
            let mut options = phone::system::Options { keeper: instances::of(folder), ..Default::default() };
            options.serial = phone_serial(self.number);
            let phone = phone::Phone::start(options, 0)
                .await
                .map_err(|error| Failure::errored(format!("cannot start the virtual phone: {error}")))?;
            let address = phone.address().to_string();
            self.phone = Some(phone);
            address
        };
        let name = numbered(PHONE_NAME, " ", self.number);
        Ok(self.registry(address, Some(&name), server))
    }

    /// Returns the way to the devices of an adb server, or of none.
    pub(in crate::cli) fn adb(&mut self, address: &str, server: Option<uia2::Options>) -> Arc<Registry> {
        self.registry(address.to_owned(), None, server)
    }

    fn registry(&mut self, address: String, name: Option<&str>, server: Option<uia2::Options>) -> Arc<Registry> {
        let key = (address, server);
        if let Some(known) = self.registries.get(&key) {
            return Arc::clone(known);
        }
        let platform = platform(key.0.clone(), name).by_server(key.1.clone());
        let registry = Arc::new(Registry::new(vec![Box::new(platform), Box::new(self.browser.clone())]));
        self.registries.insert(key, Arc::clone(&registry));
        registry
    }

    /// Returns what makes a phone ready for a case; none for a browser, whose cases have nothing in common. Without a word of the case or
    /// its project, the embedded phone begins each case as new, and any other as the run found it.
    pub(in crate::cli) fn ready(&self, driver: &Arc<dyn Driver>, reset: Option<Reset>) -> Option<Ready> {
        if driver.info().platform != "android" {
            return None;
        }
        let is_own = driver.info().serial == phone_serial(self.number);
        let embedded = self.phone.as_ref().filter(|_| is_own).map(phone::Phone::system);
        let reset = reset.unwrap_or(if embedded.is_some() { Reset::All } else { Reset::None });
        let driver = Arc::clone(driver);
        Some(Arc::new(move || {
            let (driver, embedded) = (Arc::clone(&driver), embedded.clone());
            Box::pin(async move {
                let apps = match (reset, &embedded) {
                    (Reset::All, Some(system)) => {
                        system.lock().await.renew();
                        return Vec::new();
                    }
                    (Reset::None, _) => driver::Reset::None,
                    (Reset::App, _) => driver::Reset::App,
                    (Reset::Data | Reset::All, _) => driver::Reset::Data,
                };
                driver
                    .renew(apps)
                    .await
                    .unwrap_or_else(|error| vec![format!("the device could not be prepared: {error}")])
            })
        }))
    }

    /// Ends what the drivers have running on devices, and gives back those that were leased.
    pub(in crate::cli) async fn close(&mut self) {
        for registry in self.registries.values() {
            registry.close().await;
        }
        self.browser.close().await;
        self.leases.clear();
    }

    /// Leases a phone of a device farm, once, and returns its address.
    async fn leased(&mut self, serial: Option<&str>) -> Result<Result<String, driver::Error>, Failure> {
        let key = serial.map(str::to_owned);
        if let Some(lease) = self.leases.get(&key) {
            return Ok(Ok(lease.address.clone()));
        }
        Ok(Farm::of_environment()?.lease(serial).await.map(|lease| {
            let address = lease.address.clone();
            self.leases.insert(key, lease);
            address
        }))
    }

    /// Returns the way to the browser.
    pub(in crate::cli) fn browser(&self) -> browser::Platform {
        self.browser.clone()
    }

    /// Opens the device that a SPEC names, for a folder's project.
    pub(in crate::cli) async fn open(
        &mut self,
        spec: &Spec,
        adb_server: &str,
        server: Option<uia2::Options>,
        folder: &Path,
    ) -> Result<Opened, Failure> {
        let (registry, serial) = match spec {
            Spec::Browser(engine) => {
                let browser = self.browser.browser(engine.unwrap_or_default());
                return Ok((self.adb(adb_server, server), Ok(browser)));
            }
            Spec::Phone => (self.phone(server, folder).await?, None),
            Spec::Android(serial) => (self.adb(adb_server, server), serial.clone()),
            Spec::Farm(serial) => {
                // It is reached without an adb server, which would go on holding it.
                let registry = self.adb(NO_SERVER, server);
                match self.leased(serial.as_deref()).await? {
                    Ok(address) => (registry, Some(address)),
                    Err(error) => return Ok((registry, Err(error))),
                }
            }
        };
        let driver = registry.open(Some("android"), serial.as_deref()).await;
        Ok((registry, driver))
    }
}

impl Devices {
    /// Begins a session on what `--device` names; other devices are opened by the first call that needs them.
    pub(in crate::cli) async fn session(
        &mut self,
        devices: &DeviceArgs,
        uia2: &Uia2Args,
    ) -> Result<(Arc<Registry>, Session), Failure> {
        let (server, here) = (uia2.here()?, Path::new("."));
        let given = super::browser::Given::of(devices);
        let settings = super::browser::settings(Vec::new(), &given, here)?;
        let missing = settings.missing();
        self.browser.begin(settings);
        match &devices.device {
            Some(Spec::Phone) => Ok((self.phone(server, here).await?, Session::default())),
            Some(spec @ (Spec::Android(Some(_)) | Spec::Farm(_))) => {
                let (registry, driver) = self.open(spec, &devices.ways.adb_server, server, here).await?;
                Ok((registry, Session::on(driver.map_err(Failure::errored)?)))
            }
            Some(spec @ Spec::Browser(_)) => {
                if let Some(error) = missing {
                    return Err(Failure::errored(error));
                }
                let (registry, driver) = self.open(spec, &devices.ways.adb_server, server, here).await?;
                Ok((registry, Session::on(driver.map_err(Failure::errored)?)))
            }
            Some(Spec::Android(None)) | None => Ok((self.adb(&devices.ways.adb_server, server), Session::default())),
        }
    }
}

/// Returns the serial of the virtual phone of this number.
pub(in crate::cli) fn phone_serial(number: usize) -> String {
    numbered(&phone::system::Options::default().serial, "-", number)
}

/// Returns the name of the phone of a number: the first has no number.
fn numbered(name: &str, space: &str, number: usize) -> String {
    if number == 0 { name.to_owned() } else { format!("{name}{space}{}", number + 1) }
}

fn platform(address: String, name: Option<&str>) -> android::Platform {
    let direct = || adb::Direct::new(adb::KeyPlaces::of_adb());
    match address.as_str() {
        NO_SERVER => android::Platform::direct(direct()),
        // Who names a server means that one.
        adb::DEFAULT_ADDRESS if name.is_none() => android::Platform::either(adb::Server::new(address), direct()),
        _ => android::Platform::new(adb::Server::new(address), name.map(str::to_owned)),
    }
}
