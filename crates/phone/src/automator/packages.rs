//! The server's two packages: known by the names in their manifests, whatever else is in them.

use super::super::app::Release;
use super::super::binary_manifest::{self, Manifest};
use super::super::system::System;
use super::super::zip;

/// The package of the server.
pub(crate) const SERVER: &str = "io.appium.uiautomator2.server";
/// The one whose instrumentation starts it.
pub(crate) const TEST: &str = "io.appium.uiautomator2.server.test";
/// That instrumentation, as `am instrument` takes it.
pub(crate) const INSTRUMENTATION: &str = "io.appium.uiautomator2.server.test/androidx.test.runner.AndroidJUnitRunner";
/// Bytes of a manifest.
const LARGEST: u64 = 1 << 20;

/// Reads an archive; `None` where it is neither of the two.
pub(crate) fn read(archive: &[u8]) -> Option<(&'static str, Release)> {
    let manifest = zip::unpacked(archive, "AndroidManifest.xml", LARGEST).ok()?;
    let Manifest { package, version_code, version_name } = binary_manifest::read(&manifest)?;
    let name = [SERVER, TEST].into_iter().find(|name| *name == package)?;
    let release = Release { version_code, version_name, from_package: true, ..Release::built_in() };
    Some((name, release))
}

impl System {
    /// Installs one of the two, or replaces it.
    pub(crate) fn install_automator(&mut self, name: &'static str, release: Release) {
        let now = self.now_ms();
        self.automators.insert(name, Release { installed_ms: now, updated_ms: now, ..release });
    }

    /// Whether both are there.
    pub(crate) fn has_automator(&self) -> bool {
        [SERVER, TEST].iter().all(|name| self.automators.contains_key(name))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_two_packages_are_known_by_their_names() {
        let apk = |package: &str| {
            let of = Manifest { package: package.to_owned(), version_code: 7, version_name: "10.6.6".to_owned() };
            zip::stored(&[("AndroidManifest.xml", &binary_manifest::written(&of, true))])
        };
        let (name, release) = read(&apk(SERVER)).unwrap();
        assert_eq!((name, release.version_name.as_str(), release.version_code), (SERVER, "10.6.6", 7));
        // The files of tests/uia2 have such a manifest and nothing else, compressed as in a real package.
        let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/uia2/apks");
        let file = |name: &str| read(&std::fs::read(files.join(name)).unwrap()).map(|(name, _)| name);
        assert_eq!(file("appium-uiautomator2-server-v10.6.6.apk"), Some(SERVER));
        assert_eq!(file("appium-uiautomator2-server-debug-androidTest.apk"), Some(TEST));
        assert!(read(&apk(TEST)).is_some() && read(&apk("com.other")).is_none() && read(b"PK").is_none());
    }
}
