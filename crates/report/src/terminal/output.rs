//! The one way to stderr: lines above, and below them a bar that draws itself from a shared note.

use std::fmt;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::style::ProgressTracker;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use parking_lot::Mutex;

use super::super::wording;
use super::case_lines::Style;
use crate::result::{Device, Outcome};

/// How often the bar draws itself.
const TICK: Duration = Duration::from_millis(100);
/// How many columns the bar leaves to the current case and step.
const COLUMNS: usize = 46;
/// How many devices have a line of their own.
const LINES: usize = 16;

/// Lines and the bar, if there is one.
pub(super) struct Output {
    stream: Mutex<Box<dyn Write + Send>>,
    bar: Option<ProgressBar>,
    now: Arc<Mutex<Now>>,
}

/// What the bar says of the present moment.
#[derive(Default)]
struct Now {
    /// The cases that run, in the order in which they began: one for each device.
    running: Vec<Running>,
    failed: u64,
    errored: u64,
}

/// A case that runs.
#[derive(Default)]
struct Running {
    case: String,
    name: String,
    device: String,
    serial: String,
    step: u32,
    tool: String,
}

impl Output {
    pub(super) fn new(stream: Box<dyn Write + Send>, tty: bool, style: Style) -> Self {
        let now = Arc::new(Mutex::new(Now::default()));
        let bar = tty.then(|| {
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
            bar.with_style(bar_style(Present { now: Arc::clone(&now), style }))
        });
        Self { stream: Mutex::new(stream), bar, now }
    }

    pub(super) fn is_bar(&self) -> bool {
        self.bar.is_some()
    }

    /// Shows the bar.
    pub(super) fn begin(&self, cases: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(cases);
            bar.reset_elapsed();
            bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
            bar.enable_steady_tick(TICK);
        }
    }

    pub(super) fn case(&self, case: &str, name: &str, device: Option<&Device>) {
        if self.is_bar() {
            let (device, serial) =
                device.map(|device| (device.name.clone(), device.serial.clone())).unwrap_or_default();
            let running =
                Running { case: case.to_owned(), name: name.to_owned(), device, serial, ..Running::default() };
            self.now.lock().running.push(running);
        }
    }

    pub(super) fn step(&self, case: &str, step: u32, name: &str) {
        if self.is_bar() {
            let mut now = self.now.lock();
            if let Some(running) = now.running.iter_mut().find(|running| running.case == case) {
                running.step = step;
                name.clone_into(&mut running.tool);
            }
        }
    }

    pub(super) fn finished(&self, case: &str, outcome: Outcome) {
        if let Some(bar) = &self.bar {
            let mut now = self.now.lock();
            now.failed += u64::from(outcome == Outcome::Failed);
            now.errored += u64::from(outcome == Outcome::Errored);
            now.running.retain(|running| running.case != case);
            drop(now);
            bar.set_position(bar.position() + 1);
        }
    }

    /// Takes the bar away.
    pub(super) fn end(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Prints lines above the bar; a closed stderr is no reason to end a run.
    pub(super) fn print(&self, text: &str) {
        let write = || self.stream.lock().write_all(text.as_bytes());
        let _ = match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        };
    }
}

fn bar_style(present: Present) -> ProgressStyle {
    let template = if present.style.colour {
        "{spinner:.cyan} {bar:16.cyan/black.bright} {pos}/{len} {elapsed}{now}"
    } else {
        "{spinner} {bar:16} {pos}/{len} {elapsed}{now}"
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key("now", present).progress_chars("━━─")
}

/// Writes the present moment into the bar.
#[derive(Clone)]
struct Present {
    now: Arc<Mutex<Now>>,
    style: Style,
}

impl ProgressTracker for Present {
    fn clone_box(&self) -> Box<dyn ProgressTracker> {
        Box::new(self.clone())
    }

    fn tick(&mut self, _: &ProgressState, _: Instant) {}

    fn reset(&mut self, _: &ProgressState, _: Instant) {}

    fn write(&self, _: &ProgressState, out: &mut dyn fmt::Write) {
        // Writing to a string cannot fail.
        let _ = out.write_str(&self.now.lock().line(self.style));
    }
}

impl Now {
    fn line(&self, style: Style) -> String {
        let mut line = String::new();
        for (count, outcome) in [(self.failed, Outcome::Failed), (self.errored, Outcome::Errored)] {
            if count > 0 {
                let text = format!("{count} {}", wording::outcome(outcome));
                line.push_str("  ");
                line.push_str(&style.paint(outcome, &text));
            }
        }
        match &self.running[..] {
            [] => {}
            [only] => {
                let room = COLUMNS.saturating_sub(if line.is_empty() { 0 } else { 12 });
                line.push_str("  ");
                line.push_str(&columns(&only.told(), room));
            }
            several => {
                let devices: Vec<String> = several.iter().map(|running| running.on(several)).collect();
                let widest = devices.iter().map(|device| device.chars().count()).max().unwrap_or_default();
                for (running, device) in several.iter().zip(&devices).take(LINES) {
                    let told = format!("{device:<widest$}  {}", running.told());
                    line.push_str("\n    ");
                    line.push_str(&columns(&told, COLUMNS + widest));
                }
                if several.len() > LINES {
                    line.push_str(&format!("\n    and {} more", several.len() - LINES));
                }
            }
        }
        line
    }
}

impl Running {
    /// Returns the name of the device; where another of these has the same, also the serial.
    fn on(&self, all: &[Self]) -> String {
        let is_same = |other: &Self| other.device == self.device && other.serial != self.serial;
        if all.iter().any(is_same) { format!("{} ({})", self.device, self.serial) } else { self.device.clone() }
    }

    fn told(&self) -> String {
        let step = if self.step > 0 { format!(" › {} {}", self.step, self.tool) } else { String::new() };
        wording::one_line(&format!("{}{step}", self.name)).into_owned()
    }
}

/// Cuts the text to so many columns of a terminal, counting what may be a wide character as two.
fn columns(text: &str, most: usize) -> String {
    let mut used = 0;
    let fits = |c: &char| {
        used += if *c >= '\u{1100}' { 2 } else { 1 };
        used < most
    };
    let mut cut: String = text.chars().take_while(fits).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_present_moment_fits_into_its_columns() {
        let plain = Style { colour: false };
        let running = |name: &str| Running { name: name.into(), step: 4, tool: "tap".into(), ..Running::default() };
        let mut now = Now { running: vec![running(&"登录页面".repeat(20))], ..Now::default() };
        assert_eq!(now.line(plain).chars().count(), 2 + COLUMNS / 2);
        now.running = vec![running("Log in")];
        now.failed = 2;
        assert_eq!(now.line(plain), "  2 failed  Log in › 4 tap");
        let on = |device: &str| Running { device: device.into(), ..running("Log in") };
        now.running = vec![on("virtual phone"), on("Pixel 8")];
        assert_eq!(now.line(plain), "  2 failed\n    virtual phone  Log in › 4 tap\n    Pixel 8        Log in › 4 tap");
        let of = |serial: &str| Running { serial: serial.into(), ..on("Pixel 8") };
        now.running = vec![of("a1"), of("b2")];
        assert!(now.line(plain).contains("\n    Pixel 8 (b2)  Log in"), "{}", now.line(plain));
        now.running = (0..20).map(|_| on("phone")).collect();
        assert!(now.line(plain).ends_with("\n    and 4 more"));
    }
}
