//! The apps that a phone comes with. Their pages are UI instances, kept as JSON files; what an app knows stands in its backend.
//!
//! Knows no screen and no adb: a page says what is there, never how it is drawn.

pub mod browser;
mod definition;
pub mod gallery;
pub mod instances;
pub mod live;
pub mod settings;
pub mod shop;
mod touchlab;
pub mod trouble;

pub use definition::{AppDefinition, BackendKind};

/// Returns every app, in the launcher's order.
pub fn all() -> Vec<AppDefinition> {
    vec![settings::app(), shop::app(), browser::app(), touchlab::app(), trouble::app(), gallery::app()]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use crate::instance::{ActionConfig, FieldType, Instance};

    fn pages(app: &AppDefinition) -> Vec<Instance> {
        app.instances
            .iter()
            .map(|text| Instance::from_json(text).unwrap_or_else(|error| panic!("{error}\n{text}")))
            .collect()
    }

    /// Every page that something on a page leads to.
    fn targets(page: &Instance) -> BTreeSet<String> {
        let mut targets = BTreeSet::new();
        let of_action = |action: &ActionConfig| action.target_instance.clone();
        targets.extend(page.actions().iter().filter_map(of_action));
        for (block, field) in page.fields() {
            targets.extend(field.target_instance.clone());
            if field.kind == FieldType::Table && field.row_action.is_some() {
                let rows = page.value_of(block, field);
                let rows = rows.as_array().into_iter().flatten();
                targets.extend(rows.filter_map(|row| row.get("page").and_then(Value::as_str).map(str::to_owned)));
            }
        }
        targets
    }

    #[test]
    fn every_page_is_sound_and_leads_to_pages_that_are_there() {
        for app in all() {
            let pages = pages(&app);
            let ids: BTreeSet<String> = pages.iter().map(|page| page.id().to_owned()).collect();
            assert_eq!(ids.len(), pages.len(), "{}: two pages of one name", app.package);
            let is_live = app.live.iter().any(|page| page.id == app.first_instance);
            assert!(is_live || ids.contains(app.first_instance), "{}", app.package);
            for page in &pages {
                let missing: Vec<_> = targets(page).difference(&ids).cloned().collect();
                assert!(missing.is_empty(), "{} leads to {missing:?}", page.id());
            }
        }
    }

    #[test]
    fn names_are_unique_on_a_screen() {
        for page in all().iter().flat_map(pages) {
            let mut seen = BTreeSet::new();
            for (_, field) in page.fields() {
                assert!(seen.insert(field.key.clone()), "{}: two fields `{}`", page.id(), field.key);
            }
            for action in page.buttons() {
                assert!(seen.insert(action.id.clone()), "{}: `{}` is a field and a button", page.id(), action.id);
            }
        }
    }
}
