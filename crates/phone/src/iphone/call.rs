//! A request as whoever answers it sees it: what follows the session's id, its body, its parameters.

use serde_json::Value;

use super::answer::Refusal;
use super::words;

/// A request of a route.
pub(super) struct Call<'a> {
    pub(super) method: &'a str,
    /// What follows `/session/ID/`, or the whole path without a session.
    pub(super) path: Vec<&'a str>,
    pub(super) body: Value,
    pub(super) query: &'a [(String, String)],
    pub(super) in_session: bool,
}

impl Call<'_> {
    /// Returns a parameter of the address.
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns a text of the body.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.body.get(name).and_then(Value::as_str)
    }

    pub(super) fn number(&self, name: &str) -> Option<f64> {
        words::number(&self.body[name])
    }

    pub(super) fn unknown(&self) -> Refusal {
        Refusal::unknown_command(self.method, &format!("/{}", self.path.join("/")))
    }
}
