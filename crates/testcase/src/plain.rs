//! What stands between `${` and `}` → whether `HttpRunner` knows its form; everything else is a formula.

use super::parts::{begins_name, continues_name};

/// Says whether what stands between `${` and `}` is a name, or a call whose arguments are as plain as `HttpRunner` has them.
pub(super) fn is_plain(characters: &[char]) -> bool {
    let name = characters.iter().take_while(|next| continues_name(**next)).count();
    if name == 0 || !begins_name(characters[0]) {
        return false;
    }
    match &characters[name..] {
        [] => true,
        ['(', arguments @ .., ')'] => arguments_are_plain(arguments),
        _ => false,
    }
}

/// Says whether this is a word of the language that no variable is called by.
pub(super) fn is_constant(characters: &[char]) -> bool {
    let text: String = characters.iter().collect();
    matches!(text.as_str(), "true" | "false" | "none" | "True" | "False" | "None")
}

fn arguments_are_plain(characters: &[char]) -> bool {
    let mut at = 0;
    // Whether a text in quotes may begin here, and whether one has just ended.
    let (mut begins, mut ended) = (true, false);
    while let Some(&next) = characters.get(at) {
        let length = match next {
            '\'' | '"' if begins => {
                ended = true;
                begins = false;
                at += quoted_plainly(&characters[at..]);
                continue;
            }
            ',' => {
                begins = true;
                ended = false;
                1
            }
            ' ' | '\t' => 1,
            _ if ended => return false,
            '$' if characters.get(at + 1) == Some(&'{') => {
                let name = characters[at + 2..].iter().take_while(|next| continues_name(**next)).count();
                if name == 0 || characters.get(at + 2 + name) != Some(&'}') {
                    return false;
                }
                begins = false;
                name + 3
            }
            '$' | '_' | '.' | '-' | '/' | '=' | ':' => {
                begins = false;
                1
            }
            letter if letter.is_alphanumeric() => {
                begins = false;
                1
            }
            _ => return false,
        };
        at += length;
    }
    true
}

/// Returns the length of a text in quotes, in which `HttpRunner` knows no escapes.
fn quoted_plainly(characters: &[char]) -> usize {
    let end = characters[1..].iter().position(|next| *next == characters[0]);
    end.map_or(characters.len(), |end| end + 2)
}
