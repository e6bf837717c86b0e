//! The way of every Android: `uiautomator dump`, `input`, each a command of the phone's shell.

use std::time::Duration;

use async_trait::async_trait;

use super::answer::{self, checked, failed};
use super::backend::Backend;
use super::uiautomator::{self, Dump};
use super::{PLATFORM, clipboard, gesture, keys, text};
use crate::adb::Device;
use crate::driver::{Error, Gesture, Keystrokes};

/// The way through the shell.
#[derive(Debug)]
pub(super) struct ShellBackend {
    device: Device,
}

impl ShellBackend {
    pub(super) fn new(device: Device) -> Self {
        Self { device }
    }
}

#[async_trait]
impl Backend for ShellBackend {
    async fn tree(&self, also: &str, timeout: Duration) -> Result<Dump, Error> {
        uiautomator::dump(&self.device, also, timeout).await
    }

    async fn perform(&self, gesture: &Gesture) -> Result<(), Error> {
        let command = gesture::command(gesture)?;
        let deadline = self.device.limits().command + gesture::duration(gesture);
        let output = self.device.with_deadline(deadline).shell(&command).await.map_err(answer::unsure)?;
        if let Some(operation) = gesture::refused(gesture, &answer::text(&output.stdout), &answer::text(&output.stderr))
        {
            return Err(Error::Unsupported { driver: PLATFORM, operation: operation.to_owned() });
        }
        checked("input", &output).map(drop)
    }

    async fn press(&self, codes: &[u32]) -> Result<(), Error> {
        for line in keys::commands(codes) {
            checked("input keyevent", &self.device.shell(&line).await.map_err(answer::unsure)?)?;
        }
        Ok(())
    }

    async fn type_plain(&self, pieces: &[Keystrokes]) -> Result<(), Error> {
        type_lines(&self.device, text::plain_lines(pieces)).await
    }

    async fn set_clipboard(&self, text: &str) -> Result<(), Error> {
        clipboard::set(&self.device, text).await
    }

    fn is_shell(&self) -> bool {
        true
    }
}

/// Runs command lines that type, each with the time that it pauses.
pub(super) async fn type_lines(device: &Device, lines: Vec<(String, Duration)>) -> Result<(), Error> {
    for (line, pauses) in lines {
        let tool = line.split(' ').next().unwrap_or_default();
        let patient = device.with_deadline(device.limits().command + pauses);
        let said = checked(tool, &patient.shell(&line).await.map_err(answer::unsure)?)?;
        // `am` says so of every broadcast that went out.
        if said.matches("Broadcast completed").count() < line.matches("am broadcast ").count() {
            return Err(failed("am broadcast", "it did not complete"));
        }
    }
    Ok(())
}
