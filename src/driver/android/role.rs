//! Android's classes → the one word that says what an element is.

/// What lies around an element, as far as its role depends on it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around {
    /// It stands directly in a toolbar or an action bar.
    pub(super) in_bar: bool,
    pub(super) checkable: bool,
    pub(super) clickable: bool,
    /// It has a text or a label, and nothing in it.
    pub(super) lettered_leaf: bool,
}

/// Returns the role of an element by its class and identifier.
pub(super) fn role(class: &str, id: &str, around: Around) -> &'static str {
    let name = simple_name(class);
    match name {
        "TextView" | "View" if is_title(id) => "heading",
        "CheckedTextView" if around.checkable => "checkbox",
        "View" if around.lettered_leaf && !around.clickable => "text",
        "Image" => "image",
        "Spinner" | "AppCompatSpinner" => "combobox",
        "SeekBar" | "AppCompatSeekBar" | "Slider" | "RangeSlider" | "RatingBar" => "slider",
        "Tab" | "TabView" => "tab",
        "ListView" | "ExpandableListView" | "GridView" | "RecyclerView" => "list",
        "WebView" => "webview",
        _ if name.starts_with("Switch") || name.ends_with("Switch") || name == "ToggleButton" => "switch",
        _ => by_ending(name, around),
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

fn by_ending(name: &str, around: Around) -> &'static str {
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
    if found == "text" && around.in_bar { "heading" } else { found }
}

fn is_title(id: &str) -> bool {
    matches!(id.rsplit('/').next(), Some("action_bar_title" | "alertTitle" | "toolbar_title"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(role(class, "", Around::default()), expected, "{class}");
        }
    }

    #[test]
    fn surroundings_count() {
        let text = "android.widget.TextView";
        assert_eq!(role(text, "", Around { in_bar: true, ..Around::default() }), "heading");
        assert_eq!(role(text, "android:id/alertTitle", Around::default()), "heading");
        let leaf = Around { lettered_leaf: true, ..Around::default() };
        assert_eq!(role("android.view.View", "", leaf), "text");
        assert_eq!(role("android.view.View", "", Around { clickable: true, ..leaf }), "group");
        assert!(is_bar("androidx.appcompat.widget.Toolbar") && is_bar("android.widget.Toolbar"));
    }
}
