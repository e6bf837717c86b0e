//! What stands beside an app's pages: how late its parts appear, and what Enter does. JSON text → a checked [`Sidecar`].

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::instance::Instance;

/// An app's sidecar.
///
/// ```json
/// {"late": {"shop_home": {"list": 800}}, "submit": {"shop_login": "sign_in"}}
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sidecar {
    /// Instance → block, action or field → milliseconds after the page opened.
    #[serde(default)]
    late: BTreeMap<String, BTreeMap<String, u64>>,
    /// Instance → the action that Enter runs in its last text field.
    #[serde(default)]
    submit: BTreeMap<String, String>,
}

impl Sidecar {
    pub(super) fn read(text: Option<&str>) -> Result<Self, serde_json::Error> {
        text.map_or_else(|| Ok(Self::default()), serde_json::from_str)
    }

    /// Checks that what it names is there.
    pub(super) fn check(&self, pages: &BTreeMap<String, Instance>) -> Result<(), String> {
        for (instance, parts) in &self.late {
            let page = pages.get(instance).ok_or_else(|| format!("no page `{instance}`"))?;
            if let Some(part) = parts.keys().find(|part| !has_part(page, part)) {
                return Err(format!("page `{instance}` has no block, action or field `{part}`"));
            }
        }
        for (instance, action) in &self.submit {
            let page = pages.get(instance).ok_or_else(|| format!("no page `{instance}`"))?;
            if !page.actions().iter().any(|known| known.id == *action) {
                return Err(format!("page `{instance}` has no action `{action}`"));
            }
        }
        Ok(())
    }

    /// Returns after how many milliseconds a part of a page appears.
    pub(super) fn lateness(&self, instance: &str, part: &str) -> u64 {
        self.late.get(instance).and_then(|parts| parts.get(part)).copied().unwrap_or(0)
    }

    pub(super) fn submit(&self, instance: &str) -> Option<&str> {
        self.submit.get(instance).map(String::as_str)
    }
}

fn has_part(page: &Instance, part: &str) -> bool {
    page.blocks().iter().any(|block| block.id == part)
        || page.actions().iter().any(|action| action.id == part)
        || page.fields().any(|(_, field)| field.key == part)
}
