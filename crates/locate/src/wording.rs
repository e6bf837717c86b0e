//! Elements → the words that messages tell them by.

use std::borrow::Cow;

use crate::driver::Element;

/// Describes an element in a few words: `button "Save" #ok`.
pub fn describe(element: &Element) -> String {
    let mut text = element.role.to_owned();
    let joined = element.told.as_ref().and_then(|told| told.joined.first()).map_or("", String::as_str);
    let name = Some(title(element)).filter(|name| !name.is_empty()).unwrap_or(joined);
    if !name.is_empty() {
        text.push_str(&format!(" {}", quoted(name)));
    }
    if !element.id.is_empty() {
        text.push_str(&format!(" #{}", plain_id(element)));
    }
    text
}

/// Writes a text between quotation marks, in one line and so that none of its own looks like their end.
pub(crate) fn quoted(text: &str) -> String {
    let short = clip(text);
    if !short.contains(['"', '\\']) {
        return format!("\"{short}\"");
    }
    format!("\"{}\"", short.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns an element's identifier as a word that stands by itself: pages may write anything into it.
pub(crate) fn plain_id(element: &Element) -> Cow<'_, str> {
    let id = element.short_id();
    let is_plain = |sign: char| !sign.is_whitespace() && !sign.is_control() && !matches!(sign, '"' | '\\');
    if id.chars().all(is_plain) && id.chars().count() <= 80 { Cow::Borrowed(id) } else { Cow::Owned(quoted(id)) }
}

/// Tells whether what an element shows is what it is set to, and its label says what that is: a field, a list to choose from.
pub(crate) fn holds_value(element: &Element) -> bool {
    let is_set = matches!(element.role, "combobox" | "slider" | "progress" | "switch");
    element.role == "textfield" || is_set && !element.label.is_empty() && !element.text.is_empty()
}

/// Returns what an element is called: a field by its label or hint, not by what was typed into it.
pub(super) fn title(element: &Element) -> &str {
    let own = [element.label.as_str(), element.hint.as_str()].into_iter().find(|name| !name.is_empty());
    match (element.role, own) {
        ("textfield", Some(name)) => name,
        (_, Some(name)) if holds_value(element) => name,
        ("textfield", None) if element.password => "",
        // A page says of what acts what it is called, which need not be what is drawn on it: × closes.
        _ if element.told.is_some() && element.clickable && !element.label.is_empty() => &element.label,
        _ => element.name(),
    }
}

/// Returns what an element is called: what is typed into a field changes, what the field is called does not.
pub(super) fn name(element: &Element) -> &str {
    match element.role {
        "textfield" if element.label.is_empty() => &element.hint,
        "textfield" => &element.label,
        _ if holds_value(element) => &element.label,
        _ => element.name(),
    }
}

/// Shortens a text to what is worth reading in one line.
pub fn clip(text: &str) -> String {
    // Whatever ends a line somewhere, moves a cursor, or turns what follows around.
    let odd = |sign: char| sign.is_control() || matches!(sign, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let line = text.replace(odd, " ");
    if line.chars().count() <= 80 { line } else { line.chars().take(79).chain(['…']).collect() }
}

/// Returns what an element shows: a field's content even where it is empty, else its text or label; of a page's element that has
/// neither, what stands in it.
pub fn shown_text(element: &Element) -> Cow<'_, str> {
    /// Adds the names of what stands outermost.
    fn gather<'a>(elements: &'a [Element], names: &mut Vec<&'a str>) {
        for element in elements {
            match element.name() {
                "" => gather(&element.children, names),
                name => names.push(name),
            }
        }
    }
    if let Some(told) = element.told.as_ref().filter(|told| !told.whole.is_empty()) {
        return Cow::Borrowed(&told.whole);
    }
    let is_page_field = element.told.is_some() && matches!(element.class.as_str(), "input" | "select");
    let holds_text = element.role == "textfield" || (is_page_field && element.role == "combobox");
    let own = if holds_text { &element.text } else { element.name() };
    if !own.is_empty() || holds_text || element.told.is_none() {
        return Cow::Borrowed(own);
    }
    let mut names = Vec::new();
    gather(&element.children, &mut names);
    Cow::Owned(names.join(" "))
}
