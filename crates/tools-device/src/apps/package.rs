//! Apps as packages: install, uninstall, clear, permit, describe.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_call::{Exposure, Lacking, Shape, ToolKind, Toolset};
use uixt_driver::{AppInfo, Driver, Install, Permission};
use uixt_locate::{Error, Kind};
use uixt_toolkit::{ActionTool, Context, Reply, Tool, fetch};

use super::installed::found;

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<AppInstall>(),
    ActionTool::of::<AppUninstall>(),
    ActionTool::of::<AppClear>(),
    ActionTool::of::<AppInfoTool>(),
    ActionTool::of::<AppPermissions>(),
];

/// How long a device may take to install or uninstall an app.
const LIMIT: Duration = Duration::from_mins(10);

/// Install an app from a file of this computer or an http(s) address.
#[derive(Deserialize, JsonSchema)]
struct AppInstall {
    /// Path or URL of the APK; a relative path begins at the project's folder.
    #[schemars(length(min = 1))]
    app_url: String,
    /// Package that must be there afterwards.
    #[serde(default)]
    package_name: Option<String>,
    /// Replace one that is there; its data stay.
    #[serde(default = "yes")]
    replace: bool,
    /// Let an older version replace a newer one.
    #[serde(default)]
    downgrade: bool,
    /// Grant every permission that it asks for.
    #[serde(default)]
    grant: bool,
}

fn yes() -> bool {
    true
}

impl Tool for AppInstall {
    const NAME: &'static str = "app_install";
    const SET: Option<Toolset> = None;
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] = &[Lacking::tool("browser", "it has no apps")];
    const NAMES_FILES: bool = true;
    const ALIASES: &'static [&'static str] = &["install_app"];
    const PARAMS: Shape = Shape::Fields(&["app_url"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("path", "app_url")];
    const EXPOSURE: Exposure = Exposure::Testcase;
    const MAIN: Option<&'static str> = Some("package_name");

    fn limit(&self) -> Duration {
        if fetch::is_address(&self.app_url) { LIMIT + fetch::LIMIT } else { LIMIT }
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.driver()?;
        let file = fetch::get(&cx.files(), &self.app_url).await?;
        let before = driver.packages().await?;
        let how = Install { replace: self.replace, downgrade: self.downgrade, grant: self.grant };
        driver.install(&file.path, how).await?;
        let package = installed(driver, self.package_name, &before).await?;
        let what = package.as_deref().unwrap_or(&self.app_url);
        Ok(Reply::new(format!("Installed {what}")).with("path", self.app_url).with("package_name", package))
    }
}

/// Returns the package that was named, once it is there; or the one that is new. A replaced one that nobody named is not known.
async fn installed(driver: &dyn Driver, named: Option<String>, before: &[String]) -> Result<Option<String>, Error> {
    let mut after = driver.packages().await?;
    let Some(named) = named else {
        after.retain(|package| !before.contains(package));
        return Ok(after.pop().filter(|_| after.is_empty()));
    };
    if after.contains(&named) {
        return Ok(Some(named));
    }
    let new: Vec<String> = after.into_iter().filter(|package| !before.contains(package)).collect();
    let message = format!("an app was installed, but {named} is not there; new: {}", new.join(", "));
    Err(Error::new(Kind::NotFound, message).with("installed", new))
}

/// Remove an app and its data.
#[derive(Deserialize, JsonSchema)]
struct AppUninstall {
    /// App's package.
    #[schemars(length(min = 1))]
    package_name: String,
}

impl Tool for AppUninstall {
    const NAME: &'static str = "app_uninstall";
    const SET: Option<Toolset> = Some(Toolset::Apps);
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] = &[Lacking::tool("browser", "it has no apps")];
    const ALIASES: &'static [&'static str] = &["uninstall_app"];
    const PARAMS: Shape = Shape::Fields(&["package_name"]);
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["package_name"];

    fn limit(&self) -> Duration {
        LIMIT
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.driver()?;
        found(cx, &self.package_name, driver.uninstall(&self.package_name).await).await?;
        if driver.packages().await?.contains(&self.package_name) {
            let message = format!("{} is still there after it was uninstalled", self.package_name);
            return Err(Error::new(Kind::Device, message));
        }
        Ok(Reply::new(format!("Uninstalled {}", self.package_name)).with("package_name", self.package_name))
    }
}

/// End an app and delete its data and permissions, as if it had just been installed.
#[derive(Deserialize, JsonSchema)]
struct AppClear {
    /// App's package.
    #[schemars(length(min = 1))]
    package_name: String,
}

impl Tool for AppClear {
    const NAME: &'static str = "app_clear";
    const SET: Option<Toolset> = Some(Toolset::Apps);
    const KIND: ToolKind = ToolKind::Setup;
    const VERB: Option<&'static str> = Some("clear");
    const IDEMPOTENT: bool = true;
    const PARAMS: Shape = Shape::Fields(&["package_name"]);
    const ANSWER: &'static [&'static str] = &["package_name"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        found(cx, &self.package_name, cx.driver()?.clear_app(&self.package_name).await).await?;
        Ok(Reply::new(format!("Cleared {}", self.package_name)).with("package_name", self.package_name))
    }
}

/// Tell an app's version, SDK levels, times, place and permissions.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "AppInfo")]
struct AppInfoTool {
    /// App's package.
    #[schemars(length(min = 1))]
    package_name: String,
}

impl Tool for AppInfoTool {
    const NAME: &'static str = "app_info";
    const SET: Option<Toolset> = Some(Toolset::Apps);
    const KIND: ToolKind = ToolKind::Read;
    const LACKING: &'static [Lacking] = &[Lacking::tool("ios", "WebDriverAgent does not tell about apps")];
    const PARAMS: Shape = Shape::Fields(&["package_name"]);
    const MAIN: Option<&'static str> = Some("version_name");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &[
        "package_name",
        "version_name",
        "version_code",
        "min_sdk",
        "target_sdk",
        "first_install_time",
        "last_update_time",
        "path",
        "is_system",
        "permissions",
        "is_running",
    ];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.driver()?;
        let info = found(cx, &self.package_name, driver.app_info(&self.package_name).await).await?;
        let is_running = driver.is_running(&self.package_name).await?;
        let message = format!("{} {}", self.package_name, info.version_name);
        Ok(described(Reply::new(message).with("package_name", self.package_name), info).with("is_running", is_running))
    }
}

fn described(reply: Reply, info: AppInfo) -> Reply {
    reply
        .with("version_name", info.version_name)
        .with("version_code", info.version_code)
        .with("min_sdk", info.min_sdk)
        .with("target_sdk", info.target_sdk)
        .with("first_install_time", info.first_install_time)
        .with("last_update_time", info.last_update_time)
        .with("path", info.path)
        .with("is_system", info.system)
        .with("permissions", states(&info.permissions))
}

/// Writes permissions as an object: name → whether it is granted.
fn states(permissions: &[Permission]) -> Value {
    Value::Object(permissions.iter().map(|known| (known.name.clone(), json!(known.granted))).collect())
}

/// Grant permissions to an app, or revoke them; it is not asked for them on the screen then.
#[derive(Deserialize, JsonSchema)]
struct AppPermissions {
    /// App's package.
    #[schemars(length(min = 1))]
    package_name: String,
    /// Permissions to grant: CAMERA, or in full android.permission.CAMERA.
    #[serde(default)]
    grant: Vec<String>,
    /// Permissions to revoke.
    #[serde(default)]
    revoke: Vec<String>,
}

impl Tool for AppPermissions {
    const NAME: &'static str = "app_permissions";
    const SET: Option<Toolset> = Some(Toolset::Apps);
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] = &[
        Lacking::tool("harmony", "no command of its shell changes them; answer the question when the app asks"),
        Lacking::tool("browser", "it has no apps"),
    ];
    const PARAMS: Shape = Shape::Fields(&["package_name"]);
    const MAIN: Option<&'static str> = Some("permissions");
    const ANSWER: &'static [&'static str] = &["package_name", "permissions"];

    fn check(&self) -> Result<(), String> {
        let named = || self.grant.iter().chain(&self.revoke);
        if named().next().is_none() {
            return Err("name permissions to `grant` or to `revoke`; app_info tells how they stand".to_owned());
        }
        if named().any(|name| name.trim().is_empty()) {
            return Err("a permission's name is empty".to_owned());
        }
        match self.grant.iter().find(|name| self.revoke.iter().any(|other| in_full(other) == in_full(name))) {
            Some(both) => Err(format!("`{both}` is to be both granted and revoked")),
            None => Ok(()),
        }
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.driver()?;
        // A package that is not there is told apart from a permission that is not.
        found(cx, &self.package_name, driver.app_info(&self.package_name).await).await?;
        let wanted = self.grant.iter().map(|name| (in_full(name), true));
        let wanted: Vec<_> = wanted.chain(self.revoke.iter().map(|name| (in_full(name), false))).collect();
        for (name, granted) in &wanted {
            driver.set_permission(&self.package_name, name, *granted).await?;
        }
        let now = driver.app_info(&self.package_name).await?.permissions;
        let is_granted = |name: &str| now.iter().any(|known| known.name == name && known.granted);
        if let Some((name, granted)) = wanted.iter().find(|(name, granted)| is_granted(name) != *granted) {
            let state = if *granted { "not granted" } else { "still granted" };
            return Err(Error::new(Kind::Device, format!("the device did as asked, but {name} is {state}")));
        }
        let count = wanted.len();
        let noun = if count == 1 { "permission" } else { "permissions" };
        Ok(Reply::new(format!("Changed {count} {noun} of {}", self.package_name))
            .with("package_name", self.package_name)
            .with("permissions", states(&now)))
    }
}

/// Returns a permission's full name; one without dots is Android's own.
fn in_full(name: &str) -> String {
    if name.contains('.') { name.to_owned() } else { format!("android.permission.{}", name.trim().to_uppercase()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradictions_are_found_before_the_device_is_asked() {
        let tool = |grant: &[&str], revoke: &[&str]| AppPermissions {
            package_name: "a.b".to_owned(),
            grant: grant.iter().map(ToString::to_string).collect(),
            revoke: revoke.iter().map(ToString::to_string).collect(),
        };
        assert_eq!(tool(&["camera"], &["a.b.OWN"]).check(), Ok(()));
        assert!(tool(&[], &[]).check().is_err());
        assert!(tool(&[""], &[]).check().is_err());
        assert!(tool(&["CAMERA"], &["android.permission.CAMERA"]).check().unwrap_err().contains("both"));
    }
}
