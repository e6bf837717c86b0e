//! The app whose pages are UI instances that are kept outside of the phone, and that others change at the same time. Links open it;
//! the launcher does not show it.

use super::definition::AppDefinition;

pub const PACKAGE: &str = "com.uixt.instances";
/// `uixt-ui://lamp` opens the instance `lamp`, and nothing behind it the list of all.
pub const LINK: &str = "uixt-ui://";
/// The page that lists them; no instance outside has its id.
pub const LIST: &str = "ui_instances_of_phone";

/// Returns the app.
pub fn app() -> AppDefinition {
    AppDefinition {
        package: PACKAGE,
        activity: ".MainActivity",
        label: "UI instances",
        third_party: false,
        permissions: &[],
        first_instance: LIST,
        instances: vec![include_str!("instances.json")],
        live: &[],
        late: None,
        backend: None,
    }
}
