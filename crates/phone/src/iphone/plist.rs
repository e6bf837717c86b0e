//! Property lists as XML: what usbmuxd and lockdown say to each other. Values → text, and a message's keys → their values.

use std::fmt::Write as _;

/// A value of a property list.
pub(super) enum Plist<'a> {
    Text(&'a str),
    Number(u64),
    Map(Vec<(&'a str, Plist<'a>)>),
    List(Vec<Plist<'a>>),
}

impl Plist<'_> {
    /// Writes a whole document.
    pub(super) fn document(&self) -> String {
        let mut out =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
                       \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n"
                .to_owned();
        self.write(&mut out);
        out.push_str("\n</plist>\n");
        out
    }

    fn write(&self, out: &mut String) {
        // A string takes whatever is written.
        let _ = match self {
            Self::Text(text) => write!(out, "<string>{}</string>", escaped(text)),
            Self::Number(number) => write!(out, "<integer>{number}</integer>"),
            Self::Map(entries) => {
                out.push_str("<dict>");
                for (key, value) in entries {
                    let _ = write!(out, "<key>{}</key>", escaped(key));
                    value.write(out);
                }
                write!(out, "</dict>")
            }
            Self::List(values) => {
                out.push_str("<array>");
                values.iter().for_each(|value| value.write(out));
                write!(out, "</array>")
            }
        };
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns the texts and numbers that stand in a message's outermost map, by their keys; none where it is no property list.
pub(super) fn read(text: &str) -> Option<Vec<(String, String)>> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    let document = roxmltree::Document::parse_with_options(text, options).ok()?;
    let map = document.root_element().children().find(|node| node.has_tag_name("dict"))?;
    let nodes: Vec<_> = map.children().filter(roxmltree::Node::is_element).collect();
    let pairs = nodes.chunks_exact(2).filter(|pair| pair[0].has_tag_name("key"));
    let text = |node: &roxmltree::Node| node.text().unwrap_or_default().trim().to_owned();
    Some(pairs.map(|pair| (text(&pair[0]), text(&pair[1]))).collect())
}

/// Returns what stands at a key.
pub(super) fn of<'a>(message: &'a [(String, String)], key: &str) -> Option<&'a str> {
    message.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let map = Plist::Map(vec![
            ("Name", Plist::Text("a<b & c")),
            ("Number", Plist::Number(7)),
            ("All", Plist::List(vec![Plist::Number(1)])),
        ]);
        let read = read(&map.document()).unwrap();
        assert_eq!((of(&read, "Name"), of(&read, "Number"), of(&read, "None")), (Some("a<b & c"), Some("7"), None));
        assert!(super::read("bplist00").is_none());
    }
}
