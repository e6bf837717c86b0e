//! The settings app: lists of switches and pages, in English and Chinese, and a gallery of all field types. It has no backend.

use super::definition::AppDefinition;

const PAGES: &[&str] = &[
    include_str!("settings.json"),
    include_str!("network.json"),
    include_str!("wifi.json"),
    include_str!("devices.json"),
    include_str!("bluetooth.json"),
    include_str!("apps.json"),
    include_str!("notifications.json"),
    include_str!("battery.json"),
    include_str!("storage.json"),
    include_str!("sound.json"),
    include_str!("display.json"),
    include_str!("wallpaper.json"),
    include_str!("accessibility.json"),
    include_str!("security.json"),
    include_str!("privacy.json"),
    include_str!("location.json"),
    include_str!("safety.json"),
    include_str!("accounts.json"),
    include_str!("wellbeing.json"),
    include_str!("keyboard.json"),
    include_str!("gestures.json"),
    include_str!("language.json"),
    include_str!("date_time.json"),
    include_str!("backup.json"),
    include_str!("system.json"),
    include_str!("reset.json"),
    include_str!("developer.json"),
    include_str!("about.json"),
    include_str!("components.json"),
    include_str!("component.json"),
    include_str!("zh.json"),
    include_str!("zh_network.json"),
    include_str!("zh_bluetooth.json"),
    include_str!("zh_display.json"),
    include_str!("zh_sound.json"),
    include_str!("zh_notifications.json"),
    include_str!("zh_storage.json"),
    include_str!("zh_battery.json"),
    include_str!("zh_apps.json"),
    include_str!("zh_security.json"),
    include_str!("zh_privacy.json"),
    include_str!("zh_location.json"),
    include_str!("zh_accessibility.json"),
    include_str!("zh_language.json"),
    include_str!("zh_date_time.json"),
    include_str!("zh_system.json"),
    include_str!("zh_about.json"),
];

pub(super) fn app() -> AppDefinition {
    AppDefinition {
        package: "com.uixt.settings",
        activity: ".MainActivity",
        label: "Settings",
        third_party: false,
        permissions: &[],
        first_instance: "settings",
        instances: PAGES.to_vec(),
        live: &[],
        late: None,
        backend: None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::json;

    use super::*;
    use crate::instance::{Instance, Services};

    fn page(id: &str) -> Instance {
        PAGES.iter().map(|text| Instance::from_json(text).unwrap()).find(|page| page.id() == id).unwrap()
    }

    #[test]
    fn the_gallery_shows_every_type() {
        let types: HashSet<_> = page("settings_components").fields().map(|(_, field)| field.kind).collect();
        assert_eq!(types.len(), 19);
    }

    #[tokio::test]
    async fn every_button_does_all_that_it_says() {
        let services = Services::new().unwrap();
        for text in PAGES {
            let mut page = Instance::from_json(text).unwrap();
            let buttons: Vec<String> = page.buttons().map(|action| action.id.clone()).collect();
            for button in buttons {
                let outcome = page.act(&button, &services).await.unwrap();
                assert!(outcome.report.skipped.is_empty(), "{} {button}: {:?}", page.id(), outcome.report.skipped);
            }
        }
    }

    #[tokio::test]
    async fn rows_lead_on() {
        let mut settings = page("settings");
        let rows = settings.state().params["list"].as_array().cloned().unwrap();
        assert!(rows.len() >= 24);
        let outcome = settings.act_on_row("open", rows[8].clone(), &Services::new().unwrap()).await.unwrap();
        assert_eq!(outcome.navigate.as_deref(), Some("settings_display"));
        assert_eq!(page("settings_zh").title(), "设置");
        assert_eq!(page("settings_wifi").state().params["wifi"], json!(true));
    }
}
