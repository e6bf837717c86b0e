//! The studio as it is served: its page on this computer alone, until it is closed.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uixt_studio::{PATH, Setup, Stage, Studio};

use super::workshop::{Bench, Benches};
use crate::cli::agent::hosting::studio_admission;
use crate::cli::data;
use crate::cli::exit::Failure;
use crate::mcp::http;
use crate::tools;

/// The port that the page is at, where nobody names another.
pub(super) const PORT: u16 = 8018;

/// The folder of drafts and of the token, beside the project's data.
const FOLDER: &str = "studio";

/// What is shown first, and to whom.
pub(super) struct Shown {
    pub(super) root: PathBuf,
    /// A testcase, from the root.
    pub(super) file: Option<String>,
    /// The name of a run's folder.
    pub(super) run: Option<String>,
    /// `en` or `zh`.
    pub(super) language: &'static str,
    /// Whether an agent has the device.
    pub(super) agent: bool,
}

/// A studio that is served.
pub(super) struct Serving {
    pub(super) studio: Arc<Studio>,
    pub(super) benches: Arc<Benches>,
    /// The address of the page, with what lets its reader in.
    pub(super) url: String,
    served: JoinHandle<std::io::Result<()>>,
}

/// Takes a port for the page, before any device is opened.
pub(super) async fn listen(port: u16) -> Result<TcpListener, Failure> {
    let bound = TcpListener::bind(("127.0.0.1", port)).await;
    bound.map_err(|error| Failure::errored(format!("cannot serve at port {port}: {error}; port 0 picks a free one")))
}

/// Returns the folder of drafts in the one for data: where several roots share that, each has its own.
fn drafts(folder: &Path, root: &Path) -> PathBuf {
    if folder.starts_with(root) {
        return folder.to_path_buf();
    }
    let mut hasher = DefaultHasher::new();
    root.hash(&mut hasher);
    folder.join(format!("{:016x}", hasher.finish()))
}

impl Serving {
    pub(super) fn begin(benches: Benches, shown: Shown, listener: TcpListener) -> Result<Self, Failure> {
        let address = listener.local_addr().map_err(Failure::errored)?;
        let folder = data::file_of(Path::new("."))?.with_file_name(FOLDER);
        let (admission, token) = studio_admission(&folder)?;
        let benches = Arc::new(benches);
        let stage = |bench: &Bench| Arc::new(Stage::new(Arc::clone(&bench.driver), Arc::clone(&bench.caller)));
        let studio = Studio::new(Setup {
            stages: benches.opened.iter().map(stage).collect(),
            workshop: Arc::clone(&benches) as Arc<dyn uixt_studio::Workshop>,
            table: tools::table(),
            drafts: drafts(&folder, &shown.root),
            root: shown.root,
            file: shown.file,
            run: shown.run,
            language: shown.language,
            agent: shown.agent,
        });
        let routes = uixt_studio::router(Arc::clone(&studio));
        let served = tokio::spawn(http::serve_routes(routes, admission, listener, CancellationToken::new()));
        Ok(Self { studio, benches, url: format!("http://{address}{PATH}?token={token}"), served })
    }

    /// Returns why the page is not served any more.
    pub(super) async fn ended(&mut self) -> Failure {
        match (&mut self.served).await {
            Ok(Err(error)) => Failure::errored(error),
            Ok(Ok(())) => Failure::errored("the studio is not served any more"),
            Err(error) => Failure::errored(error),
        }
    }

    /// Ends what runs, the page, and the devices.
    pub(super) async fn close(self) {
        self.studio.close().await;
        self.served.abort();
        self.benches.close().await;
    }
}
