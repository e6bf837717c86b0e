//! A device as it is named on the command line and in files: `phone`, `iphone`, `harmony-phone`, `android[:SERIAL]`, `stf[:SERIAL]`,
//! `ios[:UDID|:http://HOST:PORT|:sim:NAME]`, `harmony[:KEY]`, `browser[:chrome|firefox|webkit]`.

use std::str::FromStr;

use clap::Args;
use clap_complete::engine::ArgValueCandidates;

use crate::adb;
use crate::cli::help::completions;
use crate::driver::browser::Engine;

/// What a SPEC may be.
const VALID: &str = "phone, iphone, harmony-phone, android[:SERIAL], ios[:UDID|:http://HOST:PORT|:sim:NAME], harmony[:KEY], stf[:SERIAL], browser[:chrome|firefox|webkit]";

/// Options of every command that uses devices.
#[derive(Args, Clone, Debug, Default)]
pub(in crate::cli) struct DeviceArgs {
    /// Device to use: `phone`, `iphone` or `harmony-phone` (the embedded virtual ones), `android[:SERIAL]`,
    /// `ios[:UDID|:http://HOST:PORT|:sim:NAME]`, `harmony[:KEY]`, `stf[:SERIAL]` (of a device farm) or `browser[:chrome|firefox|webkit]`.
    #[arg(long, value_name = "SPEC", env = "UIXT_DEVICE", add = ArgValueCandidates::new(completions::device_specs))]
    pub device: Option<Spec>,
    #[command(flatten)]
    pub ways: Ways,
}

/// How devices are reached, and browsers shown.
#[derive(Args, Clone, Debug, Default)]
pub(in crate::cli) struct Ways {
    /// Address of the adb server; `none` reaches phones on USB and `android:HOST:PORT` without one.
    #[arg(long, value_name = "HOST:PORT", default_value = adb::DEFAULT_ADDRESS, env = "UIXT_ADB_SERVER")]
    pub adb_server: String,
    /// Address of the hdc server, which reaches HarmonyOS phones; its usual port is `OHOS_HDC_SERVER_PORT`, or 8710.
    #[arg(long, value_name = "HOST:PORT", env = "UIXT_HDC_SERVER")]
    pub hdc_server: Option<String>,
    /// Shows the browser's window, whatever a testcase says.
    #[arg(long, env = "UIXT_HEADED")]
    pub headed: bool,
    /// Shows pages by a WebDriver that runs already, such as a Selenium Grid.
    #[arg(long, value_name = "URL", env = "UIXT_WEBDRIVER_URL", hide_env_values = true)]
    pub webdriver_url: Option<String>,
}

/// A device as a user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Spec {
    Phone,
    /// The embedded virtual iPhone.
    Iphone,
    Android(Option<String>),
    /// An iPhone: by its UDID, the address of its `WebDriverAgent`, or `sim:` and the name of a simulator.
    Ios(Option<String>),
    /// A HarmonyOS phone, by its connect key.
    Harmony(Option<String>),
    /// The embedded virtual HarmonyOS phone.
    HarmonyPhone,
    /// A phone of a device farm: the one of a serial, or any that is free.
    Farm(Option<String>),
    /// The one that is meant, where it is said.
    Browser(Option<Engine>),
}

impl Spec {
    /// Returns the device of a kind, as a word of `requires` or `config` names it: `iphone`, `android`.
    pub(in crate::cli) fn of_kind(word: &str) -> Option<Self> {
        let spec = word.parse().ok().filter(|_| !word.contains(':'));
        spec.filter(|spec| !matches!(spec, Self::Farm(_)))
    }

    /// Returns the platform of its devices.
    pub(in crate::cli) fn platform(&self) -> &'static str {
        match self {
            Self::Phone | Self::Android(_) | Self::Farm(_) => "android",
            Self::Iphone | Self::Ios(_) => "ios",
            Self::Harmony(_) | Self::HarmonyPhone => "harmony",
            Self::Browser(_) => "browser",
        }
    }

    /// Tells whether there can be another of its kind: what uixt starts itself, and what a farm has.
    pub(in crate::cli) fn can_be_many(&self) -> bool {
        !matches!(self, Self::Android(_) | Self::Ios(_) | Self::Harmony(_) | Self::Farm(Some(_)))
    }

    /// Returns the serial, UDID or key of the phone that it names.
    pub(in crate::cli) fn serial(&self) -> Option<&str> {
        match self {
            Self::Android(serial) | Self::Ios(serial) | Self::Harmony(serial) | Self::Farm(serial) => serial.as_deref(),
            Self::Phone | Self::Iphone | Self::HarmonyPhone | Self::Browser(_) => None,
        }
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
            ("iphone", None) => Ok(Self::Iphone),
            ("harmony-phone", None) => Ok(Self::HarmonyPhone),
            ("phone" | "iphone" | "harmony-phone", Some(_)) => Err(format!("`{kind}` takes nothing after it")),
            ("android", Some("")) => Err("`android:` needs a serial after it; `uixt devices` lists them".to_owned()),
            ("android", serial) => Ok(Self::Android(serial.map(str::to_owned))),
            ("ios", Some("" | "sim:")) => Err(format!("`{text}` needs a name after it; `uixt devices` lists them")),
            ("ios", name) => Ok(Self::Ios(name.map(|name| name.trim_end_matches('/').to_owned()))),
            ("stf", Some("")) => Err("`stf:` needs the serial of a phone of the farm after it".to_owned()),
            ("stf", serial) => Ok(Self::Farm(serial.map(str::to_owned))),
            ("browser", None) => Ok(Self::Browser(None)),
            ("browser", Some(name)) => name.parse().map(|engine| Self::Browser(Some(engine))),
            ("harmony", Some("")) => {
                Err("`harmony:` needs a connect key after it; `uixt devices` lists them".to_owned())
            }
            ("harmony", key) => Ok(Self::Harmony(key.map(str::to_owned))),
            _ => Err(format!("unknown device `{text}`; valid: {VALID}")),
        }
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
        assert_eq!("harmony-phone".parse(), Ok(Spec::HarmonyPhone));
        assert_eq!(
            ["harmony", "harmony:10.0.0.7:5555"].map(str::parse),
            [Ok(Spec::Harmony(None)), Ok(Spec::Harmony(Some("10.0.0.7:5555".to_owned())))]
        );
        for (name, wanted) in [
            ("ios", None),
            ("ios:http://127.0.0.1:8100", Some("http://127.0.0.1:8100")),
            ("ios:http://127.0.0.1:8100/", Some("http://127.0.0.1:8100")),
            ("ios:sim:iPhone 16", Some("sim:iPhone 16")),
        ] {
            assert_eq!(name.parse(), Ok(Spec::Ios(wanted.map(str::to_owned))));
        }
        for wrong in [
            "",
            "stf:",
            "browser:",
            "browser:lynx",
            "phone:1",
            "iphone:1",
            "android:",
            "ios:",
            "ios:sim:",
            "harmony:",
            "harmony-phone:1",
            "pixel",
        ] {
            assert!(wrong.parse::<Spec>().is_err(), "{wrong}");
        }
    }
}
