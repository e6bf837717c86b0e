//! Tapping one of several texts, for the tools that name it differently: `tap_by_selector` and `tap_ocr`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_locate::Error;
use uixt_locate::scope::Filter;
use uixt_locate::target::Target;
use uixt_toolkit::{Context, Reply, gestures, wait};

use super::element::{self, Touch};

/// Which text is meant and how it is tapped, beside the text itself.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct TapText {
    /// The text is a regular expression.
    #[serde(default)]
    pub regex: bool,
    /// Which of several, from 0; -1 is the last.
    #[serde(default)]
    pub index: Option<i32>,
    /// Seconds to wait; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
    /// Seconds to keep the finger down.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    duration: Option<f64>,
    #[serde(flatten)]
    #[schemars(skip)]
    pub filter: Filter,
}

impl TapText {
    /// Returns the limit of the call.
    pub(crate) fn limit(&self) -> Duration {
        wait::limit(self.timeout) + gestures::seconds(self.duration)
    }

    /// Returns how long to wait.
    pub(crate) fn timeout(&self, cx: &Context) -> Duration {
        wait::timeout(cx, self.timeout)
    }

    /// Waits for the target and touches it.
    pub(crate) async fn tap(&self, cx: &Context, target: &Target) -> Result<Reply, Error> {
        let asked = Touch { timeout: self.timeout(cx), duration: self.duration };
        element::touch(cx, target, asked).await
    }
}
