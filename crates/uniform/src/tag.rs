//! The beginning of a text → the tag that stands there, if one does. Knows no nesting.

/// A tag: `<name>`, `</name>` or `<name/>`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tag<'a> {
    pub(super) name: &'a str,
    pub(super) form: Form,
    /// Whether something stands in it beside its name.
    pub(super) attributed: bool,
    /// Where it ends, in bytes from its `<`.
    pub(super) length: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Open,
    Close,
    Empty,
}

/// Reads the tag that a text begins with.
pub(super) fn tag(text: &str) -> Option<Tag<'_>> {
    /// Longest tag, in bytes.
    const MAX_LEN: usize = 400;
    let inner = text.strip_prefix('<')?;
    let window = &inner.as_bytes()[..inner.len().min(MAX_LEN)];
    let end = window.iter().position(|byte| matches!(byte, b'>' | b'<')).filter(|end| window[*end] == b'>')?;
    let inside = &inner[..end];
    let (form, inside) = match (inside.strip_prefix('/'), inside.strip_suffix('/')) {
        (Some(name), _) => (Form::Close, name),
        (None, Some(name)) => (Form::Empty, name),
        (None, None) => (Form::Open, inside),
    };
    let length = inside.find(|c: char| !(c.is_alphanumeric() || "_-.:".contains(c))).unwrap_or(inside.len());
    let (name, rest) = inside.split_at(length);
    let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let attributed = !rest.trim().is_empty();
    (begins && (!attributed || rest.starts_with(char::is_whitespace))).then_some(Tag {
        name,
        form,
        attributed,
        length: end + 2,
    })
}
