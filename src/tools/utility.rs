//! Tools that need no device.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ActionTool, Context, Error, Reply, Shape, Tool};

pub(super) const TOOLS: &[ActionTool] = &[ActionTool::of::<Sleep>(), ActionTool::of::<Log>()];

/// Wait for a fixed time; actions wait for their targets by themselves, so this is seldom needed.
#[derive(Deserialize, JsonSchema)]
struct Sleep {
    /// Seconds.
    #[schemars(range(min = 0.0, max = 3600.0))]
    seconds: f64,
}

impl Tool for Sleep {
    const NAME: &'static str = "sleep";
    const PARAMS: Shape = Shape::Fields(&["seconds"]);
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;

    fn limit(&self) -> Duration {
        Duration::from_secs_f64(self.seconds.clamp(0.0, 3600.0)) + Duration::from_secs(5)
    }

    async fn call(self, _: &Context) -> Result<Reply, Error> {
        tokio::time::sleep(Duration::from_secs_f64(self.seconds)).await;
        Ok(Reply::new(format!("Slept {} s", self.seconds)).with("seconds", self.seconds))
    }
}

/// Write a line into the log and the report.
#[derive(Deserialize, JsonSchema)]
struct Log {
    /// The line.
    message: String,
}

impl Tool for Log {
    const NAME: &'static str = "log";
    const MAIN: Option<&'static str> = Some("message");
    const PARAMS: Shape = Shape::Fields(&["message"]);
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;

    async fn call(self, _: &Context) -> Result<Reply, Error> {
        Ok(Reply::new(self.message))
    }
}
