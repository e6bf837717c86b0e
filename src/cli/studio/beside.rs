//! `--studio`: the studio beside a server for agents, on the device that they have.

use std::sync::Arc;

use clap::Args;
use uixt_studio::Studio;

use super::serving::{self, PORT, Serving, Shown};
use super::workshop::Benches;
use crate::cli::device::spec::DeviceArgs;
use crate::cli::device::uia2::Uia2Args;
use crate::cli::exit::Failure;
use crate::cli::mcp::servers::CalledArgs;
use crate::driver::{Driver, Registry};
use crate::testcase::{self, Overrides};

#[derive(Args)]
pub(in crate::cli) struct BesideArgs {
    /// Serve the studio, too, at this port (8018 by default): see what the agent does, take the device over, give it back
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "8018", require_equals = true)]
    studio: Option<u16>,
}

/// The studio beside an agent; none where it was not asked for.
#[derive(Default)]
pub(in crate::cli) struct Beside(Option<Serving>);

impl BesideArgs {
    /// Opens the device, and shows it; says where, on the standard error.
    pub(in crate::cli) async fn open(&self, devices: &DeviceArgs, uia2: &Uia2Args) -> Result<Beside, Failure> {
        let Some(port) = self.studio else { return Ok(Beside::default()) };
        // A second server beside this one has its studio elsewhere.
        let listener = match serving::listen(port).await {
            Err(_) if port == PORT => serving::listen(0).await?,
            listener => listener?,
        };
        let root = std::env::current_dir().and_then(|here| here.canonicalize()).map_err(Failure::errored)?;
        let project = testcase::project(&root).map_err(|errors| crate::cli::testcases::messages::failure(&errors))?;
        let mut benches = Benches::new(project, uia2, (CalledArgs::default(), Overrides::default()));
        benches.open(devices.clone(), 0).await?;
        let language = super::language(None);
        let shown = Shown { root, file: None, run: None, language, agent: true };
        let serving = Serving::begin(benches, shown, listener)?;
        eprintln!("the studio: {}", serving.url);
        Ok(Beside(Some(serving)))
    }
}

impl Beside {
    /// Returns the device that is shown, and the way to it.
    pub(in crate::cli) fn device(&self) -> Option<(Arc<Registry>, Arc<dyn Driver>)> {
        let bench = self.0.as_ref()?.benches.opened.first()?;
        Some((Arc::clone(&bench.registry), Arc::clone(&bench.driver)))
    }

    /// Returns what shows the calls of agents.
    pub(in crate::cli) fn studio(&self) -> Option<Arc<Studio>> {
        self.0.as_ref().map(|serving| Arc::clone(&serving.studio))
    }

    pub(in crate::cli) async fn close(self) {
        if let Some(serving) = self.0 {
            serving.close().await;
        }
    }
}
