//! `uixt queue`: fills a queue that several machines share, tells how far it is, and gathers what came of it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand};
use tokio::runtime::Runtime;
use uixt_queue::{Address, Queue, Status};

use super::outcomes::Outcomes;
use super::pool;
use super::selection::Selection;
use super::shard;
use super::shared_queue;
use crate::cli::exit::{Done, Exit, Failure, print, runtime};
use crate::cli::report;
use crate::cli::testcases::messages::count;
use crate::runner::{self, Plan, segments};
use crate::testcase::Overrides;

/// How many results are fetched at once.
const FETCHED: usize = 50;
/// How often a queue is asked whether everything is done.
const ASKED: Duration = Duration::from_millis(500);

#[derive(Args)]
pub(in crate::cli) struct QueueCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Fill a queue with cases; nothing is run.
    Push(Push),
    /// Tell how far a queue is.
    Status(At),
    /// Write the report of all machines, and remove the queue.
    Drain(Drain),
}

/// Which queue.
#[derive(Args)]
struct At {
    /// The queue: `redis://HOST/NAME`.
    #[arg(value_name = "URL", value_parser = address)]
    queue: Address,
}

#[derive(Args)]
struct Push {
    #[command(flatten)]
    at: At,
    /// Testcase files and folders.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    selection: Selection,
}

#[derive(Args)]
struct Drain {
    #[command(flatten)]
    at: At,
    /// Folder for the report.
    #[arg(long, value_name = "DIR")]
    output: PathBuf,
    /// Waits until every case is done, for so many seconds at the most.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    wait: u64,
    /// Leaves the queue as it is.
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    reports: report::Reports,
}

/// How `uixt run` uses a queue.
#[derive(Args, Clone, Debug)]
pub(super) struct QueueArgs {
    /// Takes cases one by one from a queue in Redis or Valkey that several machines share: `redis://[:PASSWORD@]HOST[:PORT]/NAME`, `rediss://`
    /// for TLS. Whoever comes first fills it.
    #[arg(long, value_name = "URL", env = "UIXT_QUEUE", hide_env_values = true, value_parser = address, conflicts_with_all = ["shard", "failed", "each_device"])]
    pub(super) queue: Option<Address>,
    /// What this machine is called in the queue; its host's name and the process by default.
    #[arg(long, value_name = "NAME", requires = "queue")]
    queue_host: Option<String>,
    /// Seconds after which the case of a machine that is not heard of any more goes to another.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, requires = "queue", value_parser = clap::value_parser!(u64).range(1..=3600))]
    queue_lease: u64,
}

impl QueueArgs {
    /// Connects to the queue.
    pub(super) async fn open(&self, address: &Address) -> Result<Queue, Failure> {
        let host = self.queue_host.clone().unwrap_or_else(host);
        open(address, host, Duration::from_secs(self.queue_lease)).await
    }
}

fn address(text: &str) -> Result<Address, String> {
    text.parse().map_err(|error: uixt_queue::Error| error.to_string())
}

async fn open(address: &Address, host: String, lease: Duration) -> Result<Queue, Failure> {
    let opened = tokio::time::timeout(Duration::from_secs(20), Queue::open(address.clone(), host, lease)).await;
    opened.map_err(|_| Failure::errored(format!("the queue at {address} does not answer")))?.map_err(Failure::errored)
}

/// Says at which address a queue answers; an error is told.
pub(in crate::cli) async fn reach(url: &str) -> Result<String, String> {
    let address = address(url)?;
    open(&address, host(), Duration::from_secs(30))
        .await
        .map_err(|failure| failure.to_string().replacen("error: ", "", 1))?;
    Ok(address.to_string())
}

/// Returns what this machine is called where nothing else is said.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok().or_else(|| std::env::var("HOSTNAME").ok());
    let name = name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    format!("{}-{}", name.unwrap_or_else(|| "host".to_owned()), std::process::id())
}

impl QueueCommand {
    pub(in crate::cli) fn run(self) -> Done {
        let runtime = runtime()?;
        match self.command {
            Command::Push(push) => push.run(&runtime),
            Command::Status(at) => runtime.block_on(at.status()),
            Command::Drain(drain) => runtime.block_on(drain.run()),
        }
    }
}

impl At {
    async fn open(&self) -> Result<Queue, Failure> {
        open(&self.queue, host(), Duration::from_secs(30)).await
    }

    async fn status(&self) -> Done {
        let Some(status) = self.open().await?.status().await.map_err(Failure::errored)? else {
            return Err(Failure::usage(format!("there is no queue {}", self.queue)));
        };
        print(told(&status).trim_end())
    }
}

impl Push {
    /// Puts the cases into the queue as the first machine of `uixt run --queue` does.
    fn run(self, runtime: &Runtime) -> Done {
        let overrides = Overrides { seed: self.selection.seed, ..self.selection.variables.overrides()? };
        let (cases, _) = self.selection.load(&self.paths, &overrides)?;
        let seed = overrides.seed.or_else(|| Some(shard::seed(cases.iter())));
        let overrides = Overrides { seed, ..overrides };
        let testcases = shard::digest(cases.iter());
        let durations = Outcomes::of(&cases).map(|outcomes| outcomes.durations(&cases)).unwrap_or_default();
        let plan = Plan { cases: pool::named(cases.into_iter()), durations, ..Plan::default() };
        let options = self.selection.options(overrides);
        let (digest, entries) = shared_queue::filling(&testcases, runner::all_shares(&plan, &options));
        runtime.block_on(async {
            let queue = self.at.open().await?;
            let known = queue.status().await.map_err(Failure::errored)?;
            queue.fill(&digest, &entries, false).await.map_err(Failure::usage)?;
            let cases = count(entries.len(), "case");
            print(&match known {
                None => format!("{cases} in the queue"),
                Some(status) => format!("the queue holds them already: {}", told(&status).trim_end()),
            })
        })
    }
}

fn told(status: &Status) -> String {
    let done: u64 = status.done.iter().map(|(_, count)| count).sum();
    let how: Vec<String> = status.done.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
    let how = if how.is_empty() { String::new() } else { format!(": {}", how.join(", ")) };
    let mut text = format!("{done} of {} cases done{how}\n", status.cases);
    for (lane, count) in status.waiting.iter().filter(|(_, count)| *count > 0) {
        text.push_str(&format!("  {count} waiting for {lane}\n"));
    }
    for (id, host) in &status.leased {
        text.push_str(&format!("  {id} on {host}\n"));
    }
    text
}

impl Drain {
    async fn run(self) -> Done {
        let queue = Arc::new(self.at.open().await?);
        let Some(status) = self.awaited(&queue).await? else {
            return Err(Failure::usage(format!("there is no queue {}", self.at.queue)));
        };
        if self.output.join(crate::runner::journal::FILE).exists() {
            return Err(Failure::usage(format!(
                "{} holds another run's results; name another folder",
                self.output.display()
            )));
        }
        let mut results = Vec::new();
        loop {
            let more = queue.results(results.len(), FETCHED).await.map_err(Failure::errored)?;
            if more.is_empty() {
                break;
            }
            results.extend(more);
        }
        let joined = segments::join(&self.output, status.cases, &mut results.into_iter().map(Ok));
        let wrong = |error| Failure::errored(format!("cannot write {}: {error}", self.output.display()));
        joined.map_err(wrong)?;
        let run = report::rebuild(&self.output, &self.reports.options())?;
        print(&crate::report::summary_line(&run))?;
        for path in report::paths(&self.output, &self.reports.options()) {
            print(&format!("  {}", path.display()))?;
        }
        let done: u64 = status.done.iter().map(|(_, count)| count).sum();
        if done < status.cases {
            let missing = status.cases - done;
            return Err(Failure::errored(format!(
                "{missing} of {} cases are missing: they are not done",
                status.cases
            )));
        }
        if !self.keep {
            queue.remove().await.map_err(Failure::errored)?;
        }
        Ok(Exit::of(run.outcome))
    }

    /// Waits until everything is done, as long as that was wished.
    async fn awaited(&self, queue: &Queue) -> Result<Option<Status>, Failure> {
        let end = std::time::Instant::now() + Duration::from_secs(self.wait);
        loop {
            let status = queue.status().await.map_err(Failure::errored)?;
            let is_done = |status: &Status| status.done.iter().map(|(_, count)| count).sum::<u64>() >= status.cases;
            if status.as_ref().is_none_or(is_done) || std::time::Instant::now() >= end {
                return Ok(status);
            }
            tokio::time::sleep(ASKED).await;
        }
    }
}
