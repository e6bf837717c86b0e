//! The settings app: lists of switches and pages, in English and Chinese, and a gallery of all field types. It has no backend.

use super::AppDefinition;

pub(super) fn app() -> AppDefinition {
    AppDefinition {
        package: "com.uixt.settings",
        activity: ".MainActivity",
        label: "Settings",
        third_party: false,
        permissions: &[],
        first_instance: "settings",
        instances: vec![include_str!("settings.json")],
        late: None,
        backend: None,
    }
}
