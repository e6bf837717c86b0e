//! The program on the device that is the server: `am instrument`, which says nothing until it ends, and then why.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::AsyncReadExt as _;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::super::answer::{self, beginning};
use super::Options;
use crate::adb::{self, Device, quote};

/// Bytes of what it says that are kept.
const MAX: usize = 64 * 1024;
/// What every instrumentation that uses `AndroidX` is run by.
const RUNNER: &str = "androidx.test.runner.AndroidJUnitRunner";
/// Beginnings of the lines that say why it ended.
const REASONS: [&str; 5] = [
    "INSTRUMENTATION_FAILED:",
    "INSTRUMENTATION_STATUS: Error=",
    "INSTRUMENTATION_RESULT: shortMsg=",
    "INSTRUMENTATION_RESULT: longMsg=",
    "Error in ",
];

/// A running `am instrument`.
#[derive(Debug)]
pub(super) struct Instrumentation {
    said: Arc<Mutex<Vec<u8>>>,
    over: CancellationToken,
    reading: JoinHandle<()>,
}

impl Drop for Instrumentation {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

impl Instrumentation {
    pub(super) async fn start(device: &Device, options: &Options) -> Result<Self, adb::Error> {
        let target = quote(&format!("{}/{RUNNER}", options.test_package));
        // Without the last option, the runner may tell Google that it runs.
        let mut stream =
            device.connect(&format!("exec:am instrument -w -e disableAnalytics true {target} 2>&1")).await?;
        let (said, over) = (Arc::<Mutex<Vec<u8>>>::default(), CancellationToken::new());
        let (heard, ended) = (Arc::clone(&said), over.clone().drop_guard());
        let reading = tokio::spawn(async move {
            let mut buffer = vec![0; 4096];
            while let Ok(count @ 1..) = stream.read(&mut buffer).await {
                let mut heard = heard.lock();
                let room = MAX.saturating_sub(heard.len()).min(count);
                heard.extend_from_slice(&buffer[..room]);
            }
            drop(ended);
        });
        Ok(Self { said, over, reading })
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.is_cancelled()
    }

    /// Returns once it has ended.
    pub(super) async fn ended(&self) {
        self.over.cancelled().await;
    }

    /// Returns why it ended, in the device's words; empty where it said nothing.
    pub(super) fn reason(&self) -> String {
        let said = answer::text(&self.said.lock());
        let line = REASONS.iter().find_map(|start| said.lines().find(|line| line.trim().starts_with(start)));
        let line =
            line.or_else(|| answer::complaint(&said)).or_else(|| said.lines().find(|line| !line.trim().is_empty()));
        line.map(beginning).unwrap_or_default()
    }
}
