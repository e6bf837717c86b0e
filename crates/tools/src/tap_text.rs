//! Tapping one of several texts, for the tools that name it differently: `tap_by_selector` and `tap_ocr`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::element::{self, Touch};
use super::scope::Filter;
use super::target::Target;
use super::{Context, Error, Reply, touch, wait};

/// Which text is meant and how it is tapped, beside the text itself.
#[derive(Deserialize, JsonSchema)]
pub(super) struct TapText {
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
    pub(super) fn limit(&self) -> Duration {
        wait::limit(self.timeout) + touch::seconds(self.duration)
    }

    /// Returns how long to wait.
    pub(super) fn timeout(&self, cx: &Context) -> Duration {
        wait::timeout(cx, self.timeout)
    }

    /// Waits for the target and touches it.
    pub(super) async fn tap(&self, cx: &Context, target: &Target) -> Result<Reply, Error> {
        let asked = Touch { timeout: self.timeout(cx), duration: self.duration };
        element::touch(cx, target, asked).await
    }
}
