//! Research: a question → queries → what is found and read → what is missing → again, until there is an answer, each of whose statements
//! has a source that was read. Names, arguments and answers are those of the MCP server deepsearch.

mod answer;
mod inquiry;
mod sources;
mod thinking;
mod tools;

pub use sources::ResearchSources;
pub(crate) use tools::{ComprehensiveResearch, QuickResearch, Research};
