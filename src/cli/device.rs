//! From a device SPEC to devices: `phone`, `android[:SERIAL]`, `stf[:SERIAL]`, `ios[:UDID]`, `harmony[:KEY]`, `browser[:chrome|firefox|webkit]`.

use std::collections::HashMap;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use clap_complete::engine::ArgValueCandidates;

use super::completions;
use super::exit::Failure;
use super::farm::{Farm, Lease};
use super::keeper;
use super::uia2::Uia2Args;
use crate::adb;
use crate::driver::android::{self, uia2};
use crate::driver::browser::{self, Engine};
use crate::driver::{self, Driver, Registry};
use crate::phone;
use crate::runner::Ready;
use crate::testcase::Reset;
use crate::tools::Session;

/// What `--adb-server` takes where none is to be used.
pub(super) const NO_SERVER: &str = "none";
/// What a SPEC may be.
const VALID: &str = "phone, android[:SERIAL], stf[:SERIAL], browser[:chrome|firefox|webkit]";
/// What a person calls the embedded phone.
const PHONE_NAME: &str = "virtual phone";

/// Options of every command that uses devices.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct DeviceArgs {
    /// Device to use: `phone` (the embedded virtual phone), `android[:SERIAL]`, `stf[:SERIAL]` (of a device farm) or
    /// `browser[:chrome|firefox|webkit]`.
    #[arg(long, value_name = "SPEC", env = "UIXT_DEVICE", add = ArgValueCandidates::new(completions::device_specs))]
    pub device: Option<Spec>,
    #[command(flatten)]
    pub ways: Ways,
}

/// How devices are reached, and browsers shown.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct Ways {
    /// Address of the adb server; `none` reaches phones on USB and `android:HOST:PORT` without one.
    #[arg(long, value_name = "HOST:PORT", default_value = adb::DEFAULT_ADDRESS, env = "UIXT_ADB_SERVER")]
    pub adb_server: String,
    /// Shows the browser's window, whatever a testcase says.
    #[arg(long, env = "UIXT_HEADED")]
    pub headed: bool,
    /// Shows pages by a WebDriver that runs already, such as a Selenium Grid.
    #[arg(long, value_name = "URL", env = "UIXT_WEBDRIVER_URL", hide_env_values = true)]
    pub webdriver_url: Option<String>,
}

/// A device as a user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Spec {
    Phone,
    Android(Option<String>),
    /// A phone of a device farm: the one of a serial, or any that is free.
    Farm(Option<String>),
    /// The one that is meant, where it is said.
    Browser(Option<Engine>),
}

impl Spec {
    /// Returns the platform of its devices.
    pub(super) fn platform(&self) -> &'static str {
        match self {
            Self::Phone | Self::Android(_) | Self::Farm(_) => "android",
            Self::Browser(_) => "browser",
        }
    }

    /// Tells whether there can be another of its kind: what uixt starts itself, and what a farm has.
    pub(super) fn can_be_many(&self) -> bool {
        !matches!(self, Self::Android(_) | Self::Farm(Some(_)))
    }

    /// Returns the browser that it names.
    pub(super) fn engine(&self) -> Option<Engine> {
        if let Self::Browser(engine) = self { *engine } else { None }
    }
}

impl FromStr for Spec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once(':').map_or((text, None), |(kind, rest)| (kind, Some(rest)));
        match (kind, rest) {
            ("phone", None) => Ok(Self::Phone),
            ("phone", Some(_)) => Err("`phone` takes nothing after it".to_owned()),
            ("android", Some("")) => Err("`android:` needs a serial after it; `uixt devices` lists them".to_owned()),
            ("android", serial) => Ok(Self::Android(serial.map(str::to_owned))),
            ("stf", Some("")) => Err("`stf:` needs the serial of a phone of the farm after it".to_owned()),
            ("stf", serial) => Ok(Self::Farm(serial.map(str::to_owned))),
            ("browser", None) => Ok(Self::Browser(None)),
            ("browser", Some(name)) => name.parse().map(|engine| Self::Browser(Some(engine))),
            ("ios" | "harmony", _) => Err(format!("`{kind}` is not supported yet; valid: {VALID}")),
            _ => Err(format!("unknown device `{text}`; valid: {VALID}")),
        }
    }
}

/// A device that was opened, or why it was not, and the way to its like.
pub(super) type Opened = (Arc<Registry>, Result<Arc<dyn Driver>, driver::Error>);

/// The ways to devices, each opened when it is first needed.
#[derive(Default)]
pub(super) struct Fleet {
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

impl Fleet {
    /// Makes one of several.
    pub(super) fn numbered(number: usize) -> Self {
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
            let mut options = phone::system::Options { keeper: keeper::of(folder), ..Default::default() };
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
    pub(super) fn adb(&mut self, address: &str, server: Option<uia2::Options>) -> Arc<Registry> {
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
    pub(super) fn ready(&self, driver: &Arc<dyn Driver>, reset: Option<Reset>) -> Option<Ready> {
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
                driver.renew(apps).await.unwrap_or_else(|error| vec![format!("the device was not made ready: {error}")])
            })
        }))
    }

    /// Ends what the drivers have running on devices, and gives back those that were leased.
    pub(super) async fn close(&mut self) {
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
    pub(super) fn browser(&self) -> browser::Platform {
        self.browser.clone()
    }

    /// Opens the device that a SPEC names, for a folder's project.
    pub(super) async fn open(
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

impl Fleet {
    /// Begins a session on what `--device` names; other devices are opened by the first call that needs them.
    pub(super) async fn session(
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

/// Returns the serial of a fleet's virtual phone.
pub(super) fn phone_serial(number: usize) -> String {
    numbered(&phone::system::Options::default().serial, "-", number)
}

/// Returns the name of the phone of a fleet: the first has no number.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_are_read_and_wrong_ones_say_what_is_valid() {
        assert_eq!("phone".parse(), Ok(Spec::Phone));
        assert_eq!("android".parse(), Ok(Spec::Android(None)));
        assert_eq!("android:1.2.3.4:5555".parse(), Ok(Spec::Android(Some("1.2.3.4:5555".to_owned()))));
        let chrome = Spec::Browser(Some(Engine::Chrome));
        assert_eq!(["browser", "browser:chrome"].map(str::parse), [Ok(Spec::Browser(None)), Ok(chrome)]);
        assert_eq!("browser:webkit".parse(), Ok(Spec::Browser(Some(Engine::WebKit))));
        assert_eq!(
            ["stf", "stf:R5CT1"].map(str::parse),
            [Ok(Spec::Farm(None)), Ok(Spec::Farm(Some("R5CT1".to_owned())))]
        );
        for wrong in ["", "stf:", "browser:", "browser:lynx", "phone:1", "android:", "ios", "pixel"] {
            assert!(wrong.parse::<Spec>().is_err(), "{wrong}");
        }
    }
}
