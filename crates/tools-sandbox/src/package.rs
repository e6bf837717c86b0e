//! Packages for the sandbox, where whoever started uixt allows them.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_locate::{Error, Kind};
use uixt_sandbox::Package;
use uixt_toolkit::{Context, Reply, Tool};

use super::{AllowPackages, USUAL, sandbox, told};

/// How long it may take to install a package and to import it, another call of the session before it included.
const LIMIT: Duration = Duration::from_secs(900);

/// Install a Python package, from wheels, for a session of the sandbox.
#[derive(Deserialize, JsonSchema)]
pub(super) struct InstallPackage {
    /// Name, such as numpy.
    #[schemars(length(min = 1))]
    package_name: String,
    /// Version; the newest by default.
    #[serde(default)]
    version: Option<String>,
    /// Session, `default` if left out.
    #[serde(default)]
    #[schemars(length(min = 1, max = 64))]
    session_id: Option<String>,
}

impl Tool for InstallPackage {
    const NAME: &'static str = "microsandbox_install_package";
    const SET: Option<Toolset> = Some(Toolset::Microsandbox);
    const KIND: ToolKind = ToolKind::Other;
    const PARAMS: Shape = Shape::Fields(&["package_name", "version"]);
    const ANSWER: &'static [&'static str] =
        &["package_name", "version", "install_details", "session_id", "execution_time", "walls"];
    const NEEDS_DEVICE: bool = false;
    const DESTRUCTIVE: bool = false;
    const IDEMPOTENT: bool = true;

    fn limit(&self) -> Duration {
        LIMIT
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        if !cx.session.setting::<AllowPackages>().0 {
            let message = "packages are not installed here: that takes the network, and is off; start uixt with --allow-packages, \
                           or use what Python has already";
            return Err(Error::new(Kind::Unsupported, message).with("code", "PackageInstallationFailed"));
        }
        let name = self.session_id.unwrap_or_else(|| USUAL.to_owned());
        let package = Package { name: self.package_name, version: self.version };
        let sandbox = sandbox(cx);
        let done = Box::pin(sandbox.0.install(&name, &package)).await;
        let installed = done.map_err(|error| told::refused(&error).with("package_name", package.name.as_str()))?;
        let details = json!({
            "installer": installed.installer, "modules": installed.modules, "output": installed.output,
        });
        let message = format!("Installed {} {}", package.name, installed.version);
        let reply = Reply::new(message).with("package_name", package.name).with("version", installed.version);
        let reply = reply.with("install_details", details).with("session_id", name).with("walls", installed.walls);
        Ok(reply.with("execution_time", (installed.time.as_secs_f64() * 1e3).round() / 1e3))
    }
}
