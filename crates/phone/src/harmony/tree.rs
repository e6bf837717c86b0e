//! The phone's windows → what `uitest dumpLayout` writes, the one with the focus first: the app's (type `root`), and those of the
//! system (`com.ohos.sceneboard`), the keyboard's among them. Source: `UiDriver::DumpUiHierarchy` of arkxtest.

use super::super::launcher;
use super::super::node::Node;
use super::super::scene::Scene;
use super::super::system::System;
use super::element::{Around, Element, Writer, shown};
use uixt_canvas::geometry::Area;

/// Whose the system's windows are.
pub(super) const SCENEBOARD: &str = "com.ohos.sceneboard";
/// What asks for permissions.
const PERMISSIONS: &str = "com.ohos.permissionmanager";
/// What has the keyboard.
const KEYBOARD: &str = "com.example.kikakeyboard";
/// Every app's ability.
pub(super) const ABILITY: &str = "EntryAbility";
/// Numbers of windows.
const APP_WINDOW: u32 = 71;
const DIALOG_WINDOW: u32 = 83;
const HOME_WINDOW: u32 = 5;
const STATUS_WINDOW: u32 = 8;
const BAR_WINDOW: u32 = 9;
const KEYS_WINDOW: u32 = 12;
const FILM_WINDOW: u32 = 90;
const LOCK_WINDOW: u32 = 3;

/// What is wanted of a dump.
#[derive(Default)]
pub(super) struct Wish {
    /// `-i`: windows one by one, with what is not seen.
    pub(super) is_whole: bool,
    /// `-a`: with extra attributes.
    pub(super) has_extra: bool,
    /// `-m false`: what lies before a window takes nothing away.
    pub(super) is_apart: bool,
    /// `-b`: windows of this bundle only.
    pub(super) bundle: Option<String>,
    /// `-w`: this window only.
    pub(super) window: Option<u32>,
    /// Whether what the system asks is another process's.
    pub(super) has_extension: bool,
}

/// A window that is written.
struct Window<'a> {
    number: u32,
    kind: &'static str,
    owner: [&'a str; 3],
    area: Area,
    /// What is in it, from back to front, each in a node of this type, or as it is.
    parts: Vec<(&'static str, &'a Node)>,
    seen: Area,
    covers: Vec<Area>,
}

impl System {
    /// Writes what is on the screen.
    pub(super) fn harmony_dump(&self, wish: &Wish) -> String {
        let (scene, page) = (self.scene(), self.harmony_page());
        let bundle = self.front.clone().unwrap_or_default();
        let mut windows = if self.screen_on { self.windows(&scene, (&bundle, &page)) } else { Vec::new() };
        windows.retain(|window| {
            let is_bundle = wish.bundle.as_ref().is_none_or(|bundle| *bundle == window.owner[0]);
            is_bundle && wish.window.is_none_or(|number| number == window.number)
        });
        let mut writer = Writer::new(wish.is_whole, wish.has_extra);
        let bounds = windows.iter().fold(Area::default(), |all, window| Area {
            left: all.left.min(window.area.left),
            top: all.top.min(window.area.top),
            right: all.right.max(window.area.right),
            bottom: all.bottom.max(window.area.bottom),
        });
        if wish.is_whole {
            writer.out.push('[');
        } else {
            writer.out.push_str("{\"attributes\":{");
            for name in ROOT {
                let value = if name == "bounds" { shown(bounds) } else { String::new() };
                writer.attribute(name, &value);
            }
            writer.end_list();
            writer.out.push_str("},\"children\":[");
        }
        for window in &windows {
            window.write(&mut writer, wish);
        }
        writer.end_list();
        writer.out.push_str(if wish.is_whole { "]" } else { "]}" });
        writer.out
    }

    /// Returns the page that is in front, as a path.
    fn harmony_page(&self) -> String {
        let opened = self.front().and_then(|(_, process)| process.stack.last());
        opened.map_or_else(|| "pages/Index".to_owned(), |opened| format!("pages/{}", opened.instance))
    }

    fn windows<'a>(&self, scene: &'a Scene, (bundle, page): (&'a str, &'a str)) -> Vec<Window<'a>> {
        let keys = scene.keyboard.as_ref().map(|keys| keys.area);
        let all = scene.screen;
        let system = |number, name, node: &'a Node| Window {
            number,
            kind: "WindowScene",
            owner: [SCENEBOARD, name, ""],
            area: node.area,
            parts: vec![("", node)],
            seen: all,
            covers: Vec::new(),
        };
        if self.locked {
            return vec![
                system(LOCK_WINDOW, "SCBScreenLock", &scene.window.root),
                system(STATUS_WINDOW, "SCBStatusBar", &scene.status),
            ];
        }
        let asks = self.asks_itself();
        let mut windows = Vec::new();
        let mut covers: Vec<Area> =
            scene.keyboard.iter().chain([&scene.navigation, &scene.status]).map(|node| node.area).collect();
        if let Some(dialog) = scene.dialog.as_ref().filter(|_| asks) {
            covers.push(dialog.root.area);
            let mut window = system(DIALOG_WINDOW, "SCBSystemDialog", &dialog.root);
            window.owner = [SCENEBOARD, "", ""];
            window.parts = vec![("UIExtensionComponent", &dialog.root)];
            windows.push(window);
        }
        let films = scene.floating.iter().filter(|floating| floating.over.owner().is_some());
        windows.extend(films.clone().map(|film| system(FILM_WINDOW, "SCBPipWindow", &film.root)));
        covers.extend(films.map(|film| film.root.area));
        if self.front.is_some() {
            let mut parts = vec![("", &scene.window.root)];
            for floating in scene.floating.iter().filter(|floating| floating.over.owner().is_none()) {
                let kind = if floating.over.is_only_seen() { "Toast" } else { "Menu" };
                parts.push((kind, &floating.root));
            }
            parts.extend(scene.dialog.as_ref().filter(|_| !asks).map(|dialog| ("Dialog", &dialog.root)));
            let half = scene.beside.as_ref().map(|beside| Area { bottom: beside.area.top, ..all });
            let seen = half.unwrap_or(all);
            let seen = Area { bottom: keys.map_or(seen.bottom, |keys| keys.top.min(seen.bottom)), ..seen };
            windows.push(Window {
                number: APP_WINDOW,
                kind: "root",
                owner: [bundle, ABILITY, page],
                area: half.unwrap_or(all),
                parts,
                seen,
                covers: covers.clone(),
            });
        }
        let mut home = |node: &'a Node| {
            let mut window = system(HOME_WINDOW, "SCBDesktop", node);
            window.covers.clone_from(&covers);
            windows.push(window);
        };
        match &scene.beside {
            Some(beside) => home(beside),
            None if self.front.is_none() => home(&scene.window.root),
            None => {}
        }
        windows.push(system(STATUS_WINDOW, "SCBStatusBar", &scene.status));
        if let Some(keys) = &scene.keyboard {
            let mut window = system(KEYS_WINDOW, "", keys);
            (window.kind, window.owner) = ("root", [KEYBOARD, "InputMethodExtAbility", "pages/Index"]);
            windows.push(window);
        }
        windows.push(system(BAR_WINDOW, "SCBNavigationBar", &scene.navigation));
        windows
    }
}

impl Window<'_> {
    fn write(&self, writer: &mut Writer, wish: &Wish) {
        let hierarchy = format!("ROOT{}", self.number);
        let element = Element {
            kind: self.kind,
            whole: self.area,
            seen: self.area,
            owner: Some(self.owner),
            ..Element::default()
        };
        writer.begin(&element, self.number, &hierarchy);
        let seen = if wish.is_apart { self.area } else { self.seen };
        let covers = if wish.is_apart { &[][..] } else { &self.covers };
        for (number, (kind, node)) in self.parts.iter().enumerate() {
            let place = format!("{hierarchy},{number}");
            let around = Around { seen, covers, window: self.number, in_list: false };
            if kind.is_empty() {
                writer.node(node, around, &place);
                continue;
            }
            let area = node.area.intersect(&seen);
            let is_extension = *kind == "UIExtensionComponent";
            let owner = is_extension.then_some([PERMISSIONS, "GrantAbility", ""]);
            let element = Element { kind, whole: node.area, seen: area, owner, ..Element::default() };
            writer.begin(&element, self.number, &place);
            if !(is_extension && wish.has_extension) {
                writer.node(node, around, &format!("{place},0"));
            }
            writer.end("");
        }
        writer.end("");
    }
}

/// What the root has, all of it empty but its bounds.
const ROOT: [&str; 26] = [
    "accessibilityId",
    "backgroundColor",
    "backgroundImage",
    "blur",
    "bounds",
    "checkable",
    "checked",
    "clickable",
    "clip",
    "description",
    "displayId",
    "enabled",
    "focused",
    "hitTestBehavior",
    "hostWindowId",
    "id",
    "key",
    "longClickable",
    "opacity",
    "origBounds",
    "originalText",
    "scrollable",
    "selected",
    "text",
    "type",
    "zIndex",
];

/// Returns the bundle of what is in front, as the system tells it.
pub(super) fn bundle_of(package: &str) -> &str {
    if package == launcher::PACKAGE { SCENEBOARD } else { package }
}
