//! A stand-in for a browser: it takes web links, shows their address and loads nothing. It has no backend.

use super::definition::AppDefinition;

pub(super) fn app() -> AppDefinition {
    AppDefinition {
        package: "com.uixt.browser",
        activity: ".MainActivity",
        label: "Browser",
        third_party: false,
        permissions: &[],
        first_instance: "browser",
        instances: vec![include_str!("browser.json")],
        live: &[],
        late: Some(include_str!("sidecar.json")),
        backend: None,
    }
}
