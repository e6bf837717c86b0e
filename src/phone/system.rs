//! The phone itself: screen, apps, back stack, keyboard, settings. Knows nothing of adb or shells.
//!
//! Every method that takes time in a person's eyes is driven by the phone's own clock.

use std::collections::BTreeMap;
use std::time::Duration;

/// How a phone is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// Pixels, in the natural orientation.
    pub size: (u32, u32),
    /// Dots per inch.
    pub density: u32,
    pub serial: String,
}

impl Default for Options {
    fn default() -> Self {
        Self { size: (1080, 2400), density: 420, serial: "uixt-phone".to_owned() }
    }
}

/// An installed app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct App {
    /// `com.uixt.shop`.
    pub package: String,
    /// `.MainActivity`, as `am start -n` takes it.
    pub activity: String,
    /// What the launcher shows.
    pub label: String,
    /// Whether `pm list packages -3` shows it.
    pub third_party: bool,
}

/// Why the phone did not do it, in Android's own words where it has any.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

/// The phone.
pub struct System {
    options: Options,
    /// `settings get|put NAMESPACE KEY`: "secure/default_input_method" → value.
    pub settings: BTreeMap<String, String>,
}

impl System {
    pub async fn start(options: Options) -> std::io::Result<Self> {
        Ok(Self { options, settings: BTreeMap::new() })
    }

    pub fn options(&self) -> &Options {
        &self.options
    }
    /// `wm size` override; None resets.
    pub fn set_size_override(&mut self, _size: Option<(u32, u32)>) {}
    pub fn size_override(&self) -> Option<(u32, u32)> {
        None
    }
    pub fn set_density_override(&mut self, _density: Option<u32>) {}
    pub fn density_override(&self) -> Option<u32> {
        None
    }
    /// 0, 1, 2, 3: quarter turns, as `user_rotation`.
    pub fn set_rotation(&mut self, _rotation: u8) {}
    pub fn rotation(&self) -> u8 {
        0
    }
    /// Width and height as the screen is turned now, overrides applied.
    pub fn size(&self) -> (u32, u32) {
        self.options.size
    }

    /// One finger from one point to another (the same point for a tap), in pixels of the turned screen. Returns when the
    /// screen has taken it in, its app's backend included.
    pub async fn touch(&mut self, _from: (f64, f64), _to: (f64, f64), _duration: Duration) {}
    /// `input keyevent CODE`, Android's numbers.
    pub async fn key(&mut self, _code: u32) {}
    /// Puts text into the focused field, as a keyboard would; ignored where nothing has the focus.
    pub async fn type_text(&mut self, _text: &str) {}

    pub fn apps(&self) -> &[App] {
        &[]
    }
    /// Starts an app, or brings it to the front as it is.
    pub async fn launch(&mut self, _package: &str) -> Result<(), Refused> {
        Ok(())
    }
    /// Whether it was running.
    pub fn force_stop(&mut self, _package: &str) -> bool {
        false
    }
    /// `pm clear`: ends it and forgets its data.
    pub fn clear(&mut self, _package: &str) -> Result<(), Refused> {
        Ok(())
    }
    /// Process id, while it runs.
    pub fn pid(&self, _package: &str) -> Option<u32> {
        None
    }
    /// Package and full activity class of what is in front: ("com.uixt.shop", "com.uixt.shop.MainActivity").
    pub fn foreground(&self) -> (String, String) {
        (String::new(), String::new())
    }
    pub fn keyboard_shown(&self) -> bool {
        false
    }

    /// The screen as raw RGBA, row by row, with its width and height.
    pub fn pixels(&self) -> (u32, u32, Vec<u8>) {
        (0, 0, Vec::new())
    }
    /// What `uiautomator dump` writes: the same layout that `pixels` draws.
    pub fn dump(&self) -> String {
        String::new()
    }
    pub fn clipboard(&self) -> &str {
        ""
    }
    pub fn set_clipboard(&mut self, _text: &str) {}
    /// Now, by the phone's clock, in milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        0
    }
}
