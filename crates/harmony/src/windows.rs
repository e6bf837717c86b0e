//! A dump's windows → a screen: those of apps from back to front, the keyboard, the app in front, and what nothing is told of.

use crate::driver::{Element, Foreground, Rect, Screen, Size};
use crate::dump::Node;
use crate::elements::of_window;
use crate::role::is_closed;

/// What shows the home screen, the lock screen, the bars and the panels.
pub(crate) const SYSTEM: &str = "com.ohos.sceneboard";
/// How often a bar fits on a screen, at the least.
const BARS: i32 = 10;
/// How often a window that floats fits into the screen, at the least.
const FLOATING: i64 = 6;
/// How often what the system asks fits into the screen, at the least.
const QUESTION: i64 = 10;
/// The part of a screen, from its top, that keys leave free.
const KEYS: i32 = 4;
/// How the parts of keyboards' bundle names end, and what some of them are.
const KEYBOARDS: [&str; 2] = ["inputmethod", "keyboard"];
const KEYBOARD_NAMES: [&str; 4] = ["ime", "input", "wetype", "sogouinput"];

/// Makes a screen of a dump.
pub(crate) fn screen(dump: &Node<'_>) -> Screen {
    let size = size(dump);
    let all = Rect { left: 0, top: 0, right: side(size.width), bottom: side(size.height) };
    let mut screen = Screen { size, lit: true, ..Screen::default() };
    let mut over: Vec<Rect> = Vec::new();
    let has_app = windows(dump).iter().any(|window| is_app(window) && !is_keyboard(window));
    // What a keyboard comes with has pages of its own, where no other app is shown; its keys lie at the bottom.
    let is_keyboard =
        |window: &Node<'_>| is_keyboard(window) && (has_app || extent(window, all).top * KEYS > all.bottom);
    let has_app = windows(dump).iter().any(|window| is_app(window) && !is_keyboard(window));
    let is_large = |window: &Node<'_>| !is_keyboard(window) && !is_bar(window.bounds, all) && shows_something(window);
    let has_large = windows(dump).iter().any(is_large);
    for window in windows(dump) {
        if is_keyboard(window) {
            let keys = extent(window, all).intersect(&all);
            if !keys.is_empty() {
                screen.keyboard = Some(keys);
            }
            continue;
        }
        if !is_app(window) && (is_bar(window.bounds, all) && has_large || !shows_something(window)) {
            continue;
        }
        let mut root = of_window(window);
        if !is_app(window) {
            // Of what the system has behind an app, as much is seen as lies beside it.
            hide_under(&mut root, &over);
            if root.children.is_empty() && has_app {
                continue;
            }
        }
        if is_app(window) {
            over.push(window.bounds);
        }
        if screen.package.is_empty() && area(root.rect) * FLOATING >= area(all) {
            screen.package.clone_from(&root.package);
        }
        screen.cut |= holds_closed(&root, all);
        let mut over_it = Vec::new();
        take_over(&mut root, &mut over_it);
        // A dialog keeps all touches from what lies behind it.
        match over_it.iter().rposition(|one| one.role == "dialog") {
            Some(dialog) => drop(over_it.drain(..dialog)),
            None => over_it.insert(0, root),
        }
        screen.roots.extend(over_it.into_iter().rev());
        // What the system asks keeps all touches from the app that it asks about, which is in front all the same.
        if has_app && over.is_empty() && is_question(window, all) {
            let app = windows(dump).iter().find(|window| is_app(window) && !is_keyboard(window));
            screen.package = app.map(|app| app.bundle.clone().into_owned()).unwrap_or_default();
            break;
        }
    }
    if screen.package.is_empty() {
        screen.package = screen.roots.first().map(|root| root.package.clone()).unwrap_or_default();
    }
    // A dump tells of the window in front first.
    screen.roots.reverse();
    screen
}

/// Returns the app in front, and its ability.
pub(crate) fn front(dump: &Node<'_>) -> Foreground {
    let package = screen(dump).package;
    let window = windows(dump).iter().find(|window| window.bundle == package);
    let activity = window.map(|window| window.ability.clone().into_owned()).unwrap_or_default();
    Foreground { package, activity, name: String::new() }
}

/// Tells whether the window in front is that of the lock screen.
pub(crate) fn is_lock(dump: &Node<'_>) -> bool {
    windows(dump)
        .iter()
        .find(|window| !window.bundle.is_empty())
        .is_some_and(|window| window.ability.contains("ScreenLock"))
}

/// Returns the size of the screen as it is turned now.
pub(crate) fn size(dump: &Node<'_>) -> Size {
    let side = |pixels: i32| u32::try_from(pixels).unwrap_or_default();
    Size { width: side(dump.bounds.right), height: side(dump.bounds.bottom) }
}

/// Says, as a clause, what is shown that no dump tells of.
pub(crate) fn untold(screen: &Screen) -> &'static str {
    let mut said = "";
    // An app's page, be it in front or not, is told of wherever the system asks nothing.
    if screen.package != SYSTEM && screen.roots.iter().all(|root| root.package == SYSTEM) && !screen.roots.is_empty() {
        said = BEHIND;
    }
    for root in &screen.roots {
        root.walk(&mut |element| {
            if is_hole(element, screen.bounds()) {
                said = match element.class.as_str() {
                    "Web" | "RichText" => WEB,
                    "XComponent" => DRAWN,
                    _ => OTHER_PROCESS,
                };
            }
        });
    }
    said
}

const BEHIND: &str =
    "a dialog of the system lies over the app, and nothing behind it is told: `close_popups` closes it";
const WEB: &str =
    "a page in the app is shown, whose elements uitest does not tell of: its texts are read by `source: pixels`";
const DRAWN: &str = "the app draws the screen by itself (XComponent), and uitest tells of nothing in it: its texts are read by `source: pixels`";
const OTHER_PROCESS: &str = "a part of the screen is shown by another process (UIExtension), whose elements uitest does not tell of: its texts \
                             are read by `source: pixels`";

fn side(pixels: u32) -> i32 {
    i32::try_from(pixels).unwrap_or(i32::MAX)
}

/// Returns the windows from front to back: the children of a root without a type, or else the root.
fn windows<'n, 'a>(dump: &'n Node<'a>) -> &'n [Node<'a>] {
    let is_window = dump.kind == "root" || !dump.bundle.is_empty();
    if is_window { std::slice::from_ref(dump) } else { &dump.children }
}

fn is_app(window: &Node<'_>) -> bool {
    !window.bundle.is_empty() && window.bundle != SYSTEM
}

/// Tells whether a window of the system asks something: by its name, or by what is seen in it for another process.
fn is_question(window: &Node<'_>, all: Rect) -> bool {
    fn asks(node: &Node<'_>, all: Rect) -> bool {
        let is_kind = node.kind.contains("UIExtension") || node.kind.contains("Dialog");
        let is_seen = !node.is_hidden && area(node.bounds) * QUESTION >= area(all);
        is_kind && is_seen || node.children.iter().any(|child| asks(child, all))
    }
    !is_app(window) && (window.ability.contains("Dialog") && shows_something(window) || asks(window, all))
}

fn is_keyboard(window: &Node<'_>) -> bool {
    let bundle = window.bundle.to_lowercase();
    bundle.split('.').any(|part| KEYBOARDS.iter().any(|end| part.ends_with(end)) || KEYBOARD_NAMES.contains(&part))
}

fn area(rect: Rect) -> i64 {
    i64::from(rect.right - rect.left) * i64::from(rect.bottom - rect.top)
}

fn is_bar(rect: Rect, all: Rect) -> bool {
    (rect.bottom - rect.top) * BARS < all.bottom || (rect.right - rect.left) * BARS < all.right
}

fn shows_something(node: &Node<'_>) -> bool {
    let is_told = !node.text.is_empty() || !node.description.is_empty() || node.clickable;
    let is_hole = || node.children.is_empty() && is_closed(&node.kind);
    ((is_told || is_hole()) && !node.is_hidden) || node.children.iter().any(shows_something)
}

/// Returns the least place around what a window shows: that of a keyboard may be as large as the screen, and transparent above its keys.
fn extent(node: &Node<'_>, all: Rect) -> Rect {
    let is_whole = (node.bounds.bottom - node.bounds.top) * 10 >= (all.bottom - all.top) * 9;
    if !shows_something(node) {
        return Rect::default();
    }
    if !is_whole || node.children.is_empty() {
        return node.bounds;
    }
    let inner = node.children.iter().map(|child| extent(child, all)).filter(|rect| !rect.is_empty());
    inner.reduce(|one, other| one.union(&other)).unwrap_or_default()
}

/// Leaves out what lies under windows in front.
fn hide_under(element: &mut Element, over: &[Rect]) {
    element.children.retain_mut(|child| {
        hide_under(child, over);
        let is_under = over.iter().any(|window| !window.intersect(&child.rect).is_empty());
        !(is_under && child.children.is_empty())
    });
}

/// Takes dialogs and menus out of a window, from back to front: each is a window of its own in front of it.
fn take_over(element: &mut Element, taken: &mut Vec<Element>) {
    let mut at = 0;
    while at < element.children.len() {
        let child = &mut element.children[at];
        if matches!(child.role, "dialog" | "menu") && child.children.iter().any(says_something) {
            taken.push(element.children.remove(at));
        } else {
            take_over(child, taken);
            at += 1;
        }
    }
}

fn says_something(element: &Element) -> bool {
    !element.name().is_empty() || element.clickable || element.children.iter().any(says_something)
}

/// Tells whether an element is one of which nothing is told but its place.
fn is_hole(element: &Element, all: Rect) -> bool {
    let rect = element.rect;
    // An app that draws all by itself does so on such a component; a film in a page is none of that.
    let is_drawn = || element.class == "XComponent" && area(rect) * 2 >= area(all);
    element.children.is_empty() && !rect.is_empty() && (is_closed(&element.class) || is_drawn())
}

fn holds_closed(root: &Element, all: Rect) -> bool {
    let mut found = false;
    root.walk(&mut |element| found |= is_hole(element, all));
    found
}
