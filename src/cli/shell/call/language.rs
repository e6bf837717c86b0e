//! The language in which wrong arguments of a call are named.

use std::borrow::Cow;

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::chinese;

#[derive(Args, Clone, Copy)]
pub(in crate::cli) struct Language {
    /// Language in which wrong arguments are named.
    #[arg(long, value_enum, default_value = "en")]
    lang: Name,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    En,
    Zh,
}

impl Language {
    /// Tells whether it is the one that messages are written in.
    pub(in crate::cli) fn is_own(self) -> bool {
        self.lang == Name::En
    }

    /// Returns an answer as it is told in this language.
    pub(in crate::cli) fn told(self, object: &Value) -> Cow<'_, Value> {
        let translated = (self.lang == Name::Zh).then(|| chinese::translated(object)).flatten();
        translated.map_or(Cow::Borrowed(object), Cow::Owned)
    }
}
