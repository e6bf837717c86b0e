//! A line of text.

use super::Place;

/// A line of text on a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What it says.
    pub text: String,
    /// Where it stands.
    pub place: Place,
    /// From 0 to 1: how sure its reader is of its characters, on average.
    pub confidence: f32,
}
