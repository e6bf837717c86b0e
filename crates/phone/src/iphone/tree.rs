//! The phone's nodes → the tree of one app as iOS tells it: windows around pages, texts within buttons, cells within tables.
//!
//! Pages below the one on top stay in it, unseen. What the system itself asks is the home screen's (`com.apple.springboard`).

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::super::cap::Cap;
use super::super::dialog::Kind;
use super::super::dump::shown_text;
use super::super::launcher;
use super::super::node::{Flags, Node};
use super::super::node_action::Tap;
use super::super::system::System;
use super::element::Element;
use crate::instance::FieldType;
use uixt_canvas::geometry::Area;

/// What lies around a node.
#[derive(Clone, Copy)]
struct Around {
    /// The part of the screen that it can be seen in.
    seen: Area,
    in_table: bool,
    is_hidden: bool,
    at_home: bool,
}

impl System {
    /// Returns the tree of an app, or of the home screen with what the system asks.
    pub(super) fn tree(&self, package: Option<&str>) -> Element {
        let screen = self.screen();
        let mut root = match package {
            Some(package) => self.tree_of_app(package, screen),
            None => self.tree_of_home(screen),
        };
        finish(&mut root, package.unwrap_or(launcher::PACKAGE));
        root
    }

    fn tree_of_app(&self, package: &str, screen: Area) -> Element {
        let label = self.apps().iter().find(|app| app.package == package).map(|app| app.label.clone());
        let mut root = whole("Application", screen, true);
        root.label = label.unwrap_or_default();
        if self.front.as_deref() != Some(package) {
            return root;
        }
        let scene = self.unlocked_scene();
        let keys = scene.keyboard.as_ref();
        let seen = Area { bottom: keys.map_or(screen.bottom, |keys| keys.area.top), ..screen };
        let around = Around { seen, in_table: false, is_hidden: false, at_home: false };
        let mut pages: Vec<Element> = Vec::new();
        for former in self.former_windows() {
            pages.push(element(&former.root, Around { is_hidden: true, ..around }));
        }
        pages.push(element(&scene.window.root, around));
        for window in
            scene.floating.iter().filter(|window| !window.over.is_only_seen() && window.over.owner().is_none())
        {
            let over = element(&window.root, around);
            pages.iter_mut().for_each(|page| page.be_covered(over.seen));
            pages.push(over);
        }
        root.children.push(window(screen, pages));
        if let Some(dialog) = self.own_dialog() {
            let alert = alert(&dialog.root, &around, self.is_sheet());
            root.children.push(window(screen, vec![alert]));
        }
        root.children.push(window(screen, vec![input_view(keys, screen)]));
        root
    }

    fn tree_of_home(&self, screen: Area) -> Element {
        let mut root = whole("Application", screen, true);
        root.label.push(' ');
        let scene = self.scene_without_app();
        let is_covered = self.front.is_some() && !self.locked;
        let around = Around { seen: screen, in_table: false, is_hidden: is_covered, at_home: true };
        root.children.push(window(screen, vec![element(&scene.window.root, around)]));
        if is_covered {
            // A film that goes on over another app is shown by the system.
            let over = self.unlocked_scene().floating;
            let films = over.iter().filter(|window| window.over.owner().is_some());
            let films: Vec<Element> =
                films.map(|film| element(&film.root, Around { is_hidden: false, at_home: false, ..around })).collect();
            if !films.is_empty() {
                root.children.push(window(screen, films));
            }
        }
        if let Some(dialog) = self.system_dialog() {
            let alert = alert(&dialog.root, &Around { is_hidden: false, ..around }, false);
            root.children.push(window(screen, vec![alert]));
        }
        root
    }

    /// Tells whether the app's own dialog lets choose, rather than asks.
    fn is_sheet(&self) -> bool {
        let dialog = self.front().and_then(|(_, process)| process.dialog.as_ref());
        dialog.is_some_and(|dialog| {
            matches!(dialog.kind, Kind::Choice { .. } | Kind::Checks { .. } | Kind::File { .. } | Kind::Date { .. })
        })
    }
}

/// Makes an element as large as the screen.
fn whole(kind: &'static str, screen: Area, is_visible: bool) -> Element {
    Element { is_visible, seen: screen, ..Element::new(kind, screen) }
}

/// Puts what a window holds into what iOS puts around it.
fn window(screen: Area, pages: Vec<Element>) -> Element {
    let is_visible = pages.iter().any(|page| page.is_visible);
    let mut inner = whole("Other", screen, is_visible);
    inner.children = pages;
    let mut outer = whole("Other", screen, is_visible);
    outer.children.push(inner);
    let mut window = whole("Window", screen, is_visible);
    window.children.push(outer);
    window
}

/// Turns a dialog's nodes into an alert, or into a sheet.
fn alert(root: &Node, around: &Around, is_sheet: bool) -> Element {
    let mut inside = element(root, *around);
    let texts = inside.descendants();
    let title = texts.iter().find(|element| element.kind == "StaticText").map(|text| text.label.clone());
    inside.kind = if is_sheet { "Sheet" } else { "Alert" };
    inside.label = title.unwrap_or_default();
    inside
}

/// Turns the keyboard's keys into the window that holds them; it stays, unseen, while there is no keyboard.
fn input_view(keys: Option<&Node>, screen: Area) -> Element {
    let Some(keys) = keys else {
        let area = Area::new(0, screen.bottom, screen.right, screen.bottom);
        return Element { id: "inputView".to_owned(), ..Element::new("Other", area) };
    };
    let mut view = Element { id: "inputView".to_owned(), ..whole("Other", keys.area, true) };
    let mut board = whole("Keyboard", keys.area, true);
    for key in &keys.children {
        let Some(Tap::Cap(cap)) = &key.tap else { continue };
        board.children.push(key_of(*cap, key));
    }
    view.children.push(board);
    for (name, node) in ["Next keyboard", "Dictate"].into_iter().zip(beside_keys(keys)) {
        let label = if name == "Dictate" { "Dictate" } else { "Emoji" };
        view.children.push(Element {
            id: if name == "Dictate" { "dictation".to_owned() } else { name.to_owned() },
            label: label.to_owned(),
            is_accessible: true,
            ..whole("Button", node.area, true)
        });
    }
    view
}

/// Returns what lies below the keys and is none.
fn beside_keys(keys: &Node) -> impl Iterator<Item = &Node> {
    keys.children.iter().filter(|node| node.tap.is_none())
}

fn key_of(cap: Cap, node: &Node) -> Element {
    let (kind, id, label) = match cap {
        Cap::Type(' ') => ("Key", "space".to_owned(), "space".to_owned()),
        Cap::Type(sign) => ("Key", sign.to_string(), sign.to_string()),
        Cap::Shift => ("Button", "shift".to_owned(), "shift".to_owned()),
        Cap::Signs => ("Key", "more".to_owned(), "numbers".to_owned()),
        Cap::Erase => ("Key", "delete".to_owned(), "delete".to_owned()),
        Cap::Enter => ("Button", "Return".to_owned(), "return".to_owned()),
    };
    Element { id, label, is_accessible: true, ..whole(kind, node.area, true) }
}

/// Turns a node and what is in it into elements.
fn element(node: &Node, around: Around) -> Element {
    let kind = kind_of(node, around);
    let seen = node.area.intersect(&around.seen);
    let is_visible = !around.is_hidden && !seen.is_empty();
    let mut made = Element {
        id: short(&node.id).to_owned(),
        seen: if is_visible { seen } else { Area::default() },
        is_enabled: !node.flags.has(Flags::DISABLED),
        is_visible,
        is_focused: node.flags.has(Flags::FOCUSED),
        ..Element::new(kind, node.area)
    };
    describe(&mut made, node);
    made.is_accessible = is_visible && is_told(&made);
    let inner = Around { seen: if node.clips { seen } else { around.seen }, in_table: kind == "Table", ..around };
    made.children = node.children.iter().map(|child| element(child, inner)).collect();
    if kind == "NavigationBar" {
        name_bar(&mut made);
    }
    if matches!(kind, "Button" | "Cell") && made.children.is_empty() {
        let text = if kind == "Cell" { std::mem::take(&mut made.label) } else { shown(node) };
        made.children.extend(text_within(&made, text));
    }
    if kind == "Cell" && made.children.iter().any(|child| child.is_accessible) {
        made.is_accessible = is_visible;
    }
    made
}

fn kind_of(node: &Node, around: Around) -> &'static str {
    let is_tapped = node.tap.as_ref().is_some_and(|tap| !matches!(tap, Tap::Swallow));
    match node.class {
        "android.widget.Toolbar" => "NavigationBar",
        "android.widget.Button" | "android.widget.ImageButton" => "Button",
        "android.widget.RadioButton" => "RadioButton",
        "android.widget.CheckedTextView" => "CheckBox",
        "android.widget.Spinner" => "PopUpButton",
        "android.widget.EditText" => field_kind(node),
        "android.widget.Switch" | "android.widget.CheckBox" => "Switch",
        "android.widget.ProgressBar" if node.text.is_empty() => "ActivityIndicator",
        "android.widget.ProgressBar" => "ProgressIndicator",
        "android.widget.ImageView" => "Image",
        "android.widget.ScrollView" => "ScrollView",
        "android.widget.ListView" | "androidx.recyclerview.widget.RecyclerView" | "android.widget.TableLayout" => {
            "Table"
        }
        "android.widget.TableRow" => "Cell",
        _ if around.in_table => "Cell",
        "android.widget.TextView" if is_tapped && around.at_home => "Icon",
        "android.widget.TextView" if is_tapped => "Button",
        "android.widget.TextView" => "StaticText",
        _ if node.id.ends_with("page_indicator") => "PageIndicator",
        _ if !node.text.is_empty() && is_tapped => "Button",
        _ if !node.text.is_empty() => "StaticText",
        _ => "Other",
    }
}

fn field_kind(node: &Node) -> &'static str {
    match &node.tap {
        _ if node.flags.has(Flags::PASSWORD) => "SecureTextField",
        Some(Tap::Focus(place)) if matches!(place.kind, FieldType::Textarea | FieldType::Json) => "TextView",
        _ if node.id.contains("search") || node.id.contains("query") => "SearchField",
        _ => "TextField",
    }
}

/// Says what the element is called and what it holds.
fn describe(made: &mut Element, node: &Node) {
    let label = || if node.label.is_empty() { node.text.clone() } else { node.label.clone() };
    match made.kind {
        "TextField" | "SecureTextField" | "SearchField" | "TextView" => {
            node.hint.clone_into(&mut made.placeholder);
            if !node.text.is_empty() {
                made.raw = shown_text(node);
            }
        }
        "Switch" | "CheckBox" | "RadioButton" => {
            made.label = label();
            made.raw.push(if node.flags.has(Flags::CHECKED) { '1' } else { '0' });
        }
        "ProgressIndicator" | "PopUpButton" => {
            made.label.clone_from(&node.label);
            node.text.clone_into(&mut made.raw);
        }
        "ActivityIndicator" => {
            made.label = label();
            made.raw.push('1');
        }
        "PageIndicator" => made.raw = node.label.to_lowercase(),
        "Button" | "StaticText" => {
            made.label = label();
            if node.text != made.label {
                node.text.clone_into(&mut made.raw);
            }
            made.is_selected = node.flags.has(Flags::CHECKED) || node.flags.has(Flags::SELECTED);
        }
        "NavigationBar" | "Table" | "ScrollView" => {}
        _ => made.label = label(),
    }
    if node.class == "android.widget.ImageButton" && matches!(node.tap, Some(Tap::Back)) {
        made.id.push_str("Back");
    }
}

/// Tells whether assistive programs are told of it.
fn is_told(made: &Element) -> bool {
    match made.kind {
        "Other" | "Image" => !made.label.is_empty(),
        kind => !matches!(kind, "Cell" | "NavigationBar" | "Table" | "ScrollView" | "Window" | "Application"),
    }
}

/// Gives a bar its title's name, and its title the trait of one.
fn name_bar(bar: &mut Element) {
    if let Some(title) = bar.children.iter_mut().find(|child| child.kind == "StaticText") {
        title.is_header = true;
        bar.id = title.label.clone();
    }
}

/// Returns the words that a button or a cell shows.
fn shown(node: &Node) -> String {
    if node.text.is_empty() { String::new() } else { node.text.clone() }
}

fn text_within(around: &Element, label: String) -> Option<Element> {
    let by = around.area.height() / 4;
    let area = Area::new(around.area.left + by, around.area.top + by, around.area.right - by, around.area.bottom - by);
    let area = if area.is_empty() { around.area } else { area };
    let seen = area.intersect(&around.seen);
    (!label.is_empty()).then(|| Element {
        label,
        is_enabled: around.is_enabled,
        is_visible: around.is_visible,
        is_accessible: around.kind == "Cell" && around.is_visible,
        seen,
        ..Element::new("StaticText", area)
    })
}

/// Returns the short form of an Android resource's name; the system's own names are none on iOS.
fn short(id: &str) -> &str {
    if id.starts_with("android:") { "" } else { id.rsplit('/').next().unwrap_or(id) }
}

/// Numbers children, and gives every element the id by which it is known again.
fn finish(root: &mut Element, package: &str) {
    let mut seen = BTreeMap::new();
    name(root, package, &mut seen);
}

fn name(element: &mut Element, package: &str, seen: &mut BTreeMap<u64, u32>) {
    let mut hasher = DefaultHasher::new();
    let word = if element.id.is_empty() { &element.label } else { &element.id };
    (package, element.kind, word, &element.placeholder).hash(&mut hasher);
    let often = seen.entry(hasher.finish()).or_default();
    often.hash(&mut hasher);
    *often += 1;
    element.uid = hasher.finish() & 0xffff_ffff_ffff;
    for (index, child) in element.children.iter_mut().enumerate() {
        child.index = index;
        name(child, package, seen);
    }
}
