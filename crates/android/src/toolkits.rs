//! Elements as the trees of Compose, Flutter, React Native and pages tell of them → elements as a person takes them.
//!
//! These toolkits draw by themselves and make up the nodes of accessibility, in ways of their own: the state of a button stands on a node
//! without a text, and the text in a child of it; the label of a field is a child of the field; all texts of a tile stand in one
//! description, a line each. What Android's own views tell stays as it is.

use crate::driver::Element;
use crate::driver::element::{JOINT, without_glyphs};

/// Views of Android that hold no others: where one does, a toolkit made it up.
const CHILDLESS: [&str; 10] = [
    "android.view.View",
    "android.widget.Button",
    "android.widget.ImageButton",
    "android.widget.EditText",
    "android.widget.CheckBox",
    "android.widget.Switch",
    "android.widget.ToggleButton",
    "android.widget.RadioButton",
    "android.widget.SeekBar",
    "android.widget.ImageView",
];
/// The longest joined name, in characters, that is told in place of its parts.
const LONGEST_NAME: usize = 80;
/// What Compose and React Native make their containers of.
const CONTAINERS: [&str; 2] = ["android.view.View", "android.view.ViewGroup"];
/// Lines of a description that become elements.
const MOST_LINES: usize = 50;

/// Settles what a tree tells, from the leaves up.
pub(super) fn settle(element: &mut Element) {
    element.children.iter_mut().for_each(settle);
    drop_glyphs(element);
    let is_made_up = CHILDLESS.contains(&element.class.as_str());
    if is_made_up && element.role == "textfield" {
        take_label(element);
    } else if is_made_up && acts(element) {
        take_content(element);
    }
    if acts(element) {
        take_joined(element);
        pass_state(element);
        tell_once(element);
    }
    if is_made_up {
        take_lines(element);
    }
    name_switches(element);
    if element.role == "group" && element.clickable && !element.name().is_empty() && !holds_another(element) {
        element.role = "button";
    }
}

/// Tells whether something in an element can be touched by itself or is typed into.
fn holds_another(element: &Element) -> bool {
    let is_touched = |one: &Element| one.clickable || one.long_clickable || one.checkable;
    element.children.iter().any(|child| is_touched(child) || child.role == "textfield" || holds_another(child))
}

/// Tells whether it does something by itself, or has a state of its own.
fn acts(element: &Element) -> bool {
    element.clickable || element.long_clickable || element.checkable || element.selected
}

/// Takes out signs of icon fonts, which are letters to Android and pictures to people.
fn drop_glyphs(element: &mut Element) {
    // React Native joins the texts in what can be touched, icons among them.
    if let Some(label) = without_glyphs(&element.label) {
        element.label = label;
    }
    if without_glyphs(&element.text).is_some_and(|text| text.is_empty()) {
        element.text.clear();
        if element.role == "text" {
            element.role = "image";
        }
    }
}

/// Makes the text in a field its label, as Compose draws it there.
fn take_label(field: &mut Element) {
    if !field.label.is_empty() {
        return;
    }
    let is_label = |child: &Element| is_leaf(child) && !acts(child) && child.role == "text" && !child.text.is_empty();
    let Some(at) = field.children.iter().position(is_label) else { return };
    field.label = field.children.remove(at).text;
    // What the field holds may be told in it as well.
    if field.label == field.text {
        field.label.clear();
    }
}

fn is_leaf(element: &Element) -> bool {
    element.children.is_empty()
}

/// Makes the one text in what acts its own, and what it is by the control that is drawn in it: a button, unless that is another.
fn take_content(element: &mut Element) {
    let mut inner = Vec::new();
    element.children.iter().for_each(|child| child.walk(&mut |one| inner.push(one)));
    if inner.is_empty() || inner.iter().any(|one| acts(one) || one.role == "textfield") {
        return;
    }
    let controls = ["checkbox", "switch", "radio", "slider", "tab"];
    let control = inner.iter().find(|one| controls.contains(&one.role)).map(|one| one.role);
    let mut names: Vec<String> =
        inner.iter().map(|one| one.name().to_owned()).filter(|name| !name.is_empty()).collect();
    names.dedup();
    let is_named = !element.name().is_empty();
    let has_only = |name: &str| names.iter().all(|other| other == name);
    let is_whole = match names.first() {
        Some(name) if is_named => has_only(name) && element.name() == name,
        Some(name) => has_only(name),
        None => control.is_some(),
    };
    if element.role == "group" {
        if let Some(role) = control {
            element.role = role;
        } else if is_whole && (element.clickable || element.selected) {
            element.role = if element.checkable { "switch" } else { "button" };
        }
    }
    if !is_whole {
        return;
    }
    if !is_named && let Some(name) = names.into_iter().next() {
        element.text = name;
    }
    element.children.clear();
}

/// Gives the texts in what acts its state: they are what a person calls it.
fn pass_state(element: &mut Element) {
    let (enabled, checkable, checked, selected) =
        (element.enabled, element.checkable, element.checked, element.selected);
    if (enabled && !checkable && !selected) || !element.name().is_empty() {
        return;
    }
    let mut open: Vec<&mut Element> = element.children.iter_mut().collect();
    while let Some(child) = open.pop() {
        if acts(child) || child.role == "textfield" {
            continue;
        }
        child.enabled &= enabled;
        if matches!(child.role, "text" | "image" | "heading" | "checkbox" | "switch" | "radio") {
            (child.checkable, child.checked) = (child.checkable || checkable, child.checked || checked);
            child.selected |= selected;
        }
        open.extend(child.children.iter_mut());
    }
}

/// Tells once what an element that acts joins of the texts in it for its own name, as React Native does.
fn take_joined(element: &mut Element) {
    if element.label.is_empty() || !element.text.is_empty() || holds_another(element) {
        return;
    }
    let mut texts = Vec::new();
    element.children.iter().for_each(|child| {
        child.walk(&mut |one| {
            if !one.name().is_empty() {
                texts.push(one.name().to_owned());
            }
        });
    });
    if texts.is_empty() || texts.join(JOINT) != element.label {
        return;
    }
    if texts.len() == 1 {
        element.children.clear();
    } else if element.label.chars().count() <= LONGEST_NAME {
        let mut open: Vec<&mut Element> = element.children.iter_mut().collect();
        while let Some(child) = open.pop() {
            child.repeats = true;
            open.extend(child.children.iter_mut());
        }
    }
}

/// Calls the one switch or box without a name of its own in a row by the text in that row, as a person does. In a row that can be touched
/// itself, the text has the state of the switch, and stays what is touched.
fn name_switches(row: &mut Element) {
    let is_touched = row.clickable || row.long_clickable;
    let is_made_up = CONTAINERS.contains(&row.class.as_str());
    let is_beside = |one: &Element, middle: i32| one.rect.top <= middle && middle < one.rect.bottom;
    for at in 0..row.children.len() {
        let control = &row.children[at];
        let is_nameless = control.checkable && control.name().is_empty() && !says_anything(control);
        // Android's own views are checkable as what they are called.
        let is_drawn = is_made_up || CONTAINERS.contains(&control.class.as_str());
        if !is_nameless || !is_drawn || !matches!(control.role, "group" | "switch" | "checkbox" | "radio") {
            continue;
        }
        let middle = i32::midpoint(control.rect.top, control.rect.bottom);
        // Which of several boxes in one line a text is for, nobody can tell for certain.
        let is_alone =
            !row.children.iter().enumerate().any(|(other, one)| other != at && one.checkable && is_beside(one, middle));
        if is_alone {
            let checked = control.checked;
            let text = row.children.iter_mut().filter(|one| !acts(one) && is_beside(one, middle)).find_map(first_text);
            match text {
                Some(text) if is_touched => (text.checkable, text.checked) = (true, checked),
                Some(text) => {
                    // It is told once, as the name of what it is beside.
                    text.role = "group";
                    row.children[at].label = std::mem::take(&mut text.text);
                }
                None => {}
            }
        }
        if row.children[at].role == "group" {
            row.children[at].role = "switch";
        }
    }
}

fn says_anything(element: &Element) -> bool {
    element.children.iter().any(|child| !child.name().is_empty() || says_anything(child))
}

/// Returns the first text in what does not act.
fn first_text(element: &mut Element) -> Option<&mut Element> {
    if acts(element) || element.role == "textfield" {
        return None;
    }
    // An emoji is a picture beside the text.
    if element.role == "text" && element.text.contains(char::is_alphanumeric) {
        return Some(element);
    }
    element.children.iter_mut().find_map(first_text)
}

/// Tells a name once that what acts, or a text in it, says as well: an icon's description beside its caption.
fn tell_once(element: &mut Element) {
    let mut said: Vec<String> = Vec::new();
    element.children.iter().for_each(|child| {
        child.walk(&mut |one| {
            if one.role == "text" && !one.text.is_empty() {
                said.push(one.text.clone());
            }
        });
    });
    let is_said = |name: &str| said.iter().any(|text| text == name);
    let mut open: Vec<&mut Element> = element.children.iter_mut().collect();
    while let Some(child) = open.pop() {
        let is_picture = child.role == "image" || is_leaf(child);
        if !acts(child) && is_picture && child.text.is_empty() && is_said(&child.label) {
            child.label.clear();
            child.role = "image";
        }
        open.extend(child.children.iter_mut());
    }
}

/// Makes each line of a description a text that can be found, as Flutter tells all texts of a tile.
fn take_lines(element: &mut Element) {
    if !element.text.is_empty() || element.role == "textfield" || !element.label.contains(['\n', ',']) {
        return;
    }
    if let Some(name) = tab_name(&element.label) {
        (element.role, element.label) = ("tab", name);
    }
    let lines = || element.label.lines().map(str::trim).filter(|line| !line.is_empty());
    if lines().nth(1).is_none() || lines().count() > MOST_LINES {
        return;
    }
    if element.clickable && matches!(element.role, "group" | "text" | "image") {
        element.role = "button";
    }
    let line = |text: &str| Element {
        role: "text",
        text: text.to_owned(),
        package: element.package.clone(),
        rect: element.rect,
        enabled: element.enabled,
        checkable: element.checkable,
        checked: element.checked,
        selected: element.selected,
        ..Element::default()
    };
    let mut texts: Vec<Element> = lines().map(line).collect();
    // What it says in children of its own is not told twice.
    let has = |text: &str| element.children.iter().any(|child| child.name() == text);
    texts.retain(|line| !has(&line.text));
    element.children.splice(0..0, texts);
}

/// Returns the name of a tab whose description also counts the tabs: `Home` of `Home, tab 1 of 4`.
fn tab_name(label: &str) -> Option<String> {
    let (name, count) = label.trim_end().rsplit_once(['\n', ','])?;
    let words: Vec<&str> = count.split_whitespace().collect();
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_count = match words[..] {
        [tab, at, of, all] => {
            tab.eq_ignore_ascii_case("tab") && of.eq_ignore_ascii_case("of") && is_number(at) && is_number(all)
        }
        _ => count.trim().starts_with('第') && count.contains("标签") && count.contains('共'),
    };
    let name = name.trim();
    (is_count && !name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::hierarchy::parse;
    use super::*;

    /// Reads nodes written as `class|text|description|flags|children…` by attributes alone.
    fn read(nodes: &str) -> Vec<Element> {
        let xml = format!("<hierarchy rotation=\"0\">{nodes}</hierarchy>");
        parse(&xml).expect("a tree")
    }

    fn node(class: &str, attributes: &str, children: &str) -> String {
        let class = if class.contains('.') { class.to_owned() } else { format!("android.widget.{class}") };
        format!("<node class=\"{class}\" bounds=\"[0,0][900,100]\" {attributes}>{children}</node>")
    }

    fn text(text: &str) -> String {
        node("TextView", &format!("text=\"{text}\""), "")
    }

    const VIEW: &str = "android.view.View";

    /// Every element with its role, name and states.
    fn told(nodes: &str) -> Vec<String> {
        let mut told = Vec::new();
        for root in read(nodes) {
            root.walk(&mut |element| {
                let states = [
                    (!element.enabled, " disabled"),
                    (element.checked, " checked"),
                    (element.checkable && !element.checked, " unchecked"),
                    (element.selected, " selected"),
                ];
                let states: String = states.iter().filter(|(holds, _)| *holds).map(|(_, state)| *state).collect();
                told.push(format!("{} {:?}{states}", element.role, element.name()));
            });
        }
        told
    }

    #[test]
    fn compose_is_told_as_it_is_drawn() {
        let table: [(String, &[&str]); 12] = [
            (node(VIEW, "clickable=\"true\"", &text("Log in")), &["button \"Log in\""]),
            (node(VIEW, "clickable=\"true\" enabled=\"false\"", &text("Delete")), &["button \"Delete\" disabled"]),
            (node("Button", "clickable=\"true\" enabled=\"false\"", &text("Pay")), &["button \"Pay\" disabled"]),
            (
                node(
                    VIEW,
                    "clickable=\"true\" checkable=\"true\" checked=\"true\"",
                    &(node("CheckBox", "", "") + &text("Accept")),
                ),
                &["checkbox \"Accept\" checked"],
            ),
            (
                node(VIEW, "clickable=\"true\" checkable=\"true\"", &(text("Wi-Fi") + &node("Switch", "", ""))),
                &["switch \"Wi-Fi\" unchecked"],
            ),
            (node(VIEW, "clickable=\"true\" selected=\"true\"", &text("Home")), &["button \"Home\" selected"]),
            // A row of several texts: each has its state.
            (
                node(VIEW, "clickable=\"true\" enabled=\"false\"", &(text("Tea") + &text("4 EUR"))),
                &["group \"\" disabled", "text \"Tea\" disabled", "text \"4 EUR\" disabled"],
            ),
            // What acts by itself keeps its own.
            (
                node(
                    VIEW,
                    "clickable=\"true\" enabled=\"false\"",
                    &(text("Tea") + &node("Button", "clickable=\"true\" text=\"Buy\"", "")),
                ),
                &["group \"\" disabled", "text \"Tea\" disabled", "button \"Buy\""],
            ),
            // An icon and its caption are one.
            (
                node(VIEW, "clickable=\"true\"", &(node("ImageView", "content-desc=\"Search\"", "") + &text("Search"))),
                &["button \"Search\""],
            ),
            (
                node(
                    VIEW,
                    "clickable=\"true\"",
                    &(node("ImageView", "content-desc=\"Cart\"", "") + &text("Cart") + &text("3")),
                ),
                &["group \"\"", "image \"\"", "text \"Cart\"", "text \"3\""],
            ),
            // Labels in their fields.
            (node("EditText", "clickable=\"true\"", &text("Email")), &["textfield \"Email\""]),
            (
                node("EditText", "clickable=\"true\" text=\"ann\"", &(text("User") + &text("0/10"))),
                &["textfield \"ann\"", "text \"0/10\""],
            ),
        ];
        for (nodes, expected) in table {
            assert_eq!(told(&nodes), expected, "{nodes}");
        }
        let field = &read(&node("EditText", "clickable=\"true\" text=\"ann\"", &text("User")))[0];
        assert_eq!((field.text.as_str(), field.label.as_str()), ("ann", "User"));
    }

    #[test]
    fn flutter_s_lines_are_texts_and_its_tabs_are_tabs() {
        let view = |label: &str, more: &str| node(VIEW, &format!("content-desc=\"{label}\" {more}"), "");
        let table: [(String, &[&str]); 5] = [
            (
                view("Green tea&#10;4.00 EUR&#10;Sold out", "clickable=\"true\""),
                &[
                    "button \"Green tea\\n4.00 EUR\\nSold out\"",
                    "text \"Green tea\"",
                    "text \"4.00 EUR\"",
                    "text \"Sold out\"",
                ],
            ),
            (view("Total&#10;8 EUR", ""), &["text \"Total\\n8 EUR\"", "text \"Total\"", "text \"8 EUR\""]),
            (node("Button", "content-desc=\"Cart&#10;Tab 2 of 3\" clickable=\"true\"", ""), &["tab \"Cart\""]),
            (view("Home, tab 1 of 4", "clickable=\"true\" selected=\"true\""), &["tab \"Home\" selected"]),
            (view("Paris, France", "clickable=\"true\""), &["button \"Paris, France\""]),
        ];
        for (nodes, expected) in table {
            assert_eq!(told(&nodes), expected, "{nodes}");
        }
    }

    #[test]
    fn a_row_s_text_is_the_name_of_its_switch() {
        let at = |class: &str, more: &str, (top, bottom): (i32, i32)| {
            format!("<node class=\"{class}\" bounds=\"[0,{top}][900,{bottom}]\" {more}/>")
        };
        let switch = |top: i32| at(VIEW, "clickable=\"true\" checkable=\"true\" checked=\"true\"", (top, top + 60));
        let words = |text: &str, top: i32| at("android.widget.TextView", &format!("text=\"{text}\""), (top, top + 60));
        let table: [(String, &[&str]); 5] = [
            // A row that opens something, and its switch.
            (
                node(VIEW, "clickable=\"true\"", &(switch(0) + &words("Reverb", 0))),
                &["group \"\"", "switch \"\" checked", "text \"Reverb\" checked"],
            ),
            // Two rows of one column.
            (
                node(VIEW, "", &(words("Sound", 0) + &switch(0) + &words("Light", 100) + &switch(100))),
                &["group \"\"", "group \"\"", "switch \"Sound\" checked", "group \"\"", "switch \"Light\" checked"],
            ),
            // A heading above is of another line.
            (
                node(VIEW, "", &(words("Alerts", 0) + &switch(100))),
                &["group \"\"", "text \"Alerts\"", "switch \"\" checked"],
            ),
            // Two switches in one line.
            (
                node(VIEW, "", &(words("Sound", 0) + &switch(0) + &switch(0))),
                &["group \"\"", "text \"Sound\"", "switch \"\" checked", "switch \"\" checked"],
            ),
            // A title and what it means.
            (
                node(VIEW, "", &(node(VIEW, "", &(words("Sound", 0) + &words("All of it", 40))) + &switch(20))),
                &["group \"\"", "group \"\"", "group \"\"", "text \"All of it\"", "switch \"Sound\" checked"],
            ),
        ];
        for (nodes, expected) in table {
            assert_eq!(told(&nodes), expected, "{nodes}");
        }
    }

    #[test]
    fn what_react_native_joins_is_told_once() {
        let group = |label: &str, more: &str, children: &str| {
            node("android.view.ViewGroup", &format!("content-desc=\"{label}\" clickable=\"true\" {more}"), children)
        };
        let table: [(String, &[&str]); 5] = [
            (group("Sign in", "", &text("Sign in")), &["button \"Sign in\""]),
            (group("\u{e88a}, Home", "", &(text("\u{e88a}") + &text("Home"))), &["button \"Home\""]),
            (group("\u{e88a}", "", &text("\u{e88a}")), &["group \"\"", "image \"\""]),
            (
                group("Tea, 4 EUR", "", &(text("Tea") + &text("4 EUR"))),
                &["button \"Tea, 4 EUR\"", "text \"Tea\"", "text \"4 EUR\""],
            ),
            (
                group("Tea, Buy", "", &(text("Tea") + &node("Button", "clickable=\"true\" text=\"Buy\"", ""))),
                &["group \"Tea, Buy\"", "text \"Tea\"", "button \"Buy\""],
            ),
        ];
        for (nodes, expected) in table {
            assert_eq!(told(&nodes), expected, "{nodes}");
        }
        let tile = &read(&group("Tea, 4 EUR", "", &(text("Tea") + &text("4 EUR"))))[0];
        assert!(tile.children.iter().all(|child| child.repeats));
    }

    #[test]
    fn icon_fonts_are_no_texts_and_android_s_own_views_stay_as_they_are() {
        assert_eq!(told(&text("\u{e145}")), ["image \"\""]);
        let row = node(
            "LinearLayout",
            "clickable=\"true\"",
            &(text("Wi-Fi") + &node("Switch", "clickable=\"true\" checkable=\"true\"", "")),
        );
        assert_eq!(told(&row), ["group \"\"", "text \"Wi-Fi\"", "switch \"\" unchecked"]);
        let item = node("LinearLayout", "clickable=\"true\"", &text("Open"));
        assert_eq!(told(&item), ["group \"\"", "text \"Open\""]);
    }
}
