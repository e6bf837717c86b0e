//! A file's text → the texts in it that a comment cuts: `tap: Room #5` taps on Room. A comment that is meant has a space behind its sign.

/// What a block of text begins with.
const BLOCKS: [&str; 6] = [" |", " >", " |-", " >-", " |+", " >+"];

/// A comment without a space behind its sign that follows a text at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentCut {
    /// Counted from 1.
    pub line: usize,
    pub column: usize,
    /// With its sign: `#5`.
    pub comment: String,
}

/// Finds them.
pub(super) fn of(text: &str) -> Vec<CommentCut> {
    if !text.contains(" #") {
        return Vec::new();
    }
    let (mut found, mut block) = (Vec::new(), None);
    for (number, line) in text.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        // In a block of text, nothing is a comment.
        if block.is_some_and(|block| indent > block || line.trim().is_empty()) {
            continue;
        }
        let is_block = BLOCKS.iter().any(|sign| line.trim_end().ends_with(sign));
        block = is_block.then_some(indent);
        if let Some((column, comment)) = cut_of(line) {
            found.push(CommentCut { line: number + 1, column, comment });
        }
    }
    found
}

/// Returns the column of a comment that follows a text at once, and the comment.
fn cut_of(line: &str) -> Option<(usize, String)> {
    let characters: Vec<char> = line.chars().collect();
    let mut quote = None;
    for (at, sign) in characters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| characters.get(at)).copied();
        match (quote, sign) {
            (Some(open), sign) if open == *sign => quote = None,
            // A quote within a word is none.
            (None, '"' | '\'') if before.is_none_or(|before| !before.is_alphanumeric()) => quote = Some(*sign),
            (None, '#') if before.is_some_and(char::is_whitespace) => {
                let text: String = characters[..at].iter().collect();
                let follows_text =
                    text.trim_end().ends_with(|last: char| !matches!(last, ':' | '-' | ',' | '{' | '[' | '}' | ']'));
                let rest: String = characters[at..].iter().collect();
                let is_close =
                    characters.get(at + 1).is_some_and(|next| !next.is_whitespace() && !matches!(next, '#' | '!'));
                return (follows_text && is_close).then(|| (at + 1, rest.trim_end().to_owned()));
            }
            _ => {}
        }
    }
    None
}
