//! All the devices that can be reached, over every platform that is there; each is opened once.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::{Mutex, OnceCell, watch};

use super::{DeviceInfo, Driver, Error};

/// The status of a device that can be used.
const ONLINE: &str = "online";

/// A way to devices of one kind: an adb server, a USB multiplexer, a browser's driver.
#[async_trait]
pub trait Platform: Send + Sync {
    /// `android`, `ios`, `harmony` or `browser`.
    fn name(&self) -> &'static str;

    /// Tells it that a device of this serial is wanted, which nothing but its name may lead to.
    fn seek(&self, _serial: &str) {}

    /// Tells it that its devices are wanted, or the one of this serial: by its own name, and not among all that there are.
    fn choose(&self, _serial: Option<&str>) {}

    /// Tells whether its devices are used only where they, or it, are named: they are there without anybody having connected them.
    fn is_chosen_by_name(&self) -> bool {
        false
    }

    /// Returns the serial of the device that the platform's name alone means.
    fn usual(&self) -> Option<&'static str> {
        None
    }

    /// Says why it has no device, where it knows.
    fn absent(&self) -> Option<Error> {
        None
    }

    /// Returns the devices, whatever their status.
    async fn list(&self) -> Result<Vec<DeviceInfo>, Error>;

    async fn open(&self, device: &DeviceInfo) -> Result<Arc<dyn Driver>, Error>;

    /// Counts how often its devices may have changed; nothing where only a list would tell.
    fn changes(&self) -> Option<watch::Receiver<u64>> {
        None
    }
}

/// What is said where nothing is there at all, and nothing was named.
const NONE: &str = "no device is connected: plug one in, name one by its address (`--device android:HOST:PORT`), or use the virtual \
                    phone (`--device phone`)";

/// The lock that is held while a device is called.
pub type Turn = Arc<Mutex<()>>;

/// A device that is opened once, by whoever comes first.
type Opening = Arc<OnceCell<Arc<dyn Driver>>>;

/// The devices that can be reached.
#[derive(Default)]
pub struct Registry {
    platforms: Vec<Box<dyn Platform>>,
    /// By the platform's position and the serial. Each is opened by itself: one that hangs holds up no other.
    opened: Mutex<HashMap<(usize, String), Opening>>,
    turns: parking_lot::Mutex<HashMap<(&'static str, String), Turn>>,
}

impl Registry {
    pub fn new(platforms: Vec<Box<dyn Platform>>) -> Self {
        Self { platforms, ..Self::default() }
    }

    /// Tells every platform that a device of this serial is wanted, which nothing but its name may lead to.
    pub fn seek(&self, serial: &str) {
        self.platforms.iter().for_each(|platform| platform.seek(serial));
    }

    /// Tells a platform that its devices are wanted, or the one of this serial.
    pub fn choose(&self, platform: &str, serial: Option<&str>) {
        self.platforms.iter().filter(|one| one.name() == platform).for_each(|one| one.choose(serial));
    }

    /// Counts, for each platform that is told of it, how often its devices may have changed.
    pub fn changes(&self) -> Vec<watch::Receiver<u64>> {
        self.platforms.iter().filter_map(|platform| platform.changes()).collect()
    }

    /// Returns the devices of one platform.
    pub async fn list_on(&self, platform: &str) -> Result<Vec<DeviceInfo>, Error> {
        self.choose(platform, None);
        let (devices, mut failures) = self.listed(|position| self.platforms[position].name() == platform).await;
        let devices = devices.into_iter().map(|(_, device)| device).collect();
        failures.pop().map_or(Ok(devices), Err)
    }

    /// Returns every device. One platform that cannot be asked does not hide the others; if none can, its error is returned.
    pub async fn list(&self) -> Result<Vec<DeviceInfo>, Error> {
        let (devices, mut failures) = self.survey().await;
        match failures.pop() {
            Some(error) if devices.is_empty() => Err(error),
            _ => Ok(devices),
        }
    }

    /// Returns every device, and why platforms could not be asked.
    pub async fn survey(&self) -> (Vec<DeviceInfo>, Vec<Error>) {
        let (devices, failures) = self.listed(|_| true).await;
        (devices.into_iter().map(|(_, device)| device).collect(), failures)
    }

    /// Says why platforms have no device, where they know.
    pub fn absences(&self) -> Vec<Error> {
        self.platforms.iter().filter_map(|platform| platform.absent()).collect()
    }

    /// Says why a platform has no device, where it knows.
    pub fn absence_on(&self, platform: &str) -> Option<Error> {
        self.platforms.iter().find(|one| one.name() == platform)?.absent()
    }

    /// Opens the device that `platform` and `serial` name; without them the only one there is.
    pub async fn open(&self, platform: Option<&str>, serial: Option<&str>) -> Result<Arc<dyn Driver>, Error> {
        let serial = serial.or_else(|| self.usual(platform));
        if let Some(driver) = self.already_open(platform, serial).await {
            return Ok(driver);
        }
        serial.inspect(|serial| self.seek(serial));
        platform.inspect(|platform| self.choose(platform, serial));
        let is_named = |position: usize| platform.is_none_or(|name| name == self.platforms[position].name());
        let (mut devices, mut failures) = self.listed(is_named).await;
        if platform.is_none() && serial.is_none() {
            devices.retain(|(position, _)| !self.platforms[*position].is_chosen_by_name());
        }
        if devices.is_empty()
            && let Some(error) = failures.pop()
        {
            return Err(error);
        }
        let known = devices.clone();
        devices.retain(|(_, device)| serial.is_none_or(|serial| serial == device.serial));
        // A phone that is offline does not make the choice hard; named by its serial, it says what is wrong with it.
        if serial.is_none() && devices.iter().any(|(_, device)| device.status == ONLINE) {
            devices.retain(|(_, device)| device.status == ONLINE);
        }
        match devices.len() {
            1 => self.open_listed(devices.remove(0)).await,
            0 => {
                let (others, _) = self.listed(|position| !is_named(position)).await;
                Err(self.missing(platform, serial, &[known, others].concat()))
            }
            count => {
                let message = format!("{count} devices are connected, name one: {}", list_of(&devices));
                Err(Error::Ambiguous { message })
            }
        }
    }

    /// Returns the lock that whoever calls the device holds meanwhile.
    pub fn turn(&self, device: &dyn Driver) -> Turn {
        let info = device.info();
        let mut turns = self.turns.lock();
        Arc::clone(turns.entry((info.platform, info.serial.clone())).or_default())
    }

    /// Ends what the drivers of the devices that were opened have running on them.
    pub async fn close(&self) {
        let opened: Vec<Opening> = self.opened.lock().await.values().map(Arc::clone).collect();
        for driver in opened.iter().filter_map(|opening| opening.get()) {
            driver.close().await;
        }
    }

    /// Returns the devices of these platforms with the platform's position, and why platforms could not be asked.
    async fn listed(&self, is_meant: impl Fn(usize) -> bool) -> (Vec<(usize, DeviceInfo)>, Vec<Error>) {
        let (mut devices, mut failures) = (Vec::new(), Vec::new());
        for (position, platform) in self.platforms.iter().enumerate().filter(|(position, _)| is_meant(*position)) {
            match platform.list().await {
                Ok(found) => devices.extend(found.into_iter().map(|device| (position, device))),
                Err(error) => failures.push(error),
            }
        }
        (devices, failures)
    }

    /// Says that what was named is not among the devices.
    fn missing(&self, platform: Option<&str>, serial: Option<&str>, known: &[(usize, DeviceInfo)]) -> Error {
        let elsewhere = elsewhere(platform, serial, known).map(|message| Error::Disconnected { message });
        let why = elsewhere.or_else(|| self.absent(platform));
        why.unwrap_or_else(|| Error::Disconnected { message: absent(platform, serial, &list_of(known)) })
    }

    fn usual(&self, name: Option<&str>) -> Option<&'static str> {
        self.platforms.iter().find(|platform| name == Some(platform.name()))?.usual()
    }

    /// Says why a platform that was named has no device, where it knows.
    fn absent(&self, name: Option<&str>) -> Option<Error> {
        self.platforms.iter().find(|platform| name == Some(platform.name()))?.absent()
    }

    async fn already_open(&self, platform: Option<&str>, serial: Option<&str>) -> Option<Arc<dyn Driver>> {
        let serial = serial?;
        let opened = self.opened.lock().await;
        let mut matching = opened.values().filter_map(|opening| opening.get()).map(|driver| (driver, driver.info()));
        matching
            .find(|(_, info)| info.serial == serial && platform.is_none_or(|platform| platform == info.platform))
            .map(|(driver, _)| Arc::clone(driver))
    }

    async fn open_listed(&self, (position, device): (usize, DeviceInfo)) -> Result<Arc<dyn Driver>, Error> {
        let key = (position, device.serial.clone());
        let opening = Arc::clone(self.opened.lock().await.entry(key).or_default());
        opening.get_or_try_init(|| self.platforms[position].open(&device)).await.map(Arc::clone)
    }
}

/// Says that a device is there under another platform than the one that was named.
fn elsewhere(platform: Option<&str>, serial: Option<&str>, known: &[(usize, DeviceInfo)]) -> Option<String> {
    let (named, serial) = (platform?, serial?);
    let (_, device) = known.iter().find(|(_, device)| device.serial == serial)?;
    let is = device.platform;
    Some(format!("the platform {named} is wrong: {serial} is an {is} device; give platform {is}, or none"))
}

fn absent(platform: Option<&str>, serial: Option<&str>, present: &str) -> String {
    let wanted = match (platform, serial) {
        (_, Some(serial)) => format!("device {serial} is not connected"),
        (Some(platform), None) => format!("no {platform} device is connected"),
        (None, None) if present.is_empty() => NONE.to_owned(),
        (None, None) => "no device is connected".to_owned(),
    };
    if present.is_empty() { wanted } else { format!("{wanted}; connected: {present}") }
}

fn list_of(devices: &[(usize, DeviceInfo)]) -> String {
    let name =
        |device: &DeviceInfo| format!("{}:{} ({}, {})", device.platform, device.serial, device.name, device.status);
    devices.iter().map(|(_, device)| name(device)).collect::<Vec<_>>().join(", ")
}
