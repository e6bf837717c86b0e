//! The phone's apps as its system sees them: which is in front, which run, what they may do.

use super::System;
use crate::app::App;
use crate::apps::instances;
use crate::dialog::{self, Dialog};
use crate::launcher;
use crate::process::{Installed, Process};
use crate::refused::Refused;

impl System {
    /// Every installed app, the launcher last.
    pub fn apps(&self) -> &[App] {
        &self.apps
    }

    /// Returns the apps that the launcher shows.
    pub(crate) fn launchable(&self) -> &[App] {
        self.apps.split_last().map_or(&[], |(_, apps)| apps)
    }

    /// Starts an app, or brings it to the front as it is.
    pub async fn launch(&mut self, package: &str) -> Result<(), Refused> {
        if package == launcher::PACKAGE {
            self.go_home();
            return Ok(());
        }
        let Some(installed) = self.installed.get(package) else {
            return Err(Refused(format!("Activity not started, unable to resolve Intent: {package} is not installed")));
        };
        if self.front.as_deref() != Some(package) {
            self.keyboard = None;
        }
        self.front = Some(package.to_owned());
        if self.running.contains_key(package) {
            return Ok(());
        }
        let (pages, first) = (installed.pages.clone(), installed.first.clone());
        let component = format!("{package}/{}", installed.app.activity);
        let mut process = Process::new(self.next_pid, pages);
        process.keeper = self.options().keeper.clone().filter(|_| package == instances::PACKAGE);
        self.running.insert(package.to_owned(), process);
        self.note(
            "ActivityManager",
            format!("Start proc {}:{package}/u0a100 for top-activity {{{component}}}", self.next_pid),
        );
        self.next_pid += 37;
        self.open(&first).await;
        self.ask_for_permissions();
        Ok(())
    }

    /// Asks for what the app in front declares and nobody has answered yet.
    fn ask_for_permissions(&mut self) {
        let Some((installed, _)) = self.front() else { return };
        let package = installed.app.package.clone();
        let open = |name: &&String| !self.permissions.contains_key(&(package.clone(), (*name).clone()));
        let questions = installed.permissions.iter().filter(open).cloned().collect();
        if let Some(process) = self.front_process() {
            process.questions = questions;
        }
        self.ask_next();
    }

    pub(crate) fn ask_next(&mut self) {
        let Some(package) = &self.front else { return };
        if let (Some(process), Some(installed)) = (self.running.get_mut(package), self.installed.get(package)) {
            process.ask(&installed.app);
        }
    }

    /// `pm grant` and `pm revoke`; None forgets the answer, so that the app asks again.
    pub fn set_permission(&mut self, package: &str, permission: &str, granted: Option<bool>) {
        let key = (package.to_owned(), permission.to_owned());
        match granted {
            Some(granted) => self.permissions.insert(key, granted),
            None => self.permissions.remove(&key),
        };
    }

    /// Whether a permission was granted; None where nobody has answered.
    pub fn permission(&self, package: &str, permission: &str) -> Option<bool> {
        self.permissions.get(&(package.to_owned(), permission.to_owned())).copied()
    }

    /// Ends an app; whether it was running. What was typed into it is gone.
    pub fn force_stop(&mut self, package: &str) -> bool {
        let was_running = self.running.remove(package).is_some();
        self.alert.take_if(|alert| alert.package == package);
        if self.front.as_deref() == Some(package) {
            self.go_home();
        }
        was_running
    }

    /// `pm clear`: ends it and forgets its data.
    pub fn clear(&mut self, package: &str) -> Result<(), Refused> {
        if !self.apps.iter().any(|app| app.package == package) {
            return Err(Refused("Failed".to_owned()));
        }
        self.force_stop(package);
        self.permissions.retain(|(owner, _), _| owner != package);
        self.reset_backend(package);
        Ok(())
    }

    /// Process id, while it runs.
    pub fn pid(&self, package: &str) -> Option<u32> {
        if package == launcher::PACKAGE {
            return Some(launcher::PROCESS_ID);
        }
        self.running.get(package).map(|process| process.pid)
    }

    /// Package and full activity class of what is in front: ("com.uixt.shop", "com.uixt.shop.MainActivity").
    pub fn foreground(&self) -> (String, String) {
        let Some((installed, process)) = self.front() else { return full_name(&launcher::app()) };
        if process.dialog.as_ref().and_then(Dialog::package).is_some() {
            let package = dialog::PERMISSION_PACKAGE;
            return (package.to_owned(), format!("{package}.permission.ui.GrantPermissionsActivity"));
        }
        full_name(&installed.app)
    }

    /// Returns the app in front with its process; none is the launcher.
    pub(crate) fn front(&self) -> Option<(&Installed, &Process)> {
        let package = self.front.as_ref()?;
        Some((self.installed.get(package)?, self.running.get(package)?))
    }

    pub(crate) fn front_process(&mut self) -> Option<&mut Process> {
        self.running.get_mut(self.front.as_ref()?)
    }

    /// Shows the launcher, as it was; where it is shown already, its first page.
    pub(crate) fn go_home(&mut self) {
        if self.front.take().is_none() {
            self.home_page = 0;
        }
        self.keyboard = None;
    }
}

/// Returns an app's package and its activity's full name.
fn full_name(app: &App) -> (String, String) {
    let class =
        if app.activity.starts_with('.') { format!("{}{}", app.package, app.activity) } else { app.activity.clone() };
    (app.package.clone(), class)
}
