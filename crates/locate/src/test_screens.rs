//! Screens for the tests of what looks at screens.

use crate::driver::{Element, Rect, Screen, Size};

/// Makes an element of 100×20 pixels; buttons and fields can be touched.
pub fn element(role: &'static str, text: &str, top: i32) -> Element {
    Element {
        role,
        text: text.to_owned(),
        rect: Rect { left: 0, top, right: 100, bottom: top + 20 },
        enabled: true,
        clickable: role == "button" || role == "textfield",
        ..Element::default()
    }
}

/// Makes what holds other elements.
pub fn group(top: i32, children: Vec<Element>) -> Element {
    Element { clickable: false, children, ..element("group", "", top) }
}

/// Makes a screen of 1080×2400 pixels with one window.
pub fn screen(children: Vec<Element>) -> Screen {
    let root = Element {
        role: "group",
        rect: Rect { left: 0, top: 0, right: 1080, bottom: 2400 },
        children,
        ..Element::default()
    };
    Screen {
        package: "com.uixt.shop".to_owned(),
        size: Size { width: 1080, height: 2400 },
        lit: true,
        roots: vec![root],
        ..Screen::default()
    }
}
