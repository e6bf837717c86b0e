//! What a reboot does to the phone: everything that ran has ended; files, settings and installed apps stay.

use super::settings::add_defaults;
use super::system::System;

impl System {
    /// Ends every app and shows the launcher, as after the start.
    pub(super) fn reboot(&mut self) {
        self.running.clear();
        self.front = None;
        self.home_page = 0;
        (self.stroke, self.last_tap, self.keyboard) = (None, None, None);
        self.set_clipboard("");
        (self.screen_on, self.locked) = (true, false);
    }

    /// Makes the phone as it was when it was started, but for its files, its clock, and what is installed on it.
    pub fn renew(&mut self) {
        self.reboot();
        self.alert = None;
        self.settings.clear();
        add_defaults(&mut self.settings);
        self.set_size_override(None);
        self.set_density_override(None);
        self.set_rotation(0);
        self.permissions.clear();
        let packages: Vec<String> = self.installed.keys().cloned().collect();
        packages.iter().for_each(|package| self.reset_backend(package));
    }
}

/// Why the phone does not start into `target` (`bootloader`, `recovery`); `None` for the ordinary start.
pub(super) fn refusal(target: &str) -> Option<String> {
    (!target.is_empty()).then(|| format!("the virtual phone has no '{target}' to start into; reboot it without one"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::Options;

    #[tokio::test]
    async fn apps_have_ended_and_settings_stay() {
        let mut system = System::start(Options::default()).await.unwrap();
        system.launch("com.uixt.shop").await.unwrap();
        system.settings.insert("global/a".to_owned(), "1".to_owned());
        system.set_rotation(1);
        system.reboot();
        assert_eq!((system.pid("com.uixt.shop"), system.foreground().0.as_str()), (None, "com.uixt.launcher"));
        assert_eq!((system.settings.get("global/a").map(String::as_str), system.rotation()), (Some("1"), 1));
        assert!(refusal("").is_none() && refusal("bootloader").unwrap().contains("'bootloader'"));
    }
}
