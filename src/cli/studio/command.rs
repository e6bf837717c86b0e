//! `uixt studio`: opens a device, and serves the page on this computer.

use std::path::{Path, PathBuf};

use clap::Args;
use clap_complete::engine::ArgValueCandidates;

use super::serving::{self, PORT, Serving, Shown};
use super::workshop::Benches;
use crate::cli::device::spec::{DeviceArgs, Spec, Ways};
use crate::cli::device::uia2::Uia2Args;
use crate::cli::exit::{Done, Exit, Failure, print, runtime};
use crate::cli::help::completions;
use crate::cli::logging;
use crate::cli::mcp::servers::CalledArgs;
use crate::cli::signals::Asked;
use crate::cli::testcases::messages;
use crate::cli::testcases::variables::Variables;
use crate::driver::tidy;
use crate::testcase;

#[derive(Args)]
pub(in crate::cli) struct StudioCommand {
    /// Testcase to show, the folder of a project, or that of a run, such as `results/20261128120000`.
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Device to show: `phone`, `iphone` or `harmony-phone` (the embedded virtual ones), `android[:SERIAL]`,
    /// `ios[:UDID|:http://HOST:PORT|:sim:NAME]`, `harmony[:KEY]`, `stf[:SERIAL]` (of a device farm) or `browser[:chrome|firefox|webkit]`. May be given again.
    #[arg(long, value_name = "SPEC", env = "UIXT_DEVICE", add = ArgValueCandidates::new(completions::device_specs))]
    device: Vec<Spec>,
    #[command(flatten)]
    ways: Ways,
    #[command(flatten)]
    uia2: Uia2Args,
    #[command(flatten)]
    variables: Variables,
    #[command(flatten)]
    servers: CalledArgs,
    /// Port on 127.0.0.1 to serve the page at; 0 picks a free one
    #[arg(long, default_value_t = PORT)]
    port: u16,
    /// Opens the page in the browser of this computer.
    #[arg(long)]
    open: bool,
    /// Language of the page; that of the environment by default.
    #[arg(long, value_name = "en|zh", value_parser = ["en", "zh"])]
    lang: Option<String>,
}

impl StudioCommand {
    pub(in crate::cli) fn run(mut self) -> Done {
        logging::to_stderr(tracing::Level::ERROR);
        let shown = self.shown()?;
        let overrides = self.variables.overrides()?;
        let wrong = |error: std::io::Error| Failure::errored(format!("{}: {error}", shown.root.display()));
        self.servers = self.servers.whole().map_err(wrong)?;
        self.uia2 = self.uia2.whole().map_err(wrong)?;
        // What is named in testcases and told in reports begins at the project's folder, as in a run there.
        std::env::set_current_dir(&shown.root).map_err(wrong)?;
        let runtime = runtime()?;
        let done = runtime.block_on(self.serve(shown, overrides));
        runtime.shutdown_timeout(std::time::Duration::from_millis(200));
        done
    }

    fn shown(&self) -> Result<Shown, Failure> {
        let wrong = |why: &dyn std::fmt::Display| Failure::usage(format!("{}: {why}", self.path.display()));
        let path = self.path.canonicalize().map_err(|error| wrong(&error))?;
        let folder = if path.is_dir() { path.as_path() } else { path.parent().unwrap_or(&path) };
        let root = root_of(folder);
        let below = path.strip_prefix(&root).map_err(|error| wrong(&error))?;
        let run = below.strip_prefix("results").ok().and_then(|rest| rest.components().next());
        let run = run.map(|name| name.as_os_str().to_string_lossy().into_owned());
        let file = path.is_file() && run.is_none();
        let file = file.then(|| below.to_string_lossy().replace('\\', "/"));
        if path.join("journal.jsonl").is_file() && run.is_none() {
            return Err(wrong(&"a run is shown where it lies in `results/` of its project"));
        }
        let language = super::language(self.lang.as_deref());
        Ok(Shown { root, file, run, language, agent: false })
    }

    async fn serve(&self, shown: Shown, overrides: testcase::Overrides) -> Done {
        let mut asked = Asked::listen()?;
        let project = testcase::project(&shown.root).map_err(|errors| messages::failure(&errors))?;
        let listener = serving::listen(self.port).await?;
        let benches = Benches::new(project, &self.uia2, (self.servers.clone(), overrides));
        let benches = self.opened(benches, shown.run.is_some()).await?;
        let mut serving = Serving::begin(benches, shown, listener)?;
        print(&serving.url)?;
        eprintln!("only who has this address gets in; Ctrl-C ends it");
        if self.open
            && let Err(error) = open_page(&serving.url)
        {
            eprintln!("warning: no browser was opened: {error}");
        }
        let failure = tokio::select! {
            failure = serving.ended() => Some(failure),
            () = asked.wait() => None,
        };
        serving.close().await;
        tidy::finish().await;
        failure.map_or(Ok(Exit::Passed), Err)
    }

    /// Opens the devices that are named, or the project's, or the only one there is. To look at a run needs none.
    async fn opened(&self, mut benches: Benches, looks_back: bool) -> Result<Benches, Failure> {
        let of_project = || benches.project.device.as_deref().map(str::parse::<Spec>).transpose();
        let specs = match self.device.is_empty() {
            true => vec![of_project().map_err(Failure::usage)?],
            false => self.device.iter().cloned().map(Some).collect(),
        };
        for (at, device) in specs.iter().enumerate() {
            let kind = |spec: &Option<Spec>| spec.as_ref().map(std::mem::discriminant);
            let number = specs[..at].iter().filter(|other| kind(other) == kind(device)).count();
            let devices = DeviceArgs { device: device.clone(), ways: self.ways.clone() };
            match benches.open(devices, number).await {
                Err(failure) if looks_back && self.device.is_empty() => eprintln!("no device is shown: {failure}"),
                opened => opened?,
            }
        }
        Ok(benches)
    }
}

/// Returns the folder of the project that a folder belongs to. Where nothing marks one, it is what `results` lies in, or where the program was
/// started, as for a run there.
fn root_of(folder: &Path) -> PathBuf {
    let of_results = || folder.ancestors().find(|above| above.ends_with("results")).and_then(Path::parent);
    let here =
        || std::env::current_dir().and_then(|here| here.canonicalize()).ok().filter(|here| folder.starts_with(here));
    let of_results = || of_results().map(Path::to_path_buf);
    testcase::marked_root(folder).or_else(of_results).or_else(here).unwrap_or_else(|| folder.to_path_buf())
}

/// Opens an address in the browser of this computer.
fn open_page(url: &str) -> std::io::Result<()> {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet = std::process::Stdio::null;
    std::process::Command::new(program).arg(url).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn().map(drop)
}
