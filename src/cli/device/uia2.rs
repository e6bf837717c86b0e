//! What the command line and a testcase's config say of Appium's UiAutomator2 server → whether it is used, and how.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;

use crate::cli::exit::Failure;
use crate::driver::android::uia2::{Apks, Options};
use crate::testcase::{DeviceOption, TestCase};

/// Options of every command that acts on devices.
#[derive(Args, Clone, Debug, Default)]
pub(in crate::cli) struct Uia2Args {
    /// Looks at Android screens and touches them by Appium's UiAutomator2 server; `--uia2=false` does not, whatever a testcase says.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", env = "UIXT_UIA2")]
    uia2: Option<bool>,
    /// Folder of the two packages of that server, which are installed where the device has others.
    #[arg(long, value_name = "DIR", env = "UIXT_UIA2_APKS")]
    uia2_apks: Option<PathBuf>,
}

/// What a testcase's config says of it.
#[derive(Clone, Debug, Default)]
pub(in crate::cli) struct Written {
    pub uia2: Option<bool>,
    pub port: Option<u16>,
    pub package: Option<String>,
    pub test_package: Option<String>,
    pub apks: Option<PathBuf>,
}

impl Uia2Args {
    /// Names its files whole, for a program that changes its folder.
    pub(in crate::cli) fn whole(self) -> std::io::Result<Self> {
        let uia2_apks = self.uia2_apks.map(std::path::absolute).transpose()?;
        Ok(Self { uia2_apks, ..self })
    }

    /// Decides whether the server is used; its packages are looked for in and above `folder`.
    pub(in crate::cli) fn decide(&self, written: Written, folder: &Path) -> Result<Option<Options>, Failure> {
        if !self.uia2.or(written.uia2).unwrap_or(false) {
            return Ok(None);
        }
        let named = self.uia2_apks.clone().or(written.apks);
        let apks = match named {
            Some(named) => Some(Apks::in_folder(&named).map_err(Failure::usage)?),
            None => Apks::near(folder),
        };
        let usual = Options::default();
        Ok(Some(Options {
            port: written.port.unwrap_or(usual.port),
            package: written.package.unwrap_or(usual.package),
            test_package: written.test_package.unwrap_or(usual.test_package),
            apks,
        }))
    }

    /// Decides for a command without a testcase.
    pub(super) fn here(&self) -> Result<Option<Options>, Failure> {
        self.decide(Written::default(), Path::new("."))
    }
}

/// Returns a warning for each testcase that a case refers to and that says something else of `uia2`: the case decides for all.
pub(in crate::cli) fn warnings(case: &TestCase) -> Vec<String> {
    let own = wish(case).map_or(&Value::Bool(false), |option| &option.value);
    let cases = case.cases().into_iter().skip(1);
    let others =
        cases.filter_map(|other| wish(other).filter(|option| option.value != *own).map(|option| (other, option)));
    let warn = |(other, option): (&TestCase, &DeviceOption)| {
        let place = format!("{}:{}:{}", other.file, option.place.line, option.place.column);
        format!(
            "{place}: `uia2: {}` changes nothing here: {}, which refers to this testcase, decides",
            option.value, case.file
        )
    };
    let mut warnings: Vec<String> = others.map(warn).collect();
    warnings.sort();
    warnings.dedup();
    warnings
}

fn wish(case: &TestCase) -> Option<&DeviceOption> {
    let device = case.config.devices.iter().find(|device| device.platform == "android")?;
    device.options.iter().find(|option| option.key == "uia2")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_wins_over_the_testcase() {
        let decided = |line: Option<bool>, case: Option<bool>| {
            let written = Written { uia2: case, port: Some(7000), ..Written::default() };
            let args = Uia2Args { uia2: line, uia2_apks: None };
            args.decide(written, Path::new("/nowhere")).unwrap().map(|options| options.port)
        };
        assert_eq!(decided(None, None), None);
        assert_eq!(decided(None, Some(true)), Some(7000));
        assert_eq!(decided(Some(false), Some(true)), None);
        assert_eq!(decided(Some(true), Some(false)), Some(7000));
        let args = Uia2Args { uia2: Some(true), uia2_apks: Some("/nowhere".into()) };
        assert!(args.here().is_err());
    }
}
