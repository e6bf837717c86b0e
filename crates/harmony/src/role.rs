//! The components of ArkUI → the one word that says what an element is.

/// Where a component stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Bar {
    #[default]
    None,
    /// In the bar of a page's title.
    Title,
    /// Directly in a part of a page that has its title, and the page itself, too.
    Head,
    /// In a bar of tabs.
    Tabs,
}

/// Returns the role of a component.
pub(crate) fn role(kind: &str, bar: Bar) -> &'static str {
    match kind {
        "Text" | "Span" | "TextClock" | "TextTimer" | "Marquee" if matches!(bar, Bar::Title | Bar::Head) => "heading",
        _ if bar == Bar::Tabs => "tab",
        "Button" | "SaveButton" | "PasteButton" | "LocationButton" | "BackButton" => "button",
        "TextInput" | "TextArea" | "Search" | "SearchField" | "RichEditor" | "TextField" => "textfield",
        "Text" | "Span" | "TextClock" | "TextTimer" | "Marquee" | "Badge" | "PatternText" | "ContainerSpan" => "text",
        "Image" | "SymbolGlyph" | "SymbolSpan" | "ImageSpan" | "ImageAnimator" | "Canvas" | "Video" | "QRCode" => {
            "image"
        }
        "Toggle" | "Switch" => "switch",
        "Checkbox" | "CheckBox" | "CheckboxGroup" | "CheckBoxGroup" => "checkbox",
        "Radio" => "radio",
        "Slider" | "Rating" => "slider",
        "Progress" | "LoadingProgress" | "Gauge" | "DataPanel" => "progress",
        "Select" | "TextPicker" | "DatePicker" | "TimePicker" | "CalendarPicker" => "combobox",
        "List" | "WaterFlow" | "Grid" => "list",
        "ListItem" | "GridItem" | "FlowItem" => "listitem",
        "TabBar" | "Navigation" | "NavDestination" | "NavBar" => "navigation",
        "Dialog" | "AlertDialog" | "ActionSheet" | "CustomDialog" => "dialog",
        "Menu" => "menu",
        "MenuItem" | "Option" => "menuitem",
        "Web" | "RichText" => "webview",
        "Hyperlink" | "Navigator" => "link",
        "Toast" => "status",
        _ => "group",
    }
}

/// Returns where the components in a component stand.
pub(crate) fn inner(kind: &str, bar: Bar) -> Bar {
    match kind {
        "TabBar" => Bar::Tabs,
        "TitleBar" | "NavigationTitle" | "NavDestinationTitle" => Bar::Title,
        "NavBar" => Bar::Head,
        // What stands in a tab is what it is.
        _ if matches!(bar, Bar::Tabs | Bar::Head) => Bar::None,
        _ => bar,
    }
}

/// Tells whether a component shows what another process draws, or a page, of which nothing is told where it has no children.
pub(crate) fn is_closed(kind: &str) -> bool {
    matches!(
        kind,
        "UIExtensionComponent"
            | "SecurityUIExtensionComponent"
            | "EmbeddedComponent"
            | "UIExtensionAdapter"
            | "IsolatedComponent"
            | "PluginComponent"
            | "FormComponent"
            | "Web"
            | "RichText"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::element::ROLES;

    #[test]
    fn every_role_is_a_known_word() {
        for (kind, bar, wanted) in [
            ("Button", Bar::None, "button"),
            ("Text", Bar::Title, "heading"),
            ("Column", Bar::Tabs, "tab"),
            ("Search", Bar::None, "textfield"),
            ("Toggle", Bar::None, "switch"),
            ("WaterFlow", Bar::None, "list"),
            ("__Common__", Bar::None, "group"),
            ("", Bar::None, "group"),
        ] {
            assert_eq!(role(kind, bar), wanted, "{kind}");
            assert!(ROLES.contains(&wanted));
        }
        assert_eq!((inner("TabBar", Bar::None), inner("Column", Bar::Tabs)), (Bar::Tabs, Bar::None));
    }
}
