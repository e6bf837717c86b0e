//! Whether codes can be run here, and how well that goes.

use super::folder::Root;
use super::process::Process;
use super::python::python;
use super::stats::Stats;
use super::{Error, MOST_SESSIONS};

/// How well it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Healthy,
    /// Codes are run, and something should be looked at.
    Warning,
    /// No code can be run.
    Unhealthy,
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Warning => "warning",
            Self::Unhealthy => "unhealthy",
        }
    }
}

/// What is found out.
#[derive(Clone, Debug)]
pub struct Health {
    pub status: Status,
    pub issues: Vec<String>,
    pub recommendations: Vec<String>,
    /// The walls that stand around a Python that was started to see.
    pub walls: Vec<String>,
    /// The version of Python.
    pub python: Option<String>,
}

/// The fewest codes that say something.
const ENOUGH: u64 = 10;

/// Starts a Python to see whether that works, and looks at what the calls came to.
pub(super) async fn of(open: usize, stats: &Stats) -> Health {
    let python = python().await.ok().map(|python| python.version.clone());
    let mut health =
        Health { status: Status::Healthy, issues: Vec::new(), recommendations: Vec::new(), walls: Vec::new(), python };
    match started().await {
        Ok(walls) => health.walls = walls,
        Err(error) => health.note(Status::Unhealthy, error.to_string(), advice(&error)),
    }
    if open * 5 >= MOST_SESSIONS * 4 {
        let issue = format!("{open} of at most {MOST_SESSIONS} sessions are open");
        health.note(Status::Warning, issue, "close sessions that are not needed");
    }
    if stats.executions >= ENOUGH && stats.succeeded * 2 < stats.executions {
        let failed = stats.executions - stats.succeeded;
        let issue = format!("{failed} of {} codes have failed", stats.executions);
        health.note(Status::Warning, issue, "look at the `stderr` of their answers");
    }
    health
}

impl Health {
    fn note(&mut self, status: Status, issue: String, recommendation: &str) {
        if self.status != Status::Unhealthy {
            self.status = status;
        }
        self.issues.push(issue);
        self.recommendations.push(recommendation.to_owned());
    }
}

async fn started() -> Result<Vec<String>, Error> {
    let start = |error: std::io::Error| Error::Start(error.to_string());
    let folder = std::sync::Arc::new(Root::new().map_err(start)?).folder().map_err(start)?;
    let process = Process::start(&folder).await?;
    Ok(process.walls.clone())
}

fn advice(error: &Error) -> &'static str {
    match error {
        Error::Unsupported(_) => "use Linux 5.13 or newer with Landlock switched on, or install bubblewrap",
        Error::NoPython(_) => "install Python 3.8 or newer, and put it on the PATH",
        _ => "look at what the message says, and at the memory and the disk of this machine",
    }
}
