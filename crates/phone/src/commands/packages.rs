//! The packages of the phone: the system's apps and those parts of Android that have no page.

use crate::settings::{ADB_IME, LATIN_IME};
use crate::system::System;

/// The first app's user id, as Android counts them.
const FIRST_USER: usize = 10_100;
/// Packages that are always there, and whether somebody installed them.
const WITHOUT_PAGES: [(&str, bool); 8] = [
    ("android", false),
    ("com.android.shell", false),
    ("com.android.systemui", false),
    ("com.android.providers.settings", false),
    ("com.android.inputmethod.latin", false),
    ("com.android.adbkeyboard", true),
    ("io.appium.settings", true),
    ("ca.zgrs.clipper", true),
];

/// What `pm` knows of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Package {
    pub(super) name: String,
    /// Its activity as `am start -n` takes it; `None` where it has none.
    pub(super) activity: Option<String>,
    pub(super) third_party: bool,
    pub(super) user: usize,
}

impl Package {
    pub(super) fn apk(&self) -> String {
        let Self { name, .. } = self;
        if self.third_party { format!("/data/app/{name}-1/base.apk") } else { format!("/system/app/{name}/{name}.apk") }
    }

    /// `com.uixt.shop/.MainActivity`.
    pub(super) fn component(&self) -> Option<String> {
        Some(format!("{}/{}", self.name, self.activity.as_ref()?))
    }

    /// Whether a class, short or whole, is its activity.
    pub(super) fn has(&self, class: &str) -> bool {
        self.activity.as_ref().is_some_and(|own| whole_class(&self.name, own) == whole_class(&self.name, class))
    }
}

/// `.MainActivity` of `com.uixt.shop` → `com.uixt.shop.MainActivity`.
pub(super) fn whole_class(package: &str, class: &str) -> String {
    if class.starts_with('.') { format!("{package}{class}") } else { class.to_owned() }
}

/// Shortens a class that begins with its package.
pub(super) fn short_class<'a>(package: &str, class: &'a str) -> &'a str {
    class.strip_prefix(package).filter(|rest| rest.starts_with('.')).unwrap_or(class)
}

/// Returns all packages, those with pages first.
pub(super) fn all(system: &System) -> Vec<Package> {
    debug_assert!(LATIN_IME.starts_with(WITHOUT_PAGES[4].0) && ADB_IME.starts_with(WITHOUT_PAGES[5].0));
    let apps = system.apps().iter().map(|app| (app.package.clone(), Some(app.activity.clone()), app.third_party));
    let mut found: Vec<Package> = Vec::new();
    let parts = WITHOUT_PAGES.iter().map(|(name, third_party)| ((*name).to_owned(), None, *third_party));
    let automators = system.automators.keys().map(|name| ((*name).to_owned(), None, true));
    let hidden = system.installed.values().map(|installed| &installed.app);
    let hidden = hidden.map(|app| (app.package.clone(), Some(app.activity.clone()), app.third_party));
    for (name, activity, third_party) in apps.chain(parts).chain(automators).chain(hidden) {
        if found.iter().all(|known| known.name != name) {
            found.push(Package { name, activity, third_party, user: FIRST_USER + found.len() });
        }
    }
    found
}

/// Finds one by its name.
pub(super) fn find(system: &System, name: &str) -> Option<Package> {
    all(system).into_iter().find(|package| package.name == name)
}

/// Returns what the home key shows.
pub(super) fn launcher(system: &System) -> Option<Package> {
    all(system).into_iter().find(|package| package.name.contains("launcher"))
}
