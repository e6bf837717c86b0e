//! Apps that come and go: installed, replaced, removed. What Android would refuse is refused in its words.

use std::sync::Arc;

use super::apps::BackendKind;
use super::process::Installed;
use super::refused::Refused;
use super::system::System;

/// Apps that the launcher has room for.
const APPS: usize = 24;

/// How an app is installed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Installing {
    /// Keeps one that is there (`pm install -R`).
    pub(super) keeps: bool,
    /// Lets an older version in (`-d`).
    pub(super) downgrades: bool,
    /// Grants what it asks for (`-g`).
    pub(super) grants: bool,
}

impl System {
    /// Installs an app that was read from a package, or replaces it.
    pub(super) fn install(&mut self, mut new: Installed, how: Installing) -> Result<(), Refused> {
        let package = new.app.package.clone();
        let now = self.now_ms();
        (new.app.release.installed_ms, new.app.release.updated_ms) = (now, now);
        match self.apps.iter().position(|app| app.package == package) {
            Some(at) => {
                self.may_replace(at, &new, how)?;
                self.force_stop(&package);
                new.app.release.installed_ms = self.apps[at].release.installed_ms;
                self.apps[at] = new.app.clone();
            }
            None if self.apps.len() > APPS => {
                return Err(Refused("INSTALL_FAILED_INSUFFICIENT_STORAGE: the launcher has no room left".to_owned()));
            }
            // The launcher stands last.
            None => self.apps.insert(self.apps.len().saturating_sub(1), new.app.clone()),
        }
        for permission in new.permissions.iter().filter(|_| how.grants) {
            self.set_permission(&package, permission, Some(true));
        }
        self.installed.insert(package, Arc::new(new));
        Ok(())
    }

    fn may_replace(&self, at: usize, new: &Installed, how: Installing) -> Result<(), Refused> {
        let (old, package) = (&self.apps[at].release, &new.app.package);
        if how.keeps {
            return Err(Refused(format!(
                "INSTALL_FAILED_ALREADY_EXISTS: Attempt to re-install {package} without first uninstalling."
            )));
        }
        if !old.from_package {
            return Err(incompatible(package));
        }
        let (from, to) = (old.version_code, new.app.release.version_code);
        if to < from && !how.downgrades {
            return Err(Refused(format!(
                "INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected: Update version code {to} is older than current {from}"
            )));
        }
        Ok(())
    }

    /// Removes an app that somebody installed, and its data.
    pub(super) fn uninstall(&mut self, package: &str) -> Result<(), Refused> {
        if self.automators.remove(package).is_some() {
            return Ok(());
        }
        let removable = self.apps.iter().any(|app| app.package == package && app.third_party);
        if !removable {
            return Err(Refused("DELETE_FAILED_INTERNAL_ERROR".to_owned()));
        }
        self.clear(package)?;
        self.apps.retain(|app| app.package != package);
        self.installed.remove(package);
        Ok(())
    }

    /// Returns the permissions that an app declares, and whether each is granted.
    pub(super) fn declared_permissions(&self, package: &str) -> Vec<(String, bool)> {
        let declared = self.installed.get(package).map_or(&[][..], |installed| &installed.permissions);
        declared.iter().map(|name| (name.clone(), self.permission(package, name) == Some(true))).collect()
    }

    /// Forgets what the app's server knows.
    pub(super) fn reset_backend(&self, package: &str) {
        let backend = self.installed.get(package).and_then(|installed| installed.backend);
        if let (Some(shop), Some(BackendKind::Shop)) = (&self.shop, backend) {
            shop.reset();
        }
    }
}

/// The words for an app that is signed by somebody else.
pub(super) fn incompatible(package: &str) -> Refused {
    Refused(format!(
        "INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing package {package} signatures do not match newer version; ignoring!"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::{read, tests::apk};
    use crate::system::Options;

    const NAME: &str = "com.made.app";
    const CAMERA: &str = "android.permission.CAMERA";

    fn code(outcome: Result<(), Refused>) -> String {
        let refused = outcome.err().map(|refused| refused.0).unwrap_or_default();
        refused.split(':').next().unwrap_or_default().to_owned()
    }

    fn put(system: &mut System, version: u64, how: Installing) -> String {
        code(system.install(read(&apk(NAME, version), "").unwrap(), how))
    }

    fn version(system: &System) -> u64 {
        system.apps().iter().find(|app| app.package == NAME).unwrap().release.version_code
    }

    #[tokio::test]
    async fn apps_are_replaced_as_android_replaces_them() {
        let mut system = System::start(Options::default()).await.unwrap();
        let (plain, keeping) = (Installing::default(), Installing { keeps: true, ..Installing::default() });
        assert_eq!(put(&mut system, 2, keeping), "");
        assert_eq!(put(&mut system, 3, keeping), "INSTALL_FAILED_ALREADY_EXISTS");
        assert_eq!(put(&mut system, 1, plain), "INSTALL_FAILED_VERSION_DOWNGRADE");
        assert_eq!((put(&mut system, 2, plain), version(&system)), (String::new(), 2));
        let down = Installing { downgrades: true, grants: true, ..plain };
        assert_eq!((put(&mut system, 1, down), version(&system)), (String::new(), 1));
        assert_eq!(system.permission(NAME, CAMERA), Some(true));
        let shop = read(&apk("com.uixt.shop", 9), "").unwrap();
        assert_eq!(code(system.install(shop, plain)), "INSTALL_FAILED_UPDATE_INCOMPATIBLE");
        assert_eq!(system.apps().last().map(|app| app.label.as_str()), Some("Launcher"));
    }

    #[tokio::test]
    async fn what_is_removed_is_gone_with_its_answers() {
        let mut system = System::start(Options::default()).await.unwrap();
        put(&mut system, 1, Installing { grants: true, ..Installing::default() });
        system.launch(NAME).await.unwrap();
        assert_eq!(system.foreground().0, NAME);
        assert_eq!(system.uninstall(NAME), Ok(()));
        assert_eq!(system.foreground().0, "com.uixt.launcher");
        assert!(system.pid(NAME).is_none() && system.launch(NAME).await.is_err());
        assert_eq!(system.permission(NAME, CAMERA), None);
        for kept in [NAME, "com.uixt.settings", "com.uixt.launcher"] {
            assert_eq!(code(system.uninstall(kept)), "DELETE_FAILED_INTERNAL_ERROR", "{kept}");
        }
    }

    #[tokio::test]
    async fn the_launcher_has_an_end() {
        let mut system = System::start(Options::default()).await.unwrap();
        let codes: Vec<String> = (0..30)
            .map(|number| {
                let app = read(&apk(&format!("com.made.app{number}"), 1), "").unwrap();
                code(system.install(app, Installing::default()))
            })
            .collect();
        assert_eq!(codes.last().map(String::as_str), Some("INSTALL_FAILED_INSUFFICIENT_STORAGE"));
        assert_eq!(system.apps().len(), APPS + 1);
    }
}
