//! Packages that this phone installs: a zip archive without compression that holds `uixt-app.json`, usually named `.apk` → an
//! app. What is anything else is refused in Android's words.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::app::{App, Release};
use super::process::{Installed, Source};
use super::refused::Refused;
use super::zip;

/// The entry that says what the app is.
const MANIFEST: &str = "uixt-app.json";
const ANDROIDS: &str = "AndroidManifest.xml";
/// Bytes of a package.
pub(super) const LARGEST: usize = 32 << 20;
/// Pages of an app, and permissions.
const PAGES: usize = 200;
/// The phone's own level of the SDK: `ro.build.version.sdk`.
const SDK: u32 = 34;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    package: String,
    label: String,
    #[serde(default = "main_activity")]
    activity: String,
    version_code: u64,
    version_name: String,
    #[serde(default = "min_sdk")]
    min_sdk: u32,
    #[serde(default = "target_sdk")]
    target_sdk: u32,
    /// What it asks the user for when it starts, and what can be granted to it.
    #[serde(default)]
    permissions: Vec<String>,
    /// The page that is shown first.
    first: String,
    /// UI instances.
    pages: Vec<Value>,
    /// The sidecar: lateness, and what Enter does.
    #[serde(default)]
    sidecar: Option<BTreeMap<String, Value>>,
}

fn main_activity() -> String {
    ".MainActivity".to_owned()
}

fn min_sdk() -> u32 {
    24
}

fn target_sdk() -> u32 {
    SDK
}

/// Reads a package; `path` is for messages only.
pub(super) fn read(archive: &[u8], path: &str) -> Result<Installed, Refused> {
    let manifest = match zip::entry(archive, MANIFEST) {
        Ok(manifest) => manifest,
        Err(zip::Error::Broken) => {
            return Err(refused("INSTALL_PARSE_FAILED_NOT_APK", &format!("Failed to parse {path}")));
        }
        Err(zip::Error::Compressed) => {
            return Err(refused("INSTALL_FAILED_INVALID_APK", &format!("{MANIFEST} is compressed: store it (zip -0)")));
        }
        Err(zip::Error::Missing) => return Err(without_manifest(archive, path)),
    };
    let manifest: Manifest = serde_json::from_slice(&manifest)
        .map_err(|error| refused("INSTALL_PARSE_FAILED_MANIFEST_MALFORMED", &format!("{MANIFEST}: {error}")))?;
    manifest.check()?;
    manifest.into_app().map_err(|reason| refused("INSTALL_PARSE_FAILED_MANIFEST_MALFORMED", &reason))
}

fn without_manifest(archive: &[u8], path: &str) -> Refused {
    match zip::entry(archive, ANDROIDS) {
        Err(zip::Error::Missing) => {
            refused("INSTALL_PARSE_FAILED_UNEXPECTED_EXCEPTION", &format!("Failed to parse {path}: {ANDROIDS}"))
        }
        _ => refused(
            "INSTALL_FAILED_NO_MATCHING_ABIS",
            &format!("the virtual phone runs no Android code, only packages with {MANIFEST}"),
        ),
    }
}

impl Manifest {
    fn check(&self) -> Result<(), Refused> {
        if !is_package_name(&self.package) {
            let message = format!("Invalid manifest package: {}", self.package.escape_debug());
            return Err(refused("INSTALL_PARSE_FAILED_BAD_PACKAGE_NAME", &message));
        }
        if self.min_sdk > SDK {
            let message = format!("Requires newer sdk version #{} (current version is #{SDK})", self.min_sdk);
            return Err(refused("INSTALL_FAILED_OLDER_SDK", &message));
        }
        let names = self.permissions.iter().chain([&self.label, &self.activity, &self.version_name]);
        let short = |text: &str| text.chars().count() <= 100 && !text.chars().any(char::is_control);
        if self.pages.len() > PAGES || self.permissions.len() > PAGES || !names.into_iter().all(|name| short(name)) {
            return Err(refused("INSTALL_PARSE_FAILED_MANIFEST_MALFORMED", "too many parts, or too long a name"));
        }
        Ok(())
    }

    fn into_app(self) -> Result<Installed, String> {
        let pages: Vec<String> = self.pages.iter().map(Value::to_string).collect();
        let sidecar = self.sidecar.map(|sidecar| serde_json::to_string(&sidecar)).transpose();
        let sidecar = sidecar.map_err(|error| error.to_string())?;
        let release = Release {
            version_code: self.version_code,
            version_name: self.version_name,
            min_sdk: self.min_sdk,
            target_sdk: self.target_sdk,
            from_package: true,
            ..Release::built_in()
        };
        let app = App { package: self.package, activity: self.activity, label: self.label, third_party: true, release };
        Installed::assemble(Source {
            app,
            first: &self.first,
            pages: pages.iter().map(String::as_str).collect(),
            late: sidecar.as_deref(),
            permissions: self.permissions,
            live: &[],
            backend: None,
        })
    }
}

/// `com.example.app`: two parts at least, each of letters, digits and `_`, the first sign a letter.
fn is_package_name(name: &str) -> bool {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    name.len() <= 100 && name.contains('.') && name.split('.').all(part)
}

fn refused(code: &str, detail: &str) -> Refused {
    Refused(format!("{code}: {detail}"))
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    /// Returns a package of an app with one page.
    pub(crate) fn apk(package: &str, version: u64) -> Vec<u8> {
        let page = json!({"instance_id": "main", "title": "Main", "state": {"params": {}, "runtime": {}}, "blocks": [], "actions": []});
        let manifest = json!({
            "package": package, "label": "Made", "version_code": version, "version_name": format!("{version}.0"),
            "permissions": ["android.permission.CAMERA"], "first": "main", "pages": [page]
        });
        zip::stored(&[(MANIFEST, manifest.to_string().as_bytes())])
    }

    fn code(archive: &[u8]) -> String {
        let refused = read(archive, "/x.apk").err().map(|refused| refused.0).unwrap_or_default();
        refused.split(':').next().unwrap_or_default().to_owned()
    }

    #[test]
    fn what_is_no_package_of_this_phone_is_refused_in_androids_words() {
        assert_eq!(read(&apk("com.made.app", 3), "").unwrap().app.release.version_code, 3);
        assert_eq!(code(b"hello"), "INSTALL_PARSE_FAILED_NOT_APK");
        assert_eq!(code(&zip::stored(&[("a", b"")])), "INSTALL_PARSE_FAILED_UNEXPECTED_EXCEPTION");
        assert_eq!(code(&zip::stored(&[(ANDROIDS, b"\x03\0")])), "INSTALL_FAILED_NO_MATCHING_ABIS");
        assert_eq!(code(&zip::stored(&[(MANIFEST, b"{}")])), "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED");
        for name in ["app", "a..b", "1.b", "a.b/c", "a.b c"] {
            assert_eq!(code(&apk(name, 1)), "INSTALL_PARSE_FAILED_BAD_PACKAGE_NAME", "{name}");
        }
    }
}
