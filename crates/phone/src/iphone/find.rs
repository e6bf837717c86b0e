//! Elements by the ways that clients have to say which. Source: `FBFindElementCommands`.

use super::answer::Refusal;
use super::element::Element;
use super::predicate::{self, Operand, Test};
use super::{chain, words, xpath};

/// Finds all elements that are meant, below `base`, parents first.
pub(super) fn all<'a>(
    root: &'a Element,
    base: &'a Element,
    (using, value): (&str, &str),
) -> Result<Vec<&'a Element>, Refusal> {
    let below = || base.descendants();
    let of = |fits: &dyn Fn(&Element) -> bool| Ok(below().into_iter().filter(|element| fits(element)).collect());
    match using {
        "class name" => {
            let kind = words::kind(value);
            if !value.starts_with("XCUIElementType") {
                return Err(Refusal::argument(format!("Invalid argument for class used '{value}'")));
            }
            of(&|element| kind == "Any" || element.kind == kind)
        }
        "name" | "id" | "accessibility id" => of(&|element| element.id == value || element.label == value),
        "predicate string" => {
            let test = predicate::read(value).map_err(Refusal::unknown)?;
            // The element itself is looked at, too, as WDA does.
            let mut found = filtered(vec![base], &test).map_err(Refusal::argument)?;
            found.extend(filtered(below(), &test).map_err(Refusal::argument)?);
            Ok(found)
        }
        "class chain" => chain::all(base, value).map_err(Refusal::selector),
        "xpath" => xpath::all(root, base, value).map_err(Refusal::selector),
        "link text" | "partial link text" => {
            let (name, text) = value.rsplit_once('=').unwrap_or(("name", value));
            let is_part = using.starts_with("partial");
            let mut found = Vec::new();
            for element in below() {
                let own = attribute(element, name).map_err(Refusal::argument)?;
                if matches!(&own, Operand::Text(own) if own == text || (is_part && own.contains(text))) {
                    found.push(element);
                }
            }
            Ok(found)
        }
        _ => Err(Refusal::argument(format!("Invalid locator requested: {using}"))),
    }
}

/// Keeps the elements for which a predicate holds.
pub(super) fn filtered<'a>(elements: Vec<&'a Element>, test: &Test) -> Result<Vec<&'a Element>, String> {
    let mut kept = Vec::new();
    for element in elements {
        if test.holds(&|name| attribute(element, name))? {
            kept.push(element);
        }
    }
    Ok(kept)
}

/// Takes the names that an attribute has besides its own: `wdVisible`, `isVisible`, `Visible`.
fn plain(name: &str) -> String {
    let bare = ["isWD", "wd", "is"].into_iter().find_map(|prefix| {
        name.strip_prefix(prefix).filter(|rest| rest.starts_with(|sign: char| sign.is_ascii_uppercase()))
    });
    let bare = bare.unwrap_or(name);
    let mut signs = bare.chars();
    signs.next().map_or_else(String::new, |first| first.to_lowercase().chain(signs).collect())
}

/// Tells whether an attribute is true or false.
pub(super) fn is_truth(name: &str) -> bool {
    matches!(plain(name).as_str(), "enabled" | "visible" | "accessible" | "selected" | "focused" | "hittable")
}

/// Returns an element's attribute of a name. Errors: there is none of it.
pub(super) fn attribute(element: &Element, name: &str) -> Result<Operand, String> {
    let text = |text: Option<String>| text.map_or(Operand::Nothing, Operand::Text);
    let truth = |is: bool| Operand::Number(f64::from(u8::from(is)));
    let number = |at: i32| Operand::Number(f64::from(at));
    // Trees that are looked in are in pixels; an iPhone of this kind has three for a point.
    let point = |at: i32| Operand::Number((f64::from(at) / 3.0).floor());
    Ok(match plain(name).as_str() {
        "type" | "elementType" => Operand::Text(format!("XCUIElementType{}", element.kind)),
        "name" => text(element.name()),
        "identifier" | "rawIdentifier" => text(Some(element.id.clone()).filter(|id| !id.is_empty())),
        "label" => text(element.label()),
        "value" => text(element.value()),
        "placeholderValue" => text(element.placeholder().filter(|text| !text.is_empty())),
        "traits" => Operand::Text(element.traits()),
        "enabled" => truth(element.is_enabled),
        "visible" | "hittable" => truth(element.is_visible),
        "accessible" => truth(element.is_accessible),
        "accessibilityContainer" => truth(element.children.iter().any(|child| child.is_accessible)),
        "selected" => truth(element.is_selected),
        "focused" | "hasKeyboardFocus" => truth(element.is_focused),
        "index" => number(i32::try_from(element.index).unwrap_or(0)),
        "x" | "rect.x" => point(element.area.left),
        "y" | "rect.y" => point(element.area.top),
        "width" | "rect.width" => point(element.area.width()),
        "height" | "rect.height" => point(element.area.height()),
        "uID" | "uid" => Operand::Text(super::element::id_of(element.uid)),
        _ => {
            return Err(format!(
                "The attribute '{name}' is unknown. Valid attribute names are: accessible, enabled, focused, height, hittable, \
                 index, label, name, placeholderValue, rect, selected, traits, type, uid, value, visible, width, x, y"
            ));
        }
    })
}
