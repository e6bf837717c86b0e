//! `uixt phone`: the virtual phone, for any adb client and any adb server; as an iPhone, for any client of `WebDriverAgent`; as a
//! Harmony phone, for any client of hdc.

use std::path::Path;

use clap::{Args, ValueEnum};
use serde_json::Value;

use crate::adb::daemon::Admission;
use crate::cli::exit::{Done, Exit, Failure, print, runtime};
use crate::cli::logging;
use crate::cli::signals::Asked;
use crate::cli::ui::instances;
use crate::phone::system::Options;
use crate::phone::{HarmonyOptions, HarmonyPhone, Iphone, IphoneOptions, Manners, Phones, Ports, Usbmuxd};

/// Ports where nothing else is said.
const ADB_SERVER: u16 = 5038;
const WDA: u16 = 8100;
const HDC_SERVER: u16 = 8710;

#[derive(Args)]
pub(in crate::cli) struct Phone {
    /// Port on 127.0.0.1 that acts as an adb server with every phone attached (5038), as an hdc server with every Harmony phone attached
    /// (8710), or an iPhone's WDA (8100), each further one's the next; 0 picks a free one.
    #[arg(long)]
    port: Option<u16>,
    /// An iPhone instead, with a WDA that its clients drive.
    #[arg(long, conflicts_with_all = ["adbd_port", "serial", "size", "density"])]
    ios: bool,
    /// Port on 127.0.0.1 that shows an iPhone's screen as MJPEG; 0 picks a free one. Each further phone has the next.
    #[arg(long, value_name = "PORT", requires = "ios")]
    mjpeg_port: Option<u16>,
    /// Acts as usbmuxd with every iPhone attached, on HOST:PORT or on a socket of this path.
    #[arg(long, value_name = "ADDRESS", requires = "ios")]
    usbmuxd: Option<String>,
    /// WDA of version 5 rather than 16.
    #[arg(long, requires = "ios")]
    old_wda: bool,
    /// A Harmony phone instead, behind an hdc server that its clients drive.
    #[arg(long, conflicts_with_all = ["ios", "adbd_port", "serial", "size", "density"])]
    harmony: bool,
    /// What is to go wrong on an iPhone (GET /uixt/faults tells the names) or on a Harmony phone (`hdc shell uixt faults`).
    #[arg(long, value_name = "NAME=VALUE", value_parser = fault)]
    fault: Vec<(String, Value)>,
    /// Port on 127.0.0.1 that acts as the phone's own adbd, for `adb connect`; 0 picks a free one. Each further phone has the next.
    #[arg(long, value_name = "PORT")]
    adbd_port: Option<u16>,
    /// Whom the adbd lets in: all; any-key: whoever offers a key, as if a person always allowed it; ask: whom a person allows in a dialog on the
    /// phone's screen; none: stays unauthorized.
    #[arg(long, value_name = "WHOM", value_enum, default_value = "all", requires = "adbd_port")]
    adbd_auth: Auth,
    /// How many phones to start.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    count: u16,
    /// Serial number that the phone shows; with --count, -1, -2, … are added.
    #[arg(long, default_value = "uixt-phone", value_parser = serial)]
    serial: String,
    /// Pixels of the screen.
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1080x2400", value_parser = size)]
    size: (u32, u32),
    /// Dots per inch.
    #[arg(long, default_value_t = 420, value_parser = clap::value_parser!(u32).range(72..=1000))]
    density: u32,
}

#[derive(Clone, Copy, ValueEnum)]
enum Auth {
    All,
    AnyKey,
    Ask,
    None,
}

impl Phone {
    pub(in crate::cli) fn run(self) -> Done {
        logging::to_stderr(tracing::Level::WARN);
        if !self.fault.is_empty() && !self.ios && !self.harmony {
            return Err(Failure::errored("--fault needs --ios or --harmony".to_owned()));
        }
        if self.ios {
            return self.run_iphones();
        }
        if self.harmony {
            return self.run_harmony();
        }
        let admission = match self.adbd_auth {
            Auth::All => Admission::Everybody,
            Auth::AnyKey => Admission::AnyKey,
            Auth::Ask => Admission::Ask,
            Auth::None => Admission::Nobody,
        };
        let ports = Ports { server: self.port.unwrap_or(ADB_SERVER), adbd: self.adbd_port, admission };
        runtime()?.block_on(async {
            // Before the address is printed: whoever read it may already ask the phone to end.
            let mut asked = Asked::listen()?;
            let phones = Phones::start(self.phones(), ports)
                .await
                .map_err(|error| Failure::errored(format!("cannot start the virtual phone: {error}")))?;
            let mut addresses = format!("{}\n", phones.address());
            addresses.extend(phones.adbd_addresses().iter().map(|address| format!("{address}\n")));
            print(&addresses)?;
            explain(&phones);
            asked.wait().await;
            Ok(Exit::Passed)
        })
    }

    fn run_iphones(&self) -> Done {
        runtime()?.block_on(async {
            // Before the addresses are printed: whoever read them may already ask the phones to end.
            let mut asked = Asked::listen()?;
            let failed = |error| Failure::errored(format!("cannot start the virtual iPhone: {error}"));
            let mut iphones = Vec::new();
            for number in 0..self.count {
                iphones.push(Iphone::start(self.iphone(number)).await.map_err(failed)?);
            }
            let usbmuxd = match &self.usbmuxd {
                Some(address) => Some(Usbmuxd::start(address, &iphones).await.map_err(failed)?),
                None => None,
            };
            let addresses = iphones.iter().map(Iphone::address).chain(iphones.iter().filter_map(Iphone::mjpeg_address));
            let mut addresses: String = addresses.map(|address| format!("{address}\n")).collect();
            addresses.extend(usbmuxd.iter().map(|usbmuxd| format!("{}\n", usbmuxd.address())));
            print(&addresses)?;
            let up = if iphones.len() == 1 { "iPhone is" } else { "iPhones are" };
            let first = iphones.first().map(|iphone| format!("http://{}", iphone.address())).unwrap_or_default();
            eprintln!("the virtual {up} up: WebDriverAgent at {first}; Ctrl-C ends it");
            if let Some(usbmuxd) = &usbmuxd {
                eprintln!("as devices of usbmuxd: USBMUXD_SOCKET_ADDRESS={}", usbmuxd.address());
            }
            asked.wait().await;
            Ok(Exit::Passed)
        })
    }

    fn run_harmony(&self) -> Done {
        runtime()?.block_on(async {
            // Before the address is printed: whoever read it may already ask the phones to end.
            let mut asked = Asked::listen()?;
            let keeper = instances::of(Path::new("."));
            let phone = |number| HarmonyOptions {
                key: HarmonyOptions::key_of(number),
                port: self.port.unwrap_or(HDC_SERVER),
                keeper: keeper.clone(),
                faults: self.fault.clone(),
                ..HarmonyOptions::default()
            };
            let phones = HarmonyPhone::start((0..self.count).map(phone).collect())
                .await
                .map_err(|error| Failure::errored(format!("cannot start the virtual Harmony phone: {error}")))?;
            let address = phones.address();
            print(&format!("{address}\n"))?;
            let (up, keys) = (if self.count == 1 { "phone is" } else { "phones are" }, phones.keys().join(", "));
            eprintln!("the virtual Harmony {up} up: hdc -s {address} list targets names {keys}; Ctrl-C ends it");
            asked.wait().await;
            Ok(Exit::Passed)
        })
    }

    fn iphone(&self, number: u16) -> IphoneOptions {
        let nth = |first: u16| if first == 0 { 0 } else { first.saturating_add(number) };
        IphoneOptions {
            udid: IphoneOptions::udid_of(number.into()),
            port: nth(self.port.unwrap_or(WDA)),
            mjpeg_port: self.mjpeg_port.map(nth),
            manners: if self.old_wda { Manners::Old } else { Manners::Strict },
            keeper: instances::of(Path::new(".")),
            faults: self.fault.clone(),
            ..IphoneOptions::default()
        }
    }

    fn phones(&self) -> Vec<Options> {
        let serial = |number| if self.count == 1 { self.serial.clone() } else { format!("{}-{number}", self.serial) };
        let keeper = instances::of(Path::new("."));
        let phone = |number| Options {
            size: self.size,
            density: self.density,
            serial: serial(number),
            keeper: keeper.clone(),
            ..Options::default()
        };
        (1..=self.count).map(phone).collect()
    }
}

/// Says how the phones are reached.
fn explain(phones: &Phones) {
    let port = phones.address().port();
    let up = if phones.systems().len() == 1 { "phone is" } else { "phones are" };
    eprintln!("the virtual {up} up: adb -P {port} shell, or uixt run --adb-server 127.0.0.1:{port}; Ctrl-C ends it");
    if let Some(first) = phones.adbd_addresses().first() {
        eprintln!("as devices of another adb server: adb connect {first}");
    }
}

/// Takes a serial that can stand in adb's lists and requests.
fn serial(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_graphic() && c != ';' && c != '/';
    if text.is_empty() || text.len() > 64 || !text.chars().all(fits) {
        return Err("a serial is 1 to 64 ASCII letters, digits or signs, without spaces".to_owned());
    }
    Ok(text.to_owned())
}

/// Parses `cut_after=1`; what is no JSON is a text.
fn fault(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "true"));
    if name.is_empty() {
        return Err("a fault is NAME=VALUE, such as cut_after=1".to_owned());
    }
    Ok((name.to_owned(), serde_json::from_str(value).unwrap_or_else(|_| Value::from(value))))
}

/// Parses `1080x2400`.
fn size(text: &str) -> Result<(u32, u32), String> {
    let sides =
        text.split_once(['x', '×']).and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    match sides {
        Some((width, height)) if (240..=4096).contains(&width) && (240..=4096).contains(&height) => Ok((width, height)),
        Some(_) => Err("each side must be from 240 to 4096 pixels".to_owned()),
        None => Err(format!("`{text}` is not a size; write it as 1080x2400")),
    }
}
