//! The tree as iOS tells it, beside the nodes that it is made of: nothing that is written on a page is missing.

use std::collections::BTreeSet;

use super::super::super::apps;
use super::super::super::node::Node;
use super::super::super::options::{Face, Options};
use super::super::super::system::System;
use super::super::element::Element;

async fn phone() -> System {
    let options = Options { size: (1170, 2532), density: 480, face: Face::Iphone, ..Options::default() };
    System::start(options).await.unwrap()
}

fn written(node: &Node, texts: &mut Vec<String>) {
    if !node.flags.has(super::super::super::node::Flags::PASSWORD) {
        texts.extend([&node.text, &node.label].into_iter().filter(|text| !text.is_empty()).cloned());
    }
    node.children.iter().for_each(|child| written(child, texts));
}

fn told(tree: &Element) -> BTreeSet<String> {
    let texts = |element: &&Element| [element.label(), element.value(), element.placeholder()];
    tree.descendants().iter().flat_map(texts).flatten().collect()
}

/// Checks one page; `name` is what it is called where something is wrong.
fn check(system: &System, name: &str) {
    let package = system.front.clone();
    let tree = system.tree(package.as_deref());
    let told = told(&tree);
    let mut texts = Vec::new();
    written(&system.unlocked_scene().window.root, &mut texts);
    for text in texts {
        // A page indicator says the same in small letters.
        assert!(told.contains(&text) || told.contains(&text.to_lowercase()), "{name}: {text:?} of {told:?}");
    }
    let all = tree.descendants();
    let ids: BTreeSet<u64> = all.iter().map(|element| element.uid).collect();
    assert_eq!(ids.len(), all.len(), "{name}: two elements of one id");
    for element in all.iter().filter(|element| element.kind == "Button" && !element.label.is_empty()) {
        assert!(element.is_accessible || !element.is_visible, "{name}: {element:?}");
    }
}

#[tokio::test]
async fn nothing_that_is_written_on_a_page_is_missing() {
    let mut system = phone().await;
    check(&system, "home");
    for app in apps::all() {
        system.launch(app.package).await.unwrap();
        while system.front().is_some_and(|(_, process)| process.dialog.is_some()) {
            let _ = system.answer(&super::super::super::dialog::Answer::Permit(true));
        }
        let pages: Vec<String> = system.front().unwrap().0.pages.keys().cloned().collect();
        for page in pages {
            system.open(&page).await;
            check(&system, &format!("{} {page}", app.package));
        }
        for page in app.live {
            system.open_live(page.id).unwrap();
            check(&system, &format!("{} {}", app.package, page.id));
        }
    }
}

#[tokio::test]
async fn pages_below_stay_unseen_and_a_keyboard_is_a_window() {
    let mut system = phone().await;
    system.launch("com.uixt.settings").await.unwrap();
    for page in ["settings_display", "settings_about"] {
        system.open(page).await;
    }
    let tree = system.tree(Some("com.uixt.settings"));
    let bars: Vec<(String, bool)> = (tree.descendants().into_iter())
        .filter(|element| element.kind == "NavigationBar")
        .map(|bar| (bar.id.clone(), bar.is_visible))
        .collect();
    assert_eq!(bars.iter().map(|(_, is_visible)| *is_visible).collect::<Vec<_>>(), [false, false, true], "{bars:?}");
    let view = tree.descendants().into_iter().find(|element| element.id == "inputView").unwrap();
    assert!(!view.is_visible && view.children.is_empty());
}
