//! What a model does: reaches a goal, takes one step, answers a question, judges the screen, researches a question. A model that is not understood, declines
//! or is not there is an error; only what it says of the screen can pass or fail.

mod asking;
mod choice;
mod goal;
mod locate;
mod models;
mod policy;
mod prompt;
mod query;
mod replay;
mod research;
mod screen_contents;
mod step;
mod stored;
mod way;

use uixt_toolkit::ActionTool;

pub use choice::ModelChooser;
pub use locate::ModelLocator;
pub use models::{Budget, Models, Most};
pub use policy::{Consent, Guard};
pub use research::ResearchSources;
pub use screen_contents::ScreenContents;
pub use stored::{GoalKey, Goals, Kept, StoredGoal, StoredGoals, StoredStep};

/// The rows of all of them.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<goal::StartToGoal>(),
    ActionTool::of::<goal::AiAction>(),
    ActionTool::of::<query::AiQuery>(),
    ActionTool::of::<query::AiAssert>(),
    ActionTool::of::<query::BrowserExtractContent>(),
    ActionTool::of::<locate::Locate>(),
    ActionTool::of::<goal::BrowserUseExecuteTask>(),
    ActionTool::of::<goal::Finished>(),
    ActionTool::of::<research::Research>(),
    ActionTool::of::<research::QuickResearch>(),
    ActionTool::of::<research::ComprehensiveResearch>(),
];
