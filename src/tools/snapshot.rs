//! A screen in a few words for an agent, one line an element, each with a ref that later calls may name.

use std::collections::HashMap;

use super::finder::{GONE, clip, describe};
use super::{Error, Kind};
use crate::driver::{DeviceInfo, Element, Screen};

/// What the refs of a snapshot stood for, on which device.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Refs {
    device: DeviceInfo,
    known: Vec<Known>,
    /// The call is for another device, on which they mean nothing.
    elsewhere: bool,
}

impl Refs {
    /// Tells whether they stand for elements of this device.
    fn are_of(&self, device: &DeviceInfo) -> bool {
        self.device.platform == device.platform && self.device.serial == device.serial
    }

    /// Returns them as a call to `device` may use them.
    pub(super) fn on(self, device: &DeviceInfo) -> Self {
        Self { elsewhere: !self.are_of(device), ..self }
    }
}

/// What an element is recognised by when the screen is read again.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    role: &'static str,
    id: String,
    name: String,
    rect: crate::driver::Rect,
}

impl Known {
    fn of(element: &Element) -> Self {
        // What is typed into a field changes; what the field is called does not.
        let name = match element.role {
            "textfield" => {
                if element.label.is_empty() {
                    &element.hint
                } else {
                    &element.label
                }
            }
            _ => element.name(),
        };
        Self { role: element.role, id: element.id.clone(), name: name.to_owned(), rect: element.rect }
    }

    fn is(&self, element: &Element) -> bool {
        let other = Self::of(element);
        self.role == other.role && self.id == other.id && self.name == other.name
    }
}

/// Writes the screen down; returns the text and what its refs stand for.
pub(super) fn write(screen: &Screen, device: &DeviceInfo) -> (String, Refs) {
    let listed = listed(screen);
    let mut text = header(screen, &device.name);
    let mut bearers: HashMap<&str, usize> = HashMap::new();
    listed.iter().for_each(|element| *bearers.entry(&element.id).or_default() += 1);
    for (number, element) in listed.iter().enumerate() {
        let alone = bearers.get(element.id.as_str()) == Some(&1);
        text.push_str(&format!("\ne{} {}", number + 1, line(element, alone)));
    }
    let known = listed.into_iter().map(Known::of).collect();
    (text, Refs { device: device.clone(), known, elsewhere: false })
}

fn header(screen: &Screen, device: &str) -> String {
    let mut title = None;
    for root in &screen.roots {
        root.walk(&mut |element| {
            if title.is_none() && element.role == "heading" && !element.name().is_empty() {
                title = Some(clip(element.name()));
            }
        });
    }
    let size = format!("{}×{}", screen.size.width, screen.size.height);
    let parts = [Some(screen.package.clone()), title, Some(size), Some(device.to_owned())];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// Returns the elements that say something or can be acted on, in reading order.
fn listed(screen: &Screen) -> Vec<&Element> {
    let mut listed = Vec::new();
    for root in &screen.roots {
        root.walk(&mut |element| {
            if !element.rect.is_empty() && says_something(element) {
                listed.push(element);
            }
        });
    }
    listed
}

fn says_something(element: &Element) -> bool {
    let acts = element.clickable || element.checkable || element.scrollable;
    let bare_container = matches!(element.role, "group" | "list") && element.name().is_empty();
    match bare_container {
        true => element.scrollable,
        false => !element.name().is_empty() || acts || element.role == "textfield",
    }
}

/// Describes an element; an id that others bear too, as those in rows of a list do, picks nothing and is left out.
fn line(element: &Element, with_id: bool) -> String {
    let mut text = if element.role == "textfield" {
        let name = Known::of(element).name;
        let mut text = "textfield".to_owned();
        if !name.is_empty() {
            text.push_str(&format!(" \"{}\"", clip(&name)));
        }
        if with_id && !element.id.is_empty() {
            text.push_str(&format!(" #{}", element.short_id()));
        }
        if !element.text.is_empty() && !element.password {
            text.push_str(&format!(" = \"{}\"", clip(&element.text)));
        }
        text
    } else {
        let text = describe(element);
        let id = format!(" #{}", element.short_id());
        text.strip_suffix(&id).filter(|_| !with_id).map(str::to_owned).unwrap_or(text)
    };
    let flags = [
        (element.password, " secret"),
        (element.checkable && element.checked, " on"),
        (element.checkable && !element.checked, " off"),
        (element.selected, " selected"),
        (element.focused, " focused"),
        (element.scrollable, " scrollable"),
        (!element.enabled, " disabled"),
    ];
    flags.iter().filter(|(set, _)| *set).for_each(|(_, word)| text.push_str(word));
    text
}

/// Finds again what a ref of the last snapshot stood for.
pub(super) fn resolve<'a>(reference: &str, screen: &'a Screen, refs: Option<&Refs>) -> Result<&'a Element, Error> {
    let known = match refs {
        None => return Err(stale(reference, "no snapshot was taken yet")),
        Some(Refs { elsewhere: true, device, .. }) => {
            let why = format!("the last snapshot is of another device, {} {}", device.platform, device.serial);
            return Err(stale(reference, &why));
        }
        Some(refs) => &refs.known,
    };
    let number = reference.strip_prefix('e').and_then(|digits| digits.parse::<usize>().ok());
    let Some(wanted) = number.and_then(|number| known.get(number.checked_sub(1)?)) else {
        return Err(stale(reference, &format!("the last snapshot has e1 to e{}", known.len())));
    };
    let same: Vec<&Element> = listed(screen).into_iter().filter(|element| wanted.is(element)).collect();
    let in_place: Vec<&Element> = same.iter().copied().filter(|element| element.rect == wanted.rect).collect();
    match (&same[..], &in_place[..]) {
        ([only], _) | (_, [only]) => Ok(only),
        ([], _) => Err(stale(reference, "the screen has changed since").with(GONE, true)),
        _ => Err(stale(reference, &format!("{} elements are like it now", same.len()))),
    }
}

/// Builds the error of a ref that cannot be followed; `gone` in its details says that what it stood for is certainly not there.
fn stale(reference: &str, why: &str) -> Error {
    Error::new(Kind::NotFound, format!("ref {reference} means nothing: {why}; take a snapshot"))
        .with("code", "STALE_REF")
        .with("ref", reference)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::{Rect, Size};

    fn element(role: &'static str, text: &str, top: i32) -> Element {
        Element {
            role,
            text: text.to_owned(),
            rect: Rect { left: 0, top, right: 100, bottom: top + 20 },
            enabled: true,
            ..Element::default()
        }
    }

    fn screen(children: Vec<Element>) -> Screen {
        Screen { package: "com.uixt.shop".to_owned(), size: Size { width: 1080, height: 2400 }, roots: children }
    }

    fn device(name: &str) -> DeviceInfo {
        DeviceInfo { platform: "android", name: name.to_owned(), ..DeviceInfo::default() }
    }

    #[test]
    fn a_ref_of_another_device_means_nothing() {
        let screen = screen(vec![element("button", "A", 0)]);
        let (_, refs) = write(&screen, &DeviceInfo { serial: "B".to_owned(), ..device("phone") });
        let same = refs.clone().on(&DeviceInfo { serial: "B".to_owned(), ..device("another name") });
        assert!(resolve("e1", &screen, Some(&same)).is_ok());
        let elsewhere = refs.on(&DeviceInfo { serial: "A".to_owned(), ..device("phone") });
        let error = resolve("e1", &screen, Some(&elsewhere)).expect_err("another device");
        assert!(error.message.contains("the last snapshot is of another device, android B"), "{}", error.message);
        assert!(!error.details.contains_key(GONE));
    }

    #[test]
    fn a_snapshot_reads_as_the_documentation_shows() {
        let user = Element {
            hint: "User name".to_owned(),
            id: "com.uixt.shop:id/user".to_owned(),
            focused: true,
            ..element("textfield", "", 30)
        };
        let password = Element { hint: "Password".to_owned(), password: true, ..element("textfield", "•••", 60) };
        let sign_in = Element { enabled: false, clickable: true, ..element("button", "Sign in", 90) };
        let screen = screen(vec![element("heading", "Log in", 0), user, password, sign_in]);
        let (text, _) = write(&screen, &device("virtual phone"));
        assert_eq!(
            text,
            "com.uixt.shop · Log in · 1080×2400 · virtual phone\ne1 heading \"Log in\"\n\
             e2 textfield \"User name\" #user focused\ne3 textfield \"Password\" secret\ne4 button \"Sign in\" disabled"
        );
    }

    #[test]
    fn an_id_that_several_bear_is_left_out() {
        let row = |text, top| Element { id: "a:id/title".to_owned(), ..element("text", text, top) };
        let (text, _) = write(&screen(vec![row("Wi-Fi", 0), row("Display", 30)]), &device("phone"));
        assert_eq!(text, "com.uixt.shop · 1080×2400 · phone\ne1 text \"Wi-Fi\"\ne2 text \"Display\"");
    }

    #[test]
    fn a_ref_is_found_again_where_it_moved_and_refused_where_it_is_gone() {
        let (_, refs) = write(&screen(vec![element("button", "A", 0), element("button", "B", 30)]), &device("phone"));
        let moved = screen(vec![element("text", "new", 0), element("button", "A", 50), element("button", "B", 80)]);
        assert_eq!(resolve("e2", &moved, Some(&refs)).expect("B").rect.top, 80);
        let gone = screen(vec![element("button", "A", 0)]);
        assert_eq!(resolve("e2", &gone, Some(&refs)).expect_err("gone").details["code"], "STALE_REF");
        assert_eq!(resolve("e2", &gone, Some(&refs)).expect_err("gone").details["gone"], true);
        assert!(resolve("e9", &moved, Some(&refs)).is_err_and(|error| !error.details.contains_key("gone")));
        let (_, alike) = write(&screen(vec![element("button", "A", 0), element("button", "A", 30)]), &device("phone"));
        let moved_alike = screen(vec![element("button", "A", 10), element("button", "A", 40)]);
        let several = resolve("e1", &moved_alike, Some(&alike)).expect_err("two are like it");
        assert!(!several.details.contains_key("gone"), "{several:?}");
        assert!(resolve("e0", &moved, Some(&refs)).is_err());
        assert!(resolve("e1", &moved, None).is_err());
    }
}
