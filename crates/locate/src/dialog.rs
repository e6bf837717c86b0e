//! A screen → the dialog that lies over the app, and the button that closes it; none where the app's plain page is in front.
//!
//! A dialog is a window of its own that leaves room at both sides, a question of the system's, or a card in the middle of a
//! page whose own content goes on behind it. What merely has a button called "Cancel" is none. Pure: it looks at one screen.

use std::fmt;

use super::close_words::{Closing, closing};
use super::wording::clip;
use crate::driver::{Display, Element, Rect, Screen, Size};

/// Packages that ask in the system's name, in windows that may fill the screen.
const SYSTEM: &[&str] = &[
    "android",
    "com.android.permissioncontroller",
    "com.google.android.permissioncontroller",
    "com.android.packageinstaller",
    "com.google.android.packageinstaller",
    "com.samsung.android.permissioncontroller",
    "com.lbe.security.miui",
    "com.miui.securitycenter",
    "com.huawei.systemmanager",
    "com.hihonor.systemmanager",
    "com.coloros.securitypermission",
    "com.oplus.securitypermission",
    "com.vivo.permissionmanager",
];

/// Who asks in the name of an iPhone's system, and shows its home screen.
const SPRINGBOARD: &str = "com.apple.springboard";

/// Ids that stand in their questions only, and not on pages of settings that the same packages show.
const QUESTIONS: &[&str] = &["permission_", "aerr_", "grant_dialog", "content_container"];

/// Ids of a dialog's own parts.
const PARTS: &[&str] = &["parentPanel", "alertTitle"];

/// A dialog. It is the same as another one when it says the same in the same place.
#[derive(Clone, Debug, PartialEq)]
pub struct Dialog {
    /// The first text in it.
    pub title: String,
    pub rect: Rect,
    /// The names of all that can be touched in it.
    pub buttons: Vec<String>,
    /// What closes it.
    pub button: Option<Button>,
    /// The screen that it is on.
    pub screen: Display,
}

/// A button of a dialog.
#[derive(Clone, Debug, PartialEq)]
pub struct Button {
    pub name: String,
    pub rect: Rect,
}

impl fmt::Display for Dialog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.title.as_str() {
            "" => f.write_str("a dialog without a text"),
            title => write!(f, "the dialog \"{}\"", clip(title)),
        }
    }
}

/// Finds the dialog in front.
pub fn find(screen: &Screen) -> Option<Dialog> {
    let root = screen.roots.iter().rev().find(|root| !root.rect.intersect(&screen.bounds()).is_empty())?;
    let container = container(root, screen)?;
    let (mut title, mut touchable) = (None, Vec::new());
    container.walk(&mut |element| {
        let name = element.name();
        if title.is_none() && !name.is_empty() && !element.clickable {
            title = Some(clip(name));
        }
        if element.clickable && element.enabled && element.role != "textfield" && !element.rect.is_empty() {
            touchable.push(element);
        }
    });
    Some(Dialog {
        title: title.unwrap_or_default(),
        rect: container.rect,
        buttons: touchable.iter().map(|element| called(element)).filter(|name| !name.is_empty()).collect(),
        button: button(&touchable),
        screen: screen.display(),
    })
}

/// Finds the dialog that a page says it shows in the middle of the screen; returns its name, or the first text in it.
pub fn of_page(screen: &Screen) -> Option<String> {
    let middle = (side(screen.size.width) / 2, side(screen.size.height) / 2);
    let holds =
        |rect: &Rect, (x, y): (i32, i32)| (rect.left..rect.right).contains(&x) && (rect.top..rect.bottom).contains(&y);
    let mut found = None;
    for root in &screen.roots {
        root.walk(&mut |element| {
            if element.told.is_some() && element.role == "dialog" && holds(&element.rect, middle) {
                found = Some(element);
            }
        });
    }
    let dialog: &Element = found?;
    let mut title = dialog.name();
    dialog.walk(&mut |inner| {
        title = if title.is_empty() { inner.name() } else { title };
    });
    Some(clip(title))
}

/// Tells whether the dialog in front is one of the system's.
pub fn is_of_the_system(screen: &Screen) -> bool {
    let is_iphones = |root: &Element| root.role == "alert" && root.package == SPRINGBOARD;
    let is_system = |root: &Element| SYSTEM.contains(&root.package.as_str()) || asks_for_the_system(root);
    screen.roots.last().is_some_and(|root| is_iphones(root) || is_system(root))
}

/// Returns the button that commits to the least; the first of several that do so alike.
fn button(touchable: &[&Element]) -> Option<Button> {
    let judged =
        touchable.iter().filter_map(|element| Some((closing(&called(element), element.short_id())?, *element)));
    let named = touchable.iter().filter(|element| !called(element).is_empty()).count();
    // A word of consent closes what leaves no choice.
    let fit = judged.filter(|(closing, _)| *closing != Closing::Consent || named == 1);
    let (_, element) = fit.min_by_key(|(closing, _)| *closing)?;
    let name = Some(called(element)).filter(|name| !name.is_empty()).unwrap_or_else(|| element.short_id().to_owned());
    Some(Button { name, rect: element.rect })
}

/// Returns what a person calls something that can be touched: its name, or that of the only text in it.
fn called(element: &Element) -> String {
    let mut names = Vec::new();
    element.walk(&mut |inner| names.extend(Some(inner.name()).filter(|name| !name.is_empty())));
    names.dedup();
    match (element.name(), &names[..]) {
        ("", [only]) => (*only).to_owned(),
        (own, _) => own.to_owned(),
    }
}

/// Finds what holds the dialog's parts.
fn container<'a>(root: &'a Element, screen: &Screen) -> Option<&'a Element> {
    if leaves_room(root.rect, screen.size) || asks_for_the_system(root) {
        return Some(root);
    }
    part(root).or_else(|| card(root, screen.size))
}

/// Tells whether a rectangle leaves room at both sides and above or below, as no page does.
fn leaves_room(rect: Rect, size: Size) -> bool {
    let (width, height) = (side(size.width), side(size.height));
    let least = width / 50;
    rect.left >= least && rect.right <= width - least && (rect.top > height / 20 || rect.bottom < height - height / 20)
}

fn side(length: u32) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}

fn asks_for_the_system(root: &Element) -> bool {
    let mut asks = false;
    root.walk(&mut |element| {
        let is_question = || QUESTIONS.iter().any(|prefix| element.short_id().starts_with(prefix));
        asks |= SYSTEM.contains(&element.package.as_str()) && is_question();
    });
    asks
}

/// Finds the panel of an ordinary alert in a window that fills the screen.
fn part(root: &Element) -> Option<&Element> {
    let mut found = None;
    root.walk(&mut |element| {
        if found.is_none() && PARTS.contains(&element.short_id()) {
            found = Some(if element.short_id() == PARTS[0] { element } else { root });
        }
    });
    found
}

/// Finds a card in the middle of the screen that a page lies behind.
fn card(root: &Element, size: Size) -> Option<&Element> {
    let mut found = None;
    root.walk(&mut |parent| {
        for (number, over) in parent.children.iter().enumerate().skip(1) {
            let is_over_page =
                || parent.children[..number].iter().any(|page| is_page(page, size) && holds(page.rect, over));
            if is_card(over, size) && is_over_page() {
                found = Some(over);
            }
        }
    });
    found
}

/// Tells whether an element fills most of the screen and says something of its own.
fn is_page(element: &Element, size: Size) -> bool {
    const LEAST_TEXTS: usize = 3;
    let area = |rect: Rect| i64::from(rect.right - rect.left) * i64::from(rect.bottom - rect.top);
    let screen = i64::from(size.width) * i64::from(size.height);
    let mut texts = 0;
    element.walk(&mut |inner| texts += usize::from(!inner.name().is_empty()));
    area(element.rect) * 10 >= screen * 6 && texts >= LEAST_TEXTS
}

fn holds(page: Rect, over: &Element) -> bool {
    contents(over).is_some_and(|rect| page.intersect(&rect) == rect)
}

/// Tells whether what an element shows lies together in the middle of the screen, with something to touch and to read.
fn is_card(element: &Element, size: Size) -> bool {
    let (width, height) = (side(size.width), side(size.height));
    let Some(rect) = contents(element) else { return false };
    let (mut texts, mut buttons) = (0, 0);
    element.walk(&mut |inner| {
        texts += usize::from(!inner.name().is_empty());
        buttons += usize::from(inner.clickable && inner.rect != element.rect);
    });
    let is_narrow = rect.left >= width / 33 && rect.right <= width - width / 33;
    let is_low = rect.bottom - rect.top <= height * 17 / 20;
    let off_middle = |from: i32, to: i32, whole: i32| (i32::midpoint(from, to) - whole / 2).abs();
    let is_central = off_middle(rect.left, rect.right, width) <= width / 10
        && off_middle(rect.top, rect.bottom, height) <= height / 5;
    is_narrow && is_low && is_central && texts >= 2 && buttons >= 1
}

/// Returns the least rectangle around all that an element shows; the ground behind it does not count.
fn contents(element: &Element) -> Option<Rect> {
    let mut around: Option<Rect> = None;
    element.walk(&mut |inner| {
        let require_shown = !inner.name().is_empty() || (inner.clickable && inner.children.is_empty());
        if require_shown && inner.rect != element.rect && !inner.rect.is_empty() {
            around = Some(around.map_or(inner.rect, |rect| Rect {
                left: rect.left.min(inner.rect.left),
                top: rect.top.min(inner.rect.top),
                right: rect.right.max(inner.rect.right),
                bottom: rect.bottom.max(inner.rect.bottom),
            }));
        }
    });
    around
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { width: 1000, height: 2000 };

    fn rect(left: i32, top: i32, right: i32, bottom: i32) -> Rect {
        Rect { left, top, right, bottom }
    }

    fn group(rect: Rect, children: Vec<Element>) -> Element {
        Element { role: "group", rect, children, enabled: true, ..Element::default() }
    }

    fn text(text: &str, rect: Rect) -> Element {
        Element { role: "text", text: text.to_owned(), rect, enabled: true, ..Element::default() }
    }

    fn button_of(name: &str, rect: Rect) -> Element {
        Element { role: "button", clickable: true, ..text(name, rect) }
    }

    fn screen(root: Element) -> Screen {
        Screen { package: "app".to_owned(), size: SIZE, lit: true, roots: vec![root], ..Screen::default() }
    }

    fn whole() -> Rect {
        rect(0, 0, 1000, 2000)
    }

    /// Rows of text that fill the screen.
    fn page() -> Element {
        let row = |n: i32| text(&format!("row {n}"), rect(0, n * 200, 1000, n * 200 + 180));
        group(whole(), (0..10).map(row).collect())
    }

    fn card_of(names: &[&str]) -> Element {
        let mut children = vec![text("青少年模式", rect(150, 700, 850, 800))];
        children.extend(
            names.iter().zip(0..).map(|(name, n)| button_of(name, rect(150, 850 + n * 100, 850, 940 + n * 100))),
        );
        group(rect(100, 650, 900, 1300), children)
    }

    /// What closes a window with these buttons.
    fn closes(names: &[&str]) -> Option<String> {
        find(&screen(card_of(names))).expect("a dialog").button.map(|button| button.name)
    }

    #[test]
    fn a_plain_page_is_no_dialog_whatever_its_buttons_say() {
        let mut page = page();
        page.children.push(button_of("Cancel", rect(300, 950, 700, 1050)));
        assert_eq!(find(&screen(page.clone())), None);
        // A form over a background, and a button that floats over a list.
        let form =
            group(whole(), vec![text("Name", rect(100, 800, 900, 900)), button_of("取消", rect(100, 1000, 900, 1100))]);
        assert_eq!(find(&screen(group(whole(), vec![group(whole(), vec![]), form]))), None);
        let floating = button_of("Skip", rect(800, 50, 950, 120));
        assert_eq!(find(&screen(group(whole(), vec![self::page(), floating]))), None);
    }

    #[test]
    fn a_window_of_its_own_and_a_card_over_a_page_are_dialogs() {
        assert_eq!(closes(&["开启青少年模式", "我知道了"]).as_deref(), Some("我知道了"));
        let ground = group(whole(), vec![card_of(&["立即更新", "以后再说"])]);
        let found = find(&screen(group(whole(), vec![page(), ground]))).expect("a card");
        assert_eq!((found.title.as_str(), found.button.expect("a button").name.as_str()), ("青少年模式", "以后再说"));
    }

    #[test]
    fn the_button_that_commits_to_the_least_is_meant() {
        for (names, wanted) in [
            (&["OK", "Cancel"][..], Some("Cancel")),
            (&["Cancel", "Not now", "Update"], Some("Not now")),
            (&["Allow", "Don’t allow"], Some("Don’t allow")),
            (&["仅在使用中允许", "拒绝"], Some("拒绝")),
            (&["Close app", "Wait"], Some("Wait")),
            (&["跳过 3s", "立即体验"], Some("跳过 3s")),
            (&["确定"], Some("确定")),
            (&["确定", "设置"], None),
            (&["Delete", "Keep"], None),
            (&[], None),
        ] {
            assert_eq!(closes(names).as_deref(), wanted, "{names:?}");
        }
    }

    #[test]
    fn a_cross_without_a_name_is_known_by_its_id() {
        let mut card = card_of(&["立即购买"]);
        card.children.push(Element { id: "a:id/iv_close".to_owned(), ..button_of("", rect(850, 650, 900, 700)) });
        assert_eq!(find(&screen(card)).expect("a dialog").button.expect("a cross").name, "iv_close");
    }

    #[test]
    fn a_question_of_the_system_may_fill_the_screen_and_its_settings_are_none() {
        let system = |id: &str, name: &str| Element {
            package: "com.android.permissioncontroller".to_owned(),
            id: format!("com.android.permissioncontroller:id/{id}"),
            ..button_of(name, rect(100, 1000, 900, 1100))
        };
        let asking = group(
            whole(),
            vec![text("Allow?", rect(100, 800, 900, 900)), system("permission_deny_button", "Don't allow")],
        );
        assert_eq!(find(&screen(asking)).expect("a question").button.expect("deny").name, "Don't allow");
        assert_eq!(find(&screen(group(whole(), vec![system("title", "Cancel")]))), None);
    }
}
