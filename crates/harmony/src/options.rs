//! What a user says of the way to HarmonyOS phones.

use std::path::PathBuf;

/// How HarmonyOS phones are reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Address of the hdc server; none for the usual one of this computer.
    pub server: Option<String>,
    /// What its phones are called; none as they call themselves.
    pub name: Option<String>,
    /// The agent that is brought to the phone, for what its command line cannot do.
    pub agent: Option<PathBuf>,
}

impl Options {
    /// Returns the address of the hdc server.
    pub fn address(&self) -> String {
        self.server.clone().unwrap_or_else(uixt_hdc::usual_address)
    }
}
