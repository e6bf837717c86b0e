//! What came of a call, as it is kept and written down.

use base64::Engine as _;
use serde_json::{Map, Value};
use uixt_call::Content;
use uixt_core::tool_times::ToolTimes;

use crate::result::{Failure, Lookup, Mark, Mended, ModelUsage, Seen};

/// What came of a call.
pub(super) struct Done {
    pub(super) tool: String,
    /// The whole answer.
    pub(super) object: Map<String, Value>,
    pub(super) arguments: Map<String, Value>,
    pub(super) message: String,
    pub(super) error: Option<Failure>,
    pub(super) pictures: Vec<Vec<u8>>,
    /// What its pictures are to be called.
    pub(super) file_name: Option<String>,
    /// Which of its options did nothing.
    pub(super) warnings: Vec<String>,
    pub(super) mark: Option<Mark>,
    pub(super) lookup: Option<Lookup>,
    pub(super) seen: Vec<Seen>,
    pub(super) usage: ModelUsage,
    pub(super) mended: Vec<Mended>,
    /// For how long it waited, in milliseconds.
    pub(super) waiting_ms: u64,
    /// What the calls add up to of which it was made.
    pub(super) parts: ToolTimes,
    /// What the device told beside the answer.
    pub(super) evidence: Option<Map<String, Value>>,
}

/// Returns the picture that a part of an answer is, if it is one.
pub(super) fn png_of(content: &Content) -> Option<Vec<u8>> {
    match content {
        Content::Image { data, .. } => base64::engine::general_purpose::STANDARD.decode(data).ok(),
        _ => None,
    }
}
