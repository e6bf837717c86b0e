//! The types of `XCUIElement` and their traits → the one word that says what an element is.

use super::node::Node;

/// Where an element stands, as far as that tells what it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Bar {
    #[default]
    None,
    /// A navigation bar, whose own text is the page's title.
    Title,
    /// A bar of tabs.
    Tabs,
    /// A table, between whose rows stand the titles of its sections.
    Rows,
}

/// Returns the role of a node that stands in such a bar.
pub(crate) fn role(node: &Node<'_>, bar: Bar) -> &'static str {
    let is = |name: &str| node.has_trait(name);
    match node.kind.as_ref() {
        "Button" | "RadioButton" | "Tab" if bar == Bar::Tabs => "tab",
        "Button" if is("ToggleButton") && is_on_or_off(node) => "switch",
        "StaticText" if is("Header") || bar == Bar::Title => "heading",
        "Other" if bar == Bar::Title && node.children.is_empty() && node.says_something() => "heading",
        "StaticText" | "Button" if is("Link") => "link",
        "StaticText" | "Image" if is("Button") => "button",
        "StaticText" => "text",
        "Button" | "MenuButton" | "ToolbarButton" | "DisclosureTriangle" | "Icon" | "Key" | "ColorWell"
        | "IncrementArrow" | "DecrementArrow" | "DockItem" => "button",
        "TextField" | "SecureTextField" | "SearchField" | "TextView" => "textfield",
        "Switch" | "Toggle" => "switch",
        "CheckBox" => "checkbox",
        "RadioButton" => "radio",
        "ComboBox" | "PopUpButton" => "combobox",
        "Slider" | "Stepper" | "PickerWheel" | "RatingIndicator" | "LevelIndicator" => "slider",
        "ProgressIndicator" | "ActivityIndicator" => "progress",
        "Image" | "Map" => "image",
        "Table" | "CollectionView" | "Outline" => "list",
        "Cell" | "OutlineRow" => "listitem",
        "TableRow" => "row",
        "Grid" => "table",
        "NavigationBar" | "TabBar" | "Toolbar" => "navigation",
        "Tab" => "tab",
        "Alert" => "alert",
        "Sheet" | "Dialog" | "Popover" => "dialog",
        "Link" => "link",
        "WebView" => "webview",
        "Menu" | "MenuBar" => "menu",
        "MenuItem" | "MenuBarItem" => "menuitem",
        _ => made_up(node),
    }
}

/// Returns the role of what only its traits tell anything of: what pages and drawing toolkits make up.
fn made_up(node: &Node<'_>) -> &'static str {
    let is = |name: &str| node.has_trait(name);
    match () {
        // Pages' boxes and radio buttons are told alike.
        () if is("ToggleButton") && is_on_or_off(node) => "checkbox",
        () if is("Button") || is("ToggleButton") => "button",
        () if is("SearchField") => "textfield",
        () if is("Link") => "link",
        () if is("Adjustable") && !node.value.is_empty() => "slider",
        () if node.children.is_empty() && node.says_something() && is("Header") => "heading",
        () if node.children.is_empty() && node.says_something() && is("Image") => "image",
        () if node.children.is_empty() && node.says_something() && is("StaticText") => "text",
        () => "group",
    }
}

/// Tells whether a node's value is a state, and no text.
pub(crate) fn is_on_or_off(node: &Node<'_>) -> bool {
    matches!(node.value.as_ref(), "0" | "1")
}

/// Tells whether an element of a role takes touches.
pub(crate) fn is_touched(role: &str) -> bool {
    matches!(
        role,
        "button"
            | "link"
            | "tab"
            | "switch"
            | "checkbox"
            | "radio"
            | "combobox"
            | "textfield"
            | "listitem"
            | "row"
            | "menuitem"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::element::ROLES;

    fn of(kind: &'static str, traits: &'static str, value: &'static str) -> Node<'static> {
        Node { kind: kind.into(), traits: traits.into(), value: value.into(), ..Node::default() }
    }

    #[test]
    fn types_have_roles() {
        for (kind, traits, value, wanted) in [
            ("Button", "Button", "", "button"),
            ("Button", "Button, ToggleButton", "1", "switch"),
            ("Icon", "", "", "button"),
            ("StaticText", "StaticText", "x", "text"),
            ("StaticText", "Header, StaticText", "x", "heading"),
            ("StaticText", "Link, StaticText", "x", "link"),
            ("SecureTextField", "", "", "textfield"),
            ("Switch", "Button", "0", "switch"),
            ("Slider", "Adjustable", "50%", "slider"),
            ("PickerWheel", "Adjustable", "May", "slider"),
            ("ActivityIndicator", "", "1", "progress"),
            ("Cell", "", "", "listitem"),
            ("CollectionView", "", "", "list"),
            ("TabBar", "TabBar", "", "navigation"),
            ("Alert", "", "", "alert"),
            ("Sheet", "", "", "dialog"),
            ("WebView", "", "", "webview"),
            ("Other", "ToggleButton", "0", "checkbox"),
            ("Other", "Button", "", "button"),
            ("Other", "Image", "cat", "image"),
            ("Other", "", "", "group"),
            ("Window", "", "", "group"),
            ("ScrollView", "", "", "group"),
        ] {
            assert_eq!(role(&of(kind, traits, value), Bar::None), wanted, "{kind} {traits}");
            assert!(ROLES.contains(&wanted));
        }
        assert_eq!(role(&of("Button", "Button", ""), Bar::Tabs), "tab");
        assert_eq!(role(&of("StaticText", "", "Cart"), Bar::Title), "heading");
    }
}
