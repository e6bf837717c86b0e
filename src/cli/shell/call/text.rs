//! A word, or standard input → the calls that a model wrote there.

use std::io::Read as _;

use super::checked::OWN;
use crate::cli::exit::Failure;
use crate::mcp::client::Servers;
use crate::tools;
use crate::uniform::{self, Call};

/// The word for standard input.
const STDIN: &str = "-";

/// Tells whether a word is a text with calls in it, or says where one is, rather than the name of a tool.
pub(in crate::cli) fn is_one(word: &str) -> bool {
    word == STDIN || word.contains('<')
}

/// Reads the calls of a text, or of standard input; what is passed over there is said.
pub(in crate::cli) fn read(word: &str, servers: &Servers) -> Result<Vec<Call>, Failure> {
    let text = if word == STDIN { standard_input()? } else { word.to_owned() };
    let named = servers.config().names();
    let is_known = |name: &str| {
        name == OWN || named.contains(&name) || tools::find(name).is_some() || servers.definitions().names(name)
    };
    let found = uniform::read_calls(&text, &is_known).map_err(Failure::usage)?;
    for note in &found.notes {
        eprintln!("note: {note}");
    }
    Ok(found.calls)
}

/// Reads a little more than what is read as calls, so that a longer text is refused rather than cut.
fn standard_input() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let most = uniform::LARGEST as u64 + 1;
    let read = std::io::stdin().lock().take(most).read_to_end(&mut bytes);
    read.map_err(|error| Failure::errored(format!("cannot read standard input: {error}")))?;
    if bytes.len() > uniform::LARGEST {
        return Err(Failure::usage(format!("the text is longer than {} MiB", uniform::LARGEST >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| Failure::usage("standard input is not UTF-8"))
}
