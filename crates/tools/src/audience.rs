//! Whom the table serves: what is offered, and how much of an answer is told.

use uixt_call::{Exposure, ToolRow};
use uixt_locate::Error;
use uixt_locate::absence::CONSIDERED;
use uixt_locate::suggest::SUGGESTIONS;
use uixt_toolkit::traces::last_touch;

use crate::token_budget;

/// Whom a [`Local`](crate::Local) serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Testcases, which may use every row.
    Testcase,
    /// Agents, to whom rows that reach the host are not offered.
    Agent,
    /// Texts that a model wrote, whoever runs them: what agents may do, with the whole answers of testcases.
    Text,
}

impl Audience {
    pub(crate) fn is_offered(self, tool: &ToolRow) -> bool {
        self == Self::Testcase || tool.exposure == Exposure::Everyone
    }

    /// Makes an error as short as it must be.
    pub(crate) fn brief(self, mut error: Error, tool: &ToolRow) -> Error {
        if self != Self::Agent {
            return error;
        }
        // Whoever looks at the screen chooses better than what compares names.
        for key in [SUGGESTIONS, CONSIDERED, last_touch::DIALOG, last_touch::PAGE_DIALOG, last_touch::LOADING] {
            error.details.shift_remove(key);
        }
        token_budget::error(error, tool)
    }

    /// Returns the most pixels of a picture's longest side where the call does not say; 0 stands for all there are.
    pub(crate) fn usual_picture(self) -> u32 {
        match self {
            Self::Testcase | Self::Text => 0,
            // Text of a phone's screen is still legible, at a third of the tokens.
            Self::Agent => 1024,
        }
    }
}
