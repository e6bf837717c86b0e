//! The ways to change an app: its pages' texts, its facts, its functions. And the mutants of the launcher, the browser and Touch Lab.

use serde_json::{Value, json};
use uixt::phone::apps::AppDefinition;
use uixt::phone::apps::live::LivePage;

use super::Mutant;
use super::server::Exchange;

/// A change of an app. Pages are named by their ids.
#[derive(Clone, Copy)]
pub(super) enum Change {
    /// What stands once in a page's file, and what stands there instead.
    Text(&'static str, &'static str, &'static str),
    /// An action of a page does nothing.
    Dead(&'static str, &'static str),
    /// A part of a page comes so many milliseconds late.
    Late(&'static str, &'static str, u64),
    /// A page that lives acts in another way.
    Live(&'static str, fn(LivePage) -> LivePage),
    /// The installed apps themselves.
    Apps(fn(&mut Vec<AppDefinition>)),
    /// What the shop's server is asked, or what it answers.
    Server(Exchange),
}

impl Change {
    /// Returns what the shop's server does otherwise.
    pub(super) fn exchange(&self) -> Option<Exchange> {
        if let Self::Server(exchange) = self { Some(*exchange) } else { None }
    }

    /// Changes the apps; returns what the phone's log says once the changed page is shown, where it is a page.
    pub(super) fn apply(&self, apps: &mut Vec<AppDefinition>) -> Option<String> {
        let page = match *self {
            Self::Text(page, find, with) => {
                rewrite(apps, page, |text| {
                    assert_eq!(text.matches(find).count(), 1, "{page}: {find}");
                    text.replace(find, with)
                });
                page
            }
            Self::Dead(page, action) => {
                rewrite(apps, page, |text| without_effect(text, action));
                page
            }
            Self::Late(page, part, by) => {
                be_late(owner(apps, page), page, part, by);
                page
            }
            Self::Live(page, change) => {
                let app = apps.iter_mut().find(|app| app.live.iter().any(|live| live.id == page)).expect(page);
                let changed = app.live.iter().map(|live| if live.id == page { change(*live) } else { *live });
                app.live = changed.collect::<Vec<_>>().leak();
                return Some(format!("Displayed {}/{page}", app.package));
            }
            Self::Apps(change) => {
                let before = format!("{apps:?}");
                change(apps);
                assert_ne!(before, format!("{apps:?}"), "nothing was changed");
                return None;
            }
            Self::Server(_) => return None,
        };
        Some(format!("Displayed {}/{page}", owner(apps, page).package))
    }
}

fn is_page(text: &str, id: &str) -> bool {
    text.contains(&format!("\"instance_id\": \"{id}\"")) || text.contains(&format!("\"instance_id\":\"{id}\""))
}

/// Returns the app that has a page.
fn owner<'a>(apps: &'a mut [AppDefinition], page: &str) -> &'a mut AppDefinition {
    apps.iter_mut().find(|app| app.instances.iter().any(|text| is_page(text, page))).expect(page)
}

fn rewrite(apps: &mut [AppDefinition], page: &str, change: impl Fn(&str) -> String) {
    let app = owner(apps, page);
    let text = app.instances.iter_mut().find(|text| is_page(text, page)).expect(page);
    *text = change(text).leak();
}

/// Writes a page anew whose action does nothing.
fn without_effect(page: &str, action: &str) -> String {
    let mut page: Value = serde_json::from_str(page).expect("JSON");
    let actions = page["actions"].as_array_mut().expect("actions");
    let found = actions.iter_mut().find(|known| known["id"] == action).expect(action);
    let (label, style) = (found["label"].clone(), found["style"].clone());
    *found = json!({"id": action, "label": label, "style": style, "handler_type": "set", "patches": {}});
    page.to_string()
}

fn be_late(app: &mut AppDefinition, page: &str, part: &str, by: u64) {
    let mut sidecar: Value = app.late.map_or_else(|| json!({}), |text| serde_json::from_str(text).expect("JSON"));
    sidecar["late"][page][part] = by.into();
    app.late = Some(sidecar.to_string().leak());
}

/// Returns an app.
fn app<'a>(apps: &'a mut [AppDefinition], package: &str) -> &'a mut AppDefinition {
    apps.iter_mut().find(|app| app.package == package).expect(package)
}

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "the icons of the shop and the browser are swapped",
        kind: "swapped",
        suite: "home_screen.yaml",
        cause: &["com.uixt.shop should be in front", "in front: com.uixt.browser"],
        change: Change::Apps(|apps| {
            app(apps, "com.uixt.shop").label = "Browser";
            app(apps, "com.uixt.browser").label = "Shop";
        }),
    },
    Mutant {
        name: "the icons stand in another order",
        kind: "wrong order",
        suite: "home_screen.yaml",
        cause: &["\"Gallery\" does not equal \"Settings\""],
        change: Change::Apps(|apps| apps.reverse()),
    },
    Mutant {
        name: "the gallery has no icon",
        kind: "missing row",
        suite: "home_screen.yaml",
        cause: &["\"Gallery\"", "not there within 10 s"],
        change: Change::Apps(|apps| apps.retain(|app| app.package != "com.uixt.gallery")),
    },
    Mutant {
        name: "an app's name is misspelt",
        kind: "wrong text",
        suite: "tools/swipe_to_tap_app.yaml",
        cause: &["Touch Lab", "Tuch Lab"],
        change: Change::Apps(|apps| app(apps, "com.uixt.touchlab").label = "Tuch Lab"),
    },
    Mutant {
        name: "the settings ask for the contacts",
        kind: "needless permission",
        suite: "settings/network.yaml",
        cause: &["Allow Settings to access your contacts?"],
        change: Change::Apps(|apps| app(apps, "com.uixt.settings").permissions = &["android.permission.READ_CONTACTS"]),
    },
    Mutant {
        name: "Enter does not go to the address",
        kind: "dead key",
        suite: "browser.yaml",
        cause: &["uixt.example", "example.com"],
        change: Change::Apps(|apps| app(apps, "com.uixt.browser").late = None),
    },
    Mutant {
        name: "Go goes nowhere",
        kind: "dead button",
        suite: "browser.yaml",
        cause: &["example.com/a?b=1&c", "nothing has changed", "button \"Go\""],
        change: Change::Dead("browser", "go"),
    },
    Mutant {
        name: "the browser shows another address",
        kind: "wrong text",
        suite: "browser.yaml",
        cause: &["about:blank", "does not contain \"example.com/a?b=1&c\""],
        change: Change::Text("browser", "<h2>${state.params.url_bar}</h2>", "<h2>about:blank</h2>"),
    },
    Mutant {
        name: "a row of the long list is missing",
        kind: "missing row",
        suite: "tools/scroll_to.yaml",
        cause: &["\"Row 47\"", "the end was reached"],
        change: Change::Text("touchlab_long", "{\"name\": \"Row 47\"}, ", ""),
    },
    Mutant {
        name: "another row is picked",
        kind: "wrong text",
        suite: "tools/swipe_to_tap_text.yaml",
        cause: &["Picked Row 33"],
        change: Change::Text("touchlab_long", "Picked ${state.runtime.row.name}", "Picked Row 1"),
    },
    Mutant {
        name: "the ball is said to be inside where it is outside",
        kind: "swapped",
        suite: "tools/drag.yaml",
        cause: &["The ball is outside of the box", "The ball is in the box"],
        change: Change::Text(
            "touchlab_board",
            "\"inside\": \"The ball is in the box\", \"outside\": \"The ball is outside of the box\"",
            "\"inside\": \"The ball is outside of the box\", \"outside\": \"The ball is in the box\"",
        ),
    },
];
