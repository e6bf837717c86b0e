//! Android's classes → the one word that says what an element is.

use crate::driver::Element;

/// Returns the role of an element by its class, its identifier and its state; `in_bar`: it stands directly in a [bar](is_bar).
pub(super) fn role(element: &Element, in_bar: bool) -> &'static str {
    let name = simple_name(&element.class);
    match name {
        "TextView" | "View" if is_title(element.short_id()) => "heading",
        "CheckedTextView" if element.checkable => "checkbox",
        "View" if is_lettering(element) => "text",
        "Image" => "image",
        "Spinner" | "AppCompatSpinner" => "combobox",
        "SeekBar" | "AppCompatSeekBar" | "Slider" | "RangeSlider" | "RatingBar" => "slider",
        "Tab" | "TabView" => "tab",
        "ListView" | "ExpandableListView" | "GridView" | "RecyclerView" => "list",
        "WebView" => "webview",
        _ if name.starts_with("Switch") || name.ends_with("Switch") || name == "ToggleButton" => "switch",
        _ => by_ending(name, in_bar && !element.clickable),
    }
}

/// Tells whether an element is a bar whose own text is the screen's title.
pub(super) fn is_bar(class: &str) -> bool {
    let name = simple_name(class);
    name.ends_with("Toolbar") || name == "ActionBar" || name == "ActionBarContainer"
}

/// `TabView` of `com.google.android.material.tabs.TabLayout$TabView`.
fn simple_name(class: &str) -> &str {
    class.rsplit(['.', '$']).next().unwrap_or(class)
}

fn by_ending(name: &str, in_bar: bool) -> &'static str {
    const ENDINGS: [(&str, &str); 9] = [
        ("RadioButton", "radio"),
        ("CheckBox", "checkbox"),
        ("Button", "button"),
        ("EditText", "textfield"),
        ("AutoCompleteTextView", "textfield"),
        ("AutoComplete", "textfield"),
        ("ImageView", "image"),
        ("TextView", "text"),
        ("ProgressBar", "progress"),
    ];
    let found = ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map_or("group", |(_, role)| role);
    if found == "text" && in_bar { "heading" } else { found }
}

fn is_title(short_id: &str) -> bool {
    matches!(short_id, "action_bar_title" | "alertTitle" | "toolbar_title")
}

/// Tells whether a bare view is a piece of text, as web pages and drawn screens have them.
fn is_lettering(element: &Element) -> bool {
    !element.clickable && element.children.is_empty() && !(element.text.is_empty() && element.label.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_class(class: &str) -> Element {
        Element { class: class.to_owned(), ..Element::default() }
    }

    #[test]
    fn classes_of_every_library_have_roles() {
        for (class, expected) in [
            ("android.widget.Button", "button"),
            ("android.widget.ImageButton", "button"),
            ("com.google.android.material.floatingactionbutton.FloatingActionButton", "button"),
            ("android.widget.EditText", "textfield"),
            ("android.widget.MultiAutoCompleteTextView", "textfield"),
            ("android.widget.SearchView$SearchAutoComplete", "textfield"),
            ("android.widget.CheckBox", "checkbox"),
            ("android.widget.Switch", "switch"),
            ("androidx.appcompat.widget.SwitchCompat", "switch"),
            ("com.google.android.material.materialswitch.MaterialSwitch", "switch"),
            ("android.widget.ToggleButton", "switch"),
            ("android.widget.RadioButton", "radio"),
            ("android.widget.RadioGroup", "group"),
            ("android.widget.Spinner", "combobox"),
            ("android.widget.SeekBar", "slider"),
            ("android.widget.ProgressBar", "progress"),
            ("android.widget.ImageView", "image"),
            ("android.widget.TextView", "text"),
            ("androidx.recyclerview.widget.RecyclerView", "list"),
            ("androidx.appcompat.app.ActionBar$Tab", "tab"),
            ("android.webkit.WebView", "webview"),
            ("android.widget.FrameLayout", "group"),
            ("android.view.View", "group"),
            ("", "group"),
        ] {
            assert_eq!(role(&of_class(class), false), expected, "{class}");
            assert!(crate::driver::element::ROLES.contains(&expected), "{expected}");
        }
    }

    #[test]
    fn surroundings_count() {
        let text = of_class("android.widget.TextView");
        assert_eq!(role(&text, true), "heading");
        assert_eq!(role(&Element { clickable: true, ..text.clone() }, true), "text");
        assert_eq!(role(&Element { id: "android:id/alertTitle".to_owned(), ..text }, false), "heading");
        let letters = Element { text: "hi".to_owned(), ..of_class("android.view.View") };
        assert_eq!(role(&letters, false), "text");
        assert_eq!(role(&Element { clickable: true, ..letters }, false), "group");
        assert!(is_bar("androidx.appcompat.widget.Toolbar") && is_bar("android.widget.Toolbar"));
    }
}
