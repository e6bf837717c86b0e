//! A goal as its testcase writes it, with what its variables hold.

use serde::{Deserialize, Serialize};

/// The variables in a goal as a testcase writes it, with what they hold: `$user` and `alice`. What is stored has the variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenGoal {
    /// `Log in as $user`
    pub goal: String,
    pub variables: Vec<(String, String)>,
}
