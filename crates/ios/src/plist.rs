//! Property lists as XML, as Apple's daemons speak them: written by hand, and read with no more than what they say.

use roxmltree::{Document, Node, ParsingOptions};

/// Values that one list may have: all phones of a computer have some dozens.
const MOST_NODES: u32 = 20_000;
const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
                    \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\"><dict>";

/// What stands in a dictionary.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entry<'a> {
    Text(&'a str),
    Number(u64),
}

/// Writes a dictionary.
pub(crate) fn write(entries: &[(&str, Entry<'_>)]) -> String {
    let mut text = HEAD.to_owned();
    for (key, value) in entries {
        text.push_str(&format!("<key>{key}</key>"));
        match value {
            Entry::Text(value) => text.push_str(&format!("<string>{}</string>", escaped(value))),
            Entry::Number(value) => text.push_str(&format!("<integer>{value}</integer>")),
        }
    }
    text + "</dict></plist>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Reads a document; says what is wrong with it.
pub(crate) fn document(text: &str) -> Result<Document<'_>, String> {
    // Each begins with the type of the document, which is not looked at.
    let options = ParsingOptions { allow_dtd: true, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| format!("it is no property list: {error}"))
}

/// Returns the value of a key in a dictionary.
pub(crate) fn value<'a, 'b>(dict: Node<'a, 'b>, key: &str) -> Option<Node<'a, 'b>> {
    let mut entries = dict.children().filter(Node::is_element);
    entries.find(|entry| entry.has_tag_name("key") && entry.text() == Some(key))?;
    entries.next()
}

/// Returns the dictionary that a document is.
pub(crate) fn root<'a, 'b>(document: &'a Document<'b>) -> Option<Node<'a, 'b>> {
    document.root_element().children().find(|node| node.has_tag_name("dict"))
}

/// Returns a text in a dictionary.
pub(crate) fn text<'a>(dict: Node<'a, '_>, key: &str) -> Option<&'a str> {
    value(dict, key).filter(|value| value.has_tag_name("string"))?.text()
}

/// Returns a number in a dictionary.
pub(crate) fn number(dict: Node, key: &str) -> Option<u64> {
    value(dict, key).filter(|value| value.has_tag_name("integer"))?.text()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let text = write(&[("Key", Entry::Text("a & <b>")), ("Port", Entry::Number(42015))]);
        let document = document(&text).unwrap();
        let dict = root(&document).unwrap();
        assert_eq!((super::text(dict, "Key"), number(dict, "Port")), (Some("a & <b>"), Some(42015)));
        assert_eq!((super::text(dict, "Port"), number(dict, "None")), (None, None));
        assert!(super::document("bplist00").is_err());
    }
}
