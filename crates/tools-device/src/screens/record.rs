//! Films of the screen.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Exposure, Lacking, Shape, ToolKind, Toolset};
use uixt_locate::Error;
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<Screenrecord>()];

/// How long the device and the transfer may take beside the recording.
const EXTRA: Duration = Duration::from_mins(10);
/// The longest that Android records, in seconds.
const MAX_SECONDS: f64 = 180.0;

/// Record the screen for a while as an MP4 file of this computer.
#[derive(Deserialize, JsonSchema)]
struct Screenrecord {
    /// Seconds, 1 to 180; default 10; parts of a second count as a whole one.
    #[serde(default = "usual")]
    #[schemars(range(min = 0.0, max = 180.0))]
    duration: f64,
    /// Path of the file below the project's folder; default: the report's folder.
    #[serde(default)]
    screen_record_path: Option<String>,
    /// Not supported: the screen is recorded without sound.
    #[serde(default)]
    screen_record_with_audio: bool,
    /// Not supported: the device's own recorder is used.
    #[serde(default)]
    screen_record_with_scrcpy: bool,
}

fn usual() -> f64 {
    10.0
}

impl Tool for Screenrecord {
    const NAME: &'static str = "screenrecord";
    const SET: Option<Toolset> = None;
    const KIND: ToolKind = ToolKind::Note;
    const LACKING: &'static [Lacking] = &[Lacking::tool("browser", "`--video` films pages")];
    const DESTRUCTIVE: bool = false;
    const PARAMS: Shape = Shape::Fields(&["duration"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("path", "screen_record_path"),
        ("screenrecord_path", "screen_record_path"),
        ("screenrecord_duration", "duration"),
        ("screenrecord_with_audio", "screen_record_with_audio"),
        ("screenrecord_with_scrcpy", "screen_record_with_scrcpy"),
    ];
    const EXPOSURE: Exposure = Exposure::Testcase;
    const MAIN: Option<&'static str> = Some("video_path");

    fn check(&self) -> Result<(), String> {
        if self.screen_record_with_audio {
            return Err("the device's own recorder takes no sound: leave screenrecord_with_audio out".to_owned());
        }
        if self.screen_record_with_scrcpy {
            return Err(
                "scrcpy is not used: leave screenrecord_with_scrcpy out, the device's own recorder does it".to_owned()
            );
        }
        Ok(())
    }

    fn limit(&self) -> Duration {
        Duration::from_secs_f64(self.duration.clamp(0.0, MAX_SECONDS)) + EXTRA
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let seconds = self.duration.ceil().clamp(1.0, MAX_SECONDS);
        let file = cx
            .session
            .files()
            .output(self.screen_record_path.as_deref(), "screenrecord.mp4")
            .map_err(Error::bad_argument)?;
        cx.driver()?.record(Duration::from_secs_f64(seconds), &file).await?;
        let path = file.display().to_string();
        Ok(Reply::new(format!("Recorded {seconds} s as {path}"))
            .with("video_path", path)
            .with("duration", seconds)
            .with("method", "screenrecord"))
    }
}
