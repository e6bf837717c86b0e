//! What a testcase says of models: which of them are asked for what, and what they may do.

/// The services of models that a testcase names, one for all and others for a part of what is asked, and what a model may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AiOptions {
    pub service: Option<String>,
    pub planner: Option<String>,
    pub asserter: Option<String>,
    pub querier: Option<String>,
    pub policy: AiPolicy,
}

/// What a model may do that plans steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AiPolicy {
    pub destructive: Destructive,
    /// The apps that it may start and act in; any where none is named.
    pub allow_apps: Vec<String>,
    /// The hosts whose pages it may open and act on; where none is named, any that it comes to, and those that the goal names.
    pub allow_hosts: Vec<String>,
}

/// What becomes of acts that are hard to undo: pay, delete, uninstall, send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Destructive {
    Allow,
    /// None is done.
    Deny,
    /// What the goal itself asks for is done; of the rest somebody is asked, and where nobody is there it is not done.
    #[default]
    Ask,
}

impl Destructive {
    /// How it is written.
    pub const WORDS: [(&'static str, Self); 3] = [("allow", Self::Allow), ("deny", Self::Deny), ("ask", Self::Ask)];

    /// Reads a word.
    pub fn read(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, policy)| *policy)
    }
}
