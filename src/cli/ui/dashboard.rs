//! `uixt run --dashboard`: the run as a UI instance, in a thread of its own, so that the run waits for nothing of it.

use std::collections::BTreeMap;
use std::mem::take;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use uixt_ui::page::{self, Pages};
use uixt_ui::{PatchRequest, Ui};

use crate::cli::agent::hosting::admission_here;
use crate::cli::data;
use crate::cli::exit::Failure;
use crate::mcp::http;
use crate::report::dashboard::{self, Note};
use crate::runner::Observer;

/// Who changes the instance, in its versions.
const AUTHOR: &str = "run";
/// The least time between two changes of the instance.
const APART: Duration = Duration::from_millis(200);
/// Where `uixt ui` serves its page; where that is taken, any port will do.
const PORT: u16 = 8017;
/// Bytes of a picture.
const LARGEST: usize = 10 << 20;

/// The dashboard of a run.
pub(in crate::cli) struct Dashboard {
    notes: Notes,
    /// The run is over.
    over: CancellationToken,
    closed: CancellationToken,
    thread: JoinHandle<()>,
}

/// What happened and was not shown yet.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<Note>>>);

impl Notes {}

impl Dashboard {
    /// Makes the instance, in the place of one of its id, and serves its page; says where.
    pub(in crate::cli) fn open(id: &str, paths: &[PathBuf], folder: &Path) -> Result<Self, Failure> {
        let wrong = |error: &dyn std::fmt::Display| Failure::errored(format!("--dashboard: {error}"));
        let ui = Ui::shared(&data::file_of(Path::new("."))?).map_err(|error| wrong(&error))?;
        let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        let shown = dashboard::Dashboard::new(
            format!("Run of {}", paths.join(" ")),
            folder.join("report.html").display().to_string(),
        );
        let instance = shown.instance(id);
        if let Ok(other) = ui.get(id)
            && !is_like(&other.instance.to_json(), &instance)
        {
            let message =
                format!("--dashboard: `{id}` is another UI instance; name one that is not there: --dashboard=ID");
            return Err(Failure::usage(message));
        }
        ui.replace(&instance, AUTHOR).map_err(|error| wrong(&error))?;
        let listener = TcpListener::bind(("127.0.0.1", PORT)).or_else(|_| TcpListener::bind(("127.0.0.1", 0)));
        let listener = listener.map_err(|error| wrong(&error))?;
        listener.set_nonblocking(true).map_err(|error| wrong(&error))?;
        let address = listener.local_addr().map_err(|error| wrong(&error))?;
        let (notes, over, closed) = (Notes::default(), CancellationToken::new(), CancellationToken::new());
        let board = Board {
            id: id.to_owned(),
            folder: folder.to_owned(),
            ui,
            shown,
            began: Instant::now(),
            files: BTreeMap::new(),
        };
        let admission = admission_here()?;
        let (own, ended, gone) = (notes.clone(), over.clone(), closed.clone());
        let served = move || -> std::io::Result<()> {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let pages = Pages::new({
                    let ui = Arc::clone(&board.ui);
                    move || Ok(Arc::clone(&ui))
                });
                let listener = tokio::net::TcpListener::from_std(listener)?;
                let serving =
                    http::serve_routes(page::router(Arc::clone(&pages)), admission, listener, CancellationToken::new());
                let serving = tokio::spawn(serving);
                board.follow(&own, &ended).await;
                gone.cancelled().await;
                pages.close().await;
                serving.abort();
                Ok(())
            })
        };
        let thread = std::thread::Builder::new().name("dashboard".to_owned()).spawn(move || {
            if let Err(error) = served() {
                tracing::warn!("the dashboard ended: {error}");
            }
        });
        let thread = thread.map_err(|error| wrong(&error))?;
        eprintln!("dashboard: http://{address}{}i/{id}", page::PATH);
        Ok(Self { notes, over, closed, thread })
    }

    /// Returns what hears the run's events.
    pub(in crate::cli) fn observer(&self) -> Observer {
        let notes = self.notes.clone();
        Box::new(move |entry| {
            if let Some(note) = dashboard::note(entry) {
                notes.0.lock().push(note);
            }
        })
    }

    /// Begins to show the end.
    pub(in crate::cli) fn end(&self) {
        self.over.cancel();
    }

    /// Serves no more, once the end is shown.
    pub(in crate::cli) fn close(self) {
        self.over.cancel();
        self.closed.cancel();
        let _ = self.thread.join();
    }
}

/// Tells whether two instances have the same blocks.
fn is_like(one: &Value, other: &Value) -> bool {
    let ids = |instance: &Value| -> Vec<Value> {
        instance["blocks"].as_array().into_iter().flatten().map(|block| block["id"].clone()).collect()
    };
    ids(one) == ids(other)
}

/// The instance and what it shows.
struct Board {
    id: String,
    /// The report folder.
    folder: PathBuf,
    ui: Arc<Ui>,
    shown: dashboard::Dashboard,
    began: Instant,
    /// The file of each screen that is shown.
    files: BTreeMap<usize, String>,
}

impl Board {
    /// Shows what happens until it is over. A dashboard that cannot be changed any more is told of once, and the run goes on.
    async fn follow(mut self, notes: &Notes, over: &CancellationToken) {
        loop {
            let is_over = tokio::time::timeout(APART, over.cancelled()).await.is_ok();
            let mut news = take(&mut *notes.0.lock());
            news.extend(is_over.then_some(Note::Over));
            if let Err(error) = self.show(news) {
                tracing::warn!("the dashboard {} is no longer updated: {error}", self.id);
                return;
            }
            if is_over {
                return;
            }
        }
    }

    fn show(&mut self, notes: Vec<Note>) -> Result<(), uixt_ui::Error> {
        let screens: BTreeMap<usize, String> = notes.into_iter().filter_map(|note| self.shown.take(note)).collect();
        let mut replaced = Vec::new();
        for (screen, path) in screens {
            let Ok(picture) = std::fs::read(self.folder.join(&path)) else { continue };
            if picture.len() <= LARGEST {
                let file = self.ui.add_file(&self.id, &path, "image/png", &picture)?;
                self.shown.show(screen, format!("/ui/files/{}/{file}", self.id));
                replaced.extend(self.files.insert(screen, file));
            }
        }
        let elapsed = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let changes = self.shown.changes(elapsed);
        if !changes.is_empty() {
            let patches = changes.into_iter().map(|(path, value)| json!({"op": "set", "path": path, "value": value}));
            let request = PatchRequest { patches: patches.collect(), ..PatchRequest::default() };
            self.ui.patch(&self.id, &request, AUTHOR)?;
        }
        replaced.iter().try_for_each(|file| self.ui.remove_file(&self.id, file))
    }
}
