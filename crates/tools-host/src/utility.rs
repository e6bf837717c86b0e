//! Tools that need no device.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_locate::{Error, Kind};
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] =
    &[ActionTool::of::<Sleep>(), ActionTool::of::<SleepMs>(), ActionTool::of::<SleepRandom>(), ActionTool::of::<Log>()];

/// Longest sleep, in seconds.
const MAX_SECONDS: f64 = 3600.0;

/// Waits for some seconds; none take no time, where a timer would take a millisecond.
async fn pause(seconds: f64, cx: &Context) {
    if seconds > 0.0 {
        cx.waiting().pause(Duration::from_secs_f64(seconds)).await;
    }
}

/// Wait for a fixed time; actions wait for their targets by themselves, so this is seldom needed.
#[derive(Deserialize, JsonSchema)]
struct Sleep {
    /// Seconds.
    #[schemars(range(min = 0.0, max = 3600.0))]
    seconds: f64,
}

impl Tool for Sleep {
    const NAME: &'static str = "sleep";
    const SET: Option<Toolset> = Some(Toolset::Flow);
    const KIND: ToolKind = ToolKind::Pause;
    const PARAMS: Shape = Shape::Fields(&["seconds"]);
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;
    const ANSWER: &'static [&'static str] = &["seconds"];

    fn limit(&self) -> Duration {
        Duration::from_secs_f64(self.seconds.clamp(0.0, 3600.0)) + Duration::from_secs(5)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        pause(self.seconds, cx).await;
        Ok(Reply::new(format!("Slept {} s", self.seconds)).with("seconds", self.seconds))
    }
}

/// Wait for a fixed time, in milliseconds.
#[derive(Deserialize, JsonSchema)]
struct SleepMs {
    /// Milliseconds.
    #[schemars(range(min = 0.0, max = 3_600_000.0))]
    milliseconds: f64,
}

impl Tool for SleepMs {
    const NAME: &'static str = "sleep_ms";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Pause;
    const ALIAS_OF: Option<&'static str> = Some("sleep");
    const PARAMS: Shape = Shape::Fields(&["milliseconds"]);
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;
    const ANSWER: &'static [&'static str] = &["milliseconds"];

    fn limit(&self) -> Duration {
        Duration::from_secs_f64((self.milliseconds / 1000.0).clamp(0.0, MAX_SECONDS)) + Duration::from_secs(5)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        pause(self.milliseconds / 1000.0, cx).await;
        Ok(Reply::new(format!("Slept {} ms", self.milliseconds)).with("milliseconds", self.milliseconds))
    }
}

/// Wait for a random time: `[seconds]`, `[min, max]`, or ranges with weights `[min, max, weight, …]`.
#[derive(Deserialize, JsonSchema)]
struct SleepRandom {
    /// Seconds, in one of the three forms.
    #[schemars(length(min = 1))]
    params: Vec<f64>,
}

impl SleepRandom {
    /// Returns the ranges with their weights.
    fn ranges(&self) -> Result<Vec<[f64; 3]>, String> {
        let ranges = match self.params[..] {
            [seconds] => vec![[seconds, seconds, 1.0]],
            [min, max] => vec![[min, max, 1.0]],
            _ => self.params.chunks(3).map(|range| <[f64; 3]>::try_from(range).unwrap_or([1.0, 0.0, 0.0])).collect(),
        };
        let is_range =
            |[min, max, weight]: &[f64; 3]| 0.0 <= *min && min <= max && *max <= MAX_SECONDS && *weight >= 0.0;
        match ranges.iter().all(is_range) && ranges.iter().any(|range| range[2] > 0.0) {
            true => Ok(ranges),
            false => Err(format!(
                "`params` are [seconds], [min, max] or [min, max, weight, …], up to {MAX_SECONDS} s and one weight above 0, not {:?}",
                self.params
            )),
        }
    }

    /// Picks a time; both numbers lie from 0 to below 1.
    fn pick(ranges: &[[f64; 3]], which: f64, within: f64) -> f64 {
        let mut left = which * ranges.iter().map(|range| range[2]).sum::<f64>();
        let heavy = ranges.iter().filter(|range| range[2] > 0.0);
        let mut picked = None;
        for [min, max, weight] in heavy {
            picked = Some(min + (max - min) * within);
            if left < *weight {
                break;
            }
            left -= weight;
        }
        picked.unwrap_or_default()
    }
}

impl Tool for SleepRandom {
    const NAME: &'static str = "sleep_random";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Pause;
    const ALIAS_OF: Option<&'static str> = Some("sleep");
    const PARAMS: Shape = Shape::Whole("params");
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;
    const MAIN: Option<&'static str> = Some("seconds");
    const ANSWER: &'static [&'static str] = &["seconds"];

    fn check(&self) -> Result<(), String> {
        self.ranges().map(|_| ())
    }

    fn limit(&self) -> Duration {
        let longest = self.params.iter().fold(0.0_f64, |longest, seconds| longest.max(*seconds));
        Duration::from_secs_f64(longest.clamp(0.0, MAX_SECONDS)) + Duration::from_secs(5)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let ranges = self.ranges().map_err(|message| Error::new(Kind::BadArgument, message))?;
        let seconds = Self::pick(&ranges, fastrand::f64(), fastrand::f64());
        pause(seconds, cx).await;
        Ok(Reply::new(format!("Slept {seconds:.3} s")).with("seconds", seconds))
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
    const SET: Option<Toolset> = Some(Toolset::Flow);
    const KIND: ToolKind = ToolKind::Note;
    const MAIN: Option<&'static str> = Some("message");
    const PARAMS: Shape = Shape::Text("message");
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;

    async fn call(self, _: &Context) -> Result<Reply, Error> {
        Ok(Reply::new(self.message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(params: &[f64]) -> Result<Vec<[f64; 3]>, String> {
        SleepRandom { params: params.to_vec() }.ranges()
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "halves are exact")]
    fn weights_decide_which_range_is_taken() {
        let ranges = ranges(&[1.0, 2.0, 3.0, 10.0, 20.0, 1.0, 5.0, 6.0, 0.0]).expect("good ranges");
        let pick = |which| SleepRandom::pick(&ranges, which, 0.5);
        assert_eq!([pick(0.0), pick(0.74), pick(0.76), pick(0.999)], [1.5, 1.5, 15.0, 15.0]);
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for params in [&[][..], &[-1.0], &[2.0, 1.0], &[1.0, 2.0, 0.0], &[1.0, 2.0, 1.0, 3.0], &[4000.0]] {
            assert!(ranges(params).is_err(), "{params:?}");
        }
        assert_eq!(ranges(&[0.5]), Ok(vec![[0.5, 0.5, 1.0]]));
    }
}
