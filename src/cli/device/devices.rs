//! SPECs of devices → devices that are open, and the ways to them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::farm::{Farm, Lease};
use super::spec::{DeviceArgs, Spec, Ways};
use super::uia2::Uia2Args;
use crate::adb;
use crate::cli::exit::Failure;
use crate::cli::testcases::messages;
use crate::cli::ui::instances;
use crate::driver::android::{self, uia2};
use crate::driver::browser;
use crate::driver::{self, Driver, Registry, harmony, ios};
use crate::phone;
use crate::runner::Ready;
use crate::testcase::{self, Reset};
use uixt_toolkit::Session;

/// What `--adb-server` takes where none is to be used.
pub(in crate::cli) const NO_SERVER: &str = "none";
/// What a person calls the embedded phone.
const PHONE_NAME: &str = "virtual phone";
const IPHONE_NAME: &str = "virtual iPhone";
const HARMONY_NAME: &str = "virtual HarmonyOS phone";

/// A device that was opened, or why it was not, and the way to its like.
pub(in crate::cli) type Opened = (Arc<Registry>, Result<Arc<dyn Driver>, driver::Error>);

/// How devices are reached and driven.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::cli) struct Manner {
    /// Address of the adb server.
    pub adb_server: String,
    /// The server on Android phones, where one is used.
    pub uia2: Option<uia2::Options>,
    pub ios: ios::Options,
    pub harmony: harmony::Options,
}

impl Manner {
    /// Returns the usual ways, but for the servers' addresses.
    pub(in crate::cli) fn by(ways: &Ways) -> Self {
        let harmony = harmony::Options { server: ways.hdc_server.clone(), ..harmony::Options::default() };
        Self { adb_server: ways.adb_server.clone(), harmony, ..Self::default() }
    }
}

/// The ways to devices, each opened when it is first needed.
#[derive(Default)]
pub(in crate::cli) struct Devices {
    /// Which of several this is, from 0: the phones of the others are called otherwise.
    number: usize,
    /// Kept, since the phone ends with it.
    phone: Option<phone::Phone>,
    iphone: Option<phone::Iphone>,
    harmony: Option<phone::HarmonyPhone>,
    registries: HashMap<Manner, Arc<Registry>>,
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
    async fn phone(&mut self, manner: Manner, folder: &Path) -> Result<Arc<Registry>, Failure> {
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
        Ok(self.registry(Manner { adb_server: address, ..manner }, Some(&name)))
    }

    /// Starts the embedded iPhone, if it is not running; returns the way to it, and its address.
    async fn iphone(&mut self, manner: Manner, folder: &Path) -> Result<(Arc<Registry>, String), Failure> {
        if self.iphone.is_none() {
            let options = phone::IphoneOptions {
                name: numbered(IPHONE_NAME, " ", self.number),
                mjpeg_port: Some(0),
                keeper: instances::of(folder),
                ..Default::default()
            };
            let started = phone::Iphone::start(options).await;
            self.iphone =
                Some(started.map_err(|error| Failure::errored(format!("cannot start the virtual iPhone: {error}")))?);
        }
        let serial = self.iphone.as_ref().map(iphone_address).unwrap_or_default();
        let film = self.iphone.as_ref().and_then(phone::Iphone::mjpeg_address);
        let mjpeg_port = film.map_or(ios::MJPEG_PORT, |address| address.port());
        let name = Some(numbered(IPHONE_NAME, " ", self.number));
        let ios = ios::Options { urls: vec![serial.clone()], name, mjpeg_port, ..manner.ios };
        Ok((self.ways(Manner { ios, ..manner }), serial))
    }

    /// Starts the embedded HarmonyOS phone, if it is not running; returns the way to it, and its connect key.
    async fn harmony_phone(&mut self, manner: Manner, folder: &Path) -> Result<(Arc<Registry>, String), Failure> {
        let key = harmony_key(self.number);
        if self.harmony.is_none() {
            let options =
                phone::HarmonyOptions { key: key.clone(), keeper: instances::of(folder), ..Default::default() };
            let started = phone::HarmonyPhone::start(vec![options]).await;
            let failed = |error| Failure::errored(format!("cannot start the virtual HarmonyOS phone: {error}"));
            self.harmony = Some(started.map_err(failed)?);
        }
        let server = self.harmony.as_ref().map(|phone| phone.address().to_string());
        let name = Some(numbered(HARMONY_NAME, " ", self.number));
        let harmony = harmony::Options { server, name, ..manner.harmony };
        Ok((self.ways(Manner { harmony, ..manner }), key))
    }

    /// Returns the way to the devices that are connected.
    pub(in crate::cli) fn ways(&mut self, manner: Manner) -> Arc<Registry> {
        self.registry(manner, None)
    }

    fn registry(&mut self, manner: Manner, name: Option<&str>) -> Arc<Registry> {
        if let Some(known) = self.registries.get(&manner) {
            return Arc::clone(known);
        }
        let android = platform(manner.adb_server.clone(), name).by_server(manner.uia2.clone());
        let ios = ios::Platform::new(manner.ios.clone());
        let harmony = harmony::Platform::new(&manner.harmony);
        let platforms: Vec<Box<dyn driver::Platform>> =
            vec![Box::new(android), Box::new(ios), Box::new(harmony), Box::new(self.browser.clone())];
        let registry = Arc::new(Registry::new(platforms));
        self.registries.insert(manner, Arc::clone(&registry));
        registry
    }

    /// Returns what makes a phone ready for a case; none for a browser, whose cases have nothing in common. Without a word of the case or
    /// its project, the embedded phone begins each case as new, and any other as the run found it.
    pub(in crate::cli) fn ready(&self, driver: &Arc<dyn Driver>, reset: Option<Reset>) -> Option<Ready> {
        let serial = &driver.info().serial;
        let embedded = match driver.info().platform {
            "android" => self.phone.as_ref().filter(|_| *serial == phone_serial(self.number)).map(phone::Phone::system),
            "ios" => self.iphone.as_ref().filter(|phone| *serial == iphone_address(phone)).map(phone::Iphone::system),
            "harmony" => self
                .harmony
                .as_ref()
                .filter(|_| *serial == harmony_key(self.number))
                .and_then(|phone| phone.systems().into_iter().next()),
            _ => return None,
        };
        // An iPhone deletes no data of apps; the embedded one can begin anew.
        let reset = match (reset, driver.info().platform) {
            (Some(Reset::Data), "ios") if embedded.is_some() => Some(Reset::All),
            (reset, _) => reset,
        };
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
    pub(in crate::cli) async fn open(&mut self, spec: &Spec, manner: Manner, folder: &Path) -> Result<Opened, Failure> {
        let (registry, serial) = match spec {
            Spec::Browser(engine) => {
                let browser = self.browser.browser(engine.unwrap_or_default());
                return Ok((self.ways(manner), Ok(browser)));
            }
            Spec::Phone => (self.phone(manner, folder).await?, None),
            Spec::Iphone => {
                let (registry, serial) = self.iphone(manner, folder).await?;
                (registry, Some(serial))
            }
            Spec::Android(serial) | Spec::Ios(serial) | Spec::Harmony(serial) => (self.ways(manner), serial.clone()),
            Spec::HarmonyPhone => {
                let (registry, key) = self.harmony_phone(manner, folder).await?;
                (registry, Some(key))
            }
            Spec::Farm(serial) => {
                // It is reached without an adb server, which would go on holding it.
                let registry = self.ways(Manner { adb_server: NO_SERVER.to_owned(), ..manner });
                match self.leased(serial.as_deref()).await? {
                    Ok(address) => (registry, Some(address)),
                    Err(error) => return Ok((registry, Err(error))),
                }
            }
        };
        let driver = registry.open(Some(spec.platform()), serial.as_deref()).await;
        Ok((registry, driver))
    }
}

impl DeviceArgs {
    /// Returns the device of the project that the current folder is in, where none is named.
    pub(in crate::cli) fn or_of_project(&self) -> Result<Self, Failure> {
        let mut args = self.clone();
        if args.device.is_none() {
            let here = std::env::current_dir().map_err(Failure::errored)?;
            let project = testcase::project(&here).map_err(|errors| messages::failure(&errors))?;
            let at = project.file.as_deref().unwrap_or("uixt.yaml");
            let named = project.device.as_deref().map(str::parse).transpose();
            args.device = named.map_err(|error| Failure::usage(format!("{at}: {error}")))?;
        }
        Ok(args)
    }
}

impl Devices {
    /// Begins a session on what `--device` names; other devices are opened by the first call that needs them.
    pub(in crate::cli) async fn session(
        &mut self,
        devices: &DeviceArgs,
        uia2: &Uia2Args,
    ) -> Result<(Arc<Registry>, Session), Failure> {
        let here = Path::new(".");
        let manner = Manner { uia2: uia2.here()?, ios: super::ios::of_project(here)?, ..Manner::by(&devices.ways) };
        let given = super::browser::Given::of(devices);
        let settings = super::browser::settings(Vec::new(), &given, here)?;
        let missing = settings.missing();
        self.browser.begin(settings);
        match &devices.device {
            Some(Spec::Phone) => Ok((self.phone(manner, here).await?, Session::default())),
            Some(spec) if !matches!(spec, Spec::Android(None)) => {
                if let (Spec::Browser(_), Some(error)) = (spec, missing) {
                    return Err(Failure::errored(error));
                }
                let (registry, driver) = self.open(spec, manner, here).await?;
                Ok((registry, Session::on(driver.map_err(Failure::errored)?)))
            }
            _ => Ok((self.ways(manner), Session::default())),
        }
    }
}

/// Returns the serial of the virtual phone of this number.
pub(in crate::cli) fn phone_serial(number: usize) -> String {
    numbered(&phone::system::Options::default().serial, "-", number)
}

/// Returns the connect key of the virtual HarmonyOS phone of this number.
fn harmony_key(number: usize) -> String {
    phone::HarmonyOptions::key_of(u16::try_from(number).unwrap_or(u16::MAX))
}

/// Returns the address of the embedded iPhone, which is its serial.
fn iphone_address(iphone: &phone::Iphone) -> String {
    format!("http://{}", iphone.address())
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
