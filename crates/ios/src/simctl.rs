//! Simulators of a Mac: what `xcrun simctl` does beyond `WebDriverAgent`. Knows its commands and what they print.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::time::timeout;

use crate::driver::{Error, Location};
use crate::fault::beginning;
use crate::usbmux::is_same;

/// How long a command may take: a simulator boots for a minute.
const PATIENCE: Duration = Duration::from_mins(3);

/// How long a recording may take to end.
const ENDING: Duration = Duration::from_secs(30);

/// The program that drives simulators.
#[derive(Clone, Debug)]
pub(crate) struct Simctl {
    xcrun: String,
}

/// A simulator.
#[derive(Clone, Debug)]
pub(crate) struct Simulator {
    pub(crate) udid: String,
    pub(crate) name: String,
    /// `iOS 18.5`.
    pub(crate) runtime: String,
    pub(crate) is_booted: bool,
    simctl: Simctl,
}

impl Simctl {
    pub(crate) fn new(xcrun: &str) -> Self {
        Self { xcrun: xcrun.to_owned() }
    }

    /// Tells whether this computer has the program.
    pub(crate) fn is_there(&self) -> bool {
        if self.xcrun.contains('/') {
            return Path::new(&self.xcrun).is_file();
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join(&self.xcrun).is_file())
    }

    /// Lists the simulators that can be used.
    pub(crate) async fn list(&self) -> Result<Vec<Simulator>, Error> {
        let said = self.run("list the simulators", &["list", "devices", "-j"]).await?;
        let read: Value =
            serde_json::from_str(&said).map_err(|error| odd(&format!("it lists no simulators: {error}")))?;
        let runtimes = read["devices"].as_object().ok_or_else(|| odd("it lists no simulators"))?;
        let mut found = Vec::new();
        for (runtime, devices) in runtimes {
            let runtime = runtime_name(runtime);
            for device in devices.as_array().into_iter().flatten() {
                let text = |key: &str| device[key].as_str().unwrap_or_default().to_owned();
                if device["isAvailable"] != Value::Bool(false) && runtime.starts_with("iOS") {
                    let (udid, name, is_booted) = (text("udid"), text("name"), text("state") == "Booted");
                    found.push(Simulator { udid, name, runtime: runtime.clone(), is_booted, simctl: self.clone() });
                }
            }
        }
        Ok(found)
    }

    /// Finds the simulator of a name or a UDID; of several of a name, one that runs.
    pub(crate) async fn find(&self, name: &str) -> Result<Simulator, Error> {
        let mut known = self.list().await?;
        known.sort_by_key(|simulator| !simulator.is_booted);
        let found = known.into_iter().find(|simulator| simulator.name == name || is_same(&simulator.udid, name));
        found.ok_or_else(|| Error::NotFound { what: format!("the simulator `{name}`") })
    }

    /// Runs `simctl` and returns what it printed; `what` is what for.
    async fn run(&self, what: &str, arguments: &[&str]) -> Result<String, Error> {
        self.run_with(what, arguments, "").await
    }

    async fn run_with(&self, what: &str, arguments: &[&str], input: &str) -> Result<String, Error> {
        let mut command = Command::new(&self.xcrun);
        command.arg("simctl").args(arguments).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let absent = |error: std::io::Error| Error::Disconnected {
            message: format!("`{}` cannot be run ({error}): simulators need a Mac with Xcode", self.xcrun),
        };
        let mut child = command.spawn().map_err(absent)?;
        if let Some(mut to) = child.stdin.take() {
            // Whoever does not read it closes it.
            let _ = to.write_all(input.as_bytes()).await;
        }
        let late = |_| Error::Device { message: format!("simctl did not {what} within {} s", PATIENCE.as_secs()) };
        let output = timeout(PATIENCE, child.wait_with_output()).await.map_err(late)?.map_err(absent)?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said = beginning(&String::from_utf8_lossy(&output.stderr));
        Err(Error::Device { message: format!("simctl did not {what}: {said}") })
    }
}

impl Simulator {
    async fn run(&self, what: &str, command: &str, arguments: &[&str]) -> Result<String, Error> {
        let all = [&[command, self.udid.as_str()], arguments].concat();
        self.simctl.run(what, &all).await
    }

    /// Starts it, where it does not run, and waits until it does.
    pub(crate) async fn boot(&self) -> Result<(), Error> {
        if self.is_booted {
            return Ok(());
        }
        self.run("boot the simulator", "boot", &[]).await?;
        self.run("wait for the simulator", "bootstatus", &["-b"]).await.map(drop)
    }

    pub(crate) async fn install(&self, app: &str) -> Result<(), Error> {
        self.run("install the app", "install", &[app]).await.map(drop)
    }

    pub(crate) async fn uninstall(&self, bundle: &str) -> Result<(), Error> {
        self.require(bundle).await?;
        self.run("uninstall the app", "uninstall", &[bundle]).await.map(drop)
    }

    /// Lists the apps that are installed, those of the system among them.
    pub(crate) async fn packages(&self) -> Result<Vec<String>, Error> {
        let said = self.run("list the apps", "listapps", &[]).await?;
        let mut packages: Vec<String> = bundles(&said).map(str::to_owned).collect();
        if packages.is_empty() {
            return Err(odd(&format!("it lists no app: {}", beginning(&said))));
        }
        packages.sort_unstable();
        packages.dedup();
        Ok(packages)
    }

    /// Fails where an app is not installed.
    pub(crate) async fn require(&self, bundle: &str) -> Result<(), Error> {
        match self.packages().await?.iter().any(|known| known == bundle) {
            true => Ok(()),
            false => Err(Error::NotFound { what: format!("app `{bundle}`") }),
        }
    }

    /// Returns the folder of this computer that holds an app's data.
    pub(crate) async fn data_folder(&self, bundle: &str) -> Result<String, Error> {
        let said = self.run("tell where the app's data are", "get_app_container", &[bundle, "data"]).await?;
        Ok(said.trim().to_owned())
    }

    /// Grants a permission, revokes it, or has it asked anew (`reset`).
    pub(crate) async fn privacy(&self, act: &str, service: &str, bundle: &str) -> Result<(), Error> {
        self.run("change the permission", "privacy", &[act, service, bundle]).await.map(drop)
    }

    pub(crate) async fn add_media(&self, file: &str) -> Result<(), Error> {
        self.run("take the picture into its gallery", "addmedia", &[file]).await.map(drop)
    }

    /// Records its screen for a while into an MP4: the command ends as it is interrupted.
    pub(crate) async fn record(&self, duration: Duration, to: &Path) -> Result<(), Error> {
        let mut command = Command::new(&self.simctl.xcrun);
        command.args(["simctl", "io", &self.udid, "recordVideo", "--codec=h264", "--force"]).arg(to);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
        let failed = |how: String| Error::Device { message: format!("simctl did not record the screen: {how}") };
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        // Whoever ends before it is told to has failed.
        if timeout(duration, child.wait()).await.is_err() {
            #[cfg(unix)]
            if let Some(id) = child.id().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw)
            {
                let _ = rustix::process::kill_process(id, rustix::process::Signal::INT);
            }
        }
        let output = timeout(ENDING, child.wait_with_output()).await;
        let output =
            output.map_err(|_| failed("it does not end".to_owned()))?.map_err(|error| failed(error.to_string()))?;
        match tokio::fs::metadata(to).await.is_ok_and(|file| file.len() > 0) {
            true => Ok(()),
            false => Err(failed(beginning(&String::from_utf8_lossy(&output.stderr)))),
        }
    }

    pub(crate) async fn open_url(&self, url: &str) -> Result<(), Error> {
        self.run("open the link", "openurl", &[url]).await.map(drop)
    }

    /// Shows everything `light` or `dark`.
    pub(crate) async fn set_appearance(&self, name: &str) -> Result<(), Error> {
        self.run("set the appearance", "ui", &["appearance", name]).await.map(drop)
    }

    pub(crate) async fn set_location(&self, location: Option<Location>) -> Result<(), Error> {
        let place = location.map(|Location { latitude, longitude }| format!("{latitude},{longitude}"));
        let arguments = place.as_ref().map_or_else(|| vec!["clear"], |place| vec!["set", place]);
        self.run("set the location", "location", &arguments).await.map(drop)
    }

    pub(crate) async fn clipboard(&self) -> Result<String, Error> {
        self.run("read the clipboard", "pbpaste", &[]).await
    }

    pub(crate) async fn set_clipboard(&self, text: &str) -> Result<(), Error> {
        self.simctl.run_with("set the clipboard", &["pbcopy", &self.udid], text).await.map(drop)
    }
}

/// Reads `com.apple.CoreSimulator.SimRuntime.iOS-18-5`.
fn runtime_name(id: &str) -> String {
    let name = id.rsplit('.').next().unwrap_or(id);
    let (system, version) = name.split_once('-').unwrap_or((name, ""));
    format!("{system} {}", version.replace('-', ".")).trim().to_owned()
}

/// Reads the keys of the first level of a property list in its old form: `"com.a.b" =     {`, or `foo = {`.
fn bundles(said: &str) -> impl Iterator<Item = &str> {
    said.lines().filter_map(|line| {
        let (key, rest) = line.strip_prefix("    ").filter(|line| !line.starts_with(' '))?.split_once('=')?;
        let key = key.trim().trim_matches('"');
        (rest.trim() == "{" && !key.is_empty()).then_some(key)
    })
}

fn odd(how: &str) -> Error {
    Error::Device { message: format!("simctl is not understood: {how}") }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
