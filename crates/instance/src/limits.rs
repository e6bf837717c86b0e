//! How large an instance may become: so that no page, patch or answer of a server fills the memory.

use serde_json::Value;

use super::Error;

/// Bytes of an instance's text, and of all keys and values of its state.
pub(super) const BYTES: usize = 1 << 20;
/// Levels of nesting.
pub(super) const DEPTH: usize = 32;
/// Characters of an id, a key or a label.
pub(super) const NAME: usize = 200;
/// Segments of a dot path; its text may have 512 bytes.
pub(super) const SEGMENTS: usize = 24;
pub(super) const PATH_BYTES: usize = 512;
/// Patches that come from outside at once.
pub(super) const PATCHES: usize = 1000;
/// Bytes that an `external` action reads of an answer.
pub(super) const ANSWER_BYTES: usize = 512 << 10;

/// Refuses a value that is nested too deeply or is too large.
pub(super) fn check(value: &Value, path: &str) -> Result<(), Error> {
    let mut bytes = 0;
    measure(value, 0, &mut bytes).map_err(|message| Error::structure(path, message))
}

/// Adds what a value needs to `bytes`, and ends as soon as that, or its depth, is too much.
pub(super) fn measure(value: &Value, depth: usize, bytes: &mut usize) -> Result<(), String> {
    if depth > DEPTH {
        return Err(format!("nested more than {DEPTH} levels deep"));
    }
    *bytes += match value {
        Value::String(text) => text.len() + 2,
        Value::Object(map) => map.keys().map(|key| key.len() + 4).sum::<usize>() + 2,
        Value::Array(list) => list.len() + 2,
        _ => 8,
    };
    if *bytes > BYTES {
        return Err(format!("larger than {BYTES} bytes"));
    }
    match value {
        Value::Object(map) => map.values().try_for_each(|value| measure(value, depth + 1, bytes)),
        Value::Array(list) => list.iter().try_for_each(|value| measure(value, depth + 1, bytes)),
        _ => Ok(()),
    }
}
